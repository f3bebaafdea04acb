// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "models/cmn/nodes/modelled_events.h"

namespace pmufab::cmn {

namespace {

// Ids are those of arm-cmn.c, arm_cmn_event_attrs. The ids of CXRA and CXHA are those of CCRA and CCHA without 0x40.

struct UnmodelledEvents {
  unsigned first;
  unsigned last;
  std::string_view reason;
};

constexpr std::string_view kNoSnoops = "no snoop crosses the link between meshes";
constexpr std::string_view kOneLink = "a gateway has one link";
constexpr std::string_view kNoPcie = "no PCIe bridge lies behind a gateway";
constexpr unsigned kCcg = 0x40;

constexpr UnmodelledEvents kOfCcra[] = {
    {0x42, 0x42, kNoSnoops},
    {0x45, 0x46, kNoSnoops},
    {0x49, 0x4a, "nothing lies between an RA's trackers and its port"},
    {0x4c, 0x4d, kOneLink},
    {0x4f, 0x50, kOneLink},
    {0x53, 0x53, "no message needs a MISC credit"},
    {0x54, 0x55, kOneLink},
    {0x57, 0x57, kNoSnoops},
    {0x5a, 0x5a, kNoSnoops},
};
constexpr UnmodelledEvents kOfCcha[] = {
    {0x64, 0x66, kNoSnoops},
    {0x6b, 0x6d, kNoSnoops},
    {0x72, 0x74, kNoSnoops},
    {0x75, 0x84, kNoPcie},
    {0x85, 0x85, "stalls of a second RSP sub-channel are not told apart from those of the first"},
};
constexpr UnmodelledEvents kOfCcla[] = {{0x28, 0x2b, "a gateway forwards nothing from port to port"}};

/// @param first, last  ids the product has
std::string_view reason_among(std::span<const UnmodelledEvents> events, unsigned event_id, unsigned first,
                              unsigned last) noexcept {
  if (event_id < first || event_id > last) return kNoSuchEvent;
  for (const UnmodelledEvents& one : events) {
    if (one.first <= event_id && event_id <= one.last) return one.reason;
  }
  return {};
}

}  // namespace

std::string_view reason_of_gateway_event(Product product, unsigned /*revision*/, NodeType events,
                                         unsigned event_id) noexcept {
  switch (events) {
    case NodeType::cxra:
      return reason_among(kOfCcra, event_id + kCcg, 0x41, product == Product::cmn600 ? 0x52 : 0x55);
    case NodeType::cxha:
      return reason_among(kOfCcha, event_id + kCcg, 0x61, 0x6d);
    case NodeType::ccra:
      return reason_among(kOfCcra, event_id, 0x41, 0x5a);
    case NodeType::ccha:
      return reason_among(kOfCcha, event_id, 0x61, product == Product::s3 ? 0x85 : 0x84);
    case NodeType::ccla:
      return reason_among(kOfCcla, event_id, 0x21, 0x2b);
    default:
      return kNoSuchEvent;
  }
}

}  // namespace pmufab::cmn
