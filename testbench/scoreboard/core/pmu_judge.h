// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testbench/scoreboard/core/event_truth.h"
#include "testbench/scoreboard/core/finding.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// What all judges of a run write down together.
struct Chronicle {
  Findings findings;
  Picoseconds last_seen = 0;     ///< latest instant of anything
  Picoseconds last_control = 0;  ///< latest write to a control register
  Picoseconds last_traffic = 0;  ///< latest traffic

  void see(Picoseconds when) { last_seen = when > last_seen ? when : last_seen; }
};

/// What the bus shows of one PMU: whether its control registers, as written, let it count, and which accesses are
/// counter reads. And what its events mean.
class PmuJudge {
 public:
  explicit PmuJudge(std::string name) : name_(std::move(name)) {}
  virtual ~PmuJudge() = default;
  PmuJudge(const PmuJudge&) = delete;
  PmuJudge& operator=(const PmuJudge&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Take in a completed write. @return true if it went to a control register of this PMU
  virtual bool see_write(const MmioBus::BusAccess& access) = 0;
  /// Take in a completed read.
  virtual void see_read(const MmioBus::BusAccess& /*access*/) {}
  /// @return true if the control registers, as last written, let the PMU count.
  [[nodiscard]] virtual bool written_on() const = 0;
  /// @return true if they let any counter of it count.
  [[nodiscard]] virtual bool lets_count() const { return written_on(); }
  /// @return true if the access reads one of the event counters, and by that alone tells the instant of the count.
  [[nodiscard]] virtual bool is_counter_read(const MmioBus::BusAccess& /*access*/) const { return false; }
  /// What an event text asks this PMU to count, by the kernel's documents.
  /// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
  [[nodiscard]] virtual std::unique_ptr<EventTruth> truth(const EventTerms& terms) = 0;
  /// The same for a member of a group, where terms left out may be those of its leader. @param leader  its terms
  [[nodiscard]] virtual std::unique_ptr<EventTruth> truth_of_member(const EventTerms& terms,
                                                                    const EventTerms& /*leader*/) {
    return truth(terms);
  }

  bool wanted = false;          ///< the perf core has enabled the PMU
  bool running = false;         ///< events must count now: wanted, and not held by a handler
  bool held = false;            ///< a handler, or a transaction, stopped the PMU for a while
  bool in_transaction = false;  ///< between start_txn and commit_txn or cancel_txn

 private:
  std::string name_;
};

/// The judge of one fabric: hears its wires, has a reference model of it, and judges its PMUs.
class FabricJudge {
 public:
  virtual ~FabricJudge() = default;
  [[nodiscard]] virtual std::vector<PmuJudge*> pmus() = 0;
  /// Traffic has ended: report what is left over.
  virtual void finish() {}
};

}  // namespace pmufab::scoreboard
