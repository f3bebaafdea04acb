// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/scenario/cxl_kind.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/verify/cxl_known_defects.h"
#include "testbench/fabrics/cxl/verify/cxl_layout.h"
#include "testbench/fabrics/cxl/verify/cxl_units.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

/// What the functions of an offer know of their CPMU.
struct CxlOffered {
  std::string pmu;
  CxlDevice device;  // its CPMUs included
  CxlUnit unit;
  CxlProgram program;
  std::string kernel;
  bool fixed_too = false;  // events of fixed counters are offered, too
};

std::string offered_event(Random& random, const CxlOffered& offered) {
  const bool fixed = offered.unit.configurable == 0 || (offered.fixed_too && random.chance(60));
  const CxlRequest request =
      fixed ? cxl_fixed_request(random, offered.device, offered.unit, random.pick(offered.unit.fixed), offered.kernel)
            : cxl_configurable_request(random, offered.device, offered.unit, offered.program, offered.kernel);
  return cxl_event_text(random, offered.pmu, request, offered.kernel);
}

/// @return whether there is a counter for each: one fixed counter for an event, all configurable ones for their program.
bool offered_fits(const CxlOffered& offered, const std::vector<std::string>& events) {
  std::set<std::uint64_t> fixed;
  unsigned configurable = 0;
  for (const std::string& event : events) {
    const std::uint64_t config = cxl_config(event);
    const bool built_in = std::ranges::any_of(offered.unit.fixed, [&](const CxlBuiltIn& counter) {
      const CxlGroup& group = offered.unit.groups[counter.group];
      return config == cxl_config(group.vendor, group.id, counter.mask);
    });
    if (built_in && !fixed.insert(config).second) return false;
    if (!built_in) ++configurable;
  }
  return configurable <= offered.unit.configurable;
}

/// So many that no counter of the device wraps, however often a session lets it happen.
std::optional<BulkEvent> offered_bulk(Random& random, const CxlOffered& offered) {
  unsigned width = 64;
  for (const CxlUnit& unit : offered.device.units) width = std::min(width, unit.width);
  const CxlGroup& group = offered.unit.groups[0];
  const CxlGroupKind* const kind = cxl_group_kind(group.vendor, group.id);
  const bool ticks = kind != nullptr && kind->id == 0;
  if (offered.unit.configurable == 0 || kind == nullptr || (!kind->of_messages && !ticks)) return std::nullopt;
  CxlRequest request;
  request.group = group.id;
  request.mask = 1U << cxl_any_bit(random, offered.program.mask);
  if (offered.unit.hdm_filter && kind->filter == CxlFilter::decoder && random.chance(50))
    request.hdm = 1U << random.number(0, offered.device.decoders.size() - 1);
  constexpr unsigned kTimes = 6;  // 2^6 of them do not wrap
  const std::uint64_t most = std::uint64_t{1} << (std::min(width, cxl_known::kWidestThatWraps) - kTimes);
  return BulkEvent{cxl_event_text(random, offered.pmu, request, offered.kernel),
                   random.chance(50) ? most : random.number(1, most),
                   {}};
}

PmuOffer offer_of(const CxlOffered& unit) {
  const auto offered = std::make_shared<const CxlOffered>(unit);
  PmuOffer offer;
  offer.pmu = offered->pmu;
  offer.counters = std::max(1U, offered->unit.configurable);
  offer.crowds = 45;
  if (!offered->unit.fixed.empty()) {
    offer.fits = [offered](const std::vector<std::string>& events, bool /*is_group*/) {
      return offered_fits(*offered, events);
    };
  }
  offer.event = [offered](Random& dice) { return offered_event(dice, *offered); };
  offer.refused = [offered](Random& dice) -> std::optional<RefusedEvent> {
    const std::optional<std::string> events = cxl_refused(dice, offered->pmu, offered->unit, offered->kernel);
    if (!events) return std::nullopt;
    return RefusedEvent{*events, "EINVAL"};
  };
  offer.bulk = [offered](Random& dice) { return offered_bulk(dice, *offered); };
  return offer;
}

}  // namespace

GeneratedMachine CxlGenerator::make(Random& random, std::string_view kernel, const Wishes& /*wishes*/) const {
  if (random.chance(40)) return cxl_session_machine(random, kernel);
  CxlMachine machine = cxl_layout(random);
  std::vector<CxlDetails> details;
  std::vector<CxlOffered> offered;
  for (CxlDevice* const device : machine.devices()) {
    details.push_back(cxl_details(random, *device));
    const std::uint64_t units = random.number(1, random.chance(20) ? 5 : 2);
    const bool own_messages = random.chance(60);
    const auto shared_message = static_cast<unsigned>(random.number(1, 15));
    for (unsigned number = 0; number < units; ++number) {
      CxlOffered unit{fmt::format("cxl_pmu_mem{}.{}", device->number, number), {}, {}, {}, std::string(kernel), false};
      unit.unit = cxl_unit(random, *device, unit.program);
      cxl_remove_spilling(unit.unit);
      unit.unit.message_number = own_messages ? 1 + number : shared_message;
      unit.fixed_too = !unit.unit.fixed.empty() && random.chance(50);
      device->units.push_back(unit.unit);
      offered.push_back(std::move(unit));
    }
    for (std::size_t index = offered.size() - units; index < offered.size(); ++index) offered[index].device = *device;
  }
  GeneratedMachine generated;
  generated.cpus = static_cast<unsigned>(random.number(2, 8));
  // A reset takes a function's registers off the bus, and the kernel's PCI core does not put them back.
  generated.resets = false;
  generated.platform = cxl_platform(random, machine, details, generated.cpus);
  generated.traffic.emplace_back("cxl_traffic", cxl_workload(random, machine, std::nullopt));
  if (Value writes = cxl_firmware(random, machine, kernel); random.chance(30) && !writes.items.empty())
    generated.traffic.emplace_back("firmware_writes", std::move(writes));
  // Where accesses are fast and sessions long, events have time to take turns.
  if (random.chance(60)) generated.slowest_access = 2'000;
  if (random.chance(30)) generated.window *= 2;
  for (const CxlOffered& unit : offered) generated.pmus.push_back(offer_of(unit));
  for (PmuOffer& offer : generated.pmus) {
    for (unsigned cpu = 0; cpu < generated.cpus; ++cpu) offer.cpus.push_back(cpu);
  }
  return generated;
}

}  // namespace pmufab::verify
