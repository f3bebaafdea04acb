// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"

namespace pmufab::scenario {

/// Whether drivers say what a PMU can count, as compare_published() does, and where, as perf wants to know it: `cpumask`
/// names one CPU that is online, and of the PMU's socket. `associated_cpus`, if there is one, names all CPUs of the
/// socket.
class PublicationCheck {
 public:
  explicit PublicationCheck(Machine& machine) : machine_(machine) {}

  /// Look at what is published now. From a SystemC thread process.
  /// @param when  "after cpu 3 went offline"
  void look(const std::string& when);
  /// Drivers were loaded: their PMUs begin with CPUs of their sockets.
  void loaded() { away_.clear(); }
  /// Look at what drivers draw of the hardware in debugfs. They read registers for it, which takes simulated time.
  /// look() must have been called before.
  void look_at_drawings(const std::string& when);
  /// Open each event that is shown, by itself: what a driver shows, it takes. No event may be open, and nobody judges.
  /// @param left_out  PMUs whose registers are broken
  void try_events(const std::set<std::string>& left_out, const std::string& when);
  /// @return the simulated time that look_at_drawings() and try_events() took
  [[nodiscard]] Picoseconds taken() const noexcept { return taken_; }
  /// @return "published": failed if look() has found something wrong
  [[nodiscard]] CheckResult result() const;

 private:
  void try_events_of(const perf::PmuCatalog::Entry& pmu, const std::string& when);
  void check_tables(const perf::PmuCatalog::Entry& pmu, const std::string& when);
  using Files = std::map<std::string, std::string>;  // name to text
  void check_drawing(const perf::PmuCatalog::Entry& pmu, const Files& debugfs, const std::string& when);
  void add(const perf::PmuCatalog::Entry& pmu, const char* file, const std::string& when, const std::string& problem);
  void check_cpumask(const perf::PmuCatalog::Entry& pmu, const std::set<unsigned>& cpus, const std::string& when);
  void check_associated(const perf::PmuCatalog::Entry& pmu, const std::set<unsigned>& cpus, const std::string& when);

  Machine& machine_;
  std::map<std::string, scoreboard::Publication> expected_;  // by PMU
  struct Problem {
    std::string pmu;
    std::string text;  // with the time and the file
  };
  std::vector<Problem> problems_;
  Picoseconds taken_ = 0;
  std::map<std::string, unsigned> away_;                // PMUs that may be with this CPU of another socket
  std::set<std::pair<std::string, std::string>> told_;  // PMU and file: the first problem of each is enough
};

}  // namespace pmufab::scenario
