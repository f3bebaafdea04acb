// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <tuple>

#include <nlohmann/json_fwd.hpp>

/// One list of the fields of a structure with their names in files, by which it is written and read.
///
///     struct FailedRead {
///       Picoseconds time = 0;
///       std::uint64_t value = 0;
///       static constexpr auto named_fields() {
///         return std::tuple(NamedField{"time_ps", &FailedRead::time}, NamedField{"value", &FailedRead::value});
///       }
///     };
///     Json json = read;               // and so a std::vector of them
///     read = json.get<FailedRead>();  // throws nlohmann::json::exception if a field is missing or of another type
namespace pmufab {

/// @tparam Access  what std::invoke() makes a reference to the field of: mostly a pointer to a member
template <typename Access>
struct NamedField {
  const char* key;
  Access access;
};
template <typename Access>
NamedField(const char*, Access) -> NamedField<Access>;

template <typename T>
concept HasNamedFields = requires {
  T::named_fields();
};

namespace detail {

template <typename Json, typename Value>
void put(Json& json, const Value& value) {
  json = value;
}
template <typename Json, typename Value>
void put(Json& json, const std::optional<Value>& value) {
  if (value) {
    json = *value;
  } else {
    json = nullptr;
  }
}
template <typename Json, typename Value>
void take(const Json& json, Value& value) {
  json.get_to(value);
}
template <typename Json, typename Value>
void take(const Json& json, std::optional<Value>& value) {
  value = json.is_null() ? std::nullopt : std::optional<Value>(json.template get<Value>());
}

}  // namespace detail

/// Write the fields in their order. What has no value becomes null.
template <typename Json, typename Object, typename... Fields>
void write_fields(Json& json, const Object& object, const std::tuple<Fields...>& fields) {
  std::apply([&](const auto&... field) { (detail::put(json[field.key], std::invoke(field.access, object)), ...); },
             fields);
}

/// @throws nlohmann::json::exception if a field is missing or of another type
template <typename Json, typename Object, typename... Fields>
void read_fields(const Json& json, Object& object, const std::tuple<Fields...>& fields) {
  std::apply([&](const auto&... field) { (detail::take(json.at(field.key), std::invoke(field.access, object)), ...); },
             fields);
}

}  // namespace pmufab

/// @cond Doxygen does not know the template that this specializes.
template <pmufab::HasNamedFields T>
struct nlohmann::adl_serializer<T, void> {
  template <typename Json>
  static void to_json(Json& json, const T& object) {
    json = Json::object();
    pmufab::write_fields(json, object, T::named_fields());
  }
  template <typename Json>
  static void from_json(const Json& json, T& object) {
    pmufab::read_fields(json, object, T::named_fields());
  }
};
/// @endcond
