// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/pcie/pcie_tgt_judge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/publication/tegra410_publication.h"
#include "testbench/judge/term_values.h"

namespace pmufab::scoreboard {
namespace {

constexpr unsigned kRootPorts = 8;
constexpr std::uint32_t kAllPorts = 0xff;
constexpr std::uint64_t kTgtCycles = 4;
// Names and numbers of the events, as the driver publishes them in sysfs.
constexpr std::array<std::string_view, kTgtCycles + 1> kTgtEventNames{"rd_bytes", "wr_bytes", "rd_req", "wr_req",
                                                                      "cycles"};

/// The terms of an event, combined as perf does by the format files of the PMU.
struct Attributes {
  std::optional<std::uint64_t> event;
  std::uint64_t ports = 0;
  bool addresses_on = false;
  PcieTgtMeaning::AddressFilter addresses;
};

Attributes attributes_of(const EventTerms& terms) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  Attributes attributes;
  for (const EventTerm& term : terms) {
    const auto* const name = std::find(kTgtEventNames.begin(), kTgtEventNames.end(), term.name);
    if (name != kTgtEventNames.end() && !term.value) {
      set_event(attributes.event, static_cast<std::uint64_t>(name - kTgtEventNames.begin()), term);
    } else if (term.name == "event") {
      set_event(attributes.event, number_of(term, 7), term);
    } else if (term.name == "dst_rp_mask") {
      attributes.ports = number_of(term, kAllPorts);
    } else if (term.name == "dst_addr_en") {
      attributes.addresses_on = number_of(term, 1) != 0;
    } else if (term.name == "dst_addr_base" || term.name == "config1") {
      attributes.addresses.base = number_of(term, kAny);
    } else if (term.name == "dst_addr_mask" || term.name == "config2") {
      attributes.addresses.mask = number_of(term, kAny);
    } else if (term.name == "config") {
      const std::uint64_t config = number_of(term, kAny);
      set_event(attributes.event, config & 7, term);
      attributes.ports = config >> 3 & kAllPorts;
      attributes.addresses_on = (config >> 11 & 1) != 0;
    } else {
      throw std::invalid_argument(fmt::format("the PCIE-TGT PMU has no term '{}'", term.name));
    }
  }
  return attributes;
}

bool is_event(const PcieTgtRequest& request, PcieTgtEvent event) {
  const bool writes = event == PcieTgtEvent::wr_bytes || event == PcieTgtEvent::wr_req;
  return request.is_write == writes;
}

std::uint64_t amount_of(const PcieTgtRequest& request, PcieTgtEvent event) {
  return event == PcieTgtEvent::rd_bytes || event == PcieTgtEvent::wr_bytes ? request.bytes : 1;
}

bool to_ports(const PcieTgtRequest& request, std::uint32_t ports) {
  return request.root_port >= 0 && (ports & 1U << static_cast<unsigned>(request.root_port)) != 0;
}

bool to_addresses(const PcieTgtRequest& request, const PcieTgtMeaning::AddressFilter& filter) {
  return (request.address & filter.mask) == (filter.base & filter.mask);
}

/// The requests to the root complex, as far as an event or the explanation of its count needs them.
struct Tally {
  std::array<std::uint64_t, kTgtCycles> filtered{};  // by event: those the filter matches
  std::array<std::uint64_t, kRootPorts> to_bar{};    // of the event itself: to BARs, by root port
  std::uint64_t to_cxl = 0;                          // to CXL memory
  std::uint64_t by_addresses = 0;                    // those the address filter alone matches
  std::uint64_t by_ports = 0;                        // those the root ports alone match

  /// Apply `operation` to each pair of numbers.
  template <typename Operation>
  void combine(const Tally& other, Operation operation) {
    for (std::size_t i = 0; i < filtered.size(); ++i) operation(filtered[i], other.filtered[i]);
    for (std::size_t i = 0; i < to_bar.size(); ++i) operation(to_bar[i], other.to_bar[i]);
    operation(to_cxl, other.to_cxl);
    operation(by_addresses, other.by_addresses);
    operation(by_ports, other.by_ports);
  }
  Tally& operator+=(const Tally& other) {
    combine(other, [](std::uint64_t& mine, std::uint64_t theirs) { mine += theirs; });
    return *this;
  }
  Tally& operator-=(const Tally& other) {
    combine(other, [](std::uint64_t& mine, std::uint64_t theirs) { mine -= theirs; });
    return *this;
  }
};

/// Positions of its marks are numbers of the tallies it keeps.
class PcieTgtTruth final : public EventTruth, public PcieTgtListener {
 public:
  PcieTgtTruth(PcieTgtMeaning meaning, PcieTgtPmuJudge& judge, const ExactClock& clock)
      : meaning_(std::move(meaning)), judge_(judge), clock_(clock) {
    judge_.add(*this);
  }
  ~PcieTgtTruth() override { judge_.remove(*this); }
  PcieTgtTruth& operator=(PcieTgtTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] const std::optional<PcieTgtMeaning::AddressFilter>& addresses() const { return meaning_.addresses; }
  [[nodiscard]] bool takes_cycle_counter() const override { return meaning_.kind == PcieTgtMeaning::Kind::cycles; }

  void see(const PcieTgtRequest& request) override {
    if (meaning_.kind != PcieTgtMeaning::Kind::traffic) return;
    const bool by_ports = to_ports(request, meaning_.ports);
    const bool by_addresses = meaning_.addresses && to_addresses(request, *meaning_.addresses);
    if (by_ports || by_addresses) {
      for (std::size_t i = 0; i < so_far_.filtered.size(); ++i) {
        const auto event = static_cast<PcieTgtEvent>(i);
        if (is_event(request, event)) so_far_.filtered[i] += amount_of(request, event);
      }
    }
    if (!is_event(request, meaning_.event)) return;
    const std::uint64_t amount = amount_of(request, meaning_.event);
    if (request.root_port < 0) {
      so_far_.to_cxl += amount;
    } else {
      so_far_.to_bar.at(static_cast<std::size_t>(request.root_port)) += amount;
    }
    if (by_addresses) so_far_.by_addresses += amount;
    if (by_ports) so_far_.by_ports += amount;
  }

  void see_at_once(PcieTgtEvent event, unsigned root_port, std::uint64_t amount) override {
    if (meaning_.kind != PcieTgtMeaning::Kind::traffic) return;
    const bool by_ports = (meaning_.ports >> root_port & 1U) != 0;
    if (by_ports) so_far_.filtered.at(static_cast<std::size_t>(event)) += amount;
    if (event != meaning_.event) return;
    so_far_.to_bar.at(root_port) += amount;
    if (by_ports) so_far_.by_ports += amount;
  }

  [[nodiscard]] Mark mark(Picoseconds when) override {
    marked_.emplace_hint(marked_.end(), next_, so_far_);
    return {when, next_++};
  }
  void forget(const Mark& mark) override { marked_.erase(mark.position); }
  void settle(const Span& span) override { add(settled_, settled_edges_, span); }

  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    switch (meaning_.kind) {
      case PcieTgtMeaning::Kind::traffic: {
        const auto event = static_cast<std::size_t>(meaning_.event);
        return marked_.at(span.end.position).filtered.at(event) - marked_.at(span.begin.position).filtered.at(event);
      }
      case PcieTgtMeaning::Kind::cycles:
        return clock_.edges_in(span.begin.when, span.end.when);
      case PcieTgtMeaning::Kind::nothing:
        break;
    }
    return 0;
  }

  void describe(std::span<const Span> /*spans*/, EventResult& result) const override {
    if (meaning_.kind == PcieTgtMeaning::Kind::nothing) result.remark = kCountsNothing;
    if (meaning_.kind != PcieTgtMeaning::Kind::traffic) return;
    const bool counts_bytes = meaning_.event == PcieTgtEvent::rd_bytes || meaning_.event == PcieTgtEvent::wr_bytes;
    result.figure = counts_bytes ? Figure::bandwidth : Figure::request_rate;
  }

  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override;

 private:
  PcieTgtMeaning meaning_;
  PcieTgtPmuJudge& judge_;
  const ExactClock& clock_;
  void add(Tally& sum, std::uint64_t& edges, const Span& span) const {
    sum += marked_.at(span.end.position);
    sum -= marked_.at(span.begin.position);
    edges += clock_.edges_in(span.begin.when, span.end.when);
  }

  Tally so_far_;
  std::map<std::uint64_t, Tally> marked_;  // by number
  std::uint64_t next_ = 0;
  // Of settled spans.
  Tally settled_;
  std::uint64_t settled_edges_ = 0;
};

std::string PcieTgtTruth::explain(std::span<const Span> spans, std::uint64_t driver) const {
  std::vector<std::string> equal;
  const auto offer = [&](std::uint64_t count, std::string_view what) {
    if (count == driver && driver != 0) equal.emplace_back(what);
  };
  Tally sum = settled_;
  std::uint64_t edges = settled_edges_;
  for (const Span& span : spans) add(sum, edges, span);
  for (std::size_t other = 0; other < sum.filtered.size(); ++other) {
    if (meaning_.kind == PcieTgtMeaning::Kind::traffic && static_cast<PcieTgtEvent>(other) != meaning_.event)
      offer(sum.filtered[other], fmt::format("{} with the same filter", kTgtEventNames[other]));
  }
  offer(edges, "cycles");
  std::string text;
  if (meaning_.kind == PcieTgtMeaning::Kind::traffic) {
    std::uint64_t bars = 0;
    for (std::size_t port = 0; port < sum.to_bar.size(); ++port) {
      const std::uint64_t count = sum.to_bar[port];
      bars += count;
      offer(count, fmt::format("this event to BARs below root port {} alone", port));
      if (count != 0) text += fmt::format("{}root port {}: {}", text.empty() ? "" : ", ", port, count);
    }
    if (sum.to_cxl != 0) text += fmt::format("{}CXL memory: {}", text.empty() ? "" : ", ", sum.to_cxl);
    offer(bars, "this event to BARs of all root ports");
    offer(sum.to_cxl, "this event to CXL memory alone");
    offer(bars + sum.to_cxl, "this event without a filter");
    if (meaning_.addresses) {
      offer(sum.by_addresses, "this event by the address filter alone");
      offer(sum.by_ports, "this event by the root ports alone");
    }
    text = "by destination: " + (text.empty() ? std::string("no traffic") : text);
  }
  if (!equal.empty()) text = fmt::format("equals {}{}{}", fmt::join(equal, "; or "), text.empty() ? "" : "; ", text);
  return text;
}

}  // namespace

PcieTgtMeaning pcie_tgt_meaning(const EventTerms& terms) {
  const Attributes attributes = attributes_of(terms);
  if (!attributes.event) throw std::invalid_argument("no event");
  PcieTgtMeaning meaning;
  if (*attributes.event == kTgtCycles) {
    meaning.kind = PcieTgtMeaning::Kind::cycles;
    meaning.text = "cycles";
    return meaning;
  }
  if (*attributes.event < kTgtCycles) {
    meaning.kind = PcieTgtMeaning::Kind::traffic;
    meaning.event = static_cast<PcieTgtEvent>(*attributes.event);
  }
  meaning.ports = static_cast<std::uint32_t>(attributes.ports);
  if (attributes.addresses_on) {
    meaning.addresses = attributes.addresses;
  } else if (meaning.ports == 0) {
    meaning.ports = kAllPorts;
  }
  meaning.text = *attributes.event < kTgtCycles ? std::string(kTgtEventNames[*attributes.event])
                                                : fmt::format("event {:#x}", *attributes.event);
  if (meaning.ports == kAllPorts) {
    meaning.text += ", BARs";
  } else if (meaning.ports != 0) {
    meaning.text += fmt::format(", BARs of ports {:#04x}", meaning.ports);
  }
  if (meaning.addresses)
    meaning.text += fmt::format("{} addresses {:#x} by mask {:#x}", meaning.ports != 0 ? " or" : ",",
                                meaning.addresses->base & meaning.addresses->mask, meaning.addresses->mask);
  return meaning;
}

PcieTgtPmuJudge::PcieTgtPmuJudge(const CoreSightPmuSpec& spec, const ExactClock& clock)
    : CoreSightPmuJudge(spec.name, spec.page0, spec.page1, spec.width, Layout::ext32,
                        {.all = spec.counters, .has_cycles = spec.has_cycle_counter}),
      socket_(spec.socket),
      root_complex_(spec.root_complex),
      clock_(clock) {}

std::optional<std::string> PcieTgtPmuJudge::room_for(const EventTruth& refused,
                                                     const std::vector<const EventTruth*>& active) const {
  constexpr std::size_t kFilters = 8;  // NV_PCIE_TGT_ADDR_COUNT of nvidia_cspmu.c
  const auto addresses_of = [](const EventTruth* event) {
    return static_cast<const PcieTgtTruth*>(event)->addresses();
  };
  const auto addresses = addresses_of(&refused);
  std::set<PcieTgtMeaning::AddressFilter> filters;
  for (const EventTruth* const event : active) {
    if (const auto taken = addresses_of(event)) filters.insert(*taken);
  }
  if (addresses && filters.size() >= kFilters && !filters.contains(*addresses)) return "";
  return CoreSightPmuJudge::room_for(refused, active);
}

Publication PcieTgtPmuJudge::publication() const { return coresight_publication(CoreSightPmuType::pcie_tgt, true); }

std::unique_ptr<EventTruth> PcieTgtPmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<PcieTgtTruth>(pcie_tgt_meaning(terms), *this, clock_);
}

Injection PcieTgtPmuJudge::injection(const EventTerms& terms, unsigned /*unit*/) {
  const PcieTgtMeaning meaning = pcie_tgt_meaning(terms);
  if (meaning.kind == PcieTgtMeaning::Kind::cycles)
    return [this](std::uint64_t count, Picoseconds when) { clock_.pass(count, when); };
  if (meaning.kind == PcieTgtMeaning::Kind::nothing) throw std::invalid_argument("the PMU has no such event");
  if (meaning.addresses) throw std::invalid_argument("its requests have no addresses: name a root port (dst_rp_mask)");
  if (!std::has_single_bit(meaning.ports))
    throw std::invalid_argument("requests to several root ports cause it: name one (dst_rp_mask)");
  const auto port = static_cast<unsigned>(std::countr_zero(meaning.ports));
  return [this, event = meaning.event, port](std::uint64_t count, Picoseconds /*when*/) {
    for (PcieTgtListener* const listener : listeners_) listener->see_at_once(event, port, count);
  };
}

}  // namespace pmufab::scoreboard
