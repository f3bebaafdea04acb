// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/guest_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "testbench/doors/guest/qemu_virt.h"
#include "testbench/doors/vfio_user/protocol.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/process/local_socket.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::guest {
namespace {

/// The longest simulation before the server listens to the virtual machine again.
constexpr std::chrono::milliseconds kSlice{3};
/// The longest wait for an interrupt handler.
constexpr std::chrono::seconds kPatience{1};
/// perf has opened its events when it has not touched a register for this long.
constexpr std::chrono::milliseconds kQuiet{300};
/// A handler may still run for this long after its interrupt was withdrawn.
constexpr std::chrono::milliseconds kHandler{50};
/// QEMU frees memory (RCU) with some tenths of a second between: its thread waits five times 10 ms for more to free, and
/// five times for CPUs to pass a certain point. Then it makes the CPUs pass it, and the next CPU takes its turn. This
/// must be over before a second CPU runs.
constexpr unsigned kLongHalts = 5;
constexpr std::chrono::milliseconds kLongHalt{100};
/// Message numbers reserved for each function.
constexpr std::uint32_t kMessages = 64;
constexpr std::uint32_t kMemoryClass = 0x0502;  // CXL memory device
constexpr std::uint32_t kNvidia = 0x10de;
constexpr std::uint32_t kMapping = 4;  // DVSEC that names root complex and root port

bool is_cxl_memory(const pci_access::FoundFunction& function) {
  constexpr std::size_t kHeaderType = 0x0e;
  constexpr std::size_t kClass = 0x0a;
  return (function.field(kHeaderType, 1) & 0x7fU) == 0 && function.field(kClass, 2) == kMemoryClass;
}

/// PCI Express Base Specification, 7.9.6: a designated vendor-specific extended capability.
bool has_dvsec(const pci_access::FoundFunction& function, std::uint32_t vendor, std::uint32_t id) {
  constexpr std::uint32_t kDvsec = 0x23;
  constexpr unsigned kFirst = 0x100;
  constexpr unsigned kMostCapabilities = 480;
  unsigned at = kFirst;
  for (unsigned i = 0; at >= kFirst && i < kMostCapabilities; ++i) {
    const std::uint32_t header = function.field(at, 4);
    if ((header & 0xffffU) == kDvsec && function.field(at + 4, 2) == vendor && function.field(at + 8, 2) == id)
      return true;
    at = header >> 20 & 0xffcU;
  }
  return false;
}

}  // namespace

std::uint64_t GuestServer::Bus::read(std::uint64_t address, unsigned bytes) {
  return server_.machine_.host().read_register(address, bytes);
}

void GuestServer::Bus::write(std::uint64_t address, unsigned bytes, std::uint64_t value) {
  server_.machine_.host().write_register(address, bytes, value);
}

GuestServer::GuestServer(scenario::Machine& machine, const scenario::Workload& workload, const GuestOptions& options,
                         const Aperture& aperture, WiredInterrupts& interrupts,
                         const std::vector<pci_access::FoundFunction>& functions, PerfExpectations& expectations,
                         GuestClock& clock)
    : machine_(machine),
      has_traffic_(scenario::has_traffic(workload)),
      options_(options),
      interrupts_(interrupts),
      expectations_(expectations),
      clock_(clock),
      bus_(*this),
      soc_(aperture, bus_,
           {[this](std::uint64_t offset, std::uint32_t value) { write_control(offset, value); },
            [this](std::uint64_t offset) { return read_control(offset); }}),
      perf_listener_(process::listen_at(options.folder / kPerfName, SOCK_STREAM)),
      slice_(kSlice) {
  const auto log = [&](const std::string& name) {
    return options_.log ? vfio_user::Server::Log([this, name](const std::string& text) { note(name + ": " + text); })
                        : vfio_user::Server::Log();
  };
  servers_.push_back(std::make_unique<vfio_user::Server>(options.folder / kSocName, soc_, log(kSocName)));
  add_functions(functions);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const std::string name = fmt::format("{}{}", kPciName, i);
    servers_.push_back(std::make_unique<vfio_user::Server>(options.folder / name, functions_[i], log(name)));
  }
  if (!has_traffic_) expectations_.end_traffic();  // there is nothing to wait for
  for (MessageInterrupt* const source : machine_.firmware().msi.sources) {
    source->listen([this](std::uint64_t address, std::uint32_t data) {
      if (address != machine_.firmware().msi.address) return;
      ++tally_.interrupts;
      message_out_ = true;
      message_sent_.notify(sc_core::SC_ZERO_TIME);
      messages_.push_back(data);
    });
  }
}

GuestServer::~GuestServer() {
  for (MessageInterrupt* const source : machine_.firmware().msi.sources) source->listen({});
}

void GuestServer::add_functions(const std::vector<pci_access::FoundFunction>& functions) {
  const platform::FirmwareDescription& firmware = machine_.platform().firmware();
  for (const pci_access::FoundFunction& function : functions) {
    if (!is_shown(function)) continue;
    const auto segment = std::ranges::find_if(
        firmware.pci_segments, [&](const platform::PciSegment& each) { return each.number == function.address >> 16; });
    PciFunction::Place place{};
    place.configuration = segment->ecam_base + (std::uint64_t{function.address & 0xffff} << 12);
    place.doorbell = firmware.msi.address;
    place.first_message = firmware.msi.first_number + kMessages * static_cast<std::uint32_t>(functions_.size());
    for (const auto& bar : function.bars) place.sizes.push_back(bar.size);
    functions_.emplace_back(bus_, std::move(place));
    if (functions_.back().interrupts(vfio_user::kMsiX) > kMessages)
      throw scenario::InputError(
          fmt::format("the PCI function {} has more than {} interrupt vectors", function.name(), kMessages));
    below_port_.push_back(is_cxl_memory(function));
  }
}

bool is_shown(const pci_access::FoundFunction& function) {
  return is_cxl_memory(function) || has_dvsec(function, kNvidia, kMapping);
}

bool is_switch(const pci_access::FoundFunction& function) {
  constexpr std::size_t kFirst = 0x34;
  constexpr std::uint32_t kExpress = 0x10;
  constexpr std::uint32_t kUpstreamPort = 5;
  constexpr unsigned kMostCapabilities = 48;
  std::uint32_t at = function.field(kFirst, 1);
  for (unsigned i = 0; at != 0 && i < kMostCapabilities; ++i) {
    if (function.field(at, 1) == kExpress) return (function.field(at + 2, 2) >> 4 & 0xfU) == kUpstreamPort;
    at = function.field(at + 1, 1);
  }
  return false;
}

void GuestServer::serve() {
  last_write_ = clock_.now();
  last_interrupt_ = last_write_ - kHandler;
  last_look_ = last_write_;
  held_since_ = last_write_;
  simulated_begin_ = simulated_time();
  while (!stopped_) {
    // Do not pause while simulated time is behind the clock. Otherwise wait for messages.
    const bool working = expectations_.traffic() == Traffic::under_way;
    const int timeout = working && !is_held() && behind_the_clock() > 0 ? 0 : working || is_held() ? 1 : 10;
    look(clock_.is_deterministic() ? -1 : timeout);
    if (!clock_.may_act()) continue;
    follow_the_clock();
    consider_traffic();
    deliver();
    for (const auto& server : servers_) server->flush();
    if (clock_.is_deterministic()) settle();
    if (long_halts_ > 0) {
      --long_halts_;
      std::this_thread::sleep_for(kLongHalt);
    }
    clock_.go_on();
  }
}

void GuestServer::see(const MmioBus::BusAccess& access) {
  ++tally_.accesses;
  message_out_ = false;
  if (!access.is_write) return;
  written_ = true;
  const Duration now = clock_.now();
  const bool handled = is_held() || now - last_interrupt_ <= kHandler;
  using Writer = PerfExpectations::Writer;
  expectations_.register_written(handled ? Writer::unknown : Writer::perf, now - last_write_ >= kQuiet);
  last_write_ = now;
}

void GuestServer::look(int timeout_ms) {
  std::vector<pollfd> files;
  for (const auto& server : servers_) server->add_to(files);
  // One poll() finds what perf's wrapper said before an access or a halt together with that. hear_perf() comes first.
  clock_.add_to(files);
  const std::size_t first_own = files.size();
  files.push_back({perf_ ? perf_.get() : perf_listener_.get(), POLLIN, 0});
  files.push_back({options_.stop, POLLIN, 0});
  if (poll(files.data(), files.size(), timeout_ms) <= 0) return;
  if (files[first_own].revents != 0) hear_perf();
  if (files[first_own + 1].revents != 0) stopped_ = true;
  for (std::size_t i = 0; i < first_own; ++i) {
    for (const auto& server : servers_) server->serve(files[i]);
    clock_.serve(files[i]);
    // Deliver after each access: a handler's interrupt waits no longer than one access takes.
    deliver();
  }
}

void GuestServer::hear_perf() {
  if (!perf_) {
    perf_ = process::Descriptor(accept4(perf_listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    return;
  }
  // Read everything: an access that came later may be served next.
  while (true) {
    std::array<char, 4096> bytes;
    const ssize_t size = recv(perf_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) perf_.reset();
    if (size <= 0) return;
    const bool counted = expectations_.is_counting();
    expectations_.hear({bytes.data(), static_cast<std::size_t>(size)});
    if (!counted && expectations_.is_counting()) written_ = false;
  }
}

void GuestServer::write_control(std::uint64_t offset, std::uint32_t value) {
  if (offset == control_page::kTraffic && value == 1) begin_traffic();
  if (offset == control_page::kPhase) note(fmt::format("phase {}", value));
  // Simulated time ends here, because the time QEMU takes to turn the machine off differs.
  if (offset != control_page::kPhase || !clock_.is_deterministic()) return;
  if (value == control_page::kMoreCpus) long_halts_ = kLongHalts;
  if (value == control_page::kDone) is_over_ = true;
}

std::uint32_t GuestServer::read_control(std::uint64_t offset) const {
  switch (offset) {
    case control_page::kMagic:
      return Aperture::kMagic;
    case control_page::kVersion:
      return Aperture::kVersion;
    case control_page::kTraffic:
      return static_cast<std::uint32_t>(expectations_.traffic());
    case control_page::kPhase:
      return long_halts_;
    default:
      return 0;
  }
}

void GuestServer::consider_traffic() {
  if (expectations_.traffic() == Traffic::under_way && machine_.traffic_is_over()) {
    expectations_.end_traffic();
    tally_.traffic_ended = true;
    note(fmt::format("the traffic has ended, at {} ps", simulated_time()));
  }
  if (!expectations_.is_counting() || !written_ || clock_.now() - last_write_ < kQuiet) return;
  if (expectations_.traffic() == Traffic::not_begun) begin_traffic();
  expectations_.all_open();
}

void GuestServer::begin_traffic() {
  if (expectations_.traffic() != Traffic::not_begun) return;
  note(fmt::format("the traffic begins, at {} ps", simulated_time()));
  expectations_.begin_traffic();
  slice_.restart();
  machine_.start_traffic();
}

Picoseconds GuestServer::time_by_the_clock() const {
  using Nanoseconds = std::chrono::duration<double, std::nano>;
  constexpr double kPicoseconds = 1000.0;
  constexpr double kLongest = 9e18;  // below half of the largest value: the sum does not overflow
  return simulated_begin_ + static_cast<Picoseconds>(std::min(
                                Nanoseconds(followed_).count() * kPicoseconds * options_.time_scale, kLongest));
}

Picoseconds GuestServer::behind_the_clock() const {
  const Picoseconds target = time_by_the_clock();
  return target > simulated_time() ? target - simulated_time() : 0;
}

bool GuestServer::is_held() const { return message_out_ || interrupts_.any_high(); }

void GuestServer::follow_the_clock() {
  const Duration now = clock_.now();
  if (!is_held()) held_since_ = now;
  if (now - held_since_ > kPatience) message_out_ = false;
  const bool held = is_held() && now - held_since_ <= kPatience;
  if (!held && !is_over_) followed_ += now - last_look_;
  last_look_ = now;
  // Accesses take simulated time. At a small scale this can be more than the clock shows. Traffic does not stand still
  // meanwhile.
  if (simulated_time() > time_by_the_clock()) simulated_begin_ += simulated_time() - time_by_the_clock();
  if (is_held()) last_interrupt_ = now;
  const Picoseconds behind = held ? 0 : behind_the_clock();
  if (behind == 0) return;
  // Simulate at most up to the next interrupt, which must be sent first.
  if (clock_.is_deterministic()) {
    sc_core::wait(to_sc_time(behind), interrupts_.raised() | message_sent_);
    return;
  }
  const Picoseconds begin = simulated_time();
  sc_core::wait(to_sc_time(std::min(slice_.length(), behind)), interrupts_.raised() | message_sent_);
  slice_.learn(simulated_time() - begin, clock_.now() - now);
}

void GuestServer::deliver() {
  if (!clock_.may_act()) return;
  interrupts_.deliver(soc_.bus_master(), static_cast<std::uint64_t>(clock_.now().count()));
  for (const std::uint32_t data : std::exchange(messages_, {})) {
    signalled_ =
        std::ranges::any_of(functions_, [data](PciFunction& function) { return function.message(data); }) || signalled_;
  }
}

void GuestServer::settle() {
  // QEMU notices a signalled descriptor in this turn of its main loop or the next. Each write takes a turn. These
  // writes change nothing: there is no register after the doorbell.
  constexpr unsigned kTurns = 3;
  constexpr std::uint64_t kNoRegister = qemu_virt::kMessageDoorbell + 4;
  const auto is_waiting = [](const auto& server) { return server->unanswered_writes() > 0; };
  unsigned turns = std::exchange(signalled_, false) ? kTurns : 0;
  while (!stopped_) {
    if (std::ranges::any_of(servers_, is_waiting)) {
      look(-1);
    } else if (turns > 0 && soc_.bus_master() != nullptr) {
      --turns;
      soc_.bus_master()->write_memory(kNoRegister, std::array<std::uint8_t, 4>{});
      for (const auto& server : servers_) server->flush();
    } else {
      return;
    }
  }
}

void GuestServer::note(const std::string& text) const {
  if (options_.log) std::fputs(("pmufab: " + text + "\n").c_str(), stderr);
}

}  // namespace pmufab::guest
