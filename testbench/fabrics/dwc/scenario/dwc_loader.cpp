// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/scenario/dwc_loader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/dwc/link_events.h"
#include "models/dwc/part/dwc_ports.h"
#include "testbench/fabrics/common/occurrence_values.h"
#include "testbench/fabrics/common/pci_address.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

/// The dwc_vendors by which drivers know the capability (include/linux/pcie-dwc.h).
const Words<std::uint16_t>& dwc_vendors() {
  static const Words<std::uint16_t> words = {{"alibaba", 0x1ded},   {"ampere", 0x1def}, {"lecarc", 0x0720},
                                             {"picoheart", 0x20fa}, {"qcom", 0x17cb},   {"rockchip", 0x1d87},
                                             {"samsung", 0x144d}};
  return words;
}

const Words<dwc::LinkState>& link_state_words() {
  static const Words<dwc::LinkState> words = [] {
    Words<dwc::LinkState> made;
    for (unsigned state = 0; state < dwc::kLinkStates; ++state)
      made.emplace_back(dwc::to_string(static_cast<dwc::LinkState>(state)), static_cast<dwc::LinkState>(state));
    return made;
  }();
  return words;
}

void read_root_port(Reader& reader, std::size_t index, dwc::RootPortDescription& port) {
  port.name = fmt::format("rp{}", index);
  reader.text("name", port.name);
  if (port.name.empty()) reader.fail("name", "is empty", "give the root port a name");
  reader.choice("vendor", port.vendor_id, dwc_vendors());
  reader.number("device_id", port.device_id, Quantity::address);
  const PciAddress address = read_pci_address(reader, "address", fmt::format("0000:00:{:02x}.0", index), "a root port");
  if (address.function != 0)
    reader.fail("address", fmt::format("is function {} of its device; a root port is function 0", address.function));
  port.segment = address.segment;
  port.bus = address.bus;
  port.device = address.device;
  reader.number("lanes", port.lanes);
  reader.number("socket", port.socket);
  reader.number("clock", port.clock_hz, Quantity::frequency, 1);
  reader.number("time_counter_width", port.time_width);
  constexpr unsigned kLargestRevision = 15;
  reader.number("vsec_revision", port.vsec_revision, Quantity::count, 0, kLargestRevision);
}

/// @return the root port that the key `port` names.
unsigned read_dwc_port(Reader& reader, const TrafficContext& context) {
  std::vector<std::string> names;
  for (const dwc::RootPortDescription& port : context.platform.of<platform::DwcSpec>().ports)
    names.push_back(port.name);
  std::string name;
  reader.text("port", name, Presence::required);
  if (name.empty()) reader.fail("port", "is missing", "one of " + quoted_list(names));
  return number_among(reader, "port", name, names, names, "the platform has no DesignWare root port");
}

/// @return the event's number. @throws InputError if there is no such event
traffic::ValueRange link_event_of(const std::string& name, const Source& source, const std::string& path) {
  std::vector<std::string> names;
  for (const auto events : {dwc::link_events(), dwc::link_payloads()}) {
    for (const dwc::LinkEventCode& event : events) {
      if (event.name == name) return {event.id, event.id};
      names.emplace_back(event.name);
    }
  }
  std::string suggestion = did_you_mean(name, names);
  if (suggestion.empty()) suggestion = "for example rx_memory_read; docs/platforms/dwc-root-ports.md lists them";
  throw InputError(source, path, fmt::format("a link has no event '{}'", name), suggestion);
}

/// The name of an event, or a map from names to weights.
void read_link_events(Reader& reader, traffic::ValueRanges& events) {
  const std::string path = reader.path_of("event");
  const Value* const value = reader.take("event");
  if (value == nullptr) reader.fail("event", "is missing", "for example rx_memory_read");
  events = read_shares(
      *value, path, [&](const std::string& name, const Source& source) { return link_event_of(name, source, path); },
      "must be the name of an event, or a map from names to weights");
  reader.put("event", *value);
}

void read_link_stream(Reader& reader, const TrafficContext& context, traffic::StreamSpec& stream) {
  reader.text("name", stream.name, Presence::required);
  stream.source = read_dwc_port(reader, context);
  reader.number("start", stream.start, Quantity::duration);
  reader.number("repeat", stream.repeat, Quantity::count, 1, 1U << 20);
  stream.attributes.resize(kLinkAttributes);
  read_link_events(reader, stream.attributes[kLinkEvent]);
  if (const Value* const lanes = reader.take("lane"); lanes != nullptr) {
    const std::string path = reader.path_of("lane");
    stream.attributes[kLinkLane] = read_ranges(*lanes, path, Quantity::count);
    const unsigned count = context.platform.of<platform::DwcSpec>().ports[stream.source].lanes;
    for (const traffic::ValueRange& range : stream.attributes[kLinkLane]) {
      if (range.last >= count)
        throw InputError(lanes->source, path, fmt::format("there is no lane {}", range.last),
                         fmt::format("the root port has lanes 0 to {}", count - 1));
    }
    reader.put("lane", *lanes);
  }
  if (const Value* const bytes = reader.take("bytes"); bytes != nullptr) {
    constexpr std::uint64_t kMost = 4096;  // of one packet
    stream.attributes[kLinkBytes] = read_ranges(*bytes, reader.path_of("bytes"), Quantity::count);
    for (const traffic::ValueRange& range : stream.attributes[kLinkBytes]) {
      if (range.last > kMost)
        throw InputError(bytes->source, reader.path_of("bytes"), fmt::format("{} are too many", range.last),
                         "a packet has up to 4096 bytes of data");
    }
    reader.put("bytes", *bytes);
  }
  read_stream_phases(reader, stream);
  context.names.take(reader, stream.name);
}

void read_link_states(Reader& reader, const TrafficContext& context, traffic::LinkStatesSpec& states_of_link) {
  states_of_link.port = read_dwc_port(reader, context);
  reader.number("start", states_of_link.start, Quantity::duration);
  reader.list(
      "states",
      [&](Reader& item, std::size_t) {
        traffic::LinkStatesSpec::Stay& stay = states_of_link.stays.emplace_back();
        item.choice("state", stay.state, link_state_words());
        item.number("duration", stay.duration, Quantity::duration, 1, kMaximumDuration, Presence::required);
      },
      Presence::required);
}

}  // namespace

void read_root_ports(Reader& reader, std::vector<dwc::RootPortDescription>& ports) {
  reader.list("dwc_root_ports",
              [&](Reader& item, std::size_t index) { read_root_port(item, index, ports.emplace_back()); });
}

void read_link_traffic(Reader& reader, const TrafficContext& context, DwcWorkload& workload) {
  for (const char* const key : {"dwc_traffic", "dwc_link_states"}) {
    if (reader.has(key) && context.platform.of<platform::DwcSpec>().ports.empty())
      reader.fail(key, "there is no link it could happen on: the platform has no DesignWare root ports",
                  "describe them under the platform's key dwc_root_ports");
  }
  if (reader.has("dwc_traffic"))
    reader.list("dwc_traffic",
                [&](Reader& item, std::size_t) { read_link_stream(item, context, workload.streams.emplace_back()); });
  if (!reader.has("dwc_link_states")) return;
  reader.list("dwc_link_states", [&](Reader& item, std::size_t) {
    read_link_states(item, context, workload.states.emplace_back());
    for (std::size_t before = 0; before + 1 < workload.states.size(); ++before) {
      if (workload.states[before].port == workload.states.back().port)
        item.fail("port", "has states already", "a link has one list of states");
    }
  });
}

}  // namespace pmufab::scenario
