// SPDX-License-Identifier: Apache-2.0
// The unmodified arm-cmn driver of every kernel counts events of I/O nodes, caused by traffic between them.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/nodes/io/io_node.h"
#include "models/cmn/nodes/requester/rn_i.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_io_rig.h"
#include "testbench/host/driver_host.h"
#include "testbench/host/driver_sets.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::cmn_io_linux_test {
namespace {

using cmn::Cycle;
using cmn::Operation;
using cmn::OperationKind;
using cmn::Product;
using driver_host::DriverHost;
using driver_host::DriverSet;
using perf::EventHandle;
using testing::IoRig;
using testing::ListSource;
using testing::Partner;

constexpr std::uint64_t kDvm = 0x1;
constexpr std::uint64_t kHnI = 0x4;
constexpr std::uint64_t kRnI = 0xa;
constexpr std::uint64_t kRnD = 0xd;
constexpr std::uint64_t kHnP = 0x11;
constexpr std::uint64_t kIo = std::uint64_t{4} << 44;

struct Case {
  DriverSet drivers;
  Product product;
  std::pair<unsigned, unsigned> kernel;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const DriverSet& drivers :
       driver_host::sets_that_hold(driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR), {"arm_cmn"})) {
    unsigned major = 0;
    unsigned minor = 0;
    if (std::sscanf(drivers.kernel_version.c_str(), "%u.%u", &major, &minor) != 2) continue;
    all.push_back({drivers, Product::cmn600, {major, minor}});
    // 6.1 knows only an early CMN-700.
    if (major > 6 || minor > 1) all.push_back({drivers, Product::cmn700, {major, minor}});
  }
  return all;
}

/// A mesh with an RN-I, an RN-D, an HN-I, an HN-D and, if the product has it, an HN-P. RN-Fs are partners.
class CmnIoLinux : public testing::SimulationTest, public ::testing::WithParamInterface<Case> {
 protected:
  struct Rig {
    explicit Rig(const Case& what)
        : mesh("cmn0", IoRig::topology_of(what.product), options_for(what)),
          addresses(mesh.topology(), mesh.layout()),
          host("host", what.drivers, {}) {
      bus.map("cmn0", mesh.topology().base, mesh.layout().size(), mesh.config_space().socket);
      host.bus.bind(bus.socket);
      for (const cmn::DevicePlace& place : addresses.devices()) {
        if (place.kind == cmn::DeviceKind::rn_f) {
          processors.push_back(std::make_unique<Partner>(mesh, place.node_id));
        } else if (place.kind == cmn::DeviceKind::io_home) {
          homes.push_back(std::make_unique<cmn::IoNode>(mesh, addresses, place, cmn::IoHomeParameters{}));
        } else if (place.kind == cmn::DeviceKind::rn_i || place.kind == cmn::DeviceKind::rn_d) {
          requesters.push_back(std::make_unique<cmn::RnI>(mesh, addresses, place, cmn::RnIParameters{}));
          sources.push_back(std::make_unique<ListSource>());
          ids.push_back(place.node_id);
        }
      }
      for (const auto& processor : processors) answer(*processor);
    }
    static cmn::MeshOptions options_for(const Case& what) {
      cmn::MeshOptions options;
      // 6.1 never switches clock gating off.
      options.pmu.cycles_need_cg_disable = what.kernel >= std::pair{6U, 12U};
      return options;
    }
    /// Write data and snoop responses.
    static void answer(Partner& partner) {
      partner.answer = [&partner](const cmn::Arrival& arrival, Cycle now) {
        const cmn::FlitFields& fields = arrival.fields;
        if (cmn::channel_class(arrival.channel) == cmn::Channel::snp && (fields.addr & 8U) != 0)
          partner.respond(fields.srcid, cmn::chi::rsp::kSnpResp, fields.txnid, now);
        if (cmn::channel_class(arrival.channel) == cmn::Channel::rsp &&
            (fields.opcode == cmn::chi::rsp::kDbidResp || fields.opcode == cmn::chi::rsp::kCompDbidResp))
          partner.send_data(fields.srcid, cmn::chi::dat::kNonCopyBackWrData, fields.dbid, 1, now);
      };
    }
    /// Number of the requester with an id.
    [[nodiscard]] std::size_t requester(std::uint16_t id) const {
      return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    }
    [[nodiscard]] std::uint16_t id(unsigned xp, unsigned port) const {
      return std::find_if(addresses.devices().begin(), addresses.devices().end(),
                          [&](const cmn::DevicePlace& one) { return one.xp == xp && one.port == port; })
          ->node_id;
    }
    /// An I/O address of a node.
    [[nodiscard]] std::uint64_t address_of(std::uint16_t node_id) const {
      std::uint64_t address = kIo;
      while (addresses.io_node(address) != node_id) address += cmn::SystemAddressMap::kPage;
      return address;
    }
    /// This many reads and writes of a requester to an I/O node.
    void ask(std::uint16_t from, std::uint16_t to, unsigned reads, unsigned writes) {
      const std::size_t number = requester(from);
      Operation one;
      one.address = address_of(to);
      one.size = 4;
      one.kind = OperationKind::read_no_snp;
      for (unsigned i = 0; i < reads; ++i) sources[number]->left.push_back(one);
      one.kind = OperationKind::write_no_snp_ptl;
      for (unsigned i = 0; i < writes; ++i) sources[number]->left.push_back(one);
      requesters[number]->set_source(sources[number].get());
      requesters[number]->ask(0);
    }
    [[nodiscard]] Cycle soon() const { return mesh.clock().edges_before(testing::now()) + 1; }

    cmn::Mesh mesh;
    cmn::SystemAddressMap addresses;
    MmioBus bus{"bus"};
    DriverHost host;
    std::vector<std::unique_ptr<Partner>> processors;
    std::vector<std::unique_ptr<cmn::IoNode>> homes;
    std::vector<std::unique_ptr<cmn::RnI>> requesters;
    std::vector<std::unique_ptr<ListSource>> sources;
    std::vector<std::uint16_t> ids;  // of requesters
  };

  /// Load the driver on the mesh and run the story.
  void boot(const std::function<void()>& story) {
    rig = std::make_unique<Rig>(GetParam());
    const cmn::Topology& topology = rig->mesh.topology();
    platform::AcpiDevice device;
    device.compatible = topology.product == Product::cmn600 ? "arm,cmn-600" : "arm,cmn-700";
    device.memory.push_back({.base = topology.base, .size = rig->mesh.layout().size()});
    device.interrupts.push_back({.number = 300, .line = &rig->mesh.interrupt(0)});
    if (topology.product == Product::cmn600) device.properties["arm,root-node"] = rig->mesh.layout().root_offset();
    platform::FirmwareDescription firmware;
    firmware.cpus = {{.uid = 0, .container_uid = 0, .node = 0}};
    firmware.devices.push_back(device);
    rig->host.describe(firmware);
    run([&] {
      ASSERT_EQ(rig->host.load(), 0);
      ASSERT_EQ(rig->host.pmus().size(), 1U);
      story();
      EXPECT_EQ(rig->host.warnings(), 0U);
      EXPECT_EQ(rig->mesh.config_space().guest_errors(), 0U);
    });
  }

  EventHandle try_open(std::uint64_t config) {
    perf::PerfAttributes attributes;
    attributes.type = rig->host.pmus().front().type;
    attributes.config = config;
    attributes.disabled = false;
    return rig->host.open(attributes, 0);
  }
  EventHandle open(std::uint64_t config) {
    const EventHandle event = try_open(config);
    EXPECT_GT(event, 0) << std::hex << config;
    return event;
  }
  std::uint64_t finish(EventHandle event) {
    rig->host.disable(event);
    perf::EventReading reading{};
    EXPECT_EQ(rig->host.read(event, reading), 0);
    EXPECT_EQ(reading.time_running, reading.time_enabled);
    rig->host.close(event);
    return reading.value;
  }
  static std::uint64_t of_all(std::uint64_t type, std::uint64_t event) { return type | event << 16; }
  static std::uint64_t by_node(std::uint64_t type, std::uint64_t event, std::uint64_t node) {
    return type | event << 16 | std::uint64_t{1} << 31 | node << 32;
  }

  std::unique_ptr<Rig> rig;
};

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      (info.param.product == Product::cmn600 ? "cmn600_linux_" : "cmn700_linux_") + info.param.drivers.kernel_version;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(linux, CmnIoLinux, ::testing::ValuesIn(cases()), case_name);

TEST_P(CmnIoLinux, counts_rn_d_as_rn_i_and_takes_its_type_for_an_alias) {
  // contract A42
  boot([&] {
    const std::uint16_t rn_i = rig->id(4, 1);
    const std::uint16_t rn_d = rig->id(5, 0);
    const std::uint16_t to = rig->id(1, 1);
    const EventHandle all = open(of_all(kRnI, 0x06));
    const EventHandle one = open(by_node(kRnI, 0x06, rn_d));
    const EventHandle alias = try_open(of_all(kRnD, 0x10));
    const bool has_alias = GetParam().kernel >= std::pair{7U, 2U};
    if (has_alias) {
      ASSERT_GT(alias, 0);
    } else {
      EXPECT_EQ(alias, -EINVAL) << "known since 7.2";
    }
    rig->ask(rn_i, to, 3, 2);
    rig->ask(rn_d, to, 4, 3);
    testing::advance(1'000'000);
    EXPECT_EQ(rig->sources[0]->done.size() + rig->sources[1]->done.size() + rig->sources[2]->done.size(), 12U);
    EXPECT_EQ(finish(one), 7U);
    EXPECT_EQ(finish(all), 12U);
    if (has_alias) {
      EXPECT_EQ(finish(alias), 5U) << "writes of both";
    }
  });
}

TEST_P(CmnIoLinux, counts_both_halves_of_hn_d_at_once) {
  // contract A46
  boot([&] {
    const std::uint16_t hn_d = rig->id(0, 1);
    const bool is_600 = GetParam().product == Product::cmn600;
    // 600: operations and synchronisations; later: TLBI and synchronisations.
    const EventHandle operations = open(by_node(kDvm, 0x01, hn_d));
    const EventHandle syncs = open(by_node(kDvm, is_600 ? 0x02 : 0x05, hn_d));
    const EventHandle reads = open(by_node(kHnI, 0x25, hn_d));
    const EventHandle writes = open(by_node(kHnI, 0x26, hn_d));
    Partner& processor = *rig->processors.back();
    const Cycle start = rig->soon();
    for (std::uint16_t i = 0; i < 6; ++i)
      processor.request(hn_d, cmn::chi::req::kDvmOp, static_cast<std::uint16_t>(0x40 + i), start + 5U * i,
                        i < 4 ? 0 : std::uint64_t{4} << 11);
    for (std::uint16_t i = 0; i < 7; ++i) processor.request(hn_d, cmn::chi::req::kReadNoSnp, i, start + 3U * i, kIo);
    rig->ask(rig->id(4, 1), hn_d, 2, 3);
    testing::advance(1'000'000);
    EXPECT_EQ(finish(operations), 4U);
    EXPECT_EQ(finish(syncs), 2U);
    EXPECT_EQ(finish(reads), 9U);
    EXPECT_EQ(finish(writes), 3U);
    EXPECT_EQ(processor.count(cmn::Channel::rsp, cmn::chi::rsp::kComp) +
                  processor.count(cmn::Channel::rsp2, cmn::chi::rsp::kComp),
              6U);
  });
}

TEST_P(CmnIoLinux, counts_with_both_selects_of_hn_p) {
  // contract A47
  if (GetParam().product == Product::cmn600) GTEST_SKIP() << "CMN-600 has no HN-P";
  boot([&] {
    const std::uint16_t hn_p = rig->id(2, 1);
    const EventHandle first_reads = open(by_node(kHnI, 0x25, hn_p));
    const EventHandle second_reads = open(by_node(kHnP, 0x13, hn_p));
    const EventHandle second_writes = open(by_node(kHnP, 0x04, hn_p));
    const EventHandle first_writes = open(by_node(kHnI, 0x26, hn_p));
    Partner& processor = *rig->processors.back();
    const Cycle start = rig->soon();
    for (std::uint16_t i = 0; i < 5; ++i) processor.request(hn_p, cmn::chi::req::kReadNoSnp, i, start + 3U * i, kIo);
    for (std::uint16_t i = 0; i < 2; ++i)
      processor.request(hn_p, cmn::chi::req::kWriteNoSnpPtl, static_cast<std::uint16_t>(8 + i), start, kIo, 4);
    rig->ask(rig->id(4, 1), hn_p, 3, 4);
    testing::advance(1'000'000);
    EXPECT_EQ(finish(first_reads), 5U);
    // The first is gone, and the second continues.
    rig->ask(rig->id(6, 1), hn_p, 6, 1);
    testing::advance(1'000'000);
    EXPECT_EQ(finish(second_reads), 9U);
    EXPECT_EQ(finish(second_writes), 5U);
    EXPECT_EQ(finish(first_writes), 2U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_io_linux_test
