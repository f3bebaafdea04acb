// SPDX-License-Identifier: Apache-2.0
// Described CoreSight PMUs in platform files, and traffic at their sources.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/soc/part/soc_rows.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/soc/scenario/soc_fabric.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::soc_loader_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kScenario = R"(name: described
platform:
  kind: soc
  sockets: 2
  cpus_per_socket: 2
  sources:
    - {name: request, attributes: [port, write, bytes]}
    - {name: refresh}
  coresight_pmus:
    - name: noc
      pmiidr: 0x7010_043b
      base: 0x2000_0000
      counters: 8
      hid: ACME0001
      interrupt: {number: 200}
      implementation_defined: 2
      events:
        - {name: requests, number: 0x1, source: request}
        - {name: write_bytes, number: 0x2, source: request, counts: bytes, where: {write: 1, port: 2-3}}
        - {name: clock, number: 0x3, counts: cycles}
      filters:
        - {name: port, bits: 0-3}
        - {name: length, register: filter2, bits: 0-7, attribute: bytes, match: value, care: 8-15, enable: 16}
        - {name: least, register: impdef1, bits: 4-7, attribute: bytes, match: at_least, zero: literal}
    - {name: ddr, type: mc, pmiidr: 0x7020_043b, base: 0x2001_0000, events: [{name: refreshes, number: 0, source: refresh}]}
soc_traffic:
  - name: requests
    source: request
    socket: 1
    attributes: {port: 0-3, bytes: {64: 3, 128-192: 1}}
    outstanding: {10 ns: 1, 20 ns-30 ns: 2}
    phases:
      - {count: 10}
      - {duration: 1 us, pacing: {requests_per_us: 5}}
measure:
  - events: [arm_cspmu_acpi_ACME0001_0/event=0x1/]
)";

ScenarioSpec load(const std::vector<std::string>& overrides = {}) {
  const ScenarioFile file(parse_text(kScenario, "s.yaml"), {});
  return file.load(file.variants().front(), overrides);
}
std::string error_of(const std::string& yaml, const std::vector<std::string>& overrides) {
  try {
    const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
    static_cast<void>(file.load(file.variants().front(), overrides));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
/// The error of the scenario with one text in place of another.
std::string error_with(const std::string& what, const std::string& by) {
  std::string yaml = kScenario;
  const std::size_t at = yaml.find(what);
  if (at == std::string::npos) return "the scenario has no '" + what + "'";
  return error_of(yaml.replace(at, what.size(), by), {});
}

TEST(SocLoader, a_description_holds_what_the_file_says) {
  const soc::Description soc = load().platform.of<platform::SocSpec>();
  ASSERT_THAT(soc.sources, SizeIs(2));
  EXPECT_THAT(soc.sources[0].attributes, ElementsAre("port", "write", "bytes"));
  ASSERT_THAT(soc.pmus, SizeIs(2));
  const soc::PmuDescription& noc = soc.pmus[0];
  EXPECT_EQ(noc.pmiidr, 0x7010043bU);
  ASSERT_THAT(noc.events, SizeIs(3));
  EXPECT_EQ(noc.events[1].counts, soc::EventDescription::Counts::sum);
  EXPECT_EQ(noc.events[1].attribute, 2U);
  ASSERT_THAT(noc.events[1].where, SizeIs(2));
  EXPECT_EQ(noc.events[1].where[1].attribute, 0U);
  EXPECT_EQ(noc.events[1].where[1].first, 2U);
  EXPECT_EQ(noc.events[1].where[1].last, 3U);
  EXPECT_EQ(noc.events[2].counts, soc::EventDescription::Counts::cycles);
  ASSERT_THAT(noc.filters, SizeIs(3));
  EXPECT_EQ(noc.filters[0].attribute, "port");
  EXPECT_EQ(noc.filters[0].zero, soc::FilterDescription::Zero::all);
  EXPECT_EQ(noc.filters[1].bits.width, 8U);
  EXPECT_EQ(noc.filters[1].care->first, 8U);
  EXPECT_EQ(noc.filters[1].enable, 16U);
  EXPECT_EQ(noc.filters[1].zero, soc::FilterDescription::Zero::literal);
  EXPECT_EQ(noc.filters[2].where, soc::FilterDescription::Register::implementation_defined);
  EXPECT_EQ(noc.filters[2].word, 1U);
}

TEST(SocLoader, a_stream_has_ranges_weights_and_phases) {
  const ScenarioSpec spec = load();
  const SocWorkload& streams = spec.workload.of<SocWorkload>();
  ASSERT_THAT(streams, SizeIs(1));
  EXPECT_EQ(streams[0].socket, 1U);
  ASSERT_THAT(streams[0].attributes, SizeIs(3));
  EXPECT_EQ(streams[0].attributes[0].front().last, 3U);
  EXPECT_TRUE(streams[0].attributes[1].empty());
  ASSERT_THAT(streams[0].attributes[2], SizeIs(2));
  EXPECT_EQ(streams[0].attributes[2][1].first, 128U);
  EXPECT_EQ(streams[0].outstanding[1].last, 30'000U);
  ASSERT_THAT(streams[0].phases, SizeIs(2));
  EXPECT_EQ(streams[0].phases[0].count, 10U);
  EXPECT_EQ(streams[0].phases[1].duration, 1'000'000U);
}

TEST(SocLoader, each_socket_has_its_pmus_and_their_numbers_follow) {
  const auto rows = platform::soc_pmus(load().platform);
  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_EQ(rows[0].perf_name, "arm_cspmu_acpi_ACME0001_0");
  EXPECT_EQ(rows[1].perf_name, "arm_cspmu_acpi_ACME0001_1");
  EXPECT_EQ(rows[1].windows[0].base, 0x1000'2000'0000U);
  EXPECT_EQ(rows[1].apmt.overflow_interrupt->number, 201U);
  EXPECT_EQ(rows[2].perf_name, "arm_cspmu_mc_0");
  EXPECT_EQ(rows[3].perf_name, "arm_cspmu_mc_1");
  const auto named = platform::soc_pmus(load({"platform.coresight_pmus[1].id=40"}).platform);
  EXPECT_EQ(named[3].perf_name, "arm_cspmu_mc_41");
  EXPECT_EQ(named[3].old_perf_name, "arm_cspmu_mc_1");
}

TEST(SocLoader, a_list_stands_beside_any_kind) {
  const ScenarioSpec spec = load({"platform.kind=tegra410", "platform.cpus_per_socket=44"});
  EXPECT_TRUE(spec.platform.has<platform::Tegra410Spec>());
  EXPECT_THAT(spec.platform.of<platform::SocSpec>().pmus, SizeIs(2));
}

TEST(SocLoader, misspelt_names_are_refused_where_they_stand) {
  EXPECT_THAT(error_with("number: 0x1, source: request", "number: 0x1, source: reqest"),
              AllOf(StartsWith("s.yaml:18:"), HasSubstr("events[0].source"), HasSubstr("did you mean 'request'?")));
  EXPECT_THAT(error_with("counts: bytes", "counts: byts"),
              AllOf(StartsWith("s.yaml:19:"), HasSubstr("did you mean 'bytes'?")));
  EXPECT_THAT(error_with("where: {write: 1,", "where: {wirte: 1,"),
              AllOf(StartsWith("s.yaml:19:"), HasSubstr("did you mean 'write'?")));
  EXPECT_THAT(error_with("name: port, bits: 0-3", "name: prot, bits: 0-3"),
              AllOf(StartsWith("s.yaml:22:"), HasSubstr("did you mean 'port'?")));
  EXPECT_THAT(error_with("register: filter2", "register: filtr2"), HasSubstr("did you mean 'filter2'"));
  EXPECT_THAT(error_with("source: request\n    socket", "source: requests\n    socket"),
              AllOf(StartsWith("s.yaml:28:"), HasSubstr("did you mean 'request'?")));
  EXPECT_THAT(error_with("attributes: {port: 0-3", "attributes: {prt: 0-3"), HasSubstr("did you mean 'port'?"));
  EXPECT_THAT(error_with("source: refresh}]", "counts: occurrences}]"), HasSubstr("nothing would cause the event"));
}

TEST(SocLoader, registers_that_cannot_be_are_refused) {
  EXPECT_THAT(error_with("counters: 8", "counters: 65"),
              AllOf(StartsWith("s.yaml:13:"), HasSubstr("is 65, must be 2 ... 64")));
  EXPECT_THAT(error_with("counters: 8", "width: 7"), HasSubstr("is 7, must be 8 ... 64"));
  EXPECT_THAT(error_with("counters: 8", "layout: 64-bit\n      width: 32"), HasSubstr("more than 32 bits"));
  EXPECT_THAT(error_with("counters: 8", "layout: 64-bit\n      pmcnten: false"), HasSubstr("0x4770_0af4"));
  EXPECT_THAT(error_with("counters: 8", "pmdevarch: 0x4770_0af4"), HasSubstr("tells drivers of the 64-bit layout"));
  EXPECT_THAT(error_with("pmiidr: 0x7010_043b", "pmiidr: 0"), HasSubstr("could not tell what it is"));
  EXPECT_THAT(error_with("pmiidr: 0x7010_043b", "pmiidr: 0x2cf0_036b"), HasSubstr("nvidia_cspmu"));
  EXPECT_THAT(error_with("pmiidr: 0x7010_043b", "pmiidr: 0x2cf0_0a16"), HasSubstr("ampere_cspmu"));
  EXPECT_THAT(error_with("number: 0x2,", "number: 0x1,"), AllOf(StartsWith("s.yaml:19:"), HasSubstr("events[0]")));
  EXPECT_THAT(error_with("number: 0x2,", "number: 0x1_0000_0002,"), HasSubstr("does not fit into the 32 bits"));
  EXPECT_EQ(error_with("number: 0x2,", "number: 0xffff_ffff,"), "no error");
  EXPECT_THAT(error_with("hid: ACME0001", "hid: ACME001"), HasSubstr("has not eight characters"));
}

TEST(SocLoader, filters_that_overlap_are_refused_and_free_bits_are_named) {
  EXPECT_THAT(error_with("care: 8-15", "care: 7-14"),
              AllOf(StartsWith("s.yaml:23:"), HasSubstr("overlap those of filter length"), HasSubstr("8-15 are free")));
  EXPECT_THAT(error_with("enable: 16", "enable: 15"), HasSubstr("bit 16 is free"));
  EXPECT_EQ(error_with("enable: 16", "enable: 31"), "no error");
  EXPECT_THAT(error_with("bits: 0-3}", "bits: 30-33}"), HasSubstr("the register has 32 bits"));
  EXPECT_THAT(error_with("bits: 0-3}", "bits: 3-0}"), HasSubstr("'3-0' is no range of bits"));
  EXPECT_THAT(error_with("implementation_defined: 2", "implementation_defined: 1"),
              HasSubstr("give implementation_defined: 2"));
}

TEST(SocLoader, names_that_systemc_would_change_are_refused) {
  for (const char* const name : {"a b", "a.b", ".", "a*", "\u00fc"}) {
    EXPECT_THAT(
        error_with("name: noc", std::string("name: \"") + name + '"'),
        AllOf(HasSubstr("coresight_pmus[0].name"), HasSubstr("has something else than letters, digits, _ and -")))
        << name;
  }
  EXPECT_THAT(error_with("name: noc", "name: a.b"), HasSubstr("for example a_b"));
}

TEST(SocLoader, places_that_are_taken_are_refused) {
  EXPECT_THAT(error_with("base: 0x2001_0000", "base: 0x2000_0000"),
              AllOf(StartsWith("s.yaml:25:"), HasSubstr("covers the registers socket0.noc")));
  EXPECT_THAT(error_with("base: 0x2001_0000", "base: 0x2001_0800"), HasSubstr("0x20010000 is"));
  EXPECT_THAT(error_with("base: 0x2001_0000", "base: 0x2001_0000, page1: 0x2000_0000"),
              AllOf(HasSubstr("page1"), HasSubstr("covers the registers socket0.noc")));
  EXPECT_THAT(error_of(kScenario, {"platform.kind=tegra410", "platform.cpus_per_socket=44",
                                   "platform.coresight_pmus[0].base=0x1000_1000"}),
              HasSubstr("covers the registers socket0.ucf_pmu.page1"));
  EXPECT_THAT(error_of(kScenario, {"platform.coresight_pmus[1].interrupt={number: 201}"}),
              HasSubstr("interrupt 201 of socket0.ddr is that of socket1.noc already"));
  EXPECT_THAT(error_of(kScenario, {"platform.coresight_pmus[0].instance=0", "platform.coresight_pmus[1].id=0",
                                   "platform.coresight_pmus[1].type=acpi", "platform.coresight_pmus[1].hid=ACME0001",
                                   "platform.coresight_pmus[1].instance=1"}),
              HasSubstr("drivers would call it arm_cspmu_acpi_ACME0001_1"));
}

constexpr const char* kFabrics = R"(name: fabrics
platform:
  kind: tegra410
  sockets: 1
  cpus_per_socket: 44
  coresight_pmus:
    - name: devices
      pmiidr: 0x7010_043b
      base: 0x2000_0000
      hid: ACME0001
      where: {root_complex: 3}
      events:
        - {name: read_bytes, number: 0x1, source: pcie.request, counts: bytes, where: {write: 0}}
        - {name: hits, number: 0x2, source: ucf.slc_hit_rd}
        - {name: clock, number: 0x3, counts: cycles}
      filters:
        - {name: bdf, bits: 8-23, match: value, enable: 24}
        - {name: root_port, bits: 0-7, disable: 24}
duration: 1 us
measure:
  - events: [arm_cspmu_acpi_ACME0001_0/event=0x1/]
)";

std::string error_in_fabrics(const std::string& what, const std::string& by) {
  std::string yaml = kFabrics;
  return error_of(yaml.replace(yaml.find(what), what.size(), by), {});
}

TEST(SocLoader, fabrics_are_sources) {
  const ScenarioFile file(parse_text(kFabrics, "s.yaml"), {});
  const soc::Description soc = file.load(file.variants().front(), {}).platform.of<platform::SocSpec>();
  ASSERT_THAT(soc.sources, SizeIs(2));
  EXPECT_EQ(soc.sources[0].cause, soc::Cause::pcie);
  EXPECT_EQ(soc.sources[1].event, "slc_hit_rd");
  const std::vector<soc::EventDescription>& events = soc.pmus[0].events;
  // The requirement of the PMU is for events whose source has the attribute.
  ASSERT_THAT(events[0].where, SizeIs(2));
  EXPECT_EQ(soc.sources[0].attributes[events[0].where[1].attribute], "root_complex");
  EXPECT_EQ(events[0].where[1].first, 3U);
  EXPECT_THAT(events[1].where, SizeIs(0));
  EXPECT_EQ(soc.pmus[0].filters[1].disable, 24U);
}

TEST(SocLoader, mistakes_about_sources_of_fabrics_are_refused_where_they_stand) {
  EXPECT_THAT(error_in_fabrics("source: pcie.request", "source: pcie.requests"),
              AllOf(StartsWith("s.yaml:13:"), HasSubstr("did you mean 'pcie.request'")));
  EXPECT_THAT(error_in_fabrics("source: ucf.slc_hit_rd", "source: cxl.message"),
              AllOf(StartsWith("s.yaml:14:"), HasSubstr("there is no source 'cxl.message'")));
  EXPECT_THAT(error_in_fabrics("counts: bytes", "counts: byte"), HasSubstr("did you mean 'bytes'?"));
  EXPECT_THAT(error_in_fabrics("where: {write: 0}", "where: {wrote: 0}"),
              AllOf(StartsWith("s.yaml:13:"), HasSubstr("did you mean 'write'?")));
  EXPECT_THAT(error_in_fabrics("where: {root_complex: 3}", "where: {root_complx: 3}"),
              AllOf(StartsWith("s.yaml:11:"), HasSubstr("did you mean 'root_complex'?")));
  EXPECT_THAT(error_in_fabrics("name: root_port", "name: root_prt"),
              AllOf(StartsWith("s.yaml:18:"), HasSubstr("did you mean 'root_port'?")));
  EXPECT_THAT(error_in_fabrics("source: ucf.slc_hit_rd", "source: ucf.slc_hit_rd, counts: outstanding"),
              AllOf(StartsWith("s.yaml:14:"), HasSubstr("not for an event of the UCF")));
  EXPECT_THAT(error_in_fabrics("source: ucf.slc_hit_rd", "source: pcie_tgt.request, counts: outstanding"),
              AllOf(StartsWith("s.yaml:14:"), HasSubstr("nothing at pcie_tgt.request is ever outstanding")));
  EXPECT_THAT(error_in_fabrics("  coresight_pmus:", "  sources: [{name: pcie.request}]\n  coresight_pmus:"),
              AllOf(StartsWith("s.yaml:6:"), HasSubstr("that the platform's fabric is")));
  EXPECT_THAT(error_in_fabrics("  coresight_pmus:", "  sources: [{name: a}, {name: a}]\n  coresight_pmus:"),
              AllOf(StartsWith("s.yaml:6:"), HasSubstr("'a' is that of another source")));
  EXPECT_THAT(error_in_fabrics("duration: 1 us", "soc_traffic: [{name: x, source: pcie.request}]\nduration: 1 us"),
              AllOf(StartsWith("s.yaml:19:"), HasSubstr("its own traffic lets things happen there")));
  EXPECT_THAT(error_in_fabrics("bits: 0-7, disable: 24", "bits: 0-7, disable: 23"),
              HasSubstr("overlap those of filter bdf"));
  EXPECT_THAT(error_in_fabrics("match: value, enable: 24", "match: value, care_register: filter2"),
              HasSubstr("but no care"));
}

TEST(SocLoader, a_chip_without_pmus_is_refused) {
  EXPECT_THAT(error_of("name: x\nplatform: {kind: soc}\nmeasure: [{events: [a/b/]}]\n", {}),
              HasSubstr("such a platform has nothing else"));
}

}  // namespace
}  // namespace pmufab::scenario::soc_loader_test
