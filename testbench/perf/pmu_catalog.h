// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/judge/events/event_truth.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/perf/types.h"

namespace pmufab::perf {

/// Which bits of perf_event_attr a format term fills: "config:0-7", "config1:0,2-5".
struct TermFormat {
  enum class Word : std::uint8_t { config, config1, config2 };
  Word word = Word::config;
  std::vector<unsigned> bits;  ///< of the word, from the value's bit 0 upwards

  [[nodiscard]] std::uint64_t maximum() const noexcept;
  /// Or the value's bits into `target`, as perf does.
  void place(std::uint64_t value, std::uint64_t& target) const noexcept;
  /// @return the value that attributes hold in these bits
  [[nodiscard]] std::uint64_t value_in(const PerfAttributes& attributes) const noexcept;
};

/// @return nothing if the text is not a format
[[nodiscard]] std::optional<TermFormat> parse_format(std::string_view text);

/// One event ready to be opened.
struct ResolvedEvent {
  std::string text;  ///< as written, wildcards replaced: "nvidia_ucf_pmu_0/slc_access_rd/"
  std::string pmu;
  PerfAttributes attributes;
  unsigned cpu = 0;              ///< the PMU's first CPU (its cpumask)
  scoreboard::EventTerms terms;  ///< what the user wrote, for the scoreboard
};

struct ResolvedGroup {
  std::vector<ResolvedEvent> events;
  bool braces = false;
};

/// An event or a term that its driver publishes so that nobody can use it.
class PublicationError : public EventError {
 public:
  using EventError::EventError;
};

/// What drivers publish about their PMUs, as perf would read it from sysfs, and how event strings resolve against it.
class PmuCatalog {
 public:
  explicit PmuCatalog(const std::vector<Pmu>& pmus);

  struct Event {
    std::string name;
    std::string definition;  ///< content of events/NAME, for example "event=0x119"
  };
  struct Format {
    std::string name;                ///< of the term
    std::string text;                ///< content of format/NAME, for example "config:0-7"
    std::optional<TermFormat> bits;  ///< nothing if the text is not a format
  };
  struct Entry {
    std::string name;
    std::uint32_t type = 0;
    std::vector<Event> events;                                ///< by name
    std::vector<Format> formats;                              ///< by name
    std::vector<std::pair<std::string, std::string>> others;  ///< files outside events/ and format/, by name
    std::vector<unsigned> cpus;                               ///< cpumask
  };
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }  ///< by name

  /// @return the names of the terms that an event leaves to the user ("lane=?"). The event must outlive them.
  [[nodiscard]] static std::vector<std::string_view> open_terms(const Event& event);
  /// @return what an event of the PMU stands for, where the user gives the terms that it leaves open
  /// @throws EventError for a definition that nobody can use
  [[nodiscard]] static PerfAttributes define(const Entry& pmu, const Event& event);

  /// @return a sentence for each format that is none. Its term cannot be used.
  [[nodiscard]] std::vector<std::string> warnings() const;

  /// @return true if there is a PMU of that name, which may hold '*' and '?'
  [[nodiscard]] bool has(std::string_view pmu) const;

  /// Turn an event string into attributes. A PMU name with '*' or '?' stands for every PMU it matches: outside braces
  /// one event each, inside braces one group each.
  /// @throws EventError with near matches for an unknown PMU, event or term, and for values that do not fit
  [[nodiscard]] std::vector<ResolvedGroup> resolve(const std::string& text) const;

 private:
  [[nodiscard]] ResolvedEvent resolve(const std::string& text, const WrittenEvent& event, const Entry& pmu) const;
  [[nodiscard]] std::vector<const Entry*> matching(const std::string& text, const WrittenEvent& event) const;

  std::vector<Entry> entries_;
};

/// @return numbers of a kernel CPU list such as "0-3,8"; empty if it is none.
[[nodiscard]] std::vector<unsigned> parse_cpu_list(std::string_view text);

}  // namespace pmufab::perf
