// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/producers/synthetic_producer.h"

#include <algorithm>

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kEndless = ~std::uint64_t{0};

}  // namespace

SyntheticProducer::Phase::Phase(const SyntheticProducer& producer, const Plan& plan, Picoseconds base,
                                std::uint64_t seed)
    : random(seed),
      pacer(plan.pacing, plan.burst, base, random),
      mix(plan.mix, plan.sizes, producer.kind_, producer.path_,
          plan.pattern.kind == PatternKind::producer_consumer ? OperationMix::Part::changing : OperationMix::Part::all),
      consumer_mix(plan.mix, plan.sizes, producer.requesters()[plan.consumer].kind, producer.path_,
                   OperationMix::Part::reading),
      left(plan.count.value_or(kEndless)),
      deadline(plan.duration ? base + *plan.duration : kNever),
      block_lines(plan.pattern.block_size / kLineBytes) {
  for (std::size_t i = 0; i < plan.windows.size(); ++i) {
    target.add(i, plan.weights[i]);
    streams.emplace_back(plan.pattern, plan.windows[i], random);
  }
}

std::vector<RequesterSpec> SyntheticProducer::requesters_of(const GeneratorSpec& spec) {
  std::vector<RequesterSpec> requesters = {spec.requester};
  const auto add = [&](const PatternSpec& pattern, std::size_t phase) {
    if (pattern.kind != PatternKind::producer_consumer) return;
    if (std::find(requesters.begin(), requesters.end(), *pattern.consumer) != requesters.end()) return;
    if (requesters.size() > 255)
      throw SpecError("phases[" + std::to_string(phase) + "].pattern.consumer",
                      "generator \"" + spec.name + "\" has more than 255 different consumers",
                      "use several generators");
    requesters.push_back(*pattern.consumer);
  };
  add(spec.pattern, 0);
  for (std::size_t i = 0; i < spec.phases.size(); ++i) {
    if (spec.phases[i].pattern) add(*spec.phases[i].pattern, i);
  }
  return requesters;
}

void SyntheticProducer::add_plan(const GeneratorSpec& spec, const PhaseSpec& phase,
                                 const std::vector<MemoryRange>& map) {
  Plan plan{.start = phase.start,
            .duration = phase.duration,
            .count = phase.count,
            .pattern = phase.pattern.value_or(spec.pattern),
            .pacing = phase.pacing.value_or(spec.pacing),
            .burst = phase.burst ? phase.burst : spec.burst,
            .windows = {},
            .weights = {},
            .mix = phase.mix.empty() ? spec.mix : phase.mix,
            .sizes = phase.sizes.empty() ? spec.sizes : phase.sizes,
            .consumer = 0};
  for (const Target& target : phase.targets.empty() ? spec.targets : phase.targets) {
    plan.windows.push_back(*resolve(target, map));
    plan.weights.push_back(target.weight);
  }
  if (plan.pattern.kind == PatternKind::producer_consumer) {
    const auto& all = requesters();
    plan.consumer = static_cast<std::uint8_t>(std::find(all.begin(), all.end(), *plan.pattern.consumer) - all.begin());
  }
  plans_.push_back(std::move(plan));
}

SyntheticProducer::SyntheticProducer(const GeneratorSpec& spec, const std::vector<MemoryRange>& map, std::uint64_t seed)
    : Producer(requesters_of(spec)),
      path_(spec.path),
      kind_(spec.requester.kind),
      outstanding_(spec.outstanding),
      seed_(seed) {
  for (const PhaseSpec& phase : spec.phases) add_plan(spec, phase, map);
  if (spec.phases.empty()) {
    PhaseSpec only;
    only.start = spec.start;
    add_plan(spec, only, map);
  }
  begin_phase(0);
}

void SyntheticProducer::begin_phase(Picoseconds ended) {
  const Plan& plan = plans_[index_];
  phase_.emplace(*this, plan, std::max(ended, plan.start), mix_bits(seed_ + index_));
}

bool SyntheticProducer::next_phase(Picoseconds ended) {
  if (index_ + 1 == plans_.size()) return false;
  ++index_;
  begin_phase(ended);
  return true;
}

Picoseconds SyntheticProducer::phase_end() const noexcept {
  return phase_->left == 0 ? std::min(phase_->pacer.end(), phase_->deadline) : phase_->deadline;
}

std::uint32_t SyntheticProducer::outstanding() const noexcept {
  return plans_[index_].pattern.kind == PatternKind::pointer_chase ? 1 : outstanding_;
}

bool SyntheticProducer::catch_up() const noexcept {
  const PacingSpec& pacing = plans_[index_].pacing;
  return pacing.catch_up && pacing.kind != PacingSpec::Kind::back_to_back;
}

std::uint64_t SyntheticProducer::expected() const noexcept {
  std::uint64_t sum = 0;
  for (const Plan& plan : plans_) {
    std::uint64_t requests = plan.count.value_or(kEndless);
    if (plan.duration) requests = std::min(requests, Pacer::estimate(plan.pacing, plan.burst, *plan.duration));
    if (requests == kEndless) return 0;
    sum += requests;
  }
  return sum;
}

std::size_t SyntheticProducer::fill(std::span<Request> requests) {
  Phase& phase = *phase_;
  const bool exchanging = plans_[index_].pattern.kind == PatternKind::producer_consumer;
  std::size_t count = 0;
  for (; count < requests.size() && phase.left != 0; ++count) {
    Request& request = requests[count];
    request.when = phase.pacer.due();
    if (request.when >= phase.deadline) break;
    if (exchanging) {
      exchange(phase, request);
    } else {
      place(phase, request);
    }
    phase.pacer.advance(phase.random);
    if (phase.left != kEndless) --phase.left;
  }
  return count;
}

void SyntheticProducer::place(Phase& phase, Request& request) {
  const OperationMix::Drawn drawn = phase.mix.draw(phase.random);
  request.address = phase.streams[phase.target.choose(phase.random)].next(drawn.length, phase.random);
  request.length = static_cast<std::uint16_t>(drawn.length);
  request.opcode = drawn.opcode;
  request.requester = 0;
}

void SyntheticProducer::exchange(Phase& phase, Request& request) const {
  if (phase.line == phase.block_lines) {
    phase.line = 0;
    phase.consuming = !phase.consuming;
  }
  if (phase.line == 0 && !phase.consuming) phase.block = phase.streams[phase.target.choose(phase.random)].next_block();
  const OperationMix& mix = phase.consuming ? phase.consumer_mix : phase.mix;
  const OperationMix::Drawn drawn = mix.draw(phase.random);
  request.address = phase.block + phase.line++ * kLineBytes;
  request.length = static_cast<std::uint16_t>(drawn.length);
  request.opcode = drawn.opcode;
  request.requester = phase.consuming ? plans_[index_].consumer : std::uint8_t{0};
}

}  // namespace pmufab::traffic
