// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

/// PCIe root ports with Synopsys DesignWare controllers: plain data. docs/platforms/dwc-root-ports.md says what each
/// member means.
namespace pmufab::dwc {

inline constexpr unsigned kMaximumLanes = 16;

/// A root port whose controller has the RAS DES capability.
struct RootPortDescription {
  std::string name;                  ///< unique in the platform, for traffic and dumps
  std::uint16_t vendor_id = 0x1ded;  ///< drivers know the capability by it
  std::uint16_t device_id = 0x8000;
  std::uint16_t segment = 0;
  std::uint8_t bus = 0;                    ///< a root bus of the segment
  std::uint8_t device = 0;                 ///< 0 ... 31; the function is 0
  unsigned lanes = 16;                     ///< 1, 2, 4, 8 or 16
  unsigned socket = 0;                     ///< whose CPUs are near
  std::uint64_t clock_hz = 1'000'000'000;  ///< of the controller's core: time-based analysis counts its cycles
  unsigned time_width = 64;                ///< bits of the counter of time-based analysis
  unsigned vsec_revision = 4;              ///< of the capability; drivers know revision 4
};

}  // namespace pmufab::dwc
