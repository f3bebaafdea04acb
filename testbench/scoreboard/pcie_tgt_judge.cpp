#include "testbench/scoreboard/pcie_tgt_judge.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "testbench/scoreboard/term_values.h"

namespace pmufab::scoreboard {
namespace {

constexpr unsigned kRootPorts = 8;
constexpr std::uint32_t kAllPorts = 0xff;
constexpr std::uint64_t kCycles = 4;
// Names and numbers of the events, as the driver publishes them in sysfs.
constexpr std::array<std::string_view, kCycles + 1> kEventNames{"rd_bytes", "wr_bytes", "rd_req", "wr_req", "cycles"};

/// The terms of an event, put together as perf does, by the format files of the PMU.
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
    const auto* const name = std::find(kEventNames.begin(), kEventNames.end(), term.name);
    if (name != kEventNames.end() && !term.value) {
      set_event(attributes.event, static_cast<std::uint64_t>(name - kEventNames.begin()), term);
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

bool is_meant(const PcieTgtRequest& request, const PcieTgtMeaning& meaning) {
  if (!is_event(request, meaning.event)) return false;
  return to_ports(request, meaning.ports) || (meaning.addresses && to_addresses(request, *meaning.addresses));
}

/// Positions of its marks are places in the log.
class PcieTgtTruth final : public EventTruth {
 public:
  PcieTgtTruth(PcieTgtMeaning meaning, std::shared_ptr<const PcieTgtPmuJudge::Log> log, const ExactClock& clock)
      : meaning_(std::move(meaning)), log_(std::move(log)), clock_(clock) {}

  [[nodiscard]] std::string text() const override { return meaning_.text; }

  [[nodiscard]] Mark mark(Picoseconds when) override {
    for (std::size_t at = sums_.size() - 1; at < log_->size(); ++at) {
      const PcieTgtRequest& request = (*log_)[at];
      sums_.push_back(sums_.back() + (is_meant(request, meaning_) ? amount_of(request, meaning_.event) : 0));
    }
    return {when, log_->size()};
  }

  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    switch (meaning_.kind) {
      case PcieTgtMeaning::Kind::traffic:
        return sums_.at(span.end.position) - sums_.at(span.begin.position);
      case PcieTgtMeaning::Kind::cycles:
        return clock_.edges_in(span.begin.when, span.end.when);
      case PcieTgtMeaning::Kind::nothing:
        break;
    }
    return 0;
  }

  void describe(std::span<const Span> spans, EventResult& result) const override {
    if (meaning_.kind != PcieTgtMeaning::Kind::traffic) return;
    if (meaning_.event != PcieTgtEvent::rd_bytes && meaning_.event != PcieTgtEvent::wr_bytes) return;
    std::uint64_t bytes = 0;
    for (const Span& span : spans) bytes += count(span);
    if (bytes != 0) result.bandwidth_bytes_per_ns = {bytes * 1000, result.window_time};
  }

  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override;

 private:
  /// @return what requests that `pass` tells about amount to, as event `event`.
  template <typename Passes>
  [[nodiscard]] std::uint64_t sum(std::span<const Span> spans, PcieTgtEvent event, Passes passes) const {
    std::uint64_t total = 0;
    for (const Span& span : spans) {
      for (std::size_t at = span.begin.position; at < span.end.position; ++at) {
        const PcieTgtRequest& request = (*log_)[at];
        if (is_event(request, event) && passes(request)) total += amount_of(request, event);
      }
    }
    return total;
  }

  PcieTgtMeaning meaning_;
  std::shared_ptr<const PcieTgtPmuJudge::Log> log_;
  const ExactClock& clock_;
  std::vector<std::uint64_t> sums_ = {0};  // what the first n requests of the log amount to
};

std::string PcieTgtTruth::explain(std::span<const Span> spans, std::uint64_t driver) const {
  std::vector<std::string> guesses;
  const auto offer = [&](std::uint64_t count, std::string_view what) {
    if (count == driver && driver != 0) guesses.emplace_back(what);
  };
  const auto same_filter = [&](const PcieTgtRequest& request) {
    return to_ports(request, meaning_.ports) || (meaning_.addresses && to_addresses(request, *meaning_.addresses));
  };
  for (std::uint64_t other = 0; other < kCycles; ++other) {
    const auto event = static_cast<PcieTgtEvent>(other);
    if (meaning_.kind == PcieTgtMeaning::Kind::traffic && event != meaning_.event)
      offer(sum(spans, event, same_filter), fmt::format("{} with the same filter", kEventNames[other]));
  }
  std::uint64_t edges = 0;
  for (const Span& span : spans) edges += clock_.edges_in(span.begin.when, span.end.when);
  offer(edges, "cycles");
  std::string text;
  if (meaning_.kind == PcieTgtMeaning::Kind::traffic) {
    std::uint64_t bars = 0;
    for (unsigned port = 0; port < kRootPorts; ++port) {
      const std::uint64_t count =
          sum(spans, meaning_.event, [port](const auto& request) { return to_ports(request, 1U << port); });
      bars += count;
      offer(count, fmt::format("this event to BARs below root port {} alone", port));
      if (count != 0) text += fmt::format("{}root port {}: {}", text.empty() ? "" : ", ", port, count);
    }
    const std::uint64_t hdm = sum(spans, meaning_.event, [](const auto& request) { return request.root_port < 0; });
    if (hdm != 0) text += fmt::format("{}CXL memory: {}", text.empty() ? "" : ", ", hdm);
    offer(bars, "this event to BARs of all root ports");
    offer(hdm, "this event to CXL memory alone");
    offer(bars + hdm, "this event without a filter");
    if (meaning_.addresses) {
      offer(sum(spans, meaning_.event,
                [this](const auto& request) { return to_addresses(request, *meaning_.addresses); }),
            "this event by the address filter alone");
      offer(sum(spans, meaning_.event, [this](const auto& request) { return to_ports(request, meaning_.ports); }),
            "this event by the root ports alone");
    }
    text = "by destination: " + (text.empty() ? std::string("no traffic") : text);
  }
  if (!guesses.empty())
    text = fmt::format("equals {}{}{}", fmt::join(guesses, "; or "), text.empty() ? "" : "; ", text);
  return text;
}

}  // namespace

PcieTgtMeaning pcie_tgt_meaning(const EventTerms& terms) {
  const Attributes attributes = attributes_of(terms);
  if (!attributes.event) throw std::invalid_argument("no event");
  PcieTgtMeaning meaning;
  if (*attributes.event == kCycles) {
    meaning.kind = PcieTgtMeaning::Kind::cycles;
    meaning.text = "cycles";
    return meaning;
  }
  if (*attributes.event < kCycles) {
    meaning.kind = PcieTgtMeaning::Kind::traffic;
    meaning.event = static_cast<PcieTgtEvent>(*attributes.event);
  }
  meaning.ports = static_cast<std::uint32_t>(attributes.ports);
  if (attributes.addresses_on) {
    meaning.addresses = attributes.addresses;
  } else if (meaning.ports == 0) {
    meaning.ports = kAllPorts;
  }
  meaning.text = *attributes.event < kCycles ? std::string(kEventNames[*attributes.event])
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

PcieTgtPmuJudge::PcieTgtPmuJudge(const PcieTgtPmuSpec& spec, const ExactClock& clock)
    : CoreSightPmuJudge(spec.name, spec.page0, spec.page1),
      socket_(spec.socket),
      root_complex_(spec.root_complex),
      clock_(clock) {}

std::unique_ptr<EventTruth> PcieTgtPmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<PcieTgtTruth>(pcie_tgt_meaning(terms), log_, clock_);
}

}  // namespace pmufab::scoreboard
