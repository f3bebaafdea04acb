// SPDX-License-Identifier: Apache-2.0
// --html of run and verify: whole runs through the program.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HtmlCommand : public Cli {
 protected:
  /// 3 runs with the newest drivers.
  std::string three() {
    return write("three.yaml", R"(name: three
platform: {kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 20 us
drivers: [newest]
matrix: {"traffic[0].generators[0].pacing.requests_per_us": [100, 20, 3]}
measure:
  - {events: [nvidia_ucf_pmu_0/slc_access_rd/]}
)");
  }
  [[nodiscard]] std::string page() const { return (folder / "page.html").string(); }
};

TEST_F(HtmlCommand, a_run_writes_the_same_page_in_any_number_of_processes) {
  ended(0, pmufab({"run", three(), "--html", page(), "-j", "1"}));
  const std::string first = read(page());
  EXPECT_THAT(first,
              AllOf(HasSubstr("<p class=\"outcome good\">PASSED: 3 of 3 runs passed; 3 counters, none wrong</p>"),
                    HasSubstr("<td>requests_per_us=100</td>"), HasSubstr("arm_cspmu.c, SHA-256 "),
                    HasSubstr("requests_per_us: 3\n"), HasSubstr("clusters: 4\n"), Not(HasSubstr("partial"))));
  const std::string three_at_once = (folder / "again.html").string();
  EXPECT_EQ(pmufab({"run", three(), "--html", three_at_once, "-j", "3"}).exit_code, 0);
  EXPECT_EQ(read(three_at_once), first);
}

TEST_F(HtmlCommand, results_are_the_same_with_and_without_a_page) {
  const std::string scenario = shipped("cmn-flits.yaml");
  const auto results = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", scenario, "--drivers", "newest", "--json", (folder / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(pmufab(arguments).exit_code, 0);
    return read(folder / name);
  };
  EXPECT_EQ(results("with.json", {"--html", page()}), results("without.json", {}));
}

TEST_F(HtmlCommand, meshes_have_the_flits_of_the_run) {
  // By hand: two ports of each XP send ten flits to the next XP in x; the last XP of a row sends to the first.
  const std::string scenario =
      write("ring.yaml", "name: ring\nplatform: " + shipped("platforms/cmn600-small.yaml") + R"(
duration: 20 us
mesh_traffic:
  - {name: ring, channel: req, pattern: neighbour, rate: 0.1, count: 10}
measure:
  - {events: [arm_cmn_0/mxp_e_req_txflit_valid/]}
)");
  ended(0, pmufab({"run", scenario, "--drivers", "newest", "--html", page()}));
  EXPECT_THAT(read(page()), AllOf(HasSubstr("XP 0 east to XP 1: 20 flits"), HasSubstr("XP 3 west to XP 2: 20 flits"),
                                  HasSubstr("XP 1 north to XP 5: 0 flits"), HasSubstr("class=\"legend\""),
                                  HasSubstr("cmn0: CMN-600"), Not(HasSubstr("<?xml"))));
}

TEST_F(HtmlCommand, coverage_is_on_the_page_if_it_is_wanted) {
  const Outcome run =
      ended(0, pmufab({"run", three(), "--html", page(), "--coverage", (folder / "coverage").string()}));
  EXPECT_THAT(read(page()), AllOf(HasSubstr("<h2>Coverage of 3 runs: "), HasSubstr("<h3>nvidia_ucf_pmu_*</h3>"),
                                  HasSubstr("never met")));
  EXPECT_EQ(pmufab({"run", three(), "--html", page()}).exit_code, 0);
  EXPECT_THAT(read(page()), Not(HasSubstr("<h2>Coverage")));
}

TEST_F(HtmlCommand, what_was_stopped_is_partial) {
  const Outcome run =
      ended(1, pmufab({"run", endless(), "--drivers", "newest", "--limit", "simulated-time=100 us", "--html", page()}));
  EXPECT_THAT(read(page()), AllOf(HasSubstr("These results are partial: 1 run cut short, 0 not begun."),
                                  HasSubstr("<p class=\"outcome open\">STOPPED: 2 counters, none wrong</p>"),
                                  HasSubstr("(partial: cut short)"), HasSubstr("simulated-time=100 us")));
}

TEST_F(HtmlCommand, a_page_that_cannot_be_written_is_told_and_takes_nothing_along) {
  const std::string json = (folder / "results.json").string();
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP();
  const Outcome full = ended(2, pmufab({"run", three(), "--html", "/dev/full", "--json", json}));
  EXPECT_THAT(full.err, HasSubstr("cannot write '/dev/full': No space left on device"));
  EXPECT_THAT(read(json), HasSubstr("\"runs\""));

  const std::string before = write("page.html", "what was there before");
  largest_file = 10'000;  // less than the page has
  const Outcome large = ended(2, pmufab({"run", three(), "--html", before}));
  EXPECT_THAT(large.err, HasSubstr("File too large"));
  EXPECT_EQ(read(before), "what was there before");
}

TEST_F(HtmlCommand, bad_places_are_refused_before_anything_runs) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const Outcome outcome = pmufab(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << why;
    EXPECT_THAT(outcome.err, HasSubstr(why));
    EXPECT_EQ(outcome.out, "");
  };
  refused({"run", three(), "--html", page(), "--json", page()}, "--html: another report goes to");
  refused({"run", three(), "--html", "/nowhere/page"}, "/nowhere/page");
  refused({"verify", "--html", page(), "--coverage", page()}, "--coverage: another report goes to");
  refused({"verify", "--html", "/nowhere/page"}, "/nowhere/page");
}

TEST_F(HtmlCommand, a_campaign_has_its_cases_on_a_page) {
  ended(0, pmufab({"verify", "--fabric", "cmn", "--runs", "3", "--html", page()}));
  EXPECT_THAT(
      read(page()),
      AllOf(HasSubstr("<h1>pmufab verify</h1>"), HasSubstr("PASSED: seed 1, cmn with drivers of Linux "),
            HasSubstr("3 cases, 3 passed"), HasSubstr("data-value=\"3\">3</td><td class=\"verdict good\">PASSED</td>"),
            HasSubstr("class=\"legend\""), Not(HasSubstr("<h2>Failures"))));
}

TEST_F(HtmlCommand, a_campaign_has_its_failures_on_a_page) {
  ended(1, pmufab({"verify", "--fabric", "cmn", "--runs", "2", "--html", page(), "--limit", "simulated-time=1us",
                   "--no-shrink", "--out", (folder / "campaign").string()}));
  EXPECT_THAT(read(page()), AllOf(HasSubstr("<p class=\"outcome bad\">FAILED: seed 1"), HasSubstr("<h2>Failures</h2>"),
                                  HasSubstr("the smallest scenario: "), HasSubstr("mesh_traffic:")));
}

}  // namespace
}  // namespace pmufab::testing
