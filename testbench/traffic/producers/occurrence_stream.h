// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "testbench/traffic/pacer.h"
#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/random_stream.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/transaction/occurrence.h"

namespace pmufab::traffic {

/// Values that an attribute, or a duration, may have. Each range has its share; within one, all are equally likely.
struct ValueRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint32_t weight = 1;
};
using ValueRanges = std::vector<ValueRange>;

/// A part of a stream. It begins when the part before it has ended.
struct StreamPhase {
  PacingSpec pacing{};
  std::optional<BurstSpec> burst{};
  std::optional<Picoseconds> duration{};
  std::optional<std::uint64_t> count{};  ///< of occurrences. Neither: endless
};

/// Occurrences at one source of one socket, or on the link of a root port.
struct StreamSpec {
  std::string name;     ///< unique in the scenario, not empty
  unsigned source = 0;  ///< index in the description; or of the root port
  unsigned socket = 0;
  Picoseconds start = 0;     ///< after the start of traffic
  std::uint64_t repeat = 1;  ///< occurrences at one instant, all alike
  std::vector<StreamPhase> phases;
  std::vector<ValueRanges> attributes;  ///< by attribute of the source; none: 0
  ValueRanges outstanding;              ///< durations in ps; none: 0
};

/// Lets the occurrences of a specification happen, each at its own instant.
class OccurrenceStream : public sc_core::sc_module {
 public:
  using Happen = std::function<void(const Occurrence& occurrence, Picoseconds when)>;

  /// @param happen  lets an occurrence happen
  /// @param seed  the scenario's
  OccurrenceStream(const sc_core::sc_module_name& name, Happen happen, StreamSpec spec, std::uint64_t seed);

  /// Begin now. Once.
  void start() { wake_.notify(to_sc_time(spec_.start)); }
  void stop();
  [[nodiscard]] bool done() const noexcept { return done_; }
  /// Call `function` when the last occurrence has happened.
  void on_end(std::function<void()> function) { on_end_ = std::move(function); }
  [[nodiscard]] const std::string& label() const noexcept { return spec_.name; }
  [[nodiscard]] std::uint64_t issued() const noexcept { return issued_; }

 private:
  struct Values {
    WeightedChoice<ValueRange> ranges;
    [[nodiscard]] std::uint64_t draw(RandomStream& random) const;
  };
  static Values values_of(const ValueRanges& ranges);
  void step();
  void begin_phase(Picoseconds base);
  /// @return false if the present phase has no more
  [[nodiscard]] bool has_next() const;
  void emit(Picoseconds now);
  void finish();

  Happen happen_;
  StreamSpec spec_;
  RandomStream random_;
  std::vector<Values> attributes_;
  Values outstanding_;
  std::size_t phase_ = 0;
  std::optional<Pacer> pacer_;
  Picoseconds base_ = 0;        // of the present phase
  std::uint64_t in_phase_ = 0;  // occurrences so far
  std::uint64_t issued_ = 0;
  bool done_ = false;
  sc_core::sc_event wake_;
  std::function<void()> on_end_;
};

}  // namespace pmufab::traffic
