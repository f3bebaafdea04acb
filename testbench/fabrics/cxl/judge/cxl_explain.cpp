// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_explain.h"

#include <fmt/format.h>

namespace pmufab::scoreboard {
namespace {

/// How the written program differs from the meant one.
std::string writing_text(const CxlDoubt& doubt) {
  const CxlProgram& meant = doubt.meant;
  const CxlProgram& written = *doubt.written;
  std::string text;
  const auto say = [&text](const std::string& what) { text += text.empty() ? what : " and " + what; };
  if (written.vendor != meant.vendor || written.group != meant.group) {
    say(fmt::format("the event with the same bits in group index {}", doubt.written_index.value_or(0)));
    if (written.mask != meant.mask) say("with the mask counted before on that counter");
  } else if (written.mask != meant.mask) {
    say((written.mask & meant.mask) == meant.mask ? "the union with the mask counted before on that counter"
                                                  : "another mask");
  }
  if (written.edge && !meant.edge) say("edges, as set before on that counter");
  if (written.invert && !meant.invert) say("the inverted threshold, as set before on that counter");
  if (written.threshold != meant.threshold) say(fmt::format("a threshold of {}", written.threshold));
  if (written.hdm != meant.hdm || written.location != meant.location) say("another filter");
  return text;
}

/// Text for a value that differs by whole turns of the counter.
std::string wrap_text(std::uint64_t base, std::uint64_t driver, unsigned width) {
  if (width >= 63) return {};
  const std::uint64_t turn = std::uint64_t{1} << width;
  if (driver > base && (driver - base) % turn == 0 && (driver - base) / turn <= 64) {
    const std::uint64_t turns = (driver - base) / turn;
    return turns == 1 ? fmt::format("2^{} too many: the wrap was counted twice", width)
                      : fmt::format("{} * 2^{} too many: wraps were counted twice", turns, width);
  }
  if (base > driver && (base - driver) % turn == 0 && (base - driver) / turn <= 64)
    return fmt::format("{} * 2^{} missing: wraps were not counted", (base - driver) / turn, width);
  return {};
}

/// Text for a value that handling of overflows explains.
std::string overflow_text(std::uint64_t count, std::optional<std::uint64_t> at_overflow, std::uint64_t driver,
                          unsigned width) {
  std::string wraps = wrap_text(count, driver, width);
  if (!wraps.empty()) return wraps;
  // Zero has too many explanations.
  if (at_overflow && driver != 0 && driver <= *at_overflow && *at_overflow < count)
    return "stopped at the overflow: never unfrozen";
  return {};
}

}  // namespace

std::string explain_cxl(const CxlDoubt& doubt, std::uint64_t driver) {
  if (driver == doubt.expected) return {};
  if (doubt.is_frozen_loss) return "missed while an overflow had frozen the counters";
  if (!doubt.written) return overflow_text(doubt.expected, doubt.at_overflow, driver, doubt.width);
  if (driver == doubt.written_count)
    return fmt::format("equals {} ({})", writing_text(doubt), to_string(*doubt.written));
  const std::string written = fmt::format("was written as {} ({})", writing_text(doubt), to_string(*doubt.written));
  std::optional<std::uint64_t> at_overflow = doubt.at_overflow;
  if (at_overflow) at_overflow = doubt.written_at_overflow;
  const std::string overflow = overflow_text(doubt.written_count, at_overflow, driver, doubt.width);
  return overflow.empty() ? written : written + ", and " + overflow;
}

}  // namespace pmufab::scoreboard
