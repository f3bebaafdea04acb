// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/link/link.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

constexpr unsigned bit_of(MessageClass message_class) { return 1U << static_cast<unsigned>(message_class); }

/// The classes of requests, and of the data that they carry, by the end from which they go.
constexpr std::array<unsigned, 2> kRequests = {
    bit_of(MessageClass::m2s_req) | bit_of(MessageClass::m2s_rwd) | bit_of(MessageClass::h2d_req),
    bit_of(MessageClass::d2h_req) | bit_of(MessageClass::d2h_data)};

const LinkParameters& checked(const LinkParameters& parameters) {
  check(parameters);
  return parameters;
}

}  // namespace

void check(const LinkParameters& parameters) {
  if (parameters.period == 0 || parameters.period > kMostLinkTime)
    throw SpecError("period", "must be 1 ps ... 1 ms", "use for example 500 ps");
  if (parameters.latency > kMostLinkTime) throw SpecError("latency", "is more than 1 ms");
  for (unsigned i = 0; i < kMessageClasses; ++i) {
    const LinkLane& lane = parameters.lanes[i];
    const std::string which = " of message class " + std::to_string(i);
    if (lane.credits == 0) throw SpecError("credits", "are 0" + which + "; nothing would move");
    if (lane.credits > kMostCredits)
      throw SpecError("credits", "are " + std::to_string(lane.credits) + which + ", must be at most " +
                                     std::to_string(kMostCredits));
    if (lane.per_clock == 0) throw SpecError("per_clock", "is 0" + which + "; nothing would move");
  }
}

Link::Link(std::string name, Engine& engine, const LinkParameters& parameters)
    : name_(std::move(name)), engine_(engine), parameters_(checked(parameters)), actor_(engine.add(*this)) {
  for (unsigned i = 0; i < kMessageClasses; ++i) lanes_[i].credits = parameters.lanes[i].credits;
}

void Link::attach(LinkEnd end, Port& port, MessageProbes* probes) {
  ports_[static_cast<unsigned>(end)] = &port;
  probes_[static_cast<unsigned>(end)] = probes;
}

std::uint64_t Link::pending() const noexcept {
  std::uint64_t sum = directions_[0].flights.size() + directions_[1].flights.size();
  for (const Lane& lane : lanes_) sum += lane.waiting.size();
  return sum;
}

Picoseconds Link::departure(Lane& lane, Picoseconds now, MessageClass message_class) const noexcept {
  Picoseconds when = now;
  if (lane.credits == 0) {
    if (lane.returns.empty()) return kNever;
    if (lane.returns.front() > now) {
      when = lane.returns.front();
    } else {
      do {
        lane.returns.pop();
        ++lane.credits;
      } while (!lane.returns.empty() && lane.returns.front() <= now);
    }
  }
  when = edge(when);
  if (when > lane.last_edge || lane.used == 0) return when;
  const bool full = lane.used >= parameters_.lanes[static_cast<unsigned>(message_class)].per_clock;
  return full ? lane.last_edge + parameters_.period : lane.last_edge;
}

void Link::send(const Message& message) {
  Lane& lane = lanes_[static_cast<unsigned>(message.message_class)];
  const Picoseconds now = engine_.now();
  Picoseconds when = kNever;
  if (lane.waiting.empty()) {
    when = departure(lane, now, message.message_class);
    if (when == now) [[likely]] {
      depart(lane, message, now);
      return;
    }
  }
  lane.waiting.push(message);
  lane.waits.set(true, now);
  waiting_ |= bit_of(message.message_class);
  note_waiting(now);
  wake(when);
}

void Link::note_waiting(Picoseconds now) noexcept {
  for (std::size_t end = 0; end < kRequests.size(); ++end)
    requests_wait_[end].set((waiting_ & kRequests[end]) != 0, now);
}

Link::Load Link::load(MessageClass message_class) const noexcept {
  const Lane& lane = lanes_[static_cast<unsigned>(message_class)];
  return {lane.messages, lane.waits.until(engine_.now())};
}

void Link::release(MessageClass message_class) {
  Lane& lane = lanes_[static_cast<unsigned>(message_class)];
  lane.returns.push(engine_.now() + parameters_.latency);
  if (!lane.waiting.empty() && lane.credits == 0 && lane.returns.size() == 1) wake(edge(lane.returns.front()));
}

void Link::observe(LinkEnd end, const Message& message, Picoseconds now) {
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_message(now, *this, end, message);
  if (MessageProbes* const probes = probes_[static_cast<unsigned>(end)]; probes != nullptr)
    probes->publish(message, now);
}

void Link::depart(Lane& lane, const Message& message, Picoseconds now) {
  assert(lane.credits > 0);
  --lane.credits;
  if (now != lane.last_edge) {
    lane.last_edge = now;
    lane.used = 0;
  }
  ++lane.used;
  ++lane.messages;
  Direction& direction = directions_[is_down(message.message_class) ? 0 : 1];
  direction.flights.push({now + parameters_.latency, message});
  if (direction.flights.size() == 1) wake(now + parameters_.latency);
  observe(direction.from, message, now);
  if (message.tell) ports_[static_cast<unsigned>(direction.from)]->left(message, now);
}

void Link::act(Picoseconds now) {
  for (Direction& direction : directions_) {
    while (!direction.flights.empty() && direction.flights.front().arrival <= now) {
      Message message = direction.flights.pop().message;
      observe(direction.to, message, now);
      message.tell = false;  // for the sender only; receivers build their answers from the message they get
      if (ports_[static_cast<unsigned>(direction.to)]->receive(message, now)) release(message.message_class);
    }
  }
  Picoseconds next = kNever;
  for (unsigned rest = waiting_; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(rest));
    Lane& lane = lanes_[number];
    Picoseconds when = kNever;
    while (!lane.waiting.empty() && (when = departure(lane, now, static_cast<MessageClass>(number))) == now)
      depart(lane, lane.waiting.pop(), now);
    if (lane.waiting.empty()) {
      waiting_ &= ~(1U << number);
      lane.waits.set(false, now);
      note_waiting(now);
    } else {
      next = std::min(next, when);
    }
  }
  for (const Direction& direction : directions_) {
    if (!direction.flights.empty()) next = std::min(next, direction.flights.front().arrival);
  }
  wake(next);
}

}  // namespace pmufab::cxl
