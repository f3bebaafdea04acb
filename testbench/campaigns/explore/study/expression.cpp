// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/expression.h"

#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace pmufab::explore {

using scenario::InputError;

struct Expression::Parsed {
  std::string text;
  mu::Parser parser;
  std::map<std::string, double> values;  // the parser has their addresses
};

namespace {

std::string at_column(int position, const std::string& text) {
  return position < 0 ? fmt::format("of the expression '{}'", text)
                      : fmt::format("at column {} of the expression '{}'", position + 1, text);
}

/// muParser would assign to a name.
void refuse_assignment(const std::string& text, const scenario::Source& source, const std::string& path) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] == '=') {
      ++at;
    } else if (at == 0 || std::string_view("<>!").find(text[at - 1]) == std::string_view::npos) {
      throw InputError(source, path, fmt::format("has a single '=' {}", at_column(static_cast<int>(at), text)),
                       "write == to compare");
    }
  }
}

/// muParser would take them for values, and not expect what follows.
void refuse_unknown_functions(const std::string& text, const scenario::Source& source, const std::string& path) {
  const auto is_part = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
    std::size_t end = at;
    while (end > 0 && text[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_part(text[begin - 1])) --begin;
    const std::string name = text.substr(begin, end - begin);
    if (name.empty() || std::ranges::find(function_names(), name) != function_names().end()) continue;
    throw InputError(source, path,
                     fmt::format("the function '{}' is unknown {}", name, at_column(static_cast<int>(begin), text)),
                     scenario::suggest(name, function_names()));
  }
}

std::string reason_of(const mu::ParserError& error, const std::string& text) {
  std::string token = error.GetToken();
  token.erase(0, token.find_first_not_of(' '));
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
    case mu::ecINVALID_NAME:
      return fmt::format("'{}' is unknown {}", token, at_column(error.GetPos(), text));
    case mu::ecUNEXPECTED_EOF:
    case mu::ecEMPTY_EXPRESSION:
      return fmt::format("something is missing at the end of the expression '{}'", text);
    case mu::ecMISSING_PARENS:
      return fmt::format("a closing parenthesis is missing in the expression '{}'", text);
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecTOO_FEW_PARAMS:
      return fmt::format("'{}' has too {} arguments {}", token,
                         error.GetCode() == mu::ecTOO_FEW_PARAMS ? "few" : "many", at_column(error.GetPos(), text));
    default:
      return token.empty() ? fmt::format("cannot be read {}", at_column(error.GetPos(), text))
                           : fmt::format("'{}' is not expected {}", token, at_column(error.GetPos(), text));
  }
}

double floor_of(double value) { return std::floor(value); }
double ceiling_of(double value) { return std::ceil(value); }

/// @return the column at which the name stands, from 0
int place_of(const std::string& text, const std::string& name) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + name.size())) return static_cast<int>(at);
  }
  return -1;
}

/// @return every name in it that is no function
std::vector<std::string> names_in(mu::Parser& parser) {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : parser.GetUsedVar()) names.push_back(name);
  return names;
}

}  // namespace

Expression::Expression(std::string text, const std::vector<std::string>& names, const scenario::Source& source,
                       const std::string& path)
    : parsed_(std::make_unique<Parsed>()) {
  parsed_->text = std::move(text);
  refuse_assignment(parsed_->text, source, path);
  refuse_unknown_functions(parsed_->text, source, path);
  mu::Parser& parser = parsed_->parser;
  parser.DefineFun("floor", floor_of);
  parser.DefineFun("ceil", ceiling_of);
  try {
    parser.SetExpr(parsed_->text);
    for (const std::string& name : names_in(parser)) {
      if (std::ranges::find(names, name) != names.end()) {
        parser.DefineVar(name, &parsed_->values[name]);
        continue;
      }
      std::vector<std::string> known = names;
      known.insert(known.end(), function_names().begin(), function_names().end());
      const std::string suggestion = scenario::did_you_mean(name, known);
      throw InputError(source, path,
                       fmt::format("'{}' is unknown {}", name, at_column(place_of(parsed_->text, name), parsed_->text)),
                       suggestion.empty() ? "there are " + scenario::quoted_list(names) : suggestion);
    }
    static_cast<void>(parser.Eval());
    if (parser.GetNumResults() != 1)
      throw InputError(source, path, fmt::format("'{}' has several results", parsed_->text), "remove the comma");
  } catch (const mu::ParserError& error) {
    throw InputError(source, path, reason_of(error, parsed_->text),
                     "for example \"100 * (happened - reported) / happened\"");
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

std::optional<double> Expression::evaluate(
    const std::function<std::optional<double>(const std::string&)>& value) const {
  for (auto& [name, number] : parsed_->values) {
    const std::optional<double> given = value(name);
    if (!given) return std::nullopt;
    number = *given;
  }
  const double result = parsed_->parser.Eval();
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

std::optional<bool> Expression::holds(const std::function<std::optional<double>(const std::string&)>& value) const {
  const std::optional<double> result = evaluate(value);
  return result ? std::optional(*result != 0) : std::nullopt;
}

const std::string& Expression::text() const noexcept { return parsed_->text; }

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    mu::Parser parser;
    parser.DefineFun("floor", floor_of);
    parser.DefineFun("ceil", ceiling_of);
    std::vector<std::string> functions;
    for (const auto& [name, ignored] : parser.GetFunDef()) functions.push_back(name);
    return functions;
  }();
  return names;
}

}  // namespace pmufab::explore
