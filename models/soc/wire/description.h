// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/clock/clock_domain.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/interrupt/interrupt.h"

/// PMUs by description: plain data. docs/platforms/coresight-pmus.md and described-pmus.md say what each member means.
namespace pmufab::soc {

inline constexpr unsigned kMaximumCounters = 64;
inline constexpr unsigned kMaximumRegisters = 1024;     ///< elements of arrays included
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

struct BitRange {
  unsigned first = 0;
  unsigned width = 1;

  [[nodiscard]] bool overlaps(const BitRange& other) const noexcept {
    return first < other.first + other.width && other.first < first + width;
  }
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
  std::uint64_t unit = 1;                   ///< for a sum: an occurrence adds as many units as its attribute begins
  std::optional<BitRange> counters{};       ///< of a PMU with a register map: those that can count it; nothing: all
  std::optional<std::uint64_t> clock_hz{};  ///< of cycles: those of another clock than the PMU's
  std::optional<std::uint64_t> code{};      ///< what its selector holds for the event; nothing: the number
  std::uint64_t times = 1;                  ///< its driver multiplies by this what a counter counts
  bool is_unnamed = false;                  ///< its driver publishes no name for it: users give the number

  /// @return whether the event is what the selector of a counter names
  /// @param known  bits that the selector holds
  [[nodiscard]] bool is_selected_by(std::uint64_t selector, std::uint64_t known, unsigned counter) const noexcept {
    return ((code.value_or(number) ^ selector) & known) == 0 &&
           (!counters || counter - counters->first < counters->width);
  }
};

/// A field of a described register, of one counter or of all.
struct FilterSetting {
  unsigned word = 0;  ///< number of the register
  BitRange bits{};
  std::uint64_t value = 0;
};

/// Bits of a register that choose occurrences by one attribute. They act on events of sources that have it.
struct FilterDescription {
  enum class Register : std::uint8_t {
    filter,                  ///< PMEVFILTR of the counter
    filter2,                 ///< PMEVFILT2R of the counter
    implementation_defined,  ///< a register at 0xd80 + 4 n, of all counters
    described,               ///< number n of the PMU's RegisterMap; an array has one for each counter
  };
  enum class Match : std::uint8_t {
    mask,      ///< bit v of the field lets the value v pass
    value,     ///< the attribute equals the field
    at_least,  ///< the attribute is not below the field
    between,   ///< nor above the field of `care`. Where that is 0 or below the field, everything passes
    threshold,  ///< of no attribute: clocks count in which an event adds as much as the field. Where that is 0, all counts
    edge,       ///< of no attribute: of such clocks in a row, the first one counts. Without a threshold: of 1
  };
  enum class Zero : std::uint8_t {
    all,      ///< everything passes
    literal,  ///< 0 is a mask or value like any other
  };
  std::string name;
  Register where = Register::filter;
  unsigned word = 0;  ///< n of an implementation-defined or described register
  BitRange bits{};
  std::optional<BitRange> counters{};  ///< of a PMU with a register map: it acts on these; nothing: on all
  std::string attribute;
  Match match = Match::mask;
  std::optional<BitRange> care{};        ///< of a value: only the bits that are set in this field are compared
                                         ///< `between`: the greatest
  std::optional<Register> care_where{};  ///< register of `care`; not set: `where`. An implementation-defined one is
                                         ///< number `word`, too
  std::optional<unsigned> care_word{};   ///< number of the described register of `care`; not set: `word`
  std::optional<unsigned> enable{};      ///< the filter acts while this bit is set
  std::optional<unsigned> disable{};     ///< the filter acts while this bit is not set
  std::optional<FilterSetting> when{};   ///< the filter acts while that field has that value
  std::optional<unsigned>
      invert{};  ///< while this bit is set, a value lets pass what it does not equal, and at_least what is below
  unsigned invert_word = 0;  ///< number of the described register of `invert`
  Zero zero = Zero::all;
  std::uint64_t fallback = 0;  ///< a driver whose term is 0 writes this instead, if not 0
  unsigned repeat = 1;         ///< how often it stands in a described register, for as many counters
  unsigned step = 0;           ///< bits from one to the next

  [[nodiscard]] Register care_register() const noexcept { return care_where.value_or(where); }
  /// @return whether it is a condition of clocks, and not of an attribute
  [[nodiscard]] bool is_of_clocks() const noexcept { return match == Match::threshold || match == Match::edge; }
  std::string format;          ///< where its driver publishes it ("config1:0-9"); empty: the driver knows no such term
  std::string care_term{};     ///< the driver's term for the bits that matter; empty: it has none
  std::string care_format{};   ///< where its driver publishes that
  bool care_inverted = false;  ///< the bits set in that term do not matter: the driver writes its complement
  std::string invert_term{};   ///< the driver's term for `invert`; empty: it has none
  std::string invert_format{};
  std::vector<std::pair<std::string, unsigned>> terms{};  ///< of a mask: terms for single bits; `format` is their word
  std::optional<std::uint64_t> any{};          ///< value of the term with which a driver lets everything pass
  std::vector<std::string> unless{};           ///< a driver ignores the term beside one of these, if that is not 0
  std::string with{};                          ///< and without this one; empty: it stands alone
  std::uint64_t greatest = ~std::uint64_t{0};  ///< value of the term that a driver takes
};

/// Registers that hold the message of a PMU, by their places among its registers.
struct MessageRegisters {
  unsigned address = 0;
  unsigned data = 0;
};

/// One of several lines of an interrupt.
struct LineDescription {
  std::uint32_t number = 0;  ///< on socket 0; socket s has this plus s
  BitRange counters{};       ///< whose overflows it tells
};

/// The overflow interrupt.
struct InterruptDescription {
  std::uint32_t number = 0;  ///< on socket 0, of its only line, which is for all counters; socket s has this plus s
  InterruptTrigger trigger = InterruptTrigger::level;
  bool shared = false;                        ///< other PMUs may have the same number
  unsigned count = 1;                         ///< how often firmware lists its only line
  std::vector<LineDescription> lines{};       ///< of a PMU with a register map: each counter is in one; empty: only one
  std::optional<unsigned> message{};          ///< of a PCI function: the MSI vector that is sent, in place of a line
  std::optional<MessageRegisters> written{};  ///< the message that the PMU sends, in place of a line
  /// @return whether a line carries it, which has a number
  [[nodiscard]] bool is_wired() const noexcept { return !message && !written; }
  /// @return the numbers of its lines on a socket, in their order
  [[nodiscard]] std::vector<std::uint32_t> numbers(unsigned socket) const {
    std::vector<std::uint32_t> found;
    for (const LineDescription& line : lines) found.push_back(line.number + socket);
    if (lines.empty() && is_wired()) found.push_back(number + socket);
    return found;
  }
};

/// What a field of a described register does.
///
/// Fields stand for counters as FieldDescription::counters_in() says.
enum class Role : std::uint8_t {
  keeps,             ///< what is written is read
  constant,          ///< reads `value`
  counter,           ///< the value of a counter, from bit `shift` on
  event,             ///< the number of the event of a counter
  enable,            ///< lets a counter count while it is 1
  enable_set,        ///< writing 1 lets it
  enable_clear,      ///< writing 1 stops it
  disable,           ///< stops it while it is 1
  interrupt_enable,  ///< an overflow of a counter sends an interrupt while it is 1
  interrupt_set,     ///< writing 1 turns that on
  interrupt_clear,   ///< writing 1 turns it off
  interrupt_mask,    ///< it sends none while it is 1
  overflow,          ///< a counter has wrapped; what a write does, `cleared` says
  overflow_set,      ///< writing 1 says so
  overflow_clear,    ///< writing 1 forgets it
  overflow_at_half,  ///< while it is 1, a counter has wrapped, too, when its highest bit becomes 1
  chain,             ///< while it is 1, each wrap of the counter before this one adds 1 to it
  run,               ///< counters count while it is 1; with `first`, it is that counter's enable, too
  stop,              ///< they do not while it is 1
  run_set,           ///< writing 1 lets all count
  run_clear,         ///< writing 1 stops all
  clear,             ///< writing 1 sets counters to 0
  latch,             ///< writing 1 copies the values of counters to where `latched` fields show them
  preload_counter,   ///< the number of a counter, plus `from`
  preload,           ///< writing sets that counter
  command,           ///< what is written is done at once: it reads 0
  pending,           ///< reads 1 while a PMU of `of` interrupts
  latching,          ///< reads 1 while a latch that `takes` time goes on
};

/// How software clears an overflow status.
enum class Cleared : std::uint8_t {
  by_one,   ///< writing 1
  by_zero,  ///< writing 0
  by_read,  ///< reading the register
  apart,    ///< by a register with Role::overflow_clear
};

/// A field of each counter that says which of several copies of another field is that counter's.
struct ChoiceDescription {
  unsigned word = 0;    ///< register, by its number in the map
  BitRange bits{};      ///< for counter 0
  unsigned repeat = 1;  ///< for so many counters, from 0 on
  unsigned step = 0;    ///< bits from one to the next
};

/// A field of a described register.
struct FieldDescription {
  std::string name;
  BitRange bits{};
  Role role = Role::keeps;
  std::uint64_t value = 0;                       ///< after reset; of a constant, always
  unsigned shift = 0;                            ///< of a counter, or of an event's number: its lowest bit here
  std::uint64_t from = 0;                        ///< of a preload_counter: what stands for counter 0
  Cleared cleared = Cleared::by_one;             ///< of an overflow status
  bool silent = false;                           ///< of an overflow status: it sends no interrupt
  bool zero_stops = false;                       ///< of an event: 0 is none, so that writing it stops the counter
  std::optional<std::uint64_t> for_number{};     ///< of an event: it counts where fields without this hold that number
  std::optional<ChoiceDescription> chosen_by{};  ///< of an event: which field chooses the copy of a counter
  bool write_only = false;                       ///< of enable_clear or interrupt_clear: it reads 0
  bool from_zero = false;                        ///< of enable or enable_set: a counter that it lets count begins at 0
  bool is_free = false;                          ///< of a counter: it counts whether the PMU runs or not
  bool stops = false;               ///< of a counter: as it wraps, it stops the PMU, until software lets it run again
  bool begins = false;              ///< of a counter: its driver starts it, and then writes it: its event begins there
  bool selected = false;            ///< of a counter: it is the one that a preload_counter names
  bool read_only = false;           ///< of a counter: what is written is lost
  bool down = false;                ///< of a counter: it counts down, and wraps from 0 to its greatest value
  bool saturates = false;           ///< of a counter: it stays at its last value, and the next event is an overflow
  bool latched = false;             ///< of a counter: it reads what was latched last
  bool latches = false;             ///< reading its register latches its counters
  Picoseconds takes = 0;            ///< of a latch: until what it copied is shown
  bool needs_run = false;           ///< of a counter: what is written while the PMU stands is lost
  std::optional<unsigned> first{};  ///< counter of its first bit; nothing: that of the register
  std::optional<BitRange> counters{};  ///< of a field for all counters: it is for these
  unsigned repeat = 1;                 ///< how often it stands in a register, for as many counters
  unsigned step = 0;                   ///< bits from one to the next
  std::vector<std::string> of{};       ///< of pending: names of PMUs of the same socket

  /// @return whether each of its bits is for another counter
  [[nodiscard]] bool has_bit_for_each() const noexcept {
    return bits.width > 1 && repeat == 1 && role != Role::keeps && role != Role::constant && role != Role::counter &&
           role != Role::pending && role != Role::event && role != Role::command && role != Role::preload_counter &&
           role != Role::preload && role != Role::latching;
  }
  /// @return for how many counters it stands in one register
  [[nodiscard]] unsigned counters_in() const noexcept {
    if (chosen_by) return 1;
    return has_bit_for_each() ? bits.width : repeat;
  }
  /// @return the bits for one of them, or of one copy
  [[nodiscard]] BitRange bits_of(unsigned index) const noexcept {
    return has_bit_for_each() ? BitRange{bits.first + index, 1} : BitRange{bits.first + index * step, bits.width};
  }
};

/// For how many counters one bit of a field is. Where switches of several reaches say of a counter, all must be on.
enum class Reach : std::uint8_t { each, range, all };

/// A register of a described PMU, or an array of them.
struct RegisterDescription {
  std::string name;
  unsigned window = 0;
  std::uint32_t offset = 0;
  unsigned width = 32;  ///< bits: 32 or 64
  bool halves = false;  ///< a register of 64 bits that is accessed as two halves, too
  unsigned count = 1;
  unsigned stride = 0;  ///< bytes between elements of an array
  unsigned first = 0;   ///< counter of the first element
  std::vector<FieldDescription> fields;

  /// @return the counter for which a field stands
  /// @param index  below its counters_in()
  [[nodiscard]] unsigned counter_of(const FieldDescription& field, unsigned element, unsigned index) const noexcept {
    if (field.counters) return field.counters->first;
    return field.first.value_or(first) + element * field.counters_in() + index;
  }
  /// @return whether a field is for that counter
  [[nodiscard]] bool stands_for(const FieldDescription& field, unsigned counter) const noexcept {
    if (field.chosen_by) return counter < field.chosen_by->repeat;
    if (is_for_all(field) && field.role != Role::counter)
      return !field.counters || counter - field.counters->first < field.counters->width;
    const unsigned first_one = counter_of(field, 0, 0);
    return counter >= first_one && counter - first_one < count * field.counters_in();
  }
  /// @return whether a field is for all counters: it stands once, where nothing else tells counters apart
  [[nodiscard]] bool is_for_all(const FieldDescription& field) const noexcept {
    const bool is_of_first = field.first || (field.role == Role::event && first != 0);
    return count == 1 && field.counters_in() == 1 && !is_of_first;
  }
  [[nodiscard]] Reach reach_of(const FieldDescription& field) const noexcept {
    if (field.counters) return Reach::range;
    return is_for_all(field) ? Reach::all : Reach::each;
  }
};

/// Registers at one range of addresses.
struct WindowDescription {
  std::string name;        ///< empty: it is the PMU's only one
  std::uint64_t base = 0;  ///< from the start of the socket's addresses
  std::uint64_t size = 0x1000;
  unsigned bar = 0;  ///< of a PCI function: the base address register that it is
};

/// A function of PCI Express, which Linux finds by reading configuration space.
struct PciFunctionDescription {
  std::uint16_t segment = 0;  ///< on socket 0; socket s has this plus s
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;
  std::uint16_t vendor_id = 0;
  std::uint16_t device_id = 0;
  std::uint32_t class_code = 0x11'0100;     ///< that of performance counters
  std::optional<std::uint8_t> bus_below{};  ///< it is a root port above that bus
};

/// A device that a PMU's device is below. Those that are alike are one.
struct ParentDescription {
  std::string hid;                     ///< ACPI; empty: a node of a device tree
  std::string uid;                     ///< ACPI
  std::string compatible;              ///< device tree
  std::vector<std::string> windows{};  ///< of the PMU that are its own
};

/// How firmware tells of a described PMU that is no CoreSight PMU.
struct DeviceDescription {
  std::string hid;         ///< ACPI; empty: a node of a device tree, or a PCI function
  std::string uid;         ///< ACPI; before a '/', that of the container that it is in
  std::string compatible;  ///< device tree
  std::optional<PciFunctionDescription> pci{};
  std::vector<PciFunctionDescription> pci_others{};  ///< that its driver looks for
  std::optional<ParentDescription> below{};
  std::vector<std::pair<std::string, std::uint64_t>> properties;
  std::string module;           ///< the kernel module that drives it
  bool overflow_loses = false;  ///< its driver loses what happens while it handles an overflow: random cases have none
  bool takes_groups = true;     ///< its driver takes groups of events: random cases have some
  bool refuses_groups = true;   ///< its driver refuses groups that do not fit: random cases have some
  bool reading_loses = false;   ///< its driver loses what happens while it reads: random cases do not read meanwhile
  bool one_event = false;       ///< its driver's events disturb one another: random cases have one at a time
  bool keeps_cpu = false;       ///< its driver opens no events when its first CPU has gone: random cases keep that one
  std::string needs;            ///< terms without which its driver refuses an event: random cases have them
};

/// A term of perf that is a part of an event's number, or all of it.
struct NumberTerm {
  std::string name = "event";
  std::string format = "config:0-7";  ///< where the driver publishes it
  BitRange bits{0, 64};               ///< of the number
};

/// Counters of which each goes with one of the first: it is selected, enabled and filtered by the same fields, and shares
/// its interrupt and overflow status.
struct TwinDescription {
  unsigned first = 0;        ///< counter that goes with counter 0
  std::uint64_t number = 0;  ///< the number of its event is that in the selector plus this
};

/// The registers of a PMU that is no CoreSight PMU.
struct RegisterMap {
  std::vector<WindowDescription> windows;
  std::vector<RegisterDescription> registers;
  DeviceDescription device;
  std::vector<NumberTerm> number_terms = {{}};
  std::optional<TwinDescription> twins{};
  bool runs_by_event = false;  ///< its driver starts and stops counters one by one, and not when perf turns the PMU on
};

/// A term of a driver that does not say what is counted, such as how many counters are to count it.
struct TermDescription {
  std::string name;
  std::string format;     ///< where the driver publishes it
  unsigned counters = 1;  ///< that an event with it takes
};

/// Terms that a driver must not take together.
struct RefusedTerms {
  std::vector<std::pair<std::string, std::uint64_t>> terms;
  std::string error = "EINVAL";
};

/// Counters of another width than the others.
struct WidthDescription {
  BitRange counters;
  unsigned width = 64;
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
  std::vector<WidthDescription> widths{};  ///< of a PMU with a register map
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
  std::vector<TermDescription> terms{};  ///< of a PMU with a register map
  std::vector<RefusedTerms> refused{};   ///< of a PMU with a register map
  std::optional<RegisterMap> map{};      ///< nothing: it is a CoreSight PMU
  std::string identifier{};              ///< of a PMU with a register map: its driver's file of that name; empty: any
};

/// @return bits of a counter of a PMU with a register map: as many as `widths` says, or else as the PMU says or its registers
///         show, whichever are fewer
[[nodiscard]] inline unsigned width_of(const PmuDescription& pmu, unsigned counter) {
  for (const WidthDescription& its : pmu.widths) {
    if (counter >= its.counters.first && counter - its.counters.first < its.counters.width) return its.width;
  }
  unsigned shown = 0;
  for (const RegisterDescription& reg : pmu.map->registers) {
    for (const FieldDescription& field : reg.fields) {
      if (field.role == Role::counter && (field.selected || reg.stands_for(field, counter)))
        shown = std::max(shown, field.shift + field.bits.width);
    }
  }
  return shown == 0 ? pmu.width : std::min(shown, pmu.width);
}

/// @return the fewest bits of those of its counters that `widths` does not list
[[nodiscard]] inline unsigned width_of(const PmuDescription& pmu) {
  unsigned width = pmu.width;
  for (unsigned counter = 0; pmu.map && counter < pmu.counters; ++counter) {
    const bool is_listed = std::ranges::any_of(
        pmu.widths, [&](const auto& its) { return counter - its.counters.first < its.counters.width; });
    if (!is_listed) width = std::min(width, width_of(pmu, counter));
  }
  return width;
}

struct Description {
  std::vector<SourceDescription> sources;
  std::vector<PmuDescription> pmus;
};

}  // namespace pmufab::soc
