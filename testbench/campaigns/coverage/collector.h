// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/platform/platform_spec.h"
#include "models/pmu/wrap_watch.h"
#include "testbench/campaigns/coverage/coverage.h"
#include "testbench/campaigns/coverage/coverpoints.h"
#include "testbench/fabrics/common/pmu_facts.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/perf/event_names.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/perf/pmu_service.h"
#include "testbench/perf/types.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::coverage {

/// Finds out what the drivers of one run meet. It only listens: nothing in the run depends on it. While there is one, it
/// is the listener of WrapWatch.
class Collector final : public perf::PerfCallObserver, public perf::EventObserver {
 public:
  /// @throws EventError for an event that nothing causes
  using CheckEvent = std::function<void(const perf::ResolvedEvent&)>;

  /// @param platform, judge  outlive this
  Collector(const platform::PlatformSpec& platform, const scoreboard::Scoreboard& judge, CheckEvent check);
  ~Collector() override;
  Collector& operator=(Collector&&) = delete;

  /// Drivers were loaded.
  /// @param pmus  of drivers
  void loaded(const std::vector<perf::Pmu>& pmus);
  /// Something was done to the machine.
  void did(Step step);

  // What drivers and programs do.
  void on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t value,
               Picoseconds when) override;
  std::string on_add_failed(const std::string& pmu, perf::EventHandle event, int error) override;
  void on_open(const perf::PerfAttributes& attributes, perf::EventHandle leader, perf::EventHandle result) override;
  void on_read(perf::EventHandle event, bool is_group, const perf::EventReading& reading) override;
  void on_close(perf::EventHandle event) override;
  void on_access(const MmioBus::BusAccess& access);

  /// What somebody else has counted, where programs are not seen: a guest's perf.
  /// @param truth  what it must have counted at least
  void counted(const perf::PerfAttributes& attributes, std::uint64_t truth);

  [[nodiscard]] const Coverage& coverage() const noexcept { return coverage_; }

 private:
  struct Span {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    /// What happens at the instant of the beginning came before it: as a rule, it is what the call is made for.
    [[nodiscard]] bool contains(Picoseconds when) const noexcept { return begin < when && when < end; }
  };
  /// One PMU of a driver.
  struct Watched {
    PmuFacts facts;
    const perf::PmuCatalog::Entry* entry = nullptr;
    std::optional<Span> read;     // the last one, or the present one
    std::optional<Span> handler;  // likewise
    std::map<CounterPlace, perf::EventHandle> counters;
    std::map<CounterPlace, Picoseconds> wrapped;         // when, of events that count; no handler has come since
    std::set<Step> steps;                                // that it has met
    std::map<std::string, perf::PerfAttributes> opened;  // by event: the last ones that counted
  };
  /// An open event.
  struct Open {
    Watched* pmu = nullptr;
    perf::PerfAttributes attributes;
    perf::EventHandle leader = 0;
    bool in_group = false;
    bool shared = false;
    unsigned reads = 0;
    std::set<unsigned> counters;  // that it had
    std::uint64_t wraps = 0;
    bool several = false;
    bool in_read = false;
    bool in_handler = false;
    bool handled = false;
  };
  struct Frame {
    Call call;
    std::string pmu;
    perf::EventHandle event;
  };

  Watched* find(const std::string& pmu);
  Watched* find(std::uint32_t type);
  void wrapped(const CounterWrap& wrap);
  void note_wrap(Watched& pmu, const CounterPlace& place, const CounterWrap& wrap);
  void handled(Watched& pmu);
  static void forget_counters(Watched& pmu, perf::EventHandle event);
  void met(const Open& event, std::uint64_t truth);
  void met_wraps(const Open& event, const std::string& name);
  void met_event(const Open& event, const std::string& name);
  void met_filters(const Open& event, const std::string& name, const perf::ResolvedEvent& named);
  void meet(const Watched& pmu, const std::string& point, const std::string& bin);
  [[nodiscard]] PublishedEvents published(const perf::PmuCatalog::Entry& pmu) const;
  [[nodiscard]] std::string name_of(const perf::ResolvedEvent& event) const;

  const platform::PlatformSpec& platform_;
  const scoreboard::Scoreboard& judge_;
  CheckEvent check_;
  Coverage coverage_;
  /// What drivers publish at present.
  struct Published {
    explicit Published(const std::vector<perf::Pmu>& pmus, const scoreboard::Scoreboard& judge)
        : catalog(pmus), names(catalog, judge) {}
    perf::PmuCatalog catalog;
    perf::EventNames names;
  };
  std::unique_ptr<Published> published_;
  std::map<std::string, Watched> pmus_;  // by perf's name; all that there have been
  std::map<perf::EventHandle, Open> open_;
  std::vector<Frame> frames_;
  std::map<std::string, std::pair<Watched*, std::size_t>, std::less<>> places_;  // of CounterWrap
  unsigned offline_ = 0;
};

}  // namespace pmufab::coverage
