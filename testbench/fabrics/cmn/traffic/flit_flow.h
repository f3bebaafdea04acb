// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/cmn/mesh.h"
#include "testbench/fabrics/cmn/traffic/due_queue.h"
#include "testbench/fabrics/cmn/traffic/mesh_traffic.h"
#include "testbench/traffic/pacer.h"
#include "testbench/traffic/random_stream.h"
#include "tlm/spec/latency_histogram.h"

namespace pmufab::traffic {

/// Flits with CHI fields, sent from all device ports of a mesh on one channel: the simplest traffic for counting at
/// crosspoints. There is no protocol, and no answers.
struct FlitFlowSpec {
  std::string name;                          ///< unique in the scenario, not empty
  unsigned mesh = 0;                         ///< number of the mesh in the platform
  cmn::Channel channel = cmn::Channel::req;  ///< a channel of the mesh
  MeshPattern pattern = MeshPattern::uniform;
  double rate = 0.05;                       ///< flits per device port and cycle, 1e-9 ... 1
  unsigned hot_xp = 0;                      ///< for hotspot: index of the XP
  double hot_share = 0.5;                   ///< for hotspot, 0 ... 1
  std::vector<std::uint32_t> opcodes = {};  ///< CHI opcodes, 1 ... 0x7f, equally likely; empty: 4
  std::uint64_t base = 0;                   ///< addresses: lines of 64 bytes in [base, base + size)
  std::uint64_t size = 0x1'0000'0000;       ///< bytes
  Picoseconds start = 0;                    ///< after the start of traffic
  std::optional<Picoseconds> duration{};    ///< time in which flits are sent
  std::optional<std::uint64_t> count{};     ///< flits per port, at least 1
  std::optional<std::uint64_t> seed{};      ///< not set: derived from the scenario's seed and the name
};

/// Sends one flow into a mesh. A flit whose port is not ready waits, and later flits queue up behind it.
class FlitFlow final : public cmn::MeshDevice {
 public:
  /// Attaches itself to the mesh.
  /// @param field  path of the flow, for errors: "mesh_traffic[2]"
  /// @param seed   the scenario's
  /// @throws SpecError if the mesh does not support such a flow
  FlitFlow(cmn::Mesh& mesh, const FlitFlowSpec& spec, const std::string& field, std::uint64_t seed);

  /// Set time 0 of the flow. Once.
  void start(Picoseconds zero);
  /// Send no more flits. Waiting flits are dropped.
  void stop();

  void run(cmn::Cycle now) override;

  [[nodiscard]] const std::string& name() const noexcept { return spec_.name; }
  [[nodiscard]] std::uint64_t uploaded() const noexcept { return sent_; }
  /// @return the flits that its rate has asked for so far: those that were uploaded, and those that wait for their port.
  [[nodiscard]] std::uint64_t offered() const noexcept { return offered_; }
  /// Cycles of the flits that have arrived, from when their rate asked for them, through the wait at their port and the
  /// mesh.
  [[nodiscard]] const LatencyHistogram& latencies() const noexcept { return latencies_; }
  /// @return the cycles that uploaded flits have waited for their port, all together
  [[nodiscard]] std::uint64_t waited() const noexcept { return waited_; }
  /// @return true if no more flits will be sent.
  [[nodiscard]] bool ended() const noexcept;

 private:
  struct alignas(64) Source {
    cmn::Cycle when = cmn::kNoCycle;  // cycle of its next flit
    std::uint64_t made = 0;
    DueQueue waiting;
    std::uint32_t target = 0;  // index of the source its flits go to, unless they go to different ones
    std::uint16_t node = 0;
    std::uint8_t xp = 0;
    std::uint8_t port = 0;
  };
  /// @return the index of the source to which the pattern sends the flits of a source, unless it draws another.
  [[nodiscard]] std::uint32_t fixed_target(std::uint32_t index) const;
  /// Make the source's next flit, and draw when the one after it is due. @return when it was asked for
  cmn::Cycle ask(Source& source);
  void run_source(std::size_t index, cmn::Cycle now);
  void upload(const Source& source, cmn::Cycle due, cmn::Cycle now);
  [[nodiscard]] const Source& target_of(const Source& source);
  [[nodiscard]] cmn::FlitFields make(const Source& source);

  cmn::Mesh& mesh_;
  FlitFlowSpec spec_;
  boost::random::mt19937_64 random_;
  GeometricGaps gaps_;
  UniformBelow below_sources_{1};
  UniformBelow below_opcodes_{1};
  UniformBelow below_lines_;
  std::vector<Source> sources_;
  std::vector<std::vector<std::uint32_t>> at_xp_;  // sources by XP
  cmn::CallWheel calls_;                           // calls of sources
  unsigned number_ = 0;                            // device number in the mesh
  cmn::Cycle end_ = cmn::kNoCycle;
  std::uint64_t offered_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t waited_ = 0;
  LatencyHistogram latencies_;
};

}  // namespace pmufab::traffic
