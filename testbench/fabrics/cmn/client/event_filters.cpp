// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/client/event_filters.h"

#include <algorithm>

namespace pmufab::cmn_client {
namespace {

// Fields, as the products before CMN S3 r2p0 have them.
constexpr FilterField kOccupancy{32, 3};
constexpr FilterField kClass{35, 2};
constexpr FilterField kOrigin{37, 2};  // hbt_lbt_sel
constexpr FilterField kTarget{39, 2};  // sn_home_sel
constexpr FilterField kBusy{42, 3};    // cbusy_snthrottle_sel
// A DVM node's is wider.
constexpr FilterField kOccupancyOfDvm{32, 4};

// Fields of an HN-S in a CMN S3 r2p0 or later.
namespace r2 {
constexpr FilterField kOccupancy{32, 4};
constexpr FilterField kClass{36, 2};
constexpr FilterField kOrigin{38, 2};
constexpr FilterField kTarget{40, 2};
constexpr FilterField kBusy{42, 4};
constexpr FilterField kSnoopChannel{46, 2};
constexpr FilterField kRequester{48, 4};  // enhanced_hbt_lbt_sel
constexpr FilterField kState{52, 3};      // evict_state_sel
}  // namespace r2

/// Events that have a field.
struct Row {
  EventFilters filters;
  std::array<std::uint8_t, 16> events;  // the rest is 0, which is no event
};

constexpr std::array<Row, 3> kRowsOfHnF{{
    {{kOccupancy}, {0x0f}},
    {{kClass}, {0x26, 0x27, 0x28, 0x29}},
    {{kBusy}, {0x2a, 0x2b}},
}};

constexpr std::array<Row, 5> kRowsOfHnS{{
    {{kOrigin}, {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11}},
    {{kTarget}, {0x0d, 0x3b}},
    {{kOccupancy}, {0x0f}},
    {{kClass}, {0x26, 0x27, 0x28, 0x29, 0x3c}},
    {{kBusy}, {0x2a, 0x2b}},
}};

constexpr std::array<Row, 8> kRowsOfHnSOfR2{{
    {{r2::kRequester}, {0x01, 0x02, 0x03, 0x06, 0x0b, 0x10, 0x11, 0x3d, 0x3e, 0x44}},
    {{r2::kOccupancy}, {0x04, 0x05, 0x0f}},
    {{r2::kOrigin, r2::kState}, {0x07, 0x0a}},
    {{r2::kSnoopChannel}, {0x08, 0x09, 0x18, 0x19, 0x1a, 0x1f, 0x23}},
    {{r2::kTarget}, {0x0c, 0x0d, 0x3a, 0x3b}},
    {{r2::kOrigin}, {0x24, 0x38}},
    {{r2::kClass}, {0x26, 0x27, 0x28, 0x3c}},
    {{r2::kBusy}, {0x2a, 0x2b, 0x40, 0x41, 0x42, 0x43}},
}};

EventFilters filters_in(std::span<const Row> rows, unsigned event) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return event != 0 && std::find(row.events.begin(), row.events.end(), event) != row.events.end();
  });
  return found == rows.end() ? EventFilters{} : found->filters;
}

EventFilters of_dvm_node(const Mesh& mesh, unsigned event) {
  if (mesh.is_cmn600()) return event == 0x05 ? EventFilters{kOccupancyOfDvm} : EventFilters{};
  const bool has_one = event == 0x0c || (mesh.has_wide_select() && (event == 0x0d || event == 0x0e));
  return has_one ? EventFilters{kOccupancyOfDvm} : EventFilters{};
}

}  // namespace

EventFilters filters_of(const Mesh& mesh, unsigned type, unsigned event) {
  switch (type) {
    case node_types::kDvm:
      return of_dvm_node(mesh, event);
    case node_types::kHnF:
      if (mesh.has_wide_select()) return filters_in(kRowsOfHnF, event);
      return event == 0x0f ? EventFilters{kOccupancy} : EventFilters{};
    case node_types::kHnS:
      if (mesh.is_s3_r2()) return filters_in(kRowsOfHnSOfR2, event);
      return filters_in(kRowsOfHnS, event);
    default:
      return {};
  }
}

}  // namespace pmufab::cmn_client
