// SPDX-License-Identifier: Apache-2.0
#include "models/soc/source.h"

#include <algorithm>

namespace pmufab::soc {

void Source::choose(Wish& wish) const {
  wish.choices.clear();
  for (const Feed& feed : feeds_) {
    std::uint64_t mask = 0;
    for (const Feed::Qualified& qualified : *feed.qualifiers) {
      Occurrence occurrence = feed.occurrence;
      for (std::size_t index = 0; index < attributes_.size(); ++index)
        occurrence.attributes.at(index) += qualified.occurrence.attributes.at(index);
      mask |= std::uint64_t{wish.passes(occurrence)} << qualified.qualifier;
    }
    if (mask != 0) wish.choices.push_back({feed.probe, mask});
  }
}

void Source::add(Wish& wish) {
  wishes_.push_back(&wish);
  if (wish.counts != EventDescription::Counts::outstanding) return;
  const Picoseconds present = simulated_time();
  for (const Open& open : open_) {
    if (open.end > present && wish.passes(open.occurrence))
      hold(wish, open.occurrence, std::max(open.begin, present), open.end);
  }
}

void Source::remove(const Wish& wish) { std::erase(wishes_, &wish); }

void Source::hold(Wish& wish, const Occurrence& occurrence, Picoseconds begin, Picoseconds end) {
  for (std::uint64_t i = 0; i < occurrence.repeat; ++i) wish.requests.add(begin, end, 0, wish.program);
}

void Source::keep(const Occurrence& occurrence, Picoseconds when) {
  if (occurrence.duration == 0) return;
  if (open_.size() >= prune_at_) {
    std::erase_if(open_, [&](const Open& open) { return open.end <= when; });
    prune_at_ = std::max<std::size_t>(64, 2 * open_.size());
  }
  open_.push_back({occurrence, when, when + occurrence.duration});
}

}  // namespace pmufab::soc
