// SPDX-License-Identifier: Apache-2.0
// Random CMN meshes: valid for every kernel's driver, the same each time, and of every kind.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/campaigns/verify/case_generator.h"
#include "testbench/fabrics/cmn/scenario/cmn_kind.h"
#include "testbench/fabrics/cmn/verify/mesh_events.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/runner.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

constexpr std::uint64_t kCases = 300;
constexpr std::array<const char*, 4> kKernels{"6.1.192", "6.12.118", "7.2.13", "7.3.4"};

std::shared_ptr<const scenario::ScenarioFile> file_of(std::uint64_t seed, std::string_view kernel) {
  Value read =
      scenario::parse_text(scenario::to_yaml(make_case(CmnGenerator(), kernel, seed, 0)), fmt::format("seed {}", seed));
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
  std::istringstream others(
      "single, single with 6 ports, column, row, wide, tall, square, more than 128, more than 144, linked, sockets, "
      "first crosspoint not in the first domain, 1 DTCs, 2 DTCs, 3 DTCs, 4 DTCs, 2 DTCs on 1 lines, "
      "4 DTCs on 1 lines, 4 DTCs on 2 lines, 4 DTCs on 3 lines, second req, second rsp, second snp, second dat, "
      "external, isolated, automotive, device_isolation, must be left alone, empty_children, "
      "RN-F, RN-I, RN-D, HN-F, HN-S, HN-I, HN-D, HN-T, HN-P, SN-F, SBSX, MTSX, CXRH, CCG, CCG-RNI, "
      "RN-Fx2, HN-Fx3, HN-Sx4, RN-Ix2");
  for (std::string one; std::getline(others >> std::ws, one, ',');) wanted.push_back(one);
  EXPECT_THAT(seen, ::testing::IsSupersetOf(wanted));
}

constexpr std::string_view kWords =
    "dtc_cycles mxp_e_ mxp_w_ mxp_n_ mxp_s_ mxp_p0_ mxp_p1_ mxp_p2_ mxp_p3_ _stall req2_ snp2_ watchpoint_up "
    "watchpoint_down wp_exclusive wp_combine wp_grp=2 hnf_ hns_ hni_ hnp_ sbsx_ rnid_ mtsx_ dn_ cxra_ cxha_ ccra_ "
    "ccha_ ccla_ bynodeid=1 filter= filter2= type=0x6 type=0x7770 type=0xd {";

/// @return those of kWords that event texts have
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::istringstream all{std::string(kWords)};
  for (std::string word; all >> word;) {
    if (text.find(word) != std::string_view::npos) words.insert(word);
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
  EXPECT_EQ(seen, words_of(kWords));
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

MeshEvent event_at(MeshEvent::Kind kind, unsigned dtm, unsigned domain = 0) {
  MeshEvent event;
  event.kind = kind;
  event.places = {{.node = dtm, .domain = domain, .dtm = dtm, .checked_dtm = dtm}};
  return event;
}

MeshEvent filtered(MeshEvent event, unsigned code) {
  event.filters = {{scoreboard::NodeFilter::occupancy, code}};
  return event;
}

/// What a DTM and a DTC have room for, and why drivers refuse a group.
TEST(CmnFitTest, knows_which_groups_fit) {
  using Kind = MeshEvent::Kind;
  using Refusal = CmnFit::Refusal;
  const MeshEvent cycles;
  const MeshEvent here = event_at(Kind::flits, 0);
  MeshEvent two = here;  // nodes at one DTM: the driver takes a group that its hardware has no room for
  two.places.push_back(two.places.front());
  const MeshEvent down = event_at(Kind::watchpoint, 0);
  MeshEvent up = down;
  up.upload = true;
  MeshEvent combined = up;
  combined.combined = true;
  const MeshEvent read = filtered(event_at(Kind::node, 0), 1);
  const MeshEvent write = filtered(read, 2);
  MeshEvent other = write;  // the driver checks filters by DTM
  other.places.front().node = 5;
  std::vector<MeshEvent> many;  // nine in one domain, the other in another
  for (unsigned dtm = 0; dtm < 10; ++dtm) many.push_back(event_at(Kind::flits, dtm, dtm / 9));
  const auto nine_from = [&](std::size_t first) {
    std::vector<const MeshEvent*> all;
    for (std::size_t index = first; index < first + 9; ++index) all.push_back(&many[index]);
    return all;
  };
  struct Row {
    std::vector<const MeshEvent*> events;
    bool as_group;
    std::set<Refusal> refusals;
    std::optional<bool> alone{};
    const char* driver = "7.3.4";
  };
  const std::vector<Row> rows{
      {{&here, &here, &here, &here}, true, {}},
      {{&here, &here, &here, &here, &here}, false, {Refusal::dtm_full}},
      {{&here, &two, &two}, false, {}},
      {{&up, &down, &up, &down}, true, {}},
      {{&up, &down, &up, &up}, false, {Refusal::watchpoints_full}},
      {{&up, &combined}, false, {Refusal::combination}},
      {{&cycles, &cycles}, false, {Refusal::cycles}, true},  // of two DTCs
      {{&cycles, &cycles, &cycles}, false, {Refusal::cycles}, false},
      {{&read, &read}, true, {}},
      {{&read, &write}, false, {Refusal::filter}, false},
      {{&read, &other}, false, {Refusal::filter}, true},
      {nine_from(0), false, {Refusal::dtc_full}},
      {nine_from(1), true, {}},
      {nine_from(1), false, {Refusal::dtc_full}, true, "6.12.118"},  // counts all DTCs together
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(&row - rows.data());
    const CmnFit fit(CmnDriver(row.driver), cmn::Product::cmn700, 2);
    EXPECT_EQ(fit.fits(row.events, true), row.as_group);
    if (row.alone) {
      EXPECT_EQ(fit.fits(row.events, false), *row.alone);
    }
    EXPECT_EQ(fit.refusals(row.events), row.refusals);
  }
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
