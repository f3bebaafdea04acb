#pragma once

#include <cstdint>
#include <string>

#include "testbench/scoreboard/scoreboard_spec.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scoreboard {

/// What the bus shows of one PMU: whether its control registers, as written, let it count, and which accesses are
/// counter reads. And what the perf core wants of it.
class PmuWatch {
 public:
  enum class Kind : std::uint8_t { ucf, cmem };

  explicit PmuWatch(const UcfPmuSpec& spec);
  explicit PmuWatch(const CmemPmuSpec& spec);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] unsigned socket() const noexcept { return socket_; }

  /// Take in a completed write. @return true if it went to a control register of this PMU
  bool see_write(const MmioBus::BusAccess& access);
  /// @return true if the access reads one of the event counters (UCF only: one register, one instant).
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const noexcept;
  /// @return true if the control registers, as last written, let the PMU count.
  [[nodiscard]] bool written_on() const noexcept;

  bool wanted = false;   ///< the perf core has enabled the PMU
  bool running = false;  ///< events must count now: wanted, and not held by a handler
  bool held = false;     ///< a handler stopped the PMU for a while

 private:
  std::string name_;
  Kind kind_;
  unsigned socket_;
  std::uint64_t control_;   // page 0 of a UCF PMU, the broadcast window of a CMEM PMU
  std::uint64_t counters_;  // UCF: the page the counters are in
  std::uint64_t control_value_ = 0;
  std::uint64_t clock_gate_value_ = 0;  // CMEM
};

}  // namespace pmufab::scoreboard
