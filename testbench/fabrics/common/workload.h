// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <typeindex>
#include <typeinfo>

namespace pmufab::scenario {

/// All traffic of a scenario. Each kind of fabric keeps its traffic here under its own type. Only that kind reads it,
/// and a command for traffic of that kind. It is plain data that can be copied. The default is no traffic.
class Workload {
 public:
  std::uint64_t seed = 1;  ///< of everything that has none of its own

  template <typename Traffic>
  [[nodiscard]] Traffic& of() {
    std::any& slot = traffic_[typeid(Traffic)];
    if (!slot.has_value()) slot.emplace<Traffic>();
    return *std::any_cast<Traffic>(&slot);
  }
  template <typename Traffic>
  [[nodiscard]] const Traffic& of() const {
    static const Traffic none{};
    const auto found = traffic_.find(typeid(Traffic));
    return found == traffic_.end() ? none : *std::any_cast<Traffic>(&found->second);
  }

 private:
  std::map<std::type_index, std::any> traffic_;
};

}  // namespace pmufab::scenario
