// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pmufab::cmn {

/// The node type in node_info (arm-cmn.c, enum cmn_node_type).
enum class NodeType : std::uint16_t {
  dvm = 0x1,
  cfg = 0x2,
  dtc = 0x3,
  hn_i = 0x4,
  hn_f = 0x5,
  xp = 0x6,
  sbsx = 0x7,
  mpam_s = 0x8,
  mpam_ns = 0x9,
  rn_i = 0xa,
  rn_d = 0xd,
  rn_sam = 0xf,
  mtsx = 0x10,
  hn_p = 0x11,
  cxra = 0x100,
  cxha = 0x101,
  cxla = 0x102,
  ccra = 0x103,
  ccha = 0x104,
  ccla = 0x105,
  ccla_rni = 0x106,
  hn_s = 0x200,
  hns_mpam_s = 0x201,
  hns_mpam_ns = 0x202,
  apb = 0x1000,
};

/// The device type in a port's connect info (arm-cmn.c, arm_cmn_device_type).
enum class DeviceType : std::uint8_t {
  none = 0x00,
  rn_i = 0x01,
  rn_d = 0x02,
  rn_f_chib = 0x04,
  rn_f_chib_esam = 0x05,
  rn_f_chia = 0x06,
  rn_f_chia_esam = 0x07,
  hn_t = 0x08,
  hn_i = 0x09,
  hn_d = 0x0a,
  hn_p = 0x0b,
  sn_f_chic = 0x0c,
  sbsx = 0x0d,
  hn_f = 0x0e,
  sn_f_chie = 0x0f,
  sn_f_chid = 0x10,
  cxha = 0x11,
  cxra = 0x12,
  cxrh = 0x13,
  rn_f_chid = 0x14,
  rn_f_chid_esam = 0x15,
  rn_f_chic = 0x16,
  rn_f_chic_esam = 0x17,
  rn_f_chie = 0x18,
  rn_f_chie_esam = 0x19,
  hn_s = 0x1a,
  lcn = 0x1b,
  mtsx = 0x1c,
  hn_v = 0x1d,
  ccg = 0x1e,
  ccg_smp = 0x1f,
  rn_f_chif = 0x20,
  rn_f_chif_esam = 0x21,
  sn_f_chif = 0x22,
};

}  // namespace pmufab::cmn
