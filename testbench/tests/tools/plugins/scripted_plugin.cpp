// SPDX-License-Identifier: Apache-2.0
// A plug-in that does what its parameters say: lets a known number of things happen, or goes wrong.
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/plugin/plugin.h"

namespace {

using pmufab::plugin::Host;
using pmufab::plugin::Occurrence;
using pmufab::plugin::Plugin;
using pmufab::plugin::Source;

// What is thrown and printed ends with it: it would clear a terminal.
#define PMUFAB_CLEAR "\x1b[2J"

/// Never return.
[[noreturn]] void stay() {
  while (true) pause();
}

void crash() {
  if (raise(SIGSEGV) != 0) throw std::runtime_error("there is no such signal");  // not the last: this is on the stack
}

void end_by_abort() { std::abort(); }

/// Does something in the update phase, in which no process runs.
class Channel final : public sc_core::sc_prim_channel {
 public:
  explicit Channel(void (*work)()) : work_(work) {}
  void begin() { request_update(); }

 private:
  void update() override { work_(); }
  void (*work_)();
};

class Scripted final : public sc_core::sc_module, public Plugin {
 public:
  SC_HAS_PROCESS(Scripted);
  Scripted(const sc_core::sc_module_name& name, Host& host, std::string fault)
      : sc_core::sc_module(name),
        socket("socket"),
        fault_(std::move(fault)),
        source_(host.source(host.text("source", "scripted.step"), {"bytes"}, host.sockets() - 1)),
        witnessed_(host.number("witnessed", 0)),
        signalled_(host.number("signalled", 0)) {
    socket.register_b_transport(this, &Scripted::b_transport);
    const bool is_seen = fault_ == "throws when looked at" || fault_ == "crashes when looked at";
    if (is_seen) socket.register_transport_dbg(this, &Scripted::transport_dbg);
    pmufab::plugin::Window window{.name = "window", .base = host.number("base", 0x3400'0000), .size = 0x1000};
    if (fault_ == "has a strange window") window.name += PMUFAB_CLEAR;
    if (fault_ == "has a strange register") window.registers.push_back({.name = "A" PMUFAB_CLEAR});
    if (fault_ == "has a strange attribute") static_cast<void>(host.source("other", {"a" PMUFAB_CLEAR}));
    if (fault_ == "has a strange parameter") static_cast<void>(host.text("a", PMUFAB_CLEAR));
    if (fault_ == "has a register of 288 bits") window.registers.push_back({.name = "WIDE", .offset = 0, .bits = 288});
    if (is_seen) window.registers.push_back({.name = "LOOK"});
    host.map(window, socket);
    const auto number = static_cast<std::uint32_t>(host.number("interrupt", 900));
    interrupt_ = &host.interrupt(number, pmufab::plugin::Trigger::edge);
    if (host.number("device", 0) != 0)
      host.device({.hid = "SCRP0002", .memory = {{window.base, window.size}}, .interrupts = {number}});
    if (const std::uint64_t node = host.number("node", 0); node != 0)
      host.coresight_node({.hid = host.text("hid", "SCRP0001"), .base = node, .interrupt = number});
    if (const std::uint64_t twin = host.number("twin", 0); twin != 0)
      host.coresight_node({.hid = "SCRP0001", .base = twin});
    SC_THREAD(run);
  }
  ~Scripted() override {
    if (has_begun_ && fault_ == "crashes when destroyed") crash();
    if (has_begun_ && fault_ == "hangs when destroyed") stay();
  }

  [[nodiscard]] bool has_traffic() const override { return true; }
  void start_traffic(std::uint64_t /*seed*/) override {
    if (fault_ == "throws in start_traffic") throw std::runtime_error("no wish to begin" PMUFAB_CLEAR);
    has_begun_ = true;
    begins_.notify();
  }

  tlm_utils::simple_target_socket<Scripted> socket;

 private:
  void run() {
    if (fault_ == "hangs at once") stay();
    if (fault_ == "stops at once") sc_core::sc_stop();
    if (fault_ == "crashes early") {
      wait(1, sc_core::SC_NS);
      crash();
    }
    wait(begins_);
    wait(10, sc_core::SC_US);  // until counters run
    if (fault_ == "throws") throw std::runtime_error("no wish to go on" PMUFAB_CLEAR);
    if (fault_ == "prints") std::fputs("printed" PMUFAB_CLEAR "\n[    1.000000] logged" PMUFAB_CLEAR "\n", stderr);
    if (fault_ == "warns") SC_REPORT_WARNING("/scripted", "warned" PMUFAB_CLEAR);
    if (fault_ == "crashes") crash();
    if (fault_ == "aborts") end_by_abort();
    if (fault_ == "aborts between processes") aborting_.begin();
    if (fault_ == "crashes between processes") crashing_.begin();
    if (fault_ == "hangs between processes") hanging_.begin();
    if (fault_ == "throws when interrupted") interrupt_->drive(true);
    if (fault_ == "hangs") stay();
    if (fault_ == "stops") sc_core::sc_stop();
    while (fault_ == "spins") wait(sc_core::SC_ZERO_TIME);
    Occurrence occurrence;
    occurrence.attributes[0] = 3;
    for (std::uint64_t i = 0; i < witnessed_ || i < signalled_; ++i) {
      wait(10, sc_core::SC_NS);
      if (i < witnessed_) source_.witness(occurrence);
      if (i < signalled_) source_.signal(occurrence);
    }
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    if (fault_ == "throws at access") throw std::runtime_error("no wish to be read" PMUFAB_CLEAR);
    if (fault_ == "throws when interrupted" && has_begun_)
      throw std::runtime_error("no wish to be read by a handler" PMUFAB_CLEAR);
    if (fault_ == "hangs at access") stay();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& /*payload*/) {
    if (fault_ == "crashes when looked at") crash();
    throw std::runtime_error("no wish to be looked at" PMUFAB_CLEAR);
  }

  std::string fault_;
  Source& source_;
  std::uint64_t witnessed_;
  std::uint64_t signalled_;
  sc_core::sc_event begins_;
  pmufab::plugin::Interrupt* interrupt_ = nullptr;
  bool has_begun_ = false;
  Channel crashing_{crash};
  Channel hanging_{stay};
  Channel aborting_{end_by_abort};
};

Plugin* make(Host& host) {
  const std::string fault = host.text("fault", "no fault");
  if (fault == "throws when made") throw std::runtime_error("no wish to be made" PMUFAB_CLEAR);
  if (fault == "throws a number") throw 7;
  if (fault == "hangs when made") stay();
  if (fault == "crashes when made") crash();
  if (fault == "aborts when made") end_by_abort();
  if (fault == "takes memory when made") {
    std::vector<std::vector<char>> blocks;
    while (true) blocks.emplace_back(std::size_t{64} << 20);
  }
  if (fault == "ends the process") _exit(0);
  if (fault == "makes nothing") return nullptr;
  if (fault == "asks twice") static_cast<void>(host.source("twice", {"a", "a"}));
  return new Scripted("scripted", host, fault);
}

constexpr const char* kPlatform = R"(
cpus_per_socket: 4
sockets: 2
coresight_pmus:
  - name: noc
    pmiidr: 0x7010_043b
    base: 0x2000_0000
    hid: ACME0001
    events:
      - {name: steps, number: 1, source: scripted.step}
      - {name: bytes, number: 2, source: scripted.step, counts: bytes}
)";

}  // namespace

PMUFAB_PLUGIN("scripted", kPlatform, make)
