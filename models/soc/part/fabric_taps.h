// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/soc/source.h"
#include "models/soc/wire/description.h"
#include "models/tegra410/pcie/root_complex.h"

namespace pmufab::platform {

class CmnMeshes;
class CxlPart;
class PluginPart;
class Tegra410Part;

/// The fabrics of a platform that may be sources. Not owned; null: there is none.
struct SocFabrics {
  Tegra410Part* sockets = nullptr;
  CxlPart* cxl = nullptr;
  CmnMeshes* cmn = nullptr;
  PluginPart* plugin = nullptr;
};

/// Turns what passes one place of a fabric into occurrences. While it lives, the fabric must.
class FabricTap {
 public:
  virtual ~FabricTap() = default;
};
using FabricTaps = std::vector<std::unique_ptr<FabricTap>>;

/// The requests of one root complex.
class RootComplexTap final : public FabricTap {
 public:
  /// @param cause  pcie or pcie_tgt
  RootComplexTap(soc::Cause cause, unsigned socket, tegra410::RootComplex& complex, soc::Source& source);
  ~RootComplexTap() override;
  RootComplexTap& operator=(RootComplexTap&&) = delete;

 private:
  static void inbound(void* context, const tegra410::PcieInboundRequest& request);
  static void target(void* context, const tegra410::PcieTarget::Access& access);

  soc::Cause cause_;
  unsigned socket_;
  tegra410::RootComplex& complex_;
  soc::Source& source_;
};

/// The flits at the device ports of one mesh, or the events of its homes.
class MeshTap final : public FabricTap {
 public:
  /// @param cause  cmn_flit or cmn_home
  MeshTap(soc::Cause cause, unsigned number, cmn::Mesh& mesh, soc::Source& source);
  ~MeshTap() override;
  MeshTap& operator=(MeshTap&&) = delete;

 private:
  static void flit(void* context, const cmn::Mesh::PortFlit& flit);
  static void home_event(void* context, const cmn::Pmu::NodeOccurrence& occurrence);

  soc::Cause cause_;
  unsigned number_;
  cmn::Mesh& mesh_;
  soc::Source& source_;
};

/// A source that a plug-in has declared.
class PluginTap final : public FabricTap {
 public:
  PluginTap(std::string name, unsigned socket, PluginPart& plugin, soc::Source& source);
  ~PluginTap() override;
  PluginTap& operator=(PluginTap&&) = delete;

 private:
  std::string name_;
  unsigned socket_;
  PluginPart& plugin_;
};

/// Let a source of a socket hear the fabric that its description names. A source of streams stays as it is, and so does one
/// whose fabric the platform does not have.
/// @param taps  gets what must live as long as the source
void connect_source(const soc::SourceDescription& description, unsigned socket, const SocFabrics& fabrics,
                    soc::Source& source, FabricTaps& taps);

}  // namespace pmufab::platform
