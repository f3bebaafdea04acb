// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/firmware/firmware_description.h"
#include "tlm/interrupt/interrupt.h"

/// CoreSight PMUs by description: plain data. docs/platforms/coresight-pmus.md says what each member means.
namespace pmufab::soc {

inline constexpr unsigned kMaximumCounters = 64;
inline constexpr unsigned kImplementationDefined = 32;  ///< registers of 32 bits from 0xd80 on

/// What makes things happen at a source.
enum class Cause : std::uint8_t {
  streams,      ///< those of a scenario
  ucf,          ///< an event of a Tegra410 socket's UCF
  pcie,         ///< requests of PCIe devices of a Tegra410 socket
  pcie_tgt,     ///< requests to BARs and CXL memory below the root complexes of a Tegra410 socket
  cxl_message,  ///< messages that components of a CXL hierarchy send and receive
  cxl_ddr,      ///< commands of the DDR memory of CXL devices
  cmn_flit,     ///< flits at the device ports of CMN meshes
  cmn_home,     ///< requests and cache events of homes of CMN meshes
  plugin,       ///< a plug-in
};

/// What lets things happen that events count. Each socket has one.
struct SourceDescription {
  std::string name;
  std::vector<std::string> attributes;  ///< at most kMaximumAttributes
  Cause cause = Cause::streams;         ///< any other: a model, as fabric_sources.h describes
  std::string event{};                  ///< for Cause::ucf: the event's name
};

/// An event counts those occurrences alone whose attribute has one of these values.
struct Requirement {
  unsigned attribute = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct EventDescription {
  enum class Counts : std::uint8_t {
    occurrences,
    sum,          ///< of one attribute
    outstanding,  ///< at each edge of the PMU's clock, the occurrences that have begun and not ended
    cycles,       ///< of the PMU's clock
  };
  std::string name;
  std::uint64_t number = 0;  ///< in PMEVTYPER
  Counts counts = Counts::occurrences;
  unsigned source = 0;     ///< index in Description::sources; not for cycles
  unsigned attribute = 0;  ///< for a sum
  std::vector<Requirement> where;
  std::uint64_t unit = 1;  ///< for a sum: an occurrence adds as many units as its attribute begins
};

struct BitRange {
  unsigned first = 0;
  unsigned width = 1;
};

/// Bits of a register that choose occurrences by one attribute. They act on events of sources that have it.
struct FilterDescription {
  enum class Register : std::uint8_t {
    filter,                  ///< PMEVFILTR of the counter
    filter2,                 ///< PMEVFILT2R of the counter
    implementation_defined,  ///< a register at 0xd80 + 4 n, of all counters
  };
  enum class Match : std::uint8_t {
    mask,      ///< bit v of the field lets the value v pass
    value,     ///< the attribute equals the field
    at_least,  ///< the attribute is not below the field
  };
  enum class Zero : std::uint8_t {
    all,      ///< everything passes
    literal,  ///< 0 is a mask or value like any other
  };
  std::string name;
  Register where = Register::filter;
  unsigned word = 0;  ///< n of an implementation-defined register
  BitRange bits{};
  std::string attribute;
  Match match = Match::mask;
  std::optional<BitRange> care{};        ///< of a value: only the bits that are set in this field are compared
  std::optional<Register> care_where{};  ///< register of `care`; not set: `where`. An implementation-defined one is
                                         ///< number `word`, too
  std::optional<unsigned> enable{};      ///< the filter acts while this bit is set
  std::optional<unsigned> disable{};     ///< the filter acts while this bit is not set
  Zero zero = Zero::all;

  [[nodiscard]] Register care_register() const noexcept { return care_where.value_or(where); }
  std::string format;  ///< where its driver publishes it ("config1:0-9"); empty: the driver knows no such term
};

/// The overflow interrupt.
struct InterruptDescription {
  std::uint32_t number = 0;  ///< on socket 0; socket s has this plus s
  InterruptTrigger trigger = InterruptTrigger::level;
  bool shared = false;  ///< other PMUs may have the same number
};

struct PmuDescription {
  std::string name;               ///< within its socket, for dumps
  std::vector<unsigned> sockets;  ///< that have one; empty: all
  std::uint64_t base = 0;         ///< of page 0, from the start of the socket's addresses
  std::optional<std::uint64_t> page1{};
  bool is_64bit = false;        ///< the 64-bit layout of all registers
  bool pmcnten = true;          ///< the 64-bit layout has PMCNTEN, by which drivers find it out
  std::uint32_t pmdevarch = 0;  ///< or by this
  unsigned counters = 8;        ///< the cycle counter included
  unsigned width = 64;
  bool atomic_64bit = true;
  bool cycle_counter = true;
  std::optional<InterruptDescription> interrupt{};
  std::uint32_t pmiidr = 0;
  std::array<std::uint8_t, 5> pmpidr{};  ///< with pmiidr 0, software reads these
  std::uint32_t implementation_id = 0;   ///< that firmware gives instead, if not 0
  std::uint64_t clock_hz = 1'000'000'000;
  unsigned event_bits = 32;             ///< of PMEVTYPER that are the event's number
  unsigned implementation_defined = 0;  ///< number of such registers
  platform::ApmtNode::Type type = platform::ApmtNode::Type::acpi_device;
  std::string hid;                          ///< eight characters, for an ACPI device
  std::optional<std::uint32_t> instance{};  ///< on socket 0; socket s has this plus s
  std::optional<std::uint32_t> id{};        ///< of the APMT node on socket 0; socket s has this plus s
  std::optional<unsigned> cpu{};            ///< of the socket: the one it belongs to. Nothing: to all of them
  std::string perf_name;                    ///< with {socket}; empty: as arm_cspmu without a back-end calls it
  std::vector<EventDescription> events;
  std::vector<FilterDescription> filters;
};

struct Description {
  std::vector<SourceDescription> sources;
  std::vector<PmuDescription> pmus;
};

}  // namespace pmufab::soc
