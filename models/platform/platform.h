// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <systemc>

#include "models/cmn/mesh.h"
#include "models/coresight/coresight_pmu.h"
#include "models/platform/platform_spec.h"
#include "models/tegra410/socket.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/probe/probe.h"
#include "tlm/registers/register_bank.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::platform {

class CmnMeshes;
class CxlPart;
class PlatformPart;
class Tegra410Part;

/// The registers of one device or window, as a debugger sees them. Reading them changes nothing. Valid for the life of
/// the platform.
struct NamedRegisters {
  std::string name;                  ///< as shown to users, for example "socket0.ucf_pmu"
  std::vector<std::uint64_t> bases;  ///< physical address of each page, as firmware places it
  std::vector<const RegisterBank*> pages;

  /// Values with decoded fields.
  void dump_text(std::ostream& out, Picoseconds when) const;
  /// Map and values: an array of pages.
  [[nodiscard]] nlohmann::json dump_json(Picoseconds when) const;
  /// The map alone.
  void dump_markdown(std::ostream& out) const;
};

/// @param pattern  the beginning of a name, or a pattern with * and ?: "cmn0", "cmn0.xp?.dtm0"; or the name of a page, as
///                 messages and traces have it: "platform.socket0.ucf_pmu.page0"
[[nodiscard]] bool is_named(const NamedRegisters& registers, const std::string& pattern);

/// Everything a PlatformSpec describes, built and wired: sockets, fabrics, PMUs, interrupt lines, and a bus with every
/// register window.
///
/// Traffic goes to socket(s).cpu_access (loads and stores of a cluster) and socket(s).requests (everything else); each
/// takes one initiator and may stay unbound. Software's register accesses go to bus().socket, which must be bound.
class Platform : public sc_core::sc_module {
 public:
  /// @throws SpecError if validate(spec) does
  Platform(const sc_core::sc_module_name& name, const PlatformSpec& spec);
  ~Platform() override;

  [[nodiscard]] const PlatformSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] MmioBus& bus() noexcept { return bus_; }
  [[nodiscard]] const FirmwareDescription& firmware() const noexcept { return firmware_; }

  [[nodiscard]] unsigned sockets() const noexcept { return spec_.sockets; }
  /// @throws std::out_of_range if there is no such socket
  [[nodiscard]] tegra410::Socket& socket(unsigned index);
  [[nodiscard]] const tegra410::AddressMap& address_map() const;
  [[nodiscard]] const ClockDomain& ucf_clock() const;
  /// @param name  as registers() has it: "socket0.rc1.pcie_pmu"
  /// @throws std::out_of_range if the sockets have no such CoreSight PMU
  [[nodiscard]] coresight::CoreSightPmu& coresight_pmu(std::string_view name);

  [[nodiscard]] std::size_t meshes() const noexcept;
  /// @throws std::out_of_range if there is no such mesh
  [[nodiscard]] cmn::Mesh& mesh(std::size_t index);
  /// @return requests on their way through gateways of any mesh.
  [[nodiscard]] std::uint64_t pending_at_links() const noexcept;
  /// The nodes of a mesh. @throws std::out_of_range if there is no such mesh
  [[nodiscard]] cmn::Nodes& nodes(std::size_t index);

  /// @return the CXL devices; nullptr if the platform has none.
  [[nodiscard]] CxlPart* cxl() const noexcept { return cxl_; }

  /// @return the part of that class; nullptr if the platform has none. For fabrics that have no member above.
  template <typename Part>
  [[nodiscard]] Part* find() const {
    for (const auto& part : parts_) {
      if (auto* const found = dynamic_cast<Part*>(part.get())) return found;
    }
    return nullptr;
  }

  /// Show the boundaries of the Tegra410 sockets to `observer` (not owned); nullptr removes it. One observer at a time.
  /// @throws std::out_of_range if there are no such sockets
  void set_observer(BoundaryObserver* observer);

  /// Warm reset, from a process or between runs: every register, counter and interrupt line gets its reset value.
  /// Caches, directories and memory reads under way are kept, and traffic may continue. What software did wrong before
  /// is reported again if it is repeated.
  void reset();
  /// @return whether what is behind one window of the bus can be reset alone
  [[nodiscard]] bool can_reset(const std::string& window) const;
  /// The same for that alone. Nothing happens if can_reset() says no.
  void reset_window(const std::string& window);

  /// @return the registers of every device, by socket and device.
  [[nodiscard]] std::vector<NamedRegisters> registers() const;

 private:
  [[nodiscard]] Tegra410Part& tegra410() const;

  PlatformSpec spec_;
  MmioBus bus_;
  FirmwareDescription firmware_;
  std::vector<std::unique_ptr<PlatformPart>> parts_;
  Tegra410Part* tegra410_ = nullptr;
  CmnMeshes* cmn_ = nullptr;
  CxlPart* cxl_ = nullptr;
};

}  // namespace pmufab::platform
