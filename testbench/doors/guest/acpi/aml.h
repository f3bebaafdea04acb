// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// ACPI Machine Language, as far as a DSDT of devices needs it. Each function returns the encoding of a term (ACPI 6.5,
/// chapter 20). Names have four characters.
namespace pmufab::guest::aml {

using Term = std::string;

/// A variable of a method; also the target of an operation.
inline const Term kLocal0 = "\x60";
/// @return argument `number` (0 ... 6) of the method.
[[nodiscard]] Term argument(unsigned number);

[[nodiscard]] Term integer(std::uint64_t value);
/// @param text ASCII without zero bytes
[[nodiscard]] Term string(std::string_view text);
[[nodiscard]] Term buffer(std::string_view bytes);
/// @throws std::length_error for more than 255 elements
[[nodiscard]] Term package(const std::vector<Term>& elements);
/// @param text "33db4d5b-1ff7-401c-9657-7441c03dd766"
[[nodiscard]] Term uuid(std::string_view text);
/// @param text a compressed EISA id such as "PNP0A08"
[[nodiscard]] Term eisa_id(std::string_view text);

[[nodiscard]] Term name(std::string_view name, const Term& value);
[[nodiscard]] Term device(std::string_view name, const std::vector<Term>& objects);
/// @param path "\\_SB_"
[[nodiscard]] Term scope(std::string_view path, const std::vector<Term>& objects);
/// A serialized method: one thread at a time runs it.
[[nodiscard]] Term method(std::string_view name, unsigned arguments, const std::vector<Term>& body);

[[nodiscard]] Term if_then(const Term& condition, const std::vector<Term>& body);
/// Follows an if_then().
[[nodiscard]] Term otherwise(const std::vector<Term>& body);
[[nodiscard]] Term equal(const Term& left, const Term& right);
[[nodiscard]] Term greater(const Term& left, const Term& right);
[[nodiscard]] Term either(const Term& left, const Term& right);
[[nodiscard]] Term negation(const Term& condition);
/// target = left & right, target = left | right
[[nodiscard]] Term bit_and(const Term& left, const Term& right, const Term& target);
[[nodiscard]] Term bit_or(const Term& left, const Term& right, const Term& target);
[[nodiscard]] Term store(const Term& value, const Term& target);
/// Makes `name` a field: four bytes of a buffer from `offset` on.
[[nodiscard]] Term dword_field(const Term& buffer, std::uint64_t offset, std::string_view name);
[[nodiscard]] Term return_value(const Term& value);

/// Resource descriptors (ACPI 6.5, section 6.4), for resources().
enum class Use : std::uint8_t { consumer, producer };  ///< a producer passes the range to the devices below it
[[nodiscard]] std::string memory_range(std::uint64_t base, std::uint64_t size, Use use);
/// Ports 0 ... size - 1 at addresses from `base` on, for the devices below.
[[nodiscard]] std::string port_window(std::uint64_t base, std::uint64_t size);
[[nodiscard]] std::string bus_numbers(std::uint16_t first, std::uint16_t last);
/// An interrupt that is not shared, active high.
[[nodiscard]] std::string interrupt(std::uint32_t number, bool is_edge);
/// The value of a _CRS.
[[nodiscard]] Term resources(std::string_view descriptors);

}  // namespace pmufab::guest::aml
