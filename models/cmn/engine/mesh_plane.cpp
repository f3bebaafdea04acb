// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/engine/mesh_plane.h"

#include <algorithm>

namespace pmufab::cmn {
namespace {

constexpr unsigned kEast = static_cast<unsigned>(Interface::east);
constexpr unsigned kWest = static_cast<unsigned>(Interface::west);
constexpr unsigned kNorth = static_cast<unsigned>(Interface::north);
constexpr unsigned kSouth = static_cast<unsigned>(Interface::south);
constexpr unsigned kPort0 = static_cast<unsigned>(Interface::port0);
/// The buffer of the neighbour that an output feeds.
constexpr std::array<std::uint8_t, 4> kOpposite = {kWest, kEast, kSouth, kNorth};

/// By buffer: the bits of this buffer and those after it.
constexpr std::array<std::uint16_t, 17> kFrom = [] {
  std::array<std::uint16_t, 17> from{};
  for (unsigned i = 0; i < 16; ++i) from[i] = static_cast<std::uint16_t>(0xffffU << i);
  return from;
}();

/// @return n for the smallest memory of 2^n places that holds `count` slots.
unsigned bits_for(unsigned count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

/// @return the output of a flit whose target lies `east` XPs to the east and `north` to the north: dimension order,
///         first along x, then along y, then down (to port 0). y grows to the north.
unsigned output_towards(int east, int north) {
  if (east != 0) return east > 0 ? kEast : kWest;
  if (north != 0) return north > 0 ? kNorth : kSouth;
  return kPort0;
}

}  // namespace

std::vector<std::uint8_t> MeshPlane::routes_of(const MeshParameters& parameters) {
  const unsigned columns = parameters.columns;
  const unsigned xps = parameters.xps();
  std::vector<std::uint8_t> routes(std::size_t{xps} * xps);
  for (unsigned xp = 0; xp < xps; ++xp) {
    for (unsigned target = 0; target < xps; ++target) {
      const int east = static_cast<int>(target % columns) - static_cast<int>(xp % columns);
      const int north = static_cast<int>(target / columns) - static_cast<int>(xp / columns);
      routes[xp * xps + target] = static_cast<std::uint8_t>(output_towards(east, north));
    }
  }
  return routes;
}

MeshPlane::MeshPlane(const MeshParameters& parameters, Channel channel, std::span<const std::uint8_t> routes)
    : channel_(channel),
      xps_(parameters.xps()),
      inputs_(kFirstPort),
      depth_(parameters.buffer_depth),
      slot_bits_(bits_for(std::max(depth_, 8U))),
      slot_mask_((1U << slot_bits_) - 1),
      download_credits_(parameters.download_credits),
      download_bits_(bits_for(download_credits_)),
      download_mask_((1U << download_bits_) - 1),
      hop_delay_(parameters.link_delay + parameters.router_delay),
      credit_delay_(parameters.credit_delay),
      routers_(xps_),
      devices_(xps_),
      downloads_((std::size_t{xps_} * kMaximumPorts) << download_bits_, 0),
      last_upload_(std::size_t{xps_} * kMaximumPorts, kNoCycle),
      routes_(routes),
      turns_(std::size_t{xps_} * kInterfaces, 0),
      stall_(std::size_t{xps_} * kInterfaces, 0),
      asked_valid_(xps_, 0),
      asked_stall_(xps_, 0),
      watched_stall_(xps_, 0) {
  const unsigned columns = parameters.columns;
  for (unsigned xp = 0; xp < xps_; ++xp) {
    inputs_ = std::max(inputs_, kFirstPort + parameters.ports_of(xp));
  }
  const std::array<int, 4> steps = {1, -1, static_cast<int>(columns), -static_cast<int>(columns)};
  for (unsigned output = 0; output < kFirstPort; ++output) {
    const unsigned input = kOpposite[output];
    hops_[output] = {steps[output], input,
                     static_cast<std::ptrdiff_t>(steps[output] * static_cast<int>(inputs_) + static_cast<int>(input)) *
                         (std::ptrdiff_t{1} << slot_bits_)};
  }
  slot_lines_.assign(((std::size_t{xps_} * inputs_) << slot_bits_) / 8, SlotLine{});
  slots_ = slot_lines_.front().slots.data();
  arrival_room_ = xps_ * inputs_;
  const unsigned wheel_size = 1U << bits_for(hop_delay_ + 1);
  wheel_mask_ = wheel_size - 1;
  arrivals_.resize(std::size_t{wheel_size} * arrival_room_);
  arrival_counts_.assign(wheel_size, 0);
}

void MeshPlane::upload(unsigned xp, unsigned port, Flit flit, Cycle now) noexcept {
  assert(ready(xp, port, now));
  const unsigned input = kFirstPort + port;
  Router& router = routers_[xp];
  flit.output = static_cast<std::uint8_t>(output_of(xp, flit.target_xp, flit.target_port));
  slots_[slot_index(xp, input, router.tail[input])] = to_slot(flit);
  ++router.tail[input];
  last_upload_[xp * kMaximumPorts + port] = now;
  const auto list = static_cast<unsigned>((now + hop_delay_) & wheel_mask_);
  arrivals_[std::size_t{list} * arrival_room_ + arrival_counts_[list]++] = {
      static_cast<std::uint8_t>(xp), static_cast<std::uint8_t>(input), flit.output};
  wheel_used_ |= std::uint64_t{1} << list;
}

void MeshPlane::take(unsigned xp, unsigned port, Cycle now) noexcept {
  assert(untaken(xp, port) != 0);
  downloads_[download_index(xp, port, devices_[xp].taken[port])] = now + credit_delay_;
  ++devices_[xp].taken[port];
}

Cycle MeshPlane::next_cycle(Cycle now) const noexcept {
  if ((active_[0] | active_[1] | active_[2] | active_[3]) != 0) return now;
  if (wheel_used_ == 0) return kNoCycle;
  Cycle cycle = now;
  while ((wheel_used_ >> (cycle & wheel_mask_) & 1) == 0) ++cycle;
  return cycle;
}

void MeshPlane::step(Cycle now, const MeshOutbox& outbox) noexcept {
  arrive(now);
  if (depth_ == 8) {
    leave<true>(now, outbox);
  } else {
    leave<false>(now, outbox);
  }
}

void MeshPlane::arrive(Cycle now) noexcept {
  const auto list = static_cast<unsigned>(now & wheel_mask_);
  const std::uint32_t count = arrival_counts_[list];
  if (count == 0) return;
  const Arrival* const arrivals = arrivals_.data() + std::size_t{list} * arrival_room_;
  Router* const routers = routers_.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Arrival arrival = arrivals[i];
    Router& router = routers[arrival.xp];
    const std::uint8_t before = router.arrived[arrival.input]++;
    const unsigned first = before == router.head[arrival.input] ? 1 : 0;  // in its buffer
    router.requests[arrival.output] |= static_cast<std::uint16_t>(first << arrival.input);
    router.wanted |= static_cast<std::uint16_t>(first << arrival.output);
    active_[arrival.xp / 64] |= std::uint64_t{first} << arrival.xp % 64;
  }
  arrival_counts_[list] = 0;
  wheel_used_ &= ~(std::uint64_t{1} << list);
}

/// The data that the work of one cycle reads and advances, copied to locals. The compiler must assume that a store of
/// bytes changes any member, and these are read for every flit.
template <bool kEight>
struct MeshPlane::Work {
  Work(MeshPlane& parent, Cycle cycle, const MeshOutbox& outbox)
      : plane(parent),
        now(cycle),
        free_at(cycle + parent.credit_delay_),
        routers(parent.routers_.data()),
        slots(parent.slots_),
        routes(parent.routes_.data()),
        hops(parent.hops_.data()),
        xps(parent.xps_),
        inputs(parent.inputs_),
        depth(kEight ? 8 : parent.depth_),
        bits(kEight ? 3 : parent.slot_bits_),
        mask(kEight ? 7 : parent.slot_mask_),
        channel(parent.channel_),
        list(static_cast<unsigned>((cycle + parent.hop_delay_) & parent.wheel_mask_)),
        next_arrival(parent.arrivals_.data() + std::size_t{list} * parent.arrival_room_ + parent.arrival_counts_[list]),
        next_delivery(outbox.deliveries + outbox.delivery_count),
        next_pulse(outbox.pulses + outbox.pulse_count) {}

  /// Send a flit to the neighbour if there is a credit. @return whether there was one
  [[gnu::always_inline]] bool pass_on(const unsigned xp, FlitSlot* const buffers, const unsigned output,
                                      const FlitSlot flit) {
    const Hop& hop = hops[output];
    const unsigned next_xp = xp + hop.xps;
    Router& next = routers[next_xp];
    const unsigned tail = next.tail[hop.input];
    FlitSlot* const buffer = buffers + hop.slots;
    if (((tail - next.head[hop.input]) & 0xff) == depth || buffer[(tail - depth) & mask] > now) [[unlikely]] {
      return false;
    }
    const unsigned route = routes[next_xp * xps + (flit >> 32 & 0xff)];
    const unsigned next_output = route + (route == kPort0 ? static_cast<unsigned>(flit >> 40 & 0xff) : 0);
    buffer[tail & mask] = with_output(flit, next_output);
    next.tail[hop.input] = static_cast<std::uint8_t>(tail + 1);
    if (tail == 0xff) [[unlikely]]
      ++plane.turns_[xp * kInterfaces + output];
    *next_arrival++ = {static_cast<std::uint8_t>(next_xp), static_cast<std::uint8_t>(hop.input),
                       static_cast<std::uint8_t>(next_output)};
    return true;
  }

  /// Send a flit down to the device if there is a credit. @return whether there was one
  [[gnu::always_inline]] bool download(const unsigned xp, const unsigned port, const FlitSlot flit) {
    Devices& devices = plane.devices_[xp];
    const unsigned sent = devices.sent[port];
    if (((sent - devices.taken[port]) & 0xff) == plane.download_credits_ ||
        plane.downloads_[plane.download_index(xp, port, sent - plane.download_credits_)] > now) [[unlikely]] {
      return false;
    }
    devices.sent[port] = static_cast<std::uint8_t>(sent + 1);
    if (sent == 0xff) [[unlikely]]
      ++plane.turns_[xp * kInterfaces + kFirstPort + port];
    *next_delivery++ = {to_flit(flit), static_cast<std::uint8_t>(xp), static_cast<std::uint8_t>(port), channel};
    return true;
  }

  /// A pulse is always written, and kept only if it is watched: this avoids an unpredictable branch.
  [[gnu::always_inline]] void pulse(bool watched, FlitSlot flit, unsigned xp, unsigned output, FlitEvent event) {
    *next_pulse = {static_cast<std::uint32_t>(flit), static_cast<std::uint8_t>(xp), static_cast<Interface>(output),
                   channel, event};
    next_pulse += watched ? 1 : 0;
  }

  /// Let each output of an XP serve one of the buffers that request it.
  /// @return whether the XP has requests for the next cycle
  [[gnu::always_inline]] bool visit(const unsigned xp) {
    Router& router = routers[xp];
    FlitSlot* const buffers = slots + (std::size_t{xp * inputs} << bits);
    unsigned wanted = router.wanted;
    unsigned moved = 0;  // buffers a flit left
    bool more = false;
    for (unsigned outputs = wanted; outputs != 0; outputs &= outputs - 1) {
      const auto output = static_cast<unsigned>(std::countr_zero(outputs));
      const unsigned output_bit = outputs & -outputs;
      const unsigned requests = router.requests[output];
      const unsigned turn = router.turn[output];
      unsigned candidates = requests & kFrom[turn & 15];
      if (turn >= kHeld) [[unlikely]] {
        candidates &= ~kFrom[(turn & 15) + 1];
        if (candidates == 0) continue;  // the packet's next flit has not arrived yet
      }
      if (candidates == 0) candidates = requests;
      const unsigned input_bit = candidates & -candidates;
      const auto input = static_cast<unsigned>(std::countr_zero(candidates));
      FlitSlot& from = buffers[(input << bits) + (router.head[input] & mask)];
      const FlitSlot flit = from;
      if (!(output < kFirstPort ? pass_on(xp, buffers, output, flit) : download(xp, output - kFirstPort, flit)))
          [[unlikely]] {
        ++plane.stall_[xp * kInterfaces + output];
        pulse((plane.watched_stall_[xp] & output_bit) != 0, flit, xp, output, FlitEvent::stall);
        continue;
      }
      from = free_at;
      const auto head = static_cast<std::uint8_t>(router.head[input] + 1);
      router.head[input] = head;
      more |= head != router.arrived[input];
      router.turn[output] = static_cast<std::uint8_t>((flit >> 56 & Flit::kTail) != 0 ? input + 1 : input | kHeld);
      router.requests[output] = static_cast<std::uint16_t>(requests ^ input_bit);
      wanted ^= requests == input_bit ? output_bit : 0;
      moved |= input_bit;
      pulse((router.watched_valid & output_bit) != 0, flit, xp, output, FlitEvent::valid);
    }
    // The next flits in the buffers that gave one make their requests from the next cycle on, because a buffer gives
    // one flit per cycle. Whether there is any such flit is predictable in an empty mesh; whether a given buffer has
    // one is not.
    if (!more) moved = 0;
    for (; moved != 0; moved &= moved - 1) {
      const auto input = static_cast<unsigned>(std::countr_zero(moved));
      const unsigned head = router.head[input];
      const unsigned another = head != router.arrived[input] ? 1 : 0;
      // Without a next flit the place may hold anything.
      const unsigned output = (buffers[(input << bits) + (head & mask)] >> 48 & 0xff) & (0 - another);
      router.requests[output] |= static_cast<std::uint16_t>(another << input);
      wanted |= another << output;
    }
    router.wanted = static_cast<std::uint16_t>(wanted);
    return wanted != 0;
  }

  MeshPlane& plane;
  const Cycle now;
  const Cycle free_at;  ///< when the place of a leaving flit is free
  Router* const routers;
  FlitSlot* const slots;
  const std::uint8_t* const routes;
  const Hop* const hops;
  const unsigned xps;
  const unsigned inputs;
  const unsigned depth;
  const unsigned bits;
  const unsigned mask;
  const Channel channel;
  const unsigned list;  ///< list of the wheel for what leaves now
  Arrival* next_arrival;
  Delivery* next_delivery;
  MeshPulse* next_pulse;
};

template <bool kEight>
void MeshPlane::leave(Cycle now, const MeshOutbox& outbox) noexcept {
  Work<kEight> work(*this, now, outbox);
  for (unsigned word = 0; word < active_.size(); ++word) {
    std::uint64_t active = active_[word];
    for (std::uint64_t left = active; left != 0; left &= left - 1) {
      const bool more = work.visit(word * 64 + static_cast<unsigned>(std::countr_zero(left)));
      active ^= more ? 0 : left & -left;
    }
    active_[word] = active;
  }
  const Arrival* const first_arrival = arrivals_.data() + std::size_t{work.list} * arrival_room_;
  arrival_counts_[work.list] = static_cast<std::uint32_t>(work.next_arrival - first_arrival);
  if (arrival_counts_[work.list] != 0) wheel_used_ |= std::uint64_t{1} << work.list;
  outbox.delivery_count = static_cast<std::uint32_t>(work.next_delivery - outbox.deliveries);
  outbox.pulse_count = static_cast<std::uint32_t>(work.next_pulse - outbox.pulses);
}

void MeshPlane::watch(unsigned xp, Interface interface, FlitEvent event, bool on) noexcept {
  const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(interface));
  std::uint16_t& asked = (event == FlitEvent::valid ? asked_valid_ : asked_stall_)[xp];
  asked = static_cast<std::uint16_t>(on ? asked | bit : asked & ~bit);
  apply_watch(xp);
}

void MeshPlane::watch_everything(bool on) noexcept {
  everything_ = on;
  for (unsigned xp = 0; xp < xps_; ++xp) apply_watch(xp);
}

void MeshPlane::apply_watch(unsigned xp) noexcept {
  routers_[xp].watched_valid = everything_ ? 0xffff : asked_valid_[xp];
  watched_stall_[xp] = everything_ ? 0xffff : asked_stall_[xp];
}

}  // namespace pmufab::cmn
