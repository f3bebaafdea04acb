#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "testbench/scoreboard/cmem_timeline.h"
#include "testbench/scoreboard/event_meaning.h"
#include "testbench/scoreboard/exact_clock.h"
#include "testbench/scoreboard/pmu_watch.h"
#include "testbench/scoreboard/scoreboard.h"
#include "testbench/scoreboard/ucf_events.h"

namespace pmufab::scoreboard {

/// Everything that had been counted when something happened.
struct Instant {
  std::uint64_t number = 0;  ///< order among instants; ties of time are resolved by it
  Picoseconds when = 0;
  UcfTally ucf;                ///< of a UCF PMU's socket
  std::size_t checkpoint = 0;  ///< of a CMEM PMU's timeline
};

/// One event of the user: its windows and what lay in them. All events of a UCF are collected, so that the meaning may
/// be told later and a wrong count can be explained.
class EventRecord {
 public:
  EventRecord(driver_host::EventHandle handle, const PmuWatch& pmu, const ExactClock& clock,
              const CmemTimeline& timeline)
      : handle_(handle), pmu_(pmu), clock_(clock), timeline_(timeline) {}

  using Meaning = std::variant<UcfMeaning, CmemMeaning>;
  void set_meaning(Meaning meaning) { meaning_ = std::move(meaning); }
  [[nodiscard]] bool has_meaning() const noexcept { return meaning_.has_value(); }
  [[nodiscard]] bool active() const noexcept { return active_; }
  [[nodiscard]] const PmuWatch& pmu() const noexcept { return pmu_; }

  void begin_add();
  void end_add(bool accepted, const Instant& now);
  void deactivate(const Instant& now);
  void activate(const Instant& now);
  void open(const Instant& now);
  void close(const Instant& now);

  /// What the event counted, to be worked out when asked: reads of CMEM may be told late.
  struct Point {
    std::uint64_t value = 0;  ///< unless lazy
    bool lazy = false;
    std::size_t spans = 0;             ///< lazy: closed windows so far
    std::optional<std::size_t> begin;  ///< lazy: checkpoint at which the open window began
    std::size_t end = 0;               ///< lazy: checkpoint of the point
  };
  /// @return nothing if no meaning is known yet.
  [[nodiscard]] std::optional<Point> point(const Instant& now) const;
  void judge_read(Picoseconds begin, Picoseconds end, std::uint64_t value, const std::optional<Point>& low,
                  const std::optional<Point>& high, const std::optional<Point>& sample);
  /// A pmu_enable call did not start the PMU while this event was active. That is a driver's fault once it is certain
  /// that the driver had accepted the event: when it is read, stopped or deleted.
  void suspect(Picoseconds when) { suspected_ = when; }
  /// @return the suspicion, if there is one, and forget it.
  [[nodiscard]] std::optional<Picoseconds> confirm() { return std::exchange(suspected_, std::nullopt); }
  void set_driver_value(std::uint64_t value) { driver_ = value; }

  /// @return what the event must read at `when`, not before the latest instant told to this record.
  [[nodiscard]] std::uint64_t expected(const UcfTally& ucf, Picoseconds when) const;
  [[nodiscard]] EventResult result(const UcfTally& ucf, Picoseconds when) const;

 private:
  struct Span {
    std::size_t begin;  // checkpoints
    std::size_t end;
  };
  struct Counted {
    UcfTally ucf;
    std::uint64_t edges = 0;
    std::vector<Span> spans;
    std::vector<CountingWindow> windows;
  };
  struct JudgedRead {
    Picoseconds begin;
    Picoseconds end;
    std::uint64_t value;
    Point low;
    Point high;
    bool sampled;
  };

  [[nodiscard]] bool counts_edges() const;
  [[nodiscard]] std::uint64_t value_of(const Point& point) const;
  [[nodiscard]] std::uint64_t pick(const CmemSums& sums) const;
  [[nodiscard]] UcfTally ucf_counted(const UcfTally& now) const;
  [[nodiscard]] std::vector<CmemSums> cmem_counted(Picoseconds when) const;
  void add_reads(EventResult& result) const;

  driver_host::EventHandle handle_;
  const PmuWatch& pmu_;
  const ExactClock& clock_;
  const CmemTimeline& timeline_;
  std::optional<Meaning> meaning_;
  bool active_ = false;
  std::optional<Picoseconds> suspected_;
  std::optional<Instant> open_;
  Counted counted_;
  Counted before_add_;
  std::optional<std::uint64_t> driver_;
  std::vector<JudgedRead> reads_;
};

/// @return what other count the driver's value of a UCF event equals, in words: another filter, another event, ...
[[nodiscard]] std::string explain_ucf(const UcfMeaning& meaning, const UcfTally& counted, std::uint64_t edges,
                                      std::uint64_t driver);
/// @return the same for a CMEM event, from the sums per controller.
/// @param controllers  per instance
[[nodiscard]] std::string explain_cmem(CmemMeaning meaning, const std::vector<CmemSums>& counted,
                                       std::size_t controllers, std::uint64_t edges, std::uint64_t driver);

}  // namespace pmufab::scoreboard
