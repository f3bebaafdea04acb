#include <algorithm>

#include <fmt/format.h>

#include "models/platform/cxl_part.h"
#include "testbench/scenario/judge.h"

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

scoreboard::CxlLinkSpec link_of(const cxl::LinkParameters& link, unsigned device) {
  scoreboard::CxlLinkSpec spec;
  spec.name = fmt::format("cxl{}", device);
  spec.upper = 2 * device;
  spec.lower = 2 * device + 1;
  spec.period = link.period;
  spec.latency = link.latency;
  for (unsigned number = 0; number < scoreboard::kCxlClasses; ++number)
    spec.lanes[number] = {link.lanes[number].per_clock, link.lanes[number].credits};
  return spec;
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
  CxlJudgeSpec spec;
  const std::vector<platform::CxlDeviceSpec>& devices = platform.spec().cxl;
  for (unsigned index = 0; index < devices.size(); ++index) {
    const platform::CxlDeviceSpec& device = devices[index];
    scoreboard::CxlComponentSpec component;
    for (const platform::CxlDecoderSpec& decoder : device.decoders)
      component.decoders.push_back({decoder.base, decoder.size, 1, 256, kind_of(decoder.coherency)});
    component.answer_latency = device.memory.answer_latency;
    component.name = fmt::format("cxl{}_port", index);
    spec.components.push_back(component);
    component.name = fmt::format("cxl{}", index);
    component.ddr = ddr_of(device.memory.ddr);
    component.ddr->optimal_load = device.memory.dev_load.optimal;
    component.ddr->moderate_overload = device.memory.dev_load.moderate;
    component.ddr->severe_overload = device.memory.dev_load.severe;
    spec.components.push_back(std::move(component));
    spec.links.push_back(link_of(device.link, index));
    for (unsigned number = 0; number < device.cpmus.size(); ++number) {
      scoreboard::CxlPmuSpec& pmu = spec.pmus.emplace_back(pmu_of(device.cpmus[number]));
      pmu.separate_queues = device.memory.ddr.separate_queues;
      pmu.name = fmt::format("cxl_pmu_mem{}.{}", index, number);
      pmu.component = 2 * index + 1;
      pmu.address = platform.cxl()->cpmu_address(index, number);
    }
  }
  return spec;
}

}  // namespace pmufab::scenario
