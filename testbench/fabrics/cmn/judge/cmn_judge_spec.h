// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/cmn/wire/node_types.h"
#include "testbench/fabrics/cmn/judge/watchpoint_image.h"

namespace pmufab::scoreboard {

/// A node with events, and its place.
struct CmnNode {
  cmn::NodeType type = cmn::NodeType::hn_f;
  std::uint16_t node_id = 0;
  std::uint16_t logical_id = 0;
  unsigned xp = 0;
  unsigned port = 0;
  unsigned device = 0;
  bool closed = false;  ///< external or isolated: software does not see it
};

/// Parameters of home nodes (docs/cmn-nodes.md, section 3).
struct ReferenceHomeParameters {
  unsigned slc_sets = 1024;
  unsigned slc_ways = 16;
  unsigned sf_sets = 2048;
  unsigned sf_ways = 16;
  unsigned pocq_entries = 32;
  bool forwarding = true;
};

/// The AXI side of I/O homes and memory bridges (section 4.2).
struct ReferenceAxiParameters {
  unsigned ar_period = 1;
  unsigned aw_period = 1;
  unsigned w_period = 1;
  unsigned read_latency = 40;
  unsigned write_latency = 20;
};

/// HN-I and HN-P (section 4.3).
struct ReferenceIoHomeParameters {
  unsigned rrt_entries = 16;
  unsigned rdt_entries = 8;
  unsigned wdb_entries = 8;
  ReferenceAxiParameters axi{};
};

/// SBSX (section 4.4).
struct ReferenceSbsxParameters {
  unsigned entries = 32;
  unsigned wdb_entries = 16;
  ReferenceAxiParameters axi{};
};

/// MTSX (section 4.5).
struct ReferenceMtsxParameters {
  unsigned entries = 32;
  unsigned tc_sets = 64;
  unsigned tc_ways = 4;
  ReferenceAxiParameters axi{};
};

/// RN-I and RN-D (section 4.6).
struct ReferenceRnIParameters {
  unsigned rrt_entries = 32;
  unsigned wrt_entries = 32;
};

/// A DVM node (section 4.7).
struct ReferenceDvmParameters {
  unsigned trk_entries = 8;
  unsigned snoop_limit = 8;
  bool rn_d_ops = false;
  std::vector<std::pair<std::uint16_t, std::uint8_t>> vmid_filters{};  ///< node id and VMID
};

/// A gateway that is linked to one of another mesh (section 5).
struct ReferenceLinkParameters {
  std::uint16_t node_id = 0;       ///< the gateway's
  std::uint64_t latency = 20'000;  ///< ps
  unsigned cycles_per_flit = 1;
  unsigned flit_bytes = 32;
  unsigned link_credits = 64;
  unsigned rht_entries = 32;
  unsigned reqtrk_entries = 16;
  unsigned write_buffers = 8;
  unsigned node_latency = 12;
};

/// Registers of a DTC, by physical address.
struct CmnDtcRegisters {
  std::uint64_t control = 0;  ///< por_dt_dtc_ctl
  std::uint64_t pmcr = 0;     ///< por_dt_pmcr
};

/// What the judge of a mesh must know. It is made from the description the mesh is built from, never from the model.
struct CmnJudgeSpec {
  std::string pmu;  ///< its name in perf: "arm_cmn_0"
  unsigned columns = 1;
  unsigned rows = 1;
  WatchpointLayout layout = WatchpointLayout::cmn600;  ///< also selects the product
  bool multiple_dtm = false;                           ///< a crosspoint has a DTM for every two of its ports
  std::uint64_t clock_hz = 2'000'000'000;
  /// In the order of the DTCs. The pmcr of the first starts and stops all counting but that of the others' cycles.
  std::vector<CmnDtcRegisters> dtcs = std::vector<CmnDtcRegisters>(1);
  std::vector<unsigned> ports_in_use;  ///< by XP: highest port with a device, plus one

  bool sub_channels_apart = true;  ///< a watchpoint sees one sub-channel of a channel (wp_chn_num), not both
  unsigned snoop_channels = 1;     ///< SNP channels: 1 or 2
  std::uint16_t part = 0x434;      ///< number of the product in its identification registers
  unsigned revision = 0;           ///< code there
  bool left_alone = false;         ///< software must not drive it: it cannot tell which devices are isolated
  unsigned request_channels = 1;
  unsigned response_channels = 1;
  unsigned data_channels = 1;
  unsigned link_delay = 1;           ///< cycles on a link
  unsigned occupancy_width = 8;      ///< bits of the accumulators of occupancy events
  unsigned local_width = 16;         ///< bits of a DTM's counters
  unsigned global_width = 32;        ///< bits of a DTC's counters, above them
  unsigned cycle_width = 40;         ///< bits of a DTC's cycle counter
  bool carries_take_time = false;    ///< from DTM to DTC
  bool carries_can_be_lost = false;  ///< the DTC's queue of carries has an end
  std::vector<CmnNode> nodes;        ///< in order of XP, port and place in the topology's lists
  std::vector<unsigned> domains{};   ///< by XP: the number of its DTC
  /// By XP and port: the connected device. Empty for a mesh whose nodes are not judged.
  std::vector<std::vector<cmn::DeviceType>> devices;
  /// By XP and port: the number of devices; 1 where absent.
  std::vector<std::vector<unsigned>> device_counts;
  /// By XP and port: the number of the first device; 0 where absent.
  std::vector<std::vector<unsigned>> first_devices{};
  ReferenceHomeParameters home{};
  ReferenceIoHomeParameters io_home{};
  ReferenceSbsxParameters sbsx{};
  ReferenceMtsxParameters mtsx{};
  ReferenceRnIParameters rn_i{};
  ReferenceDvmParameters dvm{};
  std::vector<ReferenceLinkParameters> links{};  ///< in any order; CmnJudge::link() sets where each leads
};

}  // namespace pmufab::scoreboard
