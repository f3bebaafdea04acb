// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/traffic/mesh_traffic.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::traffic {
namespace {

constexpr std::array<std::string_view, 5> kMeshPatterns = {"uniform", "hotspot", "transpose", "bit_complement",
                                                           "neighbour"};

const MeshTrafficSpec& checked(const MeshTrafficSpec& spec, const cmn::MeshEngine& engine) {
  if (!engine.has(spec.channel))
    throw SpecError("channel", "the mesh has no " + std::string(cmn::to_string(spec.channel)), "add it to the mesh");
  if (spec.packet_length == 0 || spec.packet_length > 65535)
    throw SpecError("packet_length", std::to_string(spec.packet_length) + " flits", "1 ... 65535 are possible");
  if (!(spec.rate > 0 && spec.rate / spec.packet_length <= 1))
    throw SpecError("rate", std::to_string(spec.rate) + " flits per cycle",
                    "above 0 and at most " + std::to_string(spec.packet_length) + " are possible");
  return spec;
}

}  // namespace

MeshTraffic::MeshTraffic(cmn::MeshEngine& engine, const MeshTrafficSpec& spec)
    : engine_(engine),
      spec_(checked(spec, engine)),
      random_(spec.seed),
      gaps_(spec.rate / spec.packet_length),
      measured_from_(engine.now()) {
  wheel_.fill(kNobody);
  add_sources();
  with_queue_.assign((sources_.size() + 63) / 64, 0);
  for (std::uint32_t i = 0; i < sources_.size(); ++i)
    schedule(i, engine_.now() - 1 + gaps_.draw(static_cast<std::uint32_t>(random_() >> 32), random_));
}

void MeshTraffic::add_sources() {
  const cmn::MeshParameters& mesh = engine_.parameters();
  for (unsigned xp = 0; xp < mesh.xps(); ++xp) {
    for (unsigned port = 0; port < mesh.ports_of(xp); ++port) {
      Source source{};
      source.place = {static_cast<std::uint8_t>(xp), static_cast<std::uint8_t>(port)};
      source.queue.resize(16);
      sources_.push_back(std::move(source));
    }
  }
  if (sources_.empty()) throw SpecError("channel", "the mesh has no device ports", "give its XPs some");
}

void MeshTraffic::schedule(std::uint32_t source, cmn::Cycle when) noexcept {
  const auto list = static_cast<std::size_t>(when % kWheelSize);
  sources_[source].when = when;
  sources_[source].next = wheel_[list];
  wheel_[list] = source;
  wheel_used_[list / 64] |= std::uint64_t{1} << list % 64;
}

void MeshTraffic::send() {
  const cmn::Cycle now = engine_.now();
  send_waiting();
  const auto list = static_cast<std::size_t>(now % kWheelSize);
  std::uint32_t source = wheel_[list];
  if (source == kNobody) return;
  wheel_[list] = kNobody;
  wheel_used_[list / 64] &= ~(std::uint64_t{1} << list % 64);
  while (source != kNobody) {
    const std::uint32_t next = sources_[source].next;
    if (sources_[source].when == now) {
      make(source);
    } else {
      schedule(source, sources_[source].when);  // due in a later turn of the wheel
    }
    source = next;
  }
}

void MeshTraffic::make(std::uint32_t index) {
  Source& source = sources_[index];
  const std::uint64_t bits = random_();
  const Target target = sources_[(bits & 0xffffffff) * sources_.size() >> 32].place;
  schedule(index, engine_.now() + gaps_.draw(static_cast<std::uint32_t>(bits >> 32), random_));
  if (spec_.most_waiting != 0 && source.waiting >= spec_.most_waiting) return;
  ++statistics_.packets_made;

  Packet packet{static_cast<std::uint32_t>(engine_.now()), target, static_cast<std::uint16_t>(spec_.packet_length)};
  if (source.waiting == 0 && engine_.ready(spec_.channel, source.place.xp, source.place.port)) {
    upload(source, packet);
    if (packet.flits_left == 0) return;
  }
  const auto size = static_cast<std::uint32_t>(source.queue.size());
  if (source.waiting == size) {
    std::rotate(source.queue.begin(), source.queue.begin() + source.first, source.queue.end());
    source.first = 0;
    source.queue.resize(std::size_t{size} * 2);
  }
  source.queue[(source.first + source.waiting) % source.queue.size()] = packet;
  ++source.waiting;
  with_queue_[index / 64] |= std::uint64_t{1} << index % 64;
}

void MeshTraffic::send_waiting() noexcept {
  for (std::size_t word = 0; word < with_queue_.size(); ++word) {
    // Readiness of all is computed first, because in a full mesh it is unpredictable.
    std::uint64_t ready = 0;
    for (std::uint64_t left = with_queue_[word]; left != 0; left &= left - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(left));
      const Target place = sources_[word * 64 + bit].place;
      ready |= std::uint64_t{engine_.ready(spec_.channel, place.xp, place.port)} << bit;
    }
    for (; ready != 0; ready &= ready - 1) {
      Source& source = sources_[word * 64 + static_cast<unsigned>(std::countr_zero(ready))];
      Packet& packet = source.queue[source.first];
      upload(source, packet);
      if (packet.flits_left != 0) continue;
      source.first = (source.first + 1) & (static_cast<std::uint32_t>(source.queue.size()) - 1);
      if (--source.waiting == 0) with_queue_[word] &= ~(ready & -ready);
    }
  }
}

void MeshTraffic::upload(const Source& source, Packet& packet) noexcept {
  cmn::Flit flit{};
  flit.handle = packet.made;
  flit.target_xp = packet.target.xp;
  flit.target_port = packet.target.port;
  flit.flags = 0;
  if (packet.flits_left == spec_.packet_length) flit.flags |= cmn::Flit::kHead;
  if (--packet.flits_left == 0) flit.flags |= cmn::Flit::kTail;
  engine_.upload(spec_.channel, source.place.xp, source.place.port, flit);
}

void MeshTraffic::receive() noexcept {
  const cmn::Cycle now = engine_.now();
  for (const cmn::Delivery& delivery : engine_.delivered()) {
    if (delivery.channel != spec_.channel) continue;
    engine_.take(delivery.channel, delivery.xp, delivery.port);
    ++statistics_.flits_delivered;
    if ((delivery.flit.flags & cmn::Flit::kTail) == 0) continue;
    const std::uint32_t latency = static_cast<std::uint32_t>(now) - delivery.flit.handle;
    if (latency > now - measured_from_) continue;
    ++statistics_.packets_delivered;
    statistics_.latency_sum += latency;
    statistics_.latency_most = std::max<std::uint64_t>(statistics_.latency_most, latency);
  }
}

cmn::Cycle MeshTraffic::next_cycle() const noexcept {
  const cmn::Cycle now = engine_.now();
  for (const std::uint64_t word : with_queue_) {
    if (word != 0) return now;
  }
  // Search the list of this cycle, then the later ones, once around the wheel, ending with the first part of the first
  // word.
  const auto list = static_cast<std::size_t>(now % kWheelSize);
  std::size_t word = list / 64;
  std::uint64_t used = wheel_used_[word] >> list % 64 << list % 64;
  for (std::size_t i = 0; i <= wheel_used_.size(); ++i) {
    if (used != 0) {
      const std::size_t found = word * 64 + static_cast<unsigned>(std::countr_zero(used));
      return now + (found - list) % kWheelSize;
    }
    word = (word + 1) % wheel_used_.size();
    used = wheel_used_[word];
  }
  return cmn::kNoCycle;
}

void MeshTraffic::run(cmn::Cycle cycles) {
  const cmn::Cycle end = engine_.now() + cycles;
  while (engine_.now() < end) {
    const cmn::Cycle next = std::min(engine_.next_cycle(), next_cycle());
    if (next >= end) {
      engine_.skip_to(end);
      return;
    }
    engine_.skip_to(next);
    send();
    engine_.step();
    receive();
  }
}

void MeshTraffic::measure() noexcept {
  measured_from_ = engine_.now();
  statistics_ = {};
}

void MeshTraffic::stop() noexcept {
  wheel_.fill(kNobody);
  wheel_used_.fill(0);
}

std::uint64_t MeshTraffic::waiting() const noexcept {
  std::uint64_t sum = 0;
  for (const Source& source : sources_) sum += source.waiting;
  return sum;
}

std::string_view to_string(MeshPattern pattern) noexcept {
  const auto index = static_cast<std::size_t>(pattern);
  return index < kMeshPatterns.size() ? kMeshPatterns[index] : "?";
}

}  // namespace pmufab::traffic
