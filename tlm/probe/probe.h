// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tlm/probe/event_sink.h"

namespace pmufab {

/// One kind of event of one source, published by a model as traffic moves.
///
/// An unwatched event costs one addition to the tally. Every event carries a qualifier 0 ... 63, whose meaning the
/// publisher documents (for the Tegra410 UCF: source and destination class); a watch selects qualifiers with a mask.
/// The tally is for debugging. Checks use the scoreboard, which never sees it.
class Probe {
 public:
  explicit Probe(std::string name) : name_(std::move(name)) {}

  /// Report `amount` events with `qualifier` at `when`. Times never run backwards within one probe.
  [[gnu::always_inline]] inline void publish(std::uint64_t amount, unsigned qualifier, Picoseconds when) {
    tally_ += amount;
    // By index, because a wrap function may change the list.
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      const Watch& watch = watches_[i];
      if ((watch.qualifiers >> qualifier & 1U) != 0) watch.sink->add(amount, when);
    }
  }

  /// Add matching events to `sink` from now on. A sink watches a probe at most once; watching again replaces the mask.
  /// A wrap function may watch and unwatch the probe that is publishing. A sink removed before its turn misses the
  /// event; whether a sink added then sees the event is not defined.
  void watch(EventSink& sink, std::uint64_t qualifiers);
  /// Stop adding to `sink`. Does nothing if the sink does not watch.
  void unwatch(const EventSink& sink) noexcept;

  /// Call `function` before a sink is added: for events that the model computes only while they are watched. The
  /// function may publish; the new sink does not see those events.
  void on_watch(void (*function)(void* context), void* context) noexcept {
    on_watch_ = function;
    watch_context_ = context;
  }
  /// @return true if a sink watches.
  [[nodiscard]] bool is_watched() const noexcept { return !watches_.empty(); }

  /// @return how many events can come before one does more than add to sinks.
  [[nodiscard]] std::uint64_t uneventful() const noexcept;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// @return events published since construction, with any qualifier.
  [[nodiscard]] std::uint64_t tally() const noexcept { return tally_; }

 private:
  struct Watch {
    EventSink* sink;
    std::uint64_t qualifiers;
  };

  std::uint64_t tally_ = 0;
  std::vector<Watch> watches_;
  void (*on_watch_)(void* context) = nullptr;
  void* watch_context_ = nullptr;
  std::string name_;
};

}  // namespace pmufab
