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
  Delivery* deliveries;  ///< list for the cycle in which flits that leave now reach their device
  std::uint32_t& delivery_count;
  MeshPulse* pulses;  ///< those of this cycle; with room for one more
  std::uint32_t& pulse_count;
};

/// The network of one channel: XPs with a buffer per input, and the links between them. Part of MeshEngine, which
/// documents the rules.
///
/// Only XPs in which a flit requests an output are visited. An XP's state fills one cache line (Router), a buffer of
/// eight flits another. A flit's output is computed when it is sent to an XP. The buffers of an XP are numbered as its
/// interfaces: a flit from the eastern neighbour goes into buffer `east`.
class MeshPlane {
 public:
  /// @param routes  from routes_of() for this mesh; must outlive the plane
  MeshPlane(const MeshParameters& parameters, Channel channel, std::span<const std::uint8_t> routes);
  /// @return the output by which a flit leaves an XP, by XP and target XP. Port 0 stands for all ports.
  [[nodiscard]] static std::vector<std::uint8_t> routes_of(const MeshParameters& parameters);
  MeshPlane(MeshPlane&&) noexcept = default;  // slots_ keeps its address
  MeshPlane(const MeshPlane&) = delete;
  MeshPlane& operator=(MeshPlane&&) = delete;
  MeshPlane& operator=(const MeshPlane&) = delete;
  ~MeshPlane() = default;

  /// @return true if the port's device may upload a flit in cycle `now`.
  [[nodiscard]] bool ready(unsigned xp, unsigned port, Cycle now) const noexcept {
    const unsigned input = kFirstPort + port;
    const Router& router = routers_[xp];
    // All conditions are computed, without branches: in a full mesh none of them can be predicted.
    const unsigned first = last_upload_[xp * kMaximumPorts + port] != now ? 1 : 0;
    const unsigned room = static_cast<std::uint8_t>(router.tail[input] - router.head[input]) != depth_ ? 1 : 0;
    const unsigned free = slots_[slot_index(xp, input, router.tail[input] - depth_)] <= now ? 1 : 0;
    return (first & room & free) != 0;
  }
  void upload(unsigned xp, unsigned port, Flit flit, Cycle now) noexcept;
  void take(unsigned xp, unsigned port, Cycle now) noexcept;
  /// @return flits on their way down to the device, and those delivered to it and not taken.
  [[nodiscard]] unsigned untaken(unsigned xp, unsigned port) const noexcept {
    return static_cast<std::uint8_t>(devices_[xp].sent[port] - devices_[xp].taken[port]);
  }

  /// Do the work of cycle `now`.
  void step(Cycle now, const MeshOutbox& outbox) noexcept;
  /// @return true if there is work in cycle `now`.
  [[nodiscard]] bool busy(Cycle now) const noexcept {
    return (active_[0] | active_[1] | active_[2] | active_[3]) != 0 || arrival_counts_[now & wheel_mask_] != 0;
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

  /// An XP's state. Buffers are rings counted modulo 256: places up to `tail` are given to flits, those up to `arrived`
  /// hold flits that may leave, those up to `head` are free again.
  struct alignas(64) Router {
    std::array<std::uint16_t, kInterfaces> requests;  ///< by output: the buffers whose first flit requests it
    std::array<std::uint8_t, kInterfaces> head;
    std::array<std::uint8_t, kInterfaces> arrived;
    std::array<std::uint8_t, kInterfaces> tail;
    std::array<std::uint8_t, kInterfaces>
        turn;                     ///< by output: the buffer whose turn it is; kHeld while a packet holds it
    std::uint16_t wanted;         ///< outputs with a request
    std::uint16_t watched_valid;  ///< outputs
  };
  static_assert(sizeof(Router) == 64);
  static constexpr std::uint8_t kHeld = 0x80;

  struct alignas(64) SlotLine {
    std::array<FlitSlot, 8> slots;
  };

  /// Download credits of an XP's ports, counted modulo 256.
  struct Devices {
    std::array<std::uint8_t, kMaximumPorts> sent;
    std::array<std::uint8_t, kMaximumPorts> taken;
  };

  /// A flit that becomes ready to leave an XP.
  struct Arrival {
    std::uint8_t xp;
    std::uint8_t input;
    std::uint8_t output;
  };

  /// The way from an XP to its neighbour, as differences of indices.
  struct Hop {
    std::int32_t xps;      ///< neighbour's index minus this one's
    std::uint32_t input;   ///< buffer of the neighbour
    std::ptrdiff_t slots;  ///< from the XP's first place to the first place of that buffer
  };

  /// @return the output by which a flit leaves an XP.
  [[nodiscard]] unsigned output_of(unsigned xp, unsigned target_xp, unsigned target_port) const noexcept {
    const unsigned route = routes_[xp * xps_ + target_xp];
    return route == kFirstPort ? kFirstPort + target_port : route;
  }
  [[nodiscard]] std::size_t slot_index(unsigned xp, unsigned input, unsigned position) const noexcept {
    return ((xp * inputs_ + input) << slot_bits_) + (position & slot_mask_);
  }
  [[nodiscard]] std::size_t download_index(unsigned xp, unsigned port, unsigned position) const noexcept {
    return ((xp * kMaximumPorts + port) << download_bits_) + (position & download_mask_);
  }
  /// @return the number of flits an output has sent, modulo 256.
  [[nodiscard]] unsigned sent(unsigned xp, unsigned output) const noexcept {
    if (output >= kFirstPort) return devices_[xp].sent[output - kFirstPort];
    const std::size_t next = xp + static_cast<std::size_t>(hops_[output].xps);
    return next < xps_ ? routers_[next].tail[hops_[output].input] : 0;
  }
  void apply_watch(unsigned xp) noexcept;
  void arrive(Cycle now) noexcept;
  template <bool kEight>
  struct Work;
  template <bool kEight>
  void leave(Cycle now, const MeshOutbox& outbox) noexcept;

  Channel channel_;
  unsigned xps_;
  unsigned inputs_;     ///< buffers per XP
  unsigned depth_;      ///< flits per buffer
  unsigned slot_bits_;  ///< a buffer has 2^slot_bits_ places in memory, depth_ or more
  unsigned slot_mask_;
  unsigned download_credits_;
  unsigned download_bits_;
  unsigned download_mask_;
  unsigned hop_delay_;  ///< from leaving an XP or device to being ready to leave the next XP
  unsigned credit_delay_;

  std::vector<Router> routers_;
  std::vector<SlotLine> slot_lines_;
  FlitSlot* slots_;                       ///< the places of all buffers, in slot_lines_
  std::vector<Devices> devices_;          ///< by XP
  std::vector<FlitSlot> downloads_;       ///< by port: when each place in the device is free
  std::vector<Cycle> last_upload_;        ///< by port
  std::span<const std::uint8_t> routes_;  ///< shared by all planes, to save cache
  std::array<Hop, 4> hops_{};             ///< by output

  std::array<std::uint64_t, 4> active_{};  ///< XPs with requests
  std::vector<Arrival> arrivals_;          ///< one list for each of the next cycles
  unsigned arrival_room_;                  ///< entries per list: one for each buffer
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
