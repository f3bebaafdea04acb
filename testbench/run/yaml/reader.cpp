// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/reader.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

constexpr std::size_t kLongestLine = 4096;      // of a name
constexpr std::size_t kLongestOfList = 65'536;  // a group of a PMU's events is one text

/// @return why a text cannot be a line; empty: it can
std::string wrong_with_line(const std::string& text, std::size_t most) {
  if (text.find('\n') != std::string::npos) return "must be one line";
  if (text.size() > most) return fmt::format("is longer than {} bytes", most);
  return {};
}

std::string element_path(const std::string& path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

}  // namespace

Reader::Reader(const Value& value, std::string path, Value& effective)
    : value_(value), path_(std::move(path)), effective_(effective) {
  if (value_.kind != Value::Kind::map && value_.kind != Value::Kind::null)
    throw InputError(value_.source, path_, fmt::format("must be a map of keys, not {}", describe(value_.kind)));
  effective_.kind = Value::Kind::map;
}

std::string Reader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

const Value* Reader::ask(std::string_view key, Presence presence) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  const Value* value = value_.find(key);
  if (value != nullptr && value->kind == Value::Kind::null) value = nullptr;
  if (value == nullptr && presence == Presence::required) missing_.emplace_back(key);
  return value;
}

bool Reader::has(std::string_view key) { return ask(key) != nullptr; }

void Reader::fail(std::string_view key, std::string reason, std::string suggestion) {
  const Value* value = value_.find(key);
  throw InputError(value != nullptr ? value->source : value_.source, path_of(key), std::move(reason),
                   std::move(suggestion));
}

const std::string& Reader::scalar(std::string_view key, const Value& value, std::string_view wanted) {
  if (value.kind != Value::Kind::scalar) fail(key, fmt::format("must be {}, not {}", wanted, describe(value.kind)));
  return value.scalar;
}

void Reader::text(std::string_view key, std::string& out, Presence presence) {
  prose(key, out, presence);
  if (const std::string reason = wrong_with_line(out, kLongestLine); !reason.empty()) fail(key, reason);
}

void Reader::prose(std::string_view key, std::string& out, Presence presence) {
  if (const Value* value = ask(key, presence)) {
    out = scalar(key, *value, "text");
    if (presence == Presence::required && out.find_first_not_of(" \t\r\n") == std::string::npos)
      fail(key, "must not be empty");
  }
  effective_.add(std::string(key), Value::of(out, true));
}

void Reader::flag(std::string_view key, bool& out) {
  if (const Value* value = ask(key)) {
    const std::string& word = scalar(key, *value, "true or false");
    if (word == "true" || word == "false") {
      out = word == "true";
    } else {
      fail(key, fmt::format("must be true or false, not '{}'", word));
    }
  }
  effective_.add(std::string(key), Value::of(out ? "true" : "false"));
}

void Reader::real(std::string_view key, double& out, double minimum, double maximum) {
  if (const Value* value = ask(key)) {
    const std::string& word = scalar(key, *value, "a number");
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (value->quoted || word.empty() || *end != '\0' || !std::isfinite(number))
      fail(key, fmt::format("'{}' is not a number", word));
    if (number < minimum || number > maximum) fail(key, fmt::format("{} is outside {} ... {}", word, minimum, maximum));
    out = number;
  }
  effective_.add(std::string(key), Value::of(fmt::format("{}", out)));
}

void Reader::texts(std::string_view key, std::vector<std::string>& out, Presence presence) {
  if (const Value* value = ask(key, presence)) {
    out.clear();
    if (value->kind == Value::Kind::sequence) {
      for (std::size_t i = 0; i < value->items.size(); ++i) {
        const Value& item = value->items[i];
        if (item.kind != Value::Kind::scalar)
          throw InputError(item.source, element_path(path_of(key), i),
                           fmt::format("must be text, not {}", describe(item.kind)));
        if (std::string reason = wrong_with_line(item.scalar, kLongestOfList); !reason.empty())
          throw InputError(item.source, element_path(path_of(key), i), std::move(reason));
        out.push_back(item.scalar);
      }
    } else {
      out.push_back(scalar(key, *value, "text or a list of texts"));
      if (const std::string reason = wrong_with_line(out.back(), kLongestOfList); !reason.empty()) fail(key, reason);
    }
    if (out.empty() && presence == Presence::required) fail(key, "must not be empty");
  }
  Value list = Value::sequence();
  for (const std::string& text : out) list.items.push_back(Value::of(text, true));
  effective_.add(std::string(key), std::move(list));
}

std::uint64_t Reader::unsigned_number(std::string_view key, std::uint64_t number, Quantity quantity,
                                      std::uint64_t minimum, std::uint64_t maximum, Presence presence) {
  if (const Value* value = ask(key, presence)) {
    const std::string& word = scalar(key, *value, name_of(quantity));
    try {
      number = parse_quantity(word, quantity);
    } catch (const std::invalid_argument& error) {
      fail(key, fmt::format("'{}' {}", word, error.what()), std::string(example_of(quantity)));
    }
    if (number < minimum || number > maximum) {
      fail(key, maximum == std::numeric_limits<std::uint64_t>::max()
                    ? fmt::format("{} is below {}", word, format_quantity(minimum, quantity))
                    : fmt::format("{} is outside {} ... {}", word, format_quantity(minimum, quantity),
                                  format_quantity(maximum, quantity)));
    }
  }
  effective_.add(std::string(key), Value::of(format_quantity(number, quantity)));
  return number;
}

std::size_t Reader::choose_word(std::string_view key, const Value& value, const std::vector<std::string>& names) {
  const std::string& word = scalar(key, value, "a word");
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) {
    std::string suggestion = did_you_mean(word, names);
    if (suggestion.empty()) suggestion = "one of " + quoted_list(names);
    throw InputError(value.source, path_of(key), fmt::format("'{}' is not known here", word), suggestion);
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::size_t Reader::choose(std::string_view key, std::size_t index, const std::vector<std::string>& names) {
  if (const Value* value = ask(key)) index = choose_word(key, *value, names);
  effective_.add(std::string(key), Value::of(names.at(index)));
  return index;
}

void Reader::choose_several(std::string_view key, std::vector<std::size_t>& indices,
                            const std::vector<std::string>& names) {
  if (const Value* value = ask(key)) {
    if (value->kind != Value::Kind::sequence)
      fail(key, fmt::format("must be a list, not {}", describe(value->kind)), "for example [" + names.front() + "]");
    indices.clear();
    for (const Value& item : value->items) {
      if (item.kind != Value::Kind::scalar)
        throw InputError(item.source, path_of(key), fmt::format("must hold words, not {}", describe(item.kind)));
      const std::size_t index = choose_word(key, item, names);
      if (std::ranges::find(indices, index) != indices.end())
        throw InputError(item.source, path_of(key), fmt::format("'{}' is given twice", names[index]));
      indices.push_back(index);
    }
  }
  Value list = Value::sequence();
  for (const std::size_t index : indices) list.items.push_back(Value::of(names.at(index)));
  effective_.add(std::string(key), std::move(list));
}

void Reader::read_map(const Value& value, const std::string& path, Value& effective,
                      const std::function<void(Reader&)>& read) {
  Reader reader(value, path, effective);
  read(reader);
  reader.finish();
}

void Reader::object(std::string_view key, const std::function<void(Reader&)>& read) {
  Value nothing;
  nothing.source = value_.source;
  const Value* value = ask(key);
  Value effective = Value::map();
  read_map(value != nullptr ? *value : nothing, path_of(key), effective, read);
  effective_.add(std::string(key), std::move(effective));
}

bool Reader::optional_object(std::string_view key, const std::function<void(Reader&)>& read) {
  if (ask(key) == nullptr) return false;
  object(key, read);
  return true;
}

std::size_t Reader::list(std::string_view key, const std::function<void(Reader&, std::size_t)>& read,
                         Presence presence) {
  const Value* value = ask(key, presence);
  Value effective = Value::sequence();
  if (value != nullptr) {
    if (value->kind != Value::Kind::sequence) fail(key, fmt::format("must be a list, not {}", describe(value->kind)));
    if (value->items.empty() && presence == Presence::required) fail(key, "must not be empty");
    for (std::size_t i = 0; i < value->items.size(); ++i) {
      effective.items.push_back(Value::map());
      read_map(value->items[i], element_path(path_of(key), i), effective.items.back(),
               [&](Reader& reader) { read(reader, i); });
    }
  }
  const std::size_t size = effective.items.size();
  effective_.add(std::string(key), std::move(effective));
  return size;
}

const Value* Reader::take(std::string_view key) { return ask(key); }

Value& Reader::put(std::string_view key, Value value) { return effective_.add(std::string(key), std::move(value)); }

void Reader::finish() {
  for (const Value::Entry& entry : value_.entries) {
    if (std::ranges::find(known_, entry.key) != known_.end()) continue;
    std::vector<std::string> candidates = missing_;  // what is missing is the most likely meaning of what is unknown
    for (const std::string& name : known_) {
      if (std::ranges::find(candidates, name) == candidates.end()) candidates.push_back(name);
    }
    std::string suggestion = did_you_mean(entry.key, candidates);
    if (suggestion.empty())
      suggestion = known_.empty() ? "no keys are known here" : "known keys are " + quoted_list(known_);
    throw InputError(entry.source, path_of(entry.key), fmt::format("unknown key '{}'", entry.key), suggestion);
  }
  if (!missing_.empty())
    throw InputError(value_.source, path_, fmt::format("the key '{}' is missing", missing_.front()));
}

}  // namespace pmufab::scenario
