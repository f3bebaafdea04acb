// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <systemc>

#include "models/coresight/coresight_pmu.h"
#include "models/platform/platform_spec.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::platform {

class PlatformPart;

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

/// Everything a PlatformSpec describes, built and wired: fabrics, PMUs, interrupt lines, and a bus with every register
/// window. Software's register accesses go to bus().socket, which must be bound.
class Platform : public sc_core::sc_module {
 public:
  /// @throws SpecError if validate(spec) does
  Platform(const sc_core::sc_module_name& name, const PlatformSpec& spec);
  ~Platform() override;

  [[nodiscard]] const PlatformSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] MmioBus& bus() noexcept { return bus_; }
  [[nodiscard]] const FirmwareDescription& firmware() const noexcept { return firmware_; }

  [[nodiscard]] unsigned sockets() const noexcept { return spec_.sockets; }
  /// @return the part of that class. @throws std::out_of_range if the platform has none
  template <typename Part>
  [[nodiscard]] Part& get() const {
    Part* const found = find<Part>();
    if (found == nullptr) throw std::out_of_range("the platform has no such part");
    return *found;
  }
  /// @return the part of that class; nullptr if the platform has none.
  template <typename Part>
  [[nodiscard]] Part* find() const {
    for (const auto& part : parts_) {
      if (auto* const found = dynamic_cast<Part*>(part.get())) return found;
    }
    return nullptr;
  }

  /// Warm reset, from a process or between runs: every register, counter and interrupt line gets its reset value.
  /// Caches, directories and memory reads under way are kept, and traffic may continue. What software did wrong before
  /// is reported again if it is repeated.
  void reset();
  /// @return whether what is behind one window of the bus can be reset alone
  [[nodiscard]] bool can_reset(const std::string& window) const;
  /// The same for that alone. Nothing happens if can_reset() says no.
  void reset_window(const std::string& window);
  /// @param listener  called after each reset, with the address of the window that was reset; nothing: everything was
  void on_reset(std::function<void(std::optional<std::uint64_t> window)> listener) { on_reset_ = std::move(listener); }

  /// @return the registers of every device, by socket and device.
  [[nodiscard]] std::vector<NamedRegisters> registers() const;

 private:
  PlatformSpec spec_;
  MmioBus bus_;
  FirmwareDescription firmware_;
  std::vector<std::unique_ptr<PlatformPart>> parts_;
  std::function<void(std::optional<std::uint64_t>)> on_reset_{};
};

}  // namespace pmufab::platform
