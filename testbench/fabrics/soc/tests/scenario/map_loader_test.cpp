// SPDX-License-Identifier: Apache-2.0
// PMUs with a register map in platform files, and what is wrong with one.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/soc/part/soc_rows.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/fabrics/soc/scenario/soc_fabric.h"
#include "testbench/fabrics/soc/scenario/soc_kind.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::map_loader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kScenario = R"(name: mapped
platform:
  kind: soc
  sockets: 2
  cpus_per_socket: 2
  sources:
    - {name: request, attributes: [port, write]}
  pmus:
    - name: bridge
      perf_name: acme_bridge{socket}
      device: {acpi: ACME0042, uid: "{socket}", module: acme_bridge_pmu, properties: {ports: 4, wide: 0x1_0000_0000}}
      base: 0x2000_0000
      counters: 4
      width: 32
      widths: [{counters: 2-3, width: 48}]
      terms: [{name: long, format: "config:32", counters: 2}]
      interrupt: {number: 64}
      registers:
        - {name: CONTROL, offset: 0x0, fields: [{name: RUN, bits: 0, role: run}]}
        - {name: ENABLE, offset: 0x4, bits: 0-3, role: enable}
        - {name: STATUS, offset: 0x8, bits: 0-3, role: overflow}
        - {name: SELECT, offset: 0x10, fields: [{name: EVENT, bits: 0-5, repeat: 4, step: 8, role: event}]}
        - {name: PORTS, offset: 0x20, count: 4, bits: 0-7}
        - {name: COUNTER, offset: 0x40, count: 4, stride: 8, role: counter}
      events:
        - {name: requests, number: 0x1, source: request}
        - {name: writes, number: 0x2, source: request, where: {write: 1}, counters: 1-2}
      filters:
        - {name: port, register: PORTS, bits: 0-3, format: "config1:0-3"}
soc_traffic: [{name: requests, source: request, attributes: {port: 0-3, write: 0-1}, count: 10}]
measure: [{events: [acme_bridge0/requests/]}]
)";

std::string error_of(const std::string& yaml) {
  try {
    const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
    static_cast<void>(file.load(file.variants().front(), {}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_with(const std::string& what, const std::string& by) {
  std::string yaml = kScenario;
  const std::size_t at = yaml.find(what);
  if (at == std::string::npos) return "the scenario has no '" + what + "'";
  return error_of(yaml.replace(at, what.size(), by));
}

TEST(MapLoader, a_description_holds_what_the_file_says) {
  const ScenarioFile file(parse_text(kScenario, "s.yaml"), {});
  const ScenarioSpec spec = file.load(file.variants().front(), {});
  const auto& pmus = spec.platform.of<platform::SocSpec>().pmus;
  ASSERT_THAT(pmus, SizeIs(1));
  ASSERT_TRUE(pmus[0].map);
  const soc::RegisterMap& map = *pmus[0].map;
  ASSERT_THAT(map.registers, SizeIs(6));
  EXPECT_EQ(map.registers[3].fields[0].repeat, 4U);
  EXPECT_EQ(map.registers[3].fields[0].step, 8U);
  EXPECT_EQ(map.registers[5].stride, 8U);
  EXPECT_EQ(pmus[0].event_bits, 6U);  // of the field that selects it
  EXPECT_EQ(pmus[0].filters[0].word, 4U);
  EXPECT_EQ(pmus[0].events[1].counters->first, 1U);
  EXPECT_EQ(pmus[0].widths[0].counters.first, 2U);
  EXPECT_EQ(pmus[0].terms[0].counters, 2U);
  EXPECT_FALSE(map.runs_by_event);  // there is a field that lets it run
  EXPECT_THAT(driver_modules(spec.platform), ElementsAre("acme_bridge_pmu"));
}

TEST(MapLoader, one_line_may_make_the_events_of_many_values) {
  std::string yaml = kScenario;
  const std::string whole = "      events:\n        - {name: requests, number: 0x1, source: request}";
  ASSERT_NE(yaml.find(whole), std::string::npos);
  yaml.replace(
      yaml.find(whole), whole.size(),
      "      number_terms: [{name: code, format: \"config:0-3\", bits: 0-3}, {name: at, format: "
      "\"config2:0-1\", bits: 4-5}]\n"
      "      events:\n        - {name: requests, number: 0x1, code: 0x5, source: request, for_each: {port: 1-3}, "
      "step: 0x10}");
  yaml.replace(yaml.find("acme_bridge0/requests/"), 22, "acme_bridge0/writes/");
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  const ScenarioSpec spec = file.load(file.variants().front(), {});
  const soc::PmuDescription& pmu = spec.platform.of<platform::SocSpec>().pmus.front();
  ASSERT_THAT(pmu.events, SizeIs(4));
  EXPECT_EQ(pmu.events[2].number, 0x21U);
  EXPECT_EQ(pmu.events[2].code, 0x25U);
  EXPECT_EQ(pmu.events[2].where.front().first, 3U);
  EXPECT_EQ(pmu.map->number_terms[1].bits.first, 4U);
}

TEST(MapLoader, switches_of_other_reach_stand_beside_each_other) {
  EXPECT_EQ(error_with("role: run}",
                       "role: run, counters: 0-1}, {name: HIGH, bits: 1, role: run, counters: 2-3}, "
                       "{name: GLOBAL, bits: 2, role: interrupt_enable}, "
                       "{name: EACH, bits: 4-7, role: interrupt_enable}, "
                       "{name: MASKS, bits: 8-11, role: interrupt_mask}"),
            "no error");
  EXPECT_EQ(error_with("role: overflow}",
                       "role: overflow_set}\n        - {name: CLEAR, offset: 0x84, bits: 0-3, role: overflow_clear}"),
            "no error");
}

TEST(MapLoader, counters_may_choose_among_the_only_selectors) {
  const std::string run =
      "role: run}]}\n        - {name: ENABLE, offset: 0x4, bits: 0-3, role: enable}\n        - {name: "
      "STATUS, offset: 0x8, bits: 0-3, role: overflow}\n        - {name: SELECT, offset: 0x10, fields: "
      "[{name: EVENT, bits: 0-5, repeat: 4, step: 8, role: event";
  std::string chosen = run;
  chosen.insert(chosen.find("]}"), ", {name: BUSES, bits: 8-15}") +=
      ", chosen_by: {register: CONTROL, bits: 8-9, repeat: 4, step: 2}";
  EXPECT_EQ(error_with(run, chosen), "no error");
  EXPECT_THAT(error_with(run, chosen + "}, {name: MORE, bits: 6, repeat: 3, step: 8, first: 1, role: event"),
              HasSubstr("both select the event of counter 1"));
}

TEST(MapLoader, a_format_may_have_several_pieces_of_any_word_of_the_kernel) {
  for (const char* const format : {"config:8-10,63", "config1:9,0-3", "config2:60-63", "config3:0,2-4,63"})
    EXPECT_EQ(error_with("config1:0-3", format), "no error") << format;
}

TEST(MapLoader, latched_copies_show_a_counter_once_more) {
  EXPECT_EQ(
      error_with("stride: 8, role: counter}",
                 "stride: 8, role: counter, saturates: true}\n        - {name: HIGH, offset: 0x44, count: 4, "
                 "stride: 8, bits: 0-15, role: counter, shift: 32}\n        - {name: COPY, offset: 0x80, count: 4, "
                 "bits: 0-15, role: counter, latched: true}\n        - {name: LATCH, offset: 0x90, bits: 0, role: "
                 "latch}"),
      "no error");
}

TEST(MapLoader, counters_with_an_event_of_their_own_need_no_overflow_status) {
  std::string yaml = kScenario;
  for (const auto& [what, by] : {std::pair("bits: 0-3, role: overflow", "bits: 0-2, role: overflow"),
                                 std::pair("repeat: 4, step: 8", "repeat: 3, step: 8"),
                                 std::pair("events:\n        -",
                                           "events:\n        - {name: clock, number: 0xff, counts: "
                                           "cycles, counters: 3}\n        -")})
    yaml.replace(yaml.find(what), std::string_view(what).size(), by);
  EXPECT_EQ(error_of(yaml), "no error");
}

TEST(MapLoader, pmus_that_share_an_interrupt_say_so_each) {
  std::string yaml = kScenario;
  const std::string all =
      yaml.substr(yaml.find("    - name: bridge"), yaml.find("soc_traffic") - yaml.find("    - name: bridge"));
  std::string other = all;
  for (const auto& [what, by] : {std::pair("name: bridge", "name: other"), std::pair("acme_bridge{", "acme_other{"),
                                 std::pair("ACME0042", "ACME0043"), std::pair("0x2000_0000", "0x2001_0000")})
    other.replace(other.find(what), std::string_view(what).size(), by);
  yaml.insert(yaml.find("soc_traffic"), other);
  const std::string line = "{number: 64}";
  yaml.replace(yaml.find(line), line.size(), "{number: 64, shared: true}");
  EXPECT_THAT(
      error_of(yaml),
      HasSubstr("pmus[1].interrupt.shared: differs from that of pmus[0], which shares interrupt 64 (say shared: true"));
  yaml.replace(yaml.find(line), line.size(), "{number: 64, shared: true}");
  EXPECT_EQ(error_of(yaml), "no error");
}

TEST(MapLoader, first_of_a_register_of_one_bit_is_the_counter_that_the_bit_is_for) {
  std::string yaml = kScenario;
  const std::string last = "role: counter}";
  yaml.insert(yaml.find(last) + last.size(), "\n        - {name: CLEAR, offset: 0x80, bits: 4, first: 2, role: clear}");
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  const ScenarioSpec spec = file.load(file.variants().front(), {});
  const soc::RegisterDescription& reg = spec.platform.of<platform::SocSpec>().pmus.front().map->registers.back();
  EXPECT_FALSE(reg.is_for_all(reg.fields.front()));
  EXPECT_EQ(reg.counter_of(reg.fields.front(), 0, 0), 2U);
}

TEST(MapLoader, each_socket_has_its_device) {
  const ScenarioFile file(parse_text(kScenario, "s.yaml"), {});
  const auto rows = platform::soc_pmus(file.load(file.variants().front(), {}).platform);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[1].perf_name, "acme_bridge1");
  ASSERT_TRUE(rows[1].device);
  EXPECT_EQ(rows[1].device->hid, "ACME0042");
  EXPECT_EQ(rows[1].device->uid, "1");
  EXPECT_EQ(rows[1].device->memory[0].base, 0x1000'2000'0000U);
  EXPECT_EQ(rows[1].device->interrupts[0].number, 65U);
  EXPECT_EQ(rows[1].device->properties.at("ports"), 4U);
  EXPECT_EQ(rows[1].device->properties_u64.at("wide"), 0x1'0000'0000U);
}

TEST(MapLoader, a_pmu_may_send_messages_have_events_without_names_and_counters_that_need_to_run) {
  std::string yaml = kScenario;
  for (const auto& [what, by] : {std::pair("{number: 64}", "{address: PORTS, data: SELECT}"),
                                 std::pair("role: counter}", "role: counter, needs_run: true}"),
                                 std::pair("width: 32\n", "width: 32\n      identifier: \"0x30\"\n"),
                                 std::pair("counters: 1-2}", "unnamed: true}")})
    yaml.replace(yaml.find(what), std::string_view(what).size(), by);
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  const ScenarioSpec spec = file.load(file.variants().front(), {});
  const soc::PmuDescription& pmu = spec.platform.of<platform::SocSpec>().pmus.front();
  ASSERT_TRUE(pmu.interrupt && pmu.interrupt->written);
  EXPECT_EQ(pmu.interrupt->written->address, 4U);
  EXPECT_EQ(pmu.interrupt->written->data, 3U);
  EXPECT_TRUE(platform::soc_pmus(spec.platform).front().device->interrupts.empty());
  EXPECT_TRUE(pmu.map->registers[5].fields[0].needs_run);
  EXPECT_EQ(pmu.identifier, "0x30");
  EXPECT_FALSE(pmu.events[0].is_unnamed);
  EXPECT_TRUE(pmu.events[1].is_unnamed);
}

TEST(MapLoader, devices_may_be_below_one_that_has_some_of_their_windows_and_interrupts) {
  std::string yaml = kScenario;
  for (const auto& [what, by] :
       {std::pair("module: acme_bridge_pmu",
                  "module: acme_bridge_pmu, below: {acpi: ACME0041, uid: \"{socket}\", windows: [top]}"),
        std::pair("{number: 64}", "{number: 64, count: 3}"),
        std::pair("      base: 0x2000_0000\n",
                  "      windows: [{name: own, base: 0x2000_0000}, {name: top, base: 0x2000_1000}]\n"),
        std::pair("number: 0x1, source: request", "number: 0x1, source: request, times: 16")})
    yaml.replace(yaml.find(what), std::string_view(what).size(), by);
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  const platform::PlatformSpec spec = file.load(file.variants().front(), {}).platform;
  EXPECT_EQ(spec.of<platform::SocSpec>().pmus.front().events[0].times, 16U);
  const auto rows = platform::soc_pmus(spec);
  ASSERT_TRUE(rows[1].parent);
  EXPECT_EQ(rows[1].parent->uid, "1");
  EXPECT_EQ(rows[1].device->uid, "ACME0041:1/1");
  ASSERT_THAT(rows[1].parent->memory, SizeIs(1));
  EXPECT_EQ(rows[1].parent->memory[0].base, 0x1000'2000'1000U);
  EXPECT_THAT(rows[1].parent->interrupts, SizeIs(1));
  EXPECT_THAT(rows[1].device->memory, SizeIs(1));
  ASSERT_THAT(rows[1].device->interrupts, SizeIs(3));
  EXPECT_EQ(rows[1].device->interrupts[2].number, 65U);
}

TEST(MapLoader, an_interrupt_may_have_lines_and_filters_of_other_counters_the_same_name) {
  std::string yaml = kScenario;
  for (const auto& [what, by] :
       {std::pair("{number: 64}", "{lines: [{number: 64, counters: 0-2}, {number: 66, counters: 3}], trigger: edge}"),
        std::pair(
            "register: PORTS,",
            "register: PORTS, counters: 2-3, bits: 4-7}\n        - {name: port, register: PORTS, counters: 0-1,")})
    yaml.replace(yaml.find(what), std::string_view(what).size(), by);
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  const platform::PlatformSpec spec = file.load(file.variants().front(), {}).platform;
  const soc::PmuDescription& pmu = spec.of<platform::SocSpec>().pmus.front();
  EXPECT_EQ(pmu.interrupt->trigger, InterruptTrigger::edge);
  ASSERT_THAT(pmu.interrupt->lines, SizeIs(2));
  EXPECT_EQ(pmu.interrupt->lines[0].counters.width, 3U);
  EXPECT_EQ(pmu.interrupt->lines[1].counters.first, 3U);
  EXPECT_EQ(pmu.filters[1].counters->width, 2U);
  const auto rows = platform::soc_pmus(spec);
  ASSERT_THAT(rows[1].device->interrupts, SizeIs(2));
  EXPECT_EQ(rows[1].device->interrupts[0].number, 65U);
  EXPECT_EQ(rows[1].device->interrupts[1].number, 67U);
}

struct Wrong {
  const char* what;
  const char* by;
  std::vector<const char*> told;
};

TEST(MapLoader, what_is_wrong_is_told_with_its_place) {
  const std::vector<Wrong> all = {
      {"offset: 0x4, bits: 0-3", "offset: 0x0, bits: 0-3", {"registers[1].offset", "lies on register CONTROL"}},
      {"offset: 0x20, count: 4", "offset: 0x22, count: 4", {"registers[4].offset", "is not a multiple of 4"}},
      {"count: 4, stride: 8", "count: 4, stride: 2", {"registers[5].stride"}},
      {"offset: 0x40, count: 4", "offset: 0xffc, count: 4", {"registers[5].count", "the window ends at 0x1000"}},
      {"counters: 2-3, width: 48", "counters: 2-4, width: 48", {"widths[0].counters", "names counter 4"}},
      {"width: 48", "width: 65", {"widths[0].width"}},
      {"counters: 2}]", "counter: 2}]", {"terms[0]", "counters"}},
      {"role: run", "role: preload", {"registers", "preload_counter"}},
      {"name: COUNTER", "name: SELECT", {"registers[5].name", "is that of another register"}},
      {"bits: 0-3, role: enable", "bits: 0-33, role: enable", {"bits", "the register has 32"}},
      {"role: enable}", "role: enabel}", {"role", "did you mean 'enable'?"}},
      {"role: counter}", "role: keeps}", {"pmus[0].registers", "hold no field that shows counter 0"}},
      {"repeat: 4, step: 8",
       "repeat: 3, step: 8",
       {"pmus[0].registers", "hold no field that selects the event of counter 3", "an event counters: 3"}},
      {"repeat: 4, step: 8", "repeat: 4, step: 4", {"step", "would overlap the next"}},
      {"bits: 0-7}\n        - {name: COUNTER",
       "bits: 0-7, role: event}\n        - {name: COUNTER",
       {"SELECT and PORTS both select the event of counter 0"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run}, {name: ALL, bits: 1, role: enable}",
       {"CONTROL and ENABLE both have the role enable for counter 0",
        "give the one for several counters the role run"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run}, {name: ALL, bits: 1, role: run}",
       {"CONTROL and CONTROL both have the role run for counter 0", "give one of them the role keeps"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run, counters: 0-1}, {name: REST, bits: 1, role: run, counters: 1-3}",
       {"both have the role run for counter 1"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run}, {name: HALT, bits: 1, role: stop}",
       {"CONTROL and CONTROL have the roles run and stop", "whether counter 0 counts",
        "give one of the two fields the role keeps"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run}, {name: GO, bits: 1, role: run_set, value: 1}",
       {"fields[1].value", "GO acts as it is written"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run, counters: 0-4}",
       {"counters", "names counter 4; the PMU has 0 ... 3"}},
      {"bits: 0, role: run}", "bits: 0-1, role: run, counters: 0-1}", {"counters", "give first"}},
      {"role: overflow}", "role: overflow, counters: 0-1}", {"counters", "unknown key"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run, first: 0, counters: 0-1}",
       {"fields[0].first", "stands beside counters", "leave one of them out"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run}, {name: GO, bits: 1, role: run_set, first: 1}",
       {"fields[1].first", "GO is for no single counter"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run}, {name: NOTE, bits: 1-2, first: 1}",
       {"fields[1].first", "NOTE is for no single counter", "leave it out"}},
      {"offset: 0x0, fields",
       "offset: 0x0, first: 2, fields",
       {"registers[0].first", "no field of CONTROL is for single counters", "give it to the field"}},
      {"role: counter}",
       "role: counter}\n        - {name: CLEAR, offset: 0x80, bits: 0, first: 4, role: clear}",
       {"registers[6]", "names counter 4; the PMU has 0 ... 3"}},
      {"role: counter}",
       "role: counter, latched: true}",
       {"pmus[0].registers", "latched of counter 0, but no field latches it", "give a field the role latch"}},
      {"role: enable}", "role: enable, saturates: true}", {"saturates", "unknown key"}},
      {"role: enable}", "role: enable, takes: 1 us}", {"takes", "unknown key"}},
      {"role: counter}",
       "role: counter}\n        - {name: BUSY, offset: 0x80, bits: 0, role: latching}",
       {"pmus[0].registers", "BUSY shows a latch that takes time, but none does", "takes: 200 ns"}},
      {"role: enable}", "role: enable, read_only: true}", {"read_only", "unknown key"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: counter, down: true}\n        - {name: CHAIN, offset: 0x80, bits: 0-3, role: chain}",
       {"pmus[0].registers", "count down or saturate", "neither carry", "remove the fields"}},
      {"width: 32\n",
       "width: 32\n      refused: [{terms: {prot: 1}}]\n",
       {"refused[0].terms", "names 'prot', which is no term"}},
      {"width: 32\n",
       "width: 32\n      refused: [{terms: {port: 1}, error: EINVALID}]\n",
       {"error", "did you mean 'EINVAL'?"}},
      {"width: 32\n", "width: 32\n      refused: [{error: EINVAL}]\n", {"refused[0].terms", "are missing"}},
      {"      events:\n        - {name: requests, number: 0x1",
       "      events:\n        - {name: cycles, number: 0xff, counters: 0, counts: cycles}\n        - {name: requests, "
       "number: 0x41",
       {"events[1].number", "0x41 does not fit into the fields that select events"}},
      {"offset: 0x40, count: 4", "offset: 0x40, count: 5", {"counters up to 4", "give counters: 5"}},
      {"register: PORTS", "register: PORT", {"filters[0].register", "there is no register 'PORT'", "PORTS"}},
      {"register: PORTS, bits: 0-3", "register: SELECT, bits: 4-6", {"filters[0].bits", "lie on the field EVENT"}},
      {"role: overflow}", "role: keeps}", {"interrupt", "no register tells which counter has wrapped"}},
      {"acpi: ACME0042, uid: \"{socket}\", ", "", {"device.acpi", "is missing, and so are tree and pci"}},
      {"acpi: ACME0042", "acpi: ACME", {"device.acpi", "seven or eight characters"}},
      {"acpi: ACME0042", "acpi: ACME0042, below: {acpi: ACME}", {"device.below.acpi", "seven or eight characters"}},
      {"acpi: ACME0042",
       "acpi: ACME0042, below: {tree: \"acme,top\"}",
       {"device.below.acpi", "give acpi, and no tree"}},
      {"acpi: ACME0042",
       "acpi: ACME0042, below: {acpi: ACME0041, windows: top}",
       {"device.below.windows", "there is no window 'top'"}},
      {"role: enable}", "role: pending, of: bridg}", {"pmus[0].registers", "shows interrupts of 'bridg'"}},
      {"role: counter}", "role: counter, selected: true}", {"registers", "no preload_counter names its counter"}},
      {"acpi: ACME0042", "acpi: ACME0042, tree: \"acme,bridge\"", {"several ways to tell of one device"}},
      {", module: acme_bridge_pmu", "", {"module", "is missing"}},
      {"uid: \"{socket}\"", "uid: \"0\"", {"ACME0042"}},
      {"perf_name: acme_bridge{socket}", "perf_name: acme_bridge", {"drivers would call it acme_bridge, as pmus[0]"}},
      {"counters: 1-2}", "counters: 3-4}", {"events[1].counters", "the PMU has 0 ... 3"}},
      {"number: 0x2,", "number: 0x42,", {"events[1].number", "0x42 does not fit into the fields"}},
      {"register: PORTS, bits: 0-3", "register: PORTS, bits: 0-3, match: between", {"filters[0].care", "is missing"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, match: at_least, care: 4-7",
       {"filters[0].care", "is for match: value, and between"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, match: edge",
       {"filters[0].bits", "are several; match: edge is for one"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, match: threshold, attribute: port",
       {"filters[0]", "attribute"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, default: 0x10",
       {"filters[0].default", "does not fit into 4 bits"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, repeat: 2, step: 32",
       {"filters[0].repeat", "reach bit 35"}},
      {"counters: 4\n",
       "counters: 4\n      number_terms: [{name: a, format: \"config:0-3\", bits: 0-3}, {name: a, format: "
       "\"config1:0-3\", bits: 4-7}]\n",
       {"number_terms[1].name", "'a' is that of another term"}},
      {"counters: 4\n",
       "counters: 4\n      number_terms: [{name: a, format: \"config:0-3\", bits: 0-3}, {name: b, format: "
       "\"config2:0-3\", bits: 3-6}]\n",
       {"number_terms[1].bits", "overlap those of another term"}},
      {"counters: 4\n",
       "counters: 4\n      number_terms: [{name: a, format: \"config:0-3\", bits: 0-3}, {name: b, format: "
       "\"config:0-3\", bits: 0-2}]\n",
       {"number_terms[1].bits", "a second name of the same bits has the same format"}},
      {"role: event}", "role: event, chosen_by: {register: ROUTE, bits: 0-1}}", {"chosen_by.register", "'ROUTE'"}},
      {"role: event}", "role: event, chosen_by: {register: CONTROL}}", {"chosen_by", "bits"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: event, chosen_by: {register: CONTROL, bits: 0-1}}",
       {"chosen_by", "stands in no array", "give repeat"}},
      {"role: enable}",
       "role: event, chosen_by: {register: CONTROL, bits: 30-31, repeat: 2, step: 4}}",
       {"chosen_by.bits", "reach bit 35; CONTROL has 32 bits"}},
      {"role: enable}",
       "role: event, chosen_by: {register: CONTROL, bits: 0-1, repeat: 2, step: 1}}",
       {"chosen_by.step", "fields of 2 bits would overlap"}},
      {"role: enable}",
       "role: event, chosen_by: {register: CONTROL, bits: 4-5}}",
       {"chosen_by.bits", "of counter 0 lie on no field of CONTROL", "role keeps"}},
      {"role: enable}",
       "role: event, zero_stops: true, chosen_by: {register: CONTROL, bits: 4-5}}",
       {"zero_stops", "no counter's own"}},
      {"role: enable}",
       "role: event, chosen_by: {register: CONTROL, bits: 0-1, repeat: 5}}",
       {"chosen_by.repeat", "is 5; the PMU has 4 counters"}},
      {"write: 1}, counters: 1-2}",
       "write: 1}, for_each: {port: 0-1}}",
       {"events[1]: the key 'step' is missing", "is missing"}},
      {"write: 1}, counters: 1-2}", "write: 1}, for_each: {port: 0-99}, step: 4}", {"makes more than 64 events"}},
      {"register: PORTS, bits: 0-3", "register: PORTS, bits: 0-3, invert: 7", {"filters[0].invert", "match: value"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, match: value, invert: 40",
       {"filters[0].invert", "PORTS has 32 bits"}},
      {"counters: 1-2}", "code: 0x42}", {"events[1].code", "0x42 does not fit into the fields"}},
      {"counters: 1-2}", "code: 0x1}", {"events[1].code", "is that of requests"}},
      {"register: PORTS, bits: 0-3,", "register: PORTS, bits: 0-3, terms: {cpu: 4},", {"terms", "the field has 4"}},
      {"register: PORTS, bits: 0-3,",
       "register: PORTS, bits: 0-3, match: value, terms: {cpu: 1},",
       {"terms", "unknown key"}},
      {"role: enable}", "role: enable, free: true}", {"free", "unknown key"}},
      {"base: 0x2000_0000", "base: 0x2000_0004", {"base", "0x2000"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, when: {bits: 4, value: 2}",
       {"filters[0].when.value", "does not fit into 1 bits"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, when: {register: COUNTER, bits: 32, value: 1}",
       {"filters[0].when.bits", "reach bit 32"}},
      {"register: PORTS, bits: 0-3", "register: PORTS, bits: 0-3, invert: 4", {"filters[0].invert", "at_least"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, unless: [global]",
       {"filters[0].unless", "names 'global', which is no term"}},
      {"register: PORTS, bits: 0-3", "register: PORTS, bits: 0-3, with: id", {"filters[0].with", "names 'id'"}},
      {"module: acme_bridge_pmu", "module: acme_bridge_pmu, needs: id=1", {"device.needs", "names 'id'"}},
      {"width: 32\n", "width: 32\n      twins: {first: 3, number: 0x10}\n", {"twins.first", "would have 6 counters"}},
      {"base: 0x2000_0000", "base: 0x2000_0000\n      bar: 2", {"windows[0].bar", "is for a PCI function"}},
      {"{number: 64}", "{message: 0}", {"interrupt", "which a PCI function alone sends"}},
      {"bits: 0, role: run", "bits: 0, role: constant", {"value", "a constant has one"}},
      {"role: enable}", "role: enable, needs_run: true}", {"needs_run", "unknown key"}},
      {"{number: 64}", "{address: PORTS, data: SELEKT}", {"interrupt.data", "SELEKT", "did you mean 'SELECT'?"}},
      {"{number: 64}", "{address: PORTS}", {"interrupt.data", "there is no register ''"}},
      {"{number: 64}", "{lines: []}", {"interrupt.lines", "are missing", "for example {number: 64, counters: 0-7}"}},
      {"{number: 64}", "{lines: [{number: 64, counter: 0-3}]}", {"counter", "did you mean 'counters'?"}},
      {"{number: 64}", "{number: 64, lines: [{number: 66, counters: 0-3}]}", {"interrupt.number", "unknown key"}},
      {"{number: 64}", "{lines: [{number: 0, counters: 0-3}]}", {"pmus[0].interrupt.lines[0].number", "means none"}},
      {"{number: 64}",
       "{lines: [{number: 64, counters: 0-1}, {number: 64, counters: 2-3}]}",
       {"interrupt.lines[1].number", "64 is that of another line", "give each line a number of its own"}},
      {"{number: 64}",
       "{lines: [{number: 64, counters: 0-1}, {number: 66, counters: 1-3}]}",
       {"interrupt.lines[1].counters", "1 is in another line", "each counter interrupts by one line"}},
      {"{number: 64}",
       "{lines: [{number: 64, counters: 0-1}, {number: 66, counters: 2-4}]}",
       {"interrupt.lines[1].counters", "names counter 4; the PMU has 0 ... 3"}},
      {"{number: 64}",
       "{lines: [{number: 64, counters: 0-1}, {number: 66, counters: 3}]}",
       {"interrupt.lines", "have no counter 2", "each counter interrupts by one line"}},
      {"{number: 64}",
       "{lines: [{number: 64, counters: 0-1}, {number: 65, counters: 2-3}]}",
       {"interrupt.lines[0].number", "interrupt 65 of socket1.bridge is that of socket0.bridge already"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, counters: 2-4, bits: 0-3",
       {"filters[0].counters", "names counter 4; the PMU has 0 ... 3"}},
      {"register: PORTS, bits",
       "register: PORTS, counters: 0-2, bits: 4-7}\n        - {name: port, register: PORTS, counters: 2-3, bits",
       {"filters[1].name", "'port' is that of another filter", "filters of different counters may share one"}},
      {"config1:0-3", "config9:0-3", {"filters[0].format", "'config9:0-3' is no format", "config1:0-7"}},
      {"config1:0-3", "config1:3-0", {"filters[0].format", "is no format"}},
      {"config1:0-3", "config1:0-2,", {"filters[0].format", "is no format"}},
      {"config1:0-3", "config1:0-2,2", {"filters[0].format", "is no format"}},
      {"config1:0-3", "config1:60-70", {"filters[0].format", "is no format"}},
      {"config1:0-3", "config1:0-2", {"filters[0].format", "has 3 bits; port needs values up to 0xf"}},
      {"config1:0-3", "config:29-32", {"filters[0].format", "has bit 32 of config, as the term long has"}},
      {"bits: 0-3, format: \"config1:0-3\"",
       "bits: 0-3, format: \"config1:0-3\", terms: {cpu: 0}",
       {"filters[0].format", "'config1:0-3:0' is no format", "give a word"}},
      {"config:32", "config:7", {"terms[0].format", "has bit 7 of config, as the term event has"}},
      {"width: 32\n", "width: 32\n      event_format: 0-7\n", {"event_format", "'0-7' is no format"}},
      {"width: 32\n", "width: 32\n      event_format: config3:0-7\n", {"event_format", "is of config3"}},
      {"width: 32\n", "width: 32\n      event_format: \"\"\n", {"event_format", "must not be empty"}},
      {"width: 32\n", "width: 32\n      event_format: config:0\n", {"events[1].number", "terms cannot make"}},
      {"counters: 4\n",
       "counters: 4\n      number_terms: [{name: a, format: \"config:0-3\", bits: 0-4}]\n",
       {"number_terms[0].format", "has 4 bits"}},
      {"counters: 4\n",
       "counters: 4\n      number_terms: [{name: a, format: \"config:0-1\", bits: 0-1}, {name: b, format: "
       "\"config:0-1\", bits: 2-3}]\n",
       {"number_terms[1].bits", "a second name of the same bits"}},
      {"name: long, format", "name: event, format", {"terms[0].name", "'event' is that of another term"}},
      {"filters:\n        - {name: port",
       "filters:\n        - {attribute: port, name: long",
       {"filters[0].name", "'long'"}},
      {"register: PORTS, bits",
       "register: PORTS, counters: 0-1, bits: 4-5, format: \"config2:0-1\"}\n        - {name: port, register: PORTS, "
       "counters: 2-3, bits",
       {"filters[1].name", "'port' is that of another term"}},
      {"counters: 2}]", "counters: 5}]", {"terms[0].counters", "is 5, must be 1 ... 4"}},
      {"width: 32\n",
       "width: 32\n      refused: [{terms: {port: 0x10}}]\n",
       {"refused[0].terms", "port=0x10 does not fit into config1:0-3"}},
      {"width: 32\n", "width: 32\n      refused: [{terms: {port: 0}}]\n", {"refused[0].terms", "port is 0"}},
      {"width: 32\n",
       "width: 32\n      refused: [{terms: {port: 1-2}}]\n",
       {"refused[0].terms.port", "'1-2' is not a whole number (for example 8"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, greatest: 0x10",
       {"filters[0].greatest", "does not fit into 4 bits"}},
      {"register: PORTS, bits: 0-3", "register: PORTS, bits: 0-3, unless: port", {"filters[0].unless", "itself"}},
      {"register: PORTS, bits: 0-3", "register: PORTS, bits: 0-3, with: port", {"filters[0].with", "itself"}},
      {"- {name: port, register: PORTS,",
       "- {name: all, attribute: port, register: PORTS, bits: 4-7}\n        - {name: port, with: all, register: PORTS,",
       {"filters[1].with", "names 'all', which is no term"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 5-8",
       {"filters[0].bits", "bit 8 of PORTS is in no field"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, match: value, care: 7-10",
       {"filters[0].care", "bit 8 of PORTS is in no field"}},
      {"register: PORTS, bits: 0-3",
       "register: PORTS, bits: 0-3, enable: 9",
       {"filters[0].enable", "bit 9 of PORTS is in no field"}},
      {"bits: 0-3, role: enable", "bits: \"\", role: enable", {"registers[1].bits", "must not be empty"}},
      {"counters: 1-2}", "counters: \"\"}", {"events[1].counters", "must not be empty"}},
      {"fields: [{name: RUN, bits: 0, role: run}]", "fields: []", {"registers[0].fields", "must not be empty"}},
      {"bits: 0-3, role: overflow",
       "bits: 0-2, role: overflow",
       {"pmus[0].registers", "no overflow status of counter 3", "can count requests"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: counter}\n        - {name: HIGH, offset: 0x44, count: 4, stride: 8, role: counter, shift: 16}",
       {"pmus[0].registers", "COUNTER and HIGH both show bit 16 of counter 0", "give shift"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: counter}\n        - {name: HIGH, offset: 0x44, count: 4, stride: 8, role: counter, shift: 40, "
       "bits: "
       "0-7}",
       {"pmus[0].registers", "shows bit 32 of counter 0, but higher ones", "give shift"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: counter, latches: true}\n        - {name: HIGH, offset: 0x44, count: 4, stride: 8, bits: "
       "0-15, role: "
       "counter, shift: 16, latched: true}",
       {"pmus[0].registers", "COUNTER and HIGH both show bit 16 of counter 0", "give shift"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: counter}\n        - {name: HIGH, offset: 0x44, count: 4, stride: 8, bits: 0-15, role: "
       "counter, shift: "
       "16, latched: true}\n        - {name: LATCH, offset: 0x80, bits: 0, role: latch}",
       {"pmus[0].registers", "no latched field that shows bit 0 of counter 0", "give shift"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: counter}\n        - {name: HIGH, offset: 0x44, count: 4, stride: 8, role: counter, shift: 32, "
       "down: "
       "true}",
       {"pmus[0].registers", "HIGH says down: true of counter 0, and COUNTER", "the same in both"}},
      {"stride: 8, role: counter}",
       "stride: 8, role: counter, latches: true}",
       {"pmus[0].registers", "COUNTER latches counters, but no field shows"}},
      {"bits: 0, role: run}",
       "bits: 0, role: run}, {name: COPY, bits: 1, role: latch}",
       {"pmus[0].registers", "CONTROL latches counters, but no field shows"}},
      {"bits: 0-5, repeat: 4, step: 8, role: event}",
       "bits: 0, repeat: 4, step: 8, role: event}, {name: MORE, bits: 1, repeat: 2, step: 8, role: event, shift: 1}, "
       "{name: LAST, bits: 25, role: event, first: 3, shift: 1}",
       {"events[1].number", "no field selects bit 1 of it for counter 2", "the counters that have one"}},
      {"role: event}",
       "role: event, chosen_by: {register: SELECT, bits: 0-1}}",
       {"chosen_by.register", "no register before this one is 'SELECT'"}},
  };
  for (const Wrong& wrong : all) {
    const std::string error = error_with(wrong.what, wrong.by);
    for (const char* const text : wrong.told) EXPECT_THAT(error, HasSubstr(text)) << wrong.by;
    EXPECT_THAT(error, HasSubstr("s.yaml:")) << wrong.by;
  }
}

/// The same PMU as a PCI function. @param pci  more of its keys
std::string error_of_function(const std::string& address, const std::string& pci, const std::string& window,
                              const std::string& interrupt = "{message: 0}") {
  std::string yaml = kScenario;
  const auto replace = [&](const std::string& what, const std::string& by) {
    yaml.replace(yaml.find(what), what.size(), by);
  };
  replace("acpi: ACME0042, uid: \"{socket}\"",
          "pci: {address: \"" + address + "\", vendor: 0x19e5, device: 0xa12d" + pci + "}");
  replace("base: 0x2000_0000", window);
  replace("{number: 64}", interrupt);
  return error_of(yaml);
}

TEST(MapLoader, a_pci_function_has_its_place_and_a_bar_for_each_window) {
  const std::string place = "0002:20:1e.0";
  const std::string window = "base: 0x2000_0000\n      bar: 2";
  const std::string port = "{address: \"0002:20:00.0\", vendor: 1, device: 1, bus_below: 0x21}";
  EXPECT_EQ(error_of_function(place, ", functions: [" + port + "]", window), "no error");
  EXPECT_THAT(error_of_function("2:20:1e.0", "", window), HasSubstr("'2:20:1e.0' is no address of a PCI function"));
  EXPECT_THAT(error_of_function("0002:20:1e.1", "", window), HasSubstr("device without a function 0"));
  EXPECT_THAT(error_of_function(place, "", window, "{number: 64}"), HasSubstr("a PCI function sends messages"));
  EXPECT_THAT(error_of_function(place, "", "base: 0x2000_0000\n      bar: 1"), HasSubstr("holds the upper half"));
  EXPECT_THAT(error_of_function(place, "", "base: 0x2000_0000\n      size: 0x3000"), HasSubstr("is no power of two"));
  EXPECT_THAT(error_of_function(place, "", "base: 0x2000_1000\n      size: 0x2000"),
              HasSubstr("multiple of the BAR's size"));
  EXPECT_THAT(error_of_function("0002:20:00.0", ", functions: [" + port + "]", window),
              HasSubstr("is that of another function"));
  EXPECT_THAT(error_of_function(
                  place, ", functions: [{address: \"0002:21:00.0\", vendor: 1, device: 1, bus_below: 0x20}]", window),
              HasSubstr("0x20 is not above bus 0x21"));
}

platform::PlatformSpec platform_with(const std::string& what, const std::string& by) {
  std::string yaml = kScenario;
  yaml.replace(yaml.find(what), what.size(), by);
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  return file.load(file.variants().front(), {}).platform;
}

TEST(MapLoader, random_cases_wrap_counters_at_the_bits_that_their_fields_show) {
  const auto generator = soc_kind().generator_on("p.yaml", platform_with("width: 32", "width: 40"), {});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    verify::Random random(seed);
    const verify::GeneratedMachine machine = generator->make(random, "7.3.4", {});
    const auto bulk = machine.pmus.front().bulk(random);
    ASSERT_TRUE(bulk);
    EXPECT_EQ(bulk->count, 0x8000'0001U);
  }
}

TEST(MapLoader, random_cases_keep_events_apart_that_differ_in_a_field_of_all_counters) {
  const std::string counter = "role: counter}\n";
  const std::string events = "      events:\n";
  const std::string mode =
      "        - {name: MODE, offset: 0x80, fields: [{name: MODE, bits: 0, role: event, shift: 6}]}\n";
  const std::string others = "        - {name: others, number: 0x41, source: request}\n";
  const platform::PlatformSpec platform = platform_with(counter + events, counter + mode + events + others);
  const auto generator = soc_kind().generator_on("p.yaml", platform, {});
  bool has_both = false;
  bool has_group = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    verify::Random random(seed);
    const verify::GeneratedMachine machine = generator->make(random, "7.3.4", {});
    for (int n = 0; n < 20; ++n) {
      const std::string one = machine.pmus.front().event(random);
      const std::string two = machine.pmus.front().event(random);
      const bool fits = machine.pmus.front().fits({one, two}, false);
      const bool differ =
          (one.find("event=0x41") == std::string::npos) != (two.find("event=0x41") == std::string::npos);
      EXPECT_FALSE(fits && differ) << one << two;
      has_both = has_both || differ;
      has_group = has_group || fits;
    }
  }
  EXPECT_TRUE(has_both);
  EXPECT_TRUE(has_group);
}

TEST(MapLoader, a_switch_that_stops_a_counter_while_it_is_1_is_on_while_it_is_0) {
  const std::string on = "name: ENABLE, offset: 0x4, bits: 0-3, role: ";
  const platform::PlatformSpec platform = platform_with(on + "enable", on + "disable");
  const std::vector<RegisterSwitch> all = soc_kind().switches(platform);
  const auto found = std::ranges::find(all, "ENABLE", &RegisterSwitch::registers);
  ASSERT_NE(found, all.end());
  EXPECT_TRUE(found->is_inverted);
}

}  // namespace
}  // namespace pmufab::scenario::map_loader_test
