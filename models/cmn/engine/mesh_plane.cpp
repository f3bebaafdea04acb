// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/engine/mesh_plane.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

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

/// @param tag  XP, output and channel, in one byte each
[[gnu::always_inline]] inline MeshPulse pulse_of(FlitSlot flit, unsigned tag, FlitEvent event) {
  if constexpr (std::endian::native == std::endian::little) {  // the same as below, in one word
    static_assert(sizeof(MeshPulse) == 8 && offsetof(MeshPulse, xp) == 4 && offsetof(MeshPulse, interface) == 5 &&
                  offsetof(MeshPulse, channel) == 6 && offsetof(MeshPulse, event) == 7);
    tag |= static_cast<unsigned>(event) << 24;
    return std::bit_cast<MeshPulse>((flit & 0xffff'ffff) | std::uint64_t{tag} << 32);
  }
  return {static_cast<std::uint32_t>(flit), static_cast<std::uint8_t>(tag), static_cast<Interface>(tag >> 8 & 0xff),
          static_cast<Channel>(tag >> 16), event};
}

}  // namespace

std::vector<std::uint8_t> MeshPlane::routes_of(const MeshParameters& parameters) {
  const unsigned columns = parameters.columns;
  const unsigned xps = parameters.xps();
  const unsigned bits = route_bits(xps);
  std::vector<std::uint8_t> routes(std::size_t{xps} << bits);
  for (unsigned xp = 0; xp < xps; ++xp) {
    for (unsigned target = 0; target < xps; ++target) {
      const int east = static_cast<int>(target % columns) - static_cast<int>(xp % columns);
      const int north = static_cast<int>(target / columns) - static_cast<int>(xp / columns);
      routes[xp << bits | target] = static_cast<std::uint8_t>(output_towards(east, north));
    }
  }
  return routes;
}

MeshPlane::MeshPlane(const MeshParameters& parameters, Channel channel, std::span<const std::uint8_t> routes)
    : channel_(channel),
      xps_(parameters.xps()),
      inputs_(kFirstPort),
      depth_(parameters.buffer_depth),
      slot_bits_(bits_for(std::max({depth_, parameters.download_credits, 8U}))),
      slot_mask_((1U << slot_bits_) - 1),
      hop_delay_(parameters.link_delay + parameters.router_delay),
      credit_delay_(parameters.credit_delay),
      routers_(std::size_t{xps_} * 2),
      last_upload_(std::size_t{xps_} * kMaximumPorts, kNoCycle),
      routes_(routes),
      turns_(std::size_t{xps_} * kInterfaces, 0),
      stall_(std::size_t{xps_} * kInterfaces, 0),
      asked_valid_(xps_, 0),
      asked_stall_(xps_, 0),
      watched_stall_(xps_, 0) {
  const unsigned columns = parameters.columns;
  for (unsigned xp = 0; xp < xps_; ++xp) inputs_ = std::max(inputs_, kFirstPort + parameters.ports_of(xp));
  place_bits_ = inputs_ <= 8 ? 3 : 4;
  const auto slots_to = [&](int routers, unsigned input) {
    return (std::ptrdiff_t{routers} * (std::ptrdiff_t{1} << place_bits_) + static_cast<int>(input)) *
           (std::ptrdiff_t{1} << slot_bits_);
  };
  const std::array<int, 4> steps = {1, -1, static_cast<int>(columns), -static_cast<int>(columns)};
  for (unsigned output = 0; output < kFirstPort; ++output) {
    const unsigned input = kOpposite[output];
    hops_[output] = {steps[output], input, slots_to(steps[output], input), depth_, ~0U, 1};
  }
  const int devices = static_cast<int>(xps_);
  for (unsigned output = kFirstPort; output < inputs_; ++output)
    hops_[output] = {devices, output, slots_to(devices, output), parameters.download_credits, 0, 0};
  slot_lines_.assign(((std::size_t{xps_} * 2 << place_bits_) << slot_bits_) / 8, SlotLine{});
  slots_ = slot_lines_.front().slots.data();
  wanted_.assign(((std::size_t{xps_} << place_bits_) + 63) / 64, 0);
  choices_.resize(std::size_t{xps_} * inputs_);
  moves_.resize(std::size_t{xps_} * inputs_ + 1);
  arrival_room_ = xps_ * inputs_ + 1;
  const unsigned wheel_size = 1U << bits_for(hop_delay_ + 1);
  wheel_mask_ = wheel_size - 1;
  arrivals_.resize(std::size_t{wheel_size} * arrival_room_);
  arrival_counts_.assign(wheel_size, 0);
}

void MeshPlane::upload(unsigned xp, unsigned port, const Flit& flit, Cycle now) noexcept {
  assert(ready(xp, port, now));
  const unsigned input = kFirstPort + port;
  Router& router = routers_[xp];
  const unsigned output = output_of(xp, flit.target_xp, flit.target_port);
  slots_[slot_index(xp, input, router.tail[input])] = to_slot(flit);
  ++router.tail[input];
  last_upload_[xp * kMaximumPorts + port] = now;
  const auto list = static_cast<unsigned>((now + hop_delay_) & wheel_mask_);
  arrivals_[std::size_t{list} * arrival_room_ + arrival_counts_[list]++] = to_arrival(xp, input, output);
  wheel_used_ |= std::uint64_t{1} << list;
}

void MeshPlane::take(unsigned xp, unsigned port, Cycle now) noexcept {
  assert(untaken(xp, port) != 0);
  const unsigned input = kFirstPort + port;
  std::uint8_t& taken = routers_[xps_ + xp].head[input];
  slots_[slot_index(xps_ + xp, input, taken)] = now + credit_delay_;
  ++taken;
}

Cycle MeshPlane::next_cycle(Cycle now) const noexcept {
  if (used_words_ != 0) return now;
  if (wheel_used_ == 0) return kNoCycle;
  Cycle cycle = now;
  while ((wheel_used_ >> (cycle & wheel_mask_) & 1) == 0) ++cycle;
  return cycle;
}

void MeshPlane::step(Cycle now, const MeshOutbox& outbox) noexcept {
  arrive(now);
  if (slot_bits_ == 3) {
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
    const unsigned xp = arrivals[i] & 0xff;
    const unsigned input = arrivals[i] >> 8 & 0xff;
    const unsigned output = arrivals[i] >> 16;
    Router& router = routers[xp];
    const std::uint8_t before = router.arrived[input]++;
    const unsigned first = before == router.head[input] ? 1 : 0;  // in its buffer
    router.requests[output] |= static_cast<std::uint16_t>(first << input);
    const unsigned place = (xp << place_bits_) + output;
    wanted_[place / 64] |= std::uint64_t{first} << place % 64;
    used_words_ |= std::uint64_t{first} << place / 64;
  }
  arrival_counts_[list] = 0;
  wheel_used_ &= ~(std::uint64_t{1} << list);
}

/// The data that the work of one cycle reads and advances, copied to locals. The compiler must assume that a store of
/// bytes changes any member, and these are read for every flit.
/// @tparam kLine  a buffer's places fill one cache line
template <bool kLine>
struct MeshPlane::Work {
  Work(MeshPlane& parent, Cycle cycle, const MeshOutbox& outbox)
      : plane(parent),
        now(cycle),
        free_at(cycle + parent.credit_delay_),
        routers(parent.routers_.data()),
        slots(parent.slots_),
        routes(parent.routes_.data()),
        hops(parent.hops_.data()),
        wanted(parent.wanted_.data()),
        route_bits(MeshPlane::route_bits(parent.xps_)),
        bits(kLine ? 3 : parent.slot_bits_),
        mask(kLine ? 7 : parent.slot_mask_),
        place_bits(parent.place_bits_),
        channel(parent.channel_),
        list(static_cast<unsigned>((cycle + parent.hop_delay_) & parent.wheel_mask_)),
        next_choice(parent.choices_.data()),
        next_move(parent.moves_.data()),
        next_arrival(parent.arrivals_.data() + std::size_t{list} * parent.arrival_room_ + parent.arrival_counts_[list]),
        next_delivery(outbox.deliveries + outbox.delivery_count),
        next_pulse(outbox.pulses + outbox.pulse_count) {}

  /// An output is requested in the next cycle if `one` is 1.
  [[gnu::always_inline]] void want(unsigned place, unsigned one) {
    wanted[place / 64] |= std::uint64_t{one} << place % 64;
  }

  /// A pulse is always written, and kept only if it is watched: this avoids an unpredictable branch.
  [[gnu::always_inline]] void pulse(unsigned watched, FlitSlot flit, unsigned tag, FlitEvent event) {
    *next_pulse = pulse_of(flit, tag, event);
    next_pulse += watched;
  }

  /// @return the output by which a flit leaves an XP.
  [[nodiscard, gnu::always_inline]] unsigned output_of(unsigned xp, FlitSlot flit) const {
    const unsigned route = routes[xp << route_bits | (flit >> 32 & 0xff)];
    static_assert(kPort0 == 4, "the only output with this bit in the table");
    return route + (static_cast<unsigned>(flit >> 40 & 0xff) & (0 - (route >> 2)));
  }

  /// Choose the flit that a requested output may send.
  [[gnu::always_inline]] void choose(const unsigned place) {
    const unsigned xp = place >> place_bits;
    const unsigned output = place & ((1U << place_bits) - 1);
    const Router& router = routers[xp];
    const unsigned requests = router.requests[output];
    const unsigned turn = router.turn[output];
    unsigned from_turn = requests & kFrom[turn & 15];
    unsigned before_turn = requests;
    if (turn >= kHeld) [[unlikely]] {
      from_turn &= ~kFrom[(turn & 15) + 1];
      before_turn = 0;
      if (from_turn == 0) return want(place, 1);  // the packet's next flit has not arrived yet
    }
    const unsigned input = static_cast<unsigned>(std::countr_zero(from_turn | before_turn << 16)) & 15;
    const std::size_t slot = ((std::size_t{xp} << place_bits | input) << bits) + (router.head[input] & mask);
    next_choice->flit = slots[slot];
    next_choice->slot = static_cast<std::uint32_t>(slot);
    next_choice->place = static_cast<std::uint16_t>(place);
    next_choice->input = static_cast<std::uint16_t>(input);
    ++next_choice;
  }

  /// Send it, if there is a credit.
  [[gnu::always_inline]] void send(const Choice& choice) {
    const unsigned place = choice.place;
    const unsigned input = choice.input;
    const FlitSlot flit = choice.flit;
    const unsigned xp = place >> place_bits;
    const unsigned output = place & ((1U << place_bits) - 1);
    const unsigned tag = xp | output << 8 | static_cast<unsigned>(channel) << 16;
    const Hop& hop = hops[output];
    const unsigned next_xp = xp + static_cast<unsigned>(hop.routers);
    Router& next = routers[next_xp];
    const unsigned tail = next.tail[hop.input];
    FlitSlot* const buffer = slots + (std::size_t{xp} << (place_bits + bits)) + hop.slots;
    if (buffer[(tail - hop.depth) & mask] > now) [[unlikely]] {
      ++plane.stall_[xp * kInterfaces + output];
      pulse(plane.watched_stall_[xp] >> output & 1U, flit, tag, FlitEvent::stall);
      return want(place, 1);
    }
    buffer[tail & mask] = flit;
    next.tail[hop.input] = static_cast<std::uint8_t>(tail + 1);
    if (tail == 0xff) [[unlikely]]
      ++plane.turns_[xp * kInterfaces + output];
    // Both are written, and the one that does not happen is not kept.
    *next_arrival = to_arrival(next_xp, hop.input, output_of(next_xp & hop.xp_mask, flit));
    next_arrival += hop.links;
    // By member: a copy of the whole would go through memory.
    next_delivery->flit = to_flit(flit);
    next_delivery->xp = static_cast<std::uint8_t>(xp);
    next_delivery->port = static_cast<std::uint8_t>(output - kFirstPort);
    next_delivery->channel = channel;
    next_delivery += 1 - hop.links;

    slots[choice.slot] = free_at;
    Router& router = routers[xp];
    const auto head = static_cast<std::uint8_t>(router.head[input] + 1);
    router.head[input] = head;
    *next_move = static_cast<std::uint16_t>(xp << 4 | input);
    next_move += head != router.arrived[input] ? 1 : 0;
    router.turn[output] = static_cast<std::uint8_t>((flit >> 56 & Flit::kTail) != 0 ? input + 1 : input | kHeld);
    const unsigned left = router.requests[output] & ~(1U << input);
    router.requests[output] = static_cast<std::uint16_t>(left);
    want(place, left != 0 ? 1 : 0);
    pulse(router.watched_valid >> output & 1U, flit, tag, FlitEvent::valid);
  }

  /// A buffer gives one flit per cycle. So the next flits in those that gave one make their requests only now.
  void request_next(const unsigned xp, const unsigned input) {
    Router& router = routers[xp];
    const FlitSlot flit = slots[((std::size_t{xp} << place_bits | input) << bits) + (router.head[input] & mask)];
    const unsigned output = output_of(xp, flit);
    router.requests[output] |= static_cast<std::uint16_t>(1U << input);
    want(xp << place_bits | output, 1);
  }

  MeshPlane& plane;
  const Cycle now;
  const Cycle free_at;  ///< when the place of a leaving flit is free
  Router* const routers;
  FlitSlot* const slots;
  const std::uint8_t* const routes;
  const Hop* const hops;
  std::uint64_t* const wanted;
  const unsigned route_bits;
  const unsigned bits;
  const unsigned mask;
  const unsigned place_bits;
  const Channel channel;
  const unsigned list;  ///< list of the wheel for what leaves now
  Choice* next_choice;
  std::uint16_t* next_move;
  Arrival* next_arrival;
  Delivery* next_delivery;
  MeshPulse* next_pulse;
};

template <bool kLine>
void MeshPlane::leave(Cycle now, const MeshOutbox& outbox) noexcept {
  Work<kLine> work(*this, now, outbox);
  const std::uint64_t served = used_words_;
  for (std::uint64_t words = served; words != 0; words &= words - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(words));
    std::uint64_t places = std::exchange(wanted_[index], 0);
    do {
      work.choose(index * 64 + static_cast<unsigned>(std::countr_zero(places)));
      places &= places - 1;
    } while (places != 0);
  }
  for (const Choice* choice = choices_.data(); choice != work.next_choice; ++choice) work.send(*choice);
  for (const std::uint16_t* move = moves_.data(); move != work.next_move; ++move)
    work.request_next(*move >> 4, *move & 15U);
  // All that was added belongs to XPs that were served.
  used_words_ = 0;
  for (std::uint64_t words = served; words != 0; words &= words - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(words));
    used_words_ |= std::uint64_t{wanted_[index] != 0} << index;
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
