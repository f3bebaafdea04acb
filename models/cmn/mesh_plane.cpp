#include "models/cmn/mesh_plane.h"

#include <algorithm>

namespace pmufab::cmn {
namespace {

constexpr unsigned kEast = static_cast<unsigned>(Interface::east);
constexpr unsigned kWest = static_cast<unsigned>(Interface::west);
constexpr unsigned kNorth = static_cast<unsigned>(Interface::north);
constexpr unsigned kSouth = static_cast<unsigned>(Interface::south);
/// The buffer of the neighbour into which an output leads.
constexpr std::array<std::uint8_t, 4> kOpposite = {kWest, kEast, kSouth, kNorth};

/// @return 2^n of the smallest memory for `count` slots.
unsigned bits_for(unsigned count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

/// Dimension order: first along x, then along y, then down to the port. North is where y grows.
template <typename Place>
[[nodiscard]] unsigned route(Place here, Place there, unsigned port) noexcept {
  const unsigned along_y = there.y > here.y ? kNorth : there.y < here.y ? kSouth : port + 4;
  return there.x > here.x ? kEast : there.x < here.x ? kWest : along_y;
}

}  // namespace

MeshPlane::MeshPlane(const MeshParameters& parameters, Channel channel)
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
      places_(xps_),
      step_{1, -1, static_cast<int>(parameters.columns), -static_cast<int>(parameters.columns)},
      valid_(std::size_t{xps_} * kInterfaces, 0),
      stall_(std::size_t{xps_} * kInterfaces, 0),
      asked_valid_(xps_, 0),
      asked_stall_(xps_, 0),
      watched_stall_(xps_, 0) {
  for (unsigned xp = 0; xp < xps_; ++xp) {
    inputs_ = std::max(inputs_, kFirstPort + parameters.ports_of(xp));
    places_[xp] = {static_cast<std::uint8_t>(xp % parameters.columns),
                   static_cast<std::uint8_t>(xp / parameters.columns)};
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
  flit.output = static_cast<std::uint8_t>(route(places_[xp], places_[flit.target_xp], flit.target_port));
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
    if (before != router.head[arrival.input]) continue;  // not first in its buffer
    router.requests[arrival.output] |= static_cast<std::uint16_t>(1U << arrival.input);
    router.wanted |= static_cast<std::uint16_t>(1U << arrival.output);
    active_[arrival.xp / 64] |= std::uint64_t{1} << arrival.xp % 64;
  }
  arrival_counts_[list] = 0;
  wheel_used_ &= ~(std::uint64_t{1} << list);
}

template <bool kEight>
void MeshPlane::leave(Cycle now, const MeshOutbox& outbox) noexcept {
  // Everything the loop reads is in locals: stores of bytes could change any member, as far as the compiler knows.
  Router* const routers = routers_.data();
  FlitSlot* const slots = slots_;
  const Place* const places = places_.data();
  std::uint64_t* const valid = valid_.data();
  const std::array<int, kInterfaces> step = step_;
  const unsigned inputs = inputs_;
  const unsigned depth = kEight ? 8 : depth_;
  const unsigned bits = kEight ? 3 : slot_bits_;
  const unsigned mask = kEight ? 7 : slot_mask_;
  const Cycle free_at = now + credit_delay_;
  const auto list = static_cast<unsigned>((now + hop_delay_) & wheel_mask_);
  Arrival* const first_arrival = arrivals_.data() + std::size_t{list} * arrival_room_;
  Arrival* next_arrival = first_arrival + arrival_counts_[list];
  Delivery* next_delivery = outbox.deliveries + outbox.delivery_count;
  MeshPulse* next_pulse = outbox.pulses + outbox.pulse_count;
  const Channel channel = channel_;

  for (unsigned word = 0; word < active_.size(); ++word) {
    for (std::uint64_t left = active_[word]; left != 0; left &= left - 1) {
      const unsigned xp = word * 64 + static_cast<unsigned>(std::countr_zero(left));
      Router& router = routers[xp];
      FlitSlot* const buffers = slots + (std::size_t{xp * inputs} << bits);
      unsigned moved = 0;  // buffers a flit left: the next one's request counts from the next cycle on
      unsigned wanted = router.wanted;
      for (unsigned outputs = wanted; outputs != 0; outputs &= outputs - 1) {
        const auto output = static_cast<unsigned>(std::countr_zero(outputs));
        const unsigned requests = router.requests[output];
        const unsigned turn = router.turn[output];
        unsigned input;
        if (turn < kHeld) [[likely]] {
          const unsigned later = requests >> turn << turn;
          input = static_cast<unsigned>(std::countr_zero(later != 0 ? later : requests));
        } else {
          input = turn & ~kHeld;
          if ((requests >> input & 1) == 0) continue;  // the packet's next flit is not here yet
        }
        FlitSlot& from = buffers[(input << bits) + (router.head[input] & mask)];
        Flit flit = to_flit(from);
        if (output < kFirstPort) {
          const unsigned next_xp = xp + step[output];
          const unsigned next_input = kOpposite[output];
          Router& next = routers[next_xp];
          const unsigned tail = next.tail[next_input];
          FlitSlot* const buffer = slots + (std::size_t{next_xp * inputs + next_input} << bits);
          if (((tail - next.head[next_input]) & 0xff) == depth || buffer[(tail - depth) & mask] > now) [[unlikely]] {
            goto stalled;
          }
          flit.output = static_cast<std::uint8_t>(route(places[next_xp], places[flit.target_xp], flit.target_port));
          buffer[tail & mask] = to_slot(flit);
          next.tail[next_input] = static_cast<std::uint8_t>(tail + 1);
          *next_arrival++ = {static_cast<std::uint8_t>(next_xp), static_cast<std::uint8_t>(next_input), flit.output};
        } else {
          const unsigned port = output - kFirstPort;
          Devices& devices = devices_[xp];
          const unsigned sent = devices.sent[port];
          if (((sent - devices.taken[port]) & 0xff) == download_credits_ ||
              downloads_[download_index(xp, port, sent - download_credits_)] > now) [[unlikely]] {
            goto stalled;
          }
          devices.sent[port] = static_cast<std::uint8_t>(sent + 1);
          *next_delivery++ = {flit, static_cast<std::uint8_t>(xp), static_cast<std::uint8_t>(port), channel};
        }
        from = free_at;
        ++router.head[input];
        router.turn[output] = static_cast<std::uint8_t>((flit.flags & Flit::kTail) != 0 ? input + 1 : input | kHeld);
        moved |= 1U << input;
        router.requests[output] = static_cast<std::uint16_t>(requests & ~(1U << input));
        if (router.requests[output] == 0) wanted &= ~(1U << output);
        ++valid[xp * kInterfaces + output];
        if ((router.watched_valid >> output & 1) != 0) {
          *next_pulse++ = {flit.handle, static_cast<std::uint8_t>(xp), static_cast<Interface>(output), channel,
                           FlitEvent::valid};
        }
        continue;
      stalled:
        ++stall_[xp * kInterfaces + output];
        if ((watched_stall_[xp] >> output & 1) != 0) {
          *next_pulse++ = {flit.handle, static_cast<std::uint8_t>(xp), static_cast<Interface>(output), channel,
                           FlitEvent::stall};
        }
      }
      for (; moved != 0; moved &= moved - 1) {
        const auto input = static_cast<unsigned>(std::countr_zero(moved));
        if (router.head[input] == router.arrived[input]) continue;
        const unsigned output = to_flit(buffers[(input << bits) + (router.head[input] & mask)]).output;
        router.requests[output] |= static_cast<std::uint16_t>(1U << input);
        wanted |= 1U << output;
      }
      router.wanted = static_cast<std::uint16_t>(wanted);
      if (wanted == 0) active_[word] &= ~(left & -left);
    }
  }

  const auto arrival_count = static_cast<std::uint32_t>(next_arrival - first_arrival);
  arrival_counts_[list] = arrival_count;
  if (arrival_count != 0) wheel_used_ |= std::uint64_t{1} << list;
  outbox.delivery_count = static_cast<std::uint32_t>(next_delivery - outbox.deliveries);
  outbox.pulse_count = static_cast<std::uint32_t>(next_pulse - outbox.pulses);
}

void MeshPlane::watch(unsigned xp, Interface interface, FlitEvent event, bool on) noexcept {
  const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(interface));
  std::vector<std::uint16_t>& asked = event == FlitEvent::valid ? asked_valid_ : asked_stall_;
  asked[xp] = static_cast<std::uint16_t>(on ? asked[xp] | bit : asked[xp] & ~bit);
  watch_everything(everything_);
}

void MeshPlane::watch_everything(bool on) noexcept {
  everything_ = on;
  for (unsigned xp = 0; xp < xps_; ++xp) {
    routers_[xp].watched_valid = on ? 0xffff : asked_valid_[xp];
    watched_stall_[xp] = on ? 0xffff : asked_stall_[xp];
  }
}

}  // namespace pmufab::cmn
