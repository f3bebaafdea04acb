// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/soc_fabric.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "testbench/perf/pmu_catalog.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::scenario {
namespace {

using perf::PerfAttributes;
using soc::FilterDescription;

bool is_published(const FilterDescription& filter) { return !filter.format.empty(); }

/// A filter that a back-end publishes, in its place of a register.
std::uint32_t field_of(const FilterDescription& filter, const PerfAttributes& attributes) {
  const std::optional<perf::TermFormat> format = perf::parse_format(filter.format);
  const auto all = static_cast<std::uint32_t>(low_bits(filter.bits.width));
  std::uint32_t value = format ? static_cast<std::uint32_t>(format->value_in(attributes)) & all : 0;
  // No value of a back-end's term means everything, whatever hardware takes for that.
  const bool is_literal = filter.zero == FilterDescription::Zero::literal;
  if (value == 0 && is_literal && filter.match == FilterDescription::Match::mask) value = all;
  return value << filter.bits.first;
}

EventRequest request_of(const soc::PmuDescription& pmu, const PerfAttributes& attributes) {
  EventRequest asked;
  coresight_client::CounterRequest& request = asked.request;
  request.cycles = pmu.cycle_counter && attributes.config == kCspmuCycles;
  request.event = static_cast<std::uint32_t>(attributes.config);
  if (std::ranges::none_of(pmu.filters, is_published)) {
    request.filter = static_cast<std::uint32_t>(attributes.config1);
    request.filter2 = static_cast<std::uint32_t>(attributes.config2);
    return asked;
  }
  request.filter = request.filter2 = 0;
  for (const FilterDescription& filter : pmu.filters) {
    if (!is_published(filter)) continue;
    std::optional<std::uint32_t>& reg =
        filter.where == FilterDescription::Register::filter ? request.filter : request.filter2;
    *reg |= field_of(filter, attributes);
  }
  return asked;
}

}  // namespace

std::string reason_not_served(const soc::PmuDescription& pmu) {
  if (pmu.is_64bit) return "the reference software does not know the layout of 64-bit registers";
  for (const FilterDescription& filter : pmu.filters) {
    if (filter.where == FilterDescription::Register::implementation_defined)
      return "the reference software does not know filters in implementation-defined registers";
    if (is_published(filter) && (filter.enable || filter.care))
      return "the reference software does not know which bits make the filters of a driver's back-end act";
  }
  return {};
}

ServedCoreSightPmu soc_served_pmu(const scoreboard::SocPmuSpec& pmu, const platform::ApmtNode& node) {
  const bool is_served = reason_not_served(pmu.description).empty();
  return {.name = pmu.name,
          .node = node,
          .request_of = [description = pmu.description, is_served](const PerfAttributes& attributes) {
            return is_served ? request_of(description, attributes) : EventRequest{.request = {}, .error = -EOPNOTSUPP};
          }};
}

}  // namespace pmufab::scenario
