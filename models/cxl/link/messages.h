// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pmufab::cxl {

/// Classes of CXL.mem and CXL.cache messages (CXL 3.1, chapter 3), those that travel down first.
enum class MessageClass : std::uint8_t {
  m2s_req,    ///< event group 0x20
  m2s_rwd,    ///< 0x21
  m2s_birsp,  ///< 0x22
  h2d_req,    ///< 0x12
  h2d_rsp,    ///< 0x13
  h2d_data,   ///< 0x14, bit 1
  s2m_bisnp,  ///< 0x23
  s2m_ndr,    ///< 0x24
  s2m_drs,    ///< 0x25
  d2h_req,    ///< 0x10
  d2h_rsp,    ///< 0x11
  d2h_data    ///< 0x14, bit 0
};
inline constexpr unsigned kMessageClasses = 12;

/// @return true if messages of the class go from the host to the device.
constexpr bool is_down(MessageClass message_class) noexcept { return message_class < MessageClass::s2m_bisnp; }
/// @return true for classes of CXL.mem, whose messages have the address of a HDM decoder's range.
constexpr bool is_mem(MessageClass message_class) noexcept {
  return message_class <= MessageClass::m2s_birsp ||
         (message_class >= MessageClass::s2m_bisnp && message_class <= MessageClass::s2m_drs);
}

/// Opcodes; the numbers are those of the specification, which also number the events (CXL 3.1, table 13-5).
/// @{
namespace m2s_req {
enum Opcode : std::uint8_t {
  mem_inv = 0,
  mem_rd = 1,
  mem_rd_data = 2,
  mem_rd_fwd = 3,
  mem_wr_fwd = 4,
  mem_rd_tee = 5,
  mem_rd_data_tee = 6,
  mem_inv_tee = 7,
  mem_spec_rd = 8,
  mem_inv_nt = 9,
  mem_cln_evct = 10,
  mem_inv_nt_tee = 11,
  mem_spec_rd_tee = 12,
  te_update = 13,
  mem_cln_evct_tee = 14,
  mem_cln_evct_u = 15
};
}  // namespace m2s_req
namespace m2s_rwd {
enum Opcode : std::uint8_t {
  mem_wr = 1,
  mem_wr_ptl = 2,
  bi_conflict = 4,
  mem_rd_fill = 5,
  mem_wr_tee = 9,
  mem_wr_ptl_tee = 10,
  mem_rd_fill_tee = 13
};
}  // namespace m2s_rwd
namespace m2s_birsp {
enum Opcode : std::uint8_t { i = 0, s = 1, e = 2, i_blk = 4, s_blk = 5, e_blk = 6 };
}  // namespace m2s_birsp
namespace s2m_bisnp {
/// Add 4 for blocks, 8 for TEE.
enum Opcode : std::uint8_t { cur = 0, data = 1, inv = 2 };
}  // namespace s2m_bisnp
namespace s2m_ndr {
enum Opcode : std::uint8_t {
  cmp = 0,
  cmp_s = 1,
  cmp_e = 2,
  cmp_m = 3,
  bi_conflict_ack = 4,
  cmp_tee = 5,
  cmp_s_tee = 6,
  cmp_e_tee = 7
};
}  // namespace s2m_ndr
namespace s2m_drs {
enum Opcode : std::uint8_t { mem_data = 0, mem_data_nxm = 1, mem_data_tee = 2 };
}  // namespace s2m_drs
namespace d2h_req {
enum Opcode : std::uint8_t {
  rd_curr = 1,
  rd_own = 2,
  rd_shared = 3,
  rd_any = 4,
  rd_own_no_data = 5,
  i_to_m_wr = 6,
  wr_cur = 7,
  cl_flush = 8,
  clean_evict = 9,
  dirty_evict = 10,
  clean_evict_no_data = 11,
  wo_wr_inv = 12,
  wo_wr_inv_f = 13,
  wr_inv = 14,
  cache_flushed = 16
};
}  // namespace d2h_req
namespace d2h_rsp {
enum Opcode : std::uint8_t {
  rsp_s_hit_se = 1,
  rsp_i_hit_i = 4,
  rsp_i_hit_se = 5,
  rsp_v_hit_v = 6,
  rsp_s_fwd_m = 7,
  rsp_i_fwd_m = 15,
  rsp_v_fwd_v = 22
};
}  // namespace d2h_rsp
namespace h2d_req {
enum Opcode : std::uint8_t { snp_data = 1, snp_inv = 2, snp_cur = 3 };
}  // namespace h2d_req
namespace h2d_rsp {
enum Opcode : std::uint8_t {
  write_pull = 1,
  go = 4,
  go_write_pull = 5,
  ext_cmp = 6,
  go_write_pull_drop = 8,
  fast_go_write_pull = 13,
  go_err_write_pull = 15
};
}  // namespace h2d_rsp
/// Data has no opcode; these are its event ids.
inline constexpr std::uint8_t kD2hData = 0;
inline constexpr std::uint8_t kH2dData = 1;
/// @}

/// MetaValue of a request, or MetaField No-Op.
enum class Meta : std::uint8_t { none, invalid, shared, any };

/// State of a line in a cache.
enum class LineState : std::uint8_t { invalid, shared, exclusive, modified };

/// One message. Members that the wires do not carry spare the receiver a search.
struct Message {
  std::uint64_t address = 0;  ///< host physical, of a line; in answers: that of the request or snoop
  std::uint16_t tag = 0;      ///< of the request, also in answers
  std::uint16_t ticket = 0;   ///< the sender's transaction that this belongs to
  std::uint16_t hop = 0;      ///< a switch's number for the message
  MessageClass message_class = MessageClass::m2s_req;
  std::uint8_t opcode = 0;
  Meta meta = Meta::none;
  std::uint8_t lines = 1;    ///< for block snoops and their answers: 2 or 4
  std::uint8_t answers = 0;  ///< in an NDR or DRS: total number of answers to the request
  bool tee = false;          ///< trusted execution: the opcode is the TEE one, where there is one
  bool tell = false;         ///< call the sending port when it leaves
};

}  // namespace pmufab::cxl
