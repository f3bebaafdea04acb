// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/harness.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tlm/registers/register_bank.h"

namespace pmufab::fuzz {

namespace {

constexpr std::uint8_t kGuard = 0xa5;
constexpr unsigned kGuardBytes = 16;

bool is_defined(tlm::tlm_response_status status) {
  return status == tlm::TLM_OK_RESPONSE || status == tlm::TLM_ADDRESS_ERROR_RESPONSE ||
         status == tlm::TLM_COMMAND_ERROR_RESPONSE || status == tlm::TLM_BURST_ERROR_RESPONSE ||
         status == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

std::uint64_t number(const std::array<std::uint8_t, Operation::kMostBytes>& data, unsigned length) {
  std::uint64_t value = 0;
  std::memcpy(&value, data.data(), std::min<std::size_t>(length, sizeof value));
  return value;
}

}  // namespace

std::string Harness::unexpected_report_;

bool Peek::get(std::uint64_t address, unsigned length, std::uint64_t& value) const {
  static tlm::tlm_generic_payload payload;  // constructing one takes longer than a read
  value = 0;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  return bus_->socket.get_base_export()->transport_dbg(payload) == length;
}

std::uint64_t Peek::operator()(std::uint64_t address, unsigned length) const {
  std::uint64_t value = 0;
  require(get(address, length, value),
          [&] { return fmt::format("debug transport does not read {} bytes at {:#x}", length, address); });
  return value;
}

Harness::Harness(const sc_core::sc_module_name& name, Machine& machine)
    : sc_core::sc_module(name), machine_(machine), socket_("socket"), start_("start") {
  socket_.bind(machine.bus().socket);
  windows_ = machine.bus().windows();
  sc_core::sc_report_handler::set_handler(&Harness::on_report);
  sc_core::sc_spawn_options options;
  options.set_stack_size(1 << 20);  // sanitizers need more than SystemC's default
  sc_core::sc_spawn([this] { story(); }, "story", &options);
}

Harness::~Harness() { sc_core::sc_report_handler::set_handler(nullptr); }

void Harness::on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_INFO) return;
  const std::string_view kind = report.get_msg_type();
  const bool guest = kind == kGuestErrorReport || kind == kLostWriteReport;
  if (report.get_severity() == sc_core::SC_WARNING && guest) return;
  if (unexpected_report_.empty()) unexpected_report_ = fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

void Harness::run(std::span<const std::uint8_t> input) {
  input_ = input;
  finished_ = false;
  failure_.reset();
  unexpected_report_.clear();
  if (started_) start_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
  if (failure_) throw Violation(*failure_);
  require(unexpected_report_.empty(), [] { return "a report that is no guest error: " + unexpected_report_; });
  require(finished_, "the simulation ended before the input did");
}

void Harness::story() {
  // The loop never ends. If the compiler knew, it would emit a call to AddressSanitizer, which does not know this
  // stack.
  while (machine_.bus().name() != nullptr) {
    try {
      play();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    finished_ = true;
    sc_core::sc_pause();
    sc_core::wait(start_);
  }
}

void Harness::play() {
  if (!std::exchange(started_, true)) reset();
  OperationReader reader(input_);
  for (unsigned count = 0; count < kMostOperations; ++count) {
    const std::optional<Operation> operation = reader.next();
    if (!operation) break;
    effect_ = {};
    if (tells_) {
      fmt::print(stderr, "{:>12} ps: kind {} argument {} place {} choice {} duration {}\n", simulated_time() % kEpoch,
                 static_cast<int>(operation->kind), operation->argument, operation->place, operation->choice,
                 operation->duration);
    }
    perform(*operation);
    effect_.when = simulated_time();
    // Effects ahead of simulated time are checked only when their time has come, and then all at once.
    effect_.may_reset |= std::exchange(unseen_, ahead_ != 0);
    if (ahead_ == 0) machine_.check(effect_);
  }
  effect_ = {};
  effect_.may_reset = ahead_ != 0;
  settle();
  const Picoseconds limit = simulated_time() + kLongestDrain;
  while (!machine_.idle()) {
    require(simulated_time() < limit, "what was begun does not end");
    pass(1'000'000);
  }
  effect_.when = simulated_time();
  machine_.check(effect_);
  machine_.check_end();
  reset();
}

void Harness::reset() {
  // Long enough for memory to close its rows and enter self refresh.
  pass(2 * kEpoch - simulated_time() % kEpoch);
  machine_.reset();
  machine_.check_reset();
}

void Harness::pass(Picoseconds duration) { sc_core::wait(to_sc_time(duration)); }

void Harness::settle() {
  if (ahead_ != 0) pass(std::exchange(ahead_, 0));
}

void Harness::perform(const Operation& operation) {
  const std::vector<std::uint64_t>& places = machine_.places();
  const auto place = [&] { return places[operation.place % places.size()] + operation.offset; };
  switch (operation.kind) {
    case Operation::Kind::write_place:
    case Operation::Kind::write_bit:
      return write(place(), operation.length, operation.data);
    case Operation::Kind::read_place:
      return read(place(), operation.length);
    case Operation::Kind::write_window:
      return write(address_in_window(operation), operation.length, operation.data);
    case Operation::Kind::read_window:
      return read(address_in_window(operation), operation.length);
    case Operation::Kind::advance:
      settle();
      return pass(operation.duration);
    case Operation::Kind::activity:
      settle();
      return machine_.act(operation.argument, operation.place, operation.choice);
    case Operation::Kind::special:
      return special(operation);
  }
}

void Harness::special(const Operation& operation) {
  const std::vector<std::uint64_t>& places = machine_.places();
  Access access{.address = places[operation.place % places.size()], .length = 1U << operation.choice % 4};
  switch (operation.argument) {
    case 0:
      settle();
      effect_.may_reset = true;
      return machine_.reset();
    case 1:
      access.command = tlm::TLM_IGNORE_COMMAND;
      break;
    case 2:
      access.byte_enables = true;
      break;
    case 3:
      access.streaming_width = std::max(1U, access.length / 2);
      break;
    case 4:
    case 5:
      // Writes of no bytes, and of more bytes than a bus master uses.
      access.command = tlm::TLM_WRITE_COMMAND;
      access.length = operation.argument == 4 ? 0 : Operation::kMostBytes - kGuardBytes;
      break;
    default:
      ahead_ += std::uint64_t{operation.choice} << operation.argument % 16;
      return;
  }
  effect_.may_reset = access.command == tlm::TLM_WRITE_COMMAND && machine_.resets(access.address);
  const bool refused = transport(access) != tlm::TLM_OK_RESPONSE;
  // A refused access must have no effect.
  effect_.is_write = !refused && access.command == tlm::TLM_WRITE_COMMAND;
  effect_.address = access.address;
  effect_.length = access.length;
}

std::uint64_t Harness::address_in_window(const Operation& operation) const {
  const MmioBus::Window& window = windows_[operation.place % windows_.size()];
  // A few bytes before and after the window are tried too.
  const std::uint64_t span = window.size + 64;
  return window.base - 32 + operation.offset % span;
}

void Harness::read(std::uint64_t address, unsigned length) {
  Access first{.address = address, .length = length};
  Access second = first;
  const tlm::tlm_response_status status = transport(first);
  const tlm::tlm_response_status again = transport(second);
  require(status == again && first.data == second.data, [&] {
    return fmt::format("two reads of {} bytes at {:#x} differ: {} {:#x}, {} {:#x}", length, address,
                       static_cast<int>(status), number(first.data, length), static_cast<int>(again),
                       number(second.data, length));
  });
  if (status != tlm::TLM_OK_RESPONSE || length == 0 || length > 8 || ahead_ != 0) return;
  std::uint64_t seen = 0;
  const std::uint64_t value = number(first.data, length);
  const std::uint64_t ones = length == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * length) - 1;
  // All ones may mean no device, as PCI Express answers, while debug transport sees the device behind.
  if (value == ones || !Peek(machine_.bus()).get(address, length, seen)) return;
  require(seen == value, [&] {
    return fmt::format("a read of {} bytes at {:#x} is {:#x}, debug transport has {:#x}", length, address, value, seen);
  });
}

void Harness::write(std::uint64_t address, unsigned length,
                    const std::array<std::uint8_t, Operation::kMostBytes>& data) {
  Access access{.command = tlm::TLM_WRITE_COMMAND, .address = address, .length = length, .data = data};
  const bool may_reset = machine_.resets(address);
  effect_.is_write = transport(access) == tlm::TLM_OK_RESPONSE;
  effect_.address = address;
  effect_.length = length;
  effect_.data = number(data, length);
  effect_.may_reset = may_reset;
}

tlm::tlm_response_status Harness::transport(Access& access) {
  std::array<std::uint8_t, Operation::kMostBytes + kGuardBytes> buffer;
  buffer.fill(kGuard);
  const bool is_write = access.command == tlm::TLM_WRITE_COMMAND;
  if (is_write) std::copy_n(access.data.begin(), access.length, buffer.begin());
  std::uint8_t enables = 0xff;
  tlm::tlm_generic_payload payload;
  payload.set_command(access.command);
  payload.set_address(access.address);
  payload.set_data_ptr(buffer.data());
  payload.set_data_length(access.length);
  payload.set_streaming_width(access.streaming_width != 0 ? access.streaming_width : access.length);
  if (access.byte_enables) {
    payload.set_byte_enable_ptr(&enables);
    payload.set_byte_enable_length(1);
  }
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = to_sc_time(ahead_);
  const Picoseconds before = simulated_time();
  socket_->b_transport(payload, delay);

  const auto where = [&](const char* what) {
    return [&access, what] {
      return fmt::format("{}: command {} of {} bytes at {:#x}", what, static_cast<int>(access.command), access.length,
                         access.address);
    };
  };
  const tlm::tlm_response_status status = payload.get_response_status();
  if (tells_) {
    std::uint64_t shown = 0;
    std::memcpy(&shown, buffer.data(), std::min<std::size_t>(access.length, sizeof shown));
    fmt::print(stderr, "{:>12} ps: {} of {} bytes at {:#x}: {:#x}, response {}\n", simulated_time() % kEpoch + ahead_,
               is_write ? "write" : "read", access.length, access.address, shown, static_cast<int>(status));
  }
  require(is_defined(status), where("an access does not end with a response it may have"));
  require(simulated_time() == before, where("an access waits"));
  const Picoseconds end = to_picoseconds(delay);
  require(end >= ahead_ && end - ahead_ <= kLongestAccess, where("an access takes too long"));
  require(payload.get_address() == access.address, where("an access changes its address"));
  require(payload.get_data_length() == access.length, where("an access changes its length"));
  require(!payload.is_dmi_allowed(), where("an access offers DMI"));
  const auto guarded = buffer.begin() + access.length;
  require(std::all_of(guarded, buffer.end(), [](std::uint8_t byte) { return byte == kGuard; }),
          where("an access writes behind its data"));
  if (is_write) {
    require(std::equal(access.data.begin(), access.data.begin() + access.length, buffer.begin()),
            where("a write changes its data"));
  } else {
    if (status != tlm::TLM_OK_RESPONSE) {
      require(std::all_of(buffer.begin(), buffer.end(), [](std::uint8_t byte) { return byte == kGuard; }),
              where("a refused access returns data"));
    }
    std::copy_n(buffer.begin(), access.length, access.data.begin());
  }
  return status;
}

}  // namespace pmufab::fuzz
