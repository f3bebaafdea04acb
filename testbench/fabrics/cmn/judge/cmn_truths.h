// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "testbench/fabrics/cmn/judge/cmn_meaning.h"
#include "testbench/fabrics/cmn/judge/cmn_wires.h"
#include "testbench/fabrics/cmn/judge/publication/cmn_publication.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// Watchpoint images of one flit, computed on first use.
class FlitImages {
 public:
  FlitImages(WatchpointLayout layout, cmn::Channel channel, bool upload, const cmn::FlitFields& fields)
      : layout_(layout), channel_(channel), upload_(upload), fields_(fields) {}
  [[nodiscard]] std::uint64_t of_group(unsigned group) {
    std::optional<std::uint64_t>& image = images_[group % images_.size()];
    if (!image) image = watchpoint_image(layout_, channel_, group, upload_, fields_);
    return *image;
  }

 private:
  WatchpointLayout layout_;
  cmn::Channel channel_;
  bool upload_;
  const cmn::FlitFields& fields_;
  std::array<std::optional<std::uint64_t>, 4> images_{};
};

/// What takes hardware of a mesh's PMU. Every truth of a mesh is one.
class CmnTaker {
 public:
  CmnTaker() = default;
  CmnTaker& operator=(CmnTaker&&) = delete;
  virtual ~CmnTaker() = default;
  [[nodiscard]] virtual const CmnMeaning& meaning() const = 0;
};

/// What a watchpoint event must count.
class WatchpointTruth final : public EventTruth, public CmnTaker {
 public:
  WatchpointTruth(CmnMeaning meaning, CmnWires& wires);
  ~WatchpointTruth() override;
  WatchpointTruth& operator=(WatchpointTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] const CmnMeaning& meaning() const override { return meaning_; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, hits_}; }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  void activated() override;
  void deactivated() override;
  void window_opened() override { wires_.open(*this); }
  void window_closed() override { wires_.close(*this); }
  [[nodiscard]] std::optional<LossCause> cause_of_difference(std::span<const Span> spans, std::uint64_t counted,
                                                             std::uint64_t reported) const override;
  [[nodiscard]] bool allows(std::uint64_t value, std::uint64_t low, std::uint64_t high) const override;
  [[nodiscard]] bool grows() const override { return false; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

  /// @return true if the watchpoint sees such flits.
  [[nodiscard]] bool looks_at(bool upload, unsigned xp, cmn::Interface port, cmn::Channel channel) const {
    return upload == meaning_.upload && port == port_interface(meaning_.port) && channel == meaning_.channel &&
           applies_to(xp);
  }
  /// Count `amount` flits at one XP, if what is known of them says that they match: the bits that another watchpoint, not
  /// exclusive and not one of a pair, compares.
  void see_at_once(unsigned xp, const CmnMeaning& known, std::uint64_t amount);
  /// Count a flit it sees, if it matches.
  void see(unsigned xp, cmn::Interface port, FlitImages& images);

 private:
  [[nodiscard]] bool applies_to(unsigned xp) const { return !meaning_.node || *meaning_.node == wires_.ids.xp_id(xp); }
  [[nodiscard]] bool matches(FlitImages& images) const {
    const bool equal = ((images.of_group(meaning_.group) ^ meaning_.value) & ~meaning_.mask) == 0;
    return equal != meaning_.exclusive;
  }

  /// @return the other watchpoint of its pair, if this one counts the flits that both match.
  [[nodiscard]] const WatchpointTruth* partner(unsigned xp) const;

  CmnMeaning meaning_;
  CmnWires& wires_;
  std::uint64_t hits_ = 0;
  bool is_active_ = false;
};

/// Judges the PMU of a mesh, by its registers on the bus and its events.
class CmnPmuJudge final : public PmuJudge {
 public:
  explicit CmnPmuJudge(CmnWires& wires) : PmuJudge(wires.spec.pmu), wires_(wires) {}

  bool see_write(const MmioBus::BusAccess& access) override;
  void see_read(const MmioBus::BusAccess& access) override {
    if (access.ok) wires_.cycle_counters.see(access);
  }
  [[nodiscard]] bool written_on() const override;
  [[nodiscard]] bool has_term(std::string_view term, const EventTerms& numbers) const override {
    return cmn_has_term(term, numbers);
  }
  [[nodiscard]] Publication publication() const override { return cmn_publication(wires_.spec); }
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  /// By counters of DTCs, of crosspoints, and watchpoints of a direction. Where filters of a node, or pairs of watchpoints,
  /// may be in the way, nothing is said.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  /// Cycles of the mesh, flits sent or stalled at one crosspoint, flits that a watchpoint there sees, an event of one
  /// node.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;

 private:
  /// @param known  a watchpoint that compares what is known of the flits
  [[nodiscard]] Injection flits_at_once(CmnMeaning known);

  CmnWires& wires_;
  std::uint64_t pmcr_ = 0;
};

}  // namespace pmufab::scoreboard
