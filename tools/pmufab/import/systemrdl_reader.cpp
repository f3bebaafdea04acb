// SPDX-License-Identifier: Apache-2.0
// SystemRDL 2.0: component definitions, instances, and properties. Numbers are literals.
#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tlm/registers/register_spec.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/import/register_file.h"
#include "tools/pmufab/regs/register_map.h"

namespace pmufab::cli {
namespace {

constexpr std::size_t kMostRdlBytes = 64U << 20;
constexpr std::size_t kDeepestRdl = 32;
constexpr std::uint64_t kLargestRdlAddress = std::uint64_t{1} << 46;

/// A word of the language.
struct RdlToken {
  enum class Kind : std::uint8_t { name, escaped, number, text, sign, end };
  Kind kind = Kind::end;
  std::string text{};
  std::uint64_t number = 0;
  int line = 1;
};

struct RdlType;

struct RdlInstance {
  std::string name;
  std::shared_ptr<RdlType> type;
  int line = 0;
  std::optional<std::uint64_t> at{}, stride{}, align{}, count{}, reset{}, msb{};
  std::uint64_t offset = 0;  // bytes, or of a field: its lowest bit
  std::uint64_t width = 0;   // of a field
};

/// A component: what is defined once and instantiated as often as wanted.
struct RdlType {
  std::string kind;
  int line = 0;
  std::map<std::string, RdlToken> properties{};
  std::vector<RdlInstance> children{};
  std::uint64_t size = 0;  // bytes
  bool is_used = false;
};

/// Properties that say nothing of where a register lies and what software sees of it, and those that are read.
constexpr std::string_view kRdlIgnored =
    " accesstype anded bothedge decr decrsaturate decrthreshold decrvalue decrwidth donttest dontcompare enable encode "
    "errextbus haltenable haltmask hdl_path hdl_path_gate hw hwclr hwenable hwmask hwset incr incrsaturate "
    "incrthreshold incrvalue incrwidth level lsb0 mask negedge next nonsticky ored overflow paritycheck posedge "
    "precedence resetsignal saturate shared sharedextbus singlepulse sticky stickybit swacc swmod swwe swwel sync "
    "threshold underflow we wel xored ";
constexpr std::string_view kRdlRead =
    " name desc sw onread onwrite rclr rset woclr woset regwidth reset accesswidth counter fieldwidth intr ";

class RdlReader {
 public:
  explicit RdlReader(const std::filesystem::path& path) : text_(scenario::read_input(path, kMostRdlBytes)) {
    file_.name = path.string();
    if (text_.size() > kMostRdlBytes) file_.refuse(0, "has more than 64 MiB");
    read_tokens();
  }

  RegisterFile read() {
    RdlType root{.kind = "file"};
    scopes_.emplace_back();
    while (now().kind != RdlToken::Kind::end) statement(root);
    for (const auto& type : types_) {
      if (type.second->kind == "addrmap" && !type.second->is_used) add_block(type.first, type.second);
    }
    for (const RdlInstance& one : root.children) add_block(one.name, one.type);
    if (file_.blocks.empty()) file_.refuse(0, "has no addrmap", "put the registers into one: addrmap pmu { ... };");
    file_.has_addresses = false;
    return std::move(file_);
  }

 private:
  struct Scope {
    std::map<std::string, std::shared_ptr<RdlType>> types{};
    std::map<std::string, RdlToken> defaults{};
  };

  [[noreturn]] void refuse_here(const std::string& reason, const std::string& suggestion = {}) const {
    file_.refuse(now().line, reason, suggestion);
  }
  [[noreturn]] void refuse_token(std::string_view wanted) const {
    if (now().kind == RdlToken::Kind::end)
      refuse_here(fmt::format("the file ends where {} has to come", wanted), "it is cut off");
    refuse_here(fmt::format("'{}' stands where {} has to come", printable(now().text), wanted));
  }

  void read_tokens() {
    int line = 1;
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      const auto next = [&](std::string_view what) { return text_.compare(at, what.size(), what) == 0; };
      const auto length = [&](auto&& fits, std::size_t from) {
        std::size_t end = from;
        while (end < text_.size() && fits(static_cast<unsigned char>(text_[end]))) ++end;
        return end - at;
      };
      const auto is_word = [](unsigned char one) { return std::isalnum(one) != 0 || one == '_'; };
      std::size_t size = 1;
      RdlToken token{.kind = RdlToken::Kind::sign, .line = line};
      if (std::isspace(static_cast<unsigned char>(c)) != 0 || next("//") || next("/*")) {
        const std::size_t end = next("/*") ? text_.find("*/", at + 2) : next("//") ? text_.find('\n', at) : at;
        if (next("/*") && end == std::string::npos) file_.refuse(line, "the comment /* has no end");
        size = next("/*") ? end + 2 - at : next("//") ? std::min(end, text_.size()) - at : 1;
      } else if (next("`") || next("<%")) {
        size = next("`") ? length(is_word, at + 1) : 2;
        file_.refuse(line, fmt::format("{} is for a preprocessor", printable(text_.substr(at, size))),
                     "run that first, and give what it writes");
      } else if (c == '"') {
        token.kind = RdlToken::Kind::text;
        for (; at + size < text_.size() && text_[at + size] != '"'; ++size) {
          if (text_[at + size] == '\\') ++size;
          token.text += text_[at + size];
        }
        if (at + ++size > text_.size()) file_.refuse(line, "the text \" has no end");
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        token.kind = RdlToken::Kind::number;
        size = length([&](unsigned char one) { return is_word(one) || one == '\''; }, at);
        token.text = text_.substr(at, size);
        token.number = number_of(token);
      } else if (is_word(static_cast<unsigned char>(c)) || c == '\\') {
        token.kind = c == '\\' ? RdlToken::Kind::escaped : RdlToken::Kind::name;
        size = length(is_word, at + 1);
        token.text = text_.substr(c == '\\' ? at + 1 : at, c == '\\' ? size - 1 : size);
      } else {
        size = next("+=") || next("%=") || next("->") ? 2 : 1;
        token.text = text_.substr(at, size);
      }
      if (token.kind != RdlToken::Kind::sign || !token.text.empty()) tokens_.push_back(token);
      line += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                          text_.begin() + static_cast<std::ptrdiff_t>(at + size), '\n'));
      at += size;
    }
    tokens_.push_back({.kind = RdlToken::Kind::end, .line = line});
  }

  /// @return 12, 0x1f, 1_000, or 8'hff
  [[nodiscard]] std::uint64_t number_of(const RdlToken& token) const {
    std::string digits = token.text;
    std::erase(digits, '_');
    int base = 10;  // 0: none
    if (const std::size_t tick = digits.find('\''); tick != std::string::npos && tick + 1 < digits.size()) {
      const int letter = std::tolower(static_cast<unsigned char>(digits[tick + 1]));
      base = letter == 'h' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : letter == 'd' ? 10 : 0;
      digits.erase(0, tick + 2);
    } else if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
      digits.erase(0, 2);
    }
    const std::optional<std::uint64_t> number = number_from(digits, base);
    if (!number)
      file_.refuse(token.line, fmt::format("'{}' is no number of up to 64 bits", printable(token.text)),
                   "for example 0x10, or 8'hff");
    return *number;
  }

  [[nodiscard]] const RdlToken& now(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  [[nodiscard]] bool is(std::string_view word, std::size_t ahead = 0) const {
    const RdlToken& token = now(ahead);
    return token.text == word && (token.kind == RdlToken::Kind::sign || token.kind == RdlToken::Kind::name);
  }
  [[nodiscard]] bool is_name(std::size_t ahead = 0) const {
    return now(ahead).kind == RdlToken::Kind::name || now(ahead).kind == RdlToken::Kind::escaped;
  }
  bool accept(std::string_view word) {
    const bool is_it = is(word);
    if (is_it) ++at_;
    return is_it;
  }
  void need(std::string_view word) {
    if (!accept(word)) refuse_token(fmt::format("'{}'", word));
  }
  std::string need_name(std::string_view what) {
    if (!is_name()) refuse_token(what);
    return tokens_[at_++].text;
  }
  std::uint64_t need_number() {
    if (now().kind != RdlToken::Kind::number) refuse_token("a number");
    return tokens_[at_++].number;
  }
  std::uint64_t need_place() {
    if (now().number > kLargestRdlAddress) refuse_here(fmt::format("{:#x} is too large", now().number));
    return need_number();
  }

  /// Tokens up to the end of a statement. Braces in it are a part of it.
  void skip_statement() {
    for (int depth = 0; depth > 0 || !is(";"); ++at_) {
      if (now().kind == RdlToken::Kind::end) refuse_token("';'");
      depth += is("{") ? 1 : is("}") ? -1 : 0;
      if (depth < 0) refuse_token("';'");
    }
    need(";");
  }

  void statement(RdlType& owner) {
    while (accept("external") || accept("internal")) continue;
    if (is("enum") || is("signal")) return skip_statement();
    if (is("addrmap") || is("regfile") || is("reg") || is("field")) return definition(owner);
    if (accept("default")) return property(scopes_.back().defaults);
    if (is_name() && (is("->", 1) || is(".", 1))) return dynamic_assignment(owner);
    const auto found = type_named(now().text);
    if (is_name() && (is_name(1) || is("#", 1)) && (found || !is_listed(kRdlIgnored, now().text))) {
      if (!found) refuse_here(fmt::format("there is no component '{}', or it is not known here", now().text));
      ++at_;
      return instances(owner, found);
    }
    if (!is_name()) refuse_token("a component or a property");
    property(owner.properties);
  }

  /// One property, and what it is.
  void property(std::map<std::string, RdlToken>& properties) {
    const RdlToken name = now();
    if (is_listed(kRdlIgnored, name.text)) return skip_statement();
    if (!is_listed(kRdlRead, name.text))
      refuse_here(fmt::format("'{}' is no property that is known here", printable(name.text)), "leave it out");
    ++at_;
    RdlToken value{.kind = RdlToken::Kind::name, .text = "true", .line = name.line};
    if (accept("=")) {
      if (now().kind == RdlToken::Kind::sign) refuse_token("a value");
      value = now();
      ++at_;
    }
    if (!is(";"))
      refuse_here(fmt::format("the value of '{}' is an expression, which is not known here", name.text),
                  "write its result");
    need(";");
    if (value.text != "false") properties[name.text] = value;
    if (value.text == "false") properties.erase(name.text);
  }

  /// instance.instance->property = value;
  void dynamic_assignment(RdlType& owner) {
    RdlType* target = &owner;
    do {
      const auto child = std::ranges::find(target->children, now().text, &RdlInstance::name);
      if (child == target->children.end()) refuse_here(fmt::format("there is no '{}' here", printable(now().text)));
      child->type = std::make_shared<RdlType>(*child->type);
      target = child->type.get();
      ++at_;
    } while (accept(".") && is_name());
    need("->");
    if (is("regwidth") || is("fieldwidth"))
      refuse_here(fmt::format("'{}' is set where the component is defined", now().text));
    property(target->properties);
  }

  [[nodiscard]] std::shared_ptr<RdlType> type_named(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->types.find(name); found != scope->types.end()) return found->second;
    }
    return nullptr;
  }

  void definition(RdlType& owner) {
    const auto type = std::make_shared<RdlType>(RdlType{.kind = now().text, .line = now().line});
    ++at_;
    const std::string name = is_name() ? need_name("a name") : "";
    if (is("#")) refuse_here("parameters, #( ), are not known here", "write out what they make");
    need("{");
    if (scopes_.size() > kDeepestRdl) refuse_here("components are nested too deeply");
    for (const Scope& scope : scopes_) {
      for (const auto& [key, value] : scope.defaults) type->properties[key] = value;
    }
    scopes_.emplace_back();
    while (!accept("}")) {
      if (now().kind == RdlToken::Kind::end)
        refuse_here(fmt::format("the file ends in the {} {} of line {}", type->kind, name, type->line),
                    "it is cut off");
      statement(*type);
    }
    scopes_.pop_back();
    if (type->kind == "reg")
      place_fields(*type);
    else
      place_parts(*type);
    if (!name.empty()) scopes_.back().types[name] = type;
    if (!name.empty() && scopes_.size() == 1) types_.emplace_back(name, type);
    if (!name.empty() && accept(";")) return;
    static_cast<void>(accept("external") || accept("internal"));
    instances(owner, type);
  }

  void instances(RdlType& owner, const std::shared_ptr<RdlType>& type) {
    const bool is_field = type->kind == "field";
    const bool fits = owner.kind == "addrmap"   ? !is_field
                      : owner.kind == "regfile" ? !is_field && type->kind != "addrmap"
                      : owner.kind == "reg"     ? is_field
                                                : type->kind == "addrmap";
    if (!fits) refuse_here(fmt::format("a {} cannot stand in a {}", type->kind, owner.kind));
    type->is_used = true;
    do {
      const int line = now().line;
      RdlInstance one{.name = need_name("the name of an instance"), .type = type, .line = line};
      if (accept("[")) {
        one.count = need_place();
        if (accept(":")) {
          if (!is_field) refuse_here("a range is for fields", "give the number of elements");
          one.msb = one.count;
          one.at = need_place();
          one.count.reset();
        }
        need("]");
        if (is("[")) refuse_here("an array has one dimension here", "put it into an array of regfiles");
        if (one.count && (*one.count == 0 || *one.count > kMostFileRegisters))
          refuse_here(fmt::format("{} elements are too few or too many", *one.count));
      }
      if (accept("=")) one.reset = need_number();
      if (accept("@")) one.at = need_place();
      if (accept("+=")) one.stride = need_place();
      if (accept("%=")) one.align = std::max<std::uint64_t>(need_place(), 1);
      if (std::ranges::find(owner.children, one.name, &RdlInstance::name) != owner.children.end())
        file_.refuse(one.line, fmt::format("'{}' is the name of another instance", one.name));
      owner.children.push_back(std::move(one));
    } while (accept(","));
    need(";");
  }

  [[nodiscard]] static std::uint64_t number_in(const RdlType& type, const std::string& property,
                                               std::uint64_t otherwise) {
    const auto found = type.properties.find(property);
    return found == type.properties.end() ? otherwise : found->second.number;
  }

  /// A field without a range begins above the one before.
  void place_fields(RdlType& reg) const {
    const std::uint64_t width = number_in(reg, "regwidth", 32);
    if (!std::has_single_bit(width) || width < 8 || width > 64)
      file_.refuse(reg.line, fmt::format("regwidth is {}: registers of 8 to 64 bits are known here", width));
    reg.size = width / 8;
    std::uint64_t next = 0;
    for (RdlInstance& field : reg.children) {
      field.offset = field.at.value_or(next);
      const std::uint64_t msb =
          field.msb.value_or(field.offset + field.count.value_or(number_in(*field.type, "fieldwidth", 1)) - 1);
      if (msb < field.offset || msb >= width)
        file_.refuse(field.line,
                     fmt::format("the field {} has the bits [{}:{}], and the register {} bits", field.name, msb,
                                 field.offset, width),
                     "the highest bit comes first, for example [7:0]");
      field.width = msb - field.offset + 1;
      next = msb + 1;
    }
  }

  /// A part without an address is behind the one before, at a multiple of its size (regalign).
  void place_parts(RdlType& type) const {
    std::uint64_t next = 0;
    for (RdlInstance& one : type.children) {
      const std::uint64_t size = std::max<std::uint64_t>(one.type->size, 1);
      const std::uint64_t stride = one.stride.value_or(one.type->kind == "reg" ? size : std::bit_ceil(size));
      const std::uint64_t align = one.align.value_or(std::bit_ceil(size));
      one.offset = one.at.value_or((next + align - 1) / align * align);
      if (one.count.value_or(1) > 1 && stride < size)
        file_.refuse(one.line, fmt::format("elements of {} overlap: they have {} bytes, and {:#x} to the next",
                                           one.name, size, stride));
      one.stride = stride;
      next = one.offset + stride * (one.count.value_or(1) - 1) + size;
      if (next > kLargestRdlAddress) file_.refuse(one.line, fmt::format("'{}' reaches too far", one.name));
      type.size = std::max(type.size, next);
    }
  }

  void add_block(const std::string& name, const std::shared_ptr<RdlType>& type) {
    file_.blocks.push_back({.name = identifier(name), .part = part_of(type), .line = type->line});
  }

  std::shared_ptr<const FilePart> part_of(const std::shared_ptr<RdlType>& type) {
    std::shared_ptr<const FilePart>& known = parts_[type];
    if (known) return known;
    const auto part = std::make_shared<FilePart>();
    part->description = text_in(*type, "desc", text_in(*type, "name"));
    part->kind = type->kind == "reg"       ? FilePart::Kind::reg
                 : type->kind == "regfile" ? FilePart::Kind::group
                                           : FilePart::Kind::block;
    if (type->kind == "reg") {
      part->width = static_cast<unsigned>(type->size * 8);
      part->halves = part->width == 64 && number_in(*type, "accesswidth", 64) == 32;
      for (const RdlInstance& one : type->children) part->fields.push_back(field_of(one));
      if (part->fields.empty()) part->fields.push_back({.name = "", .width = part->width, .line = type->line});
    } else {
      for (const RdlInstance& one : type->children)
        part->children.push_back({.name = identifier(one.name),
                                  .part = part_of(one.type),
                                  .offset = one.offset,
                                  .count = one.count.value_or(1),
                                  .stride = one.stride.value_or(0),
                                  .line = one.line});
    }
    return parts_[type] = part;
  }

  [[nodiscard]] FileField field_of(const RdlInstance& one) const {
    const RdlType& type = *one.type;
    const auto has = [&](const char* property) { return type.properties.contains(property); };
    FileField field{.name = identifier(one.name),
                    .lsb = static_cast<unsigned>(one.offset),
                    .width = static_cast<unsigned>(one.width)};
    field.reset = one.reset.value_or(number_in(type, "reset", 0));
    if ((field.reset & ~low_bits(field.width)) != 0)
      file_.refuse(one.line, fmt::format("the reset value {:#x} of {} does not fit into {} bits", field.reset, one.name,
                                         one.width));
    const std::string software = text_in(type, "sw", "rw");
    field.is_read = software.find('r') != std::string::npos;
    field.is_written = software.find('w') != std::string::npos;
    const std::string reading = has("rclr") ? "rclr" : has("rset") ? "rset" : text_in(type, "onread");
    const std::string writing = has("woclr") ? "woclr" : has("woset") ? "woset" : text_in(type, "onwrite");
    field.effect = effect_of(reading, writing);
    field.hint = has("counter") ? "counter" : has("intr") ? "overflow" : "";
    field.description = text_in(type, "desc", text_in(type, "name"));
    field.line = one.line;
    return field;
  }

  [[nodiscard]] static std::string text_in(const RdlType& type, const std::string& property,
                                           const std::string& otherwise = {}) {
    const auto found = type.properties.find(property);
    return found == type.properties.end() ? otherwise : found->second.text;
  }

  std::string text_;
  RegisterFile file_{};
  std::vector<RdlToken> tokens_{};
  std::size_t at_ = 0;
  std::vector<Scope> scopes_{};
  std::vector<std::pair<std::string, std::shared_ptr<RdlType>>> types_{};  // of the file, named
  std::map<std::shared_ptr<RdlType>, std::shared_ptr<const FilePart>> parts_{};
};

}  // namespace

RegisterFile read_systemrdl(const std::filesystem::path& path) { return RdlReader(path).read(); }

}  // namespace pmufab::cli
