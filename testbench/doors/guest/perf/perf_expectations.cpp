// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/perf/perf_expectations.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "testbench/doors/guest/perf/perf_arguments.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/perf/software_events.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::guest {
namespace {

/// Counts that perf prints as one.
ExpectedEvent sum_of(ExpectedEvent sum, const ExpectedEvent& other) {
  const auto add = [](std::optional<std::uint64_t>& bound, const std::optional<std::uint64_t>& more) {
    bound = bound && more ? std::optional(*bound + *more) : std::nullopt;
  };
  add(sum.low, other.low);
  add(sum.high, other.high);
  sum.account.reset();
  if (sum.note.empty()) sum.note = other.note;
  if (sum.doubt.empty()) sum.doubt = other.doubt;
  return sum;
}

}  // namespace

PerfExpectations::PerfExpectations(scoreboard::Scoreboard& judge, const Fabrics& fabrics,
                                   const perf::PmuCatalog& catalog,
                                   std::function<void(const std::vector<ExpectedEvent>&)> on_end)
    : judge_(judge), fabrics_(fabrics), catalog_(catalog), names_(catalog, judge), on_end_(std::move(on_end)) {}

void PerfExpectations::hear(std::string_view bytes) {
  // Input from a virtual machine is not trusted, and its size is limited.
  constexpr std::size_t kMost = 1 << 18;
  constexpr std::size_t kMostWords = 1 << 8;
  for (const char byte : bytes) {
    if (byte != '\0') {
      if (heard_.size() < kMost) heard_ += byte;
      continue;
    }
    words_.push_back(std::exchange(heard_, {}));
    if (words_.front() == "end") {
      if (running_ > 0) --running_;
      end();
      words_.clear();
    } else if (words_.front() == "metrics" && words_.size() <= 2) {
      if (words_.size() < 2) continue;
      metrics_ = parse_metrics(words_.back());
      words_.clear();
    } else if (words_.front() == "printed" && words_.size() <= 3) {
      if (words_.size() < 3) continue;
      take_printed(words_[1], words_[2]);
      words_.clear();
    } else if (words_.front() != "begin" || words_.size() > kMostWords) {
      words_.clear();
    } else if (words_.size() >= 2) {
      std::size_t count = 0;
      const std::string& number = words_[1];
      const auto [last, error] = std::from_chars(number.data(), number.data() + number.size(), count);
      if (error != std::errc() || last != number.data() + number.size()) {
        words_.clear();
      } else if (words_.size() - 2 >= count) {
        begin({words_.begin() + 2, words_.end()});
        words_.clear();
      }
    }
  }
}

void PerfExpectations::begin(const std::vector<std::string>& arguments) {
  const bool alone = running_++ == 0;
  // It is not known which of several perfs touches a register, which one ends, or whether one was killed.
  alone_ = alone_ && alone;
  end();
  const std::optional<PerfStat> stat = parse_perf_stat(arguments);
  if (!stat) return;
  counting_ = true;
  alone_ = alone;
  open_ = false;
  closing_ = false;
  disturbed_ = traffic_ == Traffic::under_way;
  output_ = stat->output;
  const std::string reason = stat->repeats ? "with -r perf prints a mean" : "";
  for (const std::string& text : stat->events) {
    try {
      for (const perf::WrittenGroup& group : parse_perf_events(text)) {
        add_written(group, stat->merges, reason);
        ++groups_;
      }
    } catch (const perf::EventError& error) {
      Event& event = events_.emplace_back();
      event.told = {text, {}, {}, error.reason()};
      event.group = groups_++;
    }
  }
  for (const std::string& name : stat->metrics) add_metrics(name, reason);
  if (events_.empty()) events_.push_back({{"perf stat without -e", {}, {}, "its events are not known"}});
}

void PerfExpectations::add_written(const perf::WrittenGroup& group, bool merges, const std::string& reason) {
  for (const perf::WrittenEvent& event : group.events) {
    const std::size_t first = events_.size();
    if (event.pmu == perf::kSoftwarePmu) {
      add(event.text, groups_, reason);
    } else {
      try {
        for (const PerfRow& row : perf_rows(event, catalog_, merges)) add_row(row, reason);
      } catch (const perf::EventError& error) {
        Event& unknown = events_.emplace_back();
        unknown.told = {event.text, {}, {}, error.reason()};
        unknown.group = groups_;
      }
    }
    const bool is_first = &event == &group.events.front();
    // perf opens the events of a weak group by themselves if the kernel does not take them together.
    const bool needs_first = !is_first && event.modifiers.find('W') == std::string::npos;
    for (std::size_t i = first; i < events_.size(); ++i) {
      Event& added = events_[i];
      added.told.is_member = !is_first && !has_room(i);
      if (added.wide != 0 && leaves_out_modes(event.modifiers)) {
        refuse(added, "a PMU outside of the CPUs counts in all modes");
      } else if (added.wide != 0 && needs_first && is_first_refused(i)) {
        refuse(added, "the first event of its group is refused");
      }
    }
  }
}

/// The kernel has to refuse it.
void PerfExpectations::refuse(Event& event, const std::string& why) {
  judge_.forget(std::exchange(event.wide, 0));
  event.told.is_refused = true;
  event.told.note = why;
}

/// perf divides a group by PMUs.
bool PerfExpectations::is_first_refused(std::size_t index) const {
  const Event& event = events_[index];
  const auto first = std::ranges::find_if(events_, [&](const Event& other) {
    return other.group == event.group && (other.event.pmu.empty() || other.event.pmu == event.event.pmu);
  });
  return first != events_.end() && first->told.is_refused;
}

/// @return true if the kernel has to take it beside those that come before it in its group, which are all of its PMU
bool PerfExpectations::has_room(std::size_t index) const {
  const Event& event = events_[index];
  std::vector<perf::EventHandle> before;
  for (std::size_t i = 0; i < index; ++i) {
    const Event& other = events_[i];
    if (other.group != event.group || other.told.is_refused || perf::software_event(other.told.text)) continue;
    if (other.event.pmu != event.event.pmu) return false;
    before.push_back(other.wide);
  }
  return event.wide != 0 && !event.adds && !judge_.room_beside(event.wide, before).empty();
}

void PerfExpectations::add_row(const PerfRow& row, const std::string& reason) {
  const std::size_t first = events_.size();
  for (const std::string& event : row.events) {
    add(event, groups_, reason);
    events_.back().told.text = row.text;
    events_.back().adds = events_.size() > first + 1;
  }
}

/// Of several perfs at a time nobody knows whose it is. A program that perf runs may have the option, too.
void PerfExpectations::take_printed(const std::string& file, const std::string& text) {
  if (counting_ && alone_ && file == output_ && on_printed_) on_printed_(text);
}

/// @param name  of a metric or of a group of them
void PerfExpectations::add_metrics(const std::string& name, const std::string& reason) {
  bool found = false;
  for (const Metric& metric : metrics_) {
    const std::string groups = ";" + metric.groups + ";";
    if (metric.name != name && groups.find(";" + name + ";") == std::string::npos) continue;
    found = true;
    const std::optional<std::vector<std::string>> names = events_of(metric);
    for (const std::string& event : names.value_or(std::vector<std::string>{})) add_event_of(metric, event, reason);
    Event& result = events_.emplace_back();
    result.told.text = metric.name;
    result.told.metric = metric;
    result.told.note = names ? reason : "pmufab does not know its formula";
    result.group = groups_++;
  }
  if (!found) events_.push_back({{name, {}, {}, "perf list does not tell of such a metric"}});
}

/// Without a PMU, the event of a metric is that of all its PMUs.
void PerfExpectations::add_event_of(const Metric& metric, const std::string& name, const std::string& reason) {
  const std::size_t first = events_.size();
  for (const perf::PmuCatalog::Entry& pmu : catalog_.entries()) {
    if (metric.pmus.empty() || !pmu.name.starts_with(metric.pmus + "_")) continue;
    add(pmu.name + "/" + name + "/", groups_, reason);
    events_.back().told.text = name;
    events_.back().adds = events_.size() > first + 1;
  }
  if (events_.size() > first) return;
  Event& none = events_.emplace_back();
  none.told.text = name;
  none.told.note = "no PMU of the platform has it";
  none.group = groups_;
}

/// @param reason  why it is not judged; nothing: it is
void PerfExpectations::add(const std::string& text, std::size_t group, const std::string& reason) {
  Event event;
  event.group = group;
  event.told.text = text;
  event.told.note = reason;
  try {
    const std::vector<perf::ResolvedGroup> groups = catalog_.resolve(text);
    if (groups.size() != 1) {
      event.told.note = "it stands for several events";
    } else if (const auto named = names_.name(groups.front().events.front().attributes); !named) {
      event.told.note = "no PMU of the platform counts it";
    } else if (reason.empty()) {
      // The numbers, whatever words perf was given.
      event.event = *named;
      event.is_paired =
          std::ranges::any_of(fabrics_, [&](const auto& fabric) { return fabric->counts_in_a_pair(event.event); });
      event.told.note = scenario::expect_event(judge_, fabrics_, next_, event.event);
      if (event.told.note.empty()) {
        event.wide = next_++;
        event.begun = simulated_time();
        judge_.begin(event.wide, event.begun);
      }
    }
  } catch (const perf::EventError& error) {
    event.told.note = error.reason();
  }
  events_.push_back(std::move(event));
}

void PerfExpectations::begin_traffic() {
  traffic_ = Traffic::under_way;
  all_open();
}

void PerfExpectations::all_open() {
  if (!counting_ || std::exchange(open_, true)) return;
  for (Event& event : events_) {
    if (event.wide == 0) continue;
    if (event.is_paired) {
      event.before = judge_.expected(event.wide, simulated_time());
      continue;
    }
    judge_.expect(next_, event.event.pmu, event.event.terms);
    event.narrow = next_++;
    judge_.begin(event.narrow, simulated_time());
  }
}

void PerfExpectations::register_written(Writer writer, bool after_pause) {
  if (!counting_) return;
  if (traffic_ == Traffic::under_way && writer == Writer::perf) disturbed_ = true;
  if (traffic_ != Traffic::ended || !open_ || closing_) return;
  for (Event& event : events_) {
    if (!is_watched(event)) continue;
    // Between two pauses it may be perf's from the first write on.
    if (after_pause || !event.least) event.least = counted_since_open(event);
  }
  if (writer == Writer::perf) close_narrow();
}

void PerfExpectations::close_narrow() {
  if (std::exchange(closing_, true)) return;
  for (Event& event : events_) {
    if (is_watched(event) && !event.least) event.least = counted_since_open(event);
    if (event.narrow != 0) judge_.end(event.narrow, simulated_time());
  }
}

bool PerfExpectations::is_watched(const Event& event) const {
  return event.narrow != 0 || (event.is_paired && event.wide != 0 && open_);
}

std::uint64_t PerfExpectations::counted_since_open(const Event& event) const {
  return event.is_paired ? judge_.expected(event.wide, simulated_time()) - event.before
                         : judge_.expected(event.narrow, simulated_time());
}

bool PerfExpectations::is_certain(const Event& event, Picoseconds end) const {
  const bool together = std::ranges::all_of(events_, [&](const Event& other) {
    // Of one that was not understood nobody knows which it is.
    return other.group == event.group || other.told.metric || other.told.is_refused ||
           (!other.event.pmu.empty() && other.event.pmu != event.event.pmu);
  });
  const std::optional<scoreboard::EventResult> result = judge_.result(event.wide);
  return together && result && result->windows.size() == 1 && result->windows.front().begin > event.begun &&
         result->windows.front().end < end;
}

/// Say what an event must have counted, when perf has ended.
void PerfExpectations::bound(Event& event, Picoseconds now) {
  const std::uint64_t most = judge_.expected(event.wide, now);
  if (most == 0 && traffic_ == Traffic::not_begun) {
    event.told.note = "the traffic had not begun";
    return;
  }
  event.told.high = most;
  event.told.note = judge_.result(event.wide)->remark;
  if (is_certain(event, now)) {
    event.told.low = most;
    return;
  }
  event.told.low = event.least.value_or(0);
  if (!open_ && most > 0) {
    event.told.doubt = "perf ended before all its events were known to be open";
  } else if (disturbed_ || traffic_ == Traffic::under_way) {
    event.told.doubt = "there was traffic while perf opened or closed events";
  }
}

void PerfExpectations::end() {
  if (!counting_) return;
  counting_ = false;
  close_narrow();
  const Picoseconds now = simulated_time();
  for (const Event& event : events_) {
    if (event.wide != 0) judge_.end(event.wide, now);
  }
  std::vector<ExpectedEvent> told;
  for (Event& event : events_) {
    if (event.wide != 0) bound(event, now);
    if (event.told.low && event.told.low == event.told.high) event.told.account = judge_.result(event.wide)->account;
    if (on_counted_ && event.told.low) on_counted_(event.event.attributes, *event.told.low);
    if (!alone_) event.told.doubt = "another perf ran at the same time, or was killed";
    if (event.adds) {
      told.back() = sum_of(std::move(told.back()), event.told);
    } else {
      told.push_back(std::move(event.told));
    }
  }
  for (const Event& event : std::exchange(events_, {})) {
    for (const perf::EventHandle handle : {event.wide, event.narrow}) {
      if (handle != 0) judge_.forget(handle);
    }
  }
  on_end_(told);
}

void PerfExpectations::finish() { end(); }

}  // namespace pmufab::guest
