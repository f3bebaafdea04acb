// SPDX-License-Identifier: Apache-2.0
// The lines of an access log for people.
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "testbench/run/tracing/access_log.h"

namespace pmufab::scenario {
namespace {

constexpr unsigned kIndent = 2;

std::string text_of(const Json& line, const char* key) { return line.value(key, std::string()); }

/// Exact, and equally long for all lines: microseconds with six digits behind the point.
std::string time_of(const Json& line) {
  constexpr Picoseconds kMicrosecond = 1'000'000;
  const auto when = line.at("time_ps").get<Picoseconds>();
  return fmt::format("{:>8}.{:06}", when / kMicrosecond, when % kMicrosecond);
}

/// ", count 17, expected 18: WRONG"
std::string count_of(const Json& line) {
  if (!line.contains("count")) return {};
  std::string text = fmt::format(", count {}", line.at("count").get<std::uint64_t>());
  if (!line.contains("expected")) return text;
  const Json& expected = line.at("expected");
  const auto low = expected.at("low").get<std::uint64_t>();
  const auto high = expected.at("high").get<std::uint64_t>();
  text += low == high ? fmt::format(", expected {}", low) : fmt::format(", expected {} ... {}", low, high);
  return text + (expected.at("ok").get<bool>() ? "" : ": WRONG");
}

/// " event 3 nvidia_ucf_pmu_0/cycles/"
std::string event_of(const Json& line) {
  if (!line.contains("event")) return {};
  const std::string name = text_of(line, "name");
  return fmt::format(" event {}{}{}", line.at("event").get<int>(), name.empty() ? "" : " ", name);
}

std::string access_text(const Json& line) {
  const std::string name = text_of(line, "register");
  const std::string value = text_of(line, "value");
  std::string text =
      fmt::format("{:<5} {} {:<11} {}{}{}{}", text_of(line, "kind"), line.at("size").get<unsigned>(),
                  text_of(line, "address"), text_of(line, "instance"), name.empty() ? "" : ".",
                  name.empty() ? " (no known register)" : name, value.empty() ? ": refused" : " = " + value);
  const char* gap = "  ";
  for (const Json& change : line.at("changed")) {
    text +=
        fmt::format("{}{} {}->{}", gap, text_of(change, "field"), text_of(change, "before"), text_of(change, "after"));
    gap = ", ";
  }
  if (const std::string function = text_of(line, "function"); !function.empty())
    text += fmt::format("  [{}]", function);
  return text;
}

std::string call_text(const Json& line) {
  if (const std::string error = text_of(line, "error"); !error.empty())
    return fmt::format("! {} {}{} is refused: {}", text_of(line, "call"), text_of(line, "pmu"), event_of(line), error);
  std::string text = fmt::format("{} {} {}{}", line.at("begin").get<bool>() ? ">" : "<", text_of(line, "call"),
                                 text_of(line, "pmu"), event_of(line));
  return text + count_of(line);
}

std::string event_text(const Json& line) {
  const std::string what = text_of(line, "what");
  std::string text = fmt::format("* {}{}", what, event_of(line));
  if (!line.contains("event")) text += " " + text_of(line, "name");
  if (line.contains("leader")) text += fmt::format(", group of event {}", line.at("leader").get<int>());
  for (const char* key : {"config", "config1", "config2"}) {
    if (const std::string value = text_of(line, key); !value.empty() && value != "0x0")
      text += fmt::format(", {}={}", key, value);
  }
  text += count_of(line);
  if (line.contains("error")) text += ": " + text_of(line, "error");
  return text;
}

}  // namespace

std::string to_text(const Json& line) {
  const std::string kind = text_of(line, "kind");
  if (kind == "run") return "# " + text_of(line, "title");
  if (kind == "unmet") return fmt::format("# --trace-filter {}: nothing has met this", text_of(line, "condition"));
  if (kind == "left_out" && !line.contains("lines"))
    return fmt::format("# lines are left out from here on: the log of a run has room for {}", text_of(line, "room"));
  if (kind == "left_out")
    return fmt::format("# {} left out: the log of a run has room for {}",
                       counted(line.at("lines").get<std::uint64_t>(), "more line") + " are", text_of(line, "room"));
  std::string text = time_of(line);
  text += line.contains("cpu") ? fmt::format("  cpu{:<3} ", line.at("cpu").get<unsigned>()) : "         ";
  text.append(std::size_t{kIndent} * line.value("depth", 0U), ' ');
  if (kind == "phase") return text + "# " + text_of(line, "phase") + ": times in microseconds";
  if (kind == "note") return text + "# " + text_of(line, "text");
  if (kind == "kernel") return text + "# kernel: " + text_of(line, "text");
  if (kind == "call") return text + call_text(line);
  if (kind == "event") return text + event_text(line);
  if (kind == "interrupt")
    return text + fmt::format("! interrupt {} {} ({})", line.at("number").get<std::uint32_t>(), text_of(line, "what"),
                              text_of(line, "source"));
  return text + access_text(line);
}

}  // namespace pmufab::scenario
