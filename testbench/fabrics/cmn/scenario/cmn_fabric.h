// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/cmn/description/topology.h"
#include "models/platform/platform.h"
#include "testbench/fabrics/cmn/judge/cmn_meaning.h"
#include "testbench/fabrics/cmn/scenario/cmn_service.h"
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/fabrics/cmn/traffic/flit_flow.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/judge/pmu_judge.h"
#include "testbench/perf/pmu_catalog.h"

namespace pmufab::scenario {

/// The CMN meshes of a machine: raw flits, CHI transactions, and a judge for each mesh.
class CmnFabric final : public Fabric {
 public:
  /// @throws InputError for traffic that is impossible on the meshes
  explicit CmnFabric(const FabricContext& context);
  ~CmnFabric() override;
  CmnFabric& operator=(CmnFabric&&) = delete;

  void start_traffic() override;
  void stop_traffic() override;
  [[nodiscard]] std::uint64_t operations_ahead() const override;
  [[nodiscard]] bool traffic_is_over() const override;
  void report_traffic(Json& list) const override;
  void report_busiest(Json& networks) const override;
  [[nodiscard]] perf::PmuService* pmus() override { return reference_.get(); }
  void add_gauges(std::vector<Gauge>& gauges) const override;
  void report_load(Json& list) const override;
  [[nodiscard]] std::optional<unsigned> socket_of(const std::string& pmu) const override;
  void check_event(const perf::ResolvedEvent& event) const override;
  [[nodiscard]] scoreboard::Injection injection(const perf::ResolvedEvent& event, unsigned unit) override;
  /// wp_combine: two watchpoints count what both see.
  [[nodiscard]] bool counts_in_a_pair(const perf::ResolvedEvent& event) const override;
  [[nodiscard]] std::string hint(const perf::ResolvedEvent& event) const override;
  [[nodiscard]] DrainProgress progress() const override;
  [[nodiscard]] bool has_transactions() const override { return !chi_traffic_.empty(); }
  [[nodiscard]] Picoseconds drain_patience() const override;

 private:
  platform::Platform& platform_;
  std::vector<std::unique_ptr<traffic::FlitFlow>> flows_;
  std::vector<std::unique_ptr<traffic::ChiTraffic>> chi_traffic_;
  std::unique_ptr<CmnService> reference_;  // null: drivers count
  Picoseconds began_ = 0;                  // the traffic
};

/// @return the raw flits of a workload, not started. @throws InputError for flits that are impossible on the platform
[[nodiscard]] std::vector<std::unique_ptr<traffic::FlitFlow>> make_flows(platform::Platform& platform,
                                                                         const Workload& workload);

/// @return the CHI traffic of a workload, not started. @throws InputError for traffic that is impossible on the platform
[[nodiscard]] std::vector<std::unique_ptr<traffic::ChiTraffic>> make_chi_traffic(platform::Platform& platform,
                                                                                 const Workload& workload);
/// Add an object for each, as Fabric::report_traffic() has it.
void report(const std::vector<std::unique_ptr<traffic::FlitFlow>>& flows, Json& list);
void report(const std::vector<std::unique_ptr<traffic::ChiTraffic>>& traffic, Json& list);

/// @return how long nothing may move in the meshes of a platform before what is left is given up: 1 ms at least, more
///         for meshes with slow clocks or nodes that were given long latencies.
[[nodiscard]] Picoseconds mesh_patience(const platform::PlatformSpec& spec);

/// Traffic of meshes, kept in a Workload.
struct CmnWorkload {
  std::vector<traffic::FlitFlowSpec> flits;  ///< raw
  std::vector<traffic::ChiTrafficSpec> chi;
};

/// @param mesh     number of the mesh
/// @param meaning  of an event that the mesh's judge lets happen many times at once
/// @return what to call so that the model of the mesh lets it happen
/// @throws std::invalid_argument if the model cannot
[[nodiscard]] scoreboard::Injection cmn_injection(platform::Platform& platform, std::size_t mesh,
                                                  const scoreboard::CmnMeaning& meaning);

/// Refuse an event of a mesh's nodes that its product and revision do not have, and one whose cause no model makes
/// happen: its count would say nothing.
/// @param mesh  number of the mesh, whose PMU is arm_cmn_<mesh>; events of other PMUs pass
/// @throws EventError with the reason and what to count instead
void check_modelled(const perf::ResolvedEvent& event, std::size_t mesh, const cmn::Topology& topology);

/// @return what may help with an event the driver refused: which nodes there are, if it names one there is not; else
/// "".
[[nodiscard]] std::string hint_of_nodes(const perf::ResolvedEvent& event, std::size_t mesh,
                                        const cmn::Topology& topology);

}  // namespace pmufab::scenario
