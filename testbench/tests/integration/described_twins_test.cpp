// SPDX-License-Identifier: Apache-2.0
// PMUs of a Tegra410 as descriptions, beside the built-in ones: both count the same, event by event, on the platforms and
// under the traffic of the shipped scenarios.
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_tgt_judge.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"
#include "testbench/host/driver_sets.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::integration {
namespace {

using Json = nlohmann::json;
using platform::PmuRow;
using platform::PmuType;
using scenario::ScenarioFile;
using scenario::ScenarioSpec;
using scenario::Value;
using scoreboard::EventTerms;

constexpr std::uint64_t kAddressBits = 48;  // of an address filter of the twin of PCIE-TGT
constexpr std::size_t kAddressFilters = 8;  // of the built-in one

/// An event of a built-in PMU, and the same of its twin.
struct Pair {
  std::uint32_t device;  // that a PCIE PMU counts alone; 0: all of them
  std::string event;
  std::string twin;
  auto operator<=>(const Pair&) const = default;
};
/// By built-in PMU: pairs that it can count at once.
using Pairs = std::map<std::string, std::vector<std::vector<Pair>>>;

EventTerms terms_of(const perf::WrittenEvent& event) {
  EventTerms terms;
  for (const perf::WrittenTerm& term : event.terms) {
    terms.push_back({term.name, term.value ? std::optional<std::uint64_t>(std::stoull(*term.value, nullptr, 0))
                                           : std::optional<std::uint64_t>()});
  }
  return terms;
}

std::optional<std::string> ucf_twin(const EventTerms& terms) {
  const scoreboard::UcfMeaning meaning = scoreboard::ucf_meaning(terms);
  if (meaning.kind != scoreboard::UcfMeaning::Kind::traffic) return std::nullopt;
  return fmt::format("event={:#x},filter={:#x}", scoreboard::event_number(meaning.event),
                     meaning.sources | meaning.destinations << 8);
}

std::optional<std::string> pcie_twin(const EventTerms& terms) {
  const scoreboard::PcieMeaning meaning = scoreboard::pcie_meaning(terms);
  if (meaning.kind != scoreboard::PcieMeaning::Kind::traffic) return std::nullopt;
  const std::uint32_t filter =
      meaning.source.bdf ? 1U << 24 | std::uint32_t{*meaning.source.bdf} << 8 : meaning.source.root_ports;
  return fmt::format("event={},filter={:#x},filter2={:#x}", static_cast<unsigned>(meaning.event), filter,
                     meaning.destinations);
}

std::optional<std::string> pcie_tgt_twin(const EventTerms& terms) {
  const scoreboard::PcieTgtMeaning meaning = scoreboard::pcie_tgt_meaning(terms);
  if (meaning.kind != scoreboard::PcieTgtMeaning::Kind::traffic) return std::nullopt;
  if (!meaning.addresses)
    return fmt::format("event={},filter2={:#x}", static_cast<unsigned>(meaning.event),
                       std::uint64_t{meaning.ports} << kAddressBits);
  // Root ports or addresses: a description has no such alternatives.
  if (meaning.ports != 0) return std::nullopt;
  return fmt::format("event={},filter={:#x},filter2={:#x}", static_cast<unsigned>(meaning.event),
                     meaning.addresses->base, meaning.addresses->mask);
}

/// @return the same event of the described twin; nothing for cycles, and for what a description cannot express
std::optional<std::string> twin_of(const PmuRow& row, const EventTerms& terms) {
  std::optional<std::string> event;
  std::string hid;
  switch (row.type) {
    case PmuType::ucf:
      event = ucf_twin(terms);
      hid = "ACMEA000";
      break;
    case PmuType::pcie:
      event = pcie_twin(terms);
      hid = fmt::format("ACMED00{}", row.root_complex);
      break;
    case PmuType::pcie_tgt:
      event = pcie_tgt_twin(terms);
      hid = fmt::format("ACMEE00{}", row.root_complex);
      break;
    default:
      break;
  }
  if (!event) return std::nullopt;
  return fmt::format("arm_cspmu_acpi_{}_{}/{}/", hid, row.socket, *event);
}

/// @return the bits of PMEVFILTR that name a device
std::uint32_t device_of(const PmuRow& row, const EventTerms& terms) {
  if (row.type != PmuType::pcie) return 0;
  const auto bdf = scoreboard::pcie_meaning(terms).source.bdf;
  return bdf ? 1U << 24 | std::uint32_t{*bdf} << 8 : 0;
}

/// Put pairs into lists that the counters, address filters and the device filter of a PMU suffice for.
std::vector<std::vector<Pair>> together(const std::string& pmu, const std::set<Pair>& pairs) {
  const std::size_t most = pmu.find("pcie_tgt") != std::string::npos ? kAddressFilters : 56;
  std::vector<std::vector<Pair>> lists;
  for (const Pair& pair : pairs) {
    if (lists.empty() || lists.back().size() == most || lists.back().front().device != pair.device)
      lists.emplace_back();
    lists.back().push_back(pair);
  }
  return lists;
}

/// The events of a scenario that have twins.
Pairs pairs_of(const ScenarioSpec& spec) {
  std::map<std::string, std::set<Pair>> found;
  const std::vector<PmuRow> rows = platform::tegra410_pmus(spec.platform);
  for (const scenario::MeasureSpec& measure : spec.measures) {
    if (!measure.open_error.empty()) continue;
    for (const std::string& text : measure.events) {
      for (const perf::WrittenGroup& group : perf::parse_events(text)) {
        for (const perf::WrittenEvent& event : group.events) {
          for (const PmuRow& row : rows) {
            if (fnmatch(event.pmu.c_str(), row.perf_name.c_str(), 0) != 0) continue;
            const std::string own = row.perf_name + event.text.substr(event.pmu.size());
            if (const auto twin = twin_of(row, terms_of(event)))
              found[row.perf_name].insert({device_of(row, terms_of(event)), own, *twin});
          }
        }
      }
    }
  }
  Pairs pairs;
  for (const auto& [pmu, all] : found) pairs[pmu] = together(pmu, all);
  return pairs;
}

/// @return the pairs that all PMUs count in their n-th turn.
std::vector<Pair> pairs_in_turn(const Pairs& pairs, std::size_t turn) {
  std::vector<Pair> all;
  for (const auto& [pmu, lists] : pairs) {
    if (turn < lists.size()) all.insert(all.end(), lists[turn].begin(), lists[turn].end());
  }
  return all;
}

void put(Value& map, const std::string& key, Value value) {
  std::erase_if(map.entries, [&](const Value::Entry& entry) { return entry.key == key; });
  map.add(key, std::move(value));
}

/// Let each generator send for a while in the middle of the scenario, so that all counters see all of it.
/// @return false for a replay, which needs its own time
bool shorten(Value& traffic) {
  for (Value& one : traffic.items) {
    Value* const generators = one.find("generators");
    if (generators == nullptr) continue;
    for (Value& generator : generators->items) {
      if (const Value* const trace = generator.find("trace"); trace != nullptr && trace->kind == Value::Kind::map)
        return false;
      std::erase_if(generator.entries, [](const Value::Entry& entry) { return entry.key == "start"; });
      put(generator, "phases", scenario::parse_text("[{start: 500 us, duration: 20 us}]", "phases"));
    }
  }
  return true;
}

/// The platform and traffic of a scenario with twins of its PMUs. @return nothing if it has no such traffic
std::optional<Value> with_twins(const ScenarioSpec& spec, const Value& twins) {
  const Value* const platform = spec.effective.find("platform");
  const Value* const traffic = spec.effective.find("traffic");
  if (platform == nullptr || traffic == nullptr || traffic->items.empty()) return std::nullopt;
  Value document = scenario::parse_text("{name: twins, duration: 600 us, host: {access_latency: 1 ns}}", "twins");
  Value& machine = document.add("platform", *platform);
  put(machine, "coresight_pmus", twins);
  for (const char* const pmu : {"ucf_pmu", "pcie_pmu", "pcie_tgt_pmu"}) {
    scenario::apply(scenario::parse_override(fmt::format("tegra410.{}.counters=64", pmu)), machine);
    scenario::apply(scenario::parse_override(fmt::format("tegra410.{}.width=64", pmu)), machine);
  }
  for (Value& pmu : machine.find("coresight_pmus")->items) {
    const bool is_ucf = pmu.find("name")->scalar.starts_with("ucf");
    const auto& clocks = spec.platform.of<platform::Tegra410Spec>();
    put(pmu, "counters", Value::of("64"));
    put(pmu, "clock", Value::of(fmt::format("{} Hz", is_ucf ? clocks.ucf_clock_hz : clocks.soc_clock_hz)));
  }
  if (!shorten(document.add("traffic", *traffic))) return std::nullopt;
  return document;
}

class DescribedTwins : public testing::Cli, public ::testing::WithParamInterface<const char*> {
 protected:
  /// Compare some pairs of a document. @return false if the drivers are too old for the twins
  bool compare(Value document, const std::vector<Pair>& pairs, const std::string& scenario) {
    Value events = Value::sequence();
    for (const Pair& pair : pairs) {
      events.items.push_back(Value::of(pair.event, true));
      events.items.push_back(Value::of(pair.twin, true));
    }
    Value measure = Value::map();
    measure.add("name", Value::of("twins"));
    measure.add("events", std::move(events));
    Value measures = Value::sequence();
    measures.items.push_back(std::move(measure));
    document.add("measure", std::move(measures));
    const std::string file = write("twins.yaml", scenario::to_yaml(document));
    const std::string json = (folder / "results.json").string();
    const testing::Outcome outcome = pmufab({"run", file, "--drivers", "newest", "--json", json});
    const Json run = Json::parse(read(json)).at("runs").at(0);
    if (driver_host::compare_versions(run.at("drivers").get<std::string>(), "7.3") < 0) return false;
    if (run.at("measures").empty()) {
      ADD_FAILURE() << scenario << ": " << outcome.out << outcome.err;
      return true;
    }
    const Json& counters = run.at("measures").at(0).at("counters");
    if (counters.size() != 2 * pairs.size()) {
      ADD_FAILURE() << scenario << ": " << counters.size() << " counters of " << 2 * pairs.size() << "\n"
                    << outcome.out << outcome.err;
      return true;
    }
    for (std::size_t index = 0; index < pairs.size(); ++index) {
      const auto count = counters.at(2 * index).at("driver").get<std::uint64_t>();
      EXPECT_EQ(counters.at(2 * index + 1).at("driver").get<std::uint64_t>(), count)
          << scenario << ": " << pairs[index].event << " and " << pairs[index].twin;
      ++compared;
      if (count != 0) ++not_zero;
    }
    return true;
  }

  /// Compare all pairs of a scenario. @return false if the drivers are too old for the twins
  bool compare_all(const std::filesystem::path& file, const Value& twins) {
    ScenarioSpec spec;
    try {
      const ScenarioFile scenario(file);
      spec = scenario.load(scenario.variants().front(), {});
    } catch (const scenario::InputError&) {
      return true;  // a platform, traffic, or a study
    }
    if (!spec.platform.has<platform::Tegra410Spec>()) return true;
    const Pairs pairs = pairs_of(spec);
    const std::optional<Value> document = with_twins(spec, twins);
    if (!document) return true;
    for (std::size_t turn = 0;; ++turn) {
      const std::vector<Pair> some = pairs_in_turn(pairs, turn);
      if (some.empty()) return true;
      if (!compare(*document, some, file.filename().string())) return false;
    }
  }

  std::size_t compared = 0;
  std::size_t not_zero = 0;
};
INSTANTIATE_TEST_SUITE_P(of_scenarios_in, DescribedTwins, ::testing::Values("tegra410", "overflow", "losses", "faults"),
                         [](const auto& chosen) { return chosen.param; });

TEST_P(DescribedTwins, count_as_the_built_in_ones) {
  const Value described = scenario::load_file(shipped("platforms/soc/tegra410-described.yaml"));
  const Value& twins = *described.find("coresight_pmus");
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(shipped(GetParam()))) files.insert(entry.path());
  for (const std::filesystem::path& file : files) {
    if (!compare_all(file, twins)) GTEST_SKIP() << "these drivers do not know the 64-bit layout";
  }
  EXPECT_GT(compared, 0U);
  EXPECT_GT(not_zero, compared / 2);
  RecordProperty("compared", static_cast<int>(compared));
}

}  // namespace
}  // namespace pmufab::integration
