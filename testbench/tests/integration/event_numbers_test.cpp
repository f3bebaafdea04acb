// SPDX-License-Identifier: Apache-2.0
// Every event and every term that a driver publishes, of every kernel version: as numbers, which is all that perf passes to
// the kernel, and back again. So do events of a perf in a virtual machine.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include <gmock/gmock.h>

#include "testbench/doors/guest/perf/perf_expectations.h"
#include "testbench/fabrics/cmn/judge/cmn_meaning.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"
#include "testbench/perf/event_names.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::integration {
namespace {

using perf::EventNames;
using perf::PmuCatalog;
using perf::ResolvedEvent;
using scoreboard::EventTerms;
using scoreboard::WatchpointLayout;

struct Platform {
  const char* name;
  /// Of a mesh: the judge's words for an event differ between a name and its number; the rest of its meaning does not.
  std::optional<WatchpointLayout> mesh{};
};

class EventNumbers : public ::testing::TestWithParam<std::tuple<Platform, driver_host::DriverSet>> {
 protected:
  static std::string text_of(const EventTerms& terms) {
    std::string text;
    for (const scoreboard::EventTerm& term : terms)
      text += fmt::format("{}{}={:#x}", text.empty() ? "" : ",", term.name, term.value.value());
    return text;
  }
  /// @return what the judge makes of the terms, or why it refuses them
  static std::string meaning(scenario::Machine& machine, const std::string& pmu, const EventTerms& terms,
                             const std::optional<WatchpointLayout>& mesh) {
    constexpr perf::EventHandle kHandle = 1'000'000;
    try {
      if (mesh) {
        const scoreboard::CmnMeaning cmn = cmn_meaning(terms, *mesh);
        return fmt::format("{} {} {} {} {} {} {} {} {:#x} {:#x} {} {:#x} {} {} node {}", static_cast<int>(cmn.kind),
                           static_cast<int>(cmn.interface), static_cast<int>(cmn.channel), static_cast<int>(cmn.event),
                           cmn.upload, cmn.port, cmn.group, cmn.exclusive, cmn.value, cmn.mask, cmn.combine,
                           cmn.event_id, cmn.filter, cmn.filter2, cmn.node ? std::to_string(*cmn.node) : "all") +
               " " +
               std::string(cmn.kind == scoreboard::CmnMeaning::Kind::node ? scoreboard::node_type_name(cmn.type) : "");
      }
      machine.scoreboard().expect(kHandle, pmu, terms);
      std::string words = machine.scoreboard().result(kHandle)->meaning;
      machine.scoreboard().forget(kHandle);
      return words;
    } catch (const std::invalid_argument&) {
      return "refused";
    }
  }
};

/// @return `written`, with 0 for each term that the event leaves to the user ("wp_grp=?" in its definition) and that is
///         not in it: without one of them perf refuses the event
std::string completed(std::string written, const PmuCatalog::Event& event) {
  std::istringstream definition(event.definition);
  for (std::string term; std::getline(definition, term, ',');) {
    if (!term.ends_with("=?")) continue;
    term.resize(term.size() - 1);
    if (written.find("," + term) == std::string::npos) written.insert(written.size() - 1, "," + term + "0");
  }
  return written;
}

/// What the judge is told of an event that perf counts in a virtual machine.
class Guest {
 public:
  Guest(scenario::Machine& machine, const PmuCatalog& catalog)
      : judge_(machine.scoreboard()),
        perf_(judge_, machine.fabrics(), catalog,
              [this](const std::vector<guest::ExpectedEvent>& told) { note_ = told.at(0).note; }) {}

  /// @return as words_for()
  std::string meaning(const std::string& event) {
    std::string words = "begin";
    for (const std::string& word : {std::string("3"), std::string("stat"), std::string("-e"), event})
      words += '\0' + word;
    perf_.hear(words + '\0');
    const auto expected = judge_.result(next_);
    std::string meaning = expected ? expected->meaning : "";
    perf_.hear(std::string("end") + '\0');
    if (!expected) return note_;
    ++next_;  // the handle of its next event
    return meaning;
  }

 private:
  scoreboard::Scoreboard& judge_;
  guest::PerfExpectations perf_;
  perf::EventHandle next_ = 1;
  std::string note_;
};

/// @return the judge's words for an event, or why it is not judged in a virtual machine
std::string words_for(scenario::Machine& machine, const ResolvedEvent& event) {
  constexpr perf::EventHandle kHandle = 1'000'001;
  std::string reason = scenario::expect_event(machine.scoreboard(), machine.fabrics(), kHandle, event);
  if (!reason.empty()) return reason;
  std::string words = machine.scoreboard().result(kHandle)->meaning;
  machine.scoreboard().forget(kHandle);
  return words;
}

std::vector<Platform> platforms() {
  return {{"tegra410-2s"},
          {"cmn600-small", WatchpointLayout::cmn600},
          {"cmn650", WatchpointLayout::cmn650},
          {"cmn700-small", WatchpointLayout::cmn700},
          {"ci700", WatchpointLayout::cmn700},
          {"cmn-s3-r1p0", WatchpointLayout::s3},
          {"cmn-s3-r2p0", WatchpointLayout::s3_r2},
          {"cxl-typical"}};
}

INSTANTIATE_TEST_SUITE_P(linux, EventNumbers,
                         ::testing::Combine(::testing::ValuesIn(platforms()), ::testing::ValuesIn(cmn_driver_sets())),
                         [](const auto& chosen) {
                           std::string name = std::string(std::get<0>(chosen.param).name) + "_" +
                                              std::get<1>(chosen.param).kernel_version;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST_P(EventNumbers, mean_what_the_words_meant) {
  const Platform& platform = std::get<0>(GetParam());
  const driver_host::DriverSet& drivers = std::get<1>(GetParam());
  const scenario::PlatformDocument described = scenario::load_platform(
      std::filesystem::path(PMUFAB_SOURCE_DIR) / "scenarios/platforms" / (std::string(platform.name) + ".yaml"), {});
  if (platform.mesh == WatchpointLayout::s3_r2 && driver_host::compare_versions(drivers.kernel_version, "7.3") < 0)
    GTEST_SKIP() << "before 7.3, drivers give filters of S3 r2 events the numbers of r1";
  if (scenario::sets_for({drivers}, described.spec).empty())
    GTEST_SKIP() << "these drivers know no PMU of the platform";
  scenario::Machine machine(described.spec, {}, {}, drivers, {});
  bool known = false;
  std::size_t seen = 0;
  std::size_t watchpoints = 0;
  machine.run([&] {
    ASSERT_EQ(machine.host().load(), 0);
    const PmuCatalog catalog(machine.pmus().pmus());
    known = !machine.host().pmus().empty();
    const EventNames names(catalog, machine.scoreboard());
    Guest guest(machine, catalog);
    const auto there_and_back = [&](const std::string& text, const PmuCatalog::Event& published) {
      const std::string written = completed(text, published);
      SCOPED_TRACE(written);
      ResolvedEvent event;
      try {
        event = catalog.resolve(written).front().events.front();
      } catch (const perf::EventError&) {
        return;  // perf refuses it, too
      }
      const std::optional<ResolvedEvent> named = names.name(event.attributes);
      ASSERT_TRUE(named);
      for (const std::string& way_back :
           {completed(named->text, published), event.pmu + "/" + text_of(named->terms) + "/"}) {
        const perf::PerfAttributes back = catalog.resolve(way_back).front().events.front().attributes;
        EXPECT_EQ(back.config, event.attributes.config) << way_back;
        EXPECT_EQ(back.config1, event.attributes.config1) << way_back;
        EXPECT_EQ(back.config2, event.attributes.config2) << way_back;
      }
      EXPECT_EQ(meaning(machine, event.pmu, named->terms, platform.mesh),
                meaning(machine, event.pmu, event.terms, platform.mesh))
          << named->text;
      EXPECT_EQ(guest.meaning(written), words_for(machine, *named));
      ++seen;
    };
    for (const PmuCatalog::Entry& pmu : catalog.entries()) {
      if (!machine.scoreboard().judges(pmu.name)) continue;
      for (const PmuCatalog::Event& event : pmu.events) {
        const bool is_watchpoint = event.name.starts_with("watchpoint");
        const std::size_t before = seen;
        there_and_back(pmu.name + "/" + event.name + "/", event);
        for (const PmuCatalog::Format& format : pmu.formats) {
          const std::string& term = format.name;
          ASSERT_TRUE(format.bits) << pmu.name << "/" << term;
          const std::uint64_t maximum = format.bits->maximum();
          for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, maximum}) {
            // The terms that belong to the event; those that select it would select another.
            if (term == "event" || term == "mask" || term == "gid" || term == "vid") continue;
            if (platform.mesh && (is_watchpoint ? !term.starts_with("wp_") : term != "nodeid" && term != "bynodeid"))
              continue;
            there_and_back(fmt::format("{}/{},{}={:#x}/", pmu.name, event.name, term, value), event);
          }
        }
        if (is_watchpoint) watchpoints += seen - before;
      }
    }
  });
  if (!known) GTEST_SKIP() << "these drivers do not know the mesh";
  EXPECT_GT(seen, 100U);
  if (platform.mesh) {
    EXPECT_GT(watchpoints, 30U) << "perf refuses watchpoints without all their terms";
  }
}

}  // namespace
}  // namespace pmufab::integration
