// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soc/platform_generator.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "testbench/driver_host/driver_sets.h"
#include "testbench/scenario/fabrics/fabric_kind.h"
#include "testbench/scenario/fabrics/soc/soc_fabric.h"
#include "testbench/verify/soc/soc_generator.h"
#include "testbench/verify/soc/soc_machine.h"
#include "testbench/verify/values.h"

namespace pmufab::verify {
namespace {

using driver_host::compare_versions;

soc::Event::Kind kind_of(pmufab::soc::EventDescription::Counts counts) {
  using Counts = pmufab::soc::EventDescription::Counts;
  switch (counts) {
    case Counts::occurrences:
      return soc::Event::Kind::occurrences;
    case Counts::sum:
      return soc::Event::Kind::sum;
    case Counts::outstanding:
      return soc::Event::Kind::outstanding;
    case Counts::cycles:
      break;
  }
  return soc::Event::Kind::cycles;
}

/// @param knows_64bit  the driver knows the 64-bit layout
bool is_offered(const pmufab::soc::PmuDescription& pmu, bool knows_64bit) {
  constexpr unsigned kNarrowest = 32;  // narrower ones may wrap twice before any driver can have looked
  return pmu.perf_name.empty() && !pmu.events.empty() && pmu.width >= kNarrowest && (knows_64bit || !pmu.is_64bit);
}

soc::Pmu pmu_of(const scoreboard::SocPmuSpec& spec, unsigned sockets) {
  const pmufab::soc::PmuDescription& description = spec.description;
  soc::Pmu pmu;
  pmu.perf_names.assign(sockets, spec.name);
  pmu.is_64bit = description.is_64bit;
  pmu.counters = description.counters;
  pmu.width = description.width;
  pmu.is_atomic = description.atomic_64bit;
  pmu.has_cycles = description.cycle_counter && !description.is_64bit;
  pmu.event_counters = description.counters - (description.cycle_counter ? 1 : 0);
  pmu.interrupt = description.interrupt.has_value();
  for (const pmufab::soc::EventDescription& event : description.events)
    pmu.events.push_back({event.number, kind_of(event.counts), event.source});
  for (const pmufab::soc::FilterDescription& filter : description.filters) {
    using Register = pmufab::soc::FilterDescription::Register;
    if (filter.where == Register::implementation_defined) continue;  // no driver writes it
    pmu.filters.push_back({filter.where == Register::filter2, filter.bits.first, filter.bits.width, false});
  }
  return pmu;
}

scenario::Value draw_streams(Random& random, const platform::PlatformSpec& platform) {
  std::vector<scenario::Value> streams;
  for (const pmufab::soc::SourceDescription& source : platform.soc.sources) {
    if (source.cause != pmufab::soc::Cause::streams) continue;
    for (unsigned socket = 0; socket < platform.sockets; ++socket) {
      scenario::Value attributes = scenario::Value::map();
      for (const std::string& attribute : source.attributes) attributes.add(attribute, word("0-7"));
      streams.push_back(map({{"name", word(fmt::format("{}-{}", source.name, socket))},
                             {"source", word(source.name)},
                             {"socket", number(socket)},
                             {"attributes", std::move(attributes)},
                             {"outstanding", word("10 ns-300 ns")},
                             {"pacing", map({{"kind", word(random.pick({"fixed", "exponential"}))},
                                             {"requests_per_us", number(random.number(2, 40))}})}}));
    }
  }
  return list(std::move(streams));
}

}  // namespace

PlatformGenerator::PlatformGenerator(std::string file, platform::PlatformSpec platform)
    : file_(std::move(file)), platform_(std::move(platform)), name_("platform-" + platform_.name) {
  // It becomes part of names of files.
  for (char& letter : name_) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-' && letter != '_') letter = '-';
  }
}

std::vector<std::string_view> PlatformGenerator::driver_modules() const { return scenario::driver_modules(platform_); }

bool PlatformGenerator::has_pmus(std::string_view kernel) const {
  const bool knows_64bit = compare_versions(kernel, "7.3") >= 0;
  const auto& pmus = platform_.soc.pmus;
  return std::any_of(pmus.begin(), pmus.end(), [&](const auto& pmu) { return is_offered(pmu, knows_64bit); });
}

GeneratedMachine PlatformGenerator::make(Random& random, std::string_view kernel, const Wishes& /*wishes*/) const {
  const auto machine = std::make_shared<soc::Machine>();
  machine->sockets = platform_.sockets;
  machine->cpus_per_socket = platform_.cpus_per_socket;
  machine->has_layout64 = compare_versions(kernel, "7.3") >= 0;
  machine->has_second_filter = compare_versions(kernel, "7.2") >= 0;
  std::vector<unsigned> sockets;
  for (const scoreboard::SocPmuSpec& spec : scenario::soc_judge_spec(platform_, kernel).pmus) {
    if (!is_offered(spec.description, machine->has_layout64)) continue;
    machine->pmus.push_back(pmu_of(spec, platform_.sockets));
    sockets.push_back(spec.socket);
  }
  GeneratedMachine made;
  made.platform = scenario::Value::of(file_, true);
  if (scenario::Value streams = draw_streams(random, platform_); !streams.items.empty())
    made.traffic.emplace_back("soc_traffic", std::move(streams));
  for (std::size_t index = 0; index < machine->pmus.size(); ++index) {
    made.pmus.push_back(soc_offer(machine, machine->pmus[index], sockets[index]));
    made.pmus.back().bulk = {};
  }
  made.cpus = machine->sockets * machine->cpus_per_socket;
  return made;
}

}  // namespace pmufab::verify
