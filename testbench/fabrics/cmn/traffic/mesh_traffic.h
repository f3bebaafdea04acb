// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/random/mersenne_twister.hpp>

#include "models/cmn/engine/mesh_engine.h"
#include "testbench/traffic/pacer.h"

namespace pmufab::traffic {

/// The targets of a source's packets. A source is a device port. It sends to the port with the same number or, if the
/// target XP has fewer ports, to that number modulo its ports.
enum class MeshPattern : std::uint8_t {
  uniform,         ///< every device port equally likely, its own included
  hotspot,         ///< a share of the packets to one XP, the others as uniform
  transpose,       ///< (x, y) to (y, x); as many rows as columns
  bit_complement,  ///< (x, y) to (columns - 1 - x, rows - 1 - y)
  neighbour,       ///< (x, y) to (x + 1, y), from the last column to the first
};

/// Raw flits for one channel of a mesh, from all its device ports, to each of them equally likely.
struct MeshTrafficSpec {
  cmn::Channel channel = cmn::Channel::req;
  /// Flits per source and cycle, above 0. Each cycle, a source makes a packet with a probability of rate /
  /// packet_length, which is at most 1.
  double rate = 0.1;
  unsigned packet_length = 1;  ///< flits, 1 ... 65535
  std::uint64_t seed = 1;
  /// Packets that may wait at a source; a full source makes no more. 0: no limit. Then memory grows without end in a
  /// mesh that accepts less than it is offered.
  unsigned most_waiting = 0;
};

/// Statistics of the packets made since measuring began.
struct MeshTrafficStatistics {
  std::uint64_t packets_made = 0;
  std::uint64_t packets_delivered = 0;
  std::uint64_t flits_delivered = 0;  ///< of all packets, including earlier ones
  /// Cycles from the making of a packet, through the wait at its source and the mesh, to the cycle in which its device
  /// has its last flit (MeshEngine::now() after the step that delivers it).
  std::uint64_t latency_sum = 0;
  std::uint64_t latency_most = 0;

  [[nodiscard]] double mean_latency() const noexcept {
    return static_cast<double>(latency_sum) / static_cast<double>(packets_delivered);
  }
};

/// Sources of raw flits and the devices that take them, for one channel of a mesh. Packets that a source cannot send
/// wait in its queue. Devices take each flit in the cycle after its arrival. Flit::handle is the lower 32 bits of the
/// cycle in which the packet was made.
///
///     MeshTraffic traffic(engine, {.rate = 0.2, .seed = 7});
///     traffic.run(10'000);
///     traffic.measure();
///     traffic.run(100'000);
///     traffic.statistics().mean_latency();
///
/// To step the engine directly, or to use several objects in one mesh, call in each cycle: send() of all,
/// MeshEngine::step(), receive() of all. Equal seeds give equal flits on every machine.
class MeshTraffic {
 public:
  /// @throws SpecError if the mesh does not support such traffic
  MeshTraffic(cmn::MeshEngine& engine, const MeshTrafficSpec& spec);

  /// Make the packets of cycle MeshEngine::now(), and upload as many flits as possible.
  void send();
  /// Take what the last step delivered.
  void receive() noexcept;
  /// @return the first cycle from MeshEngine::now() on in which send() may have work, or cmn::kNoCycle.
  [[nodiscard]] cmn::Cycle next_cycle() const noexcept;
  /// Send, step and receive for `cycles` cycles, skipping those without work.
  void run(cmn::Cycle cycles);

  /// Reset the statistics. Only packets made from now on count.
  void measure() noexcept;
  /// Make no more packets. Waiting packets are still sent.
  void stop() noexcept;
  [[nodiscard]] const MeshTrafficStatistics& statistics() const noexcept { return statistics_; }
  /// @return the number of packets waiting at their sources, including partly sent ones.
  [[nodiscard]] std::uint64_t waiting() const noexcept;

 private:
  struct Target {
    std::uint8_t xp;
    std::uint8_t port;
  };
  struct Packet {
    std::uint32_t made;
    Target target;
    std::uint16_t flits_left;
  };
  /// A device port that sends.
  struct Source {
    Target place;
    std::uint32_t next;         ///< next source in the same list of the wheel
    std::uint32_t first = 0;    ///< the queue: a ring of packets whose size is a power of two
    std::uint32_t waiting = 0;  ///< packets in the queue
    cmn::Cycle when;            ///< cycle of the next packet
    std::vector<Packet> queue;
  };
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  static constexpr unsigned kWheelSize = 1024;

  void add_sources();
  void schedule(std::uint32_t source, cmn::Cycle when) noexcept;
  void make(std::uint32_t source);
  void send_waiting() noexcept;
  void upload(const Source& source, Packet& packet) noexcept;

  cmn::MeshEngine& engine_;
  MeshTrafficSpec spec_;
  boost::random::mt19937_64 random_;
  GeometricGaps gaps_;

  std::vector<Source> sources_;
  std::vector<std::uint64_t> with_queue_;                    ///< sources with packets waiting
  std::array<std::uint32_t, kWheelSize> wheel_;              ///< by cycle modulo its size: first source of a list
  std::array<std::uint64_t, kWheelSize / 64> wheel_used_{};  ///< bits of lists that are not empty

  cmn::Cycle measured_from_ = 0;
  MeshTrafficStatistics statistics_;
};

/// @return the name as scenario files write it: "bit_complement".
[[nodiscard]] std::string_view to_string(MeshPattern pattern) noexcept;

}  // namespace pmufab::traffic
