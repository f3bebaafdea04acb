// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace pmufab::bench {

/// Builds the modules a benchmark file needs, before elaboration:
///
///     std::unique_ptr<Platform> platform;
///     const BeforeElaboration kBuildMine([] { platform = std::make_unique<Platform>("my_bench"); });
///
///     void my_benchmark(benchmark::State& state) { for (auto _ : state) platform->cpu.read(...); }
///     BENCHMARK(my_benchmark);
///
/// SystemC elaborates once per process and all benchmarks share one process. Modules of all files exist during each
/// benchmark, so they must sleep when they have nothing to do, and their names must differ. Benchmarks run inside a
/// thread process and may call sc_core::wait(). Simulated time never goes back and ends at 2^64 ps (5124 hours): a
/// benchmark that lets much of it pass fixes its number of iterations.
class BeforeElaboration {
 public:
  explicit BeforeElaboration(std::function<void()> build);
};

}  // namespace pmufab::bench
