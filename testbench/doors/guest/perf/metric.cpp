// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/perf/metric.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

namespace pmufab::guest {
namespace {

using CountOf = std::function<std::optional<Range>(const std::string&)>;

bool begins_name(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }
bool is_in_name(char letter) {
  return begins_name(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0 || letter == '.';
}

template <typename Operation>
Range corners(const Range& a, const Range& b, Operation operation) {
  const std::array<double, 4> all{operation(a.low, b.low), operation(a.low, b.high), operation(a.high, b.low),
                                  operation(a.high, b.high)};
  const auto [least, most] = std::ranges::minmax_element(all);
  return {*least, *most};
}

std::optional<Range> quotient(const Range& a, const Range& b) {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  if (b.low == 0 && b.high == 0) return Range{kNotANumber, kNotANumber};
  if (b.low <= 0 && b.high >= 0) return std::nullopt;
  return corners(a, b, [](double x, double y) { return x / y; });
}

/// Evaluates while it reads. Nothing is the result of what it does not understand.
class Expression {
 public:
  Expression(std::string_view text, const CountOf& count) : text_(text), count_(count) {}

  std::optional<Range> evaluate() {
    std::optional<Range> value = sum();
    if (next() != '\0') return std::nullopt;
    return value;
  }

 private:
  static constexpr unsigned kDeepest = 32;

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::optional<Range> sum() {
    std::optional<Range> value = product();
    while (next() == '+' || next() == '-') {
      const bool is_minus = text_[at_++] == '-';
      const std::optional<Range> other = product();
      if (!value || !other) {
        value.reset();
      } else if (is_minus) {
        value = Range{value->low - other->high, value->high - other->low};
      } else {
        value = Range{value->low + other->low, value->high + other->high};
      }
    }
    return value;
  }

  std::optional<Range> product() {
    std::optional<Range> value = factor();
    while (next() == '*' || next() == '/') {
      const bool is_quotient = text_[at_++] == '/';
      const std::optional<Range> other = factor();
      if (!value || !other) {
        value.reset();
      } else {
        value = is_quotient ? quotient(*value, *other)
                            : std::optional(corners(*value, *other, [](double x, double y) { return x * y; }));
      }
    }
    return value;
  }

  std::optional<Range> factor() {
    const char first = next();
    if (first == '(' && depth_ < kDeepest) {
      ++at_;
      ++depth_;
      const std::optional<Range> value = sum();
      --depth_;
      if (next() != ')') return std::nullopt;
      ++at_;
      return value;
    }
    if (begins_name(first)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
      return count_(std::string(text_.substr(begin, at_ - begin)));
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return Range{number, number};
  }

  std::string_view text_;
  const CountOf& count_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::vector<Metric> parse_metrics(std::string_view text) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  std::vector<Metric> metrics;
  if (!list.is_array()) return metrics;
  for (const auto& item : list) {
    const auto word = [&](const char* key) {
      return item.is_object() && item.contains(key) && item.at(key).is_string() ? item.at(key).get<std::string>()
                                                                                : std::string();
    };
    Metric metric{word("MetricName"), word("MetricGroup"), word("MetricExpr"), word("ScaleUnit"), word("Unit")};
    if (!metric.name.empty()) metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::optional<std::vector<std::string>> events_of(const Metric& metric) {
  std::vector<std::string> names;
  const CountOf note_name = [&](const std::string& name) {
    if (name != kDuration && std::ranges::find(names, name) == names.end()) names.push_back(name);
    return std::optional(Range{1, 1});
  };
  if (!Expression(metric.expression, note_name).evaluate()) return std::nullopt;
  return names;
}

std::optional<Range> evaluate(const Metric& metric, const CountOf& count) {
  double factor = 1;
  std::from_chars(metric.scale.data(), metric.scale.data() + metric.scale.size(), factor);
  std::optional<Range> value = Expression(metric.expression, count).evaluate();
  if (value) value = Range{value->low * factor, value->high * factor};
  return value;
}

}  // namespace pmufab::guest
