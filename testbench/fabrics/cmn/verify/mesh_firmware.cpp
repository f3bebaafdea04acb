// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/verify/mesh_plan.h"

#include <algorithm>

#include "models/cmn/description/product.h"
#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {

using scenario::Value;

namespace {

// Registers of a DTM and of a DTC's PMU, by their offsets (docs/cmn-mesh.md, "Registers").
constexpr std::uint64_t kWatchpoint = 0x1a0;
constexpr std::uint64_t kWatchpointStep = 0x18;
constexpr std::uint64_t kPmuConfig = 0x210;
constexpr std::uint64_t kLocalCounterWord = 0x220;
constexpr std::uint64_t kCycleCounter = 0x40;
constexpr std::uint64_t kPmcr = 0x100;
constexpr std::uint64_t kGlobalCounterStep = 0x10;  // of two
constexpr std::uint64_t kEachCycle = 0x2c;          // event of an HN-I without work: arready_no_arvalid

class Firmware {
 public:
  Firmware(Random& random, const MeshPlan& plan, Value& writes)
      : random_(random),
        plan_(plan),
        facts_(cmn::facts_of(plan.topology.product, plan.topology.revision)),
        layout_(plan.topology),
        writes_(writes) {}

  void leave_all(bool time_passes) {
    if (random_.chance(60)) leave_local_counters();
    if (random_.chance(40)) leave_watchpoints();
    if (time_passes && random_.chance(50)) leave_controllers();
  }

 private:
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) {
    writes_.items.push_back(firmware_write(plan_.topology.base + offset, size, value));
  }
  [[nodiscard]] std::uint64_t dtm(unsigned xp, unsigned index) const {
    return layout_.xp(xp).offset + facts_.dtm_base + std::uint64_t{index} * cmn::kDtmStride;
  }
  [[nodiscard]] unsigned some_crosspoint() { return static_cast<unsigned>(random_.number(0, layout_.xps() - 1)); }

  /// They keep what they had: a driver takes the difference. So they carry after a few events.
  void leave_local_counters() {
    for (unsigned xp = 0; xp < layout_.xps(); ++xp) {
      for (unsigned index = 0; index < layout_.dtms_of(xp); ++index) {
        std::uint64_t word = 0;
        for (unsigned counter = 0; counter < cmn::kLocalCounters; ++counter)
          word = word << 16U | (0xffff - random_.number(0, 200));
        write(dtm(xp, index) + kLocalCounterWord, sizeof word, word);
      }
    }
  }

  /// Watchpoints that match every flit, each with a counter that feeds a DTC's.
  void leave_watchpoints() {
    const unsigned xp = some_crosspoint();
    for (unsigned index = 0; index < layout_.dtms_of(xp); ++index) {
      for (unsigned watchpoint = 0; watchpoint < cmn::kWatchpoints; ++watchpoint) {
        const std::uint64_t base = dtm(xp, index) + kWatchpoint + watchpoint * kWatchpointStep;
        write(base, 4, random_.number(0, 3) << 1U);  // the channel
        write(base + 8, 8, 0);
        write(base + 16, 8, ~std::uint64_t{0});
      }
      constexpr std::uint64_t kInputs = 0x03'02'01'00;  // watchpoint n for counter n
      write(dtm(xp, index) + kPmuConfig, 8, kInputs << 32U | (random_.number(0, 0x7777) & 0x7777) << 16U | 0xf1);
    }
  }

  /// DTCs that count, with counters about to wrap: some do before the driver is there.
  void leave_controllers() {
    for (unsigned domain = 0; domain < plan_.topology.dtcs; ++domain) {
      const cmn::NodePlace& node = layout_.nodes()[layout_.dtc_node(domain)];
      const std::uint64_t base = node.offset + facts_.dtc_base;
      for (unsigned pair = 0; pair < cmn::kGlobalCounters / 2; ++pair)
        write(base + pair * kGlobalCounterStep, 8, ~std::uint64_t{0});
      write(base + kCycleCounter, 8, 0xff'ffff'ffff - random_.number(0, 100));
      feed(node);
      write(base + kPmcr, 4, random_.pick({0x41U, 0x01U, 0x5fU}));
      write(node.offset + cmn::kDtcControl, 4, 0x401);
    }
  }

  /// Let the HN-I of an HN-T count every cycle, all four counters for the same DTC. Not that of an HN-D: its events would
  /// add to those of the DVM node for good (cmn-event-left-selected).
  void feed(const cmn::NodePlace& dtc) {
    const auto nodes = layout_.nodes();
    const auto hn_i = std::ranges::find_if(nodes, [&](const cmn::NodePlace& node) {
      return node.type == cmn::NodeType::hn_i && node.node_id == dtc.node_id;
    });
    const bool has_dvm = std::ranges::any_of(nodes, [&](const cmn::NodePlace& node) {
      return node.type == cmn::NodeType::dvm && node.node_id == dtc.node_id;
    });
    if (hn_i == nodes.end() || has_dvm) return;
    write(hn_i->offset + facts_.device_base, 4, kEachCycle * 0x01'01'01'01);
    const unsigned port = plan_.topology.multiple_dtm ? hn_i->port % 2 : hn_i->port;
    const std::uint64_t first_input = 0x10 + (port << 4U) + (std::uint64_t{hn_i->device} << 2U);
    std::uint64_t inputs = 0;
    for (unsigned counter = cmn::kLocalCounters; counter-- > 0;) inputs = inputs << 8U | (first_input + counter);
    const std::uint64_t base = dtm(hn_i->xp, layout_.dtm_of(hn_i->xp, hn_i->port) - layout_.first_dtm(hn_i->xp));
    write(base + kLocalCounterWord, 8, ~std::uint64_t{0});
    write(base + kPmuConfig, 8, inputs << 32U | random_.pick({0x3210U, 0x7654U, 0x5272U}) << 16U | 0xf1);
  }

  Random& random_;
  const MeshPlan& plan_;
  const cmn::ProductFacts& facts_;
  cmn::Layout layout_;
  Value& writes_;
};

}  // namespace

void add_firmware_writes(Random& random, const MeshPlan& plan, bool time_passes, Value& writes) {
  Firmware(random, plan, writes).leave_all(time_passes);
}

}  // namespace pmufab::verify
