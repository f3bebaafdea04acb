// SPDX-License-Identifier: Apache-2.0
// Random machines of CXL devices: valid, the same each time, and of every kind.
#include <algorithm>
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

#include "testbench/fabrics/common/values.h"
#include "testbench/fabrics/cxl/scenario/cxl_kind.h"
#include "testbench/fabrics/cxl/verify/cxl_events.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/runner.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::verify::cxl_test {
namespace {

using scenario::Value;

constexpr std::uint64_t kCases = 300;
constexpr const char* kKernels[] = {"6.12.118", "7.2.13", "7.3.4"};

/// One case: a machine, and a simple session if it does not bring its own.
Value case_of(std::uint64_t seed, std::string_view kernel) {
  Random random(seed);
  const GeneratedMachine machine = CxlGenerator().make(random, kernel, {});
  Value document = map({{"name", word(fmt::format("case-{}", seed))}, {"platform", machine.platform}});
  for (const auto& [key, value] : machine.traffic) document.add(key, value);
  if (document.find("measure") != nullptr) return document;
  document.add("duration", word("60 us"));
  Value measures = Value::sequence();
  Value bulk = Value::sequence();
  for (const PmuOffer& offer : machine.pmus) {
    std::vector<std::string> events;
    for (unsigned tries = 0; tries < 5; ++tries) {
      std::vector<std::string> more = events;
      more.push_back(offer.event(random));
      if (offer.fits ? offer.fits(more, false) : more.size() <= offer.counters) events = more;
    }
    Value texts = Value::sequence();
    for (const std::string& event : events) texts.items.push_back(Value::of(event, true));
    measures.items.push_back(map({{"name", word(offer.pmu)},
                                  {"start", word("1 us")},
                                  {"window", word("20 us")},
                                  {"interval", word("9 us")},
                                  {"events", std::move(texts)}}));
    if (const auto refused = offer.refused(random))
      measures.items.push_back(map({{"name", word(offer.pmu + " refused")},
                                    {"open_error", word(refused->error)},
                                    {"window", word("1 us")},
                                    {"events", list({Value::of(refused->events, true)})}}));
    if (const auto event = offer.bulk(random))
      bulk.items.push_back(
          map({{"at", word("12 us")}, {"source", Value::of(event->source, true)}, {"count", number(event->count)}}));
  }
  document.add("measure", std::move(measures));
  if (!bulk.items.empty()) document.add("inject", std::move(bulk));
  return document;
}

std::shared_ptr<const scenario::ScenarioFile> file_of(std::uint64_t seed, std::string_view kernel) {
  Value read = scenario::parse_text(scenario::to_yaml(case_of(seed, kernel)), fmt::format("seed {}", seed));
  return std::make_shared<const scenario::ScenarioFile>(std::move(read), std::filesystem::path());
}

TEST(CxlGeneratorTest, cases_are_valid_for_every_kernel) {
  for (const char* const kernel : kKernels) {
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
      const auto file = file_of(seed, kernel);
      scenario::ScenarioSpec spec;
      ASSERT_NO_THROW(spec = file->load(file->variants().front(), {})) << kernel << " seed " << seed;
      EXPECT_FALSE(spec.measures.empty());
    }
  }
}

TEST(CxlGeneratorTest, a_seed_gives_the_same_case_each_time_and_another_seed_another) {
  std::set<std::string> different;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::string once = scenario::to_yaml(case_of(seed, "7.3.4"));
    EXPECT_EQ(once, scenario::to_yaml(case_of(seed, "7.3.4"))) << seed;
    different.insert(once);
  }
  EXPECT_EQ(different.size(), 50U);
}

/// The CPMUs of all devices of a document, and what else a search looks for.
void collect(const Value& value, std::vector<const Value*>& units, std::set<std::string>& words) {
  if (value.kind == Value::Kind::scalar) words.insert(value.scalar);
  for (const Value& item : value.items) collect(item, units, words);
  for (const auto& [key, source, entry] : value.entries) {
    words.insert(key);
    if (key == "cpmus") {
      for (const Value& unit : entry.items) units.push_back(&unit);
    }
    collect(entry, units, words);
  }
}

std::uint64_t count_of(const Value& unit, std::string_view key) {
  const Value* const list = unit.find(key);
  return list == nullptr ? 0 : list->items.size();
}

TEST(CxlGeneratorTest, every_group_capability_and_kind_of_event_occurs) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const Value document = case_of(seed, "7.3.4");
    std::vector<const Value*> units;
    collect(document, units, seen);
    std::set<std::string> messages;
    for (const Value* const unit : units) {
      const std::uint64_t counters = std::stoull(unit->find("counters")->scalar);
      if (counters == 0) seen.insert("fixed counters alone");
      if (counters > 32) seen.insert("more than 32 counters");
      if (counters + count_of(*unit, "fixed") + count_of(*unit, "free_running") == 64) seen.insert("64 counters");
      if (count_of(*unit, "groups") == 32) seen.insert("32 groups");
      if (const Value* const width = unit->find("width"); width != nullptr) seen.insert("width " + width->scalar);
      if (const Value* const message = unit->find("message_number"); message != nullptr) {
        seen.insert("message " + message->scalar);
        if (!messages.insert(message->scalar).second) seen.insert("shared message");
      }
      std::set<std::string> groups;
      for (const Value& group : unit->find("groups")->items) {
        const Value* const name = group.find("group");
        if (name != nullptr && !groups.insert(name->scalar).second) seen.insert("a group twice");
      }
    }
    for (const Value& measure : document.find("measure")->items) {
      for (const Value& event : measure.find("events")->items) {
        for (const char* const term : {"vid=", "config=", "config1=", "threshold=", "edge", "invert", "hdm=", "crb="}) {
          if (event.scalar.find(term) != std::string::npos) seen.insert(term);
        }
      }
    }
  }
  std::vector<std::string> wanted = {"fixed counters alone",
                                     "more than 32 counters",
                                     "32 groups",
                                     "shared message",
                                     "message 15",
                                     "a group twice",
                                     "free_running",
                                     "fixed",
                                     "threshold",
                                     "vendor",
                                     "hdm_filter",
                                     "ddr_filter",
                                     "switch",
                                     "cache",
                                     "HDM-D",
                                     "HDM-DB",
                                     "ways",
                                     "inject",
                                     "open_error",
                                     "vid=",
                                     "config=",
                                     "config1=",
                                     "threshold=",
                                     "edge",
                                     "invert",
                                     "hdm=",
                                     "crb="};
  for (const unsigned width : {1, 8, 16, 31, 32, 33, 40, 48, 62, 63, 64})
    wanted.push_back(fmt::format("width {}", width));
  for (const char* const key : {"interrupt", "freeze", "writable_while_frozen", "message 0", "expected_failure",
                                "unload_drivers", "reset", "cpu_offline", "interrupt_delay", "interval"})
    wanted.emplace_back(key);
  for (const CxlGroupKind& kind : cxl_group_kinds()) wanted.emplace_back(kind.word);
  EXPECT_THAT(seen, ::testing::IsSupersetOf(wanted));
}

TEST(CxlGeneratorTest, every_cpmu_has_a_counter_that_a_driver_can_use) {
  constexpr std::uint64_t kRareCases = 6000;
  for (std::uint64_t seed = 1; seed <= kRareCases; ++seed) {
    Random random(seed);
    const GeneratedMachine machine = CxlGenerator().make(random, "7.3.4", {});
    std::vector<const Value*> units;
    std::set<std::string> words;
    collect(machine.platform, units, words);
    for (const Value* const unit : units)
      ASSERT_GT(std::stoull(unit->find("counters")->scalar) + count_of(*unit, "fixed"), 0U) << seed;
  }
}

TEST(CxlGeneratorTest, events_are_named_as_the_kernel_names_them) {
  EXPECT_EQ(cxl_name(kCxlVendorId, 0x20, 1, "6.12.118"), "m2s_req_memrd");
  EXPECT_EQ(cxl_name(kCxlVendorId, 0x20, 5, "6.12.118"), "");
  EXPECT_EQ(cxl_name(kCxlVendorId, 0x20, 5, "7.2.13"), "m2s_req_memrdtee");
  EXPECT_EQ(cxl_name(kCxlVendorId, 0x8003, 0, "7.2.13"), "");
  EXPECT_EQ(cxl_name(kCxlVendorId, 0x8003, 0, "7.3.4"), "retry_event_trig_by_rd_crc");
  EXPECT_EQ(cxl_name(0x1d0f, 0x20, 1, "7.3.4"), "");
  EXPECT_FALSE(cxl_has_place_filter("7.2.13"));
  EXPECT_TRUE(cxl_has_place_filter("7.3.4"));
}

TEST(CxlGeneratorTest, the_kernels_own_drivers_pass) {
  std::string scratch = (std::filesystem::temp_directory_path() / "pmufab-cxl-cases-XXXXXX").string();
  ASSERT_NE(mkdtemp(scratch.data()), nullptr);
  std::vector<scenario::RunPlan> plans;
  for (const driver_host::DriverSet& drivers : driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR)) {
    if (!scenario::selects(">=6.12", drivers.kernel_version)) continue;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
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
    EXPECT_THAT(result.status,
                ::testing::AnyOf(scenario::RunResult::Status::passed, scenario::RunResult::Status::expected_failure))
        << plan.scenario->name << " with Linux " << result.drivers << ": " << result.message;
    ++passed;
  };
  scenario::run_all(plans, options);
  std::filesystem::remove_all(scratch);
  EXPECT_EQ(passed, plans.size());
}

}  // namespace
}  // namespace pmufab::verify::cxl_test
