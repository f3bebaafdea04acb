#include "testbench/scoreboard/tegra410_judge.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "testbench/scoreboard/cmem_judge.h"
#include "testbench/scoreboard/exact_clock.h"
#include "testbench/scoreboard/memory_wires.h"
#include "testbench/scoreboard/reference_ucf.h"
#include "testbench/scoreboard/ucf_judge.h"

namespace pmufab::scoreboard {

using Severity = Finding::Severity;

namespace {

constexpr std::size_t kMemoryClasses = 3;

Tegra410JudgeSpec valid(Tegra410JudgeSpec spec) {
  spec.validate();
  return spec;
}

}  // namespace

struct Tegra410Judge::State {
  State(Tegra410JudgeSpec s, Chronicle& c)
      : spec(valid(std::move(s))),
        chronicle(c),
        clock(spec.ucf_frequency_hz),
        reference(spec),
        wires(spec, chronicle.findings),
        memory(std::size_t{spec.sockets} * kMemoryClasses),
        last_accepted(spec.sockets) {
    for (unsigned socket = 0; socket < spec.sockets; ++socket)
      timelines.emplace_back(clock, spec.cmem_instances, spec.cmem_controllers);
    for (const UcfPmuSpec& pmu : spec.ucf_pmus) pmus.push_back(std::make_unique<UcfPmuJudge>(pmu, reference, clock));
    for (const CmemPmuSpec& pmu : spec.cmem_pmus)
      pmus.push_back(std::make_unique<CmemPmuJudge>(pmu, timelines[pmu.socket], clock));
  }

  void check_order(const Request& request);

  const Tegra410JudgeSpec spec;
  Chronicle& chronicle;
  ExactClock clock;
  ReferenceUcf reference;
  MemoryWires wires;
  std::deque<CmemTimeline> timelines;  // deque: judges keep references
  std::vector<std::unique_ptr<PmuJudge>> pmus;
  std::vector<MemoryTruth> memory;  // by socket and class
  std::vector<Picoseconds> last_accepted;
};

void Tegra410Judge::State::check_order(const Request& request) {
  if (request.when < chronicle.last_control) {
    chronicle.findings.add(Severity::note, "order_of_time",
                           fmt::format("a request of {} ps was accepted after a control register was written at {} ps",
                                       request.when, chronicle.last_control),
                           request.when);
  }
  chronicle.last_traffic = std::max(chronicle.last_traffic, request.when);
  if (request.accepting_socket >= last_accepted.size()) return;
  Picoseconds& last = last_accepted[request.accepting_socket];
  if (request.when < last) {
    chronicle.findings.add(Severity::note, "acceptance_order",
                           fmt::format("socket {} accepted a request of {} ps after one of {} ps",
                                       request.accepting_socket, request.when, last),
                           request.when);
  }
  last = std::max(last, request.when);
}

Tegra410Judge::Tegra410Judge(Tegra410JudgeSpec spec, Chronicle& chronicle)
    : state_(std::make_unique<State>(std::move(spec), chronicle)) {}

Tegra410Judge::~Tegra410Judge() = default;

void Tegra410Judge::on_request(const Request& request) {
  State& s = *state_;
  s.chronicle.see(request.when);
  s.check_order(request);
  const ReferenceUcf::Outcome& outcome = s.reference.accept(request);
  if (outcome.refused) {
    s.chronicle.findings.add(Severity::failure, "request_must_be_refused",
                             fmt::format("{} of {} bytes at {:#x} was accepted: {}", to_string(request.opcode),
                                         request.length, request.address, *outcome.refused),
                             request.when);
    return;
  }
  for (const MemoryOp& op : outcome.memory) s.wires.expect(op, request.when);
}

void Tegra410Judge::on_memory_access(const MemoryAccess& access) {
  State& s = *state_;
  s.wires.see(access);
  const MemoryRange* const home = s.spec.home_of(access.address);
  if (home == nullptr || home->socket != access.socket) return;  // left over in `wires`, and reported there
  const std::uint64_t parts = parts_of(access.length);
  MemoryTruth& truth = s.memory[access.socket * kMemoryClasses + static_cast<std::size_t>(home->memory_class)];
  if (access.is_write) {
    ++truth.writes;
    truth.write_bytes += access.length;
    return;
  }
  ++truth.reads;
  truth.read_bytes += access.length;
  truth.read_parts += parts;
  truth.mean_read_latency_ps.numerator += parts * (access.end - access.start);
  truth.mean_read_latency_ps.denominator += parts;
  if (home->memory_class == MemoryClass::cmem)
    s.timelines[access.socket].add(access.start, access.end, parts, cmem_controller(s.spec, access.address));
}

std::vector<PmuJudge*> Tegra410Judge::pmus() {
  std::vector<PmuJudge*> all;
  for (const auto& pmu : state_->pmus) all.push_back(pmu.get());
  return all;
}

void Tegra410Judge::finish() { state_->wires.finish(); }

const UcfTally& Tegra410Judge::tally(unsigned socket) const { return state_->reference.tally(socket); }

MemoryTruth Tegra410Judge::memory_truth(unsigned socket, MemoryClass memory_class) const {
  return state_->memory.at(socket * kMemoryClasses + static_cast<std::size_t>(memory_class));
}

}  // namespace pmufab::scoreboard
