// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <linux/perf_event.h>

namespace pmufab::shell {

/// Bytes of struct perf_event_attr in the newest kernel whose drivers there are, Linux 7.3: PERF_ATTR_SIZE_VER9. A kernel
/// gives its number to a program whose structure does not fit. (This machine's headers may know fewer.)
inline constexpr std::size_t kAttributesSize = 144;

/// Check the flags of perf_event_open(). @return 0, or -EINVAL for one that the kernel does not know
[[nodiscard]] int check_open_flags(std::uint64_t flags);

/// Take over attributes as perf_copy_attr() and perf_event_open() do (kernel/events/core.c of Linux 7.3).
/// @param bytes  as many as the program's attributes have; none if that is more than a page
/// @return 0; -E2BIG for a size that no kernel had, or for bytes that this one does not know and that are not 0; -EINVAL
///         for reserved bits, and for what no event can have
[[nodiscard]] int take_attributes(std::span<const std::uint8_t> bytes, perf_event_attr& attributes);

}  // namespace pmufab::shell
