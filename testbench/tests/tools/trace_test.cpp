// SPDX-License-Identifier: Apache-2.0
// --trace-mmio: what drivers do with registers, written down. What is expected follows from the CoreSight PMU architecture
// (Arm IHI 0091), the kernel's numbers of events and the way perf's core calls a driver.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Json = nlohmann::json;
using Lines = std::vector<Json>;

class Trace : public Cli {
 protected:
  /// One event, whose counter wraps.
  std::string overflowing() {
    return narrow("overflowing", "  - {name: m, start: 1 us, events: [nvidia_ucf_pmu_0/slc_bytes_rd/]}\n");
  }

  /// The PMUs of two sockets side by side. Counters are of 64 bits, in two registers each.
  std::string two_sockets() {
    return write("two-sockets.yaml", R"(name: two-sockets
platform: {kind: tegra410, name: pair, sockets: 2, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu0, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
      - {name: gpu1, requester: {kind: gpu, socket: 1}, targets: [{socket: 1, memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 100 us
measure:
  - interval: 20 us
    events:
      - "{nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/slc_bytes_rd/,nvidia_ucf_pmu_0/cycles/}"
      - "{nvidia_ucf_pmu_1/slc_access_rd/,nvidia_ucf_pmu_1/slc_bytes_rd/,nvidia_ucf_pmu_1/cycles/}"
      - nvidia_cmem_latency_pmu_0/cycles/
)");
  }

  /// @return the lines of a log in JSON
  Lines parse(const std::filesystem::path& file) {
    Lines lines;
    std::istringstream text(read(file));
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  Lines log_of(const std::string& scenario, const std::vector<std::string>& more = {}) {
    const std::string file = (folder / "log.jsonl").string();
    ended(0, pmufab(with({"run", scenario, "--drivers", "newest", "--trace-mmio", file}, more)));
    return parse(file);
  }

  static bool is_access(const Json& line) { return line.at("kind") == "read" || line.at("kind") == "write"; }

  static Lines chosen(const Lines& lines, const std::function<bool(const Json&)>& wanted) {
    Lines some;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(some), wanted);
    return some;
  }

  static std::uint64_t number(const Json& text) { return std::stoull(text.get<std::string>(), nullptr, 0); }

  /// @return index of the first line from `from` on
  static std::size_t find(const Lines& lines, std::size_t from, const std::function<bool(const Json&)>& wanted) {
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(std::min(from, lines.size()));
    return static_cast<std::size_t>(std::find_if(begin, lines.end(), wanted) - lines.begin());
  }

  static std::function<bool(const Json&)> writes(const std::string& name) {
    return [name](const Json& line) { return line.at("kind") == "write" && line.at("register") == name; };
  }
  static std::function<bool(const Json&)> call(const std::string& name, bool begin) {
    return [=](const Json& line) {
      return line.at("kind") == "call" && line.at("call") == name && line.value("begin", !begin) == begin;
    };
  }
  static std::function<bool(const Json&)> interrupt(const std::string& what) {
    return [what](const Json& line) { return line.at("kind") == "interrupt" && line.at("what") == what; };
  }
  static Json change(const std::string& field, const std::string& before, const std::string& after) {
    return {{"field", field}, {"before", before}, {"after", after}};
  }
};

TEST_F(Trace, an_event_is_programmed_then_enabled_then_the_pmu_runs) {
  const Lines lines = log_of(overflowing());
  const std::size_t add = find(lines, 0, call("add", true));
  const std::size_t end = find(lines, add, call("add", false));
  ASSERT_LT(end, lines.size());
  // The counter that the driver has chosen, by the only event type it writes.
  const std::size_t type = find(lines, add, [](const Json& line) {
    return line.at("kind") == "write" && line.at("register").get<std::string>().starts_with("PMEVTYPER[");
  });
  ASSERT_LT(type, end);
  const std::string name = lines[type].at("register");
  const std::string element = name.substr(name.find('['));
  const std::uint64_t counter = std::stoull(element.substr(1));
  EXPECT_EQ(lines[type].at("value"), "0x00000113") << "slc_bytes_rd is event 0x113 of the kernel's document";
  EXPECT_EQ(lines[type].at("changed"), Json::array({change("EVENT", "0x0", "0x113")}));
  EXPECT_EQ(lines[type].at("call"), "add");
  EXPECT_EQ(lines[type].at("pmu"), "nvidia_ucf_pmu_0");
  EXPECT_EQ(lines[type].at("instance"), "socket0.ucf_pmu.page0");
  EXPECT_EQ(lines[type].at("cpu"), 0);
  EXPECT_THAT(lines[type].at("function").get<std::string>(), HasSubstr("() of arm_cspmu.c"));

  EXPECT_LT(find(lines, add, writes("PMEVCNTR" + element)), end) << "it begins at a known value";
  const std::size_t enable = find(lines, type, writes("PMCNTENSET[0]"));
  ASSERT_LT(enable, end);
  EXPECT_EQ(number(lines[enable].at("value")), std::uint64_t{1} << counter);
  EXPECT_THAT(lines[enable].at("changed"), SizeIs(1));
  const std::size_t run = find(lines, end, writes("PMCR"));
  ASSERT_LT(run, lines.size());
  EXPECT_EQ(lines[run].at("call"), "pmu_enable");
  EXPECT_EQ(lines[run].at("changed"), Json::array({change("E", "0x0", "0x1")}));

  // Offsets of the architecture: event types from 0x400, enables at 0xc00, PMCR at 0xe04.
  const std::uint64_t page = number(lines[run].at("address")) - 0xe04;
  EXPECT_EQ(page % 0x1000, 0U);
  EXPECT_EQ(number(lines[type].at("address")), page + 0x400 + 4 * counter);
  EXPECT_EQ(number(lines[enable].at("address")), page + 0xc00);
}

TEST_F(Trace, an_overflow_is_raised_delivered_cleared_lowered_and_handled) {
  const Lines lines = log_of(overflowing());
  std::size_t at = 0;
  unsigned overflows = 0;
  while ((at = find(lines, at, interrupt("raised"))) < lines.size()) {
    ++overflows;
    const std::size_t delivered = find(lines, at, interrupt("delivered"));
    const std::size_t begin = find(lines, at, call("interrupt", true));
    const std::size_t clear = find(lines, at, writes("PMOVSCLR[0]"));
    const std::size_t lowered = find(lines, at, interrupt("lowered"));
    const std::size_t end = find(lines, at, call("interrupt", false));
    const std::size_t handled = find(lines, at, interrupt("handled"));
    ASSERT_LT(handled, lines.size());
    const std::vector<std::size_t> order = {at, delivered, begin, lowered, clear, end, handled};
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << ::testing::PrintToString(order);
    ASSERT_THAT(lines[clear].at("changed"), SizeIs(1));
    EXPECT_EQ(lines[clear].at("changed").at(0).at("after"), "0x0") << "write one to clear";
    EXPECT_EQ(number(lines[clear].at("changed").at(0).at("before")), number(lines[clear].at("value")))
        << "what was set is written back";
    EXPECT_EQ(lines[clear].at("cpu"), lines[begin].at("cpu"));
    EXPECT_EQ(lines[at].at("source"), "socket0.ucf_pmu");
    EXPECT_FALSE(lines[at].contains("cpu")) << "hardware raises it";
    at = handled;
  }
  // 99 us of 100 requests of 64 bytes. A driver begins again at half of the range, or goes on from where it is.
  constexpr unsigned kBytes = 99 * 100 * 64;
  EXPECT_GE(overflows, kBytes / (1U << 16));
  EXPECT_LE(overflows, kBytes / (1U << 15));
}

TEST_F(Trace, the_count_is_the_sum_of_what_the_counter_registers_said) {
  const std::string report = (folder / "result.json").string();
  const Lines lines = log_of(overflowing(), {"--json", report});
  std::uint64_t sum = 0;
  std::uint64_t last = 0;
  for (const Json& line : lines) {
    if (!is_access(line) || line.at("phase") != "running") continue;
    if (!line.at("register").get<std::string>().starts_with("PMEVCNTR[")) continue;
    const std::uint64_t value = number(line.at("value")) & 0xffff;
    if (line.at("kind") == "read") sum += (value - last) & 0xffff;
    last = value;
  }
  EXPECT_GT(sum, 1U << 16) << "it has wrapped";
  const Json result = Json::parse(read(report));
  EXPECT_EQ(result.at("runs").at(0).at("measures").at(0).at("counters").at(0).at("driver"), sum);
  const std::size_t reading =
      find(lines, 0, [](const Json& line) { return line.at("kind") == "event" && line.at("what") == "read"; });
  ASSERT_LT(reading, lines.size());
  EXPECT_EQ(lines[reading].at("count"), sum);
  EXPECT_EQ(lines[reading].at("name"), "nvidia_ucf_pmu_0/slc_bytes_rd/");
}

TEST_F(Trace, registers_of_configuration_space_have_names) {
  const Lines lines = log_of(write("port.yaml", R"(name: port
platform: {kind: dwc, dwc_root_ports: [{name: slot}]}
duration: 20 us
measure: [{events: [dwc_rootport_0/one_cycle/]}]
)"));
  const std::size_t begin = find(lines, 0, [](const Json& line) {
    return is_access(line) && line.at("register") == "TIME_BASED_ANALYSIS_CONTROL" && line.at("kind") == "write";
  });
  ASSERT_LT(begin, lines.size());
  EXPECT_EQ(lines[begin].at("instance"), "slot.config");
  ASSERT_THAT(lines[begin].at("changed"), SizeIs(1));
  EXPECT_EQ(lines[begin].at("changed").at(0).at("field"), "TIMER_START");
  // The kernel's PCI core looks at half of a register, and a byte of one.
  const auto reads_half = [](const Json& line) {
    return is_access(line) && line.at("register") == "COMMAND_STATUS" && line.at("size") == 2;
  };
  const std::size_t half = find(lines, 0, reads_half);
  ASSERT_LT(half, lines.size());
  EXPECT_EQ(lines[half].at("changed").at(0).at("field"), "Capabilities List") << "bit 4 of the upper half";
}

TEST_F(Trace, a_log_changes_no_result_and_is_the_same_each_time) {
  for (const std::string& scenario :
       {overflowing(), shipped("fault-interrupts-cmn.yaml"), shipped("cxl-overflow.yaml")}) {
    const auto run = [&](const std::string& name, const std::vector<std::string>& more) {
      const Outcome outcome =
          ended(0, pmufab(with({"run", scenario, "--drivers", "newest", "--json", (folder / name).string()}, more)));
      return read(folder / name) + outcome.out;
    };
    const std::string without = run("without", {});
    EXPECT_THAT(without, HasSubstr("PASSED"));
    EXPECT_EQ(run("first", {"--trace-mmio", (folder / "a.txt").string()}), without);
    EXPECT_EQ(run("second", {"--trace-mmio", (folder / "b.txt").string()}), without);
    EXPECT_EQ(read(folder / "a.txt"), read(folder / "b.txt"));
    EXPECT_THAT(read(folder / "a.txt"), ContainsRegex(" write [48] 0x"));
  }
}

TEST_F(Trace, conditions_choose_pmu_register_and_time) {
  const std::string scenario = two_sockets();
  const Lines all = log_of(scenario);
  const auto in = [](const Json& line) { return line.value("instance", ""); };

  const Lines of_bank = log_of(scenario, {"--trace-filter", "pmu=socket1.ucf_pmu"});
  EXPECT_EQ(chosen(of_bank, is_access), chosen(all, [&](const Json& line) {
              return is_access(line) && (in(line) == "socket1.ucf_pmu.page0" || in(line) == "socket1.ucf_pmu.page1");
            }));
  EXPECT_THAT(chosen(of_bank, is_access), Not(IsEmpty()));

  // By perf's name: its calls and what they access, from the first call on.
  const Lines of_pmu = log_of(scenario, {"--trace-filter", "pmu=nvidia_ucf_pmu_1"});
  const auto is_call = [](const Json& line) { return line.at("kind") == "call"; };
  EXPECT_EQ(chosen(of_pmu, is_call),
            chosen(all, [&](const Json& line) { return is_call(line) && line.at("pmu") == "nvidia_ucf_pmu_1"; }));
  EXPECT_THAT(chosen(of_pmu, is_call), Not(IsEmpty()));
  EXPECT_EQ(
      chosen(of_pmu, [](const Json& line) { return is_access(line) && line.contains("pmu"); }),
      chosen(all, [](const Json& line) { return is_access(line) && line.value("pmu", "") == "nvidia_ucf_pmu_1"; }));

  const Lines of_register =
      log_of(scenario, {"--trace-filter", "register=PMEVTYPER", "--trace-filter", "register=PMCR"});
  const Lines expected = chosen(all, [](const Json& line) {
    const std::string name = line.value("register", "");
    return is_access(line) && (name.starts_with("PMEVTYPER[") || name == "PMCR");
  });
  EXPECT_EQ(Lines(of_register.begin() + 1, of_register.end()), expected) << "behind the heading";
  EXPECT_THAT(expected, Not(IsEmpty()));
  const Lines of_element = chosen(all, [](const Json& line) { return line.value("register", "") == "PMEVTYPER[1]"; });
  EXPECT_THAT(of_element, Not(IsEmpty()));
  EXPECT_EQ(log_of(scenario, {"--trace-filter", "register=PMEVTYPER[1]"}).size(), 1 + of_element.size());

  constexpr std::uint64_t kMicrosecond = 1'000'000;
  const Lines of_time = log_of(scenario, {"--trace-filter", "from=100ns", "--trace-filter", "to=5us"});
  EXPECT_EQ(Lines(of_time.begin() + 1, of_time.end()), chosen(all, [&](const Json& line) {
              const std::uint64_t when = line.value("time_ps", std::uint64_t{0});
              return line.contains("phase") && line.at("phase") != "loading" && when >= kMicrosecond / 10 &&
                     when <= 5 * kMicrosecond;
            }));
  EXPECT_THAT(of_time, SizeIs(::testing::Gt(2U)));
}

TEST_F(Trace, the_first_part_of_a_long_log_is_kept_and_the_rest_counted) {
  const Lines all = log_of(overflowing());
  const std::string whole = read(folder / "log.jsonl");
  ASSERT_GT(whole.size(), 100'000U);
  const Lines some = log_of(overflowing(), {"--limit", "trace=50000"});
  const std::string part = read(folder / "log.jsonl");
  ASSERT_GT(some.size(), 2U);
  const Json& cut = some[some.size() - 2];  // a run that dies does not come to the last line
  EXPECT_EQ(cut.at("kind"), "left_out");
  EXPECT_FALSE(cut.contains("lines"));
  EXPECT_LE(part.size(), 50'000U + cut.dump().size() + some.back().dump().size() + 2);
  EXPECT_GT(part.size(), 49'000U);
  EXPECT_EQ(some.back().at("kind"), "left_out");
  EXPECT_EQ(some.back().at("lines"), all.size() - (some.size() - 2));
  EXPECT_EQ(Lines(some.begin(), some.end() - 2), Lines(all.begin(), all.begin() + static_cast<int>(some.size()) - 2));
  const Outcome printed =
      pmufab({"run", overflowing(), "--drivers", "newest", "--trace-mmio", "-", "--limit", "trace=50000"});
  EXPECT_THAT(printed.out, ContainsRegex("# [0-9,]+ more lines are left out: the log of a run has room for 50000 B"));
}

TEST_F(Trace, several_runs_follow_each_other) {
  const std::string file = (folder / "log.txt").string();
  ended(0, pmufab({"run", overflowing(), two_sockets(), "--drivers", "newest", "--trace-mmio", file, "--trace-filter",
                   "register=PMCR"}));
  const std::string text = read(file);
  const std::size_t first = text.find("# overflowing (platform small, drivers of Linux ");
  const std::size_t second = text.find("# two-sockets (platform pair, drivers of Linux ");
  EXPECT_EQ(first, 0U);
  ASSERT_NE(second, std::string::npos);
  EXPECT_THAT(text.substr(0, second), HasSubstr("PMCR = 0x00000001  E 0x0->0x1"));
  EXPECT_THAT(text.substr(second), HasSubstr("socket1.ucf_pmu.page0.PMCR"));
}

TEST_F(Trace, stat_and_shell_write_logs_too) {
  const std::string file = (folder / "log.jsonl").string();
  ended(0, pmufab({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--trace-mmio", file}));
  EXPECT_LT(find(parse(file), 0, call("add", true)), parse(file).size());
  const Outcome shell = ended(0, pmufab({"shell", "--trace-mmio", file, "--", "true"}));
  const Lines lines = parse(file);
  EXPECT_THAT(lines.at(0).at("title").get<std::string>(), HasSubstr("shell (platform tegra410, drivers of Linux "));
  EXPECT_LT(find(lines, 0, [](const Json& line) { return is_access(line) && line.at("phase") == "loading"; }),
            lines.size());
}

// ---- Time lines

/// A value change dump, read strictly: IEEE 1800, 21.7.
struct Vcd {
  struct Variable {
    std::string type;
    unsigned width;
    std::vector<std::pair<std::uint64_t, std::string>> changes;  // time and value: "0", "101", "x"
  };
  std::map<std::string, Variable> variables;  // by name, with its scopes

  explicit Vcd(const std::string& text) : words_(text) {
    expect("$version");
    skip();
    expect("$timescale");
    expect("1");
    expect("ps");
    expect("$end");
    declarations();
    changes();
  }

 private:
  std::string word() {
    std::string text;
    EXPECT_TRUE(words_ >> text);
    return text;
  }
  void expect(const std::string& wanted) { EXPECT_EQ(word(), wanted); }
  void skip() {
    while (words_ && word() != "$end") {
    }
  }

  void declarations() {
    std::vector<std::string> scopes;
    for (std::string next = word(); next != "$enddefinitions" && words_; next = word()) {
      if (next == "$scope") {
        expect("module");
        scopes.push_back(word());
      } else if (next == "$upscope") {
        ASSERT_FALSE(scopes.empty());
        scopes.pop_back();
      } else {
        ASSERT_EQ(next, "$var");
        Variable variable;
        variable.type = word();
        variable.width = static_cast<unsigned>(std::stoul(word()));
        const std::string code = word();
        std::string name;
        for (const std::string& scope : scopes) name += scope + ".";
        name += word();
        ASSERT_TRUE(codes_.emplace(code, name).second) << "two variables have the code " << code;
        ASSERT_TRUE(variables.emplace(name, variable).second) << name;
      }
      expect("$end");
    }
    EXPECT_TRUE(scopes.empty());
    expect("$end");
  }

  void changes() {
    std::uint64_t now = 0;
    bool begun = false;
    for (std::string next; words_ >> next;) {
      if (next.front() == '#') {
        const std::uint64_t when = std::stoull(next.substr(1));
        ASSERT_TRUE(!begun || when > now) << "times grow";
        now = when;
        begun = true;
      } else if (next == "$dumpvars" || next == "$end") {
        ASSERT_TRUE(begun);
      } else if (next == "$comment") {
        skip();
      } else {
        const bool is_vector = next.front() == 'b';
        const std::string value = is_vector ? next.substr(1) : next.substr(0, 1);
        const std::string code = is_vector ? word() : next.substr(1);
        ASSERT_TRUE(codes_.contains(code)) << next;
        Variable& variable = variables.at(codes_.at(code));
        ASSERT_EQ(value.find_first_not_of("01x"), std::string::npos) << next;
        ASSERT_LE(value.size(), variable.width);
        variable.changes.emplace_back(now, value);
      }
    }
  }

  std::istringstream words_;
  std::map<std::string, std::string> codes_;
};

class Timeline : public Trace {
 protected:
  /// The scenario's log and time line, of one run.
  std::pair<Lines, std::string> both_of(const std::string& scenario, const std::string& suffix,
                                        const std::vector<std::string>& more = {}) {
    const std::string file = (folder / ("line" + suffix)).string();
    Lines lines = log_of(scenario, with({"--timeline", file}, more));
    return {std::move(lines), read(file)};
  }

  /// When an interrupt line was what
  static std::vector<std::pair<std::uint64_t, std::string>> line_changes(const Lines& lines) {
    std::vector<std::pair<std::uint64_t, std::string>> changes;
    for (const Json& line : lines) {
      if (line.at("kind") != "interrupt" || line.at("phase") != "running") continue;
      if (line.at("what") == "raised") changes.emplace_back(line.at("time_ps"), "1");
      if (line.at("what") == "lowered") changes.emplace_back(line.at("time_ps"), "0");
    }
    return changes;
  }
};

TEST_F(Timeline, a_value_change_dump_says_what_the_log_says) {
  const auto [lines, text] = both_of(overflowing(), ".vcd");
  const Vcd vcd(text);
  auto irq = vcd.variables.at("interrupts.socket0.ucf_pmu").changes;
  ASSERT_EQ(irq.front(), std::pair(std::uint64_t{0}, std::string("x"))) << "unknown before it changes";
  irq.erase(irq.begin());
  EXPECT_EQ(irq, line_changes(lines));
  EXPECT_GE(irq.size(), 18U);

  // Each read of the counter finds what the time line has at that time.
  const std::size_t type = find(lines, 0, [](const Json& line) {
    return line.at("kind") == "write" && line.at("register").get<std::string>().starts_with("PMEVTYPER[");
  });
  ASSERT_LT(type, lines.size());
  const std::string name = lines[type].at("register");
  const std::string element = name.substr(name.find('[') + 1, name.find(']') - name.find('[') - 1);
  const auto& counter = vcd.variables.at("socket0.ucf_pmu.page1.PMEVCNTR_" + element);
  unsigned reads = 0;
  for (const Json& line : lines) {
    if (line.at("kind") != "read" || line.at("phase") != "running") continue;
    if (line.at("register") != "PMEVCNTR[" + element + "]") continue;
    ++reads;
    const std::uint64_t when = line.at("time_ps");
    std::string value;
    for (const auto& [time, bits] : counter.changes) {
      if (time <= when) value = bits;
    }
    EXPECT_EQ(std::stoull(value, nullptr, 2), number(line.at("value"))) << when;
  }
  EXPECT_GE(reads, 9U);
  // Between the reads it is looked at each microsecond, while 6,400 bytes come in each.
  EXPECT_GE(counter.changes.size(), 90U);

  const auto& handler = vcd.variables.at("calls.interrupt_nvidia_ucf_pmu_0").changes;
  EXPECT_EQ(handler.size(), 1 + 2 * chosen(lines, call("interrupt", true)).size());
  const auto& writes_of_control = vcd.variables.at("writes.socket0.ucf_pmu.page0.PMCR");
  EXPECT_EQ(writes_of_control.type, "event");
  EXPECT_EQ(writes_of_control.changes.size(), chosen(lines, [&](const Json& line) {
                                                return writes("PMCR")(line) && line.at("phase") == "running";
                                              }).size());
  EXPECT_EQ(vcd.variables.at("socket0.ucf_pmu.page0.PMCR").width, 1U) << "E is the one field that can be read";
}

TEST_F(Timeline, trace_events_nest_and_say_what_the_log_says) {
  const auto [lines, text] = both_of(overflowing(), ".json");
  const Json trace = Json::parse(text);
  std::map<std::pair<int, int>, std::vector<std::string>> open;
  std::vector<std::pair<std::uint64_t, std::string>> irq;
  double last = 0;
  std::size_t handlers = 0;
  for (const Json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "M") continue;
    const double when = event.at("ts");
    EXPECT_GE(when, last);
    last = when;
    auto& calls = open[{event.at("pid").get<int>(), event.at("tid").get<int>()}];
    if (phase == "B") calls.push_back(event.at("name"));
    if (phase == "E") {
      ASSERT_FALSE(calls.empty());
      handlers += calls.back() == "interrupt nvidia_ucf_pmu_0" ? 1 : 0;
      calls.pop_back();
    }
    if (phase == "C" && event.at("name") == "interrupts.socket0.ucf_pmu")
      irq.emplace_back(std::llround(when * 1e6), std::to_string(event.at("args").at("value").get<int>()));
    EXPECT_TRUE(phase != "C" || event.at("args").at("value").is_number_unsigned());
    EXPECT_TRUE(phase != "i" || event.at("s") == "t" || event.at("s") == "g");
    EXPECT_TRUE(phase == "B" || phase == "E" || phase == "C" || phase == "i") << phase;
  }
  for (const auto& [track, calls] : open) EXPECT_THAT(calls, IsEmpty());
  EXPECT_EQ(irq, line_changes(lines));
  EXPECT_EQ(handlers, chosen(lines, call("interrupt", true)).size());
}

TEST_F(Timeline, conditions_choose_signals_and_time) {
  const auto [lines, text] = both_of(two_sockets(), ".vcd",
                                     {"--trace-filter", "pmu=socket1.ucf_pmu", "--trace-filter", "register=PMEVCNTR_*",
                                      "--trace-filter", "from=20us", "--trace-filter", "to=40us"});
  const Vcd vcd(text);
  EXPECT_THAT(vcd.variables, Not(IsEmpty()));
  for (const auto& [name, variable] : vcd.variables) {
    EXPECT_THAT(name, ContainsRegex("socket1\\.ucf_pmu\\.page1\\.PMEVCNTR_(LO|HI)_[0-9]+$"));
    for (const auto& [when, value] : variable.changes) {
      if (value == "x") continue;
      EXPECT_GE(when, 20'000'000U);
      EXPECT_LE(when, 40'000'000U);
    }
  }
}

// What the scenario says: 100 requests of 64 bytes in each microsecond.
TEST_F(Timeline, rates_and_occupancies_of_traffic_are_those_of_each_microsecond) {
  const auto [lines, text] = both_of(overflowing(), ".vcd", {"--trace-filter", "pmu=traffic"});
  const Vcd vcd(text);
  ASSERT_EQ(vcd.variables.size(), 3U);
  using Changes = std::vector<std::pair<std::uint64_t, std::string>>;
  const Changes requests = {{0, "x"}, {1'000'000, "1100100"}};
  const Changes bytes = {{0, "x"}, {1'000'000, "1100100000000"}};
  EXPECT_EQ(vcd.variables.at("traffic.gpu.requests").changes, requests);
  EXPECT_EQ(vcd.variables.at("traffic.gpu.bytes").changes, bytes);
  // A read takes longer than the 10 ns to the next one.
  const Changes& outstanding = vcd.variables.at("traffic.gpu.outstanding").changes;
  ASSERT_GE(outstanding.size(), 2U);
  EXPECT_GE(std::stoull(outstanding.back().second, nullptr, 2), 2U);

  const auto [more, json] = both_of(overflowing(), ".json");
  std::vector<int> values;
  const Json trace = Json::parse(json);
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "C" && event.at("name") == "traffic.gpu.requests")
      values.push_back(event.at("args").at("value"));
  }
  EXPECT_EQ(values, std::vector<int>{100});
}

// A viewer's numbers are doubles, which keep 53 bits: the mask would lose those that it does not have.
TEST_F(Timeline, trace_events_have_values_above_53_bits_as_text) {
  const std::string scenario =
      write("masks.yaml", "name: masks\nplatform: " + shipped("platforms/cmn600-small.yaml") + R"(
duration: 20 us
mesh_traffic: [{name: requests, channel: req, pattern: uniform, rate: 0.1, count: 300, start: 5 us}]
measure:
  - events: ["arm_cmn_0/watchpoint_up,wp_dev_sel=0,wp_chn_sel=0,wp_grp=0,wp_val=0x10,wp_mask=0xffffffffffffff0f/"]
)");
  const auto [lines, json] = both_of(scenario, ".json");
  std::set<std::string> masks;
  const Json trace = Json::parse(json);
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "C") continue;
    const Json& value = event.at("args").at("value");
    EXPECT_TRUE(value.is_string() || value.get<std::uint64_t>() <= std::uint64_t{1} << 53) << event;
    if (event.at("name").get<std::string>().ends_with("por_dtm_wp_mask[0]")) masks.insert(value.dump());
  }
  EXPECT_THAT(masks, Contains("\"0xffffffffffffff0f\""));
}

// Each flit on a link is one of those that the PMU counts, and the scoreboard finds its counts exact.
TEST_F(Timeline, loads_of_links_are_those_that_the_pmu_counts) {
  const std::string scenario =
      write("load.yaml", "name: load\nplatform: " + shipped("platforms/cmn600-small.yaml") + R"(
duration: 60 us
mesh_traffic: [{name: requests, channel: req, pattern: uniform, rate: 0.1, count: 300, start: 5 us}]
measure: [{name: m, start: 1 us, stop: 50 us, events: [arm_cmn_0/mxp_e_req_txflit_valid/]}]
)");
  const std::string results = (folder / "results.json").string();
  const auto [lines, text] = both_of(scenario, ".vcd", {"--json", results});
  const Vcd vcd(text);
  const Json run = Json::parse(read(results)).at("runs").at(0);
  const Json& counter = run.at("measures").at(0).at("counters").at(0);
  ASSERT_EQ(counter.at("check"), "exact") << counter;

  std::uint64_t east = 0;
  std::uint64_t down = 0;
  std::uint64_t sent = 0;
  for (const auto& [name, variable] : vcd.variables) {
    // A rate that stays is not repeated.
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < variable.changes.size(); ++i) {
      const std::uint64_t end = i + 1 < variable.changes.size() ? variable.changes[i + 1].first : 60'000'000;
      const std::uint64_t value = std::stoull(variable.changes[i].second, nullptr, 2);
      sum += value * ((end - variable.changes[i].first) / 1'000'000);
    }
    if (name.ends_with(".e.flits")) east += sum;
    if (name.find(".p") != std::string::npos && name.ends_with(".flits")) down += sum;
    if (name == "mesh_traffic.requests.flits") sent = sum;
  }
  EXPECT_EQ(east, counter.at("expected").get<std::uint64_t>());
  EXPECT_GT(sent, 0U);
  EXPECT_EQ(sent % 300, 0U);
  EXPECT_EQ(down, sent) << "each flit reaches a device";
  const auto& under_way = vcd.variables.at("cmn0.flits_under_way").changes;
  EXPECT_GE(under_way.size(), 4U);
  EXPECT_EQ(under_way.back().second, "0");
}

// What is drawn is what the log says, and takes no more room in a long run.
TEST_F(Timeline, a_picture_has_rows_with_the_calls_interrupts_and_changes_of_the_log) {
  const auto [lines, text] = both_of(overflowing(), ".svg");
  const std::string script = write("rows.py", R"py(
import sys, xml.etree.ElementTree
rows, name = {}, ""
for element in xml.etree.ElementTree.parse(sys.argv[1]).iter():
    look = element.get("class", "")
    if look == "name":
        rows[name := element.text] = [0, 0]
    elif look == "call":
        rows[name][0] += 1
    elif look in ("irq", "line"):
        heights = [int(point.split(",")[1]) for point in element.get("points").split()]
        rows[name][1] = sum(one > other for one, other in zip(heights, heights[1:]))
for name, (calls, rises) in rows.items():
    print(f"{name}: {calls} calls, {rises} rises")
)py");
  const std::string rows = (folder / "rows").string();
  ASSERT_EQ(std::system(("python3 " + script + " " + (folder / "line.svg").string() + " >" + rows).c_str()), 0) << text;
  const std::size_t handlers = chosen(lines, call("interrupt", true)).size();
  const std::size_t raised =
      chosen(lines, [](const Json& line) { return interrupt("raised")(line) && line.at("phase") == "running"; }).size();
  ASSERT_GE(raised, 9U);
  EXPECT_THAT(read(rows),
              AllOf(HasSubstr("interrupt nvidia_ucf_pmu_0: " + std::to_string(handlers) + " calls, 0 rises\n"),
                    HasSubstr("interrupts.socket0.ucf_pmu: 0 calls, " + std::to_string(raised) + " rises\n"),
                    HasSubstr("write socket0.ucf_pmu.page0.PMCR: "), HasSubstr("PMEVCNTR[")));
  EXPECT_LT(text.size(), 60'000U);
  EXPECT_EQ(both_of(overflowing(), ".svg").second, text);
  const auto [more, many] = both_of(shipped("cmn-flits.yaml"), ".svg");
  EXPECT_THAT(many, ContainsRegex("[0-9,]+ rows left out"));
  EXPECT_LT(many.size(), 400'000U);
}

/// @return the last time that stands before a place in a VCD file
std::uint64_t time_before(const std::string& vcd, std::size_t place) {
  const std::size_t begin = vcd.rfind("\n#", place - 1);
  return std::stoull(vcd.substr(begin + 2));
}

TEST_F(Timeline, the_first_part_of_a_long_one_is_kept_and_the_rest_counted) {
  for (const std::string& suffix : {std::string(".vcd"), std::string(".json")}) {
    const std::string file = (folder / ("line" + suffix)).string();
    const auto run = [&](const std::vector<std::string>& more) {
      const Outcome outcome =
          ended(0, pmufab(with({"run", overflowing(), "--drivers", "newest", "--timeline", file}, more)));
      return outcome.err;
    };
    EXPECT_EQ(run({}), "");
    EXPECT_GT(read(file).size(), 6'000U);
    EXPECT_THAT(run({"--limit", "trace=5000"}),
                ContainsRegex("[0-9,]+ changes are left out: the file has room for 5000 B"));
    EXPECT_LT(read(file).size(), 5'500U);
    EXPECT_GT(read(file).size(), 3'500U);
    // The mark stands where the room ended, and the number at the end.
    const std::string text = read(file);
    EXPECT_THAT(text, ContainsRegex("[0-9]+ changes are left out"));
    const std::size_t mark = text.find("changes are left out from here");
    ASSERT_NE(mark, std::string::npos);
    if (suffix == ".vcd") {
      EXPECT_LT(time_before(text, mark), time_before(text, text.size()) / 2);
    }
    if (suffix == ".vcd") Vcd{read(file)};
    EXPECT_TRUE(suffix != ".json" || Json::accept(read(file)));
  }
}

TEST_F(Timeline, a_time_line_changes_no_result_and_is_the_same_each_time) {
  // Groups in a shorter window; a turn of 12 bits in place of 22.
  const std::vector<std::vector<std::string>> scenarios = {
      {overflowing()},
      {shipped("cmn-groups.yaml"), "--set", "duration=8 us", "--set", "measure[0].window=2 us"},
      {shipped("cxl-overflow-messages.yaml"), "--set", "duration=60 us", "--set", "platform.cxl[0].cpmus[0].width=12",
       "--set", "cxl_traffic[0].count=2048"}};
  for (const std::vector<std::string>& scenario : scenarios) {
    const auto run = [&](const std::string& name, const std::vector<std::string>& more) {
      ended(0, pmufab(with(with({"run", "--drivers", "newest", "--json", (folder / name).string()}, scenario), more)));
      return read(folder / name);
    };
    const std::string without = run("without", {});
    EXPECT_EQ(run("first", {"--timeline", (folder / "a.vcd").string()}), without);
    EXPECT_EQ(run("second", {"--timeline", (folder / "b.vcd").string()}), without);
    EXPECT_EQ(read(folder / "a.vcd"), read(folder / "b.vcd"));
    Vcd{read(folder / "a.vcd")};
  }
}

// ---- Explanations

class Explain : public Trace {
 protected:
  /// Run a scenario, and explain what is wrong.
  Outcome explained(const std::string& scenario, const std::vector<std::string>& more = {}) {
    const std::string results = (folder / "results").string();
    ended(0, pmufab({"run", shipped(scenario), "--drivers", "newest", "--out", results}));
    Outcome outcome = pmufab(with({"explain", results}, more));
    EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 20) << outcome.out;
    return outcome;
  }
};

// The counter wraps, and its interrupt is late: the driver reads the counter before its handler has run.
TEST_F(Explain, a_reading_between_an_overflow_and_its_handler) {
  const Outcome outcome = ended(0, explained("cxl-overflow-read-late.yaml"));
  const std::size_t raised = outcome.out.find("interrupt 8194 raised");
  const std::size_t wrong = outcome.out.find(", count 0, expected 256: WRONG");
  ASSERT_NE(raised, std::string::npos) << outcome.out;
  ASSERT_NE(wrong, std::string::npos) << outcome.out;
  EXPECT_LT(raised, wrong);
  EXPECT_THAT(outcome.out, Not(HasSubstr("delivered")));
}

// All counters stop at the overflow of one, and the driver does not start them again.
TEST_F(Explain, what_the_handler_did_and_did_not) {
  const Outcome outcome = ended(0, explained("cxl-overflow-frozen.yaml"));
  const std::size_t raised = outcome.out.find("interrupt 8194 raised");
  const std::size_t cleared = outcome.out.find("Overflow Status 0x1->0x0  [cxl_pmu_irq() of cxl_pmu.c]", raised);
  const std::size_t wrong = outcome.out.find(": WRONG", cleared);
  ASSERT_NE(wrong, std::string::npos) << outcome.out;
  EXPECT_THAT(outcome.out.substr(raised, wrong - raised), Not(HasSubstr("Freeze 0x"))) << "nobody thaws them";
}

/// What fails as its scenario says comes after what fails although it should not, whatever the names of the folders.
TEST_F(Explain, an_unexpected_failure_comes_first_and_a_known_defect_is_named) {
  std::string text = read(shipped("cxl-overflow-stopped.yaml"));
  text.erase(text.find("expected_failure"));
  const std::string replaced = "name: cxl-overflow-stopped";
  text.replace(text.find(replaced), replaced.size(), "name: z");
  const std::string again =
      write("z.yaml", std::regex_replace(text, std::regex("(\\.\\./)+"), PMUFAB_SOURCE_DIR "/scenarios/"));
  const std::string results = (folder / "results").string();
  const Outcome run =
      pmufab({"run", shipped("cxl-overflow-read-late.yaml"), again, "--drivers", "7.3", "--out", results});
  ASSERT_EQ(run.exit_code, 1) << run.out << run.err;
  const std::string known =
      "the scenario cxl-overflow-stopped shows a known defect that looks the same: the driver does "
      "not see an overflow when it stops a counter";
  EXPECT_THAT(run.out, HasSubstr("  note: cxl_pmu_mem0.1/m2s_req_memrd/: " + known + "\n"));
  const Outcome outcome = ended(0, pmufab({"explain", results}));
  EXPECT_THAT(outcome.err, ContainsRegex("this is of [^\n]*/z-7"));
  EXPECT_THAT(outcome.out, HasSubstr(known));
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 20) << outcome.out;
}

/// An event that is refused leads to its refusal.
TEST_F(Explain, why_an_event_was_not_opened) {
  const std::string scenario =
      write("full.yaml", "name: full\nplatform: " + shipped("platforms/cmn600-small.yaml") + R"(
duration: 10 us
measure: [{name: m, start: 1 us, events: ["{arm_cmn_0/dtc_cycles/,arm_cmn_0/dtc_cycles/}"]}]
)");
  const std::string results = (folder / "results").string();
  const Outcome run = pmufab({"run", scenario, "--drivers", "newest", "--out", results});
  ASSERT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(ended(0, pmufab({"explain", results})).out,
              AllOf(HasSubstr("until its driver refuses it"), HasSubstr("* opened event 1 arm_cmn_0/dtc_cycles/"),
                    ContainsRegex("\\* refused arm_cmn_0/dtc_cycles[^\n]*EINVAL")));
}

/// A check that names an address leads to the first access of it.
TEST_F(Explain, which_access_a_check_means) {
  const Outcome outcome = ended(0, explained("cxl-free-running-group.yaml"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("register_accesses: "), ContainsRegex("write 8 0x[^\n]*cxl_pmu.c\\]\n$")));
  EXPECT_THAT(pmufab({"explain", (folder / "results").string(), "register_accesses"}).out, outcome.out);
}

/// A driver that does not bind says why in the kernel's log: the lines lead there, from its first access on.
TEST_F(Explain, why_a_driver_did_not_bind) {
  const Outcome outcome = ended(0, explained("soc-shared-narrow.yaml"));
  const std::size_t reads = outcome.out.find("[arm_cspmu");
  const std::size_t cause = outcome.out.find("irq 210: the interrupt is in use and not shared");
  ASSERT_NE(cause, std::string::npos) << outcome.out;
  EXPECT_LT(reads, cause) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("kernel: <3>[^\n]*failed with error -16\n$"));
}

/// What firmware has left is there, although the driver has not touched it.
TEST_F(Explain, what_firmware_has_left) {
  EXPECT_THAT(ended(0, explained("cmn-event-left-selected.yaml")).out,
              ContainsRegex("write 4 0x5000a000 [^\n]* = 0x2c2c2c2c"));
}

TEST_F(Explain, what_cannot_be_explained_is_said) {
  const Outcome right = ended(2, explained(two_sockets()));
  EXPECT_THAT(right.err, HasSubstr("no count is wrong"));
  prints(0, {"explain", (folder / "results").string(), "nvidia_ucf_pmu_0/slc_access_rd/"},
         {"every count of it is right when the scenario runs again"});
  EXPECT_THAT(pmufab({"explain", (folder / "results").string(), "nothing"}).err, HasSubstr("no event 'nothing'"));
  EXPECT_THAT(pmufab({"explain", folder.string() + "/no"}).err, HasSubstr("no folder of results"));
  EXPECT_EQ(pmufab({"explain"}).exit_code, 2);
}

TEST_F(Trace, wrong_options_are_bad_input) {
  const std::string scenario = overflowing();
  const auto error_of = [&](const std::vector<std::string>& more) {
    const Outcome outcome = ended(2, pmufab(with({"run", scenario}, more)));
    return outcome.err;
  };
  EXPECT_THAT(error_of({"--trace-filter", "pmu=x"}), HasSubstr("add --trace-mmio FILE"));
  const auto with = [&](const std::string& condition) {
    return error_of({"--trace-mmio", "-", "--trace-filter", condition});
  };
  EXPECT_THAT(with("pmus=x"), AllOf(HasSubstr("there is no key 'pmus'"), HasSubstr("'register'")));
  EXPECT_THAT(with("pmu"), HasSubstr("gives no value"));
  EXPECT_THAT(with("from=5"), HasSubstr("'5'"));
  EXPECT_THAT(error_of({"--trace-mmio", "-", "--trace-filter", "from=5us", "--trace-filter", "to=4us"}),
              HasSubstr("nothing lies between"));
  EXPECT_THAT(error_of({"--trace-mmio", (folder / "x").string(), "--json", (folder / "x").string()}),
              HasSubstr("another report"));
  EXPECT_THAT(error_of({"--trace-mmio", (folder / "no" / "x").string()}), HasSubstr("no"));
  EXPECT_THAT(error_of({"--timeline", "x.fst"}), AllOf(HasSubstr(".vcd, .json or .svg"), HasSubstr("vcd2fst")));
  EXPECT_THAT(error_of({shipped("ucf-basic.yaml"), "--timeline", (folder / "x.vcd").string()}),
              HasSubstr("a time line has one"));
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "-j", "--trace-mmio", "-"}, {"exclude each other"});
}

}  // namespace
}  // namespace pmufab::testing
