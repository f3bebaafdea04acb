// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/cpmu/cpmu_registers.h"

#include <array>

namespace pmufab::cxl {
namespace {

// Names, offsets and fields: CXL 3.1, 8.2.7.1 and 8.2.7.2. The constructor of Cpmu limits them to the parameters. Which
// fields of a configuration can be written depends on the type of its counter; Cpmu handles that.

using enum Access;

constexpr FieldSpec kCapabilityFields[] = {
    {"Number of Counter Units", 0, 6, ro, 0, "less one"},
    {"Counter Width", 8, 8, ro, 0, "bits"},
    {"Number of Event Capabilities Supported", 20, 5, ro, 0, "less one"},
    {"Filters Supported", 32, 8, ro, 0, "bit 0: HDM decoder, bit 1: channel, rank, bank group, bank"},
    {"Interrupt Message Number", 44, 4, ro, 0, "MSI-X: table entry"},
    {"Counters Writable While Frozen", 48, 1, ro},
    {"Counter Freeze Supported", 49, 1, ro},
    {"Interrupt on Overflow Support", 50, 1, ro},
    {"CPMU Capability Version", 60, 4, ro, 1},
};
constexpr FieldSpec kOverflowFields[] = {{"Overflow Status", 0, 64, w1c, 0, "one bit per counter"}};
constexpr FieldSpec kFreezeFields[] = {{"Freeze", 0, 64, rw, 0, "one bit per counter; reads the present state"}};
constexpr FieldSpec kEventCapabilityFields[] = {
    {"Supported Events", 0, 32, ro, 0, "one bit per event of the group"},
    {"Event Group ID", 32, 16, ro},
    {"Event Vendor ID", 48, 16, ro, 0, "0x1e98: defined by the CXL specification"},
};
constexpr FieldSpec kConfigurationFields[] = {
    {"Counter Type", 0, 2, ro, 0, "0 free-running, 1 fixed function, 2 configurable"},
    {"Counter Enable", 8, 1, rw},
    {"Interrupt on Overflow", 9, 1, rw},
    {"Global Freeze on Overflow", 10, 1, rw},
    {"Edge", 11, 1, rw},
    {"Invert", 12, 1, rw},
    {"Threshold", 16, 8, rw, 1, "0: add up events; else count clocks with as many"},
    {"Events", 24, 32, rw, 0, "which of the group"},
    {"Event Group ID Index", 59, 5, rw, 0, "which event capability"},
};
constexpr FieldSpec kHdmFilterFields[] = {
    {"HDM Decoder", 0, 32, rw, 0xffff'ffff, "one bit per decoder; all ones: any address"},
};
constexpr FieldSpec kDdrFilterFields[] = {
    {"Bank", 0, 8, rw, 0xff, "0xff: any"},
    {"Bank Group", 8, 8, rw, 0xff, "0xff: any"},
    {"Rank", 16, 8, rw, 0xff, "0xff: any"},
    {"Channel", 24, 8, rw, 0xff, "0xff: any"},
};
constexpr FieldSpec kCounterFields[] = {{"Counter Data", 0, 64, rw, 0, "bits beyond the width read 0"}};

constexpr std::array kCpmuRegisters{
    RegisterSpec{"CPMU Capability", 0x000, 64, kCapabilityFields, 1, 0, false, "CXL 3.1, 8.2.7.1.1"},
    RegisterSpec{"CPMU Overflow Status", 0x010, 64, kOverflowFields, 1, 0, false, "CXL 3.1, 8.2.7.1.2"},
    RegisterSpec{"CPMU Freeze", 0x018, 64, kFreezeFields, 1, 0, false, "CXL 3.1, 8.2.7.1.3"},
    RegisterSpec{"CPMU Event Capabilities", 0x100, 64, kEventCapabilityFields, 32, 8, false, "CXL 3.1, 8.2.7.1.4"},
    RegisterSpec{"Counter Unit Configuration", 0x200, 64, kConfigurationFields, 64, 8, false, "CXL 3.1, 8.2.7.2.1"},
    RegisterSpec{"Filter ID 0", 0x400, 32, kHdmFilterFields, 64, 32, false, "CXL 3.1, 8.2.7.2.2"},
    RegisterSpec{"Filter ID 1", 0x404, 32, kDdrFilterFields, 64, 32, false, "CXL 3.1, 8.2.7.2.2"},
    RegisterSpec{"Counter Data", 0xc00, 64, kCounterFields, 64, 8, false, "CXL 3.1, 8.2.7.2.3"},
};
static_assert(layout_is_valid(kCpmuRegisters, kCpmuRegisterBytes));

}  // namespace

std::span<const RegisterSpec> cpmu_registers() { return kCpmuRegisters; }

}  // namespace pmufab::cxl
