// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/platform/platform_spec.h"
#include "models/platform/pmu_window.h"
#include "models/soc/wire/description.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::platform {

/// One described PMU of one socket: what bus, firmware, dumps and judges must know about it. Plain data.
struct SocPmuRow {
  std::size_t pmu = 0;  ///< index in SocSpec::pmus
  unsigned socket = 0;
  std::string name;       ///< as dumps and the bus show it: "socket0.noc"
  std::string perf_name;  ///< as drivers of Linux 7.3 and later call it
  /// As earlier ones do, which number PMUs of some types in the order of the firmware table.
  std::string old_perf_name;
  std::vector<PmuWindow> windows;
  // The line of the interrupt is filled in by the platform.
  ApmtNode apmt{};                     ///< of a CoreSight PMU
  std::optional<AcpiDevice> device{};  ///< of any other
  std::optional<AcpiDevice> parent{};  ///< what that is below, with what this PMU adds to it
};

/// @return where a PMU is described, for messages: "coresight_pmus[0].", "pmus[1]."
[[nodiscard]] std::string field_of(const soc::Description& description, std::size_t pmu);

/// @return the described PMUs, as firmware lists them.
[[nodiscard]] std::vector<SocPmuRow> soc_pmus(const PlatformSpec& spec);

/// @throws SpecError for the first thing in SocSpec that is impossible
void check_soc(const PlatformSpec& spec);

/// @return the number of a source of a socket (OccurrenceObserver).
[[nodiscard]] inline unsigned source_number(const PlatformSpec& spec, std::size_t source, unsigned socket) noexcept {
  return static_cast<unsigned>(source) * spec.sockets + socket;
}

/// The PMUs by description of a platform, CoreSight PMUs first, and the sources that they count.
struct SocSpec final : PartSpec, soc::Description {
  void check(const PlatformSpec& platform) const override;
  [[nodiscard]] PartClaims claims(const PlatformSpec& platform) const override;
  void make(const PlatformSpec& platform, PlatformParts& parts) const override;
};

}  // namespace pmufab::platform
