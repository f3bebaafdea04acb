// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/scenario/cxl_kind.h"

#include "models/cxl/part/cxl_spec.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace pmufab::coverage {
namespace {

using platform::PlatformSpec;

constexpr std::uint64_t kConfiguration = 0x200;  // counter configuration registers
constexpr std::uint64_t kConfigurationEnd = 0x400;

/// @param offset  in the page of a CPMU's registers
std::optional<unsigned> configured_counter(std::uint64_t offset, std::uint64_t /*data*/) {
  if (offset < kConfiguration || offset >= kConfigurationEnd) return std::nullopt;
  return static_cast<unsigned>((offset - kConfiguration) / sizeof(std::uint64_t));
}

/// The filters of a CPMU apply to some groups of events (CXL 4.0, table 13-5).
bool filters_group(const perf::PmuCatalog::Event& event, std::string_view format) {
  constexpr std::string_view kConfig = "config=0x";
  const std::size_t place = event.definition.find(kConfig);
  std::uint64_t config = 0;
  if (place == std::string::npos) return true;
  const char* const digits = event.definition.data() + place + kConfig.size();
  std::from_chars(digits, event.definition.data() + event.definition.size(), config, 16);
  const std::uint64_t group = config >> 32 & 0xffff;
  if (format.starts_with("hdm")) return group >= 0x20 && group <= 0x25;      // messages of CXL.mem
  if (format.starts_with("crb")) return group >= 0x8000 && group <= 0x8003;  // of the memory controller
  return true;
}

/// The CPMUs of one device share a table of messages.
bool shares_message(const platform::CxlDeviceSpec& device, const cxl::CpmuParameters& parameters) {
  return parameters.message_number != 0 && std::ranges::count_if(device.cpmus, [&](const platform::CxlCpmuSpec& other) {
                                             return other.parameters.message_number == parameters.message_number;
                                           }) > 1;
}

void add_cpmu(PmuFacts& facts, const platform::CxlDevicePlace& place, std::size_t device, std::size_t number) {
  const cxl::CpmuParameters& parameters = place.spec->cpmus[number].parameters;
  facts.counter_at = configured_counter;
  facts.filters = filters_group;
  facts.counters = static_cast<unsigned>(parameters.counters.size());
  facts.places = {fmt::format("platform.cxl{}_cpmu{}", device, number)};
  facts.widths = width_classes();
  facts.event_width = width_class(parameters.width);
  facts.wirings = {"a message of its own", "a shared message"};
  facts.wiring = facts.wirings[shares_message(*place.spec, parameters) ? 1 : 0];
  PmuClasses classes(facts);
  classes.add("below a root port", !place.switch_number);
  classes.add("below a switch", place.switch_number.has_value());
  classes.add("with a cache (type 2)", place.spec->cache.has_value());
  classes.add("interleaved memory",
              std::ranges::any_of(place.spec->decoders,
                                  [](const platform::CxlDecoderSpec& decoder) { return decoder.interleave.ways > 1; }));
  constexpr unsigned kRegister = 32;
  classes.add("one counter", facts.counters == 1);
  classes.add("2 to 32 counters", facts.counters > 1 && facts.counters <= kRegister);
  classes.add("more than 32 counters", facts.counters > kRegister);
  const auto has = [&](cxl::CounterType type) {
    return std::ranges::any_of(parameters.counters,
                               [&](const cxl::CpmuCounterParameters& counter) { return counter.type == type; });
  };
  classes.add("fixed counters", has(cxl::CounterType::fixed));
  classes.add("free-running counters", has(cxl::CounterType::free_running));
  classes.add("HDM filter", parameters.hdm_filter);
  classes.add("DDR filter", parameters.ddr_filter);
  classes.add("neither filter", !parameters.hdm_filter && !parameters.ddr_filter);
}

std::optional<PmuFacts> facts_of_cpmu(const PlatformSpec& platform, const std::string& pmu) {
  const std::vector<platform::CxlDevicePlace> devices = platform::devices_of(platform.of<platform::CxlSpec>().devices);
  for (std::size_t device = 0; device < devices.size(); ++device) {
    const auto number = number_after(pmu, fmt::format("cxl_pmu_mem{}.", device));
    if (!number || *number >= devices[device].spec->cpmus.size()) continue;
    PmuFacts facts;
    facts.kind = general_name(pmu);
    add_cpmu(facts, devices[device], device, *number);
    return facts;
  }
  return std::nullopt;
}

}  // namespace

const FactsRoom& cxl_facts() {
  static const FactsRoom room = {facts_of_cpmu, {"vid", "gid", "mask"}, {}};
  return room;
}

}  // namespace pmufab::coverage
