// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "testbench/judge/scoreboard.h"
#include "testbench/perf/pmu_service.h"

namespace pmufab::perf {

/// Tells the scoreboard from when to when programs want events counted: while an event and the leader of its group are
/// enabled. Whether they have counters then is another question.
class EnabledEvents final : public EventObserver {
 public:
  /// @param judge  outlives this object
  explicit EnabledEvents(scoreboard::Scoreboard& judge) : judge_(judge) {}

  void on_open(const PerfAttributes& attributes, EventHandle leader, EventHandle result) override;
  void on_read(EventHandle /*event*/, bool /*is_group*/, const EventReading& /*reading*/) override {}
  void on_enable(EventHandle event, bool begin) override;
  void on_disable(EventHandle event, bool begin) override;
  void on_close(EventHandle event) override;

 private:
  struct Event {
    EventHandle leader;
    bool is_on;
  };
  [[nodiscard]] bool is_wanted(const Event& event) const;
  /// @return the wanted events among those that the state of `event` decides about.
  [[nodiscard]] std::vector<EventHandle> wanted_with(EventHandle event) const;

  scoreboard::Scoreboard& judge_;
  std::map<EventHandle, Event> events_;
};

}  // namespace pmufab::perf
