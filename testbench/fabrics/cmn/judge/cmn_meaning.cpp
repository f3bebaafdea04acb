// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/cmn_meaning.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/judge/nodes/node_events.h"

namespace pmufab::scoreboard {
namespace {

using cmn::Channel;
using cmn::FlitEvent;
using cmn::Interface;

// Values of the format field `type`.
constexpr std::uint64_t kTypeDtc = 0x3;
constexpr std::uint64_t kTypeXp = 0x6;
constexpr std::uint64_t kTypeWatchpoint = 0x7770;

struct Field {
  std::string_view name;
  std::uint64_t maximum;
};
// The terms of Documentation/admin-guide/perf/arm-cmn.rst and the driver's format files, with their widths.
constexpr std::array<Field, 14> kFields{{{"type", 0xffff},
                                         {"eventid", 0x7ff},
                                         {"occupid", 0xf},
                                         {"filter", 0xf},
                                         {"filter2", 0xf},
                                         {"bynodeid", 1},
                                         {"nodeid", 0xffff},
                                         {"wp_dev_sel", 7},
                                         {"wp_chn_sel", 31},
                                         {"wp_grp", 3},
                                         {"wp_exclusive", 1},
                                         {"wp_combine", 0xf},
                                         {"wp_val", ~std::uint64_t{0}},
                                         {"wp_mask", ~std::uint64_t{0}}}};

constexpr std::array<std::string_view, 8> kInterfaceNames{"e", "w", "n", "s", "p0", "p1", "p2", "p3"};
constexpr std::array<std::string_view, cmn::kChannels> kChannelNames{"req",  "rsp",  "snp",  "dat", "pub",
                                                                     "rsp2", "dat2", "req2", "snp2"};

template <std::size_t kSize>
std::size_t find(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

struct Terms {
  std::string name;  // the bare word that is none of the fields
  std::array<std::optional<std::uint64_t>, kFields.size()> values;

  [[nodiscard]] std::optional<std::uint64_t> get(std::string_view field) const {
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      if (kFields[i].name == field) return values[i];
    }
    return std::nullopt;
  }
  [[nodiscard]] std::uint64_t get(std::string_view field, std::uint64_t otherwise) const {
    return get(field).value_or(otherwise);
  }
};

Terms sort_out(const EventTerms& terms) {
  Terms sorted;
  for (const EventTerm& term : terms) {
    const auto* const field =
        std::find_if(kFields.begin(), kFields.end(), [&](const Field& f) { return f.name == term.name; });
    if (field != kFields.end()) {
      const std::uint64_t value = term.value.value_or(1);
      if (value > field->maximum)
        throw std::invalid_argument(fmt::format("{}={:#x} is too big for its field", term.name, value));
      sorted.values[static_cast<std::size_t>(field - kFields.begin())] = value;
    } else if (!term.value && sorted.name.empty()) {
      sorted.name = term.name;
    } else {
      throw std::invalid_argument(fmt::format("a CMN PMU has no term '{}'", term.name));
    }
  }
  return sorted;
}

[[noreturn]] void unknown(const std::string& what) {
  throw std::invalid_argument(fmt::format("{} has no reference", what));
}

void flits_by_name(std::string_view name, CmnMeaning& meaning) {
  const std::string all(name);
  name.remove_prefix(std::string_view("mxp_").size());
  const std::size_t first = name.find('_');
  const std::size_t second = first == std::string_view::npos ? first : name.find('_', first + 1);
  if (second == std::string_view::npos) unknown(all);
  const std::size_t interface = find(kInterfaceNames, name.substr(0, first));
  const std::size_t channel = find(kChannelNames, name.substr(first + 1, second - first - 1));
  const std::string_view event = name.substr(second + 1);
  if (interface == kInterfaceNames.size() || channel == kChannelNames.size() ||
      (event != "txflit_valid" && event != "txflit_stall"))
    unknown(all);
  meaning.interface = static_cast<Interface>(interface);
  meaning.channel = static_cast<Channel>(channel);
  meaning.event = event == "txflit_valid" ? FlitEvent::valid : FlitEvent::stall;
}

void flits_by_number(std::uint64_t number, CmnMeaning& meaning) {
  // event in bits 1:0, interface in 4:2, channel in 8:5.
  const std::uint64_t event = number & 3U;
  const std::uint64_t channel = number >> 5U & 15U;
  if ((event != 1 && event != 2) || channel >= cmn::kChannels || number >> 9U != 0)
    unknown(fmt::format("XP event {:#x}", number));
  meaning.event = event == 1 ? FlitEvent::valid : FlitEvent::stall;
  meaning.interface = static_cast<Interface>(number >> 2U & 7U);
  meaning.channel = static_cast<Channel>(channel);
}

void watchpoint(const Terms& terms, CmnMeaning& meaning) {
  meaning.port = static_cast<unsigned>(terms.get("wp_dev_sel", 0));
  const std::uint64_t channel = terms.get("wp_chn_sel", 0);
  if (channel > 3) unknown(fmt::format("wp_chn_sel={}", channel));
  meaning.channel = static_cast<Channel>(channel);
  meaning.group = static_cast<unsigned>(terms.get("wp_grp", 0));
  meaning.exclusive = terms.get("wp_exclusive", 0) != 0;
  meaning.combine = static_cast<unsigned>(terms.get("wp_combine", 0));
  meaning.value = terms.get("wp_val", 0);
  meaning.mask = terms.get("wp_mask", 0);
}

void node_event(const std::optional<NodeEventChoice>& choice, const std::string& what, CmnMeaning& meaning) {
  if (!choice) unknown(what);
  meaning.kind = CmnMeaning::Kind::node;
  meaning.type = choice->type;
  meaning.event_id = choice->id;
  meaning.filter = choice->filter;
  meaning.filter2 = choice->filter2;
}

std::string describe(const CmnMeaning& meaning) {
  const std::string where = meaning.node ? fmt::format(" at node {:#x}", *meaning.node) : " everywhere";
  switch (meaning.kind) {
    case CmnMeaning::Kind::cycles:
      return "cycles";
    case CmnMeaning::Kind::flits:
      return fmt::format("{} flits {} at {}{}", kChannelNames[static_cast<std::size_t>(meaning.channel)],
                         meaning.event == FlitEvent::valid ? "sent" : "stalled",
                         kInterfaceNames[static_cast<std::size_t>(meaning.interface)], where);
    case CmnMeaning::Kind::node:
      return meaning.text + where;
    case CmnMeaning::Kind::watchpoint:
      break;
  }
  return fmt::format("{} {}s of port {} {}{}", kChannelNames[static_cast<std::size_t>(meaning.channel)],
                     meaning.upload ? "upload" : "download", meaning.port,
                     meaning.exclusive ? "not matching" : "matching", where);
}

}  // namespace

std::string xp_interface_name(cmn::Interface interface) {
  const auto number = static_cast<std::size_t>(interface);
  constexpr std::size_t kFirstPort = 4;
  return number < kInterfaceNames.size() ? std::string(kInterfaceNames.at(number))
                                         : fmt::format("p{}", number - kFirstPort);
}

std::string xp_channel_name(cmn::Channel channel) {
  return std::string(kChannelNames.at(static_cast<std::size_t>(channel)));
}

bool cmn_has_term(std::string_view term, const EventTerms& numbers) {
  const bool is_watchpoint = std::any_of(numbers.begin(), numbers.end(), [](const EventTerm& number) {
    return number.name == "type" && number.value == kTypeWatchpoint;
  });
  const bool is_filter = term == "filter" || term == "filter2" || term == "occupid";
  return is_watchpoint ? !is_filter : !term.starts_with("wp_");
}

CmnMeaning cmn_meaning(const EventTerms& terms, WatchpointLayout product) {
  const Terms sorted = sort_out(terms);
  const std::optional<std::uint64_t> type = sorted.get("type");
  const std::uint64_t number = sorted.get("eventid", 0);
  CmnMeaning meaning;
  if (sorted.get("bynodeid", 0) != 0) meaning.node = static_cast<std::uint16_t>(sorted.get("nodeid", 0));

  if (sorted.name == "dtc_cycles" || (sorted.name.empty() && type == kTypeDtc)) {
    meaning.kind = CmnMeaning::Kind::cycles;
  } else if (sorted.name.starts_with("mxp_")) {
    meaning.kind = CmnMeaning::Kind::flits;
    flits_by_name(sorted.name, meaning);
  } else if (sorted.name.empty() && type == kTypeXp) {
    meaning.kind = CmnMeaning::Kind::flits;
    flits_by_number(number, meaning);
  } else if (sorted.name == "watchpoint_up" || sorted.name == "watchpoint_down" ||
             (sorted.name.empty() && type == kTypeWatchpoint && (number == 0 || number == 2))) {
    meaning.kind = CmnMeaning::Kind::watchpoint;
    meaning.upload = sorted.name.empty() ? number == 0 : sorted.name == "watchpoint_up";
    watchpoint(sorted, meaning);
  } else if (!sorted.name.empty()) {
    node_event(find_node_event(sorted.name, product), "event '" + sorted.name + "'", meaning);
    meaning.text = sorted.name;
  } else if (type) {
    // 7.3 also accepts the name filter for the old field occupid.
    const auto filter = static_cast<unsigned>(sorted.get("filter", sorted.get("occupid", 0)));
    const auto filter2 = static_cast<unsigned>(sorted.get("filter2", 0));
    node_event(find_node_event(*type, number, filter, filter2, product),
               fmt::format("event type {:#x}, number {:#x}", *type, number), meaning);
    meaning.text = fmt::format("{} event {:#x}, filters {} and {}", node_type_name(meaning.type), number,
                               meaning.filter, meaning.filter2);
  } else {
    throw std::invalid_argument("no event is named");
  }
  meaning.text = describe(meaning);
  return meaning;
}

}  // namespace pmufab::scoreboard
