// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/traffic/address_stream.h"
#include "testbench/traffic/operation_mix.h"
#include "testbench/traffic/pacer.h"
#include "testbench/traffic/producers/producer.h"

namespace pmufab::traffic {

/// The requests of a generator that follows a pattern.
class SyntheticProducer final : public Producer {
 public:
  /// @param spec  checked by validate(), without a trace
  /// @param seed  the generator's
  SyntheticProducer(const GeneratorSpec& spec, const std::vector<MemoryRange>& map, std::uint64_t seed);

  std::size_t fill(std::span<Request> requests) override;
  bool next_phase(Picoseconds ended) override;
  [[nodiscard]] Picoseconds deadline() const noexcept override { return phase_->deadline; }
  [[nodiscard]] Picoseconds phase_end() const noexcept override;
  [[nodiscard]] std::uint32_t outstanding() const noexcept override;
  [[nodiscard]] bool catch_up() const noexcept override;
  [[nodiscard]] std::uint64_t expected() const noexcept override;

 private:
  // A phase, with the values inherited from the generator filled in.
  struct Plan {
    Picoseconds start;
    std::optional<Picoseconds> duration;
    std::optional<std::uint64_t> count;
    PatternSpec pattern;
    PacingSpec pacing;
    std::optional<BurstSpec> burst;
    std::vector<Window> windows;
    std::vector<std::uint32_t> weights;  // by window
    std::vector<OperationShare> mix;
    std::vector<SizeShare> sizes;
    std::uint8_t consumer;  // index of the requester
  };
  // The state of the current phase. Each phase has its own random stream, so it depends on no other phase.
  struct Phase {
    Phase(const SyntheticProducer& producer, const Plan& plan, Picoseconds base, std::uint64_t seed);

    RandomStream random;
    Pacer pacer;
    OperationMix mix;           // for producer_consumer: the producer's part
    OperationMix consumer_mix;  // for producer_consumer only
    WeightedChoice<std::size_t> target;
    std::vector<AddressStream> streams;  // by target
    std::uint64_t left;                  // requests still to plan
    Picoseconds deadline;
    // For producer_consumer: the position within a block.
    std::uint64_t block_lines;
    std::uint64_t block = 0;
    std::uint64_t line = 0;
    bool consuming = false;
  };
  static std::vector<RequesterSpec> requesters_of(const GeneratorSpec& spec);
  void add_plan(const GeneratorSpec& spec, const PhaseSpec& phase, const std::vector<MemoryRange>& map);
  void begin_phase(Picoseconds ended);
  static void place(Phase& phase, Request& request);
  void exchange(Phase& phase, Request& request) const;

  Path path_;
  RequesterKind kind_;
  std::uint32_t outstanding_;
  std::uint64_t seed_;
  std::vector<Plan> plans_;
  std::size_t index_ = 0;  // of the current phase
  std::optional<Phase> phase_;
};

}  // namespace pmufab::traffic
