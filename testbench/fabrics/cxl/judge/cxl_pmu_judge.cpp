// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_pmu_judge.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/judge/cxl_explain.h"
#include "testbench/fabrics/cxl/judge/cxl_publication.h"

namespace pmufab::scoreboard {
namespace {

// Offsets in the register block.
constexpr std::uint64_t kOverflow = 0x10;
constexpr std::uint64_t kFreeze = 0x18;
constexpr std::uint64_t kEventCapabilities = 0x100;
constexpr std::uint64_t kConfiguration = 0x200;
constexpr std::uint64_t kFilters = 0x400;
constexpr std::uint64_t kData = 0xc00;
constexpr std::uint64_t kEnd = 0xe00;
constexpr std::uint64_t kFiltersOfCounter = 8;

// Fields of a counter's configuration.
constexpr std::uint64_t kEnable = 1U << 8;
constexpr unsigned kEdge = 11;
constexpr unsigned kInvert = 12;
constexpr unsigned kThreshold = 16;
constexpr unsigned kEvents = 24;
constexpr unsigned kGroupIndex = 59;

}  // namespace

/// What one event of the user must count, and, in parallel, what the driver's registers select.
class CxlTruth final : public EventTruth {
 public:
  CxlTruth(CxlProgram program, CxlPmuJudge& pmu)
      : program_(program), pmu_(pmu), meant_(make_cxl_count(program_, pmu.sources())) {
    pmu_.add(*this);
  }
  ~CxlTruth() override { pmu_.remove(*this); }
  CxlTruth& operator=(CxlTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return to_string(program_); }
  [[nodiscard]] const CxlProgram& program() const noexcept { return program_; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return last_ = meant_->mark(when); }
  void forget(const Mark& mark) override { meant_->forget(mark); }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return meant_->count(span); }
  [[nodiscard]] std::uint64_t happened(const Span& span) const override { return meant_->happened(span); }
  void window_opened() override { meant_->window_opened(last_.when); }
  void window_closed() override { meant_->window_closed(last_.when); }
  [[nodiscard]] std::optional<LossCause> cause_of_difference(std::span<const Span> /*spans*/, std::uint64_t counted,
                                                             std::uint64_t reported) const override {
    if (written_) return LossCause::unexplained;
    if (!overflow_seen_ || reported >= counted) return std::nullopt;
    if (went_on_) return is_frozen_loss(counted, reported) ? std::optional(LossCause::frozen) : std::nullopt;
    const bool wraps = wraps_or_unexplained(pmu_.counter_width(), counted, reported) == LossCause::ambiguous_wrap;
    return reported <= before_overflow_.total(*meant_) && !wraps ? std::optional(LossCause::frozen) : std::nullopt;
  }

  void activated() override {
    const std::optional<CxlPmuJudge::Written> written = pmu_.take_enabled();
    counter_ = written ? std::optional(written->counter) : std::nullopt;
    last_turn_.reset();
    written_.reset();
    if (!written || written->program == program_) return;
    written_ = written;
    // An event that takes turns may have the same registers each time.
    const auto found =
        std::find_if(counts_.begin(), counts_.end(), [&](const Count& one) { return one.program == written->program; });
    if (found != counts_.end()) {
      std::rotate(found, found + 1, counts_.end());
    } else {
      counts_.push_back({written->program, make_cxl_count(written->program, pmu_.sources()), {}, {}, {}});
    }
  }
  void opened() override {
    meant_->opened(last_.when);
    begin_ = last_;
    last_turn_.reset();
    overflow_in_window_ = false;
    if (!written_) return;
    Count& count = counts_.back();
    count.open = count.truth->mark(last_.when);
    count.truth->opened(last_.when);
  }
  void closed() override {
    // The last mark may be forgotten.
    last_turn_ = Span{*begin_, meant_->mark(last_.when)};
    const bool overflow = overflow_in_window_;
    (overflow ? turns_with_overflow_ : before_overflow_).spans.push_back(*last_turn_);
    begin_.reset();
    meant_->closed(last_.when);
    if (!written_ || !counts_.back().open) return;
    Count& count = counts_.back();
    count.all.spans.push_back({*count.open, count.truth->mark(last_.when)});
    if (!overflow) count.before_overflow.spans.push_back(count.all.spans.back());
    count.truth->closed(last_.when);
    count.open.reset();
  }

  [[nodiscard]] Picoseconds final_before() const override {
    Picoseconds all = meant_->final_before();
    if (last_turn_) all = std::min(all, last_turn_->end.when);
    for (const Count& count : counts_) all = std::min(all, count.truth->final_before());
    return all;
  }
  void settle(const Span& span) override {
    const auto forget_end = [&](const Span& one) { meant_->forget(one.end); };
    turns_found_later_.settle(*meant_, span.begin, [](const Span& /*one*/) {});
    turns_with_overflow_.settle(*meant_, span.begin, forget_end);
    before_overflow_.settle(*meant_, span.begin, forget_end);
    expected_ += meant_->count(span);
    for (Count& count : counts_) {
      count.before_overflow.settle_turn(*count.truth, span.begin.when, [&](const Span& one) {
        const bool is_whole = !count.all.spans.empty() && count.all.spans.front().end.position == one.end.position;
        if (!is_whole) count.truth->forget(one.end);
      });
      count.all.settle_turn(*count.truth, span.begin.when, [&](const Span& one) {
        count.truth->forget(one.begin);
        count.truth->forget(one.end);
      });
    }
  }

  /// The driver handled an overflow of its PMU.
  /// @param status  the counters of which it has read that they overflowed, and which it clears
  void overflowed(Picoseconds when, std::uint64_t status) {
    if (counter_ && (status >> *counter_ & 1U) != 0) ++turns_of_counter_;
    if (!begin_) {
      // Software that freezes the counters first learns then that they have stood still since the overflow.
      if (status == 0 || !last_turn_) return;
      overflow_seen_ = went_on_ = true;
      if (!overflow_in_window_) turns_found_later_.spans.push_back(*last_turn_);
      last_turn_.reset();
      return;
    }
    if (overflow_in_window_) return;
    overflow_in_window_ = true;
    overflow_seen_ = true;
    before_overflow_.spans.push_back({*begin_, meant_->mark(when)});
    if (!written_ || !counts_.back().open) return;
    Count& count = counts_.back();
    count.before_overflow.spans.push_back({*count.open, count.truth->mark(when)});
  }

  void describe(std::span<const Span> /*spans*/, EventResult& result) const override {
    if (program_.mask == 0 && program_.threshold == 0) result.remark = kCountsNothing;
  }
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    CxlDoubt doubt;
    doubt.meant = program_;
    doubt.width = pmu_.sources().spec.width;
    doubt.expected = expected_;
    for (const Span& span : spans) doubt.expected += meant_->count(span);
    if (written_) {
      doubt.written = written_->program;
      doubt.written_index = written_->index;
      for (const Count& count : counts_) {
        doubt.written_count += count.all.total(*count.truth);
        doubt.written_at_overflow += count.before_overflow.total(*count.truth);
      }
    }
    if (overflow_seen_) doubt.at_overflow = before_overflow_.total(*meant_);
    doubt.is_frozen_loss = went_on_ && !written_ && driver < doubt.expected && is_frozen_loss(doubt.expected, driver);
    return explain_cxl(doubt, driver);
  }

 private:
  /// Spans of a count. Those that are final are added up.
  struct Spans {
    std::deque<Span> spans;
    std::uint64_t settled = 0;

    /// Add up those that began until then: turns may have no length, so several may begin at one instant.
    /// @param begin   a mark of the same count
    /// @param forget  their marks
    template <typename Forget>
    void settle(const CxlCount& count, const Mark& begin, Forget forget) {
      const auto order = [](const Mark& mark) { return std::pair(mark.when, mark.position); };
      while (!spans.empty() && order(spans.front().begin) <= order(begin)) settle_first(count, forget);
    }
    /// Add up the turn that began then, where another count has the mark, and those before it.
    template <typename Forget>
    void settle_turn(const CxlCount& count, Picoseconds begin, Forget forget) {
      while (!spans.empty() && spans.front().begin.when < begin) settle_first(count, forget);
      if (!spans.empty() && spans.front().begin.when == begin) settle_first(count, forget);
    }
    template <typename Forget>
    void settle_first(const CxlCount& count, Forget forget) {
      settled += count.count(spans.front());
      forget(spans.front());
      spans.pop_front();
    }
    [[nodiscard]] std::uint64_t total(const CxlCount& count) const {
      std::uint64_t sum = settled;
      for (const Span& span : spans) sum += count.count(span);
      return sum;
    }
  };
  struct Count {
    CxlProgram program;
    std::unique_ptr<CxlCount> truth;
    Spans all;
    Spans before_overflow;
    std::optional<Mark> open;
  };

  /// @return true if what is missing fits what can have passed between overflows and the handlers that let the counters
  ///         go on: no more than in those turns, and not of what the counter itself had before it wrapped.
  [[nodiscard]] bool is_frozen_loss(std::uint64_t counted, std::uint64_t reported) const {
    constexpr unsigned kWord = 64;
    const unsigned width = pmu_.counter_width();
    const std::uint64_t wrapped = width < kWord ? turns_of_counter_ << width : 0;
    const std::uint64_t most = turns_with_overflow_.total(*meant_) + turns_found_later_.total(*meant_);
    return counted - reported <= most && reported >= wrapped;
  }

  CxlProgram program_;
  CxlPmuJudge& pmu_;
  std::unique_ptr<CxlCount> meant_;
  Mark last_;
  std::optional<Mark> begin_;                    // of the open window
  std::optional<CxlPmuJudge::Written> written_;  // if it differs from the meaning
  std::vector<Count> counts_;                    // the last one belongs to written_
  std::optional<unsigned> counter_;
  std::uint64_t turns_of_counter_ = 0;  // that software has seen
  bool overflow_in_window_ = false;
  bool overflow_seen_ = false;
  bool went_on_ = false;  // counters froze at an overflow, and software has let them count again
  Spans before_overflow_;
  Spans turns_with_overflow_;      // each from where the PMU began to run to where software stopped it
  Spans turns_found_later_;        // such turns of before_overflow_, whose marks they share
  std::optional<Span> last_turn_;  // until the next: of which it is not known yet whether it had an overflow
  std::uint64_t expected_ = 0;     // of settled spans
};

CxlPmuJudge::CxlPmuJudge(const CxlSources& sources, Findings& findings)
    : PmuJudge(sources.spec.name, sources.spec.width), sources_(sources), findings_(findings) {}

bool CxlPmuJudge::see_write(const MmioBus::BusAccess& access) {
  const std::uint64_t block = sources_.spec.address;
  if (!access.ok || access.address < block || access.address >= block + kEnd) return false;
  const std::uint64_t offset = access.address - block;
  if (offset == kFreeze) {
    freeze_ = access.data;
    enabled_.reset();
    return true;
  }
  if (offset == kOverflow && access.data != 0) {
    for (CxlTruth* const truth : truths_) truth->overflowed(access.when, access.data & status_read_);
    status_read_ &= ~access.data;
  } else if (offset >= kConfiguration && offset < kFilters) {
    const auto counter = static_cast<unsigned>((offset - kConfiguration) / 8 % kCounters);
    counters_[counter].configuration = access.data;
    if ((access.data & kEnable) != 0) enabled_ = counter;
  } else if (offset >= kFilters && offset < kData) {
    const std::uint64_t number = (offset - kFilters) / 4;
    auto& filters = counters_[number / kFiltersOfCounter % kCounters].filters;
    if (number % kFiltersOfCounter < filters.size())
      filters[number % kFiltersOfCounter] = static_cast<std::uint32_t>(access.data);
  }
  return false;
}

void CxlPmuJudge::see_read(const MmioBus::BusAccess& access) {
  const CxlPmuSpec& spec = sources_.spec;
  if (!access.ok || access.length != 8 || access.address < spec.address) return;
  const std::uint64_t offset = access.address - spec.address;
  if (offset == kOverflow) {
    status_read_ = access.data;
  } else if (offset >= kEventCapabilities && offset < kConfiguration) {
    const std::uint64_t index = (offset - kEventCapabilities) / 8;
    std::uint64_t right = 0;
    if (index < spec.groups.size()) {
      const auto [vendor, group] = spec.groups[index];
      right = std::uint64_t{vendor} << 48 | std::uint64_t{group} << 32 | spec.supported(vendor, group);
    }
    if (access.data != right) {
      findings_.add(Finding::Severity::failure, "cxl_event_capability",
                    fmt::format("{}: event capability {} reads {:#018x} and must read {:#018x}", name(), index,
                                access.data, right),
                    access.when);
    }
  } else if (offset >= kConfiguration && offset < kFilters) {
    const auto counter = static_cast<unsigned>((offset - kConfiguration) / 8);
    const CxlFixedCounter* const fixed_counter = fixed(counter);
    if (fixed_counter == nullptr) return;
    constexpr std::uint64_t kProgram =
        std::uint64_t{0x1f} << kGroupIndex | std::uint64_t{0xffff'ffff} << kEvents | std::uint64_t{0xff} << kThreshold;
    const std::uint64_t right = std::uint64_t{fixed_counter->group_index} << kGroupIndex |
                                std::uint64_t{fixed_counter->mask} << kEvents |
                                std::uint64_t{fixed_counter->threshold} << kThreshold;
    if ((access.data & kProgram) != right) {
      findings_.add(Finding::Severity::failure, "cxl_fixed_counter",
                    fmt::format("{}: the program of fixed counter {} reads {:#018x} and must read {:#018x}", name(),
                                counter, access.data & kProgram, right),
                    access.when);
    }
  }
}

bool CxlPmuJudge::is_counter_read(const MmioBus::BusAccess& access) const {
  const std::uint64_t block = sources_.spec.address;
  return access.ok && access.address >= block + kData && access.address < block + kEnd;
}

std::optional<CxlPmuJudge::Written> CxlPmuJudge::take_enabled() {
  if (!enabled_) return std::nullopt;
  const unsigned counter = *enabled_;
  enabled_.reset();
  return program(counter);
}

const CxlFixedCounter* CxlPmuJudge::fixed(unsigned counter) const {
  for (const CxlFixedCounter& one : sources_.spec.fixed) {
    if (one.counter == counter) return &one;
  }
  return nullptr;
}

CxlPmuJudge::Written CxlPmuJudge::program(unsigned counter) const {
  const CxlPmuSpec& spec = sources_.spec;
  const std::uint64_t configuration = counters_[counter].configuration;
  const auto bits = [configuration](unsigned first, unsigned width) {
    return static_cast<std::uint32_t>(configuration >> first & ((std::uint64_t{1} << width) - 1));
  };
  Written written;
  written.counter = counter;
  written.index = bits(kGroupIndex, 5);
  written.program.mask = bits(kEvents, 32);
  written.program.threshold = bits(kThreshold, 8);
  written.program.invert = bits(kInvert, 1) != 0;
  written.program.edge = bits(kEdge, 1) != 0;
  // Only the enable bits of a fixed counter can be written.
  if (const CxlFixedCounter* const fixed_counter = fixed(counter); fixed_counter != nullptr) {
    written.index = fixed_counter->group_index;
    written.program.mask = fixed_counter->mask;
    written.program.threshold = fixed_counter->threshold;
    written.program.invert = written.program.edge = false;
  }
  if (written.index < spec.groups.size()) {
    written.program.vendor = spec.groups[written.index].vendor;
    written.program.group = spec.groups[written.index].group;
  } else {
    written.program.mask = 0;
  }
  const auto& filters = counters_[counter].filters;
  if (spec.hdm_filter && filters[0] != ~std::uint32_t{0}) written.program.hdm = filters[0];
  if (spec.ddr_filter && filters[1] != ~std::uint32_t{0}) written.program.location = filters[1];
  return written;
}

Publication CxlPmuJudge::publication() const { return cxl_publication(sources_.spec); }

std::optional<std::string> CxlPmuJudge::room_for(const EventTruth& refused,
                                                 const std::vector<const EventTruth*>& active) const {
  const CxlPmuSpec& spec = sources_.spec;
  const auto program_of = [](const EventTruth* event) -> const CxlProgram& {
    return static_cast<const CxlTruth*>(event)->program();
  };
  const CxlProgram& program = program_of(&refused);
  const std::uint32_t supported = spec.supported(program.vendor, program.group);
  if (program.mask == 0 || (program.mask & supported) != program.mask) return "";
  // Configurable counters must not use an event capability of a fixed counter, so another must have the group.
  bool has_configurable = false;
  for (unsigned index = 0; index < spec.groups.size(); ++index) {
    const bool is_fixed = std::any_of(spec.fixed.begin(), spec.fixed.end(),
                                      [&](const CxlFixedCounter& one) { return one.group_index == index; });
    const CxlGroupSpec& group = spec.groups[index];
    has_configurable |= !is_fixed && group.vendor == program.vendor && group.group == program.group;
  }
  if (has_configurable && active.size() < spec.configurable)
    return fmt::format("{} of {} configurable counters used", active.size(), spec.configurable);
  // Nobody can say which counters the active events have.
  std::optional<std::string> otherwise =
      has_configurable && spec.has_configurable ? std::nullopt : std::optional<std::string>("");
  CxlProgram plain;
  plain.vendor = program.vendor;
  plain.group = program.group;
  plain.mask = program.mask;
  if (program != plain) return otherwise;
  auto counted = std::count_if(active.begin(), active.end(), [&](const EventTruth* event) {
    const CxlProgram& other = program_of(event);
    return other.vendor == plain.vendor && other.group == plain.group && other.mask == plain.mask;
  });
  for (const CxlFixedCounter& one : spec.fixed) {
    if (one.is_free_running || one.threshold != 0 || one.mask != plain.mask || one.group_index >= spec.groups.size())
      continue;
    const CxlGroupSpec& group = spec.groups[one.group_index];
    const bool is_its = group.vendor == plain.vendor && group.group == plain.group;
    // Each of the same events may have one of them.
    if (is_its && counted-- <= 0) return fmt::format("fixed counter {} free", one.counter);
  }
  return otherwise;
}

std::unique_ptr<EventTruth> CxlPmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<CxlTruth>(cxl_meaning(terms, sources_.spec), *this);
}

Injection CxlPmuJudge::injection(const EventTerms& terms, unsigned /*unit*/) {
  const CxlProgram program = cxl_meaning(terms, sources_.spec);
  if (program.threshold != 0 || program.edge) throw std::invalid_argument("name the event alone, without a threshold");
  const std::uint32_t events = program.mask & sources_.spec.supported(program.vendor, program.group);
  if (!std::has_single_bit(events) || events != program.mask)
    throw std::invalid_argument(fmt::format("{}: name one event that the CPMU has", to_string(program)));
  if (program.vendor == kCxlVendor && program.group == kClockTicksGroup)
    return [this](std::uint64_t count, Picoseconds when) { sources_.ticks.pass(count, when); };
  if (program.vendor != kCxlVendor || !CxlTally::has(program.group))
    throw std::invalid_argument(
        fmt::format("{} only happens one by one; messages and clock ticks can happen at once", to_string(program)));
  std::optional<unsigned> decoder;
  if (program.hdm) {
    if (!std::has_single_bit(*program.hdm)) throw std::invalid_argument("name one HDM decoder (hdm)");
    decoder = static_cast<unsigned>(std::countr_zero(*program.hdm));
  }
  const auto bit = static_cast<unsigned>(std::countr_zero(events));
  return [this, group = program.group, bit, decoder](std::uint64_t count, Picoseconds when) {
    sources_.tally.count(group, bit, decoder, when, count);
  };
}

}  // namespace pmufab::scoreboard
