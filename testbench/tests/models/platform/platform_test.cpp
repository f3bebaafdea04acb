// SPDX-License-Identifier: Apache-2.0
// A whole platform: addresses, firmware tables, reset, dumps, event logs.
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <tlm_utils/simple_target_socket.h>

#include "models/tegra410/part/pmu_model.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {
namespace {

using Opcode = FabricOpcode;
using platform::ApmtNode;
using platform::FirmwareDescription;
constexpr RequesterKind kGpu = RequesterKind::gpu;

TEST_F(SimulationTest, platform_describes_its_devices_as_firmware_does) {
  platform::PlatformSpec spec = platform::tegra410_platform();
  EXPECT_EQ(spec.name, "tegra410");
  spec.sockets = 2;
  platform::Platform built("platform", spec);
  const FirmwareDescription& firmware = built.firmware();
  ASSERT_EQ(firmware.cpus.size(), 176U);
  EXPECT_EQ(firmware.cpus[87].uid, 87U);
  EXPECT_EQ(firmware.cpus[87].node, 0U);
  EXPECT_EQ(firmware.cpus[88].uid, 88U);
  EXPECT_EQ(firmware.cpus[88].node, 1U);
  EXPECT_EQ(firmware.memory_of_nodes, (std::map<unsigned, std::uint64_t>{{0, 0x80'0000'0000}, {1, 0x80'0000'0000}}));
  ASSERT_EQ(firmware.apmt.size(), 26U);
  ASSERT_EQ(firmware.devices.size(), 32U);
  for (unsigned socket = 0; socket < 2; ++socket) {
    const std::uint64_t base = std::uint64_t{socket} << 44;
    const ApmtNode& ucf = firmware.apmt[socket];
    EXPECT_EQ(ucf.id, socket);
    EXPECT_EQ(ucf.base0, base + 0x1000'0000);
    EXPECT_EQ(ucf.base1, base + 0x1000'1000);
    EXPECT_EQ(ucf.implementation_id, 0U);
    EXPECT_FALSE(ucf.atomic_64bit);
    EXPECT_TRUE(ucf.affinity_is_container);
    EXPECT_EQ(ucf.processor_affinity, firmware.cpus[socket * 88].container_uid);
    ASSERT_TRUE(ucf.overflow_interrupt.has_value());
    EXPECT_EQ(ucf.overflow_interrupt->number, 288 + socket);
    EXPECT_EQ(ucf.overflow_interrupt->line->trigger(), InterruptTrigger::level);
    const platform::AcpiDevice& cmem_pmu = firmware.devices[socket];
    EXPECT_EQ(cmem_pmu.hid, "NVDA2021");
    EXPECT_EQ(cmem_pmu.uid, std::to_string(socket));
    ASSERT_EQ(cmem_pmu.memory.size(), 15U);
    for (unsigned window = 0; window < 15; ++window) {
      EXPECT_EQ(cmem_pmu.memory[window].base, base + 0x1010'0000 + window * 0x1000);
      EXPECT_EQ(cmem_pmu.memory[window].size, 0x1000U);
    }
  }
  for (unsigned number = 0; number < 12; ++number) {
    const std::uint64_t base = std::uint64_t{number / 6} << 44;
    const ApmtNode& target = firmware.apmt[2 + number];
    const platform::AcpiDevice& device = firmware.devices[2 + number];
    EXPECT_EQ(target.id, 2 + number);
    EXPECT_EQ(target.type, ApmtNode::Type::acpi_device);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(&target.instance_primary), 8), device.hid);
    EXPECT_EQ(std::to_string(target.instance_secondary), device.uid);
    EXPECT_EQ(target.base0, base + 0x1002'0000 + number % 6 * 0x2000);
    EXPECT_EQ(target.base1, target.base0 + 0x1000);
    EXPECT_EQ(target.processor_affinity, number / 6);
    EXPECT_EQ(target.overflow_interrupt->number, 384 + number);
    ASSERT_EQ(device.memory.size(), 1U);
    EXPECT_EQ(device.memory[0].base, base + 0x1003'0000 + number % 6 * 0x1000);
    EXPECT_EQ(device.memory[0].size, 0x1000U);
    EXPECT_EQ(device.properties.at("instance_id"), number % 6);
  }
  EXPECT_NE(firmware.apmt[0].processor_affinity, firmware.apmt[1].processor_affinity);
  EXPECT_NE(firmware.apmt[0].overflow_interrupt->line, firmware.apmt[1].overflow_interrupt->line);
}

/// Devices with a hardware id, in the order of sockets.
std::vector<platform::AcpiDevice> devices_of(const FirmwareDescription& firmware, const std::string& hid) {
  std::vector<platform::AcpiDevice> devices;
  for (const platform::AcpiDevice& device : firmware.devices) {
    if (device.hid == hid) devices.push_back(device);
  }
  return devices;
}

TEST_F(SimulationTest, platform_describes_chip_to_chip_interfaces_with_the_instances_that_lead_somewhere) {
  using Properties = std::map<std::string, std::uint32_t>;
  struct Device {
    const char* hid;
    std::uint64_t base;
    std::size_t windows;
    Properties properties;
  };
  platform::PlatformSpec spec = small_spec(2);
  std::vector<std::pair<platform::PlatformSpec, Properties>> cases{
      {spec, {{"gpu0_en_mask", 0x7f}, {"gpu1_en_mask", 0x3f80}}}};
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.gpus = 1;
  cases.push_back({spec, {{"gpu0_en_mask", 0x3fff}}});
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.gpus = 2;
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.gpu0_en_mask = 0;
  cases.push_back({spec, {{"gpu1_en_mask", 0x3f80}}});
  spec = small_spec(2);
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.peer = tegra410::NvlinkPeer::cpu;
  cases.push_back({spec, {{"cpu_en_mask", 0x3fff}}});
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.peer = tegra410::NvlinkPeer::none;
  cases.push_back({spec, {}});
  unsigned number = 0;
  for (const auto& [each, nvlink] : cases) {
    platform::Platform built(("platform" + std::to_string(number++)).c_str(), each);
    for (const Device& expected :
         {Device{"NVDA2023", 0x1011'0000, 15, nvlink}, Device{"NVDA2022", 0x1012'0000, 13, {{"cpu_en_mask", 0xfff}}},
          Device{"NVDA2020", 0x1013'0000, 17, {}}}) {
      const std::vector<platform::AcpiDevice> devices = devices_of(built.firmware(), expected.hid);
      ASSERT_EQ(devices.size(), 2U);
      for (unsigned socket = 0; socket < 2; ++socket) {
        EXPECT_EQ(devices[socket].uid, std::to_string(socket));
        EXPECT_EQ(devices[socket].properties, expected.properties) << expected.hid << ", case " << number;
        ASSERT_EQ(devices[socket].memory.size(), expected.windows);
        for (unsigned window = 0; window < expected.windows; ++window) {
          EXPECT_EQ(devices[socket].memory[window].base,
                    (std::uint64_t{socket} << 44) + expected.base + window * 0x1000);
          EXPECT_EQ(devices[socket].memory[window].size, 0x1000U);
        }
      }
    }
  }
}

TEST_F(SimulationTest, platform_without_page_one_and_interrupt_says_so_to_firmware) {  // register side of C1
  platform::PlatformSpec spec = small_spec(1);
  spec.edit<platform::Tegra410Spec>().ucf_pmu.dual_page = false;
  spec.edit<platform::Tegra410Spec>().ucf_pmu.interrupt = false;
  spec.edit<platform::Tegra410Spec>().ucf_pmu.atomic_64bit = true;
  Rig rig(spec);
  const ApmtNode& ucf = rig.platform.firmware().apmt.at(0);
  EXPECT_FALSE(ucf.base1.has_value());
  EXPECT_FALSE(ucf.overflow_interrupt.has_value());
  EXPECT_TRUE(ucf.atomic_64bit);
  expect_guest_error("0x10001000");
  run([&] {
    EXPECT_EQ(rig.cpu.get64(0x1000'0000), 0U) << "a counter, whole";
    EXPECT_EQ(rig.cpu.read32(0x1000'1000).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_F(SimulationTest, platform_drives_an_edge_interrupt_if_the_specification_says_edge) {
  platform::PlatformSpec spec = small_spec(1);
  spec.edit<platform::Tegra410Spec>().ucf_pmu.trigger = InterruptTrigger::edge;
  Rig rig(spec);
  EXPECT_EQ(rig.platform.firmware().apmt.at(0).overflow_interrupt->line->trigger(), InterruptTrigger::edge);
}

TEST_F(SimulationTest, platform_puts_every_described_window_of_four_sockets_on_the_bus) {
  Rig rig(small_spec(4));
  run([&] {
    for (unsigned socket = 0; socket < 4; ++socket) {
      EXPECT_EQ(rig.cpu.get32(rig.platform.firmware().apmt.at(socket).base0 + 0xe08), 0x2cf2'036bU);
      const auto& windows = rig.platform.firmware().devices.at(socket).memory;
      rig.cpu.put64(windows[14].base + 0x800, 1);
      for (unsigned instance = 0; instance < 14; ++instance) {
        EXPECT_EQ(rig.cpu.get64(windows[instance].base + 0x800), 1U);
      }
    }
  });
}

TEST_F(SimulationTest, platform_has_no_more_sockets_than_it_says) {
  platform::Platform built("platform", platform::tegra410_platform());
  EXPECT_THROW((void)built.get<platform::Tegra410Part>().socket(2), std::out_of_range);
}

TEST_F(SimulationTest, platform_refuses_a_specification_that_cannot_be_built) {
  platform::PlatformSpec spec = platform::tegra410_platform();
  spec.sockets = 9;
  EXPECT_THROW(platform::Platform("platform", spec), SpecError);
}

/// A PMU of one's own whose model is none: it has one target and no CoreSight PMU.
class NoPmu final : public platform::PmuModel {
 public:
  [[nodiscard]] std::vector<Target*> targets() override { return {&socket_}; }
  void reset() override {}
  void add_registers(const platform::PmuRow& /*row*/, std::vector<platform::NamedRegisters>& /*banks*/) const override {
  }

 private:
  tlm_utils::simple_target_socket<NoPmu, 64> socket_{"no_pmu"};
};

/// The words with which a platform refuses such a PMU, once its row is changed.
std::string refusal_of(const std::function<void(platform::PmuRow&)>& change) {
  platform::PlatformSpec spec = platform::tegra410_platform();
  platform::PmuRow row;
  row.name = "socket0.no_pmu";
  row.windows = {{"socket0.no_pmu", 0x1004'0000, 0x1000}};
  row.make = [](const platform::PmuSite& /*site*/) { return std::make_unique<NoPmu>(); };
  change(row);
  spec.edit<platform::Tegra410Spec>().own_pmus.push_back(row);
  try {
    platform::Platform("platform", spec);
  } catch (const SpecError& error) {
    return error.what();
  }
  return {};
}

TEST_F(SimulationTest, platform_accepts_a_pmu_whose_model_serves_its_row) {
  EXPECT_EQ(refusal_of([](platform::PmuRow& /*row*/) {}), "");
}

TEST_F(SimulationTest, platform_refuses_a_pmu_without_a_model) {
  EXPECT_EQ(refusal_of([](platform::PmuRow& row) { row.make = [](const auto& /*site*/) { return nullptr; }; }),
            "own_pmus: `make` of socket0.no_pmu returned no model");
}

TEST_F(SimulationTest, platform_refuses_a_pmu_with_more_windows_than_its_model_serves) {
  EXPECT_EQ(refusal_of([](platform::PmuRow& row) {
              row.windows.push_back({"socket0.no_pmu.more", 0x1004'1000, 0x1000});
            }),
            "own_pmus: the row socket0.no_pmu has 2 windows, but its model serves 1");
}

TEST_F(SimulationTest, platform_refuses_a_pmu_with_fewer_windows_than_its_model_serves) {
  EXPECT_EQ(refusal_of([](platform::PmuRow& row) { row.windows.clear(); }),
            "own_pmus: the row socket0.no_pmu has 0 windows, but its model serves 1");
}

TEST_F(SimulationTest, platform_refuses_an_interrupt_of_a_pmu_that_cannot_raise_it) {
  EXPECT_EQ(
      refusal_of([](platform::PmuRow& row) {
        row.apmt.emplace().overflow_interrupt = platform::InterruptResource{700, nullptr};
      }),
      "own_pmus: the row socket0.no_pmu has an interrupt in `apmt`, but its model has no CoreSight PMU to raise it");
}

class PlatformReset : public SimulationTest {
 protected:
  Rig rig{small_spec(2)};
};

TEST_F(PlatformReset, returns_every_register_to_its_value_after_power_up_in_the_middle_of_counting) {  // contract F4
  UcfPmuRegisters pmu(rig, 0);
  InterruptProbe line(*rig.platform.firmware().apmt.at(0).overflow_interrupt->line);
  const std::uint64_t broadcast = rig.platform.firmware().devices.at(0).memory.at(14).base;
  const std::uint64_t instance = rig.platform.firmware().devices.at(0).memory.at(3).base;
  // Name of each register with its values.
  const auto dump = [&] {
    nlohmann::json values;
    const auto add = [&](const nlohmann::json& bank) {
      for (const auto& each : bank.at("registers")) {
        values[bank.at("name").get<std::string>() + "." + each.at("name").get<std::string>()] = each.at("values");
      }
    };
    for (const auto& registers : rig.platform.registers()) {
      for (const auto& page : registers.dump_json(now())) add(page);
    }
    return values;
  };
  const auto changed = [](const nlohmann::json& from, const nlohmann::json& to) {
    return nlohmann::json::diff(from, to).dump();
  };
  const auto start_everything = [&] {
    for (unsigned counter = 0; counter < 7; ++counter) pmu.program(counter, 0x111 + counter);
    pmu.set_counter(0, ~std::uint64_t{0});
    pmu.put(0, 0xa7c, 2);
    pmu.put(0, 0xc40, 0x8000'007f);
    pmu.enable(0x8000'007f);
    pmu.start();
    rig.cpu.put64(broadcast + 0x800, 1);
    rig.cpu.put64(broadcast + 0x808, 1);
    for (const char* const hid : {"NVDA2023", "NVDA2022", "NVDA2020"})
      rig.cpu.put32(devices_of(rig.platform.firmware(), hid).at(0).memory.back().base + 0x864, 1);
  };
  run([&] {
    const nlohmann::json fresh = dump();
    start_everything();
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 1), .kind = kGpu});
    rig.load(0, 1, cmem(0, 2));
    advance(60'000);
    EXPECT_TRUE(line.is_high());
    EXPECT_NE(changed(fresh, dump()), "[]");
    rig.platform.reset();  // with a read still on the wires
    EXPECT_EQ(changed(fresh, dump()), "[]");
    advance(1'000'000);
    EXPECT_FALSE(line.is_high());
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 3), .kind = kGpu});
    EXPECT_EQ(changed(fresh, dump()), "[]") << "nothing counts";
    rig.cpu.put64(broadcast + 0x800, 1);
    advance(10'000);
    EXPECT_EQ(rig.cpu.get64(instance + 0x818), 0U) << "the clock alone lets nothing count";

    start_everything();  // and everything starts again
    pmu.set_counter(0, 0);
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 1), .kind = kGpu});
    EXPECT_EQ(pmu.counter(0), 1U);
    rig.take();
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 1), .kind = kGpu});
    EXPECT_EQ(rig.take()["0 slc_hit_rd noncpu>cmem"], 1U) << "the caches are kept";
    advance(1'000'000);
    EXPECT_GE(rig.cpu.get64(instance + 0x818), 2'400U);
  });
}

TEST_F(PlatformReset, does_not_disturb_memory_reads_under_way) {
  run([&] {
    const std::uint64_t broadcast = rig.platform.firmware().devices.at(0).memory.at(14).base;
    const auto outstanding = [&] {
      std::uint64_t total = 0;
      for (unsigned window = 0; window < 14; ++window) {
        for (const unsigned offset : {0x830, 0x848, 0x860}) {
          total += rig.cpu.get64(rig.platform.firmware().devices.at(0).memory.at(window).base + offset);
        }
      }
      return total;
    };
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 0), .kind = kGpu});  // on the wires 30 ns ... 120 ns
    advance(60'000);
    rig.platform.reset();
    rig.cpu.put64(broadcast + 0x800, 1);
    rig.cpu.put64(broadcast + 0x808, 1);
    advance(1'000'000);
    EXPECT_EQ(outstanding(), 2U * 144) << "60 ns at 2.4 GHz";
  });
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(SimulationTest, platform_event_log_is_enough_to_recompute_every_counter) {  // contract F5
  Rig rig(small_spec(2));
  struct Logged {
    Picoseconds when;
    std::uint64_t amount;
    unsigned qualifier;
  };
  std::map<std::string, std::vector<Logged>> log;
  std::vector<std::unique_ptr<ProbeLog>> logs;
  for (unsigned socket = 0; socket < 2; ++socket) {
    for (unsigned event = 0; event < tegra410::kUcfEventCount; ++event) {
      Probe& probe =
          rig.platform.get<platform::Tegra410Part>().socket(socket).ucf().probe(static_cast<tegra410::UcfEvent>(event));
      logs.push_back(std::make_unique<ProbeLog>(
          probe, [&heard = log[probe.name()]](std::uint64_t amount, unsigned qualifier, Picoseconds when) {
            heard.push_back({when, amount, qualifier});
          }));
    }
  }
  struct Programmed {
    unsigned socket;
    unsigned counter;
    std::uint32_t id;
    std::uint32_t filter;
    const char* event;
  };
  const Programmed programmed[] = {
      {0, 0, 0x111, 0xf07, "slc_access_rd"}, {0, 1, 0x113, 0x102, "slc_bytes_rd"},
      {0, 2, 0x0f0, 0xf04, "slc_allocate"},  {0, 3, 0x124, 0x507, "mem_bytes_wr"},
      {0, 4, 0x180, 0xf07, "local_snoop"},   {0, 5, 0x119, 0xf01, "slc_hit_rd"},
      {1, 0, 0x121, 0x807, "mem_access_rd"}, {1, 1, 0x181, 0xf07, "ext_snp_access"},
      {1, 2, 0x182, 0xf07, "ext_snp_evict"}, {1, 3, 0x0f3, 0xf06, "slc_wb"},
      {1, 4, 0x114, 0xb03, "slc_bytes_wr"},  {1, 5, 0x183, 0xf07, "slc_access_dataless"},
  };
  std::vector<UcfPmuRegisters> pmus{{rig, 0}, {rig, 1}};
  run([&] {
    for (const Programmed& p : programmed) pmus[p.socket].program(p.counter, p.id, p.filter);
    std::uint64_t state = 12345;
    const auto random = [&](std::uint64_t limit) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return (state >> 33) % limit;
    };
    const auto traffic = [&](unsigned count) {
      for (unsigned i = 0; i < count; ++i) {
        const auto socket = static_cast<unsigned>(random(2));
        const std::uint64_t line = random(24);
        const auto home = static_cast<unsigned>(random(2));
        const std::uint64_t address = random(4) == 0 ? cxl(home, line) : cmem(home, line);
        const auto cluster = static_cast<unsigned>(random(4));
        switch (random(3)) {
          case 0:
            rig.load(socket, cluster, address);
            break;
          case 1:
            rig.store(socket, cluster, address);
            break;
          default:
            rig.request({.opcode = random(2) == 0 ? Opcode::read_shared : Opcode::write_unique_full,
                         .address = address,
                         .kind = kGpu,
                         .socket = socket});
        }
        advance(random(5'000));
      }
    };
    traffic(500);  // before the window
    advance(1);
    const Picoseconds on = now();
    for (UcfPmuRegisters& pmu : pmus) {
      pmu.enable(0x3f);
      pmu.start();
    }
    traffic(3'000);
    advance(1);
    const Picoseconds off = now();
    for (UcfPmuRegisters& pmu : pmus) pmu.stop();
    traffic(500);
    for (const Programmed& p : programmed) {
      std::uint64_t expected = 0;
      for (const Logged& entry : log["socket" + std::to_string(p.socket) + ".ucf." + p.event]) {
        const bool source_passes = (p.filter >> (entry.qualifier / 4) & 1) != 0;
        const bool destination_passes = (p.filter >> (8 + entry.qualifier % 4) & 1) != 0;
        if (entry.when >= on && entry.when < off && source_passes && destination_passes) expected += entry.amount;
      }
      EXPECT_NE(expected, 0U) << p.event << ": the traffic does not test it";
      EXPECT_EQ(pmus[p.socket].counter(p.counter), expected) << p.event;
    }
  });
}

// platform_pcie_test.cpp has those of root complexes.
TEST_F(SimulationTest, platform_names_and_dumps_the_registers_of_every_device) {
  platform::PlatformSpec spec = small_spec(2);
  spec.edit<platform::Tegra410Spec>().pcie.root_complexes.emplace();
  Rig rig(spec);
  run([&] {
    std::set<std::string> names;
    for (const auto& registers : rig.platform.registers()) {
      names.insert(registers.name);
      std::ostringstream text, markdown;
      registers.dump_text(text, now());
      registers.dump_markdown(markdown);
      const bool ucf = registers.name.ends_with("ucf_pmu");
      EXPECT_NE(text.str().find(ucf ? "PMIIDR" : "CTRL"), std::string::npos) << registers.name;
      EXPECT_NE(markdown.str().find(ucf ? "PMEVTYPER" : "CTRL"), std::string::npos) << registers.name;
      EXPECT_FALSE(registers.dump_json(now()).empty()) << registers.name;
    }
    EXPECT_EQ(names.size(), 2U * (16 + 15 + 13 + 17));
    EXPECT_TRUE(names.contains("socket0.nvlink_c2c_pmu.instance13"));
    EXPECT_TRUE(names.contains("socket1.nvclink_pmu.broadcast"));
    EXPECT_TRUE(names.contains("socket1.nvdlink_pmu.instance15"));
    EXPECT_TRUE(names.contains("socket0.ucf_pmu"));
    EXPECT_TRUE(names.contains("socket1.cmem_latency_pmu.instance13"));
    EXPECT_TRUE(names.contains("socket1.cmem_latency_pmu.broadcast"));
  });
}

}  // namespace
}  // namespace pmufab::testing
