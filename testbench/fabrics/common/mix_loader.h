// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/common/loaders.h"

namespace pmufab::scenario {

/// Read `mix`, a map of operations and weights, if it is there, and put what then holds into the effective scenario.
/// @param operations  how many the enumeration has, from 0 on, each with a name
/// @param member      of a share: its operation
/// @param from        knows more names, if there is one
/// @throws InputError for an operation there is not, or a weight that is no number
template <typename Operation, typename Share>
void read_operation_mix(Reader& reader, unsigned operations, std::vector<Share>& mix, Operation Share::*member,
                        std::string_view (*name_of)(Operation),
                        std::optional<Operation> (*from)(std::string_view) = nullptr) {
  bool first = true;
  read_weights(reader, "mix", [&](const Value::Entry& entry, std::uint32_t weight) {
    if (std::exchange(first, false)) mix.clear();
    std::vector<std::string> names;
    for (unsigned number = 0; number < operations; ++number)
      names.emplace_back(name_of(static_cast<Operation>(number)));
    Share share;
    const std::optional<Operation> known = from != nullptr ? from(entry.key) : std::nullopt;
    share.*member = known ? *known : static_cast<Operation>(number_of_word(reader, "mix", entry, "operation", names));
    share.weight = weight;
    mix.push_back(share);
  });
  if (mix.empty()) return;
  Value map = Value::map();
  for (const Share& share : mix)
    map.add(std::string(name_of(share.*member)), Value::of(fmt::format("{}", share.weight)));
  reader.put("mix", std::move(map));
}

}  // namespace pmufab::scenario
