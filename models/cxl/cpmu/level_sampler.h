// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/cxl/host/engine.h"
#include "tlm/probe/probe.h"

namespace pmufab::cxl {

/// A number that lasts. What it is at an edge is what it was just before, whatever happens at that instant.
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

/// Has levels looked at, at each edge of a clock, for events that count clocks. Only while somebody watches one of
/// their probes: otherwise nothing happens, and nothing is spent.
class LevelSampler final : private Actor {
 public:
  class Source {
   public:
    /// Publish what the levels are at an edge.
    virtual void sample(Picoseconds edge) = 0;

   protected:
    ~Source() = default;
  };

  /// @param period  of the clock, whose edges are its multiples; not 0
  LevelSampler(Engine& engine, Source& source, Picoseconds period);
  /// One of the probes the source publishes on; must outlive the sampler's last act.
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
