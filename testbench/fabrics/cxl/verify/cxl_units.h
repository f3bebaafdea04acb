// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/cxl/verify/cxl_events.h"
#include "testbench/fabrics/cxl/verify/cxl_machine.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// What is common to all events on the configurable counters of a CPMU.
struct CxlProgram {
  std::uint32_t mask = 0;  ///< of event capability 0
  bool edge = false;
  bool invert = false;
};

/// @return an event capability that the device can have.
[[nodiscard]] CxlGroup cxl_group(Random& random, const CxlDevice& device);
/// @return some of the events of a mask, often one.
[[nodiscard]] std::uint32_t cxl_some(Random& random, std::uint32_t mask);

/// @return a CPMU that the driver serves, with counters that do not wrap by traffic.
[[nodiscard]] CxlUnit cxl_unit(Random& random, const CxlDevice& device, CxlProgram& program);

/// Remove the fixed counters of which a second event goes to a configurable counter: it would be programmed with another
/// group (kProgrammedGroup), or its mask would stay there (kProgramsStay).
void cxl_remove_spilling(CxlUnit& unit);

/// @return true if the driver takes such an event (as far as it is about vendor, group and mask).
[[nodiscard]] bool cxl_takes(const CxlUnit& unit, std::uint16_t vendor, std::uint16_t group, std::uint32_t mask);

/// @return the event of the program of the configurable counters, with a threshold and filters of its own.
[[nodiscard]] CxlRequest cxl_configurable_request(Random& random, const CxlDevice& device, const CxlUnit& unit,
                                                  const CxlProgram& program, std::string_view kernel);
/// @return the event of a fixed counter.
[[nodiscard]] CxlRequest cxl_fixed_request(Random& random, const CxlDevice& device, const CxlUnit& unit,
                                           const CxlBuiltIn& counter, std::string_view kernel);
/// Perhaps let the request count only what some filters pass, as far as the CPMU and that kernel's driver have them.
void cxl_add_filters(Random& random, const CxlDevice& device, const CxlUnit& unit, std::string_view kernel,
                     CxlRequest& request);
/// @return an event that the driver refuses, if one was found.
[[nodiscard]] std::optional<std::string> cxl_refused(Random& random, const std::string& pmu, const CxlUnit& unit,
                                                     std::string_view kernel);

/// @return the CPMU as an item of a device's `cpmus`.
[[nodiscard]] scenario::Value cxl_unit_value(const CxlUnit& unit);

}  // namespace pmufab::verify
