// SPDX-License-Identifier: Apache-2.0
// A fabric of your own as a plug-in of pmufab: ports send reads and writes to banks of memory, and a PMU counts them.
#include "models/plugin/plugin.h"  // before SystemC

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>

namespace {

using pmufab::plugin::Host;
using pmufab::plugin::Occurrence;
using pmufab::plugin::Source;
using sc_core::SC_NS;
using sc_core::sc_time;

/// The attributes of the source, in their order.
struct Attribute {
  enum : unsigned { port, write, bytes, bank };
};
const std::vector<std::string> kAttributes = {"port", "write", "bytes", "bank"};
constexpr unsigned kBanks = 4;
constexpr unsigned kLine = 64;

/// Banks of memory behind a crossbar.
class Crossbar : public sc_core::sc_module {
 public:
  Crossbar(const sc_core::sc_module_name& name, Source& source, std::uint64_t loses_every)
      : sc_core::sc_module(name), socket("socket"), source_(source), loses_every_(loses_every) {
    socket.register_b_transport(this, &Crossbar::b_transport);
  }

  tlm_utils::multi_passthrough_target_socket<Crossbar> socket;

 private:
  void b_transport(int from, tlm::tlm_generic_payload& payload, sc_time& delay) {
    const unsigned number = payload.get_address() / kLine % kBanks;
    const sc_time latency(payload.is_read() ? 60 : 20, SC_NS);
    Occurrence request;
    request.attributes[Attribute::port] = static_cast<std::uint64_t>(from);
    request.attributes[Attribute::write] = payload.is_write() ? 1 : 0;
    request.attributes[Attribute::bytes] = payload.get_data_length();
    request.attributes[Attribute::bank] = number;
    request.duration = latency;
    source_.witness(request);                                                       // the truth: it has come in
    if (loses_every_ == 0 || ++seen_ % loses_every_ != 0) source_.signal(request);  // what the event wire says
    delay += latency;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  Source& source_;
  std::uint64_t loses_every_;
  std::uint64_t seen_ = 0;
};

/// Sends reads and writes of 1 to 64 bytes, at random distances.
class Port : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Port);
  Port(const sc_core::sc_module_name& name, unsigned number)
      : sc_core::sc_module(name), socket("socket"), number_(number) {
    SC_THREAD(send);
  }

  void start(std::uint64_t seed) {
    random_.seed(seed + number_);
    runs_ = true;
    start_.notify();
  }
  void stop() { runs_ = false; }

  tlm_utils::simple_initiator_socket<Port> socket;

 private:
  void send() {
    std::array<unsigned char, kLine> data{};
    tlm::tlm_generic_payload payload;
    while (true) {
      if (!runs_) wait(start_);
      wait(sc_time(1.0 + static_cast<double>(random_() % 100), SC_NS));
      if (!runs_) continue;
      payload.set_command(random_() % 4 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      payload.set_address(random_() % 4096 * kLine);
      payload.set_data_ptr(data.data());
      payload.set_data_length(static_cast<unsigned>(1 + random_() % kLine));
      payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload, delay);
      wait(delay);
    }
  }

  unsigned number_;
  bool runs_ = false;
  sc_core::sc_event start_;
  std::mt19937_64 random_;
};

class OwnFabric final : public pmufab::plugin::Plugin {
 public:
  explicit OwnFabric(Host& host)
      : crossbar_("crossbar", host.source("own.request", kAttributes), host.number("loses_every", 0)) {
    const std::uint64_t ports = host.number("ports", 4, 1, 16);
    for (unsigned number = 0; number < ports; ++number) {
      ports_.push_back(std::make_unique<Port>(("port" + std::to_string(number)).c_str(), number));
      ports_.back()->socket.bind(crossbar_.socket);
    }
  }

  [[nodiscard]] bool has_traffic() const override { return true; }
  void start_traffic(std::uint64_t seed) override {
    for (const auto& port : ports_) port->start(seed);
  }
  void stop_traffic() override {
    for (const auto& port : ports_) port->stop();
  }

 private:
  Crossbar crossbar_;
  std::vector<std::unique_ptr<Port>> ports_;
};

pmufab::plugin::Plugin* make(Host& host) { return new OwnFabric(host); }

/// The platform that this library is by itself: a PMU that counts the fabric's requests.
constexpr const char* kPlatform = R"(
cpus_per_socket: 4
coresight_pmus:
  - name: crossbar
    pmiidr: 0x7010_043b
    base: 0x2000_0000
    counters: 6
    width: 40
    hid: OWNF0001
    interrupt: {number: 300}
    events:
      - {name: requests, number: 0x1, source: own.request}
      - {name: write_bytes, number: 0x2, source: own.request, counts: bytes, where: {write: 1}}
      - {name: reads_outstanding, number: 0x3, source: own.request, counts: outstanding, where: {write: 0}}
    filters:
      - {name: port, bits: 0-15}
      - {name: bank, bits: 16-19}
)";

}  // namespace

PMUFAB_PLUGIN("own_fabric", kPlatform, make)
