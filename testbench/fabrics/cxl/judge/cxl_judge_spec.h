// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/cxl/judge/wires/cxl_wires.h"

namespace pmufab::scoreboard {

/// How memory is kept coherent: by the host alone, by the device with CXL.cache, by the device with back-invalidate.
enum class CxlMemoryKind : std::uint8_t { hdm_h, hdm_d, hdm_db };

/// A committed HDM decoder. Its place in the list is its number.
struct CxlDecoder {
  std::uint64_t base = 0;  ///< host physical
  std::uint64_t size = 0;  ///< bytes of host addresses, all ways together; 0: not committed
  unsigned ways = 1;
  std::uint64_t granularity = 256;
  CxlMemoryKind kind = CxlMemoryKind::hdm_h;
  unsigned position = 0;  ///< for a device: its way
};

/// A memory controller and its DDR (docs/cxl-messages.md, section 6). Times in picoseconds.
struct CxlDdrSpec {
  enum class Refresh : std::uint8_t { none, all_banks, same_bank };
  unsigned channels = 1;
  unsigned ranks = 1;
  unsigned bank_groups = 8;
  unsigned banks = 4;  ///< per bank group
  std::uint64_t row_bytes = 8192;
  bool closed_pages = false;
  Refresh refresh = Refresh::all_banks;
  unsigned rfm_after = 0;
  Picoseconds power_down_after = 0;
  Picoseconds self_refresh_after = 0;
  Picoseconds t_rcd = 15'000;
  Picoseconds t_ras = 32'000;
  Picoseconds t_rrd = 3'333;
  Picoseconds t_rp = 15'000;
  Picoseconds t_rtp = 7'500;
  Picoseconds t_wr = 50'000;
  Picoseconds t_ccd = 3'333;
  Picoseconds t_rtw = 10'000;
  Picoseconds t_wtr = 25'000;
  Picoseconds cas_latency = 20'000;
  Picoseconds t_refi = 3'900'000;
  Picoseconds t_rfc = 295'000;
  Picoseconds t_rfc_sb = 130'000;
  Picoseconds t_rfm = 130'000;
  Picoseconds t_xp = 7'500;
  Picoseconds t_xs = 305'000;
  /// Which CAS of a channel fail: every n-th read, write, either, or read. 0: none.
  struct Errors {
    unsigned read_crc = 0;
    unsigned write_crc = 0;
    unsigned parity = 0;
    unsigned ecc = 0;
    Picoseconds delay = 50'000;  ///< until it is repeated
  } errors{};
  /// A controller stops for a time after this many accesses within a time. 0: never.
  struct Throttle {
    unsigned accesses = 0;
    Picoseconds window = 1'000'000;
    Picoseconds pause = 200'000;
  };
  std::array<Throttle, 2> throttles{};  ///< for heat, for power
  /// Report events that count clocks. Only if needed, because there are many.
  bool counts_clocks = false;
  Picoseconds clock_period = 1'000;
  bool separate_queues = true;  ///< for reads and writes
  /// Numbers of requests under way from which the device signals each load.
  unsigned optimal_load = 8;
  unsigned moderate_overload = 32;
  unsigned severe_overload = 56;
};

/// A component with CPMUs: a root port, a port of a switch, a device.
struct CxlComponentSpec {
  std::string name;
  std::vector<CxlDecoder> decoders;
  std::optional<CxlDdrSpec> ddr;  ///< for a device with memory
  Picoseconds answer_latency = 10'000;
  bool of_switch = false;  ///< a port of a switch, which only forwards
};

/// Limits of a class of messages on a link.
struct CxlLane {
  unsigned per_clock = 2;
  unsigned credits = 64;
};

struct CxlLinkSpec {
  std::string name;
  unsigned upper = 0;  ///< index of the component at that end
  unsigned lower = 0;
  Picoseconds period = 500;
  Picoseconds latency = 20'000;
  std::array<CxlLane, kCxlClasses> lanes{};  ///< by CxlClass
};

/// An event group of a CPMU. Its place in the list is the number of its event capability register.
struct CxlGroupSpec {
  std::uint16_t vendor = kCxlVendor;
  std::uint16_t group = 0;
};

/// A fixed-function or free-running counter.
struct CxlFixedCounter {
  unsigned counter = 0;
  unsigned group_index = 0;
  std::uint32_t mask = 0;
  unsigned threshold = 0;
  bool is_free_running = false;
};

/// A vendor's event: messages of a class with an opcode.
struct CxlVendorEvent {
  std::uint16_t vendor = 0;
  std::uint16_t group = 0;
  unsigned bit = 0;
  CxlClass which = CxlClass::m2s_req;
  std::uint8_t opcode = 0;
};

struct CxlPmuSpec {
  std::string name;  ///< its name in perf: "cxl_pmu_mem0.0"
  unsigned component = 0;
  std::uint64_t address = 0;  ///< physical, of the register block
  std::uint64_t clock_hz = 1'000'000'000;
  unsigned width = 48;  ///< of its counters
  bool hdm_filter = true;
  bool ddr_filter = false;
  bool separate_queues = true;  ///< of the memory controller: for reads and writes
  std::vector<CxlGroupSpec> groups;
  bool has_configurable = true;  ///< some of its counters count any event of its groups
  unsigned configurable = 0;     ///< so many; 0: not known
  std::vector<CxlFixedCounter> fixed;
  std::vector<CxlVendorEvent> vendor_events;

  /// @return the mask of the countable events of a group; 0 for an absent group.
  [[nodiscard]] std::uint32_t supported(std::uint16_t vendor, std::uint16_t group) const;
};

/// What the judge of a CXL hierarchy must know. It is made from the description the hierarchy is built from, and from
/// nothing else.
struct CxlJudgeSpec {
  std::vector<CxlComponentSpec> components;
  std::vector<CxlLinkSpec> links;
  std::vector<CxlPmuSpec> pmus;

  /// @throws std::invalid_argument for an impossible index or shape
  void validate() const;
};

/// @return the lowest decoder that holds the address.
[[nodiscard]] std::optional<unsigned> decoder_of(const std::vector<CxlDecoder>& decoders, std::uint64_t address);
/// @return true if a device with these decoders owns the address: one claims it, and it is on the device's way.
[[nodiscard]] bool owns(const std::vector<CxlDecoder>& decoders, std::uint64_t address);
/// @return the device's own address: without interleaving, after the ranges of lower decoders.
[[nodiscard]] std::uint64_t device_address(const std::vector<CxlDecoder>& decoders, unsigned decoder,
                                           std::uint64_t address);

}  // namespace pmufab::scoreboard
