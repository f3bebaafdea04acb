// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "testbench/fabrics/cxl/judge/cxl_count.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

class CxlTruth;

/// Judges a CPMU, by the writes to its register block (CXL 3.1, 8.2.7) and by its events.
///
/// The CPMU runs while the freeze register is 0. What a driver writes into a counter's configuration can explain a
/// wrong value; it cannot make it right.
class CxlPmuJudge final : public PmuJudge {
 public:
  /// @param findings  must outlive the judge
  CxlPmuJudge(const CxlSources& sources, Findings& findings);

  bool see_write(const MmioBus::BusAccess& access) override;
  /// Registers that describe what the CPMU can count must match its description.
  void see_read(const MmioBus::BusAccess& access) override;
  [[nodiscard]] bool written_on() const override { return freeze_ == 0; }
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const override;
  [[nodiscard]] Publication publication() const override;
  /// A configurable counter counts any event of the CPMU's groups. A fixed one counts its own, with nothing selected.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  /// Clock ticks, or one kind of message. A term hdm names the decoder that claims its address; without it none does.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;

  /// @name For its truths
  /// @{ The contents of a counter's registers.
  struct Written {
    CxlProgram program;
    unsigned index = 0;  ///< of the event group
    unsigned counter = 0;
  };
  /// @return the counter that was enabled last, if no event has taken it yet: it belongs to the event whose add call
  ///         ends.
  [[nodiscard]] std::optional<Written> take_enabled();
  void add(CxlTruth& truth) { truths_.push_back(&truth); }
  void remove(CxlTruth& truth) { std::erase(truths_, &truth); }
  [[nodiscard]] const CxlSources& sources() const noexcept { return sources_; }
  /// @}

 private:
  static constexpr unsigned kCounters = 64;
  struct Counter {
    std::uint64_t configuration = 0;
    std::array<std::uint32_t, 2> filters{~std::uint32_t{0}, ~std::uint32_t{0}};
  };
  [[nodiscard]] Written program(unsigned counter) const;
  [[nodiscard]] const CxlFixedCounter* fixed(unsigned counter) const;

  CxlSources sources_;
  Findings& findings_;
  std::uint64_t freeze_ = 0;
  std::uint64_t status_read_ = 0;  // overflows of which software has read, and which it has not cleared
  std::array<Counter, kCounters> counters_{};
  std::optional<unsigned> enabled_;
  std::vector<CxlTruth*> truths_;
};

}  // namespace pmufab::scoreboard
