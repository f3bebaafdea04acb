// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/cmn/description/product.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/mesh.h"
#include "models/cmn/nodes/gateway/link_end.h"
#include "models/cmn/nodes/nodes.h"
#include "models/dwc/wire/description.h"
#include "models/platform/cxl/cxl_spec.h"
#include "models/platform/tegra410/pmu_row.h"
#include "models/soc/wire/description.h"
#include "models/tegra410/address_map.h"
#include "models/tegra410/parameters.h"
#include "tlm/spec/spec_error.h"

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
    unsigned mesh = 0;     ///< index in PlatformSpec::cmn
    unsigned gateway = 0;  ///< number among the mesh's gateways, in order of XP, port, device
  };
  End from{};
  End to{};
  cmn::LinkParameters parameters{};
};

class PlatformPart;

/// What a part wants to have for itself on a platform.
struct PartClaims {
  struct Window {
    std::string name;
    std::uint64_t base = 0;
    std::uint64_t size = 0;
  };
  /// In the ACPI namespace: no two have the same identity.
  struct Device {
    std::string hid;
    std::string uid;   ///< of a CoreSight node: its instance
    std::string what;  ///< for messages: "the CoreSight node at 0x34000000"
  };
  std::string field;  ///< for messages: the key that describes the part
  std::vector<Window> windows{};
  std::vector<std::uint32_t> interrupts{};  ///< numbers
  std::vector<Device> devices{};
};

/// What a platform has of a kind of fabric that PlatformSpec has no member for. A program that brings its own fabric
/// derives from it.
class PartSpec {
 public:
  virtual ~PartSpec() = default;
  /// @throws SpecError for the first thing that makes it impossible
  virtual void check() const = 0;
  /// validate() compares it with what the rest of the platform has.
  [[nodiscard]] virtual PartClaims claims() const { return {}; }
  [[nodiscard]] virtual std::unique_ptr<PlatformPart> make() const = 0;
};

inline constexpr unsigned kMaximumSockets = tegra410::kMaximumSockets;

/// The content of a platform: plain data, made by hand or from a configuration file, checked by validate().
///
/// A platform is a set of sockets with CPUs and memory, plus PMU fabrics. Each kind of fabric of this project is one
/// member, others are in `parts`; an absent kind is not built. There is at least one.
struct PlatformSpec {
  std::string name = "tegra410";
  unsigned sockets = 2;           ///< 1 ... kMaximumSockets
  unsigned cpus_per_socket = 88;  ///< a multiple of the clusters of a socket
  /// System memory, of any class but `bar`. Empty: default_memory(sockets).
  std::vector<tegra410::MemoryRange> memory;
  /// Every socket is a Tegra410 with these parameters.
  std::optional<tegra410::Parameters> tegra410 = tegra410::Parameters{};
  /// Meshes, "cmn0", "cmn1", ...
  std::vector<CmnSpec> cmn{};
  /// Links between meshes. All links of one mesh lead to the same other mesh.
  std::vector<CmnLinkSpec> links{};
  /// The components below CXL root ports 0, 1, ...: devices "cxl0", "cxl1", ..., directly or below switches.
  std::vector<CxlDeviceSpec> cxl{};
  /// CoreSight PMUs by description, and the sources that they count.
  soc::Description soc{};
  /// PCIe root ports with DesignWare controllers.
  std::vector<dwc::RootPortDescription> dwc{};
  /// PMUs on the Tegra410 sockets besides those the part has.
  std::vector<PmuRow> own_pmus{};
  /// Fabrics of other kinds.
  std::vector<std::shared_ptr<const PartSpec>> parts{};

  /// @return a platform that has sockets and CPUs only, so far.
  [[nodiscard]] static PlatformSpec without_fabrics() {
    PlatformSpec spec;
    spec.tegra410.reset();
    return spec;
  }
  /// @return what `parts` has of that class; nullptr if there is none.
  template <typename Spec>
  [[nodiscard]] const Spec* part() const {
    for (const auto& part : parts) {
      if (const auto* const found = dynamic_cast<const Spec*>(part.get())) return found;
    }
    return nullptr;
  }
};

/// Default places. Socket s owns the 16 TiB from s << kSocketShift; offsets are relative to that.
namespace default_map {
inline constexpr unsigned kSocketShift = 44;
inline constexpr std::uint64_t kRegistersBegin = 0x1000'0000;  ///< 2 MiB of register windows
inline constexpr std::uint64_t kRegistersSize = 0x20'0000;
inline constexpr std::uint64_t kUcfPmuPage0 = 0x1000'0000;
inline constexpr std::uint64_t kUcfPmuPage1 = 0x1000'1000;
inline constexpr std::uint64_t kPciePmu = 0x1001'0000;         ///< page 0 of root complex r: + r * stride, then page 1
inline constexpr std::uint64_t kPcieTgtPmu = 0x1002'0000;      ///< the same for PCIE-TGT
inline constexpr std::uint64_t kPciePmusStride = 0x2000;       ///< for the PMUs of root complexes
inline constexpr std::uint64_t kPcieTgtFilters = 0x1003'0000;  ///< address filters of root complex r: + r * 0x1000
inline constexpr std::uint64_t kCmemLatencyPmu = 0x1010'0000;  ///< 14 instances of 4 KiB, then the broadcast window
inline constexpr std::uint64_t kNvlinkC2cPmu = 0x1011'0000;    ///< likewise: 14 instances, broadcast
inline constexpr std::uint64_t kNvclinkPmu = 0x1012'0000;      ///< 12 instances, broadcast
inline constexpr std::uint64_t kNvdlinkPmu = 0x1013'0000;      ///< 16 instances, broadcast
inline constexpr std::uint64_t kPcieEcam = 0x10'0000'0000;     ///< configuration space of root complexes 0 ... 5,
inline constexpr std::uint64_t kPcieEcamOfSegment = 0x1000'0000;  ///< 256 MiB each
inline constexpr std::uint64_t kDwcEcam = 0x18'0000'0000;         ///< the same of the segments of DesignWare root ports
inline constexpr unsigned kDwcSegments = 64;
inline constexpr std::uint64_t kPcieBars =
    0x40'0000'0000;  ///< BARs below root ports 0 ... 7 of root complexes 0 ... 5,
inline constexpr std::uint64_t kPcieBarsOfPort = 0x1'0000'0000;  ///< 4 GiB for each port
inline constexpr std::uint64_t kCmem = 0x80'0000'0000;           ///< 512 GiB
inline constexpr std::uint64_t kCmemSize = 0x80'0000'0000;
inline constexpr std::uint64_t kGmem = 0x200'0000'0000;  ///< 256 GiB
inline constexpr std::uint64_t kGmemSize = 0x40'0000'0000;
inline constexpr std::uint64_t kCxl = 0x400'0000'0000;  ///< 256 GiB
inline constexpr std::uint64_t kCxlSize = 0x40'0000'0000;
inline constexpr std::uint64_t kEcam = 0x4000'0000;        ///< configuration space of PCI segment 0, 1 MiB for each bus
inline constexpr std::uint64_t kCxlBars = 0x20'0000'0000;  ///< BARs 0 of CXL ports and devices, each at a multiple of
inline constexpr std::uint64_t kCxlBarStride = 0x100'0000;    ///< 16 MiB; components below a port follow the port
inline constexpr std::uint64_t kCxlBarsSize = 0x4000'0000;    ///< 16 switches, each with a device, below 16 root ports
inline constexpr std::uint64_t kCxlHostBridge = 0x3001'0000;  ///< component registers of the host bridge, 64 KiB
inline constexpr std::uint64_t kMessageDoorbell = 0x3000'0040;  ///< target of message-signalled interrupts
inline constexpr std::uint32_t kUcfPmuInterrupt = 288;          ///< GSIV of socket 0; socket s has 288 + s
inline constexpr std::uint32_t kPciePmuInterrupt = 240;         ///< root complex 0 of socket 0; r of s: 240 + 6 s + r
inline constexpr std::uint32_t kPcieTgtPmuInterrupt = 384;      ///< root complex 0 of socket 0; r of s: 384 + 6 s + r
inline constexpr std::uint32_t kCmnInterrupt = 512;  ///< GSIV of DTC 0 of mesh 0; DTC d of mesh m has 512 + 4 m + d
}  // namespace default_map

/// @return GSIV of one of the interrupts of a mesh, 0 ... 3.
[[nodiscard]] constexpr std::uint32_t cmn_interrupt(std::size_t mesh, unsigned number) noexcept {
  return default_map::kCmnInterrupt + static_cast<std::uint32_t>(mesh) * cmn::kMaximumDtcs + number;
}

/// @return one CMEM, one GMEM and one CXL range for each socket, at the addresses of default_map. CXL memory is below
/// root complex 0.
[[nodiscard]] std::vector<tegra410::MemoryRange> default_memory(unsigned sockets);

/// @return the ranges of the sockets' address map: memory, as given or by default, and the BARs of PCI Express.
[[nodiscard]] std::vector<tegra410::MemoryRange> system_map(const PlatformSpec& spec);

/// @throws SpecError for the first thing that makes the platform impossible
void validate(const PlatformSpec& spec);

}  // namespace pmufab::platform
