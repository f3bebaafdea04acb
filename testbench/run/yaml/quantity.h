// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pmufab::scenario {

/// What a number in a configuration file measures.
///
/// Written as "<number> <unit>", the blank optional, the number with decimals if the result is a whole number of the
/// base unit: "2.4 GHz", "64 MiB", "1.5us". Whole numbers may be hexadecimal (0x...) and may contain '_' between
/// digits.
enum class Quantity : std::uint8_t {
  count,      ///< no unit
  address,    ///< as bytes, but written in hexadecimal
  frequency,  ///< base Hz: Hz, kHz, MHz, GHz, THz; without a unit: Hz
  bytes,      ///< base byte: B, KiB, MiB, GiB, TiB, PiB (and kB, MB, GB, TB in powers of 1000); without a unit: bytes
  duration,   ///< base picosecond: ps, ns, us, ms, s, min, h; the unit is required except for 0
};

/// @return the value of `text` in base units
/// @throws std::invalid_argument whose what() is a reason that can follow the quoted text: "is not a number", ...
[[nodiscard]] std::uint64_t parse_quantity(std::string_view text, Quantity quantity);

/// @return the value with the largest unit that needs no decimals, as parse_quantity reads it: "2400 MHz", "64 MiB".
[[nodiscard]] std::string format_quantity(std::uint64_t value, Quantity quantity);

/// @return "a number", "a time" ..., for messages.
[[nodiscard]] std::string_view name_of(Quantity quantity) noexcept;

/// @return an example for messages, such as "for example 2.4 GHz".
[[nodiscard]] std::string_view example_of(Quantity quantity) noexcept;

}  // namespace pmufab::scenario
