// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/engine/mesh_engine.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace pmufab::cmn {
namespace {

const MeshParameters& checked(const MeshParameters& parameters) {
  validate(parameters);
  return parameters;
}

}  // namespace

MeshEngine::MeshEngine(const MeshParameters& parameters)
    : parameters_(checked(parameters)),
      routes_(MeshPlane::routes_of(parameters_)),
      // A list stays readable for the cycle after its own, while the step fills the list link_delay ahead.
      wheel_mask_((1U << std::bit_width(parameters.link_delay + 1)) - 1) {
  index_.fill(kNone);
  planes_.reserve(parameters_.channels.size());
  for (const Channel channel : parameters_.channels) {
    index_[static_cast<unsigned>(channel)] = static_cast<std::uint8_t>(planes_.size());
    planes_.emplace_back(parameters_, channel, routes_);
  }
  for (unsigned xp = 0; xp < parameters_.xps(); ++xp)
    delivery_room_ += parameters_.ports_of(xp) * static_cast<unsigned>(planes_.size());
  ++delivery_room_;  // planes write one that is not kept
  deliveries_.resize(std::size_t{wheel_mask_ + 1} * delivery_room_);
  delivery_counts_.assign(wheel_mask_ + 1, 0);
  pulses_.resize(std::size_t{parameters_.xps()} * 4 * planes_.size() + delivery_room_);
}

void MeshEngine::step() noexcept {
  const auto due = static_cast<unsigned>(now_ & wheel_mask_);
  delivered_ = {deliveries_.data() + std::size_t{due} * delivery_room_, delivery_counts_[due]};
  delivery_counts_[due] = 0;
  wheel_used_ &= ~(std::uint64_t{1} << due);

  const auto list = static_cast<unsigned>((now_ + parameters_.link_delay) & wheel_mask_);
  std::uint32_t deliveries = 0;
  pulse_count_ = 0;
  const MeshOutbox outbox{deliveries_.data() + std::size_t{list} * delivery_room_, deliveries, pulses_.data(),
                          pulse_count_};
  for (MeshPlane& plane : planes_) {
    if (plane.busy(now_)) plane.step(now_, outbox);
  }
  delivery_counts_[list] = deliveries;
  if (deliveries != 0) wheel_used_ |= std::uint64_t{1} << list;
  ++now_;
}

void MeshEngine::step_to(Cycle end) noexcept {
  while (now_ < end) {
    const Cycle next = next_cycle();
    if (next >= end) {
      skip_to(end);
      return;
    }
    now_ = next;
    step();
    if (!delivered_.empty() || pulse_count_ != 0) return;
  }
}

Cycle MeshEngine::next_cycle() const noexcept {
  Cycle next = kNoCycle;
  for (const MeshPlane& plane : planes_) {
    next = std::min(next, plane.next_cycle(now_));
    if (next == now_) return next;
  }
  if (wheel_used_ != 0) {
    const std::uint64_t from_now = wheel_used_ >> (now_ & wheel_mask_);
    // The wheel is circular: after its last list comes its first.
    const std::uint64_t turned = from_now != 0 ? from_now : wheel_used_ << (wheel_mask_ + 1 - (now_ & wheel_mask_));
    next = std::min(next, now_ + static_cast<unsigned>(std::countr_zero(turned)));
  }
  return next;
}

void MeshEngine::watch_everything(bool on) noexcept {
  for (MeshPlane& plane : planes_) plane.watch_everything(on);
}

}  // namespace pmufab::cmn
