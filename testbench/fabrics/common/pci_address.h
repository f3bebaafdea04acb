// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "testbench/run/yaml/reader.h"

namespace pmufab::scenario {

/// The place of a PCI Express function.
struct PciAddress {
  std::uint16_t segment = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;
};

/// Read a text such as "0001:30:03.0": segment, bus, device and function in hexadecimal digits.
/// @param otherwise  the text, if the key is missing; empty: it is required
/// @param what       that is there, for messages: "a root port"
/// @throws InputError if it is no such text
[[nodiscard]] PciAddress read_pci_address(Reader& reader, std::string_view key, std::string_view otherwise,
                                          std::string_view what);

}  // namespace pmufab::scenario
