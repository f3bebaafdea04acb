// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cxl/host/host.h"
#include "models/cxl/memory/device_cache.h"
#include "models/cxl/memory/memory_device.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::cxl {

/// Records messages at the ends of links: "memory request 1" is "20:1" with the event group and the opcode.
class Wires final : public LinkObserver {
 public:
  struct Seen {
    Picoseconds when;
    const Link* link;
    LinkEnd end;
    Message message;
  };
  void on_message(Picoseconds when, const Link& link, LinkEnd end, const Message& message) override {
    seen.push_back({when, &link, end, message});
  }
  /// @return the messages sent by either end, in order: "20:1 25:0".
  [[nodiscard]] std::string sent() const {
    std::string text;
    for (const Seen& one : seen) {
      const LinkEnd from = is_down(one.message.message_class) ? LinkEnd::upper : LinkEnd::lower;
      if (one.end != from) continue;
      char name[16];
      std::snprintf(name, sizeof name, "%s%02x:%u", text.empty() ? "" : " ", group_of(one.message.message_class),
                    one.message.opcode);
      text += name;
    }
    return text;
  }
  std::vector<Seen> seen;
};

/// A host, a link, a device. Decoder 0: HDM-H from 0, decoder 1: HDM-DB from 1 GiB, decoder 2: HDM-D from 2 GiB.
struct Rig : public OperationClient, public LocalClient {
  static constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kH = 0;
  static constexpr std::uint64_t kDb = kGiB;
  static constexpr std::uint64_t kD = 2 * kGiB;
  static constexpr std::uint64_t kHostMemory = 64 * kGiB;

  explicit Rig(const MemoryDeviceParameters& device_parameters = {}, const HostParameters& host_parameters = {},
               const LinkParameters& link_parameters = {})
      : link("link", engine, link_parameters) {
    map.set(0, {.base = kH, .size = kGiB});
    map.set(1, {.base = kDb, .size = kGiB, .device_base = kGiB, .coherency = Coherency::hdm_db});
    map.set(2, {.base = kD, .size = kGiB, .device_base = 2 * kGiB, .coherency = Coherency::hdm_d});
    host = std::make_unique<Host>("host", engine, link, map, host_parameters);
    device = std::make_unique<MemoryDevice>("device", engine, link, map, device_parameters);
    cache = std::make_unique<DeviceCache>(engine, link, *device, DeviceCacheParameters{4});
    device->set_local_client(this);
    link.set_observer(&wires);
  }
  void completed(std::uint32_t user, Picoseconds now) override { done.push_back({user, now}); }
  void unblocked(Picoseconds /*now*/) override {}
  void local_done(Picoseconds /*now*/) override {}

  void issue(HostOperationKind kind, std::uint64_t address) { host->issue({kind, false, address, 0}, *this); }
  /// Do it, and wait until it has ended. @return the messages sent
  std::string run_cache(std::uint8_t opcode, std::uint64_t address) {
    wires.seen.clear();
    cache->issue(opcode, address, 0, *this);
    settle();
    return wires.sent();
  }
  void settle() {
    testing::advance(3'000'000);
    EXPECT_EQ(host->pending() + device->pending() + cache->pending() + link.pending(), 0U);
  }
  [[nodiscard]] std::uint64_t tally(MessageProbes& probes, MessageClass message_class, unsigned opcode) const {
    return probes.probe(message_class, opcode)->tally();
  }
  /// @return DDR events with an id, of all channels.
  [[nodiscard]] std::uint64_t ddr(unsigned bit) const {
    std::uint64_t sum = 0;
    for (const EventSource& source : device->ddr().event_group().sources) {
      if (source.bit == bit) sum += source.probe->tally();
    }
    return sum;
  }

  struct Done {
    std::uint32_t user;
    Picoseconds when;
  };
  Engine engine;
  Link link;
  HdmMap map;
  Wires wires;
  std::unique_ptr<Host> host;
  std::unique_ptr<MemoryDevice> device;
  std::unique_ptr<DeviceCache> cache;
  std::vector<Done> done;
};

}  // namespace pmufab::cxl
