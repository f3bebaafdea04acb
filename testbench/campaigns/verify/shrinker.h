// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

struct ShrinkResult {
  scenario::Value smallest;
  std::size_t tries = 0;  ///< documents that were run
};

struct ShrinkOptions {
  std::size_t most_tries = 10'000;
  std::size_t at_once =
      4;  ///< documents that are tried at the same time; a number that no result depends on a machine's
};

/// Make a failing scenario smaller by delta debugging, as far as it fails in the same way.
/// @param fails  tells of each of some documents whether it does; asked for at most `at_once` at a time
[[nodiscard]] ShrinkResult shrink(scenario::Value document,
                                  const std::function<std::vector<bool>(const std::vector<scenario::Value>&)>& fails,
                                  const ShrinkOptions& options = {});

/// Something that can be taken out of a document: a key, an item of a list, or a part of a text.
struct Part {
  std::vector<std::size_t> path;  ///< indices of entries and items from the top
  bool is_text = false;           ///< of the scalar at the path, these characters are replaced
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string replacement = {};
};

/// What can be taken out, by kind. Large things come first.
enum class Pass {
  lists,           ///< items of lists: measures, actions, generators of traffic
  events,          ///< of a measure: members of groups
  platform_lists,  ///< items of lists of the platform
  keys,            ///< keys of everything but the platform: these have their defaults then
  platform_keys,
  terms,     ///< of events, and the braces of a group of one
  times,     ///< become half as long
  rounding,  ///< of times, to what is easier to read
};
inline constexpr Pass kPasses[] = {Pass::lists,         Pass::events, Pass::platform_lists, Pass::keys,
                                   Pass::platform_keys, Pass::terms,  Pass::times,          Pass::rounding};

/// @return the parts of a scenario's document that a pass may take out
[[nodiscard]] std::vector<Part> parts_of(const scenario::Value& document, Pass pass);

/// @return the document without these parts
[[nodiscard]] scenario::Value without(scenario::Value document, std::vector<Part> parts);

}  // namespace pmufab::verify
