// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/cxl/host/engine.h"
#include "tlm/probe/probe.h"

namespace pmufab::cxl {

/// A number that changes over time. Its value at an edge is the value just before that instant.
class Level {
 public:
  void set(unsigned value, Picoseconds now) noexcept {
    if (now != changed_) {
      before_ = value_;
      changed_ = now;
    }
    value_ = value;
  }
  void raise(Picoseconds now) noexcept { set(value_ + 1, now); }
  void lower(Picoseconds now) noexcept { set(value_ - 1, now); }
  /// @param edge  not before the last change
  [[nodiscard]] unsigned at(Picoseconds edge) const noexcept { return changed_ == edge ? before_ : value_; }

 private:
  unsigned value_ = 0;
  unsigned before_ = 0;
  Picoseconds changed_ = 0;
};

/// Samples levels at each edge of a clock, for events that count clocks. It acts only while one of their probes is
/// watched, and costs nothing otherwise.
class LevelSampler final : private Actor {
 public:
  class Source {
   public:
    /// Publish the levels at an edge.
    virtual void sample(Picoseconds edge) = 0;

   protected:
    ~Source() = default;
  };

  /// @param period  of the clock; its edges are the multiples of it; not 0
  LevelSampler(Engine& engine, Source& source, Picoseconds period);
  /// Add a probe on which the source publishes. It must outlive the sampler's last act.
  void add(Probe& probe);

 private:
  void act(Picoseconds now) override;
  [[nodiscard]] bool is_wanted() const;

  Engine& engine_;
  Source& source_;
  Picoseconds period_;
  unsigned actor_;
  std::vector<const Probe*> probes_;
};

}  // namespace pmufab::cxl
