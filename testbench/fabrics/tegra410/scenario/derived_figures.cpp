// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_kind.h"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

constexpr double kTolerance = 0.001;
constexpr std::uint64_t kEnoughRequests = 10'000;
constexpr Picoseconds kEnoughTime = 10'000'000'000;

const DerivedInput* find(const std::vector<DerivedInput>& inputs, const std::string& pmu, std::string_view event) {
  for (const DerivedInput& input : inputs) {
    if (input.pmu == pmu && input.event == event && !input.filtered && input.complete) return &input;
  }
  return nullptr;
}

/// "rd" -> "read", "in_wr" -> "incoming write".
std::string requests_in_words(std::string_view kind) {
  const std::string_view way = kind.starts_with("in_") ? "incoming " : kind.starts_with("out_") ? "outgoing " : "";
  return fmt::format("{}{}", way, kind.ends_with("rd") ? "read" : "write");
}

/// "slc_bytes_rd" -> "slc read", "rd_bytes" -> "read"
std::string in_words(std::string_view event) {
  if (event.starts_with("rd_")) return "read";
  if (event.starts_with("wr_")) return "write";
  const std::string unit(event.substr(0, event.find('_')));
  return fmt::format("{} {}", unit, event.ends_with("_rd") ? "read" : "write");
}

}  // namespace

std::vector<DerivedResult> derived_figures(const std::vector<DerivedInput>& inputs) {
  std::vector<DerivedResult> results;
  for (const DerivedInput& input : inputs) {
    if (input.filtered || !input.complete || input.elapsed == 0) continue;
    const double elapsed_ns = static_cast<double>(input.elapsed) / 1e3;
    const std::string_view event = input.event;
    if (input.figure == scoreboard::Figure::bandwidth && !event.empty()) {
      results.push_back({fmt::format("{} {} bandwidth", input.pmu, in_words(event)),
                         static_cast<double>(input.count) / elapsed_ns, "GB/s", std::nullopt, true});
    } else if (input.figure == scoreboard::Figure::request_rate && !event.empty()) {
      const DerivedInput* cycles = find(inputs, input.pmu, "cycles");
      if (cycles != nullptr && cycles->count > 0) {
        results.push_back({fmt::format("{} {} request rate", input.pmu, in_words(event)),
                           static_cast<double>(input.count) / static_cast<double>(cycles->count), "requests/cycle",
                           std::nullopt, true});
      }
    } else if (event.ends_with("_cum_outs")) {
      const std::string kind(event.substr(0, event.find("_cum_outs")));
      const DerivedInput* requests = find(inputs, input.pmu, kind + "_req");
      const DerivedInput* cycles = find(inputs, input.pmu, "cycles");
      if (requests == nullptr || cycles == nullptr || requests->count == 0 || cycles->count == 0) continue;
      const double gigahertz = static_cast<double>(cycles->count) / (static_cast<double>(cycles->elapsed) / 1e3);
      const double in_cycles = static_cast<double>(input.count) / static_cast<double>(requests->count);
      DerivedResult latency{fmt::format("{} average {} latency", input.pmu, requests_in_words(kind)),
                            in_cycles / gigahertz, "ns", std::nullopt, true};
      if (requests->mean_latency_ps.denominator > 0) {
        latency.reference = requests->mean_latency_ps.value() / 1e3;
        const bool enough = requests->count >= kEnoughRequests && cycles->elapsed >= kEnoughTime;
        latency.ok = !enough || std::abs(latency.value - *latency.reference) <= kTolerance * *latency.reference;
      }
      results.push_back(std::move(latency));
    }
  }
  return results;
}

}  // namespace pmufab::scenario
