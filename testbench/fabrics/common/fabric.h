// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "models/platform/platform.h"
#include "testbench/fabrics/common/workload.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/perf/pmu_service.h"
#include "testbench/run/results/results.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {

/// Progress of transactions that are under way in fabrics.
struct DrainProgress {
  std::uint64_t uploaded = 0;   ///< messages, of all fabrics
  std::uint64_t delivered = 0;  ///< of those
  std::uint64_t pending = 0;    ///< transactions that have not ended, at nodes and links
  bool operator==(const DrainProgress&) const = default;
  DrainProgress& operator+=(const DrainProgress& other) noexcept {
    uploaded += other.uploaded;
    delivered += other.delivered;
    pending += other.pending;
    return *this;
  }

  [[nodiscard]] bool done() const noexcept { return uploaded == delivered && pending == 0; }
};

/// How far traffic is.
struct TrafficProgress {
  std::optional<double> fraction;  ///< the part that is done, if the traffic ends by itself
  Picoseconds sent_until = 0;      ///< simulated time of the last request, which may be ahead of now
};
/// Called from time to time while traffic goes on.
using ProgressFunction = std::function<void(const TrafficProgress&)>;

/// A quantity that the models or the traffic keep anyway, for time lines.
struct Gauge {
  std::string name;                      ///< what lies in what, with dots: "cmn0.xp3.e.flits"
  bool is_total = false;                 ///< it only grows, and its growth is of interest: a rate
  std::function<std::uint64_t()> value;  ///< now
};

/// The PMU fabric of one kind in a machine: its traffic, its judge, and what it knows of its events. Its FabricKind
/// makes it; the hardware is a platform::PlatformPart.
class Fabric {
 public:
  virtual ~Fabric() = default;

  /// Let traffic begin now, or end.
  virtual void start_traffic() = 0;
  virtual void stop_traffic() = 0;
  /// @return true while there is traffic whose end idle_event() will announce. A scenario without a duration waits for
  ///         it.
  [[nodiscard]] virtual bool is_busy() const { return false; }
  /// Notified when is_busy() may have become false; null if it never is true.
  [[nodiscard]] virtual const sc_core::sc_event* idle_event() const { return nullptr; }
  /// @return how much of its work so far needed no delta cycles, in operations.
  [[nodiscard]] virtual std::uint64_t operations_ahead() const { return 0; }
  /// Poll this to learn whether traffic has finished. @return true when all of its traffic was started and has ended by
  /// itself, with all its transactions; never for traffic without an end. Memory may still execute commands that no
  /// transaction waits for.
  [[nodiscard]] virtual bool traffic_is_over() const = 0;
  /// Add an object for each stream of traffic: name, issued, and further details. Errors are refused requests.
  virtual void report_traffic(Json& list) const = 0;
  /// Add the busiest part of each network, and of other resources that traffic shares: its `resource`, in which share of
  /// the time of traffic it was in `use`, and in which share somebody waited for it (`stall`).
  virtual void report_busiest(Json& /*networks*/) const {}
  /// Add the load of each mesh, as MeshLoad has it, if there are meshes.
  virtual void report_load(Json& /*list*/) const {}

  /// PMUs of the fabric that are served by software other than drivers; null: there are none.
  [[nodiscard]] virtual perf::PmuService* pmus() { return nullptr; }

  /// @return the socket whose CPUs a PMU belongs to; nothing for a PMU of another fabric, or of no socket
  [[nodiscard]] virtual std::optional<unsigned> socket_of(const std::string& /*pmu*/) const { return {}; }
  /// @return the kernel module that drives a PMU by description; "" for another PMU
  [[nodiscard]] virtual std::string driver_of(const std::string& /*pmu*/) const { return {}; }
  /// @return true if a driver may leave its PMUs with a CPU of another socket, once all CPUs of theirs were offline
  [[nodiscard]] virtual bool may_stay_away() const { return false; }

  /// Refuse an event of this fabric that cannot be judged. @throws EventError
  virtual void check_event(const perf::ResolvedEvent& /*event*/) const {}

  /// @return what to call so that the models let an event happen many times at once; empty for an event of another
  ///         fabric. The scoreboard is asked before, and has not refused the event.
  /// @throws std::invalid_argument if the models cannot
  [[nodiscard]] virtual scoreboard::Injection injection(const perf::ResolvedEvent& /*event*/, unsigned /*unit*/) {
    return {};
  }

  /// @return true for an event of this fabric that counts together with another. Which two belong together follows from
  ///         the order in which they are opened.
  [[nodiscard]] virtual bool counts_in_a_pair(const perf::ResolvedEvent& /*event*/) const { return false; }

  /// @return what may help with an event of this fabric that the driver refused; "" if nothing does.
  [[nodiscard]] virtual std::string hint(const perf::ResolvedEvent& /*event*/) const { return {}; }

  /// Add what a time line shows of traffic, links and queues. They live as long as the fabric.
  virtual void add_gauges(std::vector<Gauge>& /*gauges*/) const {}

  /// What is under way.
  [[nodiscard]] virtual DrainProgress progress() const { return {}; }
  /// @return how long nothing may move before the rest is given up.
  [[nodiscard]] virtual Picoseconds drain_patience() const { return 0; }
  /// @return true if its traffic consists of transactions, all of which have to end.
  [[nodiscard]] virtual bool has_transactions() const { return false; }
};

/// The parts of the machine that fabrics need.
struct FabricContext {
  platform::Platform& platform;
  const Workload& workload;
  scoreboard::Scoreboard& scoreboard;
  driver_host::DriverHost& host;
  ProgressFunction progress;
  std::string kernel{};                 ///< version of the drivers
  bool has_reference_software = false;  ///< counts in place of drivers
  bool is_judged = true;                ///< false: judges tell what drivers publish, and follow no traffic

  /// @return what the models tell of their wires: the judge, or nobody
  template <typename Judge>
  [[nodiscard]] Judge* listener(Judge& judge) const noexcept {
    return is_judged ? &judge : nullptr;
  }
};

/// Tell the scoreboard what an event means, unless a fabric refuses it.
/// @param leader  the terms of its group's leader; null: it has none
/// @return why nobody can judge the event; empty if the scoreboard does
[[nodiscard]] std::string expect_event(scoreboard::Scoreboard& judge,
                                       const std::vector<std::unique_ptr<Fabric>>& fabrics, perf::EventHandle handle,
                                       const perf::ResolvedEvent& event,
                                       const scoreboard::EventTerms* leader = nullptr);

/// Add the fabrics' hints to the notes of events that were refused.
void add_hints(MeasureResult& result, const perf::PmuService& pmus,
               const std::vector<std::unique_ptr<Fabric>>& fabrics);

}  // namespace pmufab::scenario
