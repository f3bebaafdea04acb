// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <systemc>

#include "testbench/tests/toy_fabric/toy_part.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::toy {

/// Packets at a fixed pace.
struct PacketsSpec {
  std::string name;
  Picoseconds start = 0;  ///< before the first packet, after the specification before
  Picoseconds period = 10'000;
  std::uint64_t count = 1;
};

/// Sends the packets of all specifications, one specification after the other.
class PacketSource : public sc_core::sc_module {
 public:
  PacketSource(const sc_core::sc_module_name& name, Belt& belt, std::vector<PacketsSpec> specs);

  void start() { start_.notify(sc_core::SC_ZERO_TIME); }
  void stop() noexcept { stopped_ = true; }
  [[nodiscard]] bool done() const noexcept { return done_ || stopped_; }
  /// Notified when the last packet was sent.
  [[nodiscard]] const sc_core::sc_event& done_event() const noexcept { return done_event_; }
  void report(const std::function<void(const std::string& name, std::uint64_t sent)>& tell) const;

 private:
  void send();

  Belt& belt_;
  std::vector<PacketsSpec> specs_;
  std::vector<std::uint64_t> sent_;
  sc_core::sc_event start_;
  sc_core::sc_event done_event_;
  bool stopped_ = false;
  bool done_ = false;
};

}  // namespace pmufab::toy
