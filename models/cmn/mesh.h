// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <systemc>

#include "models/cmn/description/config_space.h"
#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/engine/call_wheel.h"
#include "models/cmn/engine/mesh_engine.h"
#include "models/cmn/mesh_device.h"
#include "models/cmn/outbox.h"
#include "models/cmn/pmu/pmu.h"
#include "models/cmn/wire/mesh_observer.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/spec/latency_histogram.h"

namespace pmufab::cmn {

class Mesh;

/// Design parameters beside the topology.
struct MeshOptions {
  unsigned buffer_depth = 8;      ///< flits per input of an XP
  unsigned router_delay = 2;      ///< cycles from a flit's arrival at an XP to its earliest departure
  unsigned link_delay = 1;        ///< cycles on a link
  unsigned download_credits = 8;  ///< flits the device at a port can hold
  unsigned credit_delay = 1;      ///< cycles from a flit's departure until its place is free
  PmuParameters pmu{};
};

/// A CMN: the mesh of crosspoints, its configuration space, and its PMU.
///
/// One SystemC process serves the mesh, cycle by cycle, and sleeps while nothing moves. In a cycle, devices run, ports
/// send what devices posted, and the engine moves flits by one step. A flit that reached a device waits for it in the
/// next cycle. Raw flits, and flits for ids without an attached device, are discarded in the cycle after their arrival.
///
/// While nothing else can happen in the simulation, the process does the work of many cycles in one call. Times of a cycle
/// may then lie ahead of sc_time_stamp(), but never behind anything that another process can see. A plain
/// sc_start(duration) does not bound the mesh: let a process wait instead, or notify an event for that time first.
class Mesh : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Mesh);
  /// @param name  of the module, and first part of the names of registers and lines: "cmn0"
  /// @throws SpecError, std::invalid_argument for an impossible mesh
  Mesh(const sc_core::sc_module_name& name, const Topology& topology, const MeshOptions& options);
  ~Mesh() override;

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const ClockDomain& clock() const noexcept { return clock_; }
  /// @return the time of a cycle. It is cached for the running cycle and computed for others.
  [[nodiscard]] Picoseconds time_of(Cycle cycle) const noexcept {
    return in_cycle_ && cycle == engine_.now() ? when_ : clock_.time_of_edge(cycle);
  }
  /// The registers: bind their socket behind PERIPHBASE.
  [[nodiscard]] ConfigSpace& config_space() noexcept { return config_space_; }
  [[nodiscard]] const ConfigSpace& config_space() const noexcept { return config_space_; }
  [[nodiscard]] Pmu& pmu() noexcept { return pmu_; }
  /// INTREQPMU of a DTC.
  [[nodiscard]] InterruptLine& interrupt(unsigned dtc) { return pmu_.interrupt(dtc); }
  [[nodiscard]] const MeshEngine& engine() const noexcept { return engine_; }

  /// @name Devices
  /// @{ Attach a source of raw flits, or another device that receives nothing. It is not owned and must outlive the
  /// mesh's last cycle. @return its number
  unsigned attach(MeshDevice& device);
  /// Attach the device (not owned) with a node id, device number included. It receives the flits sent to that id.
  /// @return its number
  /// @throws std::invalid_argument if no device of the topology has that id, or another is attached
  unsigned attach(MeshDevice& device, std::uint16_t node_id);
  /// Let the device run in cycle `when`; if that is past, in the next possible cycle.
  void call(unsigned device, Cycle when);

  /// @return the flit that has waited longest for the device, or nullptr. Flits of one cycle are in the order of
  ///         channels REQ, RSP, SNP, DAT, RSP2, DAT2, REQ2, SNP2. The flit stays until it is taken.
  [[nodiscard]] const Arrival* arrival(unsigned device) const noexcept {
    const std::uint32_t first = devices_[device].first;
    return first == kNoFlit ? nullptr : &flit(first).arrival;
  }
  /// Take the flit that arrival() returns. Only from MeshDevice::run().
  void take(unsigned device);

  /// Send a flit from the device's port as soon as possible, but not before cycle `ready` (from MeshDevice::sent(): not
  /// before the next cycle). Flits of one device and channel go in the order of `ready`, then of posting. Each cycle a
  /// port sends one flit per channel; the devices behind the port take turns. SrcID is filled in. Where a channel has
  /// two sub-channels, flits with an odd TxnID use the second.
  /// @param tell  call MeshDevice::sent() when the flit enters the mesh
  /// @throws std::invalid_argument if no device of the topology has the id fields.tgtid
  void post(unsigned device, Channel channel, const FlitFields& fields, Cycle ready, bool tell = false);
  /// Count an event of a source for each cycle in which the device's first flit of the channel (or of its second
  /// sub-channel) is ready but does not go. A channel has at most two such events; a further one replaces the second.
  void count_holds(unsigned device, Channel channel, unsigned source, unsigned event_id);
  /// From now on, until it is told otherwise, something else than its port keeps the device waiting: port_waits() does not
  /// grow.
  void waits_for_other(unsigned device, bool waits) { devices_[device].waits_for_other = waits; }
  /// @return the cycles so far in which the device's first flit of REQ or DAT was ready but did not go, unless it waited
  ///         for something else: waits_for_other().
  [[nodiscard]] Cycle port_waits(unsigned device) const noexcept { return devices_[device].port_waits; }

  /// @return true if a flit may be uploaded at the port in this cycle.
  [[nodiscard]] bool ready(Channel channel, unsigned xp, unsigned port) const noexcept {
    return engine_.ready(channel, xp, port);
  }
  /// Upload a raw flit for the node fields.tgtid. It gets TxnID kRawTxnId. Only from MeshDevice::run(), and only if
  /// ready().
  /// @param latencies  gets the cycles from `since` to the flit's arrival; it must outlive the flit. Null: nobody asks
  /// @throws std::invalid_argument if no device of the topology has that id
  void upload(Channel channel, unsigned xp, unsigned port, const FlitFields& fields,
              LatencyHistogram* latencies = nullptr, Cycle since = 0);
  /// @}

  /// Show what crosses the wires to `observer` (not owned); nullptr removes the observer. It must not access registers or
  /// count events: the PMU may know a part of the cycle that it is shown.
  void set_observer(MeshObserver* observer);
  /// A flit at a device port, for listeners.
  struct PortFlit {
    Picoseconds when;
    unsigned xp;
    unsigned port;
    bool is_download;  ///< it goes into the device
    Channel channel;
    const FlitFields& fields;
  };
  /// Call a function for each flit that enters or leaves at a device port, too. What holds for observers holds for it.
  /// @param function  nullptr: none
  void listen(void (*function)(void* context, const PortFlit& flit), void* context);
  /// Called by a gateway for a flit that crosses its end of a link in this cycle. Only from MeshDevice::run().
  void show_link_flit(std::uint16_t node_id, bool sent, const LinkFlit& flit) {
    if (observer_ != nullptr) observer_->on_link_flit(when_, node_id, sent, flit);
  }

  /// From now on, do the work of each cycle at its own time. For devices that call other models from run().
  void stay_in_step() noexcept { in_step_ = true; }
  /// @return how many cycles were worked on ahead of sc_time_stamp(), in a call that had begun for another cycle.
  [[nodiscard]] std::uint64_t cycles_ahead() const noexcept { return cycles_ahead_; }

  /// Warm reset of registers, counters and interrupt lines. Flits continue.
  void reset() { pmu_.reset(); }

  [[nodiscard]] std::uint64_t uploaded() const noexcept { return uploaded_; }
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }

 private:
  static constexpr std::uint32_t kNoFlit = ~std::uint32_t{0};
  static constexpr std::uint16_t kNobody = 0xffff;

  /// The place of a node id.
  struct Target {
    std::uint8_t xp = 0xff;  // 0xff: nowhere
    std::uint8_t port = 0xff;
    std::uint16_t device = kNobody;  // number of the attached device
  };
  /// A flit between posting or upload and its taking.
  struct alignas(64) FlightPlan {
    Arrival arrival;
    std::uint32_t next = kNoFlit;  // next of those that wait for the same device
    std::uint16_t device = kNobody;
    LatencyHistogram* latencies = nullptr;  // of a raw flit: upload()
    Cycle since = 0;

    void prefetch() const noexcept {
      __builtin_prefetch(this, 1);
      __builtin_prefetch(reinterpret_cast<const char*>(this) + alignof(FlightPlan), 1);
    }
  };
  struct HoldEvent {
    std::uint16_t source = 0;
    std::uint16_t id = 0;  // 0: no node id
  };
  struct Attached {
    MeshDevice* device = nullptr;
    std::uint32_t first = kNoFlit;  // first of the waiting flits
    std::uint32_t last = kNoFlit;
    std::uint16_t node_id = 0;
    std::uint16_t port = kNobody;  // index in ports_
    std::uint8_t xp = 0;
    std::uint8_t port_of_xp = 0;
    bool waits_for_other = false;
    Cycle port_waits = 0;
    Cycle last_port_wait = kNoCycle;
    std::array<std::array<HoldEvent, 2>, 4> holds{};  // by REQ, RSP, SNP, DAT
    std::array<Outbox, kChannels> outboxes{};
  };
  struct PortOutput {
    std::uint8_t xp = 0;
    std::uint8_t port = 0;
    std::uint16_t posted = 0;                    // channels with waiting flits
    std::array<std::uint8_t, kChannels> turn{};  // index in devices
    std::array<Cycle, kChannels> ready{};        // by channel: earliest cycle of the waiting flits
    std::vector<std::uint16_t> devices;
  };

  static MeshParameters parameters_of(const Topology& topology, const MeshOptions& options);
  void run();
  void run_cycle(Cycle now, Picoseconds when);
  /// Work on cycles from the engine's next on, while nothing else can happen.
  void run_ahead(Picoseconds present);
  void cycle(Cycle now);
  void find_targets();
  /// The first cycle whose work is not done.
  [[nodiscard]] Cycle next_to_run() const;
  /// @return the first cycle with work, or kNoCycle.
  [[nodiscard]] Cycle next_with_work() const noexcept {
    return std::min({engine_.next_cycle(), calls_.next(), sends_.next()});
  }
  [[nodiscard]] const Target& target_of(std::uint16_t node_id) const;
  [[nodiscard]] FlightPlan& flit(std::uint32_t handle) const noexcept {
    return flits_[handle / kFlitsOfChunk][handle % kFlitsOfChunk];
  }
  /// @param device  number of the device it is for, or kNobody
  std::uint32_t new_flit(const FlitFields& fields, Channel channel, std::uint16_t device);
  void enter(Channel channel, unsigned xp, unsigned port, const Flit& entering);
  void send(unsigned port, Cycle now);
  [[nodiscard]] Cycle send_channel(PortOutput& port, unsigned channel, Cycle now);
  void hold(Attached& device, unsigned channel, Cycle now);
  void show_downloads(std::span<const MeshPulse> pulses);
  void deliver(const Delivery& delivery);

  Topology topology_;
  Layout layout_;
  ClockDomain clock_;
  ConfigSpace config_space_;
  Pmu pmu_;
  MeshEngine engine_;
  MeshObserver* observer_ = nullptr;
  void (*listener_)(void* context, const PortFlit& flit) = nullptr;
  void* listener_context_ = nullptr;
  std::vector<Target> targets_;  // by node id
  std::vector<Attached> devices_;
  std::vector<PortOutput> ports_;
  std::vector<std::uint16_t> port_index_;  // by XP and port
  CallWheel calls_;                        // calls of devices
  CallWheel sends_;                        // calls of ports
  bool in_cycle_ = false;
  bool in_step_ = false;
  bool sending_ = false;
  Cycle next_settle_ = 0;
  static constexpr std::uint32_t kFlitsOfChunk = 1024;
  std::vector<std::unique_ptr<FlightPlan[]>> flits_;  // blocks that never move
  std::vector<std::uint32_t> free_flits_;
  Picoseconds when_ = 0;  // time of the running cycle
  std::uint64_t cycles_ahead_ = 0;
  std::uint64_t uploaded_ = 0;
  std::uint64_t delivered_ = 0;
  sc_core::sc_event wake_;
};

}  // namespace pmufab::cmn
