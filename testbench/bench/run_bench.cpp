// SPDX-License-Identifier: Apache-2.0
// Whole runs, as a user starts them: scenario, drivers, PMUs, traffic and judge, each in a process of its own. The
// scenarios are in runs/; `pmufab run` takes them, too.
//
// Arguments: `judged`, 0 for a scenario with `judge: off`; `at_once`, how many runs at the same time. The time is that of
// the clock until all have ended. The counter `processors` tells how many were at work on average.
//
// Those named judge/... compare processor times: seconds `judged`, `not_judged`, and the one `over` the other.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "testbench/fabrics/cmn/scenario/mesh_load.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/runner.h"

namespace pmufab {
namespace {

namespace fs = std::filesystem;
using scenario::RunResult;

/// What a scenario makes many of.
struct Subject {
  const char* name;
  const char* file;                     ///< in runs/
  const char* unit;                     ///< "flit_hops"; the rate is called so
  std::vector<std::string> settings{};  ///< texts of --set
};

std::uint64_t units_of(const Subject& subject, const RunResult& run) {
  std::uint64_t sum = 0;
  if (subject.unit == std::string("flit_hops")) {
    for (const scenario::MeshLoad& mesh : scenario::mesh_loads_from_json(run.load)) sum += mesh.flits();
    return sum;
  }
  for (const scenario::Json& stream : run.traffic)
    sum += stream.value("completed", stream.value("issued", std::uint64_t{0}));
  return sum;
}

/// A folder that is removed with all that is in it.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "pmufab-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made in " + name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch& operator=(Scratch&&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// The same scenario so many times, each with another seed.
class Runs final : public scenario::RunSource {
 public:
  Runs(const Subject& subject, bool is_judged, std::size_t number)
      : subject_(subject), is_judged_(is_judged), number_(number) {}

  std::optional<scenario::RunPlan> next() override {
    if (begun_ == number_) return std::nullopt;
    const auto file = std::make_shared<const scenario::ScenarioFile>(fs::path(PMUFAB_BENCH_RUNS_DIR) / subject_.file);
    std::vector<std::string> settings = subject_.settings;
    settings.push_back("seed=" + std::to_string(++begun_));
    if (!is_judged_) settings.emplace_back("judge=off");
    const auto overrides = std::make_shared<const std::vector<std::string>>(std::move(settings));
    const scenario::ScenarioSpec spec = file->load({}, *overrides);
    const std::vector<driver_host::DriverSet> sets =
        scenario::sets_for(driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR), spec.platform);
    if (sets.empty()) throw std::runtime_error("no drivers for " + spec.platform_name);
    return scenario::RunPlan{scenario::plan_scenario(file, {}, overrides, spec),
                             std::make_shared<const driver_host::DriverSet>(sets.back())};
  }
  void take(const scenario::RunPlan& /*plan*/, RunResult run, const scenario::RunCost& cost) override {
    processor_seconds += cost.processor_seconds;
    units += units_of(subject_, run);
    const auto wanted = is_judged_ ? RunResult::Status::passed : RunResult::Status::not_judged;
    if (run.status != wanted || units == 0)
      error = std::string(scenario::to_string(run.status)) + ": " + run.message + scenario::Json(run.findings).dump();
  }
  [[nodiscard]] std::size_t size() const override { return number_; }

  double processor_seconds = 0;
  std::uint64_t units = 0;
  std::string error;

 private:
  const Subject& subject_;
  bool is_judged_;
  std::size_t number_;
  std::size_t begun_ = 0;
};

bool has_failed = false;

void whole_run(benchmark::State& state, const Subject& subject) {
  const bool is_judged = state.range(0) != 0;
  const auto at_once = static_cast<unsigned>(state.range(1));
  std::uint64_t units = 0;
  for (auto _ : state) {
    const Scratch scratch;
    Runs runs(subject, is_judged, at_once);
    scenario::RunnerOptions options;
    options.jobs = at_once;
    options.records_load = true;
    options.scratch = scratch.path();
    const auto begin = std::chrono::steady_clock::now();
    scenario::run_all(runs, options);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (!runs.error.empty()) {
      state.SkipWithError(runs.error.c_str());
      has_failed = true;
    }
    units += runs.units;
    state.SetIterationTime(taken.count());
    state.counters["processors"] = runs.processor_seconds / taken.count();
  }
  state.counters[subject.unit] = benchmark::Counter(static_cast<double>(units), benchmark::Counter::kIsRate);
}

/// Processor time with the judge over that without. Both run in turn, so that what else the machine does matters less.
void cost_of_judge(benchmark::State& state, const Subject& subject) {
  std::array<double, 2> seconds{};  // not judged, judged
  for (auto _ : state) {
    for (const bool is_judged : {false, true}) {
      const Scratch scratch;
      Runs runs(subject, is_judged, 1);
      scenario::RunnerOptions options;
      options.jobs = 1;
      options.records_load = true;
      options.scratch = scratch.path();
      scenario::run_all(runs, options);
      if (!runs.error.empty()) {
        state.SkipWithError(runs.error.c_str());
        has_failed = true;
      }
      seconds.at(is_judged ? 1 : 0) += runs.processor_seconds;
    }
    state.SetIterationTime(seconds[1]);
  }
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["not_judged"] = seconds[0] / iterations;
  state.counters["judged"] = seconds[1] / iterations;
  state.counters["over"] = seconds[1] / seconds[0];
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"mesh/load:20", "mesh.yaml", "flit_hops", {"mesh_traffic[0].rate=0.02", "duration=1 ms"}},
      {"mesh/load:100", "mesh.yaml", "flit_hops", {"mesh_traffic[0].rate=0.1", "duration=250 us"}},
      {"mesh/load:300", "mesh.yaml", "flit_hops", {"mesh_traffic[0].rate=0.3", "duration=80 us"}},
      {"chi/read_once", "chi.yaml", "operations"},
      {"chi/load", "chi.yaml", "operations", {"chi_traffic[0].mix={load: 1}"}},
      {"cxl/stream", "cxl.yaml", "operations"},
      {"cxl/random", "cxl.yaml", "operations", {"cxl_traffic[0].ranges[0].pattern.kind=uniform"}},
      {"cxl/evictions",
       "cxl.yaml",
       "operations",
       {"cxl_traffic[0].ranges[0].pattern.kind=uniform", "cxl_traffic[0].ranges[0].base=0x14000000000",
        "cxl_traffic[0].mix={load: 2, store: 1}"}},
      {"cxl/occupancy", "occupancy.yaml", "operations"},
      {"ucf/two_sockets", "ucf.yaml", "requests"},
      {"dwc/answers", "dwc.yaml", "messages"},
      {"soc/reads", "soc.yaml", "occurrences"},
  };
  return all;
}

}  // namespace
}  // namespace pmufab

// SystemC's library wants one. Each run elaborates and simulates in its own process.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  for (const pmufab::Subject& subject : pmufab::subjects()) {
    benchmark::RegisterBenchmark(subject.name, [&subject](benchmark::State& state) { whole_run(state, subject); })
        ->ArgNames({"judged", "at_once"})
        ->ArgsProduct({{1, 0}, {1, 2}})
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((std::string("judge/") + subject.name).c_str(),
                                 [&subject](benchmark::State& state) { cost_of_judge(state, subject); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return pmufab::has_failed ? 1 : 0;
}
