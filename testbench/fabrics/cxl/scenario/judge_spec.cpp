// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/scenario/judge_spec.h"

#include "models/cxl/part/cxl_spec.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

using scoreboard::CxlJudgeSpec;

scoreboard::CxlMemoryKind kind_of(cxl::Coherency coherency) {
  switch (coherency) {
    case cxl::Coherency::hdm_h:
      return scoreboard::CxlMemoryKind::hdm_h;
    case cxl::Coherency::hdm_d:
      return scoreboard::CxlMemoryKind::hdm_d;
    case cxl::Coherency::hdm_db:
      break;
  }
  return scoreboard::CxlMemoryKind::hdm_db;
}

scoreboard::CxlDdrSpec ddr_of(const cxl::DdrParameters& ddr) {
  using Refresh = scoreboard::CxlDdrSpec::Refresh;
  scoreboard::CxlDdrSpec spec;
  spec.channels = ddr.shape.channels;
  spec.ranks = ddr.shape.ranks;
  spec.bank_groups = ddr.shape.bank_groups;
  spec.banks = ddr.shape.banks;
  spec.row_bytes = ddr.row_bytes;
  spec.closed_pages = ddr.page_policy == cxl::PagePolicy::closed;
  spec.refresh = ddr.refresh_mode == cxl::RefreshMode::none        ? Refresh::none
                 : ddr.refresh_mode == cxl::RefreshMode::all_banks ? Refresh::all_banks
                                                                   : Refresh::same_bank;
  spec.rfm_after = ddr.rfm_after;
  spec.power_down_after = ddr.power_down_after;
  spec.self_refresh_after = ddr.self_refresh_after;
  spec.t_rcd = ddr.timing.act_to_cas;
  spec.t_ras = ddr.timing.act_to_pre;
  spec.t_rrd = ddr.timing.act_to_act;
  spec.t_rp = ddr.timing.pre_to_act;
  spec.t_rtp = ddr.timing.read_to_pre;
  spec.t_wr = ddr.timing.write_to_pre;
  spec.t_ccd = ddr.timing.cas_to_cas;
  spec.t_rtw = ddr.timing.read_to_write;
  spec.t_wtr = ddr.timing.write_to_read;
  spec.cas_latency = ddr.timing.cas_latency;
  spec.t_refi = ddr.timing.refresh_interval;
  spec.t_rfc = ddr.timing.refresh;
  spec.t_rfc_sb = ddr.timing.refresh_same_bank;
  spec.t_rfm = ddr.timing.refresh_management;
  spec.t_xp = ddr.timing.power_down_exit;
  spec.t_xs = ddr.timing.self_refresh_exit;
  spec.errors = {ddr.retries.read_crc_every, ddr.retries.write_crc_every, ddr.retries.parity_every,
                 ddr.retries.ecc_every, ddr.retries.delay};
  spec.throttles[0] = {ddr.thermal.accesses, ddr.thermal.window, ddr.thermal.pause};
  spec.throttles[1] = {ddr.power.accesses, ddr.power.window, ddr.power.pause};
  spec.clock_period = ddr.clock_period;
  spec.separate_queues = ddr.separate_queues;
  return spec;
}

/// @param upper, lower  components at the ends
scoreboard::CxlLinkSpec link_of(const cxl::LinkParameters& link, std::string name, unsigned upper, unsigned lower) {
  scoreboard::CxlLinkSpec spec;
  spec.name = std::move(name);
  spec.upper = upper;
  spec.lower = lower;
  spec.period = link.period;
  spec.latency = link.latency;
  for (unsigned number = 0; number < scoreboard::kCxlClasses; ++number)
    spec.lanes[number] = {link.lanes[number].per_clock, link.lanes[number].credits};
  return spec;
}

/// The decoders of a device. Its way of a range is how many devices before it have the same decoder.
std::vector<scoreboard::CxlDecoder> decoders_of(const std::vector<platform::CxlDevicePlace>& devices, unsigned number) {
  std::vector<scoreboard::CxlDecoder> decoders;
  for (const platform::CxlDecoderSpec& decoder : devices[number].spec->decoders) {
    unsigned position = 0;
    for (unsigned before = 0; before < number; ++before) {
      const auto& others = devices[before].spec->decoders;
      if (std::ranges::any_of(others, [&](const auto& other) { return other.base == decoder.base; })) ++position;
    }
    decoders.push_back({decoder.base, decoder.size, decoder.interleave.ways, decoder.interleave.granularity,
                        kind_of(decoder.coherency), position});
  }
  return decoders;
}

/// The decoders of the upstream port of a switch: every range of the devices below, ascending.
std::vector<scoreboard::CxlDecoder> decoders_of_switch(const std::vector<platform::CxlDevicePlace>& devices,
                                                       unsigned number) {
  std::vector<scoreboard::CxlDecoder> decoders;
  for (const platform::CxlDevicePlace& device : devices) {
    if (device.switch_number != number) continue;
    for (const platform::CxlDecoderSpec& decoder : device.spec->decoders) {
      const auto place =
          std::lower_bound(decoders.begin(), decoders.end(), decoder.base,
                           [](const scoreboard::CxlDecoder& one, std::uint64_t base) { return one.base < base; });
      if (place != decoders.end() && place->base == decoder.base) continue;
      decoders.insert(place, {decoder.base, decoder.size, 1, 256, kind_of(decoder.coherency)});
    }
  }
  return decoders;
}

scoreboard::CxlPmuSpec pmu_of(const platform::CxlCpmuSpec& cpmu) {
  scoreboard::CxlPmuSpec spec;
  spec.clock_hz = cpmu.parameters.frequency_hz;
  spec.width = cpmu.parameters.width;
  spec.hdm_filter = cpmu.parameters.hdm_filter;
  spec.ddr_filter = cpmu.parameters.ddr_filter;
  for (const platform::CxlGroupSpec& group : cpmu.groups) {
    spec.groups.push_back({group.vendor, group.group});
    for (const platform::CxlVendorEvent& event : group.events)
      spec.vendor_events.push_back({group.vendor, group.group, event.bit,
                                    static_cast<scoreboard::CxlClass>(event.message_class),
                                    static_cast<std::uint8_t>(event.opcode)});
  }
  spec.configurable = static_cast<unsigned>(std::ranges::count_if(
      cpmu.parameters.counters,
      [](const cxl::CpmuCounterParameters& counter) { return counter.type == cxl::CounterType::configurable; }));
  spec.has_configurable = spec.configurable > 0;
  for (unsigned counter = 0; counter < cpmu.parameters.counters.size(); ++counter) {
    const cxl::CpmuCounterParameters& parameters = cpmu.parameters.counters[counter];
    if (parameters.type != cxl::CounterType::configurable)
      spec.fixed.push_back({counter, parameters.group, parameters.events, parameters.threshold,
                            parameters.type == cxl::CounterType::free_running});
  }
  return spec;
}

/// Register blocks in BAR 0, each at a multiple of 64 KiB. Of a port: component registers, and then the CPMUs.
constexpr std::uint64_t kBlock = 0x1'0000;

std::uint64_t device_block(const cxl::Type3Parameters& registers) {
  constexpr std::uint64_t kPayload = 0x120;  // of the mailbox, from the beginning of the block
  const std::uint64_t bytes = kPayload + (std::uint64_t{1} << registers.payload_size_log2);
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

/// Offsets in BAR 0 of a port's CPMUs.
std::vector<std::uint64_t> cpmu_blocks_of_port(std::size_t cpmus) {
  std::vector<std::uint64_t> blocks;
  for (std::size_t number = 0; number < cpmus; ++number) blocks.push_back((1 + number) * kBlock);
  return blocks;
}

/// Offsets in BAR 0 of a device's CPMUs: blocks are in the order of its register locator.
std::vector<std::uint64_t> cpmu_blocks(const platform::CxlDeviceSpec& device) {
  std::vector<std::uint64_t> blocks;
  std::uint64_t next = 0;
  for (const cxl::BlockId block : platform::locator_of(device)) {
    if (block == cxl::BlockId::cpmu) blocks.push_back(next);
    if (block == cxl::BlockId::empty) continue;
    next += block == cxl::BlockId::device ? device_block(device.registers) : kBlock;
  }
  return blocks;
}

/// Walks the hierarchy as it is described, depth first: a root port, and below it a device, or an upstream port and
/// then each downstream port with its device. Firmware gives BAR 0 of each the next place.
class Hierarchy {
 public:
  explicit Hierarchy(const std::vector<platform::CxlDeviceSpec>& branches) : devices_(platform::devices_of(branches)) {
    for (unsigned root = 0; root < branches.size(); ++root) {
      const platform::CxlDeviceSpec& branch = branches[root];
      const unsigned port = add_port(fmt::format("cxl_rp{}", root), fmt::format("cpmu_rp{}", root), branch.port.cpmus);
      if (branch.below) {
        add_switch(port, branch);
      } else {
        add_device(port, branch);
      }
    }
  }

  [[nodiscard]] CxlJudgeSpec take() { return std::move(spec_); }

 private:
  unsigned add_component(std::string name) {
    spec_.components.emplace_back().name = std::move(name);
    return static_cast<unsigned>(spec_.components.size()) - 1;
  }

  /// @param blocks  offsets in BAR 0 of its CPMUs
  /// @param names   of its PMUs, but for the number behind the point
  void add_cpmus(unsigned component, const std::vector<platform::CxlCpmuSpec>& cpmus,
                 const std::vector<std::uint64_t>& blocks, std::initializer_list<std::string> names) {
    for (unsigned number = 0; number < cpmus.size(); ++number) {
      scoreboard::CxlPmuSpec pmu = pmu_of(cpmus[number]);
      pmu.component = component;
      pmu.address =
          platform::default_map::kCxlBars + component * platform::default_map::kCxlBarStride + blocks.at(number);
      const std::optional<scoreboard::CxlDdrSpec>& ddr = spec_.components[component].ddr;
      if (ddr) pmu.separate_queues = ddr->separate_queues;
      for (const std::string& name : names) {
        pmu.name = fmt::format("{}.{}", name, number);
        spec_.pmus.push_back(pmu);
      }
    }
  }

  unsigned add_port(std::string name, const std::string& pmu, const std::vector<platform::CxlCpmuSpec>& cpmus) {
    const unsigned component = add_component(std::move(name));
    add_cpmus(component, cpmus, cpmu_blocks_of_port(cpmus.size()), {pmu});
    return component;
  }

  void add_switch(unsigned above, const platform::CxlDeviceSpec& branch) {
    const unsigned number = switches_++;
    const unsigned upstream =
        add_port(fmt::format("cxl_usp{}", number), fmt::format("cpmu_usp{}", number), branch.below->cpmus);
    spec_.components[upstream].of_switch = true;
    spec_.components[upstream].decoders = decoders_of_switch(devices_, number);
    spec_.links.push_back(link_of(branch.link, fmt::format("cxl_usp{}", number), above, upstream));
    for (unsigned port = 0; port < branch.below->devices.size(); ++port) {
      const platform::CxlDeviceSpec& device = branch.below->devices[port];
      const unsigned downstream = add_port(fmt::format("cxl_dsp{}_{}", number, port),
                                           fmt::format("cpmu_dsp{}.{}", number, port), device.port.cpmus);
      spec_.components[downstream].of_switch = true;
      add_device(downstream, device);
    }
  }

  void add_device(unsigned above, const platform::CxlDeviceSpec& device) {
    const unsigned number = found_++;
    const unsigned index = add_component(fmt::format("cxl{}", number));
    spec_.links.push_back(link_of(device.link, fmt::format("cxl{}", number), above, index));
    scoreboard::CxlComponentSpec& component = spec_.components[index];
    component.decoders = decoders_of(devices_, number);
    component.answer_latency = device.memory.answer_latency;
    component.ddr = ddr_of(device.memory.ddr);
    component.ddr->optimal_load = device.memory.dev_load.optimal;
    component.ddr->moderate_overload = device.memory.dev_load.moderate;
    component.ddr->severe_overload = device.memory.dev_load.severe;
    add_cpmus(index, device.cpmus, cpmu_blocks(device),
              {fmt::format("cpmu_mem{}", number), fmt::format("cxl_pmu_mem{}", number)});
  }

  std::vector<platform::CxlDevicePlace> devices_;
  unsigned switches_ = 0;
  unsigned found_ = 0;  // devices so far
  CxlJudgeSpec spec_;
};

}  // namespace

CxlJudgeSpec cxl_judge_spec(const platform::PlatformSpec& platform) {
  return Hierarchy(platform.of<platform::CxlSpec>().devices).take();
}

}  // namespace pmufab::scenario
