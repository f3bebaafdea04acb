// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cmn/part/cmn_spec.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/cmn/scenario/judge_spec.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_fabric.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::loader_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

ScenarioSpec load(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  return file.load(file.variants().front(), overrides);
}

std::string load_error(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return error_of([&] { static_cast<void>(load(yaml, overrides)); });
}

constexpr const char* kSmall = R"(name: small
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - name: gpu
        requester: {kind: gpu}
        targets: [{memory: cmem, size: 1 MiB}]
        phases: [{count: 10}]
measure:
  - events: [nvidia_ucf_pmu_0/slc_access_rd/]
)";

std::string with(const std::string& from, const std::string& to) {
  const std::string text = kSmall;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return fmt::format("{}{}{}", text.substr(0, at), to, text.substr(at + from.size()));
}

TEST(ScenarioLoader, a_bar_is_named_by_its_root_port) {
  const auto target = [](const std::string& text) { return load_error(with("{memory: cmem, size: 1 MiB}", text)); };
  EXPECT_EQ(target("{memory: bar, root_complex: 1, root_port: 4}"), "no error");
  EXPECT_THAT(
      target("{memory: bar, root_complex: 1, root_port: 0}"),
      HasSubstr("socket 0 has no bar below root port 0 of root complex 1 (the platform has socket 0 bar of root "
                "port 0 of root complex 0 ["));
  EXPECT_THAT(target("{memory: bar, root_complex: 1, root_port: 4, offset: 16 MiB}"), HasSubstr("lies beyond"));
  EXPECT_THAT(target("{memory: cmem, root_port: 0}"), HasSubstr("unknown key 'root_port'"));
}

TEST(ScenarioLoader, a_small_scenario_gets_all_defaults) {
  const ScenarioSpec spec = load(kSmall);
  EXPECT_EQ(spec.name, "small");
  EXPECT_THAT(spec.drivers, ElementsAre("all"));
  EXPECT_EQ(spec.platform.of<platform::Tegra410Spec>().memory.size(), 3U);
  EXPECT_EQ(spec.measures.size(), 1U);
  EXPECT_FALSE(spec.measures[0].stop);
  EXPECT_EQ(spec.host.access_latency, 50'000U);
  EXPECT_EQ(spec.workload.of<Tegra410Workload>().generators[0].phases[0].count, 10U);
}

TEST(ScenarioLoader, many_measures_and_expectations_take_a_time_that_grows_with_their_number) {
  const auto time_of = [](unsigned measures) {
    std::string text = with("measure:\n  - events: [nvidia_ucf_pmu_0/slc_access_rd/]\n", "measure:\n");
    for (unsigned i = 0; i < measures; ++i)
      text += fmt::format("  - {{name: the measure with the number {}, events: [nvidia_ucf_pmu_0/event={}/]}}\n", i, i);
    text += "expect:\n";
    for (unsigned i = 0; i < measures; ++i)
      text += fmt::format("  - {{event: nvidia_ucf_pmu_0/event={}/, minimum: 1}}\n", i);
    const Value document = parse_text(text, "s.yaml");
    const std::clock_t begin = std::clock();
    EXPECT_EQ(ScenarioFile(document, {}).load({}, {}).expectations.size(), measures);
    return static_cast<double>(std::clock() - begin);
  };
  constexpr unsigned kFew = 250;
  constexpr unsigned kTimes = 8;
  EXPECT_LT(time_of(kTimes * kFew), 3 * kTimes * time_of(kFew));
}

TEST(ScenarioLoader, the_effective_configuration_loads_to_itself) {
  const ScenarioSpec once = load(kSmall);
  const std::string text = to_yaml(once.effective);
  EXPECT_THAT(text, AllOf(HasSubstr("ucf_clock: 2400 MHz"), HasSubstr("memory_class: gmem"), HasSubstr("interval: 0")));
  EXPECT_EQ(to_yaml(load(text).effective), text);
}

TEST(ScenarioLoader, masks_of_chip_to_chip_interfaces_follow_the_peer) {
  const auto nvlink = [](const std::string& text) {
    const ScenarioSpec spec =
        load(with("tegra410: {clusters: 4}", "tegra410: {clusters: 4, nvlink_c2c: {" + text + "}}"));
    const std::string effective = to_yaml(spec.effective);
    EXPECT_EQ(to_yaml(load(effective).effective), effective);
    return spec.platform.of<platform::Tegra410Spec>().nvlink_c2c;
  };
  const tegra410::NvlinkC2cParameters usual = nvlink("");
  EXPECT_EQ(usual.gpu_mask(0), 0x7fU);
  EXPECT_EQ(usual.gpu_mask(1), 0x3f80U);
  EXPECT_EQ(usual.cpu_mask(), 0U);
  const tegra410::NvlinkC2cParameters one = nvlink("gpus: 1");
  EXPECT_EQ(one.gpu_mask(0), 0x3fffU);
  EXPECT_EQ(one.gpu_mask(1), 0U);
  EXPECT_EQ(nvlink("gpu0_en_mask: 0").gpu_mask(0), 0U);
  EXPECT_EQ(nvlink("gpu0_en_mask: 0x3, gpu1_en_mask: 0x30").gpu_mask(1), 0x30U);
  const tegra410::NvlinkC2cParameters sockets = nvlink("peer: cpu, width: 40");
  EXPECT_EQ(sockets.cpu_mask(), 0x3fffU);
  EXPECT_EQ(sockets.gpu_mask(0) | sockets.gpu_mask(1), 0U);
  EXPECT_EQ(sockets.width, 40U);
  EXPECT_EQ(nvlink("peer: cpu, cpu_en_mask: 0x101").cpu_mask(), 0x101U);
  EXPECT_EQ(nvlink("peer: none").cpu_mask(), 0U);
}

TEST(ScenarioLoader, an_unknown_key_is_refused_with_place_and_suggestion) {
  EXPECT_EQ(load_error(with("clusters: 4", "clustres: 4")),
            "s.yaml:2:71: platform.tegra410.clustres: unknown key 'clustres' (did you mean 'clusters'?)");
  EXPECT_EQ(load_error(with("targets:", "tragets:")),
            "s.yaml:7:9: traffic[0].generators[0].tragets: unknown key 'tragets' (did you mean 'targets'?)");
  EXPECT_EQ(load_error(with("  - events", "  - event")),
            "s.yaml:10:5: measure[0].event: unknown key 'event' (did you mean 'events'?)");
}

TEST(ScenarioLoader, a_wrong_type_is_refused_with_its_place) {
  EXPECT_EQ(load_error(with("sockets: 1", "sockets: one")),
            "s.yaml:2:37: platform.sockets: 'one' is not a number (for example 8 or 0x1f)");
  EXPECT_EQ(load_error(with("{count: 10}", "10")),
            "s.yaml:8:18: traffic[0].generators[0].phases[0]: must be a map of keys, not a single value");
}

TEST(ScenarioLoader, a_scenario_that_would_never_end_is_refused) {
  EXPECT_THAT(load_error(with("        phases: [{count: 10}]\n", "")),
              HasSubstr("duration: the traffic 'gpu' never ends"));
  EXPECT_EQ(load(with("        phases: [{count: 10}]\n", ""), {"duration=3 us"}).duration, 3'000'000U);
}

TEST(ScenarioLoader, overrides_change_values_and_name_themselves_when_wrong) {
  EXPECT_EQ(load(kSmall, {"platform.tegra410.ucf_pmu.width=16"}).platform.of<platform::Tegra410Spec>().ucf_pmu.width,
            16U);
  EXPECT_EQ(load(kSmall, {"traffic[0].generators[0].phases[0].count=3"})
                .workload.of<Tegra410Workload>()
                .generators[0]
                .phases[0]
                .count,
            3U);
  EXPECT_EQ(
      load_error(kSmall, {"platform.tegra410.ucf_pmu.widht=16"}),
      "--set platform.tegra410.ucf_pmu.widht=16: platform.tegra410.ucf_pmu.widht: unknown key 'widht' (did you mean "
      "'width'?)");
  EXPECT_THAT(load_error(kSmall, {"seed=abc"}), HasSubstr("--set seed=abc: seed: 'abc' is not a number"));
}

TEST(ScenarioLoader, a_matrix_makes_a_variant_of_every_combination) {
  const ScenarioFile file(
      parse_text(std::string(kSmall) +
                     "matrix: {platform.tegra410.ucf_pmu.trigger: [level, edge], host.interrupt_delay: [0, 5 us]}\n",
                 "s.yaml"),
      {});
  const std::vector<Variant> variants = file.variants();
  ASSERT_EQ(variants.size(), 4U);
  EXPECT_EQ(variants[3].name, "trigger=edge,interrupt_delay=5 us");
  const ScenarioSpec spec = file.load(variants[3], {});
  EXPECT_EQ(spec.host.interrupt_delay.time, 5'000'000U);
  EXPECT_EQ(spec.platform.of<platform::Tegra410Spec>().ucf_pmu.trigger, InterruptTrigger::edge);
  EXPECT_EQ(file.load(variants[3], {"host.interrupt_delay=7 us"}).host.interrupt_delay.time, 7'000'000U);
}

TEST(ScenarioLoader, paths_of_a_matrix_that_end_alike_have_different_names) {
  const auto names = [](const std::string& matrix) {
    const ScenarioFile file(parse_text(std::string(kSmall) + "matrix: " + matrix + "\n", "s.yaml"), {});
    std::vector<std::string> all;
    for (const Variant& variant : file.variants()) all.push_back(variant.name);
    return all;
  };
  EXPECT_THAT(names("{platform.tegra410.ucf_pmu.width: [16], platform.tegra410.pcie_pmu.width: [32], seed: [1]}"),
              ElementsAre("ucf_pmu.width=16,pcie_pmu.width=32,seed=1"));
  EXPECT_THAT(names("{'inject[0].count': [1], 'inject[1].count': [2]}"),
              ElementsAre("inject[0].count=1,inject[1].count=2"));
  EXPECT_THAT(names("[{platform.tegra410.ucf_pmu.width: [16]}, {platform.tegra410.pcie_pmu.width: [16]}]"),
              ElementsAre("ucf_pmu.width=16", "pcie_pmu.width=16"));
}

TEST(ScenarioLoader, a_list_of_matrices_makes_the_variants_of_each) {
  const ScenarioFile file(parse_text(std::string(kSmall) + "matrix:\n"
                                                           "  - {platform.tegra410.ucf_pmu.width: [16, 32, 64]}\n"
                                                           "  - {host.interrupt_delay: [1 us, 5 us], seed: [3]}\n",
                                     "s.yaml"),
                          {});
  std::vector<std::string> names;
  for (const Variant& variant : file.variants()) names.push_back(variant.name);
  EXPECT_THAT(names, ElementsAre("width=16", "width=32", "width=64", "interrupt_delay=1 us,seed=3",
                                 "interrupt_delay=5 us,seed=3"));
  const ScenarioSpec spec = file.load(file.variants()[4], {});
  EXPECT_EQ(spec.seed, 3U);
  EXPECT_EQ(spec.platform.of<platform::Tegra410Spec>().ucf_pmu.width, 64U);
  EXPECT_THAT(load_error(std::string(kSmall) + "matrix: []\n"), HasSubstr("matrix: must hold at least one map"));
  EXPECT_THAT(load_error(std::string(kSmall) + "matrix: [{seed: [1]}, seed]\n"), HasSubstr("matrix[1]: must be a map"));
  EXPECT_THAT(load_error(std::string(kSmall) + "matrix: [{seed: [1]}, {seed: []}]\n"),
              HasSubstr("matrix[1].seed: must hold at least one value"));
}

TEST(ScenarioLoader, a_sweep_becomes_a_measure_for_every_window) {
  const ScenarioSpec spec = load(with("  - events: [nvidia_ucf_pmu_0/slc_access_rd/]\n", R"(  - name: all
    events: ["p/<event><source>/"]
    sweep: {events_at_once: 4, window: 10 us, values: {event: [a, b, c], source: ["", ",s=1"]}}
)"));
  ASSERT_EQ(spec.measures.size(), 2U);
  EXPECT_THAT(spec.measures[0].events, ElementsAre("p/a/", "p/a,s=1/", "p/b/", "p/b,s=1/"));
  EXPECT_THAT(spec.measures[1].events, ElementsAre("p/c/", "p/c,s=1/"));
  EXPECT_TRUE(spec.measures[1].follows);
  EXPECT_EQ(spec.measures[1].window, 10'000'000U);
  EXPECT_EQ(spec.measures[1].name, "all 2");
  EXPECT_THAT(
      load_error(with("[nvidia_ucf_pmu_0/slc_access_rd/]", "[p/a/]\n    sweep: {window: 1 us, values: {event: [x]}}")),
      HasSubstr("no event of this measure has '<event>' in it"));
}

TEST(ScenarioLoader, unreadable_parts_are_reported_where_they_are_named) {
  EXPECT_EQ(load_error("name: x\nplatform: none.yaml\nmeasure: []\n"),
            "s.yaml:2:11: platform: 'none.yaml' cannot be read: No such file or directory");
}

TEST(ScenarioLoader, every_shipped_file_loads) {
  const std::filesystem::path folder = PMUFAB_SOURCE_DIR "/scenarios";
  int scenarios = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path room = *std::filesystem::relative(entry.path(), folder).begin();
    if (entry.path().extension() != ".yaml" || room == "platforms" || room == "traffic" || room == "studies") continue;
    const ScenarioFile file(entry.path());
    for (const Variant& variant : file.variants()) {
      const ScenarioSpec spec = file.load(variant, {"trace=not-opened-here"});
      // The model and the judge have one description each. Both must be valid.
      if (const auto sockets = tegra410_judge_spec(spec.platform)) {
        EXPECT_NO_THROW(sockets->validate()) << entry.path();
      }
      EXPECT_EQ(cmn_judge_specs(spec.platform).size(), spec.platform.of<platform::CmnMeshesSpec>().meshes.size());
      EXPECT_EQ(spec.name, entry.path().stem().string());
    }
    ++scenarios;
  }
  EXPECT_GE(scenarios, 10);
}

TEST(ScenarioLoader, lists_that_multiply_without_bounds_are_refused) {
  const std::string hundred = fmt::format("[{}]", fmt::join(std::vector<int>(100, 7), ","));
  const std::string four = fmt::format("{{a: {0}, b: {0}, c: {0}, d: {0}}}", hundred);
  const std::string head = "name: x\nduration: 1 us\nmeasure:\n  - events: [\"p/<a><b><c><d>/\"]\n";
  EXPECT_THAT(load_error(fmt::format("{}    sweep: {{window: 1 us, values: {}}}\n", head, four)),
              AllOf(HasSubstr("s.yaml:5"), HasSubstr("measure[0].sweep.values"), HasSubstr("more than 100000 events")));
  EXPECT_THAT(load_error(fmt::format("{}matrix: {}\n", head, four)),
              AllOf(HasSubstr("s.yaml:5"), HasSubstr("matrix.c"), HasSubstr("more than 10000 runs")));
}

TEST(ScenarioLoader, events_of_a_measure_are_refused_if_they_are_too_many_to_be_open_at_once) {
  std::vector<std::string> events(1024, "nvidia_ucf_pmu_0/cycles/");
  const std::string head = "name: x\nduration: 1 us\nmeasure:\n  - events: [";
  EXPECT_EQ(load(fmt::format("{}{}]\n", head, fmt::join(events, ", "))).measures[0].events.size(), events.size());
  events.emplace_back("nvidia_ucf_pmu_0/cycles/");
  EXPECT_THAT(load_error(fmt::format("{}{}]\n", head, fmt::join(events, ", "))),
              AllOf(HasSubstr("s.yaml:4:13: measure[0].events: has 1025 events; a measure can open 1024")));
}

TEST(ScenarioLoader, a_path_in_a_matrix_that_is_none_is_reported_where_it_stands) {
  const ScenarioFile file(parse_text(std::string(kSmall) + "matrix:\n  traffic[x].rate: [1]\n", "s.yaml"), {});
  EXPECT_THAT(error_of([&] { static_cast<void>(file.load(file.variants().at(0), {})); }),
              AllOf(HasSubstr("s.yaml:12:21: "), HasSubstr("traffic[x].rate: is not a path")));
}

TEST(ScenarioLoader, an_expected_failure_that_names_nothing_is_refused) {
  EXPECT_THAT(
      load_error(with("measure:", "expected_failure: {reason: it fails}\nmeasure:")),
      AllOf(HasSubstr("expected_failure.reason"), HasSubstr("does not say what fails"), HasSubstr("add event")));
  const ScenarioSpec spec =
      load(with("measure:", "expected_failure: {reason: it fails, event: [a/b/, c/d/], check: interrupts}\nmeasure:"));
  EXPECT_THAT(spec.expected_failure->events, ElementsAre("a/b/", "c/d/"));
  EXPECT_THAT(spec.expected_failure->checks, ElementsAre("interrupts"));
}

TEST(ScenarioLoader, an_expected_failure_names_versions) {
  const auto failing = [](const std::string& drivers) {
    return with("measure:", "expected_failure: {reason: it fails, check: x, drivers: " + drivers + "}\nmeasure:");
  };
  EXPECT_THAT(load_error(failing("['7.1', newest]")),
              AllOf(HasSubstr("expected_failure.drivers"), HasSubstr("'newest' does not say which versions fail")));
  EXPECT_THAT(load(failing("['>=7.1 <7.3', 7.10]")).expected_failure->drivers, ElementsAre(">=7.1 <7.3", "7.10"));
}

TEST(ScenarioLoader, a_mistake_in_a_matrix_is_reported_where_it_stands) {
  const ScenarioFile file(parse_text(std::string(kSmall) + "matrix: {seed: [1, abc]}\n", "s.yaml"), {});
  EXPECT_THAT(error_of([&] { static_cast<void>(file.load(file.variants().at(1), {})); }),
              HasSubstr("s.yaml:11:20: seed: 'abc' is not a number"));
  EXPECT_THAT(load_error(std::string(kSmall) + "matrix: {seed: []}\n"),
              HasSubstr("matrix.seed: must hold at least one value"));
}

TEST(ScenarioLoader, options_change_the_matrix) {
  const std::string head = kSmall;
  const auto names = [](const std::string& yaml, const std::vector<std::string>& overrides) {
    std::vector<std::string> list;
    for (const Variant& variant : ScenarioFile(parse_text(yaml, "s.yaml"), {}).variants(overrides))
      list.push_back(variant.name);
    return list;
  };
  const std::string one = head + "matrix: {host.interrupt_delay: [0, 5 us]}\n";
  EXPECT_THAT(names(one, {"matrix.host.interrupt_delay=[1 us]"}), ElementsAre("interrupt_delay=1 us"));
  EXPECT_THAT(names(one, {"matrix.seed=[3]", "matrix.host.interrupt_delay=[0]"}),
              ElementsAre("interrupt_delay=0,seed=3"));
  EXPECT_THAT(names(head, {"matrix.seed=[3, 4]"}), ElementsAre("seed=3", "seed=4"));
  EXPECT_THAT(names(one, {"matrix={seed: [7]}"}), ElementsAre("seed=7"));
  EXPECT_THAT(names(one, {"matrix=null"}), ElementsAre(""));
  const std::string list = head + "matrix: [{seed: [1]}, {seed: [2]}]\n";
  EXPECT_THAT(names(list, {"matrix[1].seed=[5, 6]"}), ElementsAre("seed=1", "seed=5", "seed=6"));
  EXPECT_THAT(error_of([&] { static_cast<void>(names(list, {"matrix.seed=[5]"})); }), HasSubstr("matrix[0].seed"));
  EXPECT_THAT(error_of([&] { static_cast<void>(names(list, {"matrix[2].seed=[5]"})); }),
              HasSubstr("there are 2 matrices"));
  EXPECT_THAT(error_of([&] { static_cast<void>(names(one, {"matrix.seed=5"})); }),
              HasSubstr("matrix.seed: must be a list of values"));
}

TEST(ScenarioLoader, without_a_judge_counts_are_not_compared) {
  EXPECT_TRUE(load(kSmall).is_judged);
  const ScenarioSpec spec = load(std::string("judge: off\n") + kSmall);
  EXPECT_FALSE(spec.is_judged);
  EXPECT_EQ(spec.measures.at(0).compare, MeasureSpec::Compare::unjudged);
  const std::string effective = to_yaml(spec.effective);
  EXPECT_THAT(effective, AllOf(HasSubstr("judge: "), HasSubstr("compare: none")));
  EXPECT_EQ(to_yaml(load(effective).effective), effective);
  EXPECT_EQ(load(std::string("judge: on\n") + kSmall).measures.at(0).compare, MeasureSpec::Compare::exact);
  EXPECT_THAT(load_error(std::string("judge: of\n") + kSmall), AllOf(HasSubstr("s.yaml:1:8: judge"), HasSubstr("off")));
}

/// The small scenario with a change and with lines behind it, and what is said of it. No texts: it loads.
struct Case {
  std::string from = "name: small";
  std::string to = "name: small";
  std::string rest{};
  std::vector<std::string> overrides{};
  std::vector<std::string> texts{};
};

void expect_each(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    const std::string error = load_error(with(one.from, one.to) + one.rest, one.overrides);
    if (one.texts.empty()) {
      EXPECT_EQ(error, "no error") << one.to << one.rest;
    }
    for (const std::string& text : one.texts) EXPECT_THAT(error, HasSubstr(text)) << one.to << one.rest;
  }
}

TEST(ScenarioLoader, what_cannot_be_is_refused_with_its_place) {
  const std::string event = "[nvidia_ucf_pmu_0/slc_access_rd/]";
  const std::string second = event + "\n    name: a\n  - {name: a, events: [nvidia_ucf_pmu_0/cycles/]}";
  expect_each({
      {.from = "sockets: 1", .to = "sockets: 9", .texts = {"s.yaml:2:37: platform.sockets:", "9"}},
      {.from = "clusters: 4",
       .to = "clusters: 4, slc: {ways: 100}",
       .texts = {"s.yaml:2:96: platform.tegra410.slc.ways", "64"}},
      {.from = "cpus_per_socket: 4", .to = "cpus_per_socket: 5", .texts = {"platform.cpus_per_socket"}},
      {.from = "tegra410: {clusters: 4}",
       .to = "memory: [{base: 0x1000000000, size: 1 GiB}, {base: 0x1000000000, size: 1 GiB}]",
       .texts = {"platform.memory"}},
      {.from = "{memory: cmem, size: 1 MiB}",
       .to = "{socket: 3, memory: cmem}",
       .texts = {"s.yaml:7:39: traffic[0].generators[0].targets[0]", "socket 3"}},
      {.from = "requester: {kind: gpu}",
       .to = "requester: {kind: gpu}\n        path: cached",
       .texts = {"traffic[0].generators[0]"}},
      {.from = "phases:",
       .to = "mix: {reed: 1}\n        phases:",
       .texts = {"s.yaml:8:15", "unknown operation 'reed' (did you mean 'read'?)"}},
      {.from = "phases:",
       .to = "pattern: {kind: uniform, stride: 64}\n        phases:",
       .texts = {"unknown key 'stride'"}},
      {.from = event,
       .to = "[nvidia_ucf_pmu_0/slc_access_rd]",
       .texts = {"s.yaml:10:13: measure[0].events", "closing '/'"}},
      {.from = event, .to = second, .texts = {"s.yaml:12:", "another measure is called 'a'"}},
      // It would always pass, whatever the driver does.
      {.from = event, .to = "[]", .texts = {"s.yaml:10", "measure[0].events", "must not be empty"}},
  });
  const std::string cpu = "traffic[0].generators[0].requester={kind: cpu, id: ";
  expect_each({
      {.overrides = {cpu + "4}"},
       .texts = {"traffic[0].generators[0].requester.id", "there is no CPU cluster 4", "0 ... 3"}},
      {.overrides = {cpu + "3}"}},
      {.overrides = {"traffic[0].generators[0].requester={kind: gpu, id: 4}"}},
  });
}

TEST(ScenarioLoader, keys_of_a_measure_and_of_the_host_are_refused_with_their_place) {
  expect_each({
      {.rest = "    start: 1 ms\n",
       .overrides = {"duration=1 ms"},
       .texts = {"s.yaml:11:12: measure[0].start", "the scenario ends at 1 ms"}},
      {.rest = "    start: 999 us\n", .overrides = {"duration=1 ms"}},
      {.rest = "    cpu: 4\n", .texts = {"s.yaml:11:10: measure[0].cpu", "0 ... 3"}},
      {.rest = "    cpu: 3\n"},
      {.rest = "    open_error: EFOO\n", .texts = {"s.yaml:11:17: measure[0].open_error", "there is no error 'EFOO'"}},
      {.rest = "    open_error: ENOSPC\n"},
      {.rest = "host: {access_latency: 2 s}\n", .texts = {"host.access_latency", "1 s"}},
      {.rest = "host: {interrupt_delay: 3601 s}\n", .texts = {"host.interrupt_delay", "3600 s"}},
      {.rest = "host: {offline_cpus: [1]}\n"},
      {.rest = "host: {offline_cpus: [x]}\n", .texts = {"host.offline_cpus: 'x' is no CPU"}},
      {.rest = "host: {offline_cpus: [1000]}\n", .texts = {"'1000' is no CPU"}},
      {.rest = "host: {offline_cpus: [1, 1]}\n", .texts = {"has CPU 1 twice"}},
  });
}

TEST(ScenarioLoader, actions_and_firmware_writes_are_refused_with_their_place) {
  const std::string offline = "actions: [{at: 1 us, do: cpu_offline, cpu: ";
  const std::string again = "actions: [{at: 1 us, do: firmware_writes}]\n";
  const std::string disable = " us, do: disable_events, measure: ";
  const std::string write = "firmware_writes: [{address: 0x10000c00, ";
  expect_each({
      {.rest = offline + "99}]\n", .texts = {"s.yaml:11:44: actions[0].cpu", "0 ... 3"}},
      {.rest = offline + "3}]\n"},
      {.rest = again, .texts = {"s.yaml:11:26: actions[0].do: there is nothing to write", "'firmware_writes'"}},
      {.rest = again + "firmware_writes: [{address: 0x1000, value: 1}]\n"},
      {.rest = "actions: [{at: 1" + disable + "frist}]\n",
       .texts = {"s.yaml:11:51: actions[0].measure: there is no measure 'frist'", "there are 'measure 0'"}},
      {.rest = "actions: [{at: 2" + disable + "measure 0}]\n"},
      {.rest = write + "value: 1}]\n"},
      {.rest = write + "size: 3, value: 1}]\n", .texts = {"firmware_writes[0].size"}},
      {.rest = write + "size: 2, value: 0x1_0000}]\n", .texts = {"firmware_writes[0].value"}},
      {.rest = "firmware_writes: [{address: 2, value: 1}]\n", .texts = {"is not a multiple of the size, 4"}},
  });
  const auto enable_at = [](const std::string& when, std::vector<std::string> texts) {
    const std::string do_it = "do: enable_events, measure: measure 0}]\n";
    expect_each({{.rest = "    start: 5 us\n    stop: 25 us\nactions: [{at: " + when + " us, " + do_it,
                  .overrides = {"duration=1 ms"},
                  .texts = std::move(texts)}});
  };
  enable_at("1", {"s.yaml:13:16: actions[0].at", "is not open before 5 us"});
  enable_at("5", {"is not open before 5 us"});  // actions come before
  enable_at("6", {});
  enable_at("25", {"measure 'measure 0' ends at 25 us"});
}

TEST(ScenarioLoader, expectations_that_nothing_can_meet_or_that_hide_everything_are_refused) {
  const std::string expect = "    name: first\nexpect: [{event: e, ";
  const std::string calls = "failing_calls: {calls: each, known: ";
  const std::string failure = "expected_failure: {reason: a reason, ";
  expect_each({
      {.rest = expect + "measure: frist, equals: 1}]\n",
       .texts = {"s.yaml:12:", "expect[0].measure: there is no measure 'frist'", "did you mean 'first'?"}},
      {.rest = expect + "minimum: 5, maximum: 4}]\n", .texts = {"expect[0].minimum: 5 is above the maximum 4"}},
      {.rest = "kernel_log: {has: overflow, lacks: [MC1, MC2]}\n"},
      {.rest = "kernel_log: {}\n", .texts = {"kernel_log.has: nothing is expected"}},
      {.rest = "kernel_log: {lacks: ['']}\n", .texts = {"kernel_log.lacks: is empty"}},
      {.rest = "kernel_log: {lacks: ['  ']}\n", .texts = {"kernel_log.lacks: is empty"}},
      {.rest = "kernel_log: {hass: overflow}\n", .texts = {"'hass'"}},
      {.rest = calls + "[leaves a hotplug state]}\n"},
      {.rest = calls + "['']}\n", .texts = {"failing_calls.known: is empty, and every complaint has that"}},
      {.rest = calls + "[' ']}\n", .texts = {"failing_calls.known: is empty"}},
      {.rest = failure + "event: ['']}\n", .texts = {"expected_failure"}},
      {.rest = failure + "check: [' ']}\n", .texts = {"expected_failure"}},
  });
  const auto expect_event = [](const std::string& name, std::vector<std::string> texts) {
    expect_each({{.from = "[nvidia_ucf_pmu_0/slc_access_rd/]",
                  .to = "['{nvidia_ucf_pmu_*/slc_access_rd/,nvidia_ucf_pmu_0/cycles/}']\nexpect: [{event: " + name +
                        ", minimum: 1}]",
                  .texts = std::move(texts)}});
  };
  expect_event("nvidia_ucf_pmu_0/slc_acess_rd/",
               {"expect[0].event: no measure counts 'nvidia_ucf_pmu_0/slc_acess_rd/'", "did you mean"});
  expect_event("nvidia_ucf_pmu_0/slc_access_rd/", {});
  expect_event("nvidia_ucf_pmu_0/cycles/", {});
}

TEST(ScenarioLoader, without_a_judge_what_asks_for_one_is_refused) {
  const auto refused = [](const std::string& rest, const std::string& place) {
    return Case{.rest = rest, .overrides = {"judge=off"}, .texts = {place, "needs the judge", "remove one of the two"}};
  };
  expect_each({
      {.rest = "    compare: none\n    nonzero: false\nexpect: []\ninject: []\n", .overrides = {"judge=off"}},
      refused("    compare: exact\n", "s.yaml:11:14: measure[0].compare"),
      refused("    nonzero: true\n", "s.yaml:11:14: measure[0].nonzero"),
      refused("expect: [{event: nvidia_ucf_pmu_0/slc_access_rd/, equals: 1}]\n", "s.yaml:11:9: expect"),
      refused("expected_failure: {reason: none, check: probe}\n", "s.yaml:11:19: expected_failure"),
      refused("inject: [{at: 1 us, source: nvidia_ucf_pmu_0/cycles/, count: 1}]\n", "s.yaml:11:9: inject"),
  });
}

TEST(ScenarioLoader, errors_of_meaning_get_the_place_of_what_is_wrong) {
  const ScenarioSpec spec =
      load(std::string(kSmall) + "chi_traffic:\n  - {name: c, ranges: [{size: 4 KiB}], mesh: 1}\n", {"duration=1 us"});
  const auto placed = [&](const std::string& path) {
    return std::string(with_place(InputError({}, path, "is wrong"), spec.written).what());
  };
  EXPECT_EQ(placed("chi_traffic[0].ranges[0].size"), "s.yaml:12:31: chi_traffic[0].ranges[0].size: is wrong");
  EXPECT_EQ(placed("chi_traffic[0].rate"), "s.yaml:12:5: chi_traffic[0].rate: is wrong") << "not written";
  EXPECT_EQ(placed("duration"), "--set duration=1 us: duration: is wrong");
  EXPECT_EQ(placed("event 'x/y/'"), "event 'x/y/': is wrong") << "no field of the scenario";
}

}  // namespace
}  // namespace pmufab::scenario::loader_test
