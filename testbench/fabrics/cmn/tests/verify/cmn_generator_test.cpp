// SPDX-License-Identifier: Apache-2.0
// Random CMN meshes: valid for every kernel's driver, the same each time, and of every kind.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/verify/cmn_case.h"
#include "testbench/fabrics/cmn/verify/cmn_generator.h"
#include "testbench/fabrics/cmn/verify/mesh_events.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/driver_selection.h"
#include "testbench/run/session/runner.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

constexpr std::uint64_t kCases = 300;
constexpr std::array<const char*, 4> kKernels{"6.1.192", "6.12.118", "7.2.13", "7.3.4"};

std::shared_ptr<const scenario::ScenarioFile> file_of(std::uint64_t seed, std::string_view kernel) {
  Value read = scenario::parse_text(scenario::to_yaml(cmn_case(seed, kernel)), fmt::format("seed {}", seed));
  return std::make_shared<const scenario::ScenarioFile>(std::move(read), std::filesystem::path());
}

std::string text_of(const Value& map, std::string_view key, const char* otherwise) {
  const Value* const value = map.find(key);
  return value == nullptr ? otherwise : value->scalar;
}

TEST(CmnGeneratorTest, cases_are_valid_for_every_kernel) {
  for (const char* const kernel : kKernels) {
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
      const auto file = file_of(seed, kernel);
      scenario::ScenarioSpec spec;
      ASSERT_NO_THROW(spec = file->load(file->variants().front(), {})) << kernel << " seed " << seed;
      EXPECT_FALSE(spec.measures.empty());
    }
  }
}

TEST(CmnGeneratorTest, a_seed_gives_the_same_case_each_time_and_another_seed_another) {
  std::set<std::string> different;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::string once = scenario::to_yaml(cmn_case(seed, "7.3.4"));
    EXPECT_EQ(once, scenario::to_yaml(cmn_case(seed, "7.3.4"))) << seed;
    different.insert(once);
  }
  EXPECT_EQ(different.size(), 50U);
}

/// What a mesh has, in words.
std::set<std::string> traits_of(const Value& mesh) {
  std::set<std::string> seen;
  const std::string product = text_of(mesh, "product", "");
  seen.insert(fmt::format("{} {}", product, text_of(mesh, "revision", "")));
  seen.insert(fmt::format("{} {}", product, text_of(mesh, "firmware", "device_tree")));
  seen.insert(text_of(mesh, "variant", "standard"));
  if (text_of(mesh, "multiple_dtm", "false") == "true") seen.insert(product + " with several DTMs");
  const std::vector<Value>& rows = mesh.find("rows")->items;
  const std::string& line = rows.front().scalar;
  const auto columns = static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) + 1;
  const std::size_t count = rows.size();
  if (columns * count == 1) seen.insert("single");
  if (columns == 1 && count > 1) seen.insert("column");
  if (count == 1 && columns > 1) seen.insert("row");
  if (columns > 1 && count > 1) seen.insert(columns > count ? "wide" : columns < count ? "tall" : "square");
  if (columns * count > 128) seen.insert("more than 128");
  if (columns * count > 144) seen.insert("more than 144");
  for (const auto& [name, source, ports] : mesh.find("tiles")->entries) {
    seen.insert(fmt::format("{} with {} ports", columns * count == 1 ? "single" : product, ports.items.size()));
    for (const Value& device : ports.items)
      seen.insert({device.scalar, device.scalar.substr(0, device.scalar.find(' '))});
  }
  std::set<char> domains{'0'};
  if (const Value* const list = mesh.find("domains")) {
    for (const Value& row : list->items) domains.insert(row.scalar.begin(), row.scalar.end());
    domains.erase(' ');
    if (list->items.back().scalar.front() != '0') seen.insert("first crosspoint not in the first domain");
  }
  seen.insert(fmt::format("{} DTCs", domains.size()));
  if (const Value* const list = mesh.find("interrupts")) {
    std::set<std::string> lines;
    for (const Value& number : list->items) lines.insert(number.scalar);
    seen.insert(fmt::format("{} DTCs on {} lines", domains.size(), lines.size()));
  }
  for (const char* const oddity : {"automotive", "empty_children"}) {
    if (mesh.find(oddity) != nullptr) seen.insert(oddity);
  }
  // Software cannot tell which devices of a CMN S3 r0 or r1 are isolated.
  if (mesh.find("device_isolation") != nullptr)
    seen.insert(mesh.find("revision")->scalar < "r2" ? "must be left alone" : "device_isolation");
  if (const Value* const channels = mesh.find("channels")) {
    for (const auto& [name, source, number] : channels->entries) seen.insert("second " + name);
  }
  return seen;
}

TEST(CmnGeneratorTest, every_product_shape_and_device_occurs) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 2 * kCases; ++seed) {
    Random random(seed);
    const GeneratedMachine machine = CmnGenerator().make(random, "7.3.4", {});
    for (const Value& mesh : machine.platform.find("meshes")->items) seen.merge(traits_of(mesh));
    if (machine.platform.find("links") != nullptr) seen.insert("linked");
    if (machine.platform.find("sockets") != nullptr) seen.insert("sockets");
    for (const auto& [key, value] : machine.traffic) seen.insert(key);
  }
  std::vector<std::string> wanted{
      "CMN-600 r1p0", "CMN-600 r1p1", "CMN-600 r1p2", "CMN-600 r1p3", "CMN-600 r2p0", "CMN-600 r3p0", "CMN-600 r3p1",
      "CMN-600 r3p2", "CMN-650 r0p0", "CMN-650 r1p0", "CMN-650 r1p1", "CMN-650 r2p0", "CMN-650 r1p2", "CMN-700 r0p0",
      "CMN-700 r1p0", "CMN-700 r2p0", "CMN-700 r3p0", "CI-700 r0p0",  "CI-700 r1p0",  "CI-700 r2p0",  "CMN-S3 r0p0",
      "CMN-S3 r0p1",  "CMN-S3 r1p0",  "CMN-S3 r2p0",  "CMN-S3 r2p1",  "CMN-S3 r2p2",  "CMN-S3 r2p5",  "graviton5"};
  for (const char* const product : {"CMN-600", "CMN-650", "CMN-700", "CI-700", "CMN-S3"})
    wanted.push_back(fmt::format("{} device_tree", product));
  for (const char* const product : {"CMN-600", "CMN-650", "CMN-700", "CMN-S3"})
    wanted.push_back(fmt::format("{} acpi", product));
  for (const char* const product : {"CMN-650", "CMN-700", "CI-700", "CMN-S3"})
    wanted.push_back(fmt::format("{} with several DTMs", product));
  for (const char* const product : {"CMN-700", "CI-700", "CMN-S3"}) {
    for (const unsigned ports : {1, 2, 3, 4}) wanted.push_back(fmt::format("{} with {} ports", product, ports));
  }
  for (const char* const trait : {"single",
                                  "single with 6 ports",
                                  "column",
                                  "row",
                                  "wide",
                                  "tall",
                                  "square",
                                  "more than 128",
                                  "more than 144",
                                  "linked",
                                  "sockets",
                                  "first crosspoint not in the first domain",
                                  "1 DTCs",
                                  "2 DTCs",
                                  "3 DTCs",
                                  "4 DTCs",
                                  "2 DTCs on 1 lines",
                                  "4 DTCs on 1 lines",
                                  "4 DTCs on 2 lines",
                                  "4 DTCs on 3 lines",
                                  "second req",
                                  "second rsp",
                                  "second snp",
                                  "second dat",
                                  "external",
                                  "isolated",
                                  "automotive",
                                  "device_isolation",
                                  "must be left alone",
                                  "empty_children"})
    wanted.emplace_back(trait);
  for (const char* const device : {"RN-F", "RN-I", "RN-D", "HN-F", "HN-S", "HN-I", "HN-D", "HN-T", "HN-P", "SN-F",
                                   "SBSX", "MTSX", "CXRH", "CCG", "CCG-RNI", "RN-Fx2", "HN-Fx3", "HN-Sx4", "RN-Ix2"})
    wanted.emplace_back(device);
  EXPECT_THAT(seen, ::testing::IsSupersetOf(wanted));
}

/// @return the beginnings of words that event texts have: "hnf_", "wp_combine"
std::set<std::string> words_of(const std::string& text) {
  constexpr std::array<const char*, 30> kWords{
      "dtc_cycles",   "mxp_e_",     "mxp_w_",   "mxp_n_", "mxp_s_", "mxp_p0_",       "mxp_p1_",
      "mxp_p2_",      "mxp_p3_",    "_stall",   "req2_",  "snp2_",  "watchpoint_up", "watchpoint_down",
      "wp_exclusive", "wp_combine", "wp_grp=2", "hnf_",   "hns_",   "hni_",          "hnp_",
      "sbsx_",        "rnid_",      "mtsx_",    "dn_",    "cxra_",  "cxha_",         "ccra_",
      "ccha_",        "ccla_"};
  std::set<std::string> words;
  for (const char* const word : kWords) {
    if (text.find(word) != std::string::npos) words.insert(word);
  }
  for (const char* const word : {"bynodeid=1", "filter=", "filter2=", "type=0x6", "type=0x7770", "type=0xd", "{"}) {
    if (text.find(word) != std::string::npos) words.insert(word);
  }
  return words;
}

TEST(CmnGeneratorTest, every_kind_of_event_occurs) {
  std::set<std::string> seen;
  std::set<std::string> refused;
  std::size_t most_at_once = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    Random random(seed);
    const GeneratedMachine machine = CmnGenerator().make(random, "7.3.4", {});
    for (const PmuOffer& pmu : machine.pmus) {
      for (unsigned left = 40; left > 0; --left) seen.merge(words_of(pmu.event(random)));
      if (const auto event = pmu.refused(random)) refused.merge(words_of(event->events));
      const auto bulk = pmu.bulk ? pmu.bulk(random) : std::nullopt;
      if (bulk) most_at_once = std::max(most_at_once, bulk->more.size() + 1);
    }
  }
  std::set<std::string> wanted = words_of(
      "dtc_cycles mxp_e_ mxp_w_ mxp_n_ mxp_s_ mxp_p0_ mxp_p1_ mxp_p2_ mxp_p3_ _stall req2_ snp2_ watchpoint_up "
      "watchpoint_down wp_exclusive wp_combine wp_grp=2 hnf_ hns_ hni_ hnp_ sbsx_ rnid_ mtsx_ dn_ cxra_ cxha_ ccra_ "
      "ccha_ ccla_ bynodeid=1 filter= filter2= type=0x6 type=0x7770 type=0xd {");
  EXPECT_THAT(seen, ::testing::IsSupersetOf(wanted));
  EXPECT_THAT(refused, ::testing::IsSupersetOf({"{", "type=0x6", "type=0x7770", "dtc_cycles", "bynodeid=1"}));
  EXPECT_GE(most_at_once, 8U);
}

/// What drivers of a version do not know, or count wrong, does not occur.
TEST(CmnGeneratorTest, older_drivers_get_what_they_can_count) {
  std::set<std::string> old;
  std::set<std::string> middle;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    for (const auto& [kernel, seen] : {std::pair{"6.1.192", &old}, std::pair{"6.12.118", &middle}}) {
      Random random(seed);
      const GeneratedMachine machine = CmnGenerator().make(random, kernel, {});
      for (const Value& mesh : machine.platform.find("meshes")->items) seen->merge(traits_of(mesh));
      for (const PmuOffer& pmu : machine.pmus) {
        for (unsigned left = 40; left > 0; --left) seen->merge(words_of(pmu.event(random)));
      }
    }
  }
  for (const char* const missing : {"HN-S", "CMN-S3 r0p0", "isolated", "HN-T", "2 DTCs", "dtc_cycles", "ccla_",
                                    "wp_combine", "filter=", "type=0xd"})
    EXPECT_FALSE(old.contains(missing)) << missing;
  for (const char* const missing :
       {"CMN-S3 r2p0", "graviton5", "isolated", "device_isolation", "more than 144", "filter=", "type=0xd"})
    EXPECT_FALSE(middle.contains(missing)) << missing;
  EXPECT_TRUE(middle.contains("4 DTCs"));
}

/// Each reason for which a driver must refuse a group.
TEST(CmnFitTest, knows_why_a_group_is_refused) {
  using Refusal = CmnFit::Refusal;
  using ::testing::ElementsAre;
  const CmnFit fit(CmnDriver("7.3.4"), cmn::Product::cmn700, 2);
  MeshEvent cycles;
  EXPECT_THAT(fit.refusals({&cycles, &cycles}), ElementsAre(Refusal::cycles));
  MeshEvent here;
  here.kind = MeshEvent::Kind::flits;
  here.places = {{.node = 0, .domain = 0, .dtm = 0, .checked_dtm = 0}};
  EXPECT_THAT(fit.refusals({&here, &here, &here, &here, &here}), ElementsAre(Refusal::dtm_full));
  std::vector<MeshEvent> nine(9, here);
  std::vector<const MeshEvent*> all;
  for (unsigned index = 0; index < nine.size(); ++index) {
    nine[index].places.front().checked_dtm = index;
    all.push_back(&nine[index]);
  }
  EXPECT_THAT(fit.refusals(all), ElementsAre(Refusal::dtc_full));
  MeshEvent read = here;
  read.filters = {{scoreboard::NodeFilter::occupancy, 1}};
  MeshEvent write = here;
  write.filters = {{scoreboard::NodeFilter::occupancy, 2}};
  EXPECT_THAT(fit.refusals({&read, &write}), ElementsAre(Refusal::filter));
  MeshEvent up = here;
  up.kind = MeshEvent::Kind::watchpoint;
  EXPECT_THAT(fit.refusals({&up, &up, &up}), ElementsAre(Refusal::watchpoints_full));
  MeshEvent combined = up;
  combined.combined = true;
  EXPECT_THAT(fit.refusals({&up, &combined}), ElementsAre(Refusal::combination));
}

/// Groups that are refused for one reason each, and groups that fill a DTC.
TEST(CmnGeneratorTest, groups_reach_every_limit) {
  std::size_t largest_refused = 0;
  std::size_t largest = 0;
  const auto members = [](const std::string& group) { return std::count(group.begin(), group.end(), '/') / 2; };
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    Random random(seed);
    const GeneratedMachine machine = CmnGenerator().make(random, "7.3.4", {});
    for (const PmuOffer& pmu : machine.pmus) {
      const std::vector<std::string> group = pmu.group(random);
      EXPECT_TRUE(pmu.fits(group, true)) << fmt::format("{}", fmt::join(group, ","));
      largest = std::max(largest, group.size());
      for (unsigned left = 20; left > 0; --left) {
        const auto refused = pmu.refused(random);
        if (refused) largest_refused = std::max(largest_refused, static_cast<std::size_t>(members(refused->events)));
      }
    }
  }
  EXPECT_GE(largest, cmn::kGlobalCounters);
  EXPECT_GT(largest_refused, cmn::kGlobalCounters);
}

TEST(CmnFitTest, knows_what_a_dtm_and_a_dtc_have_room_for) {
  const CmnFit fit(CmnDriver("7.3.4"), cmn::Product::cmn700, 2);
  MeshEvent here;
  here.kind = MeshEvent::Kind::flits;
  here.places = {{.node = 0, .domain = 0, .dtm = 0, .checked_dtm = 0}};
  EXPECT_TRUE(fit.fits({&here, &here, &here, &here}, true));
  EXPECT_FALSE(fit.fits({&here, &here, &here, &here, &here}, true));
  EXPECT_FALSE(fit.refusals({&here, &here, &here, &here, &here}).empty());
  MeshEvent two = here;  // nodes at one DTM: the driver takes a group that its hardware has no room for
  two.places.push_back(two.places.front());
  EXPECT_FALSE(fit.fits({&here, &two, &two}, true));
  EXPECT_TRUE(fit.refusals({&here, &two, &two}).empty());
  MeshEvent up = here;
  up.kind = MeshEvent::Kind::watchpoint;
  up.upload = true;
  MeshEvent down = up;
  down.upload = false;
  EXPECT_TRUE(fit.fits({&up, &down, &up, &down}, true));
  EXPECT_FALSE(fit.fits({&up, &down, &up, &up}, true));
  EXPECT_FALSE(fit.refusals({&up, &down, &up, &up}).empty());
  MeshEvent cycles;
  EXPECT_TRUE(fit.fits({&cycles, &cycles}, false));  // of two DTCs
  EXPECT_FALSE(fit.fits({&cycles, &cycles}, true));
  EXPECT_FALSE(fit.fits({&cycles, &cycles, &cycles}, false));
}

TEST(CmnFitTest, knows_that_a_node_has_one_code_of_a_filter_and_that_old_drivers_count_all_dtcs_together) {
  MeshEvent read;
  read.kind = MeshEvent::Kind::node;
  read.places = {{.node = 4, .domain = 0, .dtm = 0, .checked_dtm = 0}};
  read.filters = {{scoreboard::NodeFilter::occupancy, 1}};
  MeshEvent write = read;
  write.filters = {{scoreboard::NodeFilter::occupancy, 2}};
  MeshEvent other = write;
  other.places.front().node = 5;
  const CmnFit fit(CmnDriver("7.3.4"), cmn::Product::cmn700, 2);
  EXPECT_TRUE(fit.fits({&read, &read}, true));
  EXPECT_FALSE(fit.fits({&read, &write}, false));
  EXPECT_TRUE(fit.fits({&read, &other}, false));
  EXPECT_FALSE(fit.fits({&read, &other}, true));  // the driver checks filters by DTM
  std::vector<MeshEvent> nine(9);
  std::vector<const MeshEvent*> all;
  for (unsigned index = 0; index < nine.size(); ++index) {
    nine[index].kind = MeshEvent::Kind::flits;
    nine[index].places = {{.node = index, .domain = index < 8 ? 0U : 1U, .dtm = index, .checked_dtm = index}};
    all.push_back(&nine[index]);
  }
  EXPECT_TRUE(fit.fits(all, true));
  const CmnFit older(CmnDriver("6.12.118"), cmn::Product::cmn700, 2);
  EXPECT_FALSE(older.fits(all, true));
  EXPECT_FALSE(older.refusals(all).empty());
  EXPECT_TRUE(older.fits(all, false));
}

TEST(CmnGeneratorTest, the_kernels_own_drivers_pass) {
  std::string scratch = (std::filesystem::temp_directory_path() / "pmufab-cmn-cases-XXXXXX").string();
  ASSERT_NE(mkdtemp(scratch.data()), nullptr);
  std::vector<scenario::RunPlan> plans;
  for (const driver_host::DriverSet& drivers : driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR)) {
    for (std::uint64_t seed = 1001; seed <= 1010; ++seed) {
      const auto file = file_of(seed, drivers.kernel_version);
      const auto none = std::make_shared<const std::vector<std::string>>();
      plans.push_back({scenario::plan_scenario(file, {}, none, file->load({}, *none)),
                       std::make_shared<const driver_host::DriverSet>(drivers)});
    }
  }
  ASSERT_FALSE(plans.empty()) << "no drivers in " PMUFAB_DRIVERS_DIR;
  std::size_t passed = 0;
  scenario::RunnerOptions options;
  options.scratch = scratch;
  options.on_result = [&](const scenario::RunPlan& plan, const scenario::RunResult& result) {
    EXPECT_EQ(result.status, scenario::RunResult::Status::passed)
        << plan.scenario->name << " with Linux " << result.drivers << ": " << result.message;
    ++passed;
  };
  scenario::run_all(plans, options);
  std::filesystem::remove_all(scratch);
  EXPECT_EQ(passed, plans.size());
}

}  // namespace
}  // namespace pmufab::verify
