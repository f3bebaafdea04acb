// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::explore {

/// A change of the base scenario.
struct Setting {
  std::string text;  ///< as behind --set: "host.interrupt_delay=5 us"
  scenario::Source source;
};

/// One value of an axis.
struct AxisValue {
  std::string label;              ///< "5 us"
  std::vector<Setting> settings;  ///< none on an axis of drivers
  std::optional<double> number;   ///< in base units: ps, Hz, bytes
};

/// What a study varies: a list of values, in the order of the study.
struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  bool selects_drivers = false;  ///< the labels are versions of Linux
  scenario::Source source;
  std::string path;

  /// @return true if each value is a number
  [[nodiscard]] bool has_numbers() const noexcept;
};

/// Read one entry of `axes`.
/// @throws InputError
[[nodiscard]] Axis read_axis(const scenario::Value::Entry& entry, const std::string& path);

/// Settings of a map from paths to values.
/// @throws InputError if it is none, or if a path is not well formed
[[nodiscard]] std::vector<Setting> read_settings(const scenario::Value& map, const std::string& path);

/// @return the number of "0.5", "0x10", "5 us" or "2 GHz" in base units; nothing for other texts
[[nodiscard]] std::optional<double> number_of(const std::string& text);

}  // namespace pmufab::explore
