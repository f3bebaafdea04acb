// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "models/platform/cxl/cxl_part.h"
#include "testbench/scenario/fabrics/cxl/judge_spec.h"

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

scoreboard::CxlLinkSpec link_of(const platform::CxlPart::Wire& wire) {
  const cxl::LinkParameters& link = wire.link->parameters();
  scoreboard::CxlLinkSpec spec;
  spec.name = wire.link->name();
  spec.upper = wire.upper;
  spec.lower = wire.lower;
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
      if (std::any_of(others.begin(), others.end(), [&](const auto& other) { return other.base == decoder.base; }))
        ++position;
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

/// @return the name of a PMU the reference software serves, by what it counts for.
std::string client_name(const platform::CxlPart::Component& component, unsigned cpmu) {
  using Kind = platform::CxlPart::Kind;
  switch (component.kind) {
    case Kind::root_port:
      return fmt::format("cpmu_rp{}.{}", component.number, cpmu);
    case Kind::upstream_port:
      return fmt::format("cpmu_usp{}.{}", component.number, cpmu);
    case Kind::downstream_port:
      return fmt::format("cpmu_dsp{}.{}.{}", component.number, component.port, cpmu);
    case Kind::device:
      break;
  }
  return fmt::format("cpmu_mem{}.{}", component.number, cpmu);
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
  for (unsigned counter = 0; counter < cpmu.parameters.counters.size(); ++counter) {
    const cxl::CpmuCounterParameters& parameters = cpmu.parameters.counters[counter];
    if (parameters.type != cxl::CounterType::configurable)
      spec.fixed.push_back({counter, parameters.group, parameters.events, parameters.threshold});
  }
  return spec;
}

}  // namespace

CxlJudgeSpec cxl_judge_spec(const platform::Platform& platform) {
  using Kind = platform::CxlPart::Kind;
  CxlJudgeSpec spec;
  const platform::CxlPart& part = *platform.cxl();
  const std::vector<platform::CxlDevicePlace> devices = platform::devices_of(platform.spec().cxl);
  for (const platform::CxlPart::Component& its : part.components()) {
    scoreboard::CxlComponentSpec& component = spec.components.emplace_back();
    component.name = its.name;
    component.of_switch = its.kind == Kind::upstream_port || its.kind == Kind::downstream_port;
    if (its.kind == Kind::upstream_port) component.decoders = decoders_of_switch(devices, its.number);
    if (its.kind == Kind::device) {
      const platform::CxlDeviceSpec& device = *devices[its.number].spec;
      component.decoders = decoders_of(devices, its.number);
      component.answer_latency = device.memory.answer_latency;
      component.ddr = ddr_of(device.memory.ddr);
      component.ddr->optimal_load = device.memory.dev_load.optimal;
      component.ddr->moderate_overload = device.memory.dev_load.moderate;
      component.ddr->severe_overload = device.memory.dev_load.severe;
    }
    for (unsigned number = 0; number < its.cpmus.size(); ++number) {
      scoreboard::CxlPmuSpec pmu = pmu_of((*its.specs)[number]);
      pmu.component = static_cast<unsigned>(spec.components.size()) - 1;
      pmu.address = platform::CxlPart::cpmu_address(its, number);
      pmu.name = client_name(its, number);
      if (component.ddr) pmu.separate_queues = component.ddr->separate_queues;
      spec.pmus.push_back(pmu);
      if (its.kind != Kind::device) continue;
      pmu.name = fmt::format("cxl_pmu_mem{}.{}", its.number, number);
      spec.pmus.push_back(std::move(pmu));
    }
  }
  for (const platform::CxlPart::Wire& wire : part.wires()) spec.links.push_back(link_of(wire));
  return spec;
}

}  // namespace pmufab::scenario
