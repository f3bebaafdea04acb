// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/html/parts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {

void Parts::begin(std::string head, std::string tail, std::string what, Gap gap) {
  parts_.push_back({std::move(head), std::move(tail), std::move(what), std::move(gap), {}});
}

void Parts::add(std::string item, Importance importance) {
  parts_.back().items.push_back({std::move(item), importance});
}

std::size_t Parts::room_of_mark(const Part& part) {
  constexpr std::size_t kNumberAndWords = 40;
  return part.gap.before.size() + part.what.size() + part.gap.after.size() + kNumberAndWords;
}

/// There is a gap behind the last item, at most, and one before each that is taken before its turn.
void Parts::choose(std::size_t most) {
  std::size_t used = 0;
  for (const Importance importance :
       {Importance::failed, Importance::important, Importance::usual, Importance::lengthy}) {
    for (Part& part : parts_) {
      for (Item& item : part.items) {
        if (item.importance != importance || part.is_full) continue;
        const bool is_early = importance == Importance::failed || importance == Importance::important;
        const std::size_t size = item.text.size() + (is_early ? room_of_mark(part) : 0) +
                                 (part.is_open ? 0 : part.head.size() + part.tail.size() + room_of_mark(part));
        part.is_full = size > most - used;
        if (part.is_full) continue;
        used += size;
        part.is_open = item.is_taken = true;
      }
    }
  }
}

std::string Parts::left_out(std::size_t most) const {
  std::vector<std::pair<std::string, std::uint64_t>> numbers;  // in the order of the parts
  for (const Part& part : parts_) {
    const auto number =
        static_cast<std::uint64_t>(std::ranges::count_if(part.items, [](const Item& item) { return !item.is_taken; }));
    if (number == 0) continue;
    const auto known = std::ranges::find_if(numbers, [&](const auto& entry) { return entry.first == part.what; });
    if (known == numbers.end()) {
      numbers.emplace_back(part.what, number);
    } else {
      known->second += number;
    }
  }
  if (numbers.empty()) return {};
  std::vector<std::string> texts;
  for (const auto& [what, number] : numbers) texts.push_back(counted(number, what));
  constexpr std::size_t kKibibyte = 1024;
  return fmt::format("<p class=\"notice\">Left out: {}. A run has room for {} KiB on this page.</p>\n",
                     fmt::join(texts, ", "), most / kKibibyte);
}

std::string Parts::text_of(const Part& part) {
  std::string text = part.head;
  std::uint64_t missing = 0;
  const auto mark = [&] {
    if (missing > 0)
      text += fmt::format("{}… {} left out{}", part.gap.before, counted(missing, part.what), part.gap.after);
    missing = 0;
  };
  for (const Item& item : part.items) {
    if (!item.is_taken) {
      ++missing;
      continue;
    }
    mark();
    text += item.text;
  }
  mark();
  return text + part.tail;
}

std::string Parts::take(std::size_t most) {
  choose(most);
  std::string text = left_out(most);
  for (const Part& part : parts_) {
    if (part.is_open) text += text_of(part);
  }
  return text;
}

}  // namespace pmufab::scenario
