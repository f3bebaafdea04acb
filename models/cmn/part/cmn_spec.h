// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/cmn/description/product.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/mesh.h"
#include "models/cmn/nodes/gateway/link_end.h"
#include "models/cmn/nodes/nodes.h"
#include "models/platform/platform_spec.h"

namespace pmufab::platform {

/// A CMN mesh, and how firmware describes it.
struct CmnSpec {
  enum class Firmware : std::uint8_t { device_tree, acpi };
  cmn::Topology topology{};
  cmn::MeshOptions mesh{};
  cmn::NodeParameters nodes{};
  Firmware firmware = Firmware::device_tree;
  /// By DTC: the interrupt of the mesh that its INTREQPMU is wired to, 0 ... 3. DTCs with the same number share it.
  /// Empty: each has its own.
  std::vector<unsigned> interrupts{};
  /// The socket whose CPUs are near, as firmware says (the device's NUMA node). Nothing: firmware does not say.
  std::optional<unsigned> socket{};
};

/// A link between gateways of two meshes: docs/cmn-nodes.md, section 5.
struct CmnLinkSpec {
  struct End {
    unsigned mesh = 0;     ///< index in CmnMeshesSpec::meshes
    unsigned gateway = 0;  ///< number among the mesh's gateways, in order of XP, port, device
  };
  End from{};
  End to{};
  cmn::LinkParameters parameters{};
};

/// The CMN meshes of a platform, "cmn0", "cmn1", ..., and the links between them.
struct CmnMeshesSpec final : PartSpec {
  std::vector<CmnSpec> meshes{};
  /// All links of one mesh lead to the same other mesh.
  std::vector<CmnLinkSpec> links{};

  void check(const PlatformSpec& platform) const override;
  [[nodiscard]] PartClaims claims(const PlatformSpec& platform) const override;
  void make(const PlatformSpec& platform, PlatformParts& parts) const override;
};

namespace default_map {
inline constexpr std::uint32_t kCmnInterrupt = 512;  ///< GSIV of DTC 0 of mesh 0; DTC d of mesh m has 512 + 4 m + d
}  // namespace default_map

/// @return GSIV of one of the interrupts of a mesh, 0 ... 3.
[[nodiscard]] constexpr std::uint32_t cmn_interrupt(std::size_t mesh, unsigned number) noexcept {
  return default_map::kCmnInterrupt + static_cast<std::uint32_t>(mesh) * cmn::kMaximumDtcs + number;
}

}  // namespace pmufab::platform
