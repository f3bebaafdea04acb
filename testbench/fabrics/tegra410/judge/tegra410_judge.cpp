// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/c2c_judge.h"
#include "testbench/fabrics/tegra410/judge/cmem_judge.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_judge.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_tgt_judge.h"
#include "testbench/fabrics/tegra410/judge/pcie/root_complex_listener.h"
#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/fabrics/tegra410/judge/ucf_judge.h"
#include "testbench/fabrics/tegra410/judge/wires/c2c_wires.h"
#include "testbench/fabrics/tegra410/judge/wires/memory_wires.h"
#include "testbench/judge/exact_clock.h"
#include "testbench/judge/opcodes.h"

namespace pmufab::scoreboard {

using Severity = Finding::Severity;

namespace {

Tegra410JudgeSpec valid(Tegra410JudgeSpec spec) {
  spec.validate();
  return spec;
}

struct SeenResponse {
  BoundaryObserver::Request request;
  Picoseconds end;
};

}  // namespace

struct Tegra410Judge::State {
  State(Tegra410JudgeSpec s, Chronicle& c)
      : spec(valid(std::move(s))),
        chronicle(c),
        clock(spec.ucf_frequency_hz),
        soc_clock(spec.soc_frequency_hz),
        c2c_clock(spec.c2c_frequency_hz),
        reference(spec),
        wires(spec, chronicle.findings),
        last_accepted(spec.sockets) {
    for (unsigned socket = 0; socket < spec.sockets; ++socket)
      timelines.emplace_back(clock, std::size_t{spec.cmem_instances} * spec.cmem_controllers, spec.slc_latency);
    for (const CoreSightPmuSpec& pmu : spec.coresight_pmus) pmus.push_back(judge_of(pmu));
    for (const CmemPmuSpec& pmu : spec.cmem_pmus)
      pmus.push_back(std::make_unique<CmemPmuJudge>(pmu, timelines[pmu.socket], spec.cmem_controllers, clock));
    std::vector<C2cPmuJudge*> interfaces;
    for (const C2cPmuSpec& pmu : spec.c2c_pmus) {
      auto judge = std::make_unique<C2cPmuJudge>(pmu, c2c_clock, spec.slc_latency);
      interfaces.push_back(judge.get());
      pmus.push_back(std::move(judge));
    }
    c2c.emplace(spec, std::move(interfaces), chronicle.findings);
  }

  /// The judge for a CoreSight PMU of this type.
  std::unique_ptr<PmuJudge> judge_of(const CoreSightPmuSpec& pmu);
  void see_request(const Request& request);
  void see_response(const SeenResponse& seen);
  void see_memory_access(const MemoryAccess& access);
  void see_link_request(const LinkRequest& request) { c2c->see(request); }
  void check_order(const Request& request);
  /// @return the root complex of a device's request, if it has a PMU.
  PcieRequests* inbound_of(const Request& request);
  [[nodiscard]] PcieDestination destination_of(const Request& request) const;
  /// A request goes down to the root complex above `range`.
  void hand_over(const MemoryRange& range, const PcieTgtRequest& request, Picoseconds when) {
    for (PcieTgtPmuJudge* const target : targets) {
      if (target->socket() != range.socket || target->root_complex() != range.root_complex) continue;
      target->see(request);
      for (RootComplexListener* const listener : listeners)
        listener->on_target_request(when, range.socket, range.root_complex, request);
    }
  }

  const Tegra410JudgeSpec spec;
  Chronicle& chronicle;
  ExactClock clock;
  ExactClock soc_clock;
  ExactClock c2c_clock;
  ReferenceUcf reference;
  MemoryWires wires;
  std::deque<RequestTimeline> timelines;                          // deque: judges keep references
  std::map<std::pair<unsigned, unsigned>, PcieRequests> inbound;  // by socket and root complex
  std::vector<std::unique_ptr<PmuJudge>> pmus;
  std::optional<C2cWires> c2c;
  std::vector<PcieTgtPmuJudge*> targets;  // of those
  std::vector<RootComplexListener*> listeners;
  std::vector<Picoseconds> last_accepted;
};

std::unique_ptr<PmuJudge> Tegra410Judge::State::judge_of(const CoreSightPmuSpec& pmu) {
  switch (pmu.type) {
    case CoreSightPmuType::pcie: {
      PcieRequests& requests = inbound.try_emplace({pmu.socket, pmu.root_complex}, soc_clock).first->second;
      return std::make_unique<PciePmuJudge>(pmu, requests, soc_clock);
    }
    case CoreSightPmuType::pcie_tgt: {
      auto judge = std::make_unique<PcieTgtPmuJudge>(pmu, soc_clock);
      targets.push_back(judge.get());
      return judge;
    }
    case CoreSightPmuType::ucf:
      break;
  }
  return std::make_unique<UcfPmuJudge>(pmu, reference, clock);
}

PcieRequests* Tegra410Judge::State::inbound_of(const Request& request) {
  if (request.requester != RequesterKind::pcie) return nullptr;
  const auto found = inbound.find({request.requester_socket, request.root_complex});
  return found == inbound.end() ? nullptr : &found->second;
}

/// The home of the address decides between local and remote, whatever kind of memory it is.
PcieDestination Tegra410Judge::State::destination_of(const Request& request) const {
  const MemoryRange* const home = spec.home_of(request.address);
  if (home == nullptr || home->socket != request.requester_socket) return PcieDestination::rem;
  switch (home->memory_class) {
    case MemoryClass::cmem:
      return PcieDestination::loc_cmem;
    case MemoryClass::gmem:
      return PcieDestination::loc_gmem;
    case MemoryClass::cxl:
      return PcieDestination::loc_pcie_cxl;
    case MemoryClass::bar:
      break;
  }
  return PcieDestination::loc_pcie_p2p;
}

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

void Tegra410Judge::State::see_request(const Request& request) {
  chronicle.see(request.when);
  check_order(request);
  const ReferenceUcf::Outcome& outcome = reference.accept(request);
  if (outcome.refused) {
    chronicle.findings.add(Severity::failure, "request_must_be_refused",
                           fmt::format("{} of {} bytes at {:#x} was accepted: {}", to_string(request.opcode),
                                       request.length, request.address, *outcome.refused),
                           request.when);
    return;
  }
  for (const MemoryOp& op : outcome.memory) {
    wires.expect(op, request.when);
    if (op.memory_class == MemoryClass::cxl)
      hand_over(*spec.home_of(op.address), {op.address, op.length, op.is_write, -1}, request.when);
  }
  if (PcieRequests* const requests = inbound_of(request);
      requests != nullptr && (is_read(request.opcode) || is_write(request.opcode))) {
    requests->accept(request.root_port, request.bdf, destination_of(request), is_read(request.opcode), request.length);
  }
  if (is_dataless(request.opcode)) return;
  const MemoryRange& home = *spec.home_of(request.address);
  if (home.memory_class == MemoryClass::bar)
    hand_over(home,
              {request.address, request.length, !is_read(request.opcode), static_cast<std::int8_t>(home.root_port)},
              request.when);
}

void Tegra410Judge::State::see_response(const SeenResponse& seen) {
  const Request& request = seen.request;
  const Picoseconds end = seen.end;
  c2c->see_answer(request, end);
  if (request.requester == RequesterKind::pcie && (is_read(request.opcode) || is_write(request.opcode))) {
    for (RootComplexListener* const listener : listeners)
      listener->on_device_request({request.when, end, request.requester_socket, request.root_complex, request.root_port,
                                   request.bdf, destination_of(request), is_write(request.opcode), request.length});
  }
  PcieRequests* const requests = inbound_of(request);
  if (requests == nullptr || !is_read(request.opcode)) return;
  requests->answer(request.root_port, request.bdf, destination_of(request), request.when, end);
}

void Tegra410Judge::State::see_memory_access(const MemoryAccess& access) {
  wires.see(access);
  c2c->see(access);
  const MemoryRange* const home = spec.home_of(access.address);
  if (home == nullptr || home->socket != access.socket) return;  // left over in `wires`, and reported there
  if (access.is_write || home->memory_class != MemoryClass::cmem) return;
  timelines[access.socket].add(access.start, access.end, parts_of(access.length),
                               cmem_controller(spec, access.address));
}

Tegra410Judge::Tegra410Judge(Tegra410JudgeSpec spec, Chronicle& chronicle)
    : state_(std::make_unique<State>(std::move(spec), chronicle)) {}

Tegra410Judge::~Tegra410Judge() = default;

void Tegra410Judge::on_request(const Request& request) {
  state_->chronicle.backlog.add<&State::see_request>(*state_, request);
}

void Tegra410Judge::on_response(const Request& request, Picoseconds end) {
  state_->chronicle.backlog.add<&State::see_response>(*state_, SeenResponse{request, end});
}

void Tegra410Judge::on_memory_access(const MemoryAccess& access) {
  state_->chronicle.backlog.add<&State::see_memory_access>(*state_, access);
}

void Tegra410Judge::on_link_request(const LinkRequest& request) {
  state_->chronicle.backlog.add<&State::see_link_request>(*state_, request);
}

void Tegra410Judge::add(RootComplexListener& listener) { state_->listeners.push_back(&listener); }
void Tegra410Judge::remove(const RootComplexListener& listener) { std::erase(state_->listeners, &listener); }

std::vector<PmuJudge*> Tegra410Judge::pmus() {
  std::vector<PmuJudge*> all;
  for (const auto& pmu : state_->pmus) all.push_back(pmu.get());
  return all;
}

void Tegra410Judge::finish() { state_->wires.finish(); }

const UcfTally& Tegra410Judge::tally(unsigned socket) const { return state_->reference.tally(socket); }

}  // namespace pmufab::scoreboard
