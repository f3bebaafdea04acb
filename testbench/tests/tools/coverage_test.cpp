// SPDX-License-Identifier: Apache-2.0
// pmufab coverage, and what runs write for it: whole runs through the program.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class Coverage : public Cli {
 protected:
  std::string reads(const std::string& measures) { return narrow("reads", measures); }

  /// Run a scenario. @return the bins of UCF PMUs
  Json bins_of(const std::string& scenario) {
    const std::string file = (folder / "coverage").string();
    ended(0, pmufab({"run", scenario, "--drivers", "newest", "--coverage", file}));
    return Json::parse(read(file)).at("kinds").at("nvidia_ucf_pmu_*");
  }
};

TEST_F(Coverage, an_event_that_counted_nothing_was_not_met) {
  const Json bins = bins_of(reads(R"(  - name: all
    events: ["nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/slc_access_wr/"]
)"));
  EXPECT_EQ(bins.at("event").at("slc_access_rd"), 1);
  EXPECT_EQ(bins.at("event").at("slc_access_wr"), 0) << "nothing writes";
  EXPECT_EQ(bins.at("event").at("slc_hit_rd"), 0) << "it was not opened";
  EXPECT_EQ(bins.at("event x use").at("slc_access_rd x alone"), 1);
  EXPECT_EQ(bins.at("event x use").at("slc_access_rd x in a group"), 0);
  EXPECT_EQ(bins.at("event x counter").at("slc_access_rd x first"), 1);
  EXPECT_EQ(bins.at("event x counter").at("slc_access_rd x last"), 0);
  EXPECT_EQ(bins.at("topology").at("1 socket"), 1);
  EXPECT_EQ(bins.at("topology").at("2 sockets"), 0);
}

TEST_F(Coverage, groups_filters_counters_and_multiplexing_are_met) {
  const Json bins = bins_of(reads(R"(  - name: group
    events: ["{nvidia_ucf_pmu_0/slc_hit_rd/,nvidia_ucf_pmu_0/cycles/,nvidia_ucf_pmu_0/slc_access_rd,src_loc_noncpu=1/}"]
    stop: 20 us
    interval: 5 us
  - name: filtered
    events: ["nvidia_ucf_pmu_0/slc_access_rd,src_loc_noncpu=1/,nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/mem_access_rd/"]
    start: 30 us
)"));
  EXPECT_EQ(bins.at("event x use").at("slc_access_rd x in a group"), 1);
  EXPECT_EQ(bins.at("event x use").at("cycles x in a group"), 1);
  EXPECT_EQ(bins.at("event x counter").at("slc_access_rd x middle"), 1);
  EXPECT_EQ(bins.at("event x counter").at("mem_access_rd x last"), 1);
  EXPECT_EQ(bins.at("event x filter").at("slc_access_rd x src_loc_noncpu"), 1);
  EXPECT_EQ(bins.at("event x filter").at("slc_access_rd x src_loc_cpu"), 0);
  EXPECT_EQ(bins.at("filter src_loc_noncpu"), (Json{{"0", 1}, {"1", 1}}));
  EXPECT_EQ(bins.at("reading"), (Json{{"once", 1}, {"several times", 1}}));
  EXPECT_EQ(bins.at("life cycle").at("reopened with another filter"), 1);
  EXPECT_EQ(bins.at("life cycle").at("drivers loaded again"), 0);
}

TEST_F(Coverage, wraps_and_their_interrupts_are_met) {
  // 16 bits: 100 us are 200,000 cycles, and 10,000 requests read 640,000 bytes.
  const Json bins = bins_of(reads(R"(  - name: all
    events: ["nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/slc_bytes_rd/,nvidia_ucf_pmu_0/bus_cycles/"]
)"));
  EXPECT_EQ(bins.at("width x wraps").at("up to 32 bits x none"), 1) << "slc_access_rd";
  EXPECT_EQ(bins.at("width x wraps").at("up to 32 bits x more than one"), 1);
  EXPECT_EQ(bins.at("width x wraps").at("64 bits x none"), 0);
  EXPECT_EQ(bins.at("interrupt").at("a line of its own"), 1);
  EXPECT_EQ(bins.at("interrupt").at("no interrupt"), 0);
}

TEST_F(Coverage, a_wrap_among_the_accesses_of_a_handler_is_met) {
  const std::string scenario =
      reads(R"(  - {name: all, events: ["nvidia_ucf_pmu_0/bus_cycles/,nvidia_ucf_pmu_0/mem_access_rd/"]}
inject:
  - at: {access: 1, of: interrupt, pmu: nvidia_ucf_pmu_0}
    source: "nvidia_ucf_pmu_0/mem_access_rd,src_loc_noncpu=1,dst_loc_cmem=1/"
    count: 0x8000
)");
  EXPECT_EQ(bins_of(scenario).at("width x wraps").at("up to 32 bits x in a handler"), 1);
}

TEST_F(Coverage, a_shell_writes_its_verdicts_although_its_coverage_cannot_be_written) {
  const std::string json = (folder / "verdicts.json").string();
  const std::string place = (folder / "met").string();
  refuses({"shell", "--json", json, "--coverage", place, "--", "sh", "-c", "rm -f " + place + "; mkdir " + place},
          {"cannot write '" + place + "': Is a directory"});
  EXPECT_TRUE(Json::parse(read(json)).contains("status"));
}

TEST_F(Coverage, wraps_of_every_kind_of_coresight_pmu_are_seen) {
  // Its counters wrap between the two halves of a read.
  const std::string file = (folder / "coverage").string();
  ended(0, pmufab({"run", shipped("coresight-high-low.yaml"), "--drivers", "newest", "--coverage", file}));
  const Json kinds = Json::parse(read(file)).at("kinds");
  for (const char* const kind : {"nvidia_ucf_pmu_*", "nvidia_pcie_pmu_*_rc_*", "nvidia_pcie_tgt_pmu_*_rc_*"})
    EXPECT_GT(kinds.at(kind).at("width x wraps").at("64 bits x one"), 0) << kind;
}

TEST_F(Coverage, of_a_pmu_with_described_registers_it_knows_counters_widths_and_filters) {
  const std::string file = (folder / "coverage").string();
  ended(0, pmufab({"run", shipped("fujitsu-life.yaml"), shipped("fujitsu-every-event.yaml"),
                   shipped("arm-smmuv3-every-event.yaml"), "--drivers", "newest", "--coverage", file}));
  const Json kinds = Json::parse(read(file)).at("kinds");
  const Json& access = kinds.at("mac_iod*_mac*_ch*");
  EXPECT_GT(access.at("event x counter").at("ea-ha x middle"), 0);
  EXPECT_GT(access.at("width x wraps").at("64 bits x one"), 0);
  EXPECT_FALSE(access.at("width x wraps").contains("up to 32 bits x one"));
  EXPECT_GT(access.at("interrupt").at("a line of its own"), 0);
  const Json& translations = kinds.at("smmuv*_pmcg_*");
  EXPECT_TRUE(translations.at("event x filter").contains("tlb_miss x filter_stream_id"));
  EXPECT_FALSE(translations.at("event x filter").contains("cycles x filter_stream_id"));
}

TEST_F(Coverage, life_cycles_are_met_by_what_counts_afterwards) {
  const std::string actions = R"(actions:
  - {at: 20 us, do: reload_drivers}
  - {at: 40 us, do: reset}
)";
  const std::string before = R"(  - {name: before, events: [nvidia_ucf_pmu_0/slc_access_rd/], stop: 10 us}
)";
  const std::string after = R"(  - {name: after, events: [nvidia_ucf_pmu_0/slc_access_rd/], start: 50 us}
)";
  EXPECT_EQ(bins_of(reads(before + actions)).at("life cycle").at("drivers loaded again"), 0);
  const Json met = bins_of(reads(before + after + actions)).at("life cycle");
  EXPECT_EQ(met.at("drivers loaded again"), 1);
  EXPECT_EQ(met.at("platform reset"), 1);
  EXPECT_EQ(met.at("CPU went offline"), 0);
}

TEST_F(Coverage, a_run_has_the_same_results_with_and_without_it) {
  const std::string scenario = reads("  - {name: all, events: [nvidia_ucf_pmu_0/slc_bytes_rd/]}\n");
  const auto results = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", scenario, "--drivers", "newest", "--json", (folder / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(pmufab(arguments).exit_code, 0);
    return read(folder / name);
  };
  const std::string without = results("without.json", {});
  EXPECT_THAT(without, HasSubstr("slc_bytes_rd"));
  EXPECT_EQ(results("with.json", {"--coverage", (folder / "coverage").string()}), without);
}

TEST_F(Coverage, files_are_merged_and_reported) {
  const std::string scenario = reads("  - {name: all, events: [nvidia_ucf_pmu_0/slc_access_rd/]}\n");
  const std::string file = (folder / "one").string();
  ASSERT_EQ(pmufab({"run", scenario, "--drivers", "newest", "--coverage", file}).exit_code, 0);
  const std::string both = (folder / "both").string();
  const std::string page = (folder / "page.html").string();
  const std::string json = (folder / "report.json").string();
  const Outcome report = ended(0, pmufab({"coverage", file, file, "--merge", both, "--html", page, "--json", json}));
  EXPECT_THAT(report.out,
              AllOf(HasSubstr("coverage of 2 runs: "), HasSubstr("nvidia_ucf_pmu_*: "), HasSubstr("never met: ")));
  EXPECT_EQ(Json::parse(read(both)).at("kinds").at("nvidia_ucf_pmu_*").at("event").at("slc_access_rd"), 2);
  EXPECT_THAT(read(page), HasSubstr("slc_access_wr"));
  EXPECT_EQ(Json::parse(read(json)).at("runs"), 2);
  EXPECT_EQ(pmufab({"coverage", both}).out, report.out) << "the sum is a file like others";
}

TEST_F(Coverage, a_report_that_cannot_be_written_takes_no_other_along) {
  const std::string file =
      write("some", R"({"format": "pmufab coverage", "version": 1, "runs": 1, "kinds": {}, "not_caused": {}})");
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP();
  const std::string both = (folder / "both").string();
  const std::string page = (folder / "page.html").string();
  refuses({"coverage", file, "--json", "/dev/full", "--html", page, "--merge", both},
          {"cannot write '/dev/full': No space left on device"});
  EXPECT_THAT(read(page), HasSubstr("</html>"));
  EXPECT_EQ(Json::parse(read(both)).at("runs"), 1);
}

TEST_F(Coverage, too_little_and_wrong_exclusions_fail) {
  const std::string file = write("some", R"({"format": "pmufab coverage", "version": 1, "runs": 1,
    "kinds": {"toy_*": {"event": {"reads": 1, "writes": 0}}}, "not_caused": {}})");
  EXPECT_EQ(pmufab({"coverage", file, "--least", "50"}).exit_code, 0);
  complains(1, {"coverage", file, "--least", "50.01"},
            {"50.00 % of the bins were met, less than the 50.01 % of --least"});
  const std::string right = write("right", "toy_* | event | writes | it is read-only\n");
  EXPECT_EQ(pmufab({"coverage", file, "--excluded", right, "--least", "100"}).exit_code, 0);
  const std::string wrong = write("wrong", "toy_* | event | reads | it is write-only\n");
  const Outcome met = ended(1, pmufab({"coverage", file, "--excluded", wrong}));
  EXPECT_THAT(met.err, HasSubstr("excluded, and met all the same: toy_*: event: reads (it is write-only)"));
}

TEST_F(Coverage, bad_input_is_refused) {
  const std::string good =
      write("good", R"({"format": "pmufab coverage", "version": 1, "runs": 0, "kinds": {}, "not_caused": {}})");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    std::vector<std::string> all{"coverage"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome outcome = pmufab(all);
    EXPECT_EQ(outcome.exit_code, 2) << why;
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  EXPECT_EQ(pmufab({"coverage", good}).exit_code, 0);
  refused({}, "no file is given");
  refused({(folder / "nothing").string()}, "nothing: cannot be read: No such file or directory");
  refused({write("text", "hello\n")}, "it is not JSON");
  refused({write("other", R"({"program": "pmufab"})")}, "there is no 'format'");
  refused({good, "--least", "many"}, "--least many is no percentage");
  refused({good, "--least", "101"}, "--least 101 is no percentage");
  refused({good, "--excluded", write("list", "a | b | c\n")}, "a bin is not excluded without a reason");
  refused({good, "--json", "/nowhere/report"}, "/nowhere/report");
  refused({good, "--json", good + "2", "--html", good + "2"}, "another report goes to");
  EXPECT_EQ(pmufab({"run", "ucf-basic", "--coverage", "/nowhere/file"}).exit_code, 2);
}

}  // namespace
}  // namespace pmufab::testing
