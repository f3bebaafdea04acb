// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/home/home_events.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "models/cmn/nodes/modelled_events.h"

namespace pmufab::cmn {

namespace {

/// By HomeEvent.
constexpr HomeEventIds kIds{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c,
                            0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x14, 0x15, 0x17, 0x18, 0x19, 0x1a, 0x1c,
                            0x1d, 0x1e, 0x1f, 0x25, 0x26, 0x27, 0x28, 0x2d, 0x3a, 0x3b, 0x3c, 0x3d};
static_assert(kIds[static_cast<std::size_t>(HomeEvent::txdat_stall)] == 0x14);
static_assert(kIds[static_cast<std::size_t>(HomeEvent::sf_evict_shared_line)] == 0x25);
static_assert(kIds[static_cast<std::size_t>(HomeEvent::readonce_hazard_detected)] == 0x3d);

struct UnmodelledEvent {
  std::uint8_t id;
  std::string_view reason;
};
constexpr UnmodelledEvent kUnmodelled[] = {
    {0x12, "atomic data queues never fill"},
    {0x13, "atomic data queues never fill"},
    {0x16, "back-invalidations are never held back"},
    {0x1b, "every RN-F is tracked by the snoop filter"},
    {0x20, "requests never pass data from one POCQ entry to another"},
    {0x21, "no limits by PARTID"},
    {0x22, "no limits by PARTID"},
    {0x23, "the snoop filter tracks RN-Fs one by one, not in clusters"},
    {0x24, "the snoop filter is always precise"},
    {0x29, "POCQ entries are not reserved by QoS class"},
    {0x2a, "homes do not throttle memory"},
    {0x2b, "homes do not throttle memory"},
    {0x2c, "the snoop filter is always precise"},
    {0x2e, "no exclusive accesses"},
    {0x2f, "no exclusive accesses"},
    {0x30, "no snoop crosses a link of meshes"},
    {0x31, "no snoop crosses a link of meshes"},
    {0x32, "no snoop crosses a link of meshes"},
    {0x33, "no snoop crosses a link of meshes"},
    {0x34, "no snoop crosses a link of meshes"},
    {0x35, "no limits of POCQ entries by origin"},
    {0x36, "no limits of POCQ entries by origin"},
    {0x37, "an entry of the snoop filter is written once per request"},
    {0x38, "no exclusive accesses"},
    {0x39, "no snoop crosses a link of meshes"},
    {0x3e, "requests never pass data from one POCQ entry to another"},
    {0x40, "it is not public which group a memory belongs to"},
    {0x41, "it is not public which group a memory belongs to"},
    {0x42, "it is not public which group a memory belongs to"},
    {0x43, "it is not public which group a memory belongs to"},
    {0x44, "RN-Is give no hint to allocate"},
};

// Revision codes, PID2[7:4].
constexpr unsigned kCmn600R1P2 = 2;
constexpr unsigned kCmn650R2P0 = 3;
constexpr unsigned kCmn650R1P2 = 4;
constexpr unsigned kCmn700R1P0 = 1;
constexpr unsigned kCmn700R2P0 = 2;
constexpr unsigned kS3R2P0 = 3;

/// @return the highest event id an HN-F has.
unsigned last_of_hn_f(Product product, unsigned revision) noexcept {
  switch (product) {
    case Product::cmn600:
      return 0x1f;
    case Product::ci700:
      return 0x22;
    case Product::cmn650:
      return revision < kCmn650R2P0 || revision == kCmn650R1P2 ? 0x22 : 0x25;
    case Product::cmn700:
      if (revision < kCmn700R1P0) return 0x2b;
      return revision < kCmn700R2P0 ? 0x2c : 0x2f;
    default:
      return 0x2f;
  }
}

bool exists(Product product, unsigned revision, NodeType events, unsigned id) noexcept {
  if (events == NodeType::hn_f) {
    if (id == 0x1b) return product != Product::cmn600 || revision >= kCmn600R1P2;
    return id <= last_of_hn_f(product, revision);
  }
  const bool s3_r2 = product == Product::s3 && revision >= kS3R2P0;
  return id != 0x1b && (s3_r2 || id <= 0x3c);
}

}  // namespace

HomeEventIds home_event_ids(Product product, unsigned revision, NodeType events) noexcept {
  HomeEventIds ids = kIds;
  for (std::uint8_t& id : ids) {
    if (!exists(product, revision, events, id)) id = 0;
  }
  return ids;
}

std::string_view reason_of_home_event(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept {
  if (!exists(product, revision, events, event_id)) return kNoSuchEvent;
  if (std::find(kIds.begin(), kIds.end(), event_id) != kIds.end()) return {};
  const auto* const event = std::find_if(std::begin(kUnmodelled), std::end(kUnmodelled),
                                         [&](const UnmodelledEvent& one) { return one.id == event_id; });
  return event == std::end(kUnmodelled) ? kNoSuchEvent : event->reason;
}

}  // namespace pmufab::cmn
