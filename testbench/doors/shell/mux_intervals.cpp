// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/mux_intervals.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

namespace pmufab::shell {
namespace {

constexpr int kKernels = 4;  // PERF_CPU_HRTIMER, 1000 / 250

/// The number in what a program wrote, which a line feed may end; nothing if the kernel refuses it. As in the kernel,
/// 0x begins a hexadecimal number, another 0 an octal one, and a plus sign may come before.
std::optional<int> accepted(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
    if (text.starts_with('-')) return std::nullopt;
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

}  // namespace

Picoseconds MuxIntervals::of(const std::string& pmu) {
  const std::filesystem::path file = devices_ / pmu / "perf_event_mux_interval_ms";
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  int& milliseconds = accepted_.try_emplace(pmu, kKernels).first->second;
  if (const std::optional<int> number = accepted(text)) milliseconds = *number;
  const std::string shown = std::to_string(milliseconds) + "\n";
  if (!text.empty() && text != shown) std::ofstream(file, std::ios::binary) << shown;  // empty: it is being written
  constexpr double kMillisecond = 1e9;
  constexpr double kMost = 1e18;
  return static_cast<Picoseconds>(std::clamp(milliseconds * kMillisecond * time_scale_, 1.0, kMost));
}

}  // namespace pmufab::shell
