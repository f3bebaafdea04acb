// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/scenario/cxl_fabric.h"

#include <algorithm>
#include <array>
#include <exception>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/cxl/part/cxl_part.h"
#include "models/cxl/part/cxl_spec.h"
#include "testbench/fabrics/cxl/judge/cxl_judge.h"
#include "testbench/fabrics/cxl/judge/wires/cxl_wires.h"
#include "testbench/fabrics/cxl/scenario/judge_spec.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

bool overlap(const traffic::CxlRange& range, const platform::CxlDecoderSpec& decoder) {
  return range.base < decoder.base + decoder.size && decoder.base < range.base + range.size;
}

/// The root ports traffic may use: that of its device, and those of the devices whose memory it goes to.
std::set<unsigned> roots_reached(const traffic::CxlTrafficSpec& spec,
                                 const std::vector<platform::CxlDevicePlace>& devices) {
  std::set<unsigned> roots{devices[spec.device].root};
  for (const traffic::CxlRange& range : spec.ranges) {
    for (const platform::CxlDevicePlace& device : devices) {
      for (const platform::CxlDecoderSpec& decoder : device.spec->decoders) {
        if (overlap(range, decoder)) roots.insert(device.root);
      }
    }
  }
  return roots;
}

// Tags tell apart what is under way.
constexpr unsigned kMostOperations = 16384;

/// @return a time longer than anything on the way may rest: 10 ms plus the configured waiting time of the devices'
///         memory.
Picoseconds patience_of(const std::vector<platform::CxlDeviceSpec>& branches) {
  Picoseconds longest = 0;
  for (const platform::CxlDevicePlace& device : platform::devices_of(branches)) {
    const cxl::DdrParameters& ddr = device.spec->memory.ddr;
    Picoseconds waits = ddr.retries.any() ? ddr.retries.delay : 0;
    for (const cxl::DdrThrottle& throttle : {ddr.thermal, ddr.power})
      waits += throttle.accesses > 0 ? throttle.pause : 0;
    longest = std::max(longest, waits);
  }
  return 10'000'000'000 + longest;
}

template <typename Traffic>
Json report_of(const Traffic& traffic) {
  Json item;
  item["name"] = traffic.name();
  item["issued"] = traffic.begun();
  item["completed"] = traffic.completed();
  item["mean_latency_ps"] = traffic.completed() == 0 ? 0 : traffic.latencies().sum() / traffic.completed();
  item["latency_ps"] = to_json(traffic.latencies());
  return item;
}

template <typename Traffic>
void add_operations(const Traffic& traffic, std::vector<Gauge>& gauges) {
  const Traffic* const one = &traffic;
  gauges.push_back({fmt::format("cxl_traffic.{}.operations", one->name()), true, [one] { return one->begun(); }});
  gauges.push_back({fmt::format("cxl_traffic.{}.outstanding", one->name()), false,
                    [one] { return one->begun() - one->completed(); }});
}

/// A part of the fabric that operations share.
struct Resource {
  std::string name;  // "": none
  double used = 0;   // picoseconds
  Picoseconds waited = 0;

  template <typename Name>
  void replace_if_busier(double other_used, Picoseconds other_waited, Name name_of) {
    if (other_used <= used) return;
    name = name_of();
    used = other_used;
    waited = other_waited;
  }
};

/// A lane takes so many messages at each edge, and no more than its credits allow in a journey there and back.
void look_at(const cxl::Link& link, unsigned lane, Resource& busiest) {
  const cxl::Link::Load load = link.load(static_cast<cxl::MessageClass>(lane));
  const cxl::LinkLane& limits = link.parameters().lanes[lane];
  const double most_by_edges = static_cast<double>(limits.per_clock) / static_cast<double>(link.parameters().period);
  const auto journey = static_cast<double>(2 * link.parameters().latency);
  const double most_by_credits = journey > 0 ? static_cast<double>(limits.credits) / journey : most_by_edges;
  const double used = static_cast<double>(load.messages) / std::min(most_by_edges, most_by_credits);
  busiest.replace_if_busier(used, load.waited, [&] {
    return fmt::format("{}, {}", link.name(), scoreboard::to_string(static_cast<scoreboard::CxlClass>(lane)));
  });
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (unsigned number = 0; number < traffic::kCxlOperations; ++number)
    names.emplace_back(traffic::to_string(static_cast<traffic::CxlOperation>(number)));
  return names;
}

}  // namespace

InputError input_error(const traffic::TraceError& error) {
  if (dynamic_cast<const traffic::TraceWriteError*>(&error) != nullptr) return InputError(error.what());
  const auto* const unknown = dynamic_cast<const traffic::UnknownOperation*>(&error);
  if (unknown == nullptr)
    return InputError(error.what(), "make a trace with pmufab trace record or pmufab trace import");
  const std::vector<std::string> names = operation_names();
  const std::string suggestion = did_you_mean(unknown->name(), names);
  return InputError(error.what(), suggestion.empty() ? "one of " + quoted_list(names, names.size()) : suggestion);
}

/// Writes operations to a trace, from the start of traffic to its end.
class CxlFabric::Recorder final : public traffic::CxlOperationListener {
 public:
  explicit Recorder(const std::string& file) : writer_(file, operation_names()) {}

  void start() { zero_ = to_picoseconds(sc_core::sc_time_stamp()); }
  /// @throws traffic::TraceError or std::system_error if the trace could not be written
  void finish() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (!std::exchange(finished_, true)) writer_.finish();
  }
  void on_operation(Picoseconds now, unsigned device, traffic::CxlOperation operation, std::uint64_t address, bool tee,
                    bool joined) override {
    if (finished_) return;
    try {
      writer_.write(traffic::TraceOperation{.when = now - zero_,
                                            .address = address,
                                            .device = static_cast<std::uint16_t>(device),
                                            .operation = static_cast<std::uint16_t>(operation),
                                            .tee = tee,
                                            .joined = joined});
    } catch (...) {  // a process of the simulation must not end with it
      failure_ = std::current_exception();
      finished_ = true;
    }
  }

 private:
  traffic::TraceWriter writer_;
  Picoseconds zero_ = 0;
  bool finished_ = false;
  std::exception_ptr failure_;
};

CxlFabric::~CxlFabric() = default;

CxlFabric::CxlFabric(const FabricContext& context)
    : part_(context.platform.get<platform::CxlPart>()),
      patience_(patience_of(context.platform.spec().of<platform::CxlSpec>().devices)) {
  const scoreboard::CxlJudgeSpec known = cxl_judge_spec(context.platform.spec());
  auto& judge = context.scoreboard.add(std::make_unique<scoreboard::CxlJudge>(known, context.scoreboard.chronicle()));
  pmus_ = known.pmus;
  service_ = std::make_unique<CpmuService>(context.host, context.platform.firmware(), known.pmus,
                                           context.listener(context.scoreboard), context.has_reference_software);
  if (context.is_judged) listen(judge);
  const std::vector<platform::CxlDevicePlace> devices =
      platform::devices_of(context.platform.spec().of<platform::CxlSpec>().devices);
  const auto& workload = context.workload.of<CxlWorkload>();
  std::vector<unsigned> outstanding(part_.roots());
  for (const traffic::CxlTrafficSpec& spec : workload.operations) {
    const std::string field = fmt::format("cxl_traffic[{}]", traffic_.size());
    if (spec.device >= part_.size())
      throw InputError({}, field + ".device", fmt::format("there is no CXL device {}", spec.device),
                       fmt::format("the platform has {}", part_.size()));
    // Tags tell apart what is under way below a root port.
    for (const unsigned root : roots_reached(spec, devices)) {
      outstanding[root] += spec.outstanding;
      if (outstanding[root] > kMostOperations)
        throw InputError({}, field + ".outstanding",
                         fmt::format("makes {} operations at a time on device {}, with the traffic before it",
                                     outstanding[root], spec.device),
                         fmt::format("use {} at most in all", kMostOperations));
    }
    platform::CxlPart::Device& device = part_.device(spec.device);
    with_input_errors([&] {
      traffic_.push_back(std::make_unique<traffic::CxlTraffic>(
          part_.engine(), traffic::CxlTargets{&device.host, &device.memory, device.cache.get(), &part_.bridge()},
          device.link.parameters().period, spec, field, context.workload.seed));
    });
  }
  make_replays(context, outstanding);
  if (workload.record.empty()) return;
  try {
    recorder_ = std::make_unique<Recorder>(workload.record);
  } catch (const traffic::TraceError& error) {
    throw InputError(error.what());
  }
  for (const auto& traffic : traffic_) traffic->set_listener(recorder_.get());
  for (const auto& replay : replays_) replay->set_listener(recorder_.get());
}

void CxlFabric::listen(scoreboard::CxlJudge& judge) {
  listener_ = std::make_unique<CxlListener>(judge);
  for (const platform::CxlPart::Wire& wire : part_.wires()) {
    listener_->listen(*wire.link);
    const platform::CxlPart::Component& lower = part_.components()[wire.lower];
    if (lower.kind == platform::CxlPart::Kind::device)
      listener_->listen(part_.device(lower.number).memory.ddr(), wire.lower);
  }
}

void CxlFabric::make_replays(const FabricContext& context, const std::vector<unsigned>& outstanding) {
  const std::vector<traffic::CxlReplaySpec>& specs = context.workload.of<CxlWorkload>().replays;
  if (specs.empty()) return;
  // A run's operations find room, as they did when they were recorded.
  const unsigned room =
      (kMostOperations - *std::ranges::max_element(outstanding)) / static_cast<unsigned>(specs.size());
  if (room == 0)
    throw InputError({}, "cxl_traffic", fmt::format("{} replays are too many beside the other traffic", specs.size()),
                     "leave some of it out");
  std::vector<traffic::CxlTargets> targets;
  for (std::size_t index = 0; index < part_.size(); ++index) {
    platform::CxlPart::Device& device = part_.device(index);
    targets.push_back({&device.host, &device.memory, device.cache.get(), &part_.bridge()});
  }
  for (const traffic::CxlReplaySpec& spec : specs) {
    with_input_errors([&] {
      try {
        replays_.push_back(std::make_unique<traffic::CxlReplay>(part_.engine(), targets, spec,
                                                                "cxl_traffic (" + spec.name + ")", room));
      } catch (const traffic::TraceError& error) {
        throw input_error(error);
      }
    });
  }
}

void CxlFabric::start_traffic() {
  began_ = part_.engine().now();
  if (recorder_) recorder_->start();
  for (const auto& replay : replays_) replay->start(to_picoseconds(sc_core::sc_time_stamp()));
  for (const auto& traffic : traffic_) traffic->start(to_picoseconds(sc_core::sc_time_stamp()));
}

void CxlFabric::stop_traffic() {
  for (const auto& traffic : traffic_) traffic->stop();
  for (const auto& replay : replays_) replay->stop();
  if (recorder_) recorder_->finish();
}

/// Many of them begin and end within one delta cycle.
std::uint64_t CxlFabric::operations_ahead() const {
  std::uint64_t operations = 0;
  for (const auto& traffic : traffic_) operations += traffic->begun();
  for (const auto& replay : replays_) operations += replay->begun();
  return operations;
}

bool CxlFabric::traffic_is_over() const {
  const auto has_ended = [](const auto& traffic) { return traffic->ended(); };
  return std::ranges::all_of(traffic_, has_ended) && std::ranges::all_of(replays_, has_ended) && progress().done();
}

void CxlFabric::add_gauges(std::vector<Gauge>& gauges) const {
  for (const auto& traffic : traffic_) add_operations(*traffic, gauges);
  for (const auto& replay : replays_) add_operations(*replay, gauges);
  for (const platform::CxlPart::Wire& wire : part_.wires()) {
    gauges.push_back({fmt::format("{}.messages_under_way", wire.link->name()), false,
                      [link = wire.link] { return link->pending(); }});
  }
  for (std::size_t i = 0; i < part_.size(); ++i) {
    const cxl::MemoryDevice& memory = part_.device(i).memory;
    gauges.push_back({fmt::format("cxl{}.memory.requests", i), false, [&memory] { return memory.pending(); }});
  }
}

void CxlFabric::report_traffic(Json& list) const {
  using Stall = traffic::CxlTraffic::Stall;
  for (const auto& traffic : traffic_) {
    Json item = report_of(*traffic);
    item["stalls"] = {{"outstanding_limit_ps", traffic->stalled(Stall::outstanding)},
                      {"target_ps", traffic->stalled(Stall::target)},
                      {"link_ps", traffic->stalled(Stall::link)},
                      {"idle_ps", traffic->idle()}};
    add_idle_and_loaded(traffic->latencies(), "ps", item);
    list.push_back(std::move(item));
  }
  for (const auto& replay : replays_) {
    Json item = report_of(*replay);
    item["late"] = replay->late();
    list.push_back(std::move(item));
  }
}

void CxlFabric::report_busiest(Json& networks) const {
  const Picoseconds time = part_.engine().now() - began_;
  if (time == 0) return;
  Resource busiest;
  for (const platform::CxlPart::Wire& wire : part_.wires()) {
    for (unsigned lane = 0; lane < cxl::kMessageClasses; ++lane) look_at(*wire.link, lane, busiest);
  }
  for (std::size_t i = 0; i < part_.size(); ++i) {
    const std::vector<cxl::DdrController::Load> loads = part_.device(i).memory.ddr().loads();
    for (std::size_t channel = 0; channel < loads.size(); ++channel)
      busiest.replace_if_busier(static_cast<double>(loads[channel].busy), loads[channel].waited,
                                [&] { return fmt::format("cxl{}, memory channel {}", i, channel); });
  }
  add_busiest("cxl", busiest.name, busiest.used, static_cast<double>(busiest.waited), static_cast<double>(time),
              networks);
}

scoreboard::Injection CxlFabric::injection(const perf::ResolvedEvent& event, unsigned /*unit*/) {
  for (const scoreboard::CxlPmuSpec& pmu : pmus_) {
    if (pmu.name == event.pmu) return cxl_injection(part_, pmu, event.terms);
  }
  return {};
}

DrainProgress CxlFabric::progress() const {
  DrainProgress sum;
  sum.pending = part_.pending();
  return sum;
}

}  // namespace pmufab::scenario
