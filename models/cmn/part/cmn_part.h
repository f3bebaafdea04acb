// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/nodes.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/platform/platform_part.h"

namespace pmufab::platform {

/// One CMN mesh of a platform: child module "cmn0", "cmn1", ... of the platform.
class CmnPart {
 public:
  /// @param index  among the platform's meshes
  CmnPart(const CmnSpec& spec, unsigned index);

  void map(MmioBus& bus);
  void describe(FirmwareDescription& firmware);
  void reset();
  void add_registers(std::vector<NamedRegisters>& banks) const;

  [[nodiscard]] cmn::Mesh& mesh() noexcept { return mesh_; }
  [[nodiscard]] cmn::Nodes& nodes() noexcept { return nodes_; }

 private:
  CmnSpec spec_;
  unsigned index_;
  cmn::Mesh mesh_;
  cmn::Nodes nodes_;
};

}  // namespace pmufab::platform
