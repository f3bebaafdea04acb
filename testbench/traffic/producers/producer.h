// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::traffic {

inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// One request as a producer plans it.
struct Request {
  Picoseconds when;        ///< planned, after the issuer's start
  std::uint64_t address;   ///< system address
  std::uint16_t length;    ///< bytes; 0 for dataless requests
  FabricOpcode opcode;     ///< on the cached path read_shared for loads, write_unique_ptl for stores
  std::uint8_t requester;  ///< index into Producer::requesters()

  friend bool operator==(const Request&, const Request&) = default;
};

/// Yields the requests of one generator, phase by phase, in the order of their planned times. Plain C++, without
/// SystemC and without knowledge of the requests' results; the same on every machine.
class Producer {
 public:
  virtual ~Producer() = default;

  /// Plan the next requests of the current phase.
  /// @return the number written to `requests`; 0 only at the end of the phase
  virtual std::size_t fill(std::span<Request> requests) = 0;
  /// Go to the next phase. Its planned times start at `ended`, the actual end of the current one.
  /// @return false if there is none
  virtual bool next_phase(Picoseconds ended) = 0;

  /// @return when the current phase ends in any case; kNever if that is not fixed.
  [[nodiscard]] virtual Picoseconds deadline() const noexcept = 0;
  /// @return at the end of a phase (fill() returned 0), its planned end.
  [[nodiscard]] virtual Picoseconds phase_end() const noexcept = 0;
  /// @return how many requests of the current phase may be in flight; 0: no limit.
  [[nodiscard]] virtual std::uint32_t outstanding() const noexcept = 0;
  /// @return true if late requests are sent as soon as possible; false if they delay all later ones.
  [[nodiscard]] virtual bool catch_up() const noexcept = 0;
  /// @return the number of requests planned over all phases, for progress reports; 0: no end.
  [[nodiscard]] virtual std::uint64_t expected() const noexcept = 0;

  [[nodiscard]] const std::vector<RequesterSpec>& requesters() const noexcept { return requesters_; }

 protected:
  explicit Producer(std::vector<RequesterSpec> requesters) : requesters_(std::move(requesters)) {}

 private:
  std::vector<RequesterSpec> requesters_;
};

/// Make the producers of a scenario, in its order. Trace files are read through once, so that their defects show here.
/// @throws SpecError as validate() does, and for a trace that does not fit into its memory
/// @throws TraceError for a trace file that is damaged or cannot be read
[[nodiscard]] std::vector<std::unique_ptr<Producer>> make_producers(const TrafficSpec& spec,
                                                                    const std::vector<MemoryRange>& map,
                                                                    unsigned sockets);

/// The plain sequence of a producer's requests, as if all were sent as planned: for tests and tools.
class RequestSequence {
 public:
  explicit RequestSequence(Producer& producer) : producer_(&producer) {}

  /// @return false at the end; `request` is unchanged then.
  bool next(Request& request) {
    while (position_ == filled_) {
      position_ = 0;
      filled_ = producer_->fill(buffer_);
      if (filled_ == 0 && !producer_->next_phase(producer_->phase_end())) return false;
    }
    request = buffer_[position_++];
    return true;
  }

 private:
  Producer* producer_;
  std::vector<Request> buffer_ = std::vector<Request>(64);
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace pmufab::traffic
