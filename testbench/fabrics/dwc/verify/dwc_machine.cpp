// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/verify/dwc_machine.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "models/dwc/link_events.h"
#include "testbench/fabrics/common/values.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::verify::dwc {
namespace {

using driver_host::compare_versions;
using scenario::Value;

constexpr unsigned kMostPorts = 4;
constexpr unsigned kSegmentBits = 16;
constexpr unsigned kBusBits = 8;
constexpr unsigned kFunctionBits = 3;

std::vector<std::string> vendors_of(std::string_view kernel) {
  std::vector<std::string> vendors = {"alibaba", "qcom"};
  if (compare_versions(kernel, "7.0") >= 0) vendors.insert(vendors.end(), {"ampere", "rockchip", "samsung"});
  return vendors;
}

/// Ports of a segment are on one bus, of one socket.
struct Segment {
  std::uint64_t number;
  std::uint64_t bus;
  unsigned socket;
  std::set<std::uint64_t> devices{};
};

std::vector<Segment> draw_segments(Random& random, unsigned sockets) {
  std::vector<Segment> segments;
  std::set<std::uint64_t> numbers;
  for (std::uint64_t left = random.number(1, 3); left > 0; --left) {
    const std::uint64_t number = random.pick({0U, 1U, 2U, 7U, 0x30U, 0xffffU});
    if (!numbers.insert(number).second) continue;
    segments.push_back(
        {number, random.pick({0U, 0U, 1U, 0x30U, 0xc0U}), static_cast<unsigned>(random.number(0, sockets - 1))});
  }
  return segments;
}

Value draw_port(Random& random, const std::vector<std::string>& vendors, Segment& segment, Port& port) {
  std::uint64_t device = 0;
  do device = random.number(0, 31);
  while (!segment.devices.insert(device).second);
  port.pmu = fmt::format("dwc_rootport_{:x}",
                         segment.number << kSegmentBits | segment.bus << kBusBits | device << kFunctionBits);
  port.lanes = random.pick({1U, 2U, 4U, 8U, 16U});
  port.socket = segment.socket;
  port.fills_lanes = random.chance(40);
  return map({{"name", word(port.name)},
              {"vendor", word(random.pick(vendors))},
              {"address", Value::of(fmt::format("{:04x}:{:02x}:{:02x}.0", segment.number, segment.bus, device), true)},
              {"lanes", number(port.lanes)},
              {"socket", number(port.socket)},
              {"clock", word(random.pick({"1 GHz", "250 MHz", "333333333 Hz", "2 GHz"}))}});
}

Value draw_stream(Random& random, const Port& port, unsigned index) {
  const auto events = pmufab::dwc::link_events();
  Value weights = Value::map();
  // Some of them, and the more often the fewer.
  const std::uint64_t first = random.number(0, events.size() - 1);
  const std::uint64_t count = random.number(3, events.size());
  for (std::uint64_t i = 0; i < count; ++i)
    weights.add(std::string(events[(first + i) % events.size()].name), number(random.number(1, 4)));
  const std::uint64_t lane = random.number(0, port.lanes - 1);
  const bool is_everywhere = random.chance(60);
  Value stream =
      map({{"name", word(fmt::format("{}-{}", port.name, index))},
           {"port", word(port.name)},
           {"event", std::move(weights)},
           {"lane", word(is_everywhere ? fmt::format("0-{}", port.lanes - 1) : fmt::format("{0}-{0}", lane))},
           {"bytes", word(random.pick({"0-512", "1-64", "16-16", "64-64", "1-4096"}))},
           {"pacing", map({{"kind", word(random.pick({"fixed", "exponential"}))},
                           {"requests_per_us", number(random.number(5, 60))}})}});
  if (random.chance(30)) stream.add("burst", map({{"on", word("2 us")}, {"off", word("1 us")}}));
  return stream;
}

Value draw_states(Random& random, const Port& port) {
  std::vector<Value> stays;
  for (std::uint64_t left = random.number(1, 9); left > 0; --left) {
    const auto state = static_cast<pmufab::dwc::LinkState>(random.number(0, pmufab::dwc::kLinkStates - 1));
    stays.push_back(map({{"state", word(std::string(to_string(state)))},
                         {"duration", time(random.number(50, 2'000) * 1'000 + random.number(0, 999))}}));
  }
  Value value = map({{"port", word(port.name)}, {"states", list(std::move(stays))}});
  if (random.chance(30)) value.add("start", time(random.number(1, 5) * kMicrosecond));
  return value;
}

}  // namespace

Machine draw_machine(Random& random, std::string_view kernel, Value& platform) {
  Machine machine;
  machine.has_lanes = compare_versions(kernel, "7.0") >= 0;
  machine.sockets = random.pick({1U, 1U, 2U});
  machine.cpus_per_socket = static_cast<unsigned>(random.number(2, 4));
  std::vector<Segment> segments = draw_segments(random, machine.sockets);
  std::vector<Value> ports;
  for (std::uint64_t count = random.number(1, kMostPorts), i = 0; i < count; ++i) {
    Port& port = machine.ports.emplace_back();
    port.name = fmt::format("slot{}", i);
    Segment& segment = segments[static_cast<std::size_t>(random.number(0, segments.size() - 1))];
    ports.push_back(draw_port(random, vendors_of(kernel), segment, port));
  }
  platform = map({{"kind", word("dwc")},
                  {"name", word("verify")},
                  {"sockets", number(machine.sockets)},
                  {"cpus_per_socket", number(machine.cpus_per_socket)},
                  {"dwc_root_ports", list(std::move(ports))}});
  return machine;
}

std::vector<std::pair<std::string, Value>> draw_traffic(Random& random, const Machine& machine) {
  std::vector<Value> streams;
  std::vector<Value> states;
  for (const Port& port : machine.ports) {
    for (unsigned count = static_cast<unsigned>(random.number(1, 4)), i = 0; i < count; ++i)
      streams.push_back(draw_stream(random, port, i));
    if (random.chance(70)) states.push_back(draw_states(random, port));
  }
  std::vector<std::pair<std::string, Value>> keys;
  keys.emplace_back("dwc_traffic", list(std::move(streams)));
  if (!states.empty()) keys.emplace_back("dwc_link_states", list(std::move(states)));
  return keys;
}

}  // namespace pmufab::verify::dwc
