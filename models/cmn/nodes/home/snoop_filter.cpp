// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/home/snoop_filter.h"

namespace pmufab::cmn {

namespace {

/// A row whose first `room` elements are in one array and the others in a second.
struct Row {
  std::uint64_t* near;
  std::uint64_t* far;
  unsigned room;
  std::size_t words;  // words per element

  /// Move the first `count` elements one place back.
  void move_back(unsigned count) const noexcept {
    unsigned in_near = count;
    if (count >= room) {
      in_near = room - 1;
      move(far + words, far, count - room);
      move(far, near + in_near * words, 1);
    }
    move(near + words, near, in_near);
  }
  /// Move the elements after `position`, up to `count`, one place forward.
  void move_forward(unsigned position, unsigned count) const noexcept {
    if (position >= room) {
      std::uint64_t* const place = far + (position - room) * words;
      move(place, place + words, count - 1 - position);
      return;
    }
    std::uint64_t* const place = near + position * words;
    move(place, place + words, std::min(count, room) - 1 - position);
    if (count <= room) return;
    move(near + (room - 1) * words, far, 1);
    move(far, far + words, count - 1 - room);
  }

 private:
  void move(std::uint64_t* to, const std::uint64_t* from, std::size_t elements) const noexcept {
    std::memmove(to, from, elements * words * sizeof *to);
  }
};

}  // namespace

SnoopFilter::SnoopFilter(std::size_t sets, unsigned ways, unsigned limit, unsigned rn_fs)
    : ways_(ways),
      words_(std::max(1U, (rn_fs + 63) / 64)),
      most_(std::max(ways, limit)),
      far_entries_(most_ > kNear ? most_ - kNear : 0),
      near_words_(std::size_t{kNear} * (1 + words_)),
      far_words_(std::size_t{far_entries_} * (1 + words_)),
      near_(sets * near_words_),
      far_(sets * far_words_),
      moving_(words_) {}

void SnoopFilter::make_room(std::size_t set, unsigned entries) noexcept {
  Row{near(set), far(set), kNear, 1}.move_back(entries);
  Row{near(set) + kNear, far(set) + far_entries_, kNear, words_}.move_back(entries);
}

bool SnoopFilter::look_up(std::size_t set, std::uint64_t line) noexcept {
  const unsigned position = position_of(set, line);
  if (position == kAbsent) return false;
  if (position == 0) return true;
  const std::uint64_t one = word(set, position);
  sharers(set, position).copy_to(moving_.data());
  make_room(set, position);
  word(set, 0) = one;
  sharers(set, 0).copy_from(moving_.data());
  return true;
}

void SnoopFilter::add(std::size_t set, std::uint64_t line) noexcept {
  make_room(set, size(set));
  word(set, 0) = line << kStateBits | kPresent;
  sharers(set, 0).clear();
}

void SnoopFilter::remove(std::size_t set, unsigned position) noexcept {
  const unsigned entries = size(set);
  Row{near(set), far(set), kNear, 1}.move_forward(position, entries);
  Row{near(set) + kNear, far(set) + far_entries_, kNear, words_}.move_forward(position, entries);
  word(set, entries - 1) = 0;
}

}  // namespace pmufab::cmn
