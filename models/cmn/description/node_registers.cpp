// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/node_registers.h"

#include <utility>

#include <fmt/format.h>

#include "models/cmn/description/event_select.h"

namespace pmufab::cmn {

namespace {

// Offsets: arm-cmn.c (CMN_* macros). Names, access and registers the driver does not use: the products' public register
// data.
using enum Access;

constexpr FieldSpec kNodeInfo[] = {{"node_type", 0, 16, ro}, {"node_id", 16, 16, ro}, {"logical_id", 32, 16, ro}};
constexpr FieldSpec kXpInfo[] = {
    {"node_type", 0, 16, ro}, {"node_id", 16, 16, ro}, {"logical_id", 32, 16, ro}, {"num_device_port", 48, 4, ro}};
constexpr FieldSpec kChildInfo[] = {{"child_count", 0, 16, ro}, {"child_ptr_offset", 16, 16, ro}};
constexpr FieldSpec kChildPointer[] = {{"relative_address", 0, 30, ro, 0, "from PERIPHBASE"},
                                       {"isolated", 30, 1, ro},
                                       {"external", 31, 1, ro},
                                       {"upper", 32, 32, ro}};
constexpr FieldSpec kPeriphId01[] = {{"periph_id_0", 0, 8, ro, 0, "part number 7:0"},
                                     {"periph_id_1", 32, 8, ro, 0, "part number 11:8, JEP106 3:0"}};
constexpr FieldSpec kPeriphId23[] = {{"periph_id_2", 0, 8, ro, 0, "revision, JEP106 6:4"}, {"periph_id_3", 32, 8, ro}};
constexpr FieldSpec kWhole[] = {{"value", 0, 64, ro}};
constexpr FieldSpec kInfoGlobal600[] = {{"chi_req_rsvdc_width", 0, 8, ro},
                                        {"chi_req_addr_width", 8, 8, ro},
                                        {"physical_address_width", 16, 8, ro},
                                        {"datacheck_en", 24, 1, ro},
                                        {"flit_parity_en", 25, 1, ro},
                                        {"num_remote_rnf", 28, 8, ro},
                                        {"rnsam_num_add_hashed_tgt", 36, 6, ro},
                                        {"device_isolation_enable", 44, 1, ro, 0, "reserved; drivers read it"},
                                        {"r2_enable", 48, 1, ro},
                                        {"chic_mode_en", 49, 1, ro}};
constexpr FieldSpec kInfoGlobal1Of600[] = {{"reserved", 0, 64, reserved, 0, "drivers read it"}};
constexpr FieldSpec kInfoGlobal[] = {{"low", 0, 44, ro},
                                     {"device_isolation_enable", 44, 1, ro},
                                     {"mid", 45, 5, ro},
                                     {"dat_vc_num", 50, 2, ro},
                                     {"rsp_vc_num", 52, 2, ro},
                                     {"high", 54, 9, ro},
                                     {"multiple_dtm_en", 63, 1, ro}};
constexpr FieldSpec kInfoGlobal1[] = {{"req_vc_num", 0, 2, ro}, {"snp_vc_num", 2, 2, ro}, {"high", 4, 60, ro}};
constexpr FieldSpec kInfoGlobalS3R2[] = {{"low", 0, 44, ro},
                                         {"device_isolation_enable", 44, 1, ro},
                                         {"mid", 45, 14, ro},
                                         {"multiple_dtm_en", 59, 1, ro},
                                         {"high", 60, 4, ro}};
constexpr FieldSpec kInfoGlobal1S3R2[] = {{"req_vc_num", 0, 3, ro},
                                          {"snp_vc_num", 3, 3, ro},
                                          {"dat_vc_num", 6, 3, ro},
                                          {"rsp_vc_num", 9, 3, ro},
                                          {"high", 12, 52, ro}};
constexpr FieldSpec kConnectInfo[] = {{"device_type", 0, 6, ro}, {"cal_connected", 7, 1, ro}, {"credits", 8, 24, ro}};
constexpr FieldSpec kPortInfoFields[] = {{"num_dev", 0, 3, ro, 0, "devices; several behind a CAL"}};
constexpr FieldSpec kUnitInfo[] = {{"dtc_domain", 0, 2, ro}};

constexpr FieldSpec kDtmControl[] = {{"dtm_enable", 0, 1, rw, 0, "trace only"},
                                     {"trace_tag_enable", 1, 1, rw},
                                     {"sample_profile_enable", 2, 1, rw},
                                     {"trace_no_atb", 3, 1, rw}};
constexpr FieldSpec kFifoReady[] = {{"fifo_entry_ready", 0, 4, w1c, 0, "trace only"}};
constexpr FieldSpec kWatchpoint600[] = {{"wp_dev_sel", 0, 1, rw, 0, "port"},
                                        {"wp_chn_sel", 1, 3, rw, 0, "0 REQ, 1 RSP, 2 SNP, 3 DAT"},
                                        {"wp_grp", 4, 1, rw, 0, "match group"},
                                        {"wp_exclusive", 5, 1, rw, 0, "fire if the flit does not match"},
                                        {"wp_combine", 6, 1, rw, 0, "0 and 1, or 2 and 3, on the same flit"},
                                        {"wp_pkt_gen", 8, 1, rw, 0, "trace only"},
                                        {"wp_pkt_type", 9, 3, rw, 0, "trace only"},
                                        {"wp_cc_en", 12, 1, rw, 0, "trace only"},
                                        {"wp_ctrig_en", 13, 1, rw, 0, "trace only"},
                                        {"wp_dbgtrig_en", 14, 1, rw, 0, "trace only"}};
constexpr FieldSpec kWatchpoint700[] = {{"wp_dev_sel", 0, 1, rw, 0, "port, bit 0"},
                                        {"wp_chn_sel", 1, 3, rw, 0, "0 REQ, 1 RSP, 2 SNP, 3 DAT"},
                                        {"wp_grp", 4, 2, rw, 0, "match group"},
                                        {"wp_rsvdc_bsel", 6, 2, rw, 0, "which byte of RSVDC"},
                                        {"wp_exclusive", 8, 1, rw, 0, "fire if the flit does not match"},
                                        {"wp_combine", 9, 1, rw, 0, "0 and 1, or 2 and 3, on the same flit"},
                                        {"wp_pkt_gen", 10, 1, rw, 0, "trace only"},
                                        {"wp_pkt_type", 11, 3, rw, 0, "trace only"},
                                        {"wp_cc_en", 14, 1, rw, 0, "trace only"},
                                        {"wp_ctrig_en", 15, 1, rw, 0, "trace only"},
                                        {"wp_dbgtrig_en", 16, 1, rw, 0, "trace only"},
                                        {"wp_dev_sel2", 17, 2, rw, 0, "port, bits 2:1"},
                                        {"wp_chn_num", 19, 2, rw, 0, "sub-channel"}};
constexpr std::span<const FieldSpec> kWatchpoint650{kWatchpoint700, 12};  // without wp_chn_num
constexpr FieldSpec kWatchpointValue[] = {{"val", 0, 64, rw}};
constexpr FieldSpec kWatchpointMask[] = {{"mask", 0, 64, rw, 0, "1: ignore the bit"}};
constexpr FieldSpec kSampling[] = {{"count", 0, 32, rw, 0, "trace only"}};
constexpr FieldSpec kLocalCounters4[] = {
    {"pmevcnt0", 0, 16, rw}, {"pmevcnt1", 16, 16, rw}, {"pmevcnt2", 32, 16, rw}, {"pmevcnt3", 48, 16, rw}};
constexpr FieldSpec kLocalShadows[] = {
    {"pmevcntsr0", 0, 16, ro}, {"pmevcntsr1", 16, 16, ro}, {"pmevcntsr2", 32, 16, ro}, {"pmevcntsr3", 48, 16, ro}};

constexpr FieldSpec kSecureAccessFields[] = {{"secure_only", 0, 64, raz_wi, 0, "Non-secure software sees nothing"}};
constexpr FieldSpec kDtcControlFields[] = {{"dt_en", 0, 1, rw},
                                           {"dbgtrigger_en", 1, 1, rw, 0, "trace only"},
                                           {"atbtrigger_en", 2, 1, rw, 0, "trace only"},
                                           {"dt_wait_for_trigger", 3, 1, rw, 0, "trace only"},
                                           {"cross_trigger_count", 4, 6, rw, 0, "trace only"},
                                           {"cg_disable", 10, 1, rw, 0, "clock not gated"}};
constexpr FieldSpec kGlobalPair[] = {{"even", 0, 32, rw}, {"odd", 32, 32, rw}};
constexpr FieldSpec kGlobalShadowPair[] = {{"even", 0, 32, ro}, {"odd", 32, 32, ro}};
constexpr FieldSpec kCycles[] = {{"pmccntr", 0, 40, rw}};
constexpr FieldSpec kCyclesShadow[] = {{"pmccntrsr", 0, 40, ro}};
constexpr FieldSpec kPmcr[] = {{"pmu_en", 0, 1, rw},
                               {"cntcfg", 1, 4, rw, 0, "join counters AB, CD, EF, GH"},
                               {"cntr_rst", 5, 1, rw, 0, "clear live counters on a snapshot"},
                               {"ovfl_intr_en", 6, 1, rw}};
constexpr FieldSpec kPmovsr[] = {{"pmovsr", 0, 9, ro, 0, "7:0 counters, 8 cycle counter"}};
constexpr FieldSpec kPmovsrClear[] = {{"pmovsr_clr", 0, 9, wo, 0, "write one to clear"}};
constexpr FieldSpec kPmssr[] = {{"ss_status", 0, 9, ro}, {"ss_cfg_active", 15, 1, ro}, {"ss_pin_active", 16, 1, ro}};
constexpr FieldSpec kPmsrr[] = {{"ss_req", 0, 1, wo, 0, "take a snapshot"}};

constexpr FieldSpec kPairedFields[] = {{"pmu_en", 0, 1, rw},
                                       {"pmevcnt01_combined", 1, 1, rw},
                                       {"pmevcnt23_combined", 2, 1, rw},
                                       {"pmevcntall_combined", 3, 1, rw},
                                       {"pmevcnt_paired", 4, 4, rw, 0, "bit n: local counter n carries"},
                                       {"cntr_rst", 8, 1, rw, 0, "clear live counters on a snapshot"}};

constexpr std::string_view unit_of(NodeType type) noexcept {
  switch (type) {
    case NodeType::dvm:
      return "por_dn";
    case NodeType::hn_i:
      return "por_hni";
    case NodeType::hn_f:
      return "por_hnf";
    case NodeType::hn_s:
      return "cmn_hns";
    case NodeType::hn_p:
      return "por_hnp";
    case NodeType::sbsx:
      return "por_sbsx";
    case NodeType::rn_i:
      return "por_rni";
    case NodeType::rn_d:
      return "por_rnd";
    case NodeType::mtsx:
      return "por_mtsx";
    case NodeType::cxra:
      return "por_cxg_ra";
    case NodeType::cxha:
      return "por_cxg_ha";
    case NodeType::cxla:
      return "por_cxla";
    case NodeType::ccra:
      return "por_ccg_ra";
    case NodeType::ccha:
      return "por_ccg_ha";
    case NodeType::ccla:
    case NodeType::ccla_rni:
      return "por_ccla";
    case NodeType::rn_sam:
      return "por_rnsam";
    case NodeType::apb:
      return "por_apb";
    default:
      return "por";
  }
}

}  // namespace

NodeRegisters::NodeRegisters(Product product, unsigned revision, std::uint32_t unit_info)
    : product_(product), revision_(revision), facts_(facts_of(product, revision)), unit_info_(unit_info) {
  make_cfg();
  make_xp();
  make_dtm();
  make_dtc();
}

std::string_view NodeRegisters::keep(std::string text) { return texts_.emplace_back(std::move(text)); }

std::span<const FieldSpec> NodeRegisters::keep(std::vector<FieldSpec> fields) {
  return fields_.emplace_back(std::move(fields));
}

std::vector<RegisterSpec> NodeRegisters::discovery(std::string_view unit, bool children) {
  std::vector<RegisterSpec> registers;
  registers.push_back({keep(fmt::format("{}_node_info", unit)), 0x0, 64, kNodeInfo, 1, 0, true, "CMN_NODE_INFO"});
  registers.push_back({keep(fmt::format("{}_child_info", unit)), 0x80, 64, kChildInfo, 1, 0, true, "CMN_CHILD_INFO"});
  if (children) {
    registers.push_back({keep(fmt::format("{}_child_pointer", unit)), 0x100, 64, kChildPointer, kChildPointerRoom, 8,
                         true, "CMN_CHILD_NODE_ADDR"});
  }
  return registers;
}

void NodeRegisters::make_cfg() {
  cfg_ = discovery("por_cfgm", true);
  cfg_.back().count = kMaximumSide * kMaximumSide;
  cfg_.push_back({"por_cfgm_periph_id_0_periph_id_1", 0x8, 64, kPeriphId01, 1, 0, true, "CMN_CFGM_PERIPH_ID_01"});
  cfg_.push_back({"por_cfgm_periph_id_2_periph_id_3", 0x10, 64, kPeriphId23, 1, 0, true, "CMN_CFGM_PERIPH_ID_23"});
  std::span<const FieldSpec> global = kInfoGlobal;
  std::span<const FieldSpec> global_1 = kInfoGlobal1;
  if (facts_.info == InfoLayout::cmn600) {
    global = kInfoGlobal600;
    global_1 = kInfoGlobal1Of600;
  } else if (facts_.info == InfoLayout::s3_r2) {
    global = kInfoGlobalS3R2;
    global_1 = kInfoGlobal1S3R2;
  }
  cfg_.push_back({"por_info_global", 0x900, 64, global, 1, 0, true, "CMN_CFGM_INFO_GLOBAL"});
  cfg_.push_back({"por_info_global_1", 0x908, 64, global_1, 1, 0, true, "CMN_CFGM_INFO_GLOBAL_1"});
}

std::uint32_t NodeRegisters::port_info(unsigned port) const noexcept {
  if (port >= facts_.port_infos) return 0;
  const std::uint32_t at = kPortInfo + port * facts_.port_info_step;
  return unit_info_ <= at && at < unit_info_ + 8 * facts_.unit_infos ? 0 : at;
}

void NodeRegisters::make_xp() {
  xp_ = discovery("por_mxp", true);
  xp_.front().fields = kXpInfo;
  xp_.push_back({"por_mxp_device_port_connect_info_p0_p1", 0x8, 64, kConnectInfo, 2, 8, true, "CMN_MXP__CONNECT_INFO"});
  if (facts_.connect_info_2 != 0) {
    xp_.push_back({"por_mxp_device_port_connect_info_p2_p5", facts_.connect_info_2, 64, kConnectInfo, 4, 8, true,
                   "CMN_MXP__CONNECT_INFO"});
  }
  for (unsigned port = 0; port < facts_.port_infos; ++port) {
    if (port_info(port) == 0) continue;
    xp_.push_back({keep(fmt::format("por_mxp_p{}_info", port)), port_info(port), 64, kPortInfoFields, 1, 0, true,
                   "not used by the driver"});
  }
  if (unit_info_ != 0) {
    xp_.push_back({"por_dtm_unit_info", unit_info_, 64, kUnitInfo, facts_.unit_infos, 8, true, "CMN_DTM_UNIT_INFO"});
  }
  std::vector<FieldSpec> ids;
  const unsigned slot = facts_.wide_event_select ? 16 : 8;
  for (unsigned n = 0; n < kEventSlots; ++n) {
    ids.push_back({keep(fmt::format("pmu_event{}_id", n)), static_cast<std::uint8_t>(n * slot), facts_.xp_event_bits,
                   rw, 0, "event, interface << 2, channel << 5"});
  }
  xp_.push_back({"por_mxp_pmu_event_sel", facts_.dtm_base, 64, keep(std::move(ids)), 1, 0, true, "CMN_PMU_EVENT_SEL"});
}

void NodeRegisters::make_dtm() {
  std::span<const FieldSpec> watchpoint = kWatchpoint600;
  if (facts_.watchpoint == WatchpointFormat::cmn650) watchpoint = kWatchpoint650;
  if (facts_.watchpoint == WatchpointFormat::cmn700) watchpoint = kWatchpoint700;
  std::vector<FieldSpec> config(std::begin(kPairedFields), std::end(kPairedFields));
  for (unsigned n = 0; n < kLocalCounters; ++n) {
    config.push_back({keep(fmt::format("pmevcnt{}_global_num", n)), static_cast<std::uint8_t>(16 + 4 * n), 3, rw, 0,
                      "counter A ... H of the DTC"});
    config.push_back({keep(fmt::format("pmevcnt{}_input_sel", n)), static_cast<std::uint8_t>(32 + 8 * n),
                      facts_.input_sel_bits, rw, 0,
                      "0 to 3: watchpoints; 4 to 7: events 0 to 3 of the crosspoint; from 0x10: events of devices"});
  }
  dtm_ = {
      {"por_dtm_control", 0x100, 64, kDtmControl, 1, 0, true, "not used by the driver"},
      {"por_dtm_fifo_entry_ready", 0x118, 64, kFifoReady, 1, 0, true, "not used by the driver"},
      {"por_dtm_fifo_entry", 0x120, 64, kWhole, 12, 8, true, "not used by the driver"},
      {"por_dtm_wp_config", 0x1a0, 64, watchpoint, kWatchpoints, 0x18, true, "CMN_DTM_WPn_CONFIG"},
      {"por_dtm_wp_val", 0x1a8, 64, kWatchpointValue, kWatchpoints, 0x18, true, "CMN_DTM_WPn_VAL"},
      {"por_dtm_wp_mask", 0x1b0, 64, kWatchpointMask, kWatchpoints, 0x18, true, "CMN_DTM_WPn_MASK"},
      {"por_dtm_pmsicr", 0x200, 64, kSampling, 1, 0, true, "not used by the driver"},
      {"por_dtm_pmsirr", 0x208, 64, kSampling, 1, 0, true, "not used by the driver"},
      {"por_dtm_pmu_config", 0x210, 64, keep(std::move(config)), 1, 0, true, "CMN_DTM_PMU_CONFIG"},
      {"por_dtm_pmevcnt", 0x220, 64, kLocalCounters4, 1, 0, true, "CMN_DTM_PMEVCNT"},
      {"por_dtm_pmevcntsr", 0x240, 64, kLocalShadows, 1, 0, true, "CMN_DTM_PMEVCNTSR"},
  };
}

void NodeRegisters::make_dtc() {
  dtc_ = discovery("por_dt", false);
  const std::uint32_t base = facts_.dtc_base;
  dtc_.push_back({"por_dt_secure_access", kSecureAccess, 64, kSecureAccessFields, 1, 0, true, "register data"});
  dtc_.push_back({"por_dt_dtc_ctl", kDtcControl, 64, kDtcControlFields, 1, 0, true, "CMN_DT_DTC_CTL"});
  dtc_.push_back({"por_dt_pmevcnt", base + 0x0, 64, kGlobalPair, 4, 0x10, true, "CMN_DT_PMEVCNT"});
  dtc_.push_back({"por_dt_pmccntr", base + 0x40, 64, kCycles, 1, 0, true, "CMN_DT_PMCCNTR"});
  dtc_.push_back({"por_dt_pmevcntsr", base + 0x50, 64, kGlobalShadowPair, 4, 0x10, true, "CMN_DT_PMEVCNTSR"});
  dtc_.push_back({"por_dt_pmccntrsr", base + 0x90, 64, kCyclesShadow, 1, 0, true, "CMN_DT_PMCCNTRSR"});
  dtc_.push_back({"por_dt_pmcr", base + 0x100, 64, kPmcr, 1, 0, true, "CMN_DT_PMCR"});
  dtc_.push_back({"por_dt_pmovsr", base + 0x118, 64, kPmovsr, 1, 0, true, "CMN_DT_PMOVSR"});
  dtc_.push_back({"por_dt_pmovsr_clr", base + 0x120, 64, kPmovsrClear, 1, 0, true, "CMN_DT_PMOVSR_CLR"});
  dtc_.push_back({"por_dt_pmssr", base + 0x128, 64, kPmssr, 1, 0, true, "CMN_DT_PMSSR"});
  dtc_.push_back({"por_dt_pmsrr", base + 0x130, 64, kPmsrr, 1, 0, true, "CMN_DT_PMSRR"});
}

RegisterSpec NodeRegisters::event_select(std::string_view name, std::uint32_t offset, NodeType events) {
  std::vector<FieldSpec> fields;
  const auto bits = static_cast<std::uint8_t>(event_id_bits(product_, revision_, events));
  for (unsigned n = 0; n < kEventSlots; ++n) {
    fields.push_back({keep(fmt::format("pmu_event{}_id", n)), static_cast<std::uint8_t>(8 * n), bits, rw});
    if (bits == 8) continue;
    // An id that does not fit is truncated and reported to the guest.
    fields.push_back({keep(fmt::format("pmu_event{}_id_cut", n)), static_cast<std::uint8_t>(8 * n + bits),
                      static_cast<std::uint8_t>(8 - bits), unimplemented, 0, "no part of the id"});
  }
  for (const FilterField& filter : filter_fields(product_, revision_, events)) {
    // Reset value of snp_vc_sel: register data of S3 r2.
    fields.push_back(
        {filter.name, filter.lsb, filter.width, rw, filter.kind == FilterKind::snp_vc ? 2U : 0U, "of all four events"});
  }
  return {name, offset, 64, keep(std::move(fields)), 1, 0, true, "CMN_PMU_EVENT_SEL"};
}

std::span<const RegisterSpec> NodeRegisters::node(NodeType type) {
  const auto [found, is_new] = nodes_.try_emplace(type);
  std::vector<RegisterSpec>& registers = found->second;
  if (!is_new) return registers;
  const std::string_view unit = unit_of(type);
  registers = discovery(unit, false);
  const auto select = [&](NodeType events, bool second) {
    registers.push_back(event_select(keep(fmt::format("{}_pmu_event_sel{}", unit, second ? "_2" : "")),
                                     facts_.device_base + (second ? kSecondEventSelect : 0), events));
  };
  switch (type) {
    case NodeType::hn_p:
      select(NodeType::hn_i, false);
      select(NodeType::hn_p, true);
      break;
    case NodeType::ccla_rni:
      select(NodeType::rn_i, false);
      select(NodeType::ccla, true);
      break;
    case NodeType::ccla:
      select(NodeType::ccla, true);
      break;
    case NodeType::dvm:
    case NodeType::hn_i:
    case NodeType::hn_f:
    case NodeType::hn_s:
    case NodeType::sbsx:
    case NodeType::rn_i:
    case NodeType::rn_d:
    case NodeType::mtsx:
    case NodeType::cxra:
    case NodeType::cxha:
    case NodeType::ccra:
    case NodeType::ccha:
      select(type, false);
      break;
    default:
      break;
  }
  return registers;
}

}  // namespace pmufab::cmn
