// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/tracing/timeline_writer.h"

#include <algorithm>
#include <bitset>
#include <cctype>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;
using Row = TimelineRow;

std::uint64_t number_in(const std::string& text, int base = 10) { return std::stoull(text, nullptr, base); }

/// Hand over the lines of a record, as words, up to the one in which its process died.
/// @return false if there is something else in it: a driver wrote to it. What follows is lost
bool read_record(const fs::path& record, const std::function<void(const Row&)>& take) {
  std::ifstream stream(record, std::ios::binary);
  try {
    for (std::string line; std::getline(stream, line) && !stream.eof();) {
      Row words;
      std::istringstream parts(line + '\t');
      for (std::string word; std::getline(parts, word, '\t');) words.push_back(word);
      take(words);
    }
  } catch (const std::logic_error&) {
    return false;
  }
  return true;
}

// ---- VCD

class VcdWriter final : public TimelineWriter {
 public:
  void announce(const Row& line) override {
    const std::string& kind = line.front();
    if (kind == "s") {
      widths_.push_back(static_cast<unsigned>(number_in(line.at(2))));
      names_.emplace(scoped(line.at(3)), fmt::format("{} {}", widths_.back(), code(widths_.size() - 1)));
    }
    if (kind == "b") others_.insert(call_name(line.at(3)));
    if (kind == "i") others_.insert(instant_name(line.at(3), line.at(4)));
  }

  std::string head(const std::string& title) override {
    for (const std::string& name : others_) {
      codes_.emplace(name, code(widths_.size() + codes_.size()));
      names_.emplace(name, "1 " + codes_.at(name));
    }
    std::string text = fmt::format("$version pmufab: {} $end\n$timescale 1 ps $end\n", title);
    Row scope;
    for (const auto& [name, signal] : names_) text += declaration(name, signal, scope);
    for (std::size_t i = 0; i < scope.size(); ++i) text += "$upscope $end\n";
    text += "$enddefinitions $end\n#0\n$dumpvars\n";
    for (std::size_t i = 0; i < widths_.size(); ++i)
      text += widths_[i] == 1 ? "x" + code(i) + "\n" : fmt::format("bx {}\n", code(i));
    for (const auto& [name, id] : codes_) {
      if (name.starts_with("calls.")) text += "0" + id + "\n";
    }
    return text + "$end\n";
  }

  std::string value(Picoseconds when, unsigned signal, std::uint64_t value) override {
    if (widths_.at(signal) == 1) return at(when) + fmt::format("{}{}\n", value & 1, code(signal));
    const std::string bits = std::bitset<64>(value).to_string();
    const std::size_t first = std::min(bits.find('1'), bits.size() - 1);
    return at(when) + fmt::format("b{} {}\n", bits.substr(first), code(signal));
  }

  std::string begin(Picoseconds when, unsigned cpu, const std::string& name, const std::string& /*detail*/) override {
    const std::string call = call_name(name);
    calls_[cpu].push_back(call);
    return depths_[call]++ > 0 ? std::string() : at(when) + "1" + codes_.at(call) + "\n";
  }

  std::string end(Picoseconds when, unsigned cpu) override {
    if (calls_[cpu].empty()) return {};
    const std::string call = calls_[cpu].back();
    calls_[cpu].pop_back();
    return --depths_[call] > 0 ? std::string() : at(when) + "0" + codes_.at(call) + "\n";
  }

  std::string instant(Picoseconds when, unsigned /*cpu*/, const std::string& name, const std::string& value) override {
    return at(when) + "1" + codes_.at(instant_name(name, value)) + "\n";
  }

  /// Nobody knows values from here on.
  std::string cut(Picoseconds when) override {
    std::string text = at(when) + "$comment changes are left out from here $end\n";
    for (std::size_t i = 0; i < widths_.size(); ++i)
      text += widths_[i] == 1 ? "x" + code(i) + "\n" : fmt::format("bx {}\n", code(i));
    for (const auto& [name, id] : codes_) text += "x" + id + "\n";
    return text;
  }

  std::string tail(Picoseconds when, std::uint64_t left_out) override {
    std::string text = at(when);
    if (left_out > 0) text += fmt::format("$comment {} changes are left out $end\n", left_out);
    return text;
  }

 private:
  /// Printable characters without blanks, as short as possible.
  static std::string code(std::size_t index) {
    constexpr std::size_t kFirst = '!';
    constexpr std::size_t kCount = '~' - '!' + 1;
    std::string text;
    do {
      text += static_cast<char>(kFirst + index % kCount);
      index /= kCount;
    } while (index-- > 0);
    return text;
  }

  /// Names have no blanks, and brackets would be those of bits. Dots are between scopes.
  static std::string scoped(const std::string& name) {
    std::string text;
    for (const char c : name) {
      if (c == ']') continue;
      text += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ? c : '_';
    }
    return text;
  }
  static std::string call_name(const std::string& name) { return "calls." + scoped(name); }
  static std::string instant_name(const std::string& name, const std::string& value) {
    return value.empty() ? std::string("actions") : "writes." + scoped(name);
  }

  static Row parts_of(const std::string& name) {
    Row parts;
    std::istringstream stream(name);
    for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
    return parts;
  }

  /// @param scope  where the one before stands; receives where this one stands
  static std::string declaration(const std::string& name, const std::string& signal, Row& scope) {
    Row parts = parts_of(name);
    const std::string last = parts.back();
    parts.pop_back();
    const auto [same, other] = std::mismatch(scope.begin(), scope.end(), parts.begin(), parts.end());
    std::string text;
    for (auto left = same; left != scope.end(); ++left) text += "$upscope $end\n";
    for (auto entered = other; entered != parts.end(); ++entered)
      text += fmt::format("$scope module {} $end\n", *entered);
    scope = parts;
    const bool is_event = name.starts_with("writes.") || name == "actions";
    return text + fmt::format("$var {} {} {} $end\n", is_event ? "event" : "wire", signal, last);
  }

  std::string at(Picoseconds when) {
    if (when == now_) return {};
    now_ = when;
    return fmt::format("#{}\n", when);
  }

  std::vector<unsigned> widths_;                   // by signal
  std::multimap<std::string, std::string> names_;  // width and code by name, in the order of scopes
  std::set<std::string> others_;                   // calls and writes
  std::map<std::string, std::string> codes_;       // of these
  std::map<unsigned, Row> calls_;                  // under way, by CPU
  std::map<std::string, unsigned> depths_;         // of these
  Picoseconds now_ = 0;
};

// ---- Trace events

class JsonWriter final : public TimelineWriter {
 public:
  void announce(const Row& line) override {
    if (line.front() == "s") names_.push_back(line.at(3));
    if (line.front() == "b" || line.front() == "i") cpus_.insert(static_cast<unsigned>(number_in(line.at(2))));
  }

  std::string head(const std::string& title) override {
    std::string text =
        fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"title\":{}}},\"traceEvents\":[\n", quoted(title));
    text += metadata(kDrivers, 0, "process_name", "drivers") + ",\n";
    text += metadata(kRegisters, 0, "process_name", "hardware");
    for (const unsigned cpu : cpus_) text += ",\n" + metadata(kDrivers, cpu, "thread_name", fmt::format("CPU {}", cpu));
    return text;
  }

  std::string value(Picoseconds when, unsigned signal, std::uint64_t value) override {
    return event("C", when, kRegisters, 0, names_.at(signal)) +
           fmt::format(",\"args\":{{\"value\":{}}}}}", exact(value));
  }

  std::string begin(Picoseconds when, unsigned cpu, const std::string& name, const std::string& detail) override {
    ++depths_[cpu];
    const std::string args = detail.empty() ? std::string() : fmt::format(",\"args\":{{\"of\":{}}}", quoted(detail));
    return event("B", when, kDrivers, cpu, name) + args + "}";
  }

  std::string end(Picoseconds when, unsigned cpu) override {
    if (depths_[cpu] == 0) return {};
    --depths_[cpu];
    return event("E", when, kDrivers, cpu, "") + "}";
  }

  std::string instant(Picoseconds when, unsigned cpu, const std::string& name, const std::string& value) override {
    const std::string args =
        value.empty() ? std::string() : fmt::format(",\"args\":{{\"value\":{}}}", quoted("0x" + value));
    return event("i", when, kDrivers, cpu, name) + ",\"s\":\"t\"" + args + "}";
  }

  std::string cut(Picoseconds when) override {
    return event("i", when, kDrivers, 0, "changes are left out from here") + ",\"s\":\"g\"}";
  }

  std::string tail(Picoseconds when, std::uint64_t left_out) override {
    std::string text;
    for (const auto& [cpu, depth] : std::map<unsigned, unsigned>(depths_)) {
      for (unsigned i = 0; i < depth; ++i) text += end(when, cpu);
    }
    if (left_out > 0)
      text += event("i", when, kDrivers, 0, fmt::format("{} changes are left out", left_out)) + ",\"s\":\"g\"}";
    return text + "\n]}\n";
  }

 private:
  static constexpr unsigned kDrivers = 1;  // numbers of processes
  static constexpr unsigned kRegisters = 2;

  static std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  /// Viewers keep numbers as doubles: above 2^53 they would show other bits, so those are text, as values of writes are.
  static std::string exact(std::uint64_t value) {
    constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53;
    return value <= kLargestExact ? fmt::to_string(value) : quoted(fmt::format("{:#x}", value));
  }
  static std::string metadata(unsigned process, unsigned thread, const char* what, const std::string& name) {
    return fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}})", process, thread, what,
                       quoted(name));
  }
  /// Without the brace at its end. Its time is exact: microseconds with six digits behind the point.
  static std::string event(const char* phase, Picoseconds when, unsigned process, unsigned thread,
                           const std::string& name) {
    constexpr Picoseconds kMicrosecond = 1'000'000;
    const std::string named = name.empty() ? std::string() : fmt::format("\"name\":{},", quoted(name));
    return fmt::format(",\n{{{}\"ph\":\"{}\",\"ts\":{}.{:06},\"pid\":{},\"tid\":{}", named, phase, when / kMicrosecond,
                       when % kMicrosecond, process, thread);
  }

  std::vector<std::string> names_;  // of signals
  std::set<unsigned> cpus_;
  std::map<unsigned, unsigned> depths_;  // calls under way, by CPU
};

std::unique_ptr<TimelineWriter> make_writer(TimelineFormat format) {
  switch (format) {
    case TimelineFormat::vcd:
      return std::make_unique<VcdWriter>();
    case TimelineFormat::json:
      return std::make_unique<JsonWriter>();
    case TimelineFormat::svg:
      break;
  }
  return make_svg_writer();
}

bool is_change(const Row& line) {
  const std::string& kind = line.front();
  return kind == "v" || kind == "b" || kind == "e" || kind == "i";
}

/// @return a line in that format; nothing for declarations
std::string text_of(const Row& line, TimelineWriter& writer) {
  if (!is_change(line)) return {};
  const std::string& kind = line.front();
  const Picoseconds when = number_in(line.at(1));
  const auto second = static_cast<unsigned>(number_in(line.at(2)));
  if (kind == "v") return writer.value(when, second, number_in(line.at(3), 16));
  if (kind == "e") return writer.end(when, second);
  return kind == "b" ? writer.begin(when, second, line.at(3), line.at(4))
                     : writer.instant(when, second, line.at(3), line.at(4));
}

}  // namespace

std::uint64_t write_timeline(TimelineFormat format, const fs::path& record, const std::string& title,
                             std::uint64_t room, const std::function<void(const std::string& text)>& put) {
  const std::unique_ptr<TimelineWriter> made = make_writer(format);
  TimelineWriter& writer = *made;
  std::uint64_t left_out = 0;
  const bool is_whole = read_record(record, [&](const Row& line) {
    writer.announce(line);
    if (line.front() == "o") left_out += number_in(line.at(1));
  });
  if (!is_whole) ++left_out;
  std::string text = writer.head(title);
  std::uint64_t written = text.size();
  bool is_full = false;
  bool is_cut = false;
  Picoseconds last = 0;
  const auto cut = [&] {
    if (!std::exchange(is_cut, true)) text += writer.cut(last);
  };
  constexpr std::size_t kPiece = 1U << 20;
  static_cast<void>(read_record(record, [&](const Row& line) {
    if (is_full) {
      if (is_change(line)) ++left_out;
      return;
    }
    if (line.front() == "o" && line.size() > 2) cut();
    if (line.front() == "n") last = std::max(last, number_in(line.at(1)));
    const std::string next = text_of(line, writer);
    if (next.empty()) return;
    is_full = written + next.size() > room;
    if (is_full) {
      ++left_out;
      cut();
      return;
    }
    last = std::max(last, number_in(line.at(1)));
    written += next.size();
    text += next;
    if (text.size() < kPiece) return;
    put(text);
    text.clear();
  }));
  put(text + writer.tail(last, left_out));
  return left_out;
}

}  // namespace pmufab::scenario
