#include "testbench/guest/perf_expectations.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "testbench/scenario/event_syntax.h"
#include "testbench/shell/event_names.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::guest {
namespace {

/// Options of perf stat that take the next argument, by letter.
constexpr std::string_view kWithValue = "eIrDxoCGFptMn";

}  // namespace

std::vector<std::string> event_arguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> events;
  constexpr std::string_view kLong = "--event=";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") break;
    if (argument.starts_with(kLong)) {
      events.push_back(argument.substr(kLong.size()));
    } else if (argument == "--event") {
      if (i + 1 < arguments.size()) events.push_back(arguments[++i]);
    } else if (argument.size() >= 2 && argument[0] == '-' && argument[1] != '-') {
      const std::size_t letter = argument.find_first_of(kWithValue, 1);
      if (letter == std::string::npos) continue;
      const bool is_event = argument[letter] == 'e';
      if (letter + 1 < argument.size()) {
        if (is_event) events.push_back(argument.substr(letter + 1));
      } else if (++i < arguments.size() && is_event) {
        events.push_back(arguments[i]);
      }
    } else if (i > 0 && argument[0] != '-') {
      break;  // what perf runs
    }
  }
  return events;
}

PerfExpectations::PerfExpectations(scenario::Machine& machine, const scenario::PmuCatalog& catalog,
                                   std::function<void(const std::vector<ExpectedEvent>&)> on_end)
    : machine_(machine), catalog_(catalog), on_end_(std::move(on_end)) {}

void PerfExpectations::hear(std::string_view bytes) {
  // What a virtual machine says is not to be believed, nor kept for ever.
  constexpr std::size_t kMost = 1 << 16;
  for (const char byte : bytes) {
    if (byte != '\0') {
      if (heard_.size() < kMost) heard_ += byte;
      continue;
    }
    words_.push_back(std::exchange(heard_, {}));
    if (words_.front() == "end") {
      end();
      words_.clear();
    } else if (words_.front() != "begin" || words_.size() > kMost) {
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
  end();  // one that was killed
  if (arguments.empty() || arguments.front() != "stat") return;
  counting_ = true;
  for (const std::string& text : event_arguments(arguments)) {
    try {
      for (const scenario::WrittenGroup& group : scenario::parse_events(text)) {
        for (const scenario::WrittenEvent& event : group.events) add(event.text);
      }
    } catch (const scenario::EventError& error) {
      events_.push_back({{text, {}, {}, error.reason()}, 0, 0, 0, false, {}});
    }
  }
}

void PerfExpectations::add(const std::string& text) {
  Event event;
  event.told.text = text;
  try {
    const std::vector<scenario::ResolvedGroup> groups = catalog_.resolve(text);
    if (groups.size() != 1) {
      event.told.note = "it stands for several events";
    } else {
      // In the words of the driver, whatever perf was given.
      event.event = *shell::EventNames(catalog_).name(groups.front().events.front().attributes);
      for (const auto& fabric : machine_.fabrics()) fabric->check_event(event.event);
      if (!machine_.scoreboard().judges(event.event.pmu)) {
        event.told.note = "no one judges this PMU";
      } else {
        machine_.scoreboard().expect(next_, event.event.pmu, event.event.terms);
        event.wide = next_++;
        event.begun = simulated_time();
        machine_.scoreboard().begin(event.wide, event.begun);
      }
    }
  } catch (const scenario::EventError& error) {
    event.told.note = error.reason();
  } catch (const std::invalid_argument& error) {
    event.told.note = error.what();
  }
  events_.push_back(std::move(event));
}

void PerfExpectations::traffic_begins() {
  for (Event& event : events_) {
    if (event.wide == 0 || event.narrow != 0) continue;
    machine_.scoreboard().expect(next_, event.event.pmu, event.event.terms);
    event.narrow = next_++;
    machine_.scoreboard().begin(event.narrow, simulated_time());
  }
}

bool PerfExpectations::is_certain(const Event& event, Picoseconds end) const {
  const auto of_pmu = std::count_if(events_.begin(), events_.end(),
                                    [&](const Event& other) { return other.event.pmu == event.event.pmu; });
  const std::optional<scoreboard::EventResult> result = machine_.scoreboard().result(event.wide);
  return of_pmu == 1 && result && result->windows.size() == 1 && result->windows.front().begin > event.begun &&
         result->windows.front().end < end;
}

void PerfExpectations::closing() {
  for (Event& event : events_) {
    if (event.narrow != 0 && !std::exchange(event.closing, true))
      machine_.scoreboard().end(event.narrow, simulated_time());
  }
}

void PerfExpectations::end() {
  if (!counting_) return;
  counting_ = false;
  std::vector<ExpectedEvent> told;
  const Picoseconds now = simulated_time();
  closing();
  for (Event& event : events_) {
    if (event.wide != 0) {
      machine_.scoreboard().end(event.wide, now);
      event.told.high = machine_.scoreboard().expected(event.wide, now);
      if (is_certain(event, now)) {
        event.told.low = event.told.high;
      } else {
        event.told.low = event.narrow == 0 ? 0 : machine_.scoreboard().expected(event.narrow, now);
      }
    }
  }
  for (Event& event : events_) told.push_back(std::move(event.told));
  events_.clear();
  on_end_(told);
}

void PerfExpectations::finish() { end(); }

}  // namespace pmufab::guest
