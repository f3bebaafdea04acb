// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/fabrics/tegra410/judge/c2c_judge.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/finding.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::scoreboard {

/// Passes the judges of chip-to-chip PMUs what crosses their interfaces, by the rules of docs/tegra410.md. It also
/// compares the link between sockets with the requests: those for a remote home cross it once at each end, others do
/// not.
class C2cWires {
 public:
  /// All must outlive it. @param judges  of the chip-to-chip PMUs
  C2cWires(const Tegra410JudgeSpec& spec, std::vector<C2cPmuJudge*> judges, Findings& findings)
      : spec_(spec), judges_(std::move(judges)), findings_(findings) {}

  void see(const BoundaryObserver::MemoryAccess& access);
  void see(const BoundaryObserver::LinkRequest& request);
  /// The answer to a request. Called after the effects of the request on the link.
  void see_answer(const BoundaryObserver::Request& request, Picoseconds end);

 private:
  [[nodiscard]] C2cPmuJudge* judge_of(unsigned socket, C2cPeer peer) const;
  void check_link(const BoundaryObserver::Request& request, Picoseconds end);

  const Tegra410JudgeSpec& spec_;
  std::vector<C2cPmuJudge*> judges_;
  Findings& findings_;
  std::vector<BoundaryObserver::LinkRequest> crossed_;  // since the last answer
};

}  // namespace pmufab::scoreboard
