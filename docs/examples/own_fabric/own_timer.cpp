// SPDX-License-Identifier: Apache-2.0
// Somebody else's TLM-2.0 target as a plug-in of pmufab: at an address, with its interrupt, and told by firmware.
#include "models/plugin/plugin.h"  // before SystemC

#include <cstdint>

#include <systemc>

#include "foreign_timer.h"

namespace {

using pmufab::plugin::Host;
using pmufab::plugin::Interrupt;

class OwnTimer final : public pmufab::plugin::Plugin {
 public:
  explicit OwnTimer(Host& host) : timer_("timer"), wire_("wire"), follower_("follower", wire_) {
    constexpr std::uint64_t kSize = 0x1000;
    const std::uint64_t base = host.number("base", 0x2800'0000);
    const auto number = static_cast<std::uint32_t>(host.number("interrupt", 320, 32, 1019));
    timer_.irq(wire_);
    host.map({.name = "registers",
              .base = base,
              .size = kSize,
              .registers = {{.name = "CONTROL", .offset = 0x0, .meaning = "bit 0: it runs"},
                            {.name = "COUNT", .offset = 0x4, .writable = false, .meaning = "microseconds"},
                            {.name = "COMPARE", .offset = 0x8, .meaning = "microseconds to the interrupt"}}},
             timer_.socket);
    follower_.to = &host.interrupt(number, pmufab::plugin::Trigger::level);
    host.device({.hid = "OWNT0001", .memory = {{base, kSize}}, .interrupts = {number}});
  }

 private:
  /// Drives pmufab's line as the timer drives its wire.
  struct Follower : sc_core::sc_module {
    SC_HAS_PROCESS(Follower);
    Follower(const sc_core::sc_module_name& name, const sc_core::sc_signal<bool>& its_wire)
        : sc_core::sc_module(name), wire(its_wire) {
      SC_METHOD(follow);
      sensitive << wire.value_changed_event();
      dont_initialize();
    }
    void follow() { to->drive(wire.read()); }

    const sc_core::sc_signal<bool>& wire;
    Interrupt* to = nullptr;
  };

  ForeignTimer timer_;
  sc_core::sc_signal<bool> wire_;
  Follower follower_;
};

pmufab::plugin::Plugin* make(Host& host) { return new OwnTimer(host); }

}  // namespace

PMUFAB_PLUGIN("own_timer", nullptr, make)
