// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/producers/occurrence_stream.h"

#include <utility>

namespace pmufab::traffic {

std::uint64_t OccurrenceStream::Values::draw(RandomStream& random) const {
  if (ranges.empty()) return 0;
  const ValueRange& range = ranges.choose(random);
  const std::uint64_t size = range.last - range.first + 1;  // 0: all values of 64 bits
  return range.first + (size == 0 ? random.below(1ULL << 32) << 32 | random.below(1ULL << 32) : random.below(size));
}

OccurrenceStream::Values OccurrenceStream::values_of(const ValueRanges& ranges) {
  Values values;
  for (const ValueRange& range : ranges) values.ranges.add(range, range.weight);
  return values;
}

OccurrenceStream::OccurrenceStream(const sc_core::sc_module_name& name, Happen happen, StreamSpec spec,
                                   std::uint64_t seed)
    : sc_core::sc_module(name),
      happen_(std::move(happen)),
      spec_(std::move(spec)),
      random_(mix_bits(seed ^ hash_of(spec_.name))),
      outstanding_(values_of(spec_.outstanding)) {
  for (const ValueRanges& ranges : spec_.attributes) attributes_.push_back(values_of(ranges));
  SC_HAS_PROCESS(OccurrenceStream);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void OccurrenceStream::stop() {
  wake_.cancel();
  finish();
}

void OccurrenceStream::finish() {
  if (std::exchange(done_, true)) return;
  if (on_end_) on_end_();
}

void OccurrenceStream::begin_phase(Picoseconds base) {
  const StreamPhase& phase = spec_.phases[phase_];
  base_ = base;
  in_phase_ = 0;
  pacer_.emplace(phase.pacing, phase.burst, base, random_);
}

bool OccurrenceStream::has_next() const {
  const StreamPhase& phase = spec_.phases[phase_];
  if (phase.count && in_phase_ >= *phase.count) return false;
  return !phase.duration || pacer_->due() < base_ + *phase.duration;
}

void OccurrenceStream::step() {
  if (done_) return;
  const Picoseconds now = simulated_time();
  if (!pacer_) begin_phase(now);
  for (;;) {
    while (!has_next()) {
      const StreamPhase& phase = spec_.phases[phase_];
      const Picoseconds end = phase.duration ? base_ + *phase.duration : pacer_->end();
      if (++phase_ == spec_.phases.size()) return finish();
      begin_phase(end);
    }
    if (pacer_->due() > now) return wake_.notify(to_sc_time(pacer_->due() - now));
    emit(now);
  }
}

void OccurrenceStream::emit(Picoseconds now) {
  Occurrence occurrence;
  occurrence.repeat = spec_.repeat;
  for (std::size_t index = 0; index < attributes_.size(); ++index)
    occurrence.attributes.at(index) = attributes_[index].draw(random_);
  occurrence.duration = outstanding_.draw(random_);
  ++in_phase_;
  issued_ += spec_.repeat;
  pacer_->advance(random_);
  happen_(occurrence, now);
}

}  // namespace pmufab::traffic
