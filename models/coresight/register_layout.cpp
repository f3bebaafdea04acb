// SPDX-License-Identifier: Apache-2.0
#include "models/coresight/register_layout.h"

#include <algorithm>
#include <array>

namespace pmufab::coresight {

namespace {

// Offsets and fields are those the Linux driver's arm_cspmu.h and arm_cspmu.c use (6.12 to 7.3); their meaning is that
// of Arm IHI 0091. The constructor of the PMU limits the number of elements to the counters that exist.

using enum Access;

constexpr FieldSpec kCounterFields32[] = {{"EVCNT", 0, 32, rw}};
constexpr FieldSpec kCounterFields64[] = {{"EVCNT", 0, 64, rw}};
constexpr FieldSpec kTypeFields32[] = {{"EVENT", 0, 32, rw}};
constexpr FieldSpec kTypeFields64[] = {{"EVENT", 0, 64, rw}};
constexpr FieldSpec kFilterFields32[] = {{"FILTER", 0, 32, rw}};
constexpr FieldSpec kFilterFields64[] = {{"FILTER", 0, 64, rw}};
constexpr FieldSpec kSetFields32[] = {{"P", 0, 32, w1s, 0, "one bit per counter; reads the present mask"}};
constexpr FieldSpec kSetFields64[] = {{"P", 0, 64, w1s, 0, "one bit per counter; reads the present mask"}};
constexpr FieldSpec kClearFields32[] = {{"P", 0, 32, w1c, 0, "one bit per counter; reads the present mask"}};
constexpr FieldSpec kClearFields64[] = {{"P", 0, 64, w1c, 0, "one bit per counter; reads the present mask"}};
constexpr FieldSpec kMaskFields64[] = {{"P", 0, 64, rw, 0, "one bit per counter"}};

constexpr FieldSpec kImplementationFields[] = {{"VALUE", 0, 32, rw, 0, "its meaning is the part's own"}};

constexpr FieldSpec kConfigFields[] = {
    {"N", 0, 8, ro, 0, "counters less one, the cycle counter included"},
    {"SIZE", 8, 6, ro, 0, "bits of a counter less one"},
    {"CC", 14, 1, ro, 0, "cycle counter present"},
    {"CCD", 15, 1, ro, 0, "cycle counter prescale"},
    {"EX", 16, 1, ro, 0, "export"},
    {"NA", 17, 1, ro, 0, "no write access while running"},
    {"UEN", 19, 1, ro, 0, "user mode enable"},
    {"MSI", 20, 1, ro, 0, "message signalled interrupts"},
    {"FZO", 21, 1, ro, 0, "freeze on overflow"},
    {"SS", 22, 1, ro, 0, "snapshot"},
    {"TRO", 23, 1, ro, 0, "trace on overflow"},
    {"HDBG", 24, 1, ro, 0, "halt on debug"},
    {"NCG", 28, 4, ro, 0, "counter groups"},
};
// The other control bits belong to features that PMCFGR does not announce.
constexpr FieldSpec kControlFields[] = {
    {"E", 0, 1, rw, 0, "counting enabled"},        {"P", 1, 1, wo, 0, "reset the event counters"},
    {"C", 2, 1, wo, 0, "reset the cycle counter"}, {"D", 3, 1, raz_wi, 0, "PMCFGR.CCD = 0"},
    {"X", 4, 1, raz_wi, 0, "PMCFGR.EX = 0"},       {"DP", 5, 1, raz_wi},
    {"NA", 8, 1, raz_wi, 0, "PMCFGR.NA = 0"},      {"FZO", 9, 1, raz_wi, 0, "PMCFGR.FZO = 0"},
    {"HDBG", 10, 1, raz_wi, 0, "PMCFGR.HDBG = 0"}, {"TRO", 11, 1, raz_wi, 0, "PMCFGR.TRO = 0"},
};
constexpr FieldSpec kNoControlFields[] = {
    {"PMCR_OF_THE_32BIT_LAYOUT", 0, 32, unimplemented, 0, "this layout has PMCR at 0xe10"},
};
constexpr FieldSpec kImplementerFields[] = {
    {"Implementer", 0, 12, ro, 0, "JEP106: [6:0] identity, [11:8] continuation"},
    {"Revision", 12, 4, ro},
    {"Variant", 16, 4, ro},
    {"ProductID", 20, 12, ro},
};
constexpr FieldSpec kArchitectureFields[] = {
    {"ARCHPART", 0, 12, ro, 0, "0xaf4, 0xaf5: 64-bit layout"},
    {"ARCHVER", 12, 4, ro},
    {"REVISION", 16, 4, ro},
    {"PRESENT", 20, 1, ro},
    {"ARCHITECT", 21, 11, ro},
};
constexpr FieldSpec kPidr0Fields[] = {{"PART_0", 0, 8, ro}};
constexpr FieldSpec kPidr1Fields[] = {{"PART_1", 0, 4, ro}, {"DES_0", 4, 4, ro}};
constexpr FieldSpec kPidr2Fields[] = {{"DES_1", 0, 3, ro}, {"JEDEC", 3, 1, ro}, {"REVISION", 4, 4, ro}};
constexpr FieldSpec kPidr3Fields[] = {{"CMOD", 0, 4, ro}, {"REVAND", 4, 4, ro}};
constexpr FieldSpec kPidr4Fields[] = {{"DES_2", 0, 4, ro}, {"SIZE", 4, 4, ro}};

// Three maps of counters: up to 32 bits; wider with 8-byte accesses; wider as two halves that are separate registers.
constexpr std::array kCounters32{RegisterSpec{"PMEVCNTR", 0x000, 32, kCounterFields32, 256, 4}};
constexpr std::array kCounters64{RegisterSpec{"PMEVCNTR", 0x000, 64, kCounterFields64, 128, 8, true}};
constexpr std::array kCounterHalves{RegisterSpec{"PMEVCNTR_LO", 0x000, 32, kCounterFields32, 128, 8},
                                    RegisterSpec{"PMEVCNTR_HI", 0x004, 32, kCounterFields32, 128, 8}};

constexpr std::array kOverflow32{RegisterSpec{"PMOVSCLR", 0xc80, 32, kClearFields32, 8, 4},
                                 RegisterSpec{"PMOVSSET", 0xcc0, 32, kSetFields32, 8, 4}};
constexpr std::array kOverflow64{RegisterSpec{"PMOVSCLR", 0xc80, 64, kClearFields64, 2, 8, true},
                                 RegisterSpec{"PMOVSSET", 0xcc0, 64, kSetFields64, 2, 8, true}};

// Counters 128 and above have no filters: their addresses hold other registers.
constexpr std::array kRest32{
    RegisterSpec{"PMEVTYPER", 0x400, 32, kTypeFields32, 256, 4, false, "element 31 is PMCCFILTR"},
    RegisterSpec{"PMEVFILT2R", 0x800, 32, kFilterFields32, 128, 4},
    RegisterSpec{"PMEVFILTR", 0xa00, 32, kFilterFields32, 128, 4},
    RegisterSpec{"PMCNTENSET", 0xc00, 32, kSetFields32, 8, 4},
    RegisterSpec{"PMCNTENCLR", 0xc20, 32, kClearFields32, 8, 4},
    RegisterSpec{"PMINTENSET", 0xc40, 32, kSetFields32, 8, 4},
    RegisterSpec{"PMINTENCLR", 0xc60, 32, kClearFields32, 8, 4},
    RegisterSpec{"PMCFGR", 0xe00, 32, kConfigFields},
    RegisterSpec{"PMCR", 0xe04, 32, kControlFields},
    RegisterSpec{"PMIIDR", 0xe08, 32, kImplementerFields},
    RegisterSpec{"PMDEVARCH", 0xfbc, 32, kArchitectureFields},
    RegisterSpec{"PMPIDR4", 0xfd0, 32, kPidr4Fields},
    RegisterSpec{"PMPIDR0", 0xfe0, 32, kPidr0Fields},
    RegisterSpec{"PMPIDR1", 0xfe4, 32, kPidr1Fields},
    RegisterSpec{"PMPIDR2", 0xfe8, 32, kPidr2Fields},
    RegisterSpec{"PMPIDR3", 0xfec, 32, kPidr3Fields},
};
constexpr std::array kRest64{
    RegisterSpec{"PMEVTYPER", 0x400, 64, kTypeFields64, 64, 8, true, "element 31 is PMCCFILTR"},
    RegisterSpec{"PMEVFILT2R", 0x800, 64, kFilterFields64, 64, 8, true},
    RegisterSpec{"PMEVFILTR", 0xa00, 64, kFilterFields64, 64, 8, true},
    RegisterSpec{"PMCNTENSET", 0xc00, 64, kSetFields64, 2, 8, true},
    RegisterSpec{"PMCNTEN", 0xc10, 64, kMaskFields64, 2, 8, true},
    RegisterSpec{"PMCNTENCLR", 0xc20, 64, kClearFields64, 2, 8, true},
    RegisterSpec{"PMINTENSET", 0xc40, 64, kSetFields64, 2, 8, true},
    RegisterSpec{"PMINTENCLR", 0xc60, 64, kClearFields64, 2, 8, true},
    RegisterSpec{"PMCFGR", 0xe00, 32, kConfigFields},
    RegisterSpec{"PMCFGR_HI", 0xe04, 32, kNoControlFields},
    RegisterSpec{"PMIIDR", 0xe08, 64, kImplementerFields, 1, 0, true},
    RegisterSpec{"PMCR", 0xe10, 64, kControlFields, 1, 0, true},
    RegisterSpec{"PMDEVARCH", 0xfbc, 32, kArchitectureFields},
    RegisterSpec{"PMPIDR4", 0xfd0, 32, kPidr4Fields},
    RegisterSpec{"PMPIDR0", 0xfe0, 32, kPidr0Fields},
    RegisterSpec{"PMPIDR1", 0xfe4, 32, kPidr1Fields},
    RegisterSpec{"PMPIDR2", 0xfe8, 32, kPidr2Fields},
    RegisterSpec{"PMPIDR3", 0xfec, 32, kPidr3Fields},
};

constexpr std::array<RegisterSpec, 0> kNothing{};
constexpr std::array kImplementationDefined{RegisterSpec{"PMIMPDEF", 0xd80, 32, kImplementationFields, 32, 4}};

template <std::size_t... Sizes>
constexpr auto join(const std::array<RegisterSpec, Sizes>&... parts) {
  std::array<RegisterSpec, (Sizes + ...)> all{};
  auto at = all.begin();
  ((at = std::copy(parts.begin(), parts.end(), at)), ...);
  return all;
}

template <const auto&... kParts>
struct Layout {
  static constexpr auto kRegisters = join(kParts...);
  static_assert(layout_is_valid(kRegisters, kPageSize));
};

template <const auto& kMore>
std::span<const RegisterSpec> page0_with(const CoreSightPmuOptions& options) {
  const bool halves = options.width > 32 && !options.atomic_64bit;
  if (options.ext64) {
    if (options.dual_page) return Layout<kRest64, kMore>::kRegisters;
    if (halves) return Layout<kCounterHalves, kRest64, kOverflow64, kMore>::kRegisters;
    return Layout<kCounters64, kRest64, kOverflow64, kMore>::kRegisters;
  }
  if (options.dual_page) return Layout<kRest32, kMore>::kRegisters;
  if (halves) return Layout<kCounterHalves, kRest32, kOverflow32, kMore>::kRegisters;
  if (options.width > 32) return Layout<kCounters64, kRest32, kOverflow32, kMore>::kRegisters;
  return Layout<kCounters32, kRest32, kOverflow32, kMore>::kRegisters;
}

}  // namespace

std::span<const RegisterSpec> page0_layout(const CoreSightPmuOptions& options) {
  return options.implementation_defined == 0 ? page0_with<kNothing>(options)
                                             : page0_with<kImplementationDefined>(options);
}

std::span<const RegisterSpec> page1_layout(const CoreSightPmuOptions& options) {
  const bool halves = options.width > 32 && !options.atomic_64bit;
  if (options.ext64) {
    if (halves) return Layout<kCounterHalves, kOverflow64>::kRegisters;
    return Layout<kCounters64, kOverflow64>::kRegisters;
  }
  if (halves) return Layout<kCounterHalves, kOverflow32>::kRegisters;
  if (options.width > 32) return Layout<kCounters64, kOverflow32>::kRegisters;
  return Layout<kCounters32, kOverflow32>::kRegisters;
}

}  // namespace pmufab::coresight
