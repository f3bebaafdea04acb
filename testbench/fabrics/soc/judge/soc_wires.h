// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/clock/clock_domain.h"
#include "tlm/transaction/occurrence.h"

namespace pmufab::scoreboard {

/// What the judge has heard of the sources, for the truths of its events.
class SocWires {
 public:
  /// An occurrence that has begun, and lasts.
  struct Lasting {
    Occurrence occurrence;
    Picoseconds begin;
    Picoseconds end;
  };
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void hear(const Occurrence& occurrence, Picoseconds when) = 0;
  };

  explicit SocWires(std::size_t sources) : sources_(sources) {}

  void tell(unsigned source, const Occurrence& occurrence, Picoseconds when);
  /// @param listener  hears what happens at the source from now on, until it is removed
  void add(unsigned source, Listener& listener) { sources_.at(source).listeners.push_back(&listener); }
  void remove(unsigned source, const Listener& listener) { std::erase(sources_.at(source).listeners, &listener); }
  /// Keep occurrences of a source while they last.
  void keep_lasting(unsigned source) { sources_.at(source).keeps = true; }
  /// @return those that have begun; some may have ended. Only of a source whose occurrences are kept
  [[nodiscard]] const std::vector<Lasting>& lasting(unsigned source) const { return sources_.at(source).lasting; }

 private:
  struct Source {
    std::vector<Listener*> listeners;
    bool keeps = false;
    std::vector<Lasting> lasting;
    std::size_t room = 256;  // when there are as many, those that have ended are dropped
  };
  std::vector<Source> sources_;
};

}  // namespace pmufab::scoreboard
