// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/coresight/coresight_pmu_judge.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// The events of a PCIE-TGT PMU that traffic causes. The value is the number perf's `event=` takes.
enum class PcieTgtEvent : std::uint8_t { rd_bytes, wr_bytes, rd_req, wr_req };

/// What a PCIE-TGT PMU must count for a user's event text.
struct PcieTgtMeaning {
  enum class Kind : std::uint8_t { traffic, cycles, nothing };
  struct AddressFilter {
    std::uint64_t base = 0;
    std::uint64_t mask = 0;
    auto operator<=>(const AddressFilter&) const = default;
  };
  Kind kind = Kind::nothing;
  PcieTgtEvent event = PcieTgtEvent::rd_bytes;  ///< traffic only
  std::uint32_t ports = 0;                      ///< BAR traffic to these root ports
  std::optional<AddressFilter> addresses{};     ///< traffic to these addresses, BAR or CXL memory
  std::string text;                             ///< for reports: "rd_req, ports 0x3"
};

/// The kernel document's meaning of a PCIE-TGT event text: a name of its list or `event=` number (above 4: nothing),
/// dst_rp_mask, dst_addr_base, dst_addr_mask, dst_addr_en. Without a filter: BAR traffic to all root ports. With both
/// dst_addr_en and root ports, a request counts if either matches (inferred). `config`, `config1` and `config2` are
/// taken raw.
/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
[[nodiscard]] PcieTgtMeaning pcie_tgt_meaning(const EventTerms& terms);

/// A read or write that goes down to a root complex.
struct PcieTgtRequest {
  std::uint64_t address;
  std::uint32_t bytes;
  bool is_write;
  std::int8_t root_port;  ///< root port of its BAR; negative: CXL memory
};

/// Receives the requests to a root complex, in order.
class PcieTgtListener {
 public:
  virtual ~PcieTgtListener() = default;
  virtual void see(const PcieTgtRequest& request) = 0;
  /// An event happened `amount` times at once, of requests to BARs below a root port that no address filter matches.
  virtual void see_at_once(PcieTgtEvent event, unsigned root_port, std::uint64_t amount) = 0;
};

/// Judges the PCIE-TGT PMU of one root complex.
class PcieTgtPmuJudge final : public CoreSightPmuJudge {
 public:
  /// @param clock  of the SOC fabric
  PcieTgtPmuJudge(const CoreSightPmuSpec& spec, const ExactClock& clock);

  [[nodiscard]] unsigned socket() const noexcept { return socket_; }
  [[nodiscard]] unsigned root_complex() const noexcept { return root_complex_; }
  /// Process a request, at the instant it was accepted.
  void see(const PcieTgtRequest& request) {
    for (PcieTgtListener* const listener : listeners_) listener->see(request);
  }
  void add(PcieTgtListener& listener) { listeners_.push_back(&listener); }
  void remove(const PcieTgtListener& listener) { std::erase(listeners_, &listener); }

  /// The result must not outlive the judge.
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] Publication publication() const override;
  /// Besides a counter, each different pair of address and mask takes one of eight filters.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  /// Cycles, or an event of requests to BARs below one root port. No address filter matches them.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;

 private:
  unsigned socket_;
  unsigned root_complex_;
  std::vector<PcieTgtListener*> listeners_;  // the truths of events that are open
  ExactClock clock_;
};

}  // namespace pmufab::scoreboard
