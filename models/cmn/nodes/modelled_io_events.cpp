// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "models/cmn/nodes/modelled_events.h"

namespace pmufab::cmn {

namespace {

// Ids are those of arm-cmn.c, arm_cmn_event_attrs.

struct UnmodelledIoEvents {
  unsigned first;
  unsigned last;
  std::string_view reason;
};

std::string_view reason_among(std::span<const UnmodelledIoEvents> events, unsigned event_id) noexcept {
  const auto* const found =
      std::find_if(events.data(), events.data() + events.size(),
                   [&](const UnmodelledIoEvents& event) { return event.first <= event_id && event_id <= event.last; });
  return found == events.data() + events.size() ? std::string_view{} : found->reason;
}

constexpr std::string_view kPools = "read data buffers have no pools with states";
constexpr std::string_view kOneRequest = "every AXI transaction is one request";
constexpr std::string_view kNoAtomics = "RN-Is send no atomics";

constexpr UnmodelledIoEvents kOfRnI[] = {{0x0a, 0x0a, "requests are never replayed"}};
constexpr UnmodelledIoEvents kOfRnI600[] = {{0x11, 0x14, kPools}};
constexpr UnmodelledIoEvents kOfLaterRnI[] = {
    {0x11, 0x12, "partial data is not buffered"},
    {0x16, 0x16, "writes are never throttled"},
};
constexpr UnmodelledIoEvents kOfRnI700[] = {
    {0x17, 0x17, "there is no buffer that could be full"},
    {0x1c, 0x20, kOneRequest},
    {0x21, 0x21, "no AXI ids"},
    {0x22, 0x23, kNoAtomics},
};

std::string_view reason_of_rn_i(Product product, unsigned event_id) noexcept {
  if (event_id <= 0x10) return reason_among(kOfRnI, event_id);
  if (product == Product::cmn600) return event_id <= 0x14 ? reason_among(kOfRnI600, event_id) : kNoSuchEvent;
  if (event_id <= 0x16) return reason_among(kOfLaterRnI, event_id);
  return product == Product::cmn700 && event_id <= 0x23 ? reason_among(kOfRnI700, event_id) : kNoSuchEvent;
}

constexpr UnmodelledIoEvents kOfDvm[] = {
    {0x0d, 0x0d, "no DVM operations come from gateways"}, {0x0e, 0x0e, "DVM nodes do not talk to each other"},
    {0x10, 0x10, "no DVM operations come from gateways"}, {0x11, 0x11, "DVM nodes do not talk to each other"},
    {0x13, 0x13, "a DVM node receives no snoops"},
};

std::string_view reason_of_dvm(Product product, unsigned event_id) noexcept {
  if (event_id > (product == Product::cmn600 ? 0x05U : is_700_or_s3(product) ? 0x14U : 0x0cU)) return kNoSuchEvent;
  return reason_among(kOfDvm, event_id);
}

}  // namespace

std::string_view reason_of_io_event(Product product, unsigned /*revision*/, NodeType events,
                                    unsigned event_id) noexcept {
  if (event_id == 0) return kNoSuchEvent;
  switch (events) {
    case NodeType::rn_i:
    case NodeType::rn_d:
      return reason_of_rn_i(product, event_id);
    case NodeType::dvm:
      return reason_of_dvm(product, event_id);
    case NodeType::hn_i:
      return event_id >= 0x20 && event_id <= 0x32 ? std::string_view{} : kNoSuchEvent;
    case NodeType::hn_p:
      return event_id <= 0x09 || (event_id >= 0x11 && event_id <= 0x16) ? std::string_view{} : kNoSuchEvent;
    case NodeType::sbsx:
      if (product == Product::cmn600 && event_id == 0x17) return kNoSuchEvent;
      return event_id <= 0x06 || (event_id >= 0x11 && event_id <= 0x17) || (event_id >= 0x21 && event_id <= 0x25)
                 ? std::string_view{}
                 : kNoSuchEvent;
    case NodeType::mtsx:
      return event_id <= 0x0c ? std::string_view{} : kNoSuchEvent;
    default:
      return kNoSuchEvent;
  }
}

}  // namespace pmufab::cmn
