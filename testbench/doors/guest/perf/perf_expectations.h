// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/doors/guest/perf/metric.h"
#include "testbench/doors/guest/perf/perf_rows.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/perf/event_names.h"
#include "testbench/perf/pmu_catalog.h"

namespace pmufab::guest {

/// One event of a perf that runs in the virtual machine, and what it must count. Or a metric, whose events are others of
/// the same perf.
struct ExpectedEvent {
  std::string text;  ///< as perf was given it: "nvidia_ucf_pmu_0/event=0x111/"; an event of a metric: "hnf_cache_miss"
  /// Bounds of the count; equal unless it depends on when perf opened and closed the event, as clock cycles do. Nothing
  /// if nobody judges it.
  std::optional<std::uint64_t> low{};
  std::optional<std::uint64_t> high{};
  std::string note{};  ///< why not; or what is worth a word even if the count is right
  /// Why a count outside of the bounds may be right all the same; nothing if it is wrong.
  std::string doubt{};
  bool is_refused = false;                       ///< the kernel has to refuse it; `note` says why
  bool is_member = false;                        ///< of a group in which the kernel may refuse it beside the others
  std::optional<Metric> metric{};                ///< of a metric: `text` is its name, and it has no bounds
  std::optional<scoreboard::Account> account{};  ///< if the bounds are equal; nothing is reported yet
};

/// What perf counts in the virtual machine, according to the scoreboard.
///
/// The wrapper of perf in the virtual machine tells perf's arguments before it runs, and its end. In between, events
/// count while the drivers in the virtual machine let their PMUs run, which the scoreboard sees on the bus. When perf
/// opens and closes each event cannot be seen; so each is watched twice: from before perf began to its end, and while
/// all are open and none is being closed. One that is the only one of its PMU, or in a group with all others of it,
/// counts just while the driver lets the PMU run, if it stops it afterwards. Where traffic may have come while perf
/// opened or closed events, or another perf ran, a difference is no proof.
class PerfExpectations {
 public:
  using Fabrics = std::vector<std::unique_ptr<scenario::Fabric>>;

  /// @param fabrics  know which of their events count in pairs, or cannot be judged
  /// @param on_end   called with the events of each perf when it has ended
  PerfExpectations(scoreboard::Scoreboard& judge, const Fabrics& fabrics, const perf::PmuCatalog& catalog,
                   std::function<void(const std::vector<ExpectedEvent>&)> on_end);
  /// Call `on_counted` for each event that has certainly counted, and how much at least, when its perf has ended.
  using CountedFunction = std::function<void(const perf::PerfAttributes& attributes, std::uint64_t least)>;
  void on_counted(CountedFunction on_counted) { on_counted_ = std::move(on_counted); }
  /// Call `on_printed` with what a perf has printed to a file (-o), before its end is told.
  using PrintedFunction = std::function<void(const std::string& text)>;
  void on_printed(PrintedFunction on_printed) { on_printed_ = std::move(on_printed); }

  /// Bytes from the wrapper, each word with a zero behind it: "metrics" and what perf list -j says of them; "begin", the
  /// number of arguments, the arguments; "printed", the name of a file and what is in it; "end".
  void hear(std::string_view bytes);
  /// A perf stat runs.
  [[nodiscard]] bool is_counting() const noexcept { return counting_; }
  /// How far the traffic is.
  enum class Traffic : std::uint8_t { not_begun, under_way, ended };
  [[nodiscard]] Traffic traffic() const noexcept { return traffic_; }
  void begin_traffic();
  void end_traffic() { traffic_ = Traffic::ended; }
  /// perf has not written a register for a while: all its events are open.
  void all_open();
  /// The origin of a register write.
  enum class Writer : std::uint8_t {
    perf,    ///< which opens or closes an event
    unknown  ///< a handler of an interrupt has just been at work: its, or perf's
  };
  /// Software wrote a register.
  /// @param after_pause  nobody had written one for so long that perf cannot have been closing its events
  void register_written(Writer writer, bool after_pause);
  /// Report what is left at the end of the session.
  void finish();

 private:
  struct Event {
    ExpectedEvent told;
    perf::EventHandle wide = 0;
    perf::EventHandle narrow = 0;
    std::uint64_t before = 0;              // counted when all events were open; of a paired event
    std::optional<std::uint64_t> least{};  // counted since then, when perf may have begun to close events
    Picoseconds begun = 0;
    std::size_t group = 0;   // with events that are opened and closed together
    bool is_paired = false;  // counts together with another event, so a second watch would make a second pair
    bool adds = false;       // perf prints the sum of this one and the one before
    perf::ResolvedEvent event{};
  };
  void begin(const std::vector<std::string>& arguments);
  void end();
  void add(const std::string& text, std::size_t group, const std::string& reason);
  void add_written(const perf::WrittenGroup& group, bool merges, const std::string& reason);
  void add_row(const PerfRow& row, const std::string& reason);
  void refuse(Event& event, const std::string& why);
  [[nodiscard]] bool is_first_refused(std::size_t index) const;
  [[nodiscard]] bool has_room(std::size_t index) const;
  void take_printed(const std::string& file, const std::string& text);
  void add_metrics(const std::string& name, const std::string& reason);
  void add_event_of(const Metric& metric, const std::string& name, const std::string& reason);
  void close_narrow();
  /// It is being watched since all events were open.
  [[nodiscard]] bool is_watched(const Event& event) const;
  [[nodiscard]] std::uint64_t counted_since_open(const Event& event) const;
  void bound(Event& event, Picoseconds now);
  /// It counted when its PMU ran, not before and not longer.
  [[nodiscard]] bool is_certain(const Event& event, Picoseconds end) const;

  scoreboard::Scoreboard& judge_;
  const Fabrics& fabrics_;
  const perf::PmuCatalog& catalog_;
  perf::EventNames names_;
  std::function<void(const std::vector<ExpectedEvent>&)> on_end_;
  CountedFunction on_counted_;
  PrintedFunction on_printed_;
  std::string output_;  // the file that perf prints to
  std::string heard_;   // up to the last zero that has not come
  std::vector<std::string> words_;
  std::vector<Metric> metrics_;  // that perf knows
  std::vector<Event> events_;
  std::size_t groups_ = 0;
  perf::EventHandle next_ = 1;
  Traffic traffic_ = Traffic::not_begun;
  std::size_t running_ = 0;  // perfs that have begun, and not said that they have ended
  bool alone_ = true;        // no other perf ran while this one did
  bool counting_ = false;
  bool open_ = false;       // all events are
  bool closing_ = false;    // the first may not be any more
  bool disturbed_ = false;  // events were opened or closed while there was traffic
};

}  // namespace pmufab::guest
