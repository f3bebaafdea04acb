// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/link/switch.h"

#include <cassert>

namespace pmufab::cxl {

Switch::Switch(const std::string& name, Engine& engine, Link& upstream, const HdmMap& map, Picoseconds forward_latency)
    : name_(name),
      engine_(engine),
      map_(map),
      forward_latency_(forward_latency),
      actor_(engine.add(*this)),
      upstream_(*this, name + ".upstream", upstream, map, 0) {
  upstream.attach(LinkEnd::lower, upstream_, &upstream_.probes);
}

void Switch::add_downstream(Link& link) {
  const auto number = static_cast<unsigned>(downstream_.size());
  downstream_.push_back(
      std::make_unique<SwitchPort>(*this, name_ + ".downstream" + std::to_string(number), link, map_, number));
  link.attach(LinkEnd::upper, *downstream_.back(), &downstream_.back()->probes);
}

bool Switch::receive(SwitchPort& port, const Message& message, Picoseconds now) {
  if (free_.empty()) [[unlikely]] {
    free_.push_back(static_cast<std::uint16_t>(passages_.size()));
    passages_.emplace_back();
  }
  Waiting waiting{now + forward_latency_, message, &upstream_.link};
  if (&port == &upstream_) {
    const unsigned target = is_mem(message.message_class) ? map_.target(message.address).value_or(0) : 0;
    // A decoder that names a port that does not exist counts as not programmed.
    assert(!downstream_.empty());
    waiting.to = &downstream_[target < downstream_.size() ? target : 0]->link;
  }
  waiting.message.tell = true;
  waiting.message.hop = free_.back();
  free_.pop_back();
  passages_[waiting.message.hop] = {&port.link, message.message_class};
  waiting_.push(waiting);
  if (waiting_.size() == 1) engine_.set(actor_, waiting.when);
  return false;
}

void Switch::left(const Message& message, Picoseconds /*now*/) {
  passages_[message.hop].from->release(passages_[message.hop].message_class);
  free_.push_back(message.hop);
}

void Switch::act(Picoseconds now) {
  while (!waiting_.empty() && waiting_.front().when <= now) {
    const Waiting waiting = waiting_.pop();
    waiting.to->send(waiting.message);
  }
  if (!waiting_.empty()) engine_.set(actor_, waiting_.front().when);
}

}  // namespace pmufab::cxl
