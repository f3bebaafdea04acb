#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/cmn/mesh_observer.h"
#include "testbench/scoreboard/pmu_judge.h"
#include "testbench/scoreboard/watchpoint_image.h"

namespace pmufab::scoreboard {

/// What the judge of a mesh must know. Filled from the text the mesh is built from, never from the model.
struct CmnJudgeSpec {
  std::string pmu;  ///< as perf knows it: "arm_cmn_0"
  unsigned columns = 1;
  unsigned rows = 1;
  WatchpointLayout layout = WatchpointLayout::cmn600;
  std::uint64_t clock_hz = 2'000'000'000;
  std::uint64_t pmcr = 0;              ///< physical address of DTC 0's por_dt_pmcr, which starts and stops all counting
  std::vector<unsigned> ports_in_use;  ///< by XP: highest port with a device, plus one
};

/// Judges a CMN mesh: the route of every flit, and the flit events, watchpoints and cycles its PMU counts.
class CmnJudge final : public FabricJudge, public cmn::MeshObserver {
 public:
  /// @param chronicle  outlives the judge
  /// @throws std::invalid_argument for a mesh without XPs, or a list of another length
  CmnJudge(CmnJudgeSpec spec, Chronicle& chronicle);
  ~CmnJudge() override;

  void on_upload(Picoseconds when, unsigned xp, unsigned port, cmn::Channel channel, std::uint32_t flit,
                 const cmn::FlitFields& fields) override;
  void on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) override;
  /// @name What on_cycle() consists of
  /// @{
  void on_transmit(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel, std::uint32_t flit);
  void on_stall(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel);
  /// @}

  [[nodiscard]] std::vector<PmuJudge*> pmus() override;
  /// Flits that entered the mesh and never left it.
  void finish() override;

  /// Flits sent (or cycles stalled) at an interface since the beginning.
  [[nodiscard]] std::uint64_t count(cmn::FlitEvent event, unsigned xp, cmn::Interface interface,
                                    cmn::Channel channel) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pmufab::scoreboard
