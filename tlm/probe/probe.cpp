// SPDX-License-Identifier: Apache-2.0
#include "tlm/probe/probe.h"

#include <algorithm>
#include <bit>

namespace pmufab {

void EventSink::wrap(bool carry, Picoseconds when) {
  // The full sum is carry * 2^64 + value_. The part above the width is the number of wraps.
  const auto width = static_cast<unsigned>(std::bit_width(maximum_));
  std::uint64_t wraps = carry ? 1 : 0;
  if (width < 64) wraps = value_ >> width | wraps << (64 - width);
  value_ &= maximum_;
  if (on_wrap_ != nullptr) on_wrap_(context_, wraps, when);
}

void Probe::watch(EventSink& sink, std::uint64_t qualifiers) {
  Watch* free = nullptr;
  for (Watch& watch : watches_) {
    if (watch.sink == &sink) {
      watch.qualifiers = qualifiers;
      return;
    }
    if (watch.sink == nullptr && free == nullptr) free = &watch;
  }
  if (on_watch_ != nullptr) on_watch_(watch_context_);
  if (free != nullptr) {
    *free = {&sink, qualifiers};
  } else {
    watches_.push_back({&sink, qualifiers});
  }
}

std::uint64_t Probe::uneventful() const noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (const Watch& watch : watches_) {
    if (watch.sink != nullptr) least = std::min(least, watch.sink->maximum() - watch.sink->value());
  }
  return least;
}

void Probe::unwatch(const EventSink& sink) noexcept {
  const auto found =
      std::find_if(watches_.begin(), watches_.end(), [&](const Watch& watch) { return watch.sink == &sink; });
  if (found == watches_.end()) return;
  // The entry stays in the list, empty, because publish() may be walking the list.
  *found = {nullptr, 0};
  while (!watches_.empty() && watches_.back().sink == nullptr) watches_.pop_back();
}

}  // namespace pmufab
