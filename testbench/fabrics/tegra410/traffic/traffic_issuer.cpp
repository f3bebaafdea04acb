// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/traffic/traffic_issuer.h"

#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace pmufab::traffic {
namespace {

constexpr char kReport[] = "pmufab/traffic";

/// Most deltas a request waits for other activity at its time. Anything that needs more is in a loop.
constexpr unsigned kMaximumDeferrals = 64;

constexpr std::array<tlm::tlm_command, kFabricOpcodeCount> kCommands = {
    tlm::TLM_READ_COMMAND,   tlm::TLM_READ_COMMAND,  tlm::TLM_READ_COMMAND,   tlm::TLM_WRITE_COMMAND,
    tlm::TLM_WRITE_COMMAND,  tlm::TLM_WRITE_COMMAND, tlm::TLM_IGNORE_COMMAND, tlm::TLM_IGNORE_COMMAND,
    tlm::TLM_IGNORE_COMMAND, tlm::TLM_WRITE_COMMAND};

}  // namespace

struct TrafficIssuer::Outlet {
  Outlet(const RequesterSpec& requester, tlm_utils::simple_initiator_socket_optional<TrafficIssuer, 64>& socket_used)
      : socket(&socket_used) {
    extension.requester = requester.kind;
    extension.socket = requester.socket;
    extension.root_port = requester.root_port;
    extension.root_complex = requester.root_complex;
    extension.qos = requester.qos;
    extension.requester_id = requester.id;
    extension.bdf = requester.bdf;
    payload.set_extension(&extension);
    payload.set_data_ptr(nullptr);
    payload.set_byte_enable_ptr(nullptr);
  }
  // The extension is a member, so the payload must not delete it.
  ~Outlet() { payload.clear_extension(&extension); }
  Outlet& operator=(Outlet&&) = delete;

  tlm_utils::simple_initiator_socket_optional<TrafficIssuer, 64>* socket;
  FabricExtension extension;
  tlm::tlm_generic_payload payload;
};

TrafficIssuer::TrafficIssuer(const sc_core::sc_module_name& name, const TrafficSpec& spec,
                             const std::vector<MemoryRange>& map, unsigned sockets)
    : TrafficIssuer(name, spec, map, sockets, Options{}) {}

TrafficIssuer::TrafficIssuer(const sc_core::sc_module_name& name, const TrafficSpec& spec,
                             const std::vector<MemoryRange>& map, unsigned sockets, Options options)
    : sc_module(name),
      cpu_access("cpu_access", sockets),
      requests("requests", sockets),
      options_(std::move(options)),
      until_progress_(std::max<std::uint64_t>(1, options_.progress_every)),
      context_(sc_core::sc_get_curr_simcontext()),
      wake_event_("wake"),
      done_event_("done") {
  std::vector<std::unique_ptr<Producer>> producers = make_producers(spec, map, sockets);
  lanes_.reserve(producers.size());
  for (std::size_t i = 0; i < producers.size(); ++i) {
    lanes_.emplace_back(std::move(producers[i]), spec.generators[i].name);
    const Producer& producer = lanes_.back().producer();
    expected_ += producer.expected();
    auto& outlets = outlets_.emplace_back();
    for (const RequesterSpec& requester : producer.requesters()) {
      auto& way = spec.generators[i].path == Path::cached ? cpu_access : requests;
      outlets.push_back(std::make_unique<Outlet>(requester, way[requester.socket]));
    }
    if (lanes_.back().next_time() != kNever)
      heap_.push_back({lanes_.back().next_time(), static_cast<std::uint32_t>(i)});
  }
  std::sort(heap_.begin(), heap_.end());  // a sorted array is a heap

  SC_HAS_PROCESS(TrafficIssuer);
  SC_METHOD(run);
  sensitive << wake_event_;
  dont_initialize();
}

TrafficIssuer::~TrafficIssuer() = default;

void TrafficIssuer::end_of_elaboration() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    for (const auto& outlet : outlets_[i]) {
      if (outlet->socket->size() != 0) continue;
      SC_REPORT_ERROR(kReport, fmt::format("{} is not bound, but generator \"{}\" uses it", outlet->socket->name(),
                                           lanes_[i].statistics().name)
                                   .c_str());
    }
  }
}

void TrafficIssuer::start() {
  if (state_ != State::idle) throw std::logic_error("TrafficIssuer::start(): started before");
  state_ = State::running;
  start_ = to_picoseconds(sc_core::sc_time_stamp());
  wake_event_.notify(sc_core::SC_ZERO_TIME);
}

void TrafficIssuer::stop() {
  if (state_ == State::running) {
    wake_event_.cancel();
    end();
  } else if (state_ == State::idle) {
    state_ = State::ended;
    end_ = to_picoseconds(sc_core::sc_time_stamp());
    done_event_.notify(sc_core::SC_ZERO_TIME);
  }
}

void TrafficIssuer::end() {
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  state_ = State::ended;
  end_ = now;
  for (const Lane& lane : lanes_) end_ = std::max(end_, start_ + lane.statistics().last_completion);
  done_event_.notify(to_sc_time(end_ - now));
}

bool TrafficIssuer::done() const noexcept {
  return state_ == State::ended && to_picoseconds(sc_core::sc_time_stamp()) >= end_;
}

std::vector<GeneratorStatistics> TrafficIssuer::statistics() const {
  std::vector<GeneratorStatistics> all;
  for (const Lane& lane : lanes_) {
    all.push_back(lane.statistics());
    if (all.back().issued != 0) all.back().last_completion += start_;
  }
  return all;
}

void TrafficIssuer::run() {
  if (state_ != State::running) return;
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  while (!heap_.empty()) {
    const Picoseconds when = start_ + heap_.front().when;
    if (!may_send(when, now)) return;
    send(when, now);
  }
  end();
}

bool TrafficIssuer::may_send(Picoseconds when, Picoseconds now) {
  const Picoseconds ahead = when - now;
  if (ahead == 0) {
    // Everything else at this instant goes first: an access to a register at T acts before a request at T.
    if (!sc_core::sc_pending_activity_at_current_time(context_) || deferrals_ == kMaximumDeferrals) return true;
    ++deferrals_;
    wake_event_.notify(sc_core::SC_ZERO_TIME);
    return false;
  }
  deferrals_ = 0;
  if (ahead < options_.run_ahead && ahead < to_picoseconds(sc_core::sc_time_to_pending_activity(context_))) return true;
  wake_event_.notify(to_sc_time(ahead));
  return false;
}

void TrafficIssuer::send(Picoseconds when, Picoseconds now) {
  Lane& lane = lanes_[heap_.front().lane];
  const Request& request = lane.request();
  Outlet& outlet = *outlets_[heap_.front().lane][request.requester];
  tlm::tlm_generic_payload& payload = outlet.payload;
  outlet.extension.opcode = request.opcode;
  payload.set_command(kCommands[static_cast<std::size_t>(request.opcode)]);
  payload.set_address(request.address);
  payload.set_data_length(request.length);
  payload.set_streaming_width(request.length);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = to_sc_time(when - now);
  (*outlet.socket)->b_transport(payload, delay);

  const bool failed = payload.get_response_status() != tlm::TLM_OK_RESPONSE;
  if (failed && lane.statistics().errors == 0) [[unlikely]]
    report_error(lane, outlet);
  lane.sent(now + to_picoseconds(delay) - start_, failed);
  ++issued_;
  settle();
  if (--until_progress_ == 0) [[unlikely]] {
    until_progress_ = std::max<std::uint64_t>(1, options_.progress_every);
    if (options_.progress) options_.progress({issued_, expected_, when});
  }
}

void TrafficIssuer::settle() {
  // The top lane has a later time now, or none: move it to its place.
  Entry entry{lanes_[heap_.front().lane].next_time(), heap_.front().lane};
  if (entry.when == kNever) {
    entry = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
  }
  std::size_t place = 0;
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < entry)) break;
    heap_[place] = heap_[child];
    place = child;
  }
  heap_[place] = entry;
}

void TrafficIssuer::report_error(const Lane& lane, const Outlet& outlet) {
  const tlm::tlm_generic_payload& payload = outlet.payload;
  SC_REPORT_WARNING(kReport,
                    fmt::format("generator \"{}\": {} of {} bytes at 0x{:x} was answered with {}; further "
                                "errors of this generator are counted only",
                                lane.statistics().name, to_string(outlet.extension.opcode), payload.get_data_length(),
                                payload.get_address(), payload.get_response_string())
                        .c_str());
}

}  // namespace pmufab::traffic
