// SPDX-License-Identifier: Apache-2.0
// The main program of all benchmarks. See bench.h.

#include <cstdlib>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <systemc>

#include "testbench/bench/bench.h"

namespace pmufab::bench {

namespace {
std::vector<std::function<void()>>& builders() {
  static std::vector<std::function<void()>> list;
  return list;
}
}  // namespace

BeforeElaboration::BeforeElaboration(std::function<void()> build) { builders().push_back(std::move(build)); }

}  // namespace pmufab::bench

int sc_main(int argc, char* argv[]) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const auto& build : pmufab::bench::builders()) build();
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_spawn_options options;
  options.set_stack_size(8 << 20);
  sc_core::sc_spawn(
      [] {
        benchmark::RunSpecifiedBenchmarks();
        sc_core::sc_stop();
      },
      "benchmarks", &options);
  sc_core::sc_start();
  benchmark::Shutdown();
  return 0;
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
