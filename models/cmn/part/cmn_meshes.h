// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/cmn/nodes/gateway/gateway.h"
#include "models/cmn/part/cmn_part.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/platform/platform_part.h"

namespace pmufab::platform {

/// A link between two meshes of a platform, with the gateways at its ends.
class CmnLink {
 public:
  /// @param from, to  the meshes that spec names; they must outlive the link
  CmnLink(const CmnLinkSpec& spec, cmn::Mesh& from, cmn::Mesh& to);

  /// @return requests on their way through one of the gateways.
  [[nodiscard]] unsigned pending() const noexcept { return from_.pending() + to_.pending(); }
  /// @return the CXS flits that have left one end.
  /// @{
  [[nodiscard]] std::uint64_t sent_by_from() const noexcept { return from_.sent_flits(); }
  [[nodiscard]] std::uint64_t sent_by_to() const noexcept { return to_.sent_flits(); }
  /// @}

 private:
  cmn::Gateway from_;
  cmn::Gateway to_;
};

/// The CMN meshes of a platform, and the links between them.
class CmnMeshes final : public PlatformPart {
 public:
  explicit CmnMeshes(const PlatformSpec& spec);

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  [[nodiscard]] bool can_reset(const std::string& window) const override;
  void reset_window(const std::string& window) override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;

  [[nodiscard]] std::size_t size() const noexcept { return meshes_.size(); }
  [[nodiscard]] cmn::Mesh& mesh(std::size_t index) { return meshes_.at(index)->mesh(); }
  [[nodiscard]] cmn::Nodes& nodes(std::size_t index) { return meshes_.at(index)->nodes(); }
  /// @return in the order of CmnMeshesSpec::links.
  [[nodiscard]] const std::vector<std::unique_ptr<CmnLink>>& links() const noexcept { return links_; }
  /// @return requests on their way through gateways.
  [[nodiscard]] std::uint64_t pending_at_links() const noexcept;

 private:
  /// Let the nodes of every mesh know which gateways lead where.
  void tell_of_links(const std::vector<CmnLinkSpec>& links);

  std::vector<std::unique_ptr<CmnPart>> meshes_;
  std::vector<std::unique_ptr<CmnLink>> links_;
};

}  // namespace pmufab::platform
