#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "models/cmn/config_space.h"
#include "models/cmn/layout.h"
#include "models/cmn/mesh_engine.h"
#include "models/cmn/mesh_observer.h"
#include "models/cmn/pmu.h"
#include "models/cmn/topology.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::cmn {

class Mesh;

/// Something behind device ports that hands flits to a mesh. Asked once per cycle, not per flit.
class MeshSource {
 public:
  virtual ~MeshSource() = default;
  /// @return the first cycle from `now` on in which run() may have something to do; kNoCycle: none.
  [[nodiscard]] virtual Cycle next_cycle(Cycle now) const = 0;
  /// Upload what can be uploaded in cycle `now`.
  virtual void run(Mesh& mesh, Cycle now) = 0;
};

/// What a design may vary, beside the topology.
struct MeshOptions {
  unsigned buffer_depth = 8;      ///< flits each input of an XP holds
  unsigned router_delay = 2;      ///< cycles from a flit's arrival at an XP to its earliest departure
  unsigned link_delay = 1;        ///< cycles on a link
  unsigned download_credits = 8;  ///< flits the device at a port can hold
  PmuParameters pmu{};
};

/// A CMN: the mesh of crosspoints, its configuration space, and its PMU.
///
/// One SystemC process serves the mesh, cycle by cycle, and sleeps while nothing moves. Devices take each flit in the
/// cycle after it came.
class Mesh : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Mesh);
  /// @param name  of the module, and first part of the names of registers and lines: "cmn0"
  /// @throws SpecError, std::invalid_argument for a mesh that cannot be
  Mesh(const sc_core::sc_module_name& name, const Topology& topology, const MeshOptions& options);
  ~Mesh() override;

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const ClockDomain& clock() const noexcept { return clock_; }
  /// Registers: bind its socket behind PERIPHBASE.
  [[nodiscard]] ConfigSpace& config_space() noexcept { return config_space_; }
  [[nodiscard]] const ConfigSpace& config_space() const noexcept { return config_space_; }
  [[nodiscard]] Pmu& pmu() noexcept { return pmu_; }
  /// INTREQPMU of a DTC.
  [[nodiscard]] InterruptLine& interrupt(unsigned dtc) { return pmu_.interrupt(dtc); }
  [[nodiscard]] const MeshEngine& engine() const noexcept { return engine_; }

  /// Ask `source` (not owned) each cycle, in the order added.
  void add_source(MeshSource& source);
  /// Sources may have something to do earlier than they said.
  void wake();

  /// @return whether the device may upload a flit in this cycle.
  [[nodiscard]] bool ready(Channel channel, unsigned xp, unsigned port) const noexcept {
    return engine_.ready(channel, xp, port);
  }
  /// Hand over a flit for the node fields.tgtid. Only from MeshSource::run(), and only if ready().
  /// @throws std::invalid_argument if no device of the mesh has that id
  void upload(Channel channel, unsigned xp, unsigned port, const FlitFields& fields);

  /// Show what crosses the wires to `observer` (not owned); nullptr removes it.
  void set_observer(MeshObserver* observer);

  /// Warm reset of registers, counters and interrupt lines. Flits go on.
  void reset() { pmu_.reset(); }

  [[nodiscard]] std::uint64_t uploaded() const noexcept { return uploaded_; }
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }

 private:
  struct Target {
    std::uint8_t xp;
    std::uint8_t port;
  };
  static constexpr Target kNowhere{0xff, 0xff};

  static MeshParameters parameters_of(const Topology& topology, const MeshOptions& options);
  void run();
  void cycle(Cycle now);
  void find_targets();

  Topology topology_;
  Layout layout_;
  ClockDomain clock_;
  ConfigSpace config_space_;
  Pmu pmu_;
  MeshEngine engine_;
  std::vector<MeshSource*> sources_;
  MeshObserver* observer_ = nullptr;
  std::vector<Target> targets_;  // by node id
  std::vector<FlitFields> flits_;
  std::vector<std::uint32_t> free_flits_;
  Picoseconds when_ = 0;  // of the cycle that runs
  std::uint64_t uploaded_ = 0;
  std::uint64_t delivered_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace pmufab::cmn
