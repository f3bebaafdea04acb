// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/shrinker.h"

#include <algorithm>
#include <utility>

#include "testbench/campaigns/verify/reductions.h"

namespace pmufab::verify {
namespace {

using scenario::Value;
using Fails = std::function<std::vector<bool>(const std::vector<Value>&)>;

class Shrinker {
 public:
  Shrinker(Value document, const Fails& fails, const ShrinkOptions& options)
      : result_{std::move(document)}, fails_(fails), options_(options) {}

  ShrinkResult shrink() {
    bool is_smaller = true;
    while (is_smaller && !is_over()) {
      is_smaller = false;
      for (const Pass pass : kPasses) is_smaller = take_out(pass) || is_smaller;
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_over() const { return result_.tries >= options_.most_tries; }

  /// Take out halves of the parts, then smaller shares. @return whether anything could be
  bool take_out(Pass pass) {
    constexpr std::size_t kFiner = 4;
    bool is_smaller = false;
    std::size_t chunk = std::max<std::size_t>(parts_of(result_.smallest, pass).size() / 2, 1);
    while (!is_over()) {
      is_smaller = take_out(pass, chunk) || is_smaller;
      if (chunk == 1) break;
      chunk = std::max<std::size_t>(chunk / kFiner, 1);
    }
    return is_smaller;
  }

  bool take_out(Pass pass, std::size_t chunk) {
    bool is_smaller = false;
    std::vector<Part> parts = parts_of(result_.smallest, pass);
    std::size_t from = 0;
    while (from < parts.size() && !is_over()) {
      std::vector<Value> candidates;
      for (std::size_t begin = from; begin < parts.size() && candidates.size() < options_.at_once; begin += chunk)
        candidates.push_back(without(result_.smallest, chunk_of(parts, begin, chunk)));
      const std::vector<bool> failed = fails_(candidates);
      result_.tries += candidates.size();
      const auto first = std::ranges::find(failed, true);
      if (first == failed.end()) {
        from += candidates.size() * chunk;
        continue;
      }
      is_smaller = true;
      const auto index = static_cast<std::size_t>(first - failed.begin());
      result_.smallest = std::move(candidates[index]);
      from += index * chunk;
      parts = parts_of(result_.smallest, pass);  // what came next is at this place now
      if (pass == Pass::times || pass == Pass::rounding) from += chunk;
    }
    return is_smaller;
  }

  static std::vector<Part> chunk_of(const std::vector<Part>& parts, std::size_t begin, std::size_t chunk) {
    const std::size_t end = std::min(begin + chunk, parts.size());
    return {parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  ShrinkResult result_;
  const Fails& fails_;
  const ShrinkOptions& options_;
};

}  // namespace

ShrinkResult shrink(Value document, const Fails& fails, const ShrinkOptions& options) {
  return Shrinker(std::move(document), fails, options).shrink();
}

}  // namespace pmufab::verify
