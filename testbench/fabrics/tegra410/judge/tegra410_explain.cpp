// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/tegra410_explain.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"
#include "testbench/judge/equal_counts.h"

namespace pmufab::scoreboard {
namespace {

/// "loc_noncpu+loc_cpu", or "any" if it is all that was seen.
template <typename Place>
std::string places_text_among(std::uint32_t places, std::uint32_t seen) {
  return places == seen ? "any" : places_text<Place>(places);
}

/// Offer the counts of all other filters that make a difference.
void offer_filters(const EventMatrix& own, EqualCounts& equal) {
  std::uint32_t sources_seen = 0;
  std::uint32_t destinations_seen = 0;
  for (std::size_t source = 0; source < kSources; ++source) {
    for (std::size_t destination = 0; destination < kDestinations; ++destination) {
      if (own.amount[source][destination] == 0) continue;
      sources_seen |= 1U << source;
      destinations_seen |= 1U << destination;
    }
  }
  for (std::uint32_t sources = 1; sources <= sources_seen; ++sources) {
    if ((sources & ~sources_seen) != 0) continue;
    for (std::uint32_t destinations = 1; destinations <= destinations_seen; ++destinations) {
      if ((destinations & ~destinations_seen) != 0) continue;
      equal.offer(own.sum(sources, destinations),
                  fmt::format("this event of {} -> {}", places_text_among<Source>(sources, sources_seen),
                              places_text_among<Destination>(destinations, destinations_seen)));
    }
  }
}

std::string matrix_text(const EventMatrix& matrix) {
  std::string text;
  for (std::size_t source = 0; source < kSources; ++source) {
    for (std::size_t destination = 0; destination < kDestinations; ++destination) {
      const std::uint64_t amount = matrix.amount[source][destination];
      if (amount == 0) continue;
      text += fmt::format("{}{} -> {}: {}", text.empty() ? "" : ", ", to_string(static_cast<Source>(source)),
                          to_string(static_cast<Destination>(destination)), amount);
    }
  }
  return text.empty() ? "no traffic" : text;
}

std::string join(const std::string& first, const std::string& second) {
  return first.empty() ? second : first + "; " + second;
}

}  // namespace

std::string explain_ucf(const UcfMeaning& meaning, const UcfTally& counted, std::uint64_t edges, std::uint64_t driver) {
  EqualCounts equal(driver);
  if (meaning.kind != UcfMeaning::Kind::traffic) {
    for (std::size_t e = 0; e < kUcfEvents; ++e) {
      equal.offer(counted.event[e].sum(), fmt::format("{} without a filter", to_string(static_cast<UcfEvent>(e))));
    }
    return equal.text();
  }

  const EventMatrix& own = counted[meaning.event];
  offer_filters(own, equal);
  for (std::size_t e = 0; e < kUcfEvents; ++e) {
    const auto event = static_cast<UcfEvent>(e);
    if (event == meaning.event) continue;
    equal.offer(counted.event[e].sum(meaning.sources, meaning.destinations),
                fmt::format("{} with the same filter", to_string(event)));
    equal.offer(counted.event[e].sum(), fmt::format("{} without a filter", to_string(event)));
  }
  equal.offer(edges, "cycles");
  return join(equal.text(), "by source and destination: " + matrix_text(own));
}

std::string explain_cmem(CmemMeaning meaning, const std::vector<RequestSums>& counted, std::size_t controllers,
                         std::uint64_t edges, std::uint64_t driver) {
  EqualCounts equal(driver);
  const auto pick = [&](CmemMeaning event, const RequestSums& sums) {
    return event == CmemMeaning::rd_req ? sums.requests : sums.outstanding;
  };
  const std::array<std::pair<CmemMeaning, std::string_view>, 2> events{
      {{CmemMeaning::rd_req, "rd_req"}, {CmemMeaning::rd_cum_outs, "rd_cum_outs"}}};
  RequestSums all;
  for (const RequestSums& sums : counted) all += sums;
  equal.offer(edges, "cycles");
  for (const auto& [event, name] : events) {
    equal.offer(pick(event, all), std::string(name));
    if (meaning == CmemMeaning::cycles) continue;
    const std::uint64_t total = pick(event, all);
    for (std::size_t first = 0; first < counted.size(); first += controllers) {
      RequestSums instance;
      for (std::size_t c = 0; c < controllers; ++c) instance += counted[first + c];
      equal.offer(total - pick(event, instance), fmt::format("{} without instance {}", name, first / controllers));
      equal.offer(pick(event, instance), fmt::format("{} of instance {} alone", name, first / controllers));
    }
    for (std::size_t c = 0; c < controllers; ++c) {
      RequestSums controller;
      for (std::size_t i = c; i < counted.size(); i += controllers) controller += counted[i];
      equal.offer(total - pick(event, controller), fmt::format("{} without controller {}", name, c));
      equal.offer(pick(event, controller), fmt::format("{} of controller {} alone", name, c));
    }
  }
  return equal.text();
}

std::string explain_c2c(const C2cMeaning& meaning, const C2cPmuSpec& pmu, const std::vector<RequestSums>& counted,
                        std::uint64_t edges, std::uint64_t driver) {
  constexpr unsigned kInWriteRequests = 4;
  EqualCounts equal(driver);
  if (meaning.event == kInWriteRequests && driver >> 32 != 0) {
    std::uint64_t own = 0;
    for (unsigned instance = 0; instance < pmu.instances; ++instance)
      own += counted[std::size_t{meaning.traffic()} * pmu.instances + instance].requests;
    equal.offer(own + (driver >> 32 << 32), "in_wr_req with the next register, OUT_STATUS, as its upper half");
  }
  equal.offer(edges, "cycles");
  for (unsigned times = 2; times <= pmu.instances; ++times)
    equal.offer(edges * times, fmt::format("the cycles of {} instances added up", times));
  for (unsigned event = 1; event < kC2cEvents; ++event) {
    const C2cMeaning other{event, 0};
    const auto of_instance = [&](unsigned instance) {
      const RequestSums& sums = counted[std::size_t{other.traffic()} * pmu.instances + instance];
      return other.is_requests() ? sums.requests : sums.outstanding;
    };
    const std::string_view name = c2c_event_name(event);
    std::uint64_t total = 0;
    for (unsigned instance = 0; instance < pmu.instances; ++instance) total += of_instance(instance);
    equal.offer(total, std::string(name));
    for (std::size_t peer = 0; pmu.masks.size() > 1 && peer < pmu.masks.size(); ++peer) {
      std::uint64_t part = 0;
      for (unsigned instance = 0; instance < pmu.instances; ++instance) {
        if ((pmu.masks[peer] >> instance & 1U) != 0) part += of_instance(instance);
      }
      if (part == 0 || part == total) continue;
      equal.offer(part, fmt::format("{} of GPU {} alone", name, peer));
      equal.offer(total + part, fmt::format("{} with GPU {} counted twice", name, peer));
    }
    if (meaning.is_cycles()) continue;
    for (unsigned instance = 0; instance < pmu.instances; ++instance) {
      if (of_instance(instance) == 0) continue;
      equal.offer(total - of_instance(instance), fmt::format("{} without instance {}", name, instance));
      equal.offer(of_instance(instance), fmt::format("{} of instance {} alone", name, instance));
    }
  }
  return equal.text();
}

}  // namespace pmufab::scoreboard
