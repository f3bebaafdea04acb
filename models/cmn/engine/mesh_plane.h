// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/cmn/engine/mesh_flit.h"
#include "models/cmn/engine/mesh_parameters.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// Where a plane puts the results of a cycle. The caller provides room for the most that can happen.
struct MeshOutbox {
  Delivery*
      deliveries;  ///< list for the cycle in which flits that leave now reach their device; with room for one more
  std::uint32_t& delivery_count;
  MeshPulse* pulses;  ///< those of this cycle; with room for one more
  std::uint32_t& pulse_count;
};

/// The network of one channel: XPs with a buffer per input, and the links between them. Part of MeshEngine, which
/// documents the rules.
///
/// Only outputs that a flit requests are visited. An XP's state fills one cache line (Router), a buffer of eight flits
/// another. A flit's output is computed when it is sent to an XP, and again if it must wait there behind another. The
/// buffers of an XP are numbered as its interfaces: a flit from the eastern neighbour goes into buffer `east`. The
/// devices of an XP have a Router, too, so that sending a flit down is like sending it to a neighbour. Which of the two
/// happens cannot be predicted, so the code does not branch on it.
class MeshPlane {
 public:
  /// @param routes  from routes_of() for this mesh; must outlive the plane
  MeshPlane(const MeshParameters& parameters, Channel channel, std::span<const std::uint8_t> routes);
  /// @return the output by which a flit leaves an XP, by XP << route_bits() | target XP. Port 0 stands for all ports.
  [[nodiscard]] static std::vector<std::uint8_t> routes_of(const MeshParameters& parameters);
  [[nodiscard]] static unsigned route_bits(unsigned xps) noexcept {
    return static_cast<unsigned>(std::bit_width(xps - 1));
  }
  MeshPlane(MeshPlane&&) noexcept = default;  // slots_ keeps its address
  MeshPlane(const MeshPlane&) = delete;
  MeshPlane& operator=(MeshPlane&&) = delete;
  MeshPlane& operator=(const MeshPlane&) = delete;
  ~MeshPlane() = default;

  /// @return true if the port's device may upload a flit in cycle `now`.
  [[nodiscard]] bool ready(unsigned xp, unsigned port, Cycle now) const noexcept {
    const unsigned input = kFirstPort + port;
    // Both conditions are computed, without branches: in a full mesh none of them can be predicted.
    const unsigned first = last_upload_[xp * kMaximumPorts + port] != now ? 1 : 0;
    const unsigned free = slots_[slot_index(xp, input, routers_[xp].tail[input] - depth_)] <= now ? 1 : 0;
    return (first & free) != 0;
  }
  void upload(unsigned xp, unsigned port, const Flit& flit, Cycle now) noexcept;
  void take(unsigned xp, unsigned port, Cycle now) noexcept;
  /// @return flits on their way down to the device, and those delivered to it and not taken.
  [[nodiscard]] unsigned untaken(unsigned xp, unsigned port) const noexcept {
    const Router& devices = routers_[xps_ + xp];
    return static_cast<std::uint8_t>(devices.tail[kFirstPort + port] - devices.head[kFirstPort + port]);
  }

  /// Do the work of cycle `now`.
  void step(Cycle now, const MeshOutbox& outbox) noexcept;
  /// @return true if there is work in cycle `now`.
  [[nodiscard]] bool busy(Cycle now) const noexcept {
    return used_words_ != 0 || arrival_counts_[now & wheel_mask_] != 0;
  }
  /// @return the first cycle from `now` on with work other than deliveries, or kNoCycle.
  [[nodiscard]] Cycle next_cycle(Cycle now) const noexcept;

  void watch(unsigned xp, Interface interface, FlitEvent event, bool on) noexcept;
  void watch_everything(bool on) noexcept;

  [[nodiscard]] std::uint64_t valid(unsigned xp, Interface interface) const noexcept {
    const auto output = static_cast<unsigned>(interface);
    return (turns_[xp * kInterfaces + output] << 8) + sent(xp, output);
  }
  [[nodiscard]] std::uint64_t stall(unsigned xp, Interface interface) const noexcept {
    return stall_[xp * kInterfaces + static_cast<unsigned>(interface)];
  }

 private:
  static constexpr unsigned kFirstPort = static_cast<unsigned>(Interface::port0);

  /// The state of an XP, or of its devices. Buffers are rings counted modulo 256: places up to `tail` are given to
  /// flits, those up to `arrived` hold flits that may leave, those up to `head` are free again. For devices only `tail`,
  /// the flits sent to a port, and `head`, those taken, have a meaning.
  struct alignas(64) Router {
    std::array<std::uint16_t, kInterfaces> requests;  ///< by output: the buffers whose first flit requests it
    std::array<std::uint8_t, kInterfaces> head;
    std::array<std::uint8_t, kInterfaces> arrived;
    std::array<std::uint8_t, kInterfaces> tail;
    std::array<std::uint8_t, kInterfaces> turn;  ///< by output: whose turn it is; kHeld while a packet holds it
    std::uint16_t watched_valid;                 ///< outputs
  };
  static_assert(sizeof(Router) == 64);
  static_assert(kMaximumSide * kMaximumSide * 16 <= 64 * 64, "used_words_ has a bit for each word of wanted_");
  static constexpr std::uint8_t kHeld = 0x80;

  struct alignas(64) SlotLine {
    std::array<FlitSlot, 8> slots;
  };

  /// A flit that becomes ready to leave an XP, in one word.
  using Arrival = std::uint32_t;
  [[nodiscard]] static constexpr Arrival to_arrival(unsigned xp, unsigned input, unsigned output) noexcept {
    return xp | input << 8 | output << 16;
  }

  /// The way from an XP to its neighbour or devices, as differences of indices.
  struct Hop {
    std::int32_t routers;   ///< index of the router there minus this one's
    std::uint32_t input;    ///< buffer there
    std::ptrdiff_t slots;   ///< from the XP's first place to the first place of that buffer
    std::uint32_t depth;    ///< of that buffer
    std::uint32_t xp_mask;  ///< 0 for devices: no flit goes on from there
    std::uint32_t links;    ///< 1: to a neighbour; 0: to devices
  };

  /// A flit that an output may send. All are chosen before the first is sent: choosing only reads, and so one need not
  /// wait for what another finds in memory.
  struct Choice {
    FlitSlot flit;
    std::uint32_t slot;  ///< where it is
    std::uint16_t place;
    std::uint16_t input;
  };

  /// @return the output by which a flit leaves an XP.
  [[nodiscard]] unsigned output_of(unsigned xp, unsigned target_xp, unsigned target_port) const noexcept {
    const unsigned route = routes_[xp << route_bits(xps_) | target_xp];
    return route == kFirstPort ? kFirstPort + target_port : route;
  }
  [[nodiscard]] std::size_t slot_index(unsigned xp, unsigned input, unsigned position) const noexcept {
    return ((std::size_t{xp} << place_bits_ | input) << slot_bits_) + (position & slot_mask_);
  }
  /// @return the number of flits an output has sent, modulo 256.
  [[nodiscard]] unsigned sent(unsigned xp, unsigned output) const noexcept {
    if (output >= kFirstPort) return routers_[xps_ + xp].tail[output];
    const std::size_t next = xp + static_cast<std::size_t>(hops_[output].routers);
    return next < xps_ ? routers_[next].tail[hops_[output].input] : 0;
  }
  void apply_watch(unsigned xp) noexcept;
  void arrive(Cycle now) noexcept;
  template <bool kLine>
  struct Work;
  template <bool kLine>
  void leave(Cycle now, const MeshOutbox& outbox) noexcept;

  Channel channel_;
  unsigned xps_;
  unsigned inputs_;     ///< buffers per XP
  unsigned depth_;      ///< flits per buffer of an XP
  unsigned slot_bits_;  ///< a buffer has 2^slot_bits_ places in memory, as many as it needs or more
  unsigned slot_mask_;
  unsigned hop_delay_;  ///< from leaving an XP or device to being ready to leave the next XP
  unsigned credit_delay_;

  std::vector<Router> routers_;  ///< of XPs, then of their devices
  std::vector<SlotLine> slot_lines_;
  FlitSlot* slots_;                       ///< the places of all buffers, in slot_lines_
  std::vector<Cycle> last_upload_;        ///< by port
  std::span<const std::uint8_t> routes_;  ///< shared by all planes, to save cache
  std::array<Hop, kInterfaces> hops_{};   ///< by output

  /// Outputs with a request: bit XP << place_bits_ | output, the output's place.
  std::vector<std::uint64_t> wanted_;
  std::uint64_t used_words_ = 0;  ///< words of wanted_ that are not 0
  unsigned place_bits_;
  std::vector<Choice> choices_;
  std::vector<std::uint16_t> moves_;  ///< buffers that gave a flit and have another: XP << 4 | buffer
  std::vector<Arrival> arrivals_;     ///< one list for each of the next cycles
  unsigned arrival_room_;             ///< entries per list: one for each buffer, and one that is not kept
  std::vector<std::uint32_t> arrival_counts_;
  unsigned wheel_mask_;
  std::uint64_t wheel_used_ = 0;  ///< bits of lists that are not empty

  std::vector<std::uint64_t> turns_;        ///< by XP and interface: how often sent() wrapped
  std::vector<std::uint64_t> stall_;        ///< stalls since the beginning, by XP and interface
  std::vector<std::uint16_t> asked_valid_;  ///< interfaces switched on by watch(), by XP
  std::vector<std::uint16_t> asked_stall_;
  std::vector<std::uint16_t> watched_stall_;
  bool everything_ = false;
};

}  // namespace pmufab::cmn
