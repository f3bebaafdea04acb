// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/verify/cxl_layout.h"

#include <string>
#include <utility>

#include "testbench/fabrics/common/values.h"
#include "testbench/fabrics/cxl/verify/cxl_units.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

Value decoder_value(const CxlDecoder& decoder) {
  Value value = map({{"base", hexadecimal(decoder.base)}, {"size", hexadecimal(decoder.size)}});
  if (decoder.kind == CxlKind::device_cached) value.add("coherency", word("HDM-D"));
  if (decoder.kind == CxlKind::device_snooped) value.add("coherency", word("HDM-DB"));
  if (decoder.ways > 1) {
    value.add("ways", number(decoder.ways));
    value.add("granularity", number(decoder.granularity));
  }
  return value;
}

/// A port with CPMUs that no driver serves.
Value port_value() {
  return map({{"cpmus",
               list({map({{"groups", list({map({{"group", word("clock_ticks")}}), map({{"group", word("m2s_req")}})})},
                          {"counters", number(4)}})})}});
}

Value device_value(Random& random, const CxlDevice& device, const CxlDetails& details, bool below_switch) {
  Value value = Value::map();
  if (random.chance(10)) value.add("port", port_value());
  if (device.cache) value.add("cache", map({{"lines", number(random.pick({16U, 64U, 256U}))}}));
  Value& decoders = value.add("decoders", Value::sequence());
  for (const CxlDecoder& decoder : device.decoders) decoders.items.push_back(decoder_value(decoder));
  Value& units = value.add("cpmus", Value::sequence());
  for (const CxlUnit& unit : device.units) units.items.push_back(cxl_unit_value(unit));
  value.add("link", details.link);
  value.add("memory", details.memory);
  if (!below_switch) value.add("host", details.host);
  return value;
}

}  // namespace

Value cxl_platform(Random& random, const CxlMachine& machine, const std::vector<CxlDetails>& details, unsigned cpus) {
  Value branches = Value::sequence();
  for (const CxlBranch& branch : machine.branches) {
    if (!branch.is_switch) {
      const CxlDevice& device = branch.devices.front();
      branches.items.push_back(device_value(random, device, details[device.number], false));
      continue;
    }
    Value devices = Value::sequence();
    for (const CxlDevice& device : branch.devices)
      devices.items.push_back(device_value(random, device, details[device.number], true));
    Value below = map({{"forward_latency", time(random.number(1, 8) * 5'000)}, {"devices", std::move(devices)}});
    const CxlDetails& first = details[branch.devices.front().number];
    branches.items.push_back(map({{"switch", std::move(below)}, {"link", first.link}, {"host", first.host}}));
  }
  return map({{"kind", word("cxl")},
              {"name", word("random")},
              {"cpus_per_socket", number(cpus)},
              {"cxl", std::move(branches)}});
}

}  // namespace pmufab::verify
