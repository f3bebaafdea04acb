// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/judge/backlog.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/finding.h"
#include "testbench/judge/losses.h"
#include "testbench/judge/publication.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// What all judges of a run record together: times, what they found, and what they have yet to judge.
struct Chronicle {
  Backlog backlog;
  Findings findings;
  Picoseconds last_seen = 0;     ///< latest instant of any activity
  Picoseconds last_control = 0;  ///< latest write to a control register
  Picoseconds last_traffic = 0;  ///< latest traffic

  void see(Picoseconds when) { last_seen = when > last_seen ? when : last_seen; }
};

/// Tells a judge, or a model, that something has happened `count` times at `when`, the present.
using Injection = std::function<void(std::uint64_t count, Picoseconds when)>;

/// @return "1 of 8 counters used"; empty if none is free
[[nodiscard]] std::string room_text(std::size_t used, std::size_t counters);

/// What the bus shows of one PMU: whether its control registers, as last written, let it count, and which accesses are
/// counter reads. It also makes the truths of its events.
class PmuJudge {
 public:
  /// @param counter_width  bits of its counters
  explicit PmuJudge(std::string name, unsigned counter_width = 64)
      : name_(std::move(name)), counter_width_(counter_width) {}
  virtual ~PmuJudge() = default;
  PmuJudge& operator=(PmuJudge&&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] unsigned counter_width() const noexcept { return counter_width_; }

  /// Process a completed write. @return true if it went to a control register of this PMU
  virtual bool see_write(const MmioBus::BusAccess& access) = 0;
  /// Process a completed read.
  virtual void see_read(const MmioBus::BusAccess& /*access*/) {}
  /// Registers have got their reset values: those of the window at the address, or, without one, of
  /// the whole platform.
  virtual void see_reset(std::optional<std::uint64_t> /*window*/, Picoseconds /*when*/) {}
  /// @return true if the control registers, as last written, let the PMU count.
  [[nodiscard]] virtual bool written_on() const = 0;
  /// @return true if they let any of its counters count.
  [[nodiscard]] virtual bool lets_count() const { return written_on(); }
  /// @return true if the access reads an event counter and so determines the instant of the count.
  [[nodiscard]] virtual bool is_counter_read(const MmioBus::BusAccess& /*access*/) const { return false; }
  /// @return a bit for each counter that the write, or the counter read, latches, so that what is read later was counted
  ///         until now; of another read, for each whose latched value it shows
  [[nodiscard]] virtual std::uint64_t latched_counters(const MmioBus::BusAccess& /*access*/) const { return 0; }
  /// Fields of the event's number may share bits, which then have one meaning or the other.
  /// @param numbers  the event's fields that share no bits
  /// @return whether such an event has the field `term`
  [[nodiscard]] virtual bool has_term([[maybe_unused]] std::string_view term,
                                      [[maybe_unused]] const EventTerms& numbers) const {
    return true;
  }
  /// @return what this PMU must count for an event text, by the kernel's documents.
  /// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
  [[nodiscard]] virtual std::unique_ptr<EventTruth> truth(const EventTerms& terms) = 0;
  /// The same for a member of a group, where missing terms may be taken from those of its leader, which come second.
  [[nodiscard]] virtual std::unique_ptr<EventTruth> truth_of_member(const EventTerms& terms,
                                                                    const EventTerms& /*leader*/) {
    return truth(terms);
  }

  /// @return what to call when the scenario lets an event happen many times at once.
  /// The terms name one kind of occurrence at one place. A missing filter means: of no class that filters select.
  /// @param unit  where in that place: below units()
  /// @throws std::invalid_argument as truth() does, and if the terms name several kinds or places, or what can only
  ///         happen one by one
  [[nodiscard]] virtual Injection injection([[maybe_unused]] const EventTerms& terms, [[maybe_unused]] unsigned unit) {
    throw std::invalid_argument("events of this PMU only happen one by one");
  }

  /// @return in how many units, each with counters of its own, the occurrence may happen that the terms name
  [[nodiscard]] virtual unsigned units(const EventTerms& /*terms*/) const { return 1; }

  /// @return what a driver must show of this PMU.
  [[nodiscard]] virtual Publication publication() const { return {}; }

  /// What a refusal is held against: a driver may only refuse an event for want of hardware.
  /// @param refused  the event that has been refused
  /// @param active  all events that have hardware at present
  /// @return what is in use, in words, if the hardware certainly has room: "1 of 8 counters used". Empty if it certainly
  ///         has none, and nothing if nobody can say
  [[nodiscard]] virtual std::optional<std::string> room_for(
      [[maybe_unused]] const EventTruth& refused, [[maybe_unused]] const std::vector<const EventTruth*>& active) const {
    return {};
  }

  bool wanted = false;                         ///< the perf core has enabled the PMU
  bool running = false;                        ///< events must count now: wanted, and not held
  bool held = false;                           ///< a handler, or a transaction, stopped the PMU for a time
  bool in_transaction = false;                 ///< between start_txn and commit_txn or cancel_txn
  LossCause stopped_by = LossCause::disabled;  ///< who stopped it, while it does not run

 private:
  std::string name_;
  unsigned counter_width_;
};

/// The judge of one fabric. It observes the fabric's wires, has a reference model of it, and judges its PMUs.
class FabricJudge {
 public:
  virtual ~FabricJudge() = default;
  [[nodiscard]] virtual std::vector<PmuJudge*> pmus() = 0;
  /// Traffic has ended: report what is incomplete.
  virtual void finish() {}
};

}  // namespace pmufab::scoreboard
