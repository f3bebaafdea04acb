// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_event_names.h"

#include <array>

#include "testbench/fabrics/cxl/judge/wires/cxl_wires.h"

namespace pmufab::scoreboard {
namespace {

struct Named {
  std::uint16_t group;
  unsigned bit;
  std::string_view name;
};

// Names of the specification's table 13-5, in the spelling of sysfs.
constexpr auto kCxlNames = std::to_array<Named>({
    {0x0000, 0, "clock_ticks"},

    {0x0010, 1, "d2h_req_rdcurr"},
    {0x0010, 2, "d2h_req_rdown"},
    {0x0010, 3, "d2h_req_rdshared"},
    {0x0010, 4, "d2h_req_rdany"},
    {0x0010, 5, "d2h_req_rdownnodata"},
    {0x0010, 6, "d2h_req_itomwr"},
    {0x0010, 7, "d2h_req_wrcurr"},
    {0x0010, 8, "d2h_req_clflush"},
    {0x0010, 9, "d2h_req_cleanevict"},
    {0x0010, 10, "d2h_req_dirtyevict"},
    {0x0010, 11, "d2h_req_cleanevictnodata"},
    {0x0010, 12, "d2h_req_wowrinv"},
    {0x0010, 13, "d2h_req_wowrinvf"},
    {0x0010, 14, "d2h_req_wrinv"},
    {0x0010, 16, "d2h_req_cacheflushed"},

    {0x0011, 1, "d2h_rsp_rspshitse"},
    {0x0011, 4, "d2h_rsp_rspihiti"},
    {0x0011, 5, "d2h_rsp_rspihitse"},
    {0x0011, 6, "d2h_rsp_rspvhitv"},
    {0x0011, 7, "d2h_rsp_rspsfwdm"},
    {0x0011, 15, "d2h_rsp_rspifwdm"},
    {0x0011, 22, "d2h_rsp_rspvfwdv"},

    {0x0012, 1, "h2d_req_snpdata"},
    {0x0012, 2, "h2d_req_snpinv"},
    {0x0012, 3, "h2d_req_snpcur"},

    {0x0013, 1, "h2d_rsp_writepull"},
    {0x0013, 4, "h2d_rsp_go"},
    {0x0013, 5, "h2d_rsp_gowritepull"},
    {0x0013, 6, "h2d_rsp_extcmp"},
    {0x0013, 8, "h2d_rsp_gowritepulldrop"},
    {0x0013, 13, "h2d_rsp_fastgowritepull"},
    {0x0013, 15, "h2d_rsp_goerrwritepull"},

    {0x0014, 0, "cachedata_d2h_data"},
    {0x0014, 1, "cachedata_h2d_data"},

    {0x0020, 0, "m2s_req_meminv"},
    {0x0020, 1, "m2s_req_memrd"},
    {0x0020, 2, "m2s_req_memrddata"},
    {0x0020, 3, "m2s_req_memrdfwd"},
    {0x0020, 4, "m2s_req_memwrfwd"},
    {0x0020, 5, "m2s_req_memrdtee"},
    {0x0020, 6, "m2s_req_memrddatatee"},
    {0x0020, 7, "m2s_req_meminvtee"},
    {0x0020, 8, "m2s_req_memspecrd"},
    {0x0020, 9, "m2s_req_meminvnt"},
    {0x0020, 10, "m2s_req_memcleanevict"},
    {0x0020, 11, "m2s_req_meminvptee"},
    {0x0020, 12, "m2s_req_memspecrdtee"},
    {0x0020, 13, "m2s_req_teupdate"},
    {0x0020, 14, "m2s_req_memclnevcttee"},
    {0x0020, 15, "m2s_req_memclnevctu"},

    {0x0021, 1, "m2s_rwd_memwr"},
    {0x0021, 2, "m2s_rwd_memwrptl"},
    {0x0021, 4, "m2s_rwd_biconflict"},
    {0x0021, 5, "m2s_rwd_memrdfill"},
    {0x0021, 9, "m2s_rwd_memwrtee"},
    {0x0021, 10, "m2s_rwd_memwrptltee"},
    {0x0021, 13, "m2s_rwd_memrdfilltee"},

    {0x0022, 0, "m2s_birsp_i"},
    {0x0022, 1, "m2s_birsp_s"},
    {0x0022, 2, "m2s_birsp_e"},
    {0x0022, 4, "m2s_birsp_iblk"},
    {0x0022, 5, "m2s_birsp_sblk"},
    {0x0022, 6, "m2s_birsp_eblk"},

    {0x0023, 0, "s2m_bisnp_cur"},
    {0x0023, 1, "s2m_bisnp_data"},
    {0x0023, 2, "s2m_bisnp_inv"},
    {0x0023, 4, "s2m_bisnp_curblk"},
    {0x0023, 5, "s2m_bisnp_datblk"},
    {0x0023, 6, "s2m_bisnp_invblk"},
    {0x0023, 8, "s2m_bisnp_curtee"},
    {0x0023, 9, "s2m_bisnp_datatee"},
    {0x0023, 10, "s2m_bisnp_invtee"},
    {0x0023, 12, "s2m_bisnp_curblktee"},
    {0x0023, 13, "s2m_bisnp_datablktee"},
    {0x0023, 14, "s2m_bisnp_invblktee"},

    {0x0024, 0, "s2m_ndr_cmp"},
    {0x0024, 1, "s2m_ndr_cmps"},
    {0x0024, 2, "s2m_ndr_cmpe"},
    {0x0024, 3, "s2m_ndr_cmpm"},
    {0x0024, 4, "s2m_ndr_biconflictack"},
    {0x0024, 5, "s2m_ndr_cmptee"},
    {0x0024, 6, "s2m_ndr_cmptee_s"},
    {0x0024, 7, "s2m_ndr_cmptee_e"},

    {0x0025, 0, "s2m_drs_memdata"},
    {0x0025, 1, "s2m_drs_memdatanxm"},
    {0x0025, 2, "s2m_drs_memdatatee"},

    {0x8000, 0, "ddr_act"},
    {0x8000, 1, "ddr_pre"},
    {0x8000, 2, "ddr_casrd"},
    {0x8000, 3, "ddr_caswr"},
    {0x8000, 4, "ddr_refresh"},
    {0x8000, 5, "ddr_selfrefreshent"},
    {0x8000, 6, "ddr_rfm"},
    {0x8000, 7, "ddr_cas_rd_ap"},
    {0x8000, 8, "ddr_cas_wr_ap"},
    {0x8000, 9, "ddr_refresh_all_banks"},
    {0x8000, 10, "ddr_refresh_same_bank"},
    {0x8000, 11, "ddr_pwrdn_entry"},
    {0x8000, 12, "ddr_pwrdn_exit"},
    {0x8000, 13, "ddr_rd_wr_ddr_bus_switching"},
    {0x8000, 14, "ddr_incoming_rd_req"},
    {0x8000, 15, "ddr_incoming_wr_req"},

    {0x8001, 0, "rd_queue_occ"},
    {0x8001, 1, "wr_queue_occ"},
    {0x8001, 2, "rd_wr_merged_queue_occ"},
    {0x8001, 3, "pwrdn_event"},
    {0x8002, 0, "mc_rd_resid_cnt"},
    {0x8002, 1, "mc_wr_resid_cnt"},
    {0x8003, 0, "retry_event_trig_by_rd_crc"},
    {0x8003, 1, "retry_event_trig_by_wr_crc"},
    {0x8003, 2, "retry_event_trig_by_ca_parity"},
    {0x8003, 3, "retry_event_trig_by_ecc"},
    {0x8004, 0, "thermal_throttle_event"},
    {0x8004, 1, "power_throttle_event"},
});

}  // namespace

std::optional<CxlEventId> cxl_event_of_name(std::string_view name) {
  for (const Named& known : kCxlNames) {
    if (known.name == name) return CxlEventId{known.group, known.bit};
  }
  return std::nullopt;
}

std::string_view cxl_event_name(CxlEventId event) {
  for (const Named& known : kCxlNames) {
    if (known.group == event.group && known.bit == event.bit) return known.name;
  }
  return {};
}

void for_each_cxl_event(const std::function<void(CxlEventId, std::string_view)>& action) {
  for (const Named& known : kCxlNames) action({known.group, known.bit}, known.name);
}

std::uint32_t cxl_supported_events(std::uint16_t group) {
  std::uint32_t mask = 0;
  for (const Named& known : kCxlNames) {
    if (known.group == group) mask |= 1U << known.bit;
  }
  if (group == kDevLoadGroup) mask = 0xf;
  if (group == kM2sResidencyGroup) mask = 0x3;
  return mask;
}

}  // namespace pmufab::scoreboard
