// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/cmn/wire/mesh_observer.h"
#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// Hears the flits at the device ports of a mesh, from the wires, for judges of other PMUs.
class CmnFlitListener {
 public:
  /// @param download  the flit goes into the device
  virtual void on_flit(Picoseconds when, unsigned xp, unsigned port, bool download, cmn::Channel channel,
                       const cmn::FlitFields& fields) = 0;

 protected:
  ~CmnFlitListener() = default;
};

/// Judges a CMN mesh: the route of every flit, the messages of its nodes, and the events, watchpoints and cycles its
/// PMU counts.
class CmnJudge final : public FabricJudge, public cmn::MeshObserver {
 public:
  /// @param chronicle  must outlive the judge
  /// @throws std::invalid_argument for a mesh without XPs, or a list of the wrong length
  CmnJudge(CmnJudgeSpec spec, Chronicle& chronicle);
  ~CmnJudge() override;

  void on_begin(Picoseconds when) override;
  void on_upload(Picoseconds when, unsigned xp, unsigned port, cmn::Channel channel, std::uint32_t flit,
                 const cmn::FlitFields& fields) override;
  void on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) override;
  void on_hold(Picoseconds when, std::uint16_t node_id, cmn::Channel channel) override;
  void on_link_flit(Picoseconds when, std::uint16_t node_id, bool sent, const cmn::LinkFlit& flit) override;

  /// Set where a link leads. Both gateways must be in CmnJudgeSpec::links of their meshes, and both judges must live
  /// until the end.
  /// @throws std::out_of_range if there is no such gateway
  static void link(CmnJudge& one, std::uint16_t gateway, CmnJudge& other, std::uint16_t other_gateway);

  [[nodiscard]] std::vector<PmuJudge*> pmus() override;
  /// Report flits that entered the mesh and never left it, and messages that nodes should have sent and did not.
  void finish() override;

  /// @return flits sent (or cycles stalled) at an interface since the beginning.
  [[nodiscard]] std::uint64_t count(cmn::FlitEvent event, unsigned xp, cmn::Interface interface,
                                    cmn::Channel channel) const;

  /// @name For judges of other PMUs
  /// @{
  void add(CmnFlitListener& listener);
  void remove(const CmnFlitListener& listener);
  /// @return the node ids of the homes (HN-F, HN-S) that software sees.
  [[nodiscard]] std::vector<std::uint16_t> homes() const;
  /// @return how often an event of a home happened before `when`, which is not before the present.
  [[nodiscard]] std::uint64_t home_events(std::uint16_t node_id, unsigned event, Picoseconds when);
  /// @}

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pmufab::scoreboard
