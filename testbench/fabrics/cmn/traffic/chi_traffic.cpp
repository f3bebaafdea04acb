// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/wire/chi.h"
#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::traffic {

namespace {

using cmn::OperationKind;

constexpr std::array<std::string_view, cmn::kOperationKinds> kKinds = {"load",
                                                                       "load_shared",
                                                                       "load_clean",
                                                                       "store",
                                                                       "store_line",
                                                                       "clean_unique",
                                                                       "make_unique",
                                                                       "read_once",
                                                                       "read_no_snp",
                                                                       "write_no_snp_full",
                                                                       "write_no_snp_ptl",
                                                                       "write_unique_full",
                                                                       "write_unique_ptl",
                                                                       "clean_shared",
                                                                       "clean_invalid",
                                                                       "make_invalid",
                                                                       "stash_shared",
                                                                       "stash_unique",
                                                                       "atomic_store",
                                                                       "atomic_load",
                                                                       "atomic_swap",
                                                                       "atomic_compare",
                                                                       "prefetch",
                                                                       "dvm_operation",
                                                                       "dvm_sync"};

bool is_dvm(OperationKind kind) { return kind == OperationKind::dvm_operation || kind == OperationKind::dvm_sync; }
bool is_uncached(OperationKind kind) {
  return kind == OperationKind::read_no_snp || kind == OperationKind::write_no_snp_full ||
         kind == OperationKind::write_no_snp_ptl;
}
bool is_atomic(OperationKind kind) {
  return kind == OperationKind::atomic_store || kind == OperationKind::atomic_load ||
         kind == OperationKind::atomic_swap || kind == OperationKind::atomic_compare;
}
/// @return true for operations whose length is the spec's `size`.
bool has_size(OperationKind kind) {
  return kind == OperationKind::read_no_snp || kind == OperationKind::write_no_snp_ptl ||
         kind == OperationKind::write_unique_ptl;
}
bool is_stash(OperationKind kind) { return kind == OperationKind::stash_shared || kind == OperationKind::stash_unique; }

std::string_view name_of(cmn::DeviceKind kind) {
  return kind == cmn::DeviceKind::rn_i ? "RN-I" : kind == cmn::DeviceKind::rn_d ? "RN-D" : "RN-F";
}

void check_plain(const ChiTrafficSpec& spec, const std::string& field) {
  if (spec.name.empty()) throw SpecError(field + ".name", "is empty", "give the traffic a name");
  if (spec.rate && !(*spec.rate >= GeometricGaps::kSmallestProbability && *spec.rate <= 1))
    throw SpecError(field + ".rate", fmt::format("{} operations per cycle are not possible", *spec.rate),
                    "use 1e-9 ... 1, or leave it out");
  if (spec.outstanding == 0 && !spec.rate)
    throw SpecError(field + ".outstanding", "without a rate nothing would limit the operations", "use 1 or more");
  if (!std::has_single_bit(spec.size) || spec.size > 64)
    throw SpecError(field + ".size", fmt::format("{} bytes are not the size of an access", spec.size),
                    "use 1, 2, 4, 8, 16, 32 or 64");
  if (spec.qos.empty()) throw SpecError(field + ".qos", "is empty", "give one value or more, for example [0]");
  for (const unsigned qos : spec.qos) {
    if (qos > 15) throw SpecError(field + ".qos", fmt::format("{} is too high", qos), "use 0 ... 15");
  }
  if (spec.lpid.empty()) throw SpecError(field + ".lpid", "is empty", "give one value or more, for example [0, 1, 2]");
  for (const unsigned lpid : spec.lpid) {
    if (lpid > 31) throw SpecError(field + ".lpid", fmt::format("{} is too high", lpid), "use 0 ... 31");
  }
  if (!(spec.cancel_share >= 0 && spec.cancel_share <= 1))
    throw SpecError(field + ".cancel_share", fmt::format("{} is not a share", spec.cancel_share), "use 0 ... 1");
  if (spec.count && *spec.count == 0) throw SpecError(field + ".count", "is 0", "use 1 or more, or leave it out");
}

void check_range(const ChiTrafficSpec& spec, const cmn::Nodes& nodes, const ChiRange& range, const std::string& field,
                 std::size_t requesters) {
  if (range.base % 64 != 0 || range.size % 64 != 0 || range.size == 0)
    throw SpecError(field, fmt::format("{:#x} bytes from {:#x} are not whole lines", range.size, range.base),
                    "make base and size multiples of 64, and size not 0");
  try {
    nodes.addresses().check_range(range.base, range.size);
  } catch (const std::invalid_argument& error) {
    throw SpecError(field + ".base", error.what(), "choose another region by bits 47:44, or another platform");
  }
  if (range.is_private && range.size / 64 < requesters)
    throw SpecError(field + ".size", fmt::format("there are {} requesters and {} lines", requesters, range.size / 64),
                    "make it larger, or shared");
  if (range.pattern == ChiPattern::hot_set) {
    const std::uint64_t room = range.is_private ? range.size / 64 / requesters * 64 : range.size;
    if (range.hot_size % 64 != 0 || range.hot_size == 0 || range.hot_size > room)
      throw SpecError(field + ".hot_size", fmt::format("{} bytes are not possible", range.hot_size),
                      fmt::format("use a multiple of 64 up to {}", room));
    if (!(range.hot_share >= 0 && range.hot_share <= 1))
      throw SpecError(field + ".hot_share", fmt::format("{} is not a share", range.hot_share), "use 0 ... 1");
  }
  for (const ChiOperationShare& share : spec.mix) {
    if (share.weight == 0 || is_dvm(share.kind)) continue;
    if (!cmn::SystemAddressMap::is_memory(range.base) && !is_uncached(share.kind))
      throw SpecError(field + ".base",
                      fmt::format("{} is not possible at I/O addresses, which are not cached", to_string(share.kind)),
                      "use read_no_snp, write_no_snp_full and write_no_snp_ptl there, in separate traffic");
    if (cmn::SystemAddressMap::is_remote(range.base) && share.kind == OperationKind::prefetch)
      throw SpecError(field + ".base", "a prefetch goes to a memory node of the mesh itself", "leave bit 47 clear");
  }
}

}  // namespace

/// Feeds one requester.
class ChiTraffic::Feeder final : public cmn::OperationSource {
 public:
  Feeder(ChiTraffic& traffic, cmn::RequesterModel& requester, std::uint64_t index)
      : traffic_(traffic), requester_(requester), index_(index), cursors_(traffic.spec_.ranges.size(), 0) {}

  void start() {
    when_ = traffic_.first_;
    since_ = traffic_.first_;
    if (traffic_.gaps_) when_ += draw() - 1;
    requester_.set_source(this);
    requester_.ask(when_);
  }
  bool next(cmn::Cycle now, cmn::Operation& operation) override {
    const Gate closed = is_at_limit() ? Gate::limit : Gate::open;
    if (traffic_.gaps_) {
      for (; when_ <= now && when_ < traffic_.end_ && !is_full(waiting_); when_ += draw()) {
        if (waiting_++ == 0) due_since_ = when_;
      }
      if (waiting_ == 0) return refuse(closed, now);
    } else if (now < when_ || now >= traffic_.end_ || is_full(0)) {
      return refuse(closed, now);
    }
    if (closed != Gate::open) return refuse(closed, now);
    if (now > since_) settle(now);
    gate_ = Gate::open;
    begin_operation(now);
    if (traffic_.gaps_) --waiting_;
    ++begun_;
    ++traffic_.begun_;
    traffic_.make(index_, operation, cursors_);
    return true;
  }
  [[nodiscard]] cmn::Cycle ready(cmn::Cycle now) const override {
    if (is_at_limit()) return cmn::kNoCycle;
    if (waiting_ > 0) return now;
    const cmn::Cycle when = std::max(when_, now);
    return when >= traffic_.end_ || is_full(0) ? cmn::kNoCycle : when;
  }
  void held(cmn::Cycle now) override {
    // It has not begun.
    if (is_over_) return;
    --traffic_.cycles_.issuing;
    since_ = now;
    close(Gate::held, now);
  }
  void released(cmn::Cycle now) override {
    if (is_over_) return;
    settle(now);
    gate_ = Gate::open;
    begin_operation(now);
  }
  void full(cmn::Cycle now) override { refuse(is_at_limit() ? Gate::limit : Gate::full, now); }
  void completed(const cmn::Operation& /*operation*/, cmn::Cycle began, cmn::Cycle now) override {
    ++completed_;
    ++traffic_.completed_;
    traffic_.latencies_.add(now - began);
  }
  /// @param now  the first cycle that does not count
  void stop(cmn::Cycle now) {
    settle(now);
    is_over_ = true;
    waiting_ = 0;
  }
  [[nodiscard]] bool ended(cmn::Cycle now) const {
    return waiting_ == 0 && (is_full(0) || (traffic_.gaps_ ? when_ : now) >= traffic_.end_);
  }

 private:
  /// What keeps the requester from beginning operations.
  enum class Gate : std::uint8_t {
    open,   // nothing: none is due
    limit,  // the traffic's own limit
    held,   // the requester has taken one, and cannot begin it
    full,   // the requester takes none
  };

  cmn::Cycle draw() {
    return traffic_.gaps_->draw(static_cast<std::uint32_t>(traffic_.random_() >> 32U), traffic_.random_);
  }
  /// @return true if `count` is reached by the operations that have begun and those that wait.
  [[nodiscard]] bool is_full(std::uint64_t waiting) const {
    return traffic_.spec_.count && begun_ + waiting >= *traffic_.spec_.count;
  }
  [[nodiscard]] bool is_at_limit() const {
    return traffic_.spec_.outstanding != 0 && begun_ - completed_ >= traffic_.spec_.outstanding;
  }

  /// A cycle in which one or more operations begin.
  void begin_operation(cmn::Cycle now) {
    if (is_over_ || since_ > now) return;
    ++traffic_.cycles_.issuing;
    since_ = now + 1;
  }
  bool refuse(Gate gate, cmn::Cycle now) {
    if (gate != gate_ && !is_over_) close(gate, now);
    return false;
  }
  void close(Gate gate, cmn::Cycle now) {
    if (now > since_) settle(now);
    gate_ = gate;
    if (gate != Gate::open) seen_ = requester_.waits(now);
  }

  /// @return the first cycle from since_ on in which an operation was due; `end`, which is moved to the end of the
  ///         traffic, if there was none
  [[nodiscard]] cmn::Cycle due_before(cmn::Cycle& end) const {
    if (gate_ == Gate::held) return since_;
    if (waiting_ > 0) return std::max(since_, due_since_);
    if (traffic_.gaps_ && when_ < std::min(end, traffic_.end_) && !is_full(0)) return std::max(since_, when_);
    end = is_full(0) ? since_ : std::max(since_, std::min(end, traffic_.end_));
    return traffic_.gaps_ || gate_ == Gate::open ? end : since_;
  }
  /// Tell what the cycles from since_ to before `now` went to.
  void settle(cmn::Cycle now) {
    if (is_over_ || now <= since_) return;
    cmn::Cycle end = now;
    const cmn::Cycle due = due_before(end);
    ChiCycles& cycles = traffic_.cycles_;
    cycles.idle += due - since_;
    since_ = now;
    if (gate_ == Gate::open) {
      cycles.answer += end - due;  // nobody asked
      return;
    }
    const cmn::RequesterWaits waits = requester_.waits(now);
    const cmn::Cycle credit = std::min(waits.credit - seen_.credit, end - due);
    const cmn::Cycle port = std::min(waits.port - seen_.port, end - due - credit);
    seen_ = waits;
    cycles.credit += credit;
    cycles.port += port;
    (gate_ == Gate::limit ? cycles.outstanding : cycles.answer) += end - due - credit - port;
  }

  ChiTraffic& traffic_;
  cmn::RequesterModel& requester_;
  std::uint64_t index_;  // number among the fed requesters
  std::vector<std::uint64_t> cursors_;
  cmn::Cycle when_ = cmn::kNoCycle;  // cycle of the next operation
  std::uint64_t waiting_ = 0;        // due, but not begun
  cmn::Cycle due_since_ = 0;         // the first of those
  std::uint64_t begun_ = 0;
  std::uint64_t completed_ = 0;
  Gate gate_ = Gate::open;            // since since_
  cmn::Cycle since_ = cmn::kNoCycle;  // the first cycle that no number has yet
  bool is_over_ = false;              // no more cycles count
  cmn::RequesterWaits seen_{};        // when gate_ was closed
};

ChiTraffic::ChiTraffic(cmn::Mesh& mesh, cmn::Nodes& nodes, const ChiTrafficSpec& spec, const std::string& field,
                       std::uint64_t seed)
    : mesh_(mesh), spec_(spec), random_(spec.seed.value_or(mix_bits(seed ^ hash_of(spec.name)))) {
  check_plain(spec_, field);
  if (spec_.rate) gaps_.emplace(*spec_.rate);
  std::vector<const cmn::Nodes::Requester*> kind;
  for (const cmn::Nodes::Requester& requester : nodes.requesters()) {
    if (requester.place->kind == spec_.requesters) kind.push_back(&requester);
  }
  if (kind.empty())
    throw SpecError(field + ".requesters", fmt::format("the mesh has no {}", name_of(spec_.requesters)),
                    "choose another kind, or another mesh");
  std::set<unsigned> chosen(spec_.numbers.begin(), spec_.numbers.end());
  if (chosen.size() != spec_.numbers.size())
    throw SpecError(field + ".numbers", "holds a number twice", "name each requester once");
  if (!chosen.empty() && *chosen.rbegin() >= kind.size())
    throw SpecError(field + ".numbers", fmt::format("there is no {} {}", name_of(spec_.requesters), *chosen.rbegin()),
                    fmt::format("use 0 ... {}", kind.size() - 1));
  for (unsigned number = 0; number < kind.size(); ++number) {
    if (!chosen.empty() && !chosen.contains(number)) continue;
    if (!nodes.claim(*kind[number]->model))
      throw SpecError(field + ".numbers",
                      fmt::format("{} {} has other traffic already", name_of(spec_.requesters), number),
                      "name requesters in one traffic only");
    feeders_.push_back(std::make_unique<Feeder>(*this, *kind[number]->model, feeders_.size()));
  }
  bool needs_ranges = false;
  for (const ChiOperationShare& share : spec_.mix) {
    if (share.weight != 0 && !kind.front()->model->can(share.kind))
      throw SpecError(field + ".mix",
                      fmt::format("{} of this mesh cannot do {}", name_of(spec_.requesters), to_string(share.kind)),
                      "leave it out");
    kinds_.add(share.kind, share.weight);
    needs_ranges = needs_ranges || (share.weight != 0 && !is_dvm(share.kind));
  }
  if (kinds_.empty()) throw SpecError(field + ".mix", "has no operation", "for example {load: 3, store: 1}");
  for (std::size_t index = 0; index < spec_.ranges.size(); ++index) {
    check_range(spec_, nodes, spec_.ranges[index], fmt::format("{}.ranges[{}]", field, index), feeders_.size());
    ranges_.add(index, spec_.ranges[index].weight);
  }
  if (needs_ranges && ranges_.empty())
    throw SpecError(field + ".ranges", "there is nowhere to go", "for example [{base: 0, size: 1 MiB}]");
  const auto targets = nodes.addresses().nodes(cmn::DeviceKind::rn_f);
  stash_targets_.assign(targets.begin(), targets.end());
}

ChiTraffic::~ChiTraffic() = default;

void ChiTraffic::start(Picoseconds zero) {
  const ClockDomain& clock = mesh_.clock();
  first_ = clock.edges_before(zero + spec_.start);
  if (spec_.duration) end_ = clock.edges_before(zero + spec_.start + *spec_.duration);
  for (const auto& feeder : feeders_) feeder->start();
}

void ChiTraffic::stop() {
  const cmn::Cycle now = cycle();
  for (const auto& feeder : feeders_) feeder->stop(now);
  end_ = 0;
}

cmn::Cycle ChiTraffic::cycle() const noexcept {
  // The engine's cycle is that of its last work, which may be past.
  return std::max(mesh_.engine().now(), mesh_.clock().edges_before(simulated_time()));
}

bool ChiTraffic::ended() const noexcept {
  const cmn::Cycle now = cycle();
  return std::all_of(feeders_.begin(), feeders_.end(), [&](const auto& feeder) { return feeder->ended(now); });
}

std::uint64_t ChiTraffic::below(std::uint64_t limit) {
  // The upper half of the product: exact enough for limits far below 2^32, and equal on every machine.
  if (limit <= (std::uint64_t{1} << 32U)) return (random_() >> 32U) * limit >> 32U;
  return random_() % limit;
}

std::uint64_t ChiTraffic::address_in(const ChiRange& range, std::uint64_t index, std::uint64_t& cursor) {
  std::uint64_t base = range.base;
  std::uint64_t lines = range.size / 64;
  if (range.is_private) {
    lines /= feeders_.size();
    base += index * lines * 64;
  }
  switch (range.pattern) {
    case ChiPattern::stream: {
      const std::uint64_t line = cursor;
      cursor = line + 1 < lines ? line + 1 : 0;
      return base + line * 64;
    }
    case ChiPattern::hot_set:
      if (static_cast<double>(below(1'000'000)) < range.hot_share * 1'000'000) lines = range.hot_size / 64;
      break;
    case ChiPattern::uniform:
      break;
  }
  return base + below(lines) * 64;
}

void ChiTraffic::make(std::uint64_t index, cmn::Operation& operation, std::vector<std::uint64_t>& cursors) {
  operation = {};
  operation.kind = kinds_.at(below(kinds_.total()));
  operation.qos = static_cast<std::uint8_t>(spec_.qos.size() == 1 ? spec_.qos[0] : spec_.qos[below(spec_.qos.size())]);
  operation.allocate = spec_.allocate;
  operation.lpid =
      static_cast<std::uint8_t>(spec_.lpid.size() == 1 ? spec_.lpid[0] : spec_.lpid[below(spec_.lpid.size())]);
  if (is_dvm(operation.kind)) {
    // Type TLBI, BPI, PICI or VICI in bits 12:11; VMIDValid in bit 5; a few VMIDs from bit 14 on.
    const std::uint64_t bits = random_();
    operation.address = (bits & 3U) << 11U | (bits >> 2U & 1U) << 5U | (bits >> 3U & 7U) << 14U;
    return;
  }
  const std::size_t range = spec_.ranges.size() == 1 ? 0 : ranges_.at(below(ranges_.total()));
  operation.address = address_in(spec_.ranges[range], index, cursors[range]);
  if (has_size(operation.kind)) {
    operation.size = static_cast<std::uint8_t>(std::countr_zero(spec_.size));
    if (spec_.size < 64) operation.address += below(64 / spec_.size) * spec_.size;
    if (spec_.cancel_share > 0 && operation.kind == OperationKind::write_no_snp_ptl)
      operation.cancel = static_cast<double>(below(1'000'000)) < spec_.cancel_share * 1'000'000;
  } else if (is_atomic(operation.kind)) {
    operation.address += below(4) * 16;
    operation.variant = static_cast<std::uint8_t>(below(8));
  } else if (is_stash(operation.kind) && !stash_targets_.empty()) {
    operation.has_target = true;
    operation.target = stash_targets_[below(stash_targets_.size())];
  }
}

std::string_view to_string(cmn::OperationKind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < kKinds.size() ? kKinds[index] : "?";
}

std::string_view to_string(ChiPattern pattern) noexcept {
  switch (pattern) {
    case ChiPattern::uniform:
      return "uniform";
    case ChiPattern::stream:
      return "stream";
    case ChiPattern::hot_set:
      return "hot_set";
  }
  return "?";
}

}  // namespace pmufab::traffic
