// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/enabled_events.h"

#include "tlm/clock/clock_domain.h"

namespace pmufab::perf {

void EnabledEvents::on_open(const PerfAttributes& attributes, EventHandle leader, EventHandle result) {
  if (result > 0) events_[result] = {leader > 0 ? leader : result, !attributes.disabled};
}

bool EnabledEvents::is_wanted(const Event& event) const {
  const auto leader = events_.find(event.leader);
  return event.is_on && leader != events_.end() && leader->second.is_on;
}

std::vector<EventHandle> EnabledEvents::wanted_with(EventHandle event) const {
  std::vector<EventHandle> wanted;
  for (const auto& [handle, other] : events_) {
    if ((handle == event || other.leader == event) && is_wanted(other)) wanted.push_back(handle);
  }
  return wanted;
}

void EnabledEvents::on_enable(EventHandle event, bool begin) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  found->second.is_on = true;
  for (const EventHandle wanted : wanted_with(event)) {
    if (begin) {
      judge_.enabling(wanted);
    } else {
      judge_.enabled(wanted, simulated_time());
    }
  }
}

void EnabledEvents::on_disable(EventHandle event, bool begin) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  for (const EventHandle wanted : wanted_with(event)) {
    if (begin) {
      judge_.disabling(wanted, simulated_time());
    } else {
      judge_.disabled(wanted);
    }
  }
  if (!begin) found->second.is_on = false;
}

void EnabledEvents::on_close(EventHandle event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  if (is_wanted(found->second)) {
    judge_.disabling(event, simulated_time());
    judge_.disabled(event);
  }
  const bool leads = found->second.leader == event;
  events_.erase(found);
  // The members of its group go on as single events.
  for (auto& [handle, other] : events_) {
    if (leads && other.leader == event) other.leader = handle;
  }
}

}  // namespace pmufab::perf
