// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/judge/events/event_result.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/finding.h"
#include "testbench/judge/pmu_judge.h"
#include "testbench/perf/types.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scoreboard {

/// The judge. Add a judge for each fabric of the platform; pass it to the driver host as perf call observer and to the
/// bus as monitor; set what the user's events mean; read the results.
///
/// It observes the perf core's calls and the drivers' register accesses; its fabric judges observe the wires. It never
/// reads models or drivers. Everything is called synchronously, in simulation order. At equal times, the order of the
/// calls decides. What is seen on wires may be judged later (Backlog), but before anything else happens here.
class Scoreboard final : public perf::PerfCallObserver {
 public:
  Scoreboard();
  ~Scoreboard() override;
  Scoreboard& operator=(Scoreboard&&) = delete;

  /// Add the judge of a fabric. Before anything happens. @return the judge
  template <typename Judge>
  Judge& add(std::unique_ptr<Judge> judge) {
    return static_cast<Judge&>(add_fabric(std::move(judge)));
  }
  /// @return the judge of that class; null if there is none. For a fabric whose PMUs count what happens in another: its
  ///         judge may ask it when it is asked itself, or before anything happens.
  template <typename Judge>
  [[nodiscard]] Judge* find() const {
    const std::vector<Judge*> all = find_all<Judge>();
    return all.empty() ? nullptr : all.front();
  }
  /// @return all judges of that class, in the order in which they were added.
  template <typename Judge>
  [[nodiscard]] std::vector<Judge*> find_all() const {
    std::vector<Judge*> all;
    for (FabricJudge* const judge : fabrics()) {
      if (auto* const found = dynamic_cast<Judge*>(judge)) all.push_back(found);
    }
    return all;
  }
  /// What judges share, for their constructors.
  [[nodiscard]] Chronicle& chronicle() noexcept;

  /// Let a second thread follow the wires, while the models go on. Nothing else changes. Before anything happens.
  void use_thread();
  /// Work without a perf core, as when drivers run in a virtual machine. Events then count from begin() to end(), while
  /// their PMU's control registers let them. Before anything happens.
  void follow_registers();
  /// An event in a virtual machine begins, or ends, to count.
  void begin(perf::EventHandle event, Picoseconds when);
  void end(perf::EventHandle event, Picoseconds when);
  /// @param others  of the same PMU
  /// @return what is in use of the hardware if the others have theirs, and it certainly has room for the event: "1 of 8
  ///         counters used". Empty if it has none, or if nobody can say
  [[nodiscard]] std::string room_beside(perf::EventHandle event, const std::vector<perf::EventHandle>& others) const;

  // Observers of wires and calls.
  void on_bus_access(const MmioBus::BusAccess& access);
  /// As PmuJudge::see_reset() has it. Events that the perf core wants counted go on for the judge.
  void on_reset(std::optional<std::uint64_t> window, Picoseconds when);
  void on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t value,
               Picoseconds when) override;
  /// @return what is in use of the hardware, if that certainly had room for the event
  std::string on_add_failed(const std::string& pmu, perf::EventHandle event, int error) override;

  /// @return true if this scoreboard can judge events of that PMU.
  [[nodiscard]] bool judges(const std::string& pmu) const;

  /// @return the names of the PMUs that this scoreboard can judge.
  [[nodiscard]] std::vector<std::string> pmus() const;
  /// @return what a driver must show of that PMU; nothing of one it cannot judge.
  [[nodiscard]] Publication publication(const std::string& pmu) const;

  /// @return whether an event of that PMU has the field `term` (PmuJudge::has_term); true for a PMU it cannot judge.
  [[nodiscard]] bool has_term(const std::string& pmu, std::string_view term, const EventTerms& numbers) const;

  /// Set the event text of this handle. Call it before the event counts: what it counted earlier is not judged.
  /// @param leader  the text of its group's leader; nullptr for an event that is its own leader
  /// @throws std::invalid_argument for an unknown PMU or a term it does not have; nothing is expected then
  void expect(perf::EventHandle event, const std::string& pmu, const EventTerms& terms,
              const EventTerms* leader = nullptr);

  /// @name The user's calls
  /// What happens from when an event is enabled to when it is disabled is accounted for, whether it counts or not. If
  /// nobody tells, that is the time from when it first counts to when it last stops.
  /// @{ The call that enables the event, or the one that disables or closes it, begins and ends.
  void enabling(perf::EventHandle event);
  void enabled(perf::EventHandle event, Picoseconds when);
  void disabling(perf::EventHandle event, Picoseconds when);
  void disabled(perf::EventHandle event);
  /// @}

  /// @return what to call when the scenario lets an event of that PMU happen many times at once.
  /// @param unit  as PmuJudge::injection() has it
  /// @throws std::invalid_argument for an unknown PMU or unit, and as PmuJudge::injection() does
  [[nodiscard]] Injection injection(const std::string& pmu, const EventTerms& terms, unsigned unit);

  /// The event is closed; drop its record.
  void forget(perf::EventHandle event);

  /// @return the judgement of every expected event that was not forgotten, in order of handles. May be called at any
  ///         time.
  [[nodiscard]] std::vector<EventResult> results() const;
  /// @return the judgement of one event; nullopt if nothing is expected of it.
  [[nodiscard]] std::optional<EventResult> result(perf::EventHandle event) const;
  /// @return the judgement of the last read of an event that had ended at `until`; nullopt if there was none. Of those
  ///         before the latest one it knows the one that keep_last_read() was called for last, and perhaps others.
  [[nodiscard]] std::optional<ReadCheck> last_read(perf::EventHandle event, Picoseconds until) const;
  /// Somebody will ask for the read of an event that is the latest now, after others.
  void keep_last_read(perf::EventHandle event);
  /// @return the count an event must have up to `when` (not before the last thing seen); 0 if nothing is expected.
  [[nodiscard]] std::uint64_t expected(perf::EventHandle event, Picoseconds when) const;

  /// Let the fabric judges report what is incomplete. Once, after the traffic ended.
  void finish();
  /// @return what was found so far; valid until the simulation goes on.
  [[nodiscard]] const Findings& findings() const;

 private:
  struct State;
  /// @return the state after all that was seen has been judged.
  [[nodiscard]] State& present() const;
  [[nodiscard]] std::vector<FabricJudge*> fabrics() const;
  FabricJudge& add_fabric(std::unique_ptr<FabricJudge> judge);

  std::unique_ptr<State> state_;
};

}  // namespace pmufab::scoreboard
