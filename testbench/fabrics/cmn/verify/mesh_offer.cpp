// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/verify/mesh_offer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace pmufab::verify {
namespace {

constexpr std::uint64_t kLocalSpan = 0x1'0000;  // events in one carry
constexpr std::uint64_t kHalfGlobal = std::uint64_t{1}
                                      << 47;  // events from the driver's start of a counter to its wrap
constexpr std::uint64_t kHalfCycles = std::uint64_t{1} << 39;  // the same for cycles
constexpr unsigned kEvents = 28;                               // of a machine, so that some are open together and again
constexpr std::size_t kMostAtOnce = 24;                        // occurrences of one instant

/// The events of one mesh.
class Offer {
 public:
  Offer(Random& random, const MeshPlan& plan, const CmnDriver& driver, OfferOptions options);

  [[nodiscard]] std::string event(Random& random);
  [[nodiscard]] std::vector<std::string> group(Random& random) const;
  [[nodiscard]] bool fits(const std::vector<std::string>& texts, bool is_group) const;
  [[nodiscard]] std::optional<RefusedEvent> refused(Random& random) const;
  [[nodiscard]] std::optional<BulkEvent> bulk(Random& random) const;
  [[nodiscard]] std::optional<BulkEvent> some(Random& random) const;
  [[nodiscard]] bool has_bulk() const { return !sources_.empty(); }

 private:
  /// @return true for an event, or a pair of one, that is wished for
  [[nodiscard]] bool is_wanted(const MeshEvent& event) const;
  /// @return nothing for a text that this offer has not made
  [[nodiscard]] const MeshEvent* known(const std::string& text) const;
  void list_sources(Random& random);
  void list_refused(Random& random, const MeshPlan& plan, const EventMaker& maker);
  void list_wrong_nodes(const MeshPlan& plan, const EventMaker& maker);
  using Events = std::vector<const MeshEvent*>;
  [[nodiscard]] std::pair<Events, Events> full_group(Random& random, bool few) const;
  void list_full_groups(Random& random);
  void refuse(std::string events) { refused_.push_back({std::move(events), "EINVAL"}); }

  std::vector<MeshEvent> events_;
  CmnFit fit_;
  bool has_cycles_;
  bool has_exclusive_ = false;
  std::vector<std::string> sources_;   // one for each occurrence and domain: each wraps one counter of each event
  std::vector<RefusedEvent> refused_;  // alone
  std::vector<RefusedEvent> full_;     // groups
  std::optional<std::size_t> last_;    // event that was drawn
  std::set<std::string> wanted_;       // names of events
  std::vector<std::size_t> wanted_events_;
};

Offer::Offer(Random& random, const MeshPlan& plan, const CmnDriver& driver, OfferOptions options)
    : fit_(driver, plan.topology.product, plan.topology.dtcs),
      has_cycles_(options.has_bulk && driver.cycles),
      wanted_(std::move(options.wanted)) {
  EventMaker maker(random, plan, driver, options.number);
  if (has_cycles_) events_.push_back(maker.cycles());
  // With a CAL, more nodes can be at one DTM than it has counters. Such an event never counts.
  const auto keep = [&](MeshEvent event) {
    if (fit_.fits({&event}, false)) events_.push_back(std::move(event));
  };
  while (events_.size() < kEvents) {
    MeshEvent event = maker.make();
    constexpr unsigned kTries = 12;
    const bool wishes = !wanted_.empty() && random.chance(60);
    for (unsigned tries = 0; wishes && tries < kTries && !is_wanted(event); ++tries) event = maker.make();
    const bool has_filter = !event.filters.empty();
    keep(std::move(event));
    // Other codes of a filter take turns, and follow one another.
    for (unsigned left = has_filter ? 2 : 0; left > 0; --left) {
      if (auto other = maker.other_code()) keep(std::move(*other));
    }
  }
  has_exclusive_ = std::ranges::any_of(events_, [](const MeshEvent& event) { return event.exclusive; });
  for (std::size_t index = 0; index < events_.size(); ++index) {
    if (is_wanted(events_[index])) wanted_events_.push_back(index);
  }
  if (options.has_bulk) list_sources(random);
  list_refused(random, plan, maker);
}

bool Offer::is_wanted(const MeshEvent& event) const {
  if (!event.pair.empty()) return std::ranges::any_of(event.pair, [&](const MeshEvent& one) { return is_wanted(one); });
  const std::size_t begin = event.text.find('/') + 1;
  return wanted_.contains(event.text.substr(begin, event.text.find_first_of(",/", begin) - begin));
}

const MeshEvent* Offer::known(const std::string& text) const {
  for (const MeshEvent& event : events_) {
    if (event.text == text) return &event;
    for (const MeshEvent& one : event.pair) {
      if (one.text == text) return &one;
    }
  }
  return nullptr;
}

bool Offer::fits(const std::vector<std::string>& texts, bool is_group) const {
  std::vector<const MeshEvent*> chosen;
  for (const std::string& text : texts) {
    const MeshEvent* const event = known(text);
    if (event == nullptr) return false;
    chosen.push_back(event);
  }
  return fit_.fits(chosen, is_group);
}

/// Two places of one domain that wrap at one instant would wrap the counter of an event of both twice, which no driver can
/// tell. So each occurrence has one place in each domain.
void Offer::list_sources(Random& random) {
  std::set<std::pair<std::string, unsigned>> taken;
  std::vector<std::size_t> order(events_.size());
  for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
  // Events of one place choose it.
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return events_[a].places.size() < events_[b].places.size(); });
  for (const std::size_t index : order) {
    const MeshEvent& event = events_[index];
    if (event.source.empty()) continue;
    std::vector<EventPlace> places = event.places;
    random.shuffle(places);
    for (const EventPlace& place : places) {
      if (taken.emplace(event.key, place.domain).second)
        sources_.push_back(fmt::format(fmt::runtime(event.source), place.node));
    }
  }
}

std::optional<BulkEvent> Offer::bulk(Random& random) const {
  BulkEvent made;
  if (has_cycles_ && random.chance(15)) {
    made.source = events_.front().text;
    // Less than half, half, nearly half: whatever came before, a counter wraps at most once until its handler runs.
    constexpr std::uint64_t kMargin = std::uint64_t{1} << 26;
    made.count = random.pick({kHalfCycles / 2, kHalfCycles - kMargin, kHalfCycles + random.number(0, 1000)});
    return made;
  }
  std::vector<std::string> sources = sources_;
  random.shuffle(sources);
  const std::size_t most = std::min(sources.size(), kMostAtOnce);
  // Mostly many, so that counters with high numbers wrap, too.
  const auto kind = static_cast<unsigned>(random.number(1, 100));
  sources.resize(kind <= 60 ? most : kind <= 80 ? 1 : static_cast<std::size_t>(random.number(1, most)));
  made.source = sources.front();
  made.more.assign(std::next(sources.begin()), sources.end());
  if (has_cycles_ && random.chance(25)) {
    made.in_calls = {events_.front().text};
    made.in_calls_count = kHalfCycles + random.number(0, 1000);
  } else if (made.more.size() > 1 && random.chance(50)) {
    const auto first = std::next(made.more.begin(), static_cast<std::ptrdiff_t>(made.more.size() / 2));
    made.in_calls.assign(first, made.more.end());
    made.more.erase(first, made.more.end());
    made.in_calls_count = kHalfGlobal + random.number(0, 1'000'000);
  }
  constexpr std::uint64_t kMargin = std::uint64_t{1} << 33;
  const auto carries = random.number(1, 1000) * kLocalSpan;
  // A full turn but little: the handler tells it from a small count, a later reading does not.
  constexpr std::uint64_t kNearlyTurn = 2 * kHalfGlobal - (std::uint64_t{1} << 40);
  made.count = random.pick({kNearlyTurn, kNearlyTurn, kHalfGlobal, kHalfGlobal + random.number(0, 1'000'000),
                            kHalfGlobal / 2, kHalfGlobal - kMargin, carries - 1, carries + random.number(0, 1)});
  return made;
}

std::optional<BulkEvent> Offer::some(Random& random) const {
  std::vector<std::string> sources;
  const auto add = [&](const MeshEvent& event) {
    if (!event.source.empty())
      sources.push_back(fmt::format(fmt::runtime(event.source), random.pick(event.places).node));
  };
  for (const MeshEvent& event : events_) add(event);
  if (sources.empty()) return std::nullopt;
  BulkEvent made;
  made.source = sources.front();
  made.more.assign(std::next(sources.begin()), sources.end());
  made.count = random.pick({1U, 7U, 300U, 70'000U});
  return made;
}

std::optional<RefusedEvent> Offer::refused(Random& random) const {
  if (!full_.empty() && random.chance(70)) return random.pick(full_);
  if (refused_.empty()) return std::nullopt;
  return random.pick(refused_);
}

/// Neighbours in the list often have one filter, with other codes: they take turns, and follow one another.
std::string Offer::event(Random& random) {
  constexpr unsigned kCycles = 6;
  if (has_cycles_ && random.chance(kCycles)) {
    last_.reset();
    return events_.front().text;
  }
  std::size_t index = static_cast<std::size_t>(random.number(0, events_.size() - 1));
  if (last_ && random.chance(35)) {
    const std::size_t first = *last_ > 2 ? *last_ - 2 : 0;
    index = static_cast<std::size_t>(random.number(first, std::min(*last_ + 2, events_.size() - 1)));
  }
  if (!wanted_events_.empty() && random.chance(40)) index = random.pick(wanted_events_);
  last_ = index;
  // One of a pair alone counts nothing, and keeps watchpoints that are not combined away from its place.
  if (!events_[index].pair.empty() && !has_exclusive_ && random.chance(25))
    return random.pick(events_[index].pair).text;
  return events_[index].text;
}

void Offer::list_wrong_nodes(const MeshPlan& plan, const EventMaker& maker) {
  std::set<unsigned> crosspoints;
  std::set<unsigned> all;
  bool has_mtsx = false;
  for (const cmn::NodePlace& node : maker.layout().nodes()) {
    all.insert(node.node_id);
    if (node.type == cmn::NodeType::xp) crosspoints.insert(node.node_id);
    has_mtsx = has_mtsx || (node.type == cmn::NodeType::mtsx && !node.is_closed());
  }
  const std::string& pmu = maker.pmu();
  const auto at = [&](unsigned node) {
    refuse(fmt::format("{}/type=0x6,eventid=0x1,bynodeid=1,nodeid={:#x}/", pmu, node));
  };
  for (const unsigned type : {0U, 0x123U}) refuse(fmt::format("{}/type={:#x},eventid=0x1/", pmu, type));
  for (const unsigned node : all) {
    if (!crosspoints.contains(node)) {
      at(node);
      break;
    }
  }
  constexpr unsigned kXpStep = 8;
  const unsigned beyond = *crosspoints.rbegin() + kXpStep;
  at(beyond);
  refuse(fmt::format("{}/watchpoint_up,wp_dev_sel=0,wp_chn_sel=0,wp_grp=0,wp_val=0,wp_mask=0,bynodeid=1,nodeid={:#x}/",
                     pmu, beyond));
  for (const unsigned direction : {1U, 3U}) refuse(fmt::format("{}/type=0x7770,eventid={}/", pmu, direction));
  if (!has_mtsx && plan.topology.product != cmn::Product::cmn600) refuse(fmt::format("{}/type=0x10,eventid=0x1/", pmu));
}

/// A group into which nothing else fits: with `few` places first, DTCs are full; otherwise crosspoints.
/// @return the events that are in it, and those that are not
std::pair<Offer::Events, Offer::Events> Offer::full_group(Random& random, bool few) const {
  Events order;
  for (const MeshEvent& event : events_) {
    if (event.pair.empty()) order.push_back(&event);
  }
  random.shuffle(order);
  if (few) {
    std::ranges::stable_sort(
        order, [](const MeshEvent* a, const MeshEvent* b) { return a->places.size() < b->places.size(); });
  }
  Events group;
  Events others;
  for (const MeshEvent* const event : order) {
    group.push_back(event);
    if (fit_.fits(group, true)) continue;
    group.pop_back();
    others.push_back(event);
  }
  return {group, others};
}

/// Groups with one event too many, for one reason alone: the counters of a DTM or a DTC, its watchpoints, or a filter.
void Offer::list_full_groups(Random& random) {
  constexpr unsigned kTries = 10;
  std::map<CmnFit::Refusal, unsigned> known;
  const auto try_out = [&](const Events& group) {
    constexpr unsigned kOfEach = 4;
    const std::set<CmnFit::Refusal> why = fit_.refusals(group);
    if (why.size() != 1 || known[*why.begin()] == kOfEach) return;
    ++known[*why.begin()];
    std::vector<std::string> texts;
    for (const MeshEvent* const event : group) texts.push_back(event->text);
    full_.push_back({fmt::format("{{{}}}", fmt::join(texts, ",")), "EINVAL"});
  };
  for (unsigned attempt = 0; attempt < kTries; ++attempt) {
    const auto [group, others] = full_group(random, attempt % 2 == 0);
    for (const MeshEvent* const other : others) {
      Events more = group;
      more.push_back(other);
      try_out(more);
    }
  }
  // One of a combined pair, and a watchpoint beside it.
  for (const MeshEvent& pair : events_) {
    if (pair.pair.empty()) continue;
    for (const MeshEvent& other : events_) {
      if (other.kind == MeshEvent::Kind::watchpoint && other.pair.empty()) try_out({&pair.pair.front(), &other});
    }
  }
  if (has_cycles_) full_.push_back({fmt::format("{{{0},{0}}}", events_.front().text), "EINVAL"});
}

std::vector<std::string> Offer::group(Random& random) const {
  auto events = full_group(random, random.chance(50)).first;
  std::vector<std::string> texts;
  for (const MeshEvent* const event : events) texts.push_back(event->text);
  random.shuffle(texts);
  return texts;
}

void Offer::list_refused(Random& random, const MeshPlan& plan, const EventMaker& maker) {
  list_wrong_nodes(plan, maker);
  list_full_groups(random);
}

}  // namespace

PmuOffer make_offer(Random& random, const MeshPlan& plan, const CmnDriver& driver, OfferOptions options) {
  PmuOffer offer;
  offer.pmu = fmt::format("arm_cmn_{}", options.number);
  const auto made = std::make_shared<Offer>(random, plan, driver, std::move(options));
  offer.counters = cmn::kGlobalCounters;
  offer.event = [made](Random& numbers) { return made->event(numbers); };
  offer.fits = [made](const std::vector<std::string>& events, bool is_group) { return made->fits(events, is_group); };
  offer.group = [made](Random& numbers) { return made->group(numbers); };
  offer.leaves_socket = true;
  offer.beside_others = false;
  offer.stops_for_groups = true;
  offer.crowds = 40;
  offer.refused = [made](Random& numbers) { return made->refused(numbers); };
  if (made->has_bulk()) {
    offer.bulk = [made](Random& numbers) { return made->bulk(numbers); };
    offer.some = [made](Random& numbers) { return made->some(numbers); };
  }
  return offer;
}

}  // namespace pmufab::verify
