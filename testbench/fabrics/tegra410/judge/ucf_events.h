// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pmufab::scoreboard {

/// The events of the UCF that traffic causes (cycles are counted from time, not here).
enum class UcfEvent : std::uint8_t {
  slc_allocate,
  slc_wb,
  slc_refill_rd,
  slc_refill_wr,
  slc_access_rd,
  slc_access_wr,
  slc_bytes_rd,
  slc_bytes_wr,
  slc_hit_rd,
  mem_access_rd,
  mem_access_wr,
  mem_bytes_rd,
  mem_bytes_wr,
  local_snoop,
  ext_snp_access,
  ext_snp_evict,
  slc_access_dataless,
  slc_access_atomic,
};
inline constexpr std::size_t kUcfEvents = 18;

/// The source of an event, seen from one UCF. The value is the bit number in the event filter.
enum class Source : std::uint8_t { loc_noncpu, loc_cpu, rem };
inline constexpr std::size_t kSources = 3;
inline constexpr std::uint32_t kAllSources = 0x7;

/// The destination of an event, seen from one UCF. The value is the bit number in the destination half of the filter.
enum class Destination : std::uint8_t { loc_cmem, loc_gmem, loc_other, rem };
inline constexpr std::size_t kDestinations = 4;
inline constexpr std::uint32_t kAllDestinations = 0xf;

/// perf's name of an event, for example "slc_access_rd".
[[nodiscard]] std::string_view to_string(UcfEvent event) noexcept;
/// The number perf's raw `event=` term takes, for example 0x111.
[[nodiscard]] std::uint32_t event_number(UcfEvent event) noexcept;
[[nodiscard]] std::optional<UcfEvent> event_of_number(std::uint64_t number) noexcept;
[[nodiscard]] std::optional<UcfEvent> event_of_name(std::string_view name) noexcept;
[[nodiscard]] std::string_view to_string(Source source) noexcept;            ///< "loc_cpu"
[[nodiscard]] std::string_view to_string(Destination destination) noexcept;  ///< "loc_cmem"

/// Amounts of one event by source and destination.
struct EventMatrix {
  std::array<std::array<std::uint64_t, kDestinations>, kSources> amount{};

  [[nodiscard]] std::uint64_t& at(Source source, Destination destination) noexcept;
  [[nodiscard]] std::uint64_t at(Source source, Destination destination) const noexcept;
  /// @return the sum over the sources and destinations whose bit is set.
  [[nodiscard]] std::uint64_t sum(std::uint32_t sources = kAllSources,
                                  std::uint32_t destinations = kAllDestinations) const noexcept;
  EventMatrix& operator+=(const EventMatrix& other) noexcept;
  EventMatrix& operator-=(const EventMatrix& other) noexcept;
  bool operator==(const EventMatrix&) const = default;
};

/// Amounts of all events at one UCF.
struct UcfTally {
  std::array<EventMatrix, kUcfEvents> event{};

  [[nodiscard]] EventMatrix& operator[](UcfEvent e) noexcept { return event[static_cast<std::size_t>(e)]; }
  [[nodiscard]] const EventMatrix& operator[](UcfEvent e) const noexcept { return event[static_cast<std::size_t>(e)]; }
  void count(UcfEvent e, Source source, Destination destination, std::uint64_t by = 1) noexcept {
    (*this)[e].at(source, destination) += by;
  }
  UcfTally& operator+=(const UcfTally& other) noexcept;
  UcfTally& operator-=(const UcfTally& other) noexcept;
  bool operator==(const UcfTally&) const = default;
};

}  // namespace pmufab::scoreboard
