// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/targets.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/cmn/description/config_space.h"
#include "models/cmn/description/example_topologies.h"
#include "models/cmn/description/layout.h"
#include "models/cmn/pmu/pmu.h"
#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_spec.h"

namespace pmufab::fuzz {

namespace {

/// A machine without specific checks of its registers, except that a reset must restore them.
class RegisterMachine : public Machine {
 public:
  [[nodiscard]] const std::vector<std::uint64_t>& places() const override { return places_; }
  [[nodiscard]] bool idle() const override { return true; }
  void act(unsigned /*kind*/, unsigned /*place*/, unsigned /*choice*/) override {}
  void check(const Effect& /*effect*/) override {}

  void check_reset() override {
    const Peek peek(bus());
    std::vector<std::uint64_t> present;
    for (const std::uint64_t place : places_) {
      std::uint64_t value = 0;
      if (!peek.get(place & ~std::uint64_t{7}, 8, value) && !peek.get(place & ~std::uint64_t{3}, 4, value)) value = 0;
      present.push_back(value);
    }
    if (first_.empty()) first_ = present;
    const auto differ = std::mismatch(present.begin(), present.end(), first_.begin());
    require(differ.first == present.end(), [&] {
      return fmt::format("after a reset, the register at {:#x} is {:#x}, at first it was {:#x}",
                         places_[static_cast<std::size_t>(differ.first - present.begin())], *differ.first,
                         *differ.second);
    });
  }

 protected:
  void add_registers(std::uint64_t base, const nlohmann::json& page) {
    for (const nlohmann::json& reg : page.at("registers")) {
      const auto stride = reg.at("stride").get<std::uint64_t>();
      const std::uint64_t count = std::max(reg.at("implemented").get<std::uint64_t>(), std::uint64_t{1});
      for (std::uint64_t element = 0; element < std::min<std::uint64_t>(count, kMostElements); ++element)
        places_.push_back(base + reg.at("offset").get<std::uint64_t>() + element * stride);
    }
  }
  void add_place(std::uint64_t address) { places_.push_back(address); }

 private:
  static constexpr std::uint64_t kMostElements = 4;
  std::vector<std::uint64_t> places_;
  std::vector<std::uint64_t> first_;
};

class Tegra410Machine final : public RegisterMachine {
 public:
  Tegra410Machine() : platform_("platform", specification()) {
    namespace map = platform::default_map;
    const std::vector<platform::NamedRegisters> all = platform_.registers();
    for (std::size_t bank = 0; bank < all.size() && bank < 3; ++bank) {
      const nlohmann::json pages = all[bank].dump_json(0);
      for (std::size_t page = 0; page < pages.size(); ++page) {
        const std::uint64_t first = bank == 0 ? map::kUcfPmuPage0 : map::kCmemLatencyPmu + (bank - 1) * kPage;
        add_registers(first + page * kPage, pages[page]);
      }
    }
    for (const platform::NamedRegisters& registers : all) {
      std::optional<unsigned> window;
      if (registers.name == "socket0.nvlink_c2c_pmu.instance0") window = 0;
      if (registers.name == "socket0.nvlink_c2c_pmu.broadcast") window = tegra410::kNvlinkC2cInstances;
      if (window) add_registers(map::kNvlinkC2cPmu + *window * kPage, registers.dump_json(0).at(0));
    }
  }
  [[nodiscard]] MmioBus& bus() override { return platform_.bus(); }
  void reset() override { platform_.reset(); }

 private:
  static constexpr std::uint64_t kPage = 0x1000;
  static platform::PlatformSpec specification() {
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = 1;
    return spec;
  }
  platform::Platform platform_;
};

class CmnMachine final : public RegisterMachine {
 public:
  CmnMachine()
      : topology_(cmn::examples::s3_small(3)),
        layout_(topology_),
        clock_("cmn_clk", topology_.frequency_hz),
        bus_("bus"),
        space_("space", "cmn0", topology_, layout_),
        pmu_("cmn0", topology_, layout_, space_, clock_, {}) {
    bus_.map("cmn0", kBase, layout_.size(), space_.socket);
    for (unsigned node = 0; node < layout_.nodes().size() && node < kNodes; ++node) {
      if (space_.has_bank(node)) add_registers(kBase + layout_.nodes()[node].offset, space_.node(node).dump_json(0));
    }
    // Its nodes follow all XPs.
    const unsigned dtc = layout_.dtc_node(0);
    add_registers(kBase + layout_.nodes()[dtc].offset, space_.node(dtc).dump_json(0));
    // Registers of the DTMs of two XPs.
    for (unsigned xp = 0; xp < 2; ++xp) {
      for (std::uint64_t offset = 0x2000; offset < 0x2400; offset += 8)
        add_place(kBase + layout_.xp(xp).offset + offset);
    }
  }
  [[nodiscard]] MmioBus& bus() override { return bus_; }
  void reset() override { pmu_.reset(); }
  void act(unsigned kind, unsigned place, unsigned choice) override {
    const cmn::MeshPulse pulse{0, static_cast<std::uint8_t>(place % layout_.xps()),
                               static_cast<cmn::Interface>(kind % 6), static_cast<cmn::Channel>(place / 64),
                               (kind & 16) != 0 ? cmn::FlitEvent::stall : cmn::FlitEvent::valid};
    const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
    for (unsigned i = 0; i <= choice; ++i) pmu_.pulses({&pulse, 1}, now);
  }

 private:
  static constexpr std::uint64_t kBase = 0x1'0000'0000;
  static constexpr unsigned kNodes = 3;  // the root and two XPs
  cmn::Topology topology_;
  cmn::Layout layout_;
  ClockDomain clock_;
  MmioBus bus_;
  cmn::ConfigSpace space_;
  cmn::Pmu pmu_;
};

}  // namespace

std::unique_ptr<Machine> make_platform_machine(std::string_view target) {
  if (target == "tegra410") return std::make_unique<Tegra410Machine>();
  if (target == "cmn") return std::make_unique<CmnMachine>();
  return nullptr;
}

}  // namespace pmufab::fuzz
