// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/perf/types.h"
#include "testbench/scoreboard/core/event_result.h"
#include "testbench/scoreboard/core/event_truth.h"
#include "testbench/scoreboard/core/finding.h"
#include "testbench/scoreboard/core/pmu_judge.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scoreboard {

/// The judge. Give it a judge for each fabric of the platform; give it to the driver host as perf call observer and to
/// the bus as monitor; tell it what the user's events mean; ask for results.
///
/// It listens to the perf core's calls and to the drivers' register accesses, its fabric judges to the wires; nobody
/// reads models or drivers. Everything is called synchronously, in simulation order: among things of the same time the
/// order of the calls decides.
class Scoreboard final : public perf::PerfCallObserver {
 public:
  Scoreboard();
  ~Scoreboard() override;
  Scoreboard(const Scoreboard&) = delete;
  Scoreboard& operator=(const Scoreboard&) = delete;

  /// Judge this fabric too. Before anything happens. @return the judge
  template <typename Judge>
  Judge& add(std::unique_ptr<Judge> judge) {
    return static_cast<Judge&>(add_fabric(std::move(judge)));
  }
  /// For the judges' constructors.
  [[nodiscard]] Chronicle& chronicle() noexcept;

  /// There is no perf core to listen to, as when drivers run in a virtual machine: events count from when they are
  /// begun to when they are ended, while their PMU's control registers let it. Before anything happens.
  void follow_registers();
  /// What an event that a virtual machine counts is about to count from now on, and until now.
  void begin(perf::EventHandle event, Picoseconds when);
  void end(perf::EventHandle event, Picoseconds when);

  // Wires.
  void on_bus_access(const MmioBus::BusAccess& access);
  void on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t value,
               Picoseconds when) override;
  void on_add_failed(const std::string& pmu, perf::EventHandle event, int error) override;

  /// @return true if this scoreboard can judge events of that PMU.
  [[nodiscard]] bool judges(const std::string& pmu) const;

  /// What the user asked for under this handle. Before the event counts: what it counted earlier is not judged.
  /// @param leader  what its group's leader asks for; nullptr for events that lead themselves
  /// @throws std::invalid_argument for an unknown PMU or a term it does not have; nothing is expected then
  void expect(perf::EventHandle event, const std::string& pmu, const EventTerms& terms,
              const EventTerms* leader = nullptr);

  /// The event is closed, and nobody will ask for it again.
  void forget(perf::EventHandle event);

  /// @return the judgement of every expected event that was not forgotten, in order of handles. Callable at any time.
  [[nodiscard]] std::vector<EventResult> results() const;
  /// @return the judgement of one event; nullopt if nothing is expected of it.
  [[nodiscard]] std::optional<EventResult> result(perf::EventHandle event) const;
  /// @return the judgement of the last read of an event that was over at `until`; nullopt if there was none.
  [[nodiscard]] std::optional<ReadCheck> last_read(perf::EventHandle event, Picoseconds until) const;
  /// @return what the event must have counted up to `when` (not before the last thing seen); 0 if nothing is expected.
  [[nodiscard]] std::uint64_t expected(perf::EventHandle event, Picoseconds when) const;

  /// Let the fabric judges report what is left over. Once, after the traffic ended.
  void finish();
  [[nodiscard]] const Findings& findings() const;

  /// @return a report line per event and finding, for people.
  [[nodiscard]] std::string report() const;

 private:
  struct State;
  FabricJudge& add_fabric(std::unique_ptr<FabricJudge> judge);

  std::unique_ptr<State> state_;
};

}  // namespace pmufab::scoreboard
