// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/registers/register_spec.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/import/register_file.h"

namespace pmufab::cli {
namespace {

constexpr std::uint64_t kWindowPage = 0x1000;
constexpr std::uint64_t kLargestStride = 1U << 16;
constexpr std::uint64_t kMostCounters = 64;

/// A register of a block, or an array.
struct DraftRegister {
  std::string name;
  std::shared_ptr<const FilePart> part;
  std::uint64_t offset = 0;  // from the page on in which the block begins
  std::uint64_t count = 1;
  std::uint64_t stride = 0;
  bool halves = false;
  int line = 0;
  std::string remark{};
};

struct DraftBlock {
  std::string name;
  std::uint64_t base = 0;  // of a page
  bool is_placed = true;   // false: the base is a placeholder
  int line = 0;
  std::string description{};
  std::vector<DraftRegister> registers{};
};

bool has_any_word(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

/// @return what the name of a field or register says of its role; empty: nothing
std::string role_by_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool is_set = has_any_word(name, {"SET"});
  const bool is_clear = has_any_word(name, {"CLR", "CLEAR"});
  const std::string half = is_set ? "_set" : is_clear ? "_clear" : "";
  if (has_any_word(name, {"OVF", "OVERFLOW", "OVS"})) return "overflow" + half;
  if (has_any_word(name, {"INTEN", "INT_EN", "IRQ_EN", "IRQEN"}))
    return "interrupt" + (half.empty() ? "_enable" : half);
  if (has_any_word(name, {"CNTEN", "CNT_EN", "ENABLE"})) return "enable" + half;
  if (has_any_word(name, {"CNT", "COUNT"}) && !has_any_word(name, {"CTL", "CTRL", "CONTROL", "CFG", "SEL", "TYPE"}))
    return "counter";
  return has_any_word(name, {"EVT", "EVENT"}) ? "event" : "";
}

/// @return what a field may be for; empty: nothing says it
std::string guessed_role(const DraftRegister& reg, const FileField& field) {
  if (!field.hint.empty()) return field.hint;
  std::string guess = role_by_name(field.name);
  if (guess.empty() && reg.part->fields.size() == 1) guess = role_by_name(reg.name);
  if (guess == "enable" && field.width == 1 && reg.count == 1) return "run";
  return guess.empty() && field.effect.starts_with("by_") ? "overflow" : guess;
}

/// Finds the registers of blocks, and writes them.
class RegisterDraftWriter {
 public:
  RegisterDraftWriter(const RegisterFile& file, const std::vector<std::string>& chosen) : file_(file) {
    for (const FileInstance& one : file.blocks) add_blocks(one, 0, file.has_addresses);
    std::erase_if(blocks_, [](const DraftBlock& block) { return block.registers.empty(); });
    std::vector<std::string> names;
    for (const DraftBlock& block : blocks_) names.push_back(block.name);
    for (const std::string& name : chosen) {
      if (std::ranges::find(names, name) == names.end())
        throw scenario::InputError(fmt::format("--block: '{}' is no block of {}", name, file.name),
                                   scenario::suggest(name, names));
    }
    if (!chosen.empty())
      std::erase_if(blocks_,
                    [&](const DraftBlock& block) { return std::ranges::find(chosen, block.name) == chosen.end(); });
    if (blocks_.empty()) file_.refuse(0, "has no registers");
    for (DraftBlock& block : blocks_) finish(block);
  }

  RegisterDraft write(const std::string& name) const {
    RegisterDraft draft;
    draft.pmus = blocks_.size();
    scenario::Value names = scenario::Value::map();
    names.add("name", scenario::Value::of(name, true));
    draft.text = fmt::format(
        "# A draft of a platform that pmufab import has made from the registers of {}.\n"
        "# TODO marks what such a file does not tell: placeholders, and roles of fields, which are guessed by name.\n"
        "# docs/platforms/described-pmus.md explains it.\n"
        "#\n# TODO: sources of what happens, and the events of each PMU, for example\n"
        "#   sources:\n#     - {{name: request, attributes: [port, bytes]}}\n# and in an entry of pmus\n"
        "#   events:\n#     - {{name: requests, number: 0x1, source: request}}\n"
        "kind: soc\n{}pmus:\n",
        label_, scenario::to_yaml(names));
    for (std::size_t index = 0; index < blocks_.size(); ++index) {
      const DraftBlock& block = blocks_[index];
      draft.text += block_text(block, index);
      for (const DraftRegister& reg : block.registers) draft.registers += reg.count;
    }
    if (const auto error = refusal_of(draft.text)) draft.refusal = reason_with_place(*error);
    return draft;
  }

 private:
  void add_blocks(const FileInstance& one, std::uint64_t address, bool is_placed) {
    for (std::uint64_t index = 0; index < one.count; ++index) {
      const std::uint64_t base = address + one.offset + index * one.stride;
      if (blocks_.size() > kMostFileRegisters) file_.refuse(one.line, "there are too many blocks");
      blocks_.push_back({one.count > 1 ? fmt::format("{}{}", one.name, index) : one.name, base, is_placed, one.line,
                         one.part->description});
      add_children(blocks_.size() - 1, *one.part, {.name = "", .part = one.part}, base);
    }
  }

  /// @param from     what names, offsets and arrays of the children begin with
  /// @param address  of the innermost block, for blocks in it
  void add_children(std::size_t block, const FilePart& part, const DraftRegister& from, std::uint64_t address) {
    for (const FileInstance& child : part.children) {
      if (child.part->kind == FilePart::Kind::block) {
        add_blocks(child, address, true);
      } else if (from.count > 1 && child.count > 1) {  // one array in another
        for (std::uint64_t index = 0; index < from.count; ++index)
          add_child(block, child,
                    {.name = fmt::format("{}{}_", from.name, index),
                     .part = from.part,
                     .offset = from.offset + index * from.stride,
                     .remark = from.remark},
                    address);
      } else {
        add_child(block, child, from, address);
      }
    }
  }
  void add_child(std::size_t block, const FileInstance& child, DraftRegister from, std::uint64_t address) {
    if (++registers_ > kMostFileRegisters)
      file_.refuse(child.line, fmt::format("the file has more than {} registers", kMostFileRegisters));
    from.name += child.name;
    from.offset += child.offset;
    from.line = child.line;
    if (!child.remark.empty()) from.remark = child.remark;
    if (child.count > 1) std::tie(from.count, from.stride) = std::tie(child.count, child.stride);
    if (child.part->kind == FilePart::Kind::reg) {
      from.part = child.part;
      blocks_[block].registers.push_back(std::move(from));
    } else {
      from.name += '_';
      add_children(block, *child.part, from, address);
    }
  }

  /// Move it to the start of a page, make arrays, and find what cannot be.
  void finish(DraftBlock& block) {
    const std::uint64_t beyond = block.base % kWindowPage;
    block.base -= beyond;
    for (DraftRegister& reg : block.registers) {
      reg.offset += beyond;
      const std::uint64_t place = reg.offset | (reg.count > 1 ? reg.stride : 0);
      reg.halves = reg.part->halves || (reg.part->width == 64 && place % 8 == 4);  // only so can it be accessed
      if (reg.part->width != 32 && reg.part->width != 64)
        reg.remark = fmt::format("it has {} bits, and a register of a PMU 32 or 64", reg.part->width);
      else if (place % 4 != 0)
        reg.remark = "its offset is not a multiple of 4";
      check_fields(reg);
    }
    std::ranges::stable_sort(block.registers, {}, &DraftRegister::offset);
    check_overlap(block);
    fold(block);
  }

  void check_fields(const DraftRegister& reg) const {
    std::uint64_t taken = 0;
    for (const FileField& field : reg.part->fields) {
      const std::uint64_t mask = low_bits(field.width) << field.lsb;
      if ((taken & mask) != 0)
        file_.refuse(field.line, fmt::format("the field {} of {} overlaps another", field.name, reg.name));
      taken |= mask;
    }
  }

  void check_overlap(const DraftBlock& block) const {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, const DraftRegister*>> places;
    for (const DraftRegister& reg : block.registers) {
      for (std::uint64_t index = 0; reg.remark.empty() && index < reg.count; ++index) {
        const std::uint64_t begin = reg.offset + index * reg.stride;
        places.emplace_back(begin, begin + reg.part->width / 8, &reg);
        if (places.size() > kMostFileRegisters)
          file_.refuse(block.line, fmt::format("the block {} has too many registers", block.name));
      }
    }
    std::ranges::stable_sort(places, {}, [](const auto& place) { return std::get<0>(place); });
    for (std::size_t index = 1; index < places.size(); ++index) {
      const auto& [begin, end, reg] = places[index];
      if (std::get<1>(places[index - 1]) > begin)
        file_.refuse(reg->line,
                     fmt::format("the register {} overlaps {}, of line {}", reg->name,
                                 std::get<2>(places[index - 1])->name, std::get<2>(places[index - 1])->line));
    }
  }

  /// Make one array of NAME_0, NAME_1 and so on that are alike.
  static void fold(DraftBlock& block) {
    std::map<std::string, std::map<std::string, DraftRegister*>> families;
    std::set<std::string> names;
    for (DraftRegister& reg : block.registers) {
      names.insert(reg.name);
      const std::size_t digits = reg.name.find_last_not_of("0123456789") + 1;
      if (digits > 0 && digits < reg.name.size() && reg.count == 1)
        families[reg.name.substr(0, digits)][reg.name.substr(digits)] = &reg;
    }
    for (auto& [stem, members] : families) {
      const std::string name = stem.substr(0, stem.find_last_not_of('_') + 1);
      if (members.size() < 2 || !members.contains("0") || name.empty() || names.contains(name)) continue;
      DraftRegister& first = *members["0"];
      std::uint64_t stride = 0;
      bool is_array = true;
      for (std::uint64_t index = 1; is_array && index < members.size(); ++index) {
        const auto found = members.find(fmt::format("{}", index));
        is_array = found != members.end() && is_alike(first, *found->second);
        if (!is_array) break;
        if (index == 1) stride = found->second->offset - first.offset;
        is_array = found->second->offset == first.offset + index * stride && found->second->offset > first.offset &&
                   stride <= kLargestStride;
      }
      if (!is_array) continue;
      names.insert(name);
      const std::uint64_t count = members.size();
      for (const auto& [index, reg] : members) reg->count = 0;
      first.name = name;
      first.count = count;
      first.stride = stride;
    }
    std::erase_if(block.registers, [](const DraftRegister& reg) { return reg.count == 0; });
  }
  static bool is_alike(const DraftRegister& one, const DraftRegister& other) {
    const auto facts = [](const DraftRegister& reg) {
      std::string text = fmt::format("{} {}", reg.part->width, reg.halves);
      for (const FileField& field : reg.part->fields)
        text += fmt::format(" {} {} {} {}", field.name, bits_of(field), access_of(field), field.effect);
      return text;
    };
    return one.remark.empty() && other.remark.empty() && facts(one) == facts(other);
  }

  /// @return text of the file for a comment: one line, not too long
  static std::string comment(const std::string& text) {
    constexpr std::size_t kLongest = 100;
    std::string line;
    for (const char c : text) {
      const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
    }
    if (line.size() <= kLongest) return printable(line);
    line.resize(utf8_prefix(line.substr(0, kLongest)));
    return printable(line + "...");
  }

  [[nodiscard]] std::string block_text(const DraftBlock& block, std::size_t index) const {
    unsigned width = 32;
    std::uint64_t counters = 0;
    std::uint64_t end = 1;
    for (const DraftRegister& reg : block.registers) {
      if (!reg.remark.empty()) continue;
      end = std::max(end, reg.offset + (reg.count - 1) * reg.stride + reg.part->width / 8);
      for (const FileField& field : reg.part->fields) {
        if (guessed_role(reg, field) != "counter") continue;
        width = counters == 0 ? field.width : std::max(width, field.width);
        counters += reg.count;
      }
    }
    std::string text = fmt::format("  # line {} of {}", block.line, label_);
    if (!block.description.empty()) text += ": " + comment(block.description);
    const auto add = [&](const std::string& key, const std::string& todo) {
      text += fmt::format("    {:<30} # TODO: {}\n", key, todo);
    };
    text += fmt::format("\n  - name: {}\n", yaml(block.name));
    add(fmt::format("perf_name: {}", yaml(block.name)), "as its driver registers it");
    add(fmt::format("device: {{acpi: TODO0001, uid: \"{}\", module: todo_pmu}}", index),
        "how firmware tells of it, and its driver");
    if (block.is_placed)
      text += fmt::format("    base: {}\n", grouped_address(block.base));
    else
      add("base: 0x2000_0000", "the file does not tell it");
    if (end > kWindowPage)
      text += fmt::format("    size: {}\n", grouped_address((end + kWindowPage - 1) / kWindowPage * kWindowPage));
    add(fmt::format("counters: {}", std::clamp<std::uint64_t>(counters, 1, kMostCounters)), "how many there are");
    add(fmt::format("width: {}", std::max(width, 8U)), "bits of a counter");
    add("# interrupt: {number: 64}", "if it has one");
    text += "    registers:\n";
    for (const DraftRegister& reg : block.registers) text += register_text(reg);
    return text;
  }

  static std::string yaml(const std::string& text) { return scenario::to_flow_yaml(scenario::Value::of(text)); }

  static std::string register_text(const DraftRegister& reg) {
    const FilePart& part = *reg.part;
    std::vector<std::string> keys = {"name: " + yaml(reg.name), "offset: " + grouped_address(reg.offset)};
    if (part.width != 32) keys.push_back(fmt::format("width: {}", part.width));
    if (reg.halves) keys.emplace_back("halves: true");
    if (reg.count > 1) keys.push_back(fmt::format("count: {}", reg.count));
    if (reg.count > 1 && reg.stride != part.width / 8) keys.push_back(fmt::format("stride: {:#x}", reg.stride));
    const std::string start = reg.remark.empty() ? "      " : "      # ";
    std::string text;
    if (!reg.remark.empty()) text = fmt::format("      # TODO: no PMU can have this: {}\n", comment(reg.remark));
    const FileField& only = part.fields.front();
    if (part.fields.size() == 1 && (only.name.empty() || only.name == reg.name)) {
      if (only.width < part.width) keys.push_back("bits: " + bits_of(only));
      return text + fmt::format("{}- {{{}{}}}{}\n", start, fmt::join(keys, ", "), access_of(only),
                                remarks(reg, only, part.description));
    }
    text += fmt::format("{}- {}\n{}  fields:{}\n", start, fmt::join(keys, "\n" + start + "  "), start,
                        part.description.empty() ? "" : "   # " + comment(part.description));
    for (const FileField& field : part.fields)
      text += fmt::format("{}    - {{name: {}, bits: {}{}}}{}\n", start, yaml(field.name), bits_of(field),
                          access_of(field), remarks(reg, field, {}));
    return text;
  }

  static std::string bits_of(const FileField& field) {
    return field.width == 1 ? fmt::format("{}", field.lsb)
                            : fmt::format("{}-{}", field.lsb, field.lsb + field.width - 1);
  }
  /// @return what software sees of a field, in words of the description
  static std::string access_of(const FileField& field) {
    if (!field.is_written) return fmt::format(", role: constant, value: {:#x}", field.reset);
    if (!field.is_read) return ", role: command";
    return field.reset == 0 ? "" : fmt::format(", value: {:#x}", field.reset);
  }
  /// @return a comment with what the field may be for, what is not said otherwise, and its description
  static std::string remarks(const DraftRegister& reg, const FileField& field, const std::string& description) {
    const std::string role = guessed_role(reg, field);
    std::string text;
    if (!role.empty()) text = fmt::format(" TODO: role: {}", role);
    if (role == "overflow" && field.effect.starts_with("by_") && field.effect != "by_one")
      text += ", cleared: " + field.effect;
    if (!role.empty()) text += '?';
    if (!field.effect.empty() && !(role == "overflow" && field.effect.starts_with("by_")))
      text += fmt::format("{} {}", role.empty() ? " TODO:" : "", field.effect);
    const std::string& words = field.description.empty() ? description : field.description;
    if (!words.empty()) text += " " + comment(words);
    return text.empty() ? "" : "   #" + text;
  }

  const RegisterFile& file_;
  const std::string label_ = comment(std::filesystem::path(file_.name).filename().string());
  std::vector<DraftBlock> blocks_;
  std::uint64_t registers_ = 0;
};

}  // namespace

void RegisterFile::refuse(int line, const std::string& reason, const std::string& suggestion) const {
  throw scenario::InputError({std::make_shared<const std::string>(name), line, 0}, {}, reason, suggestion);
}

RegisterDraft draft_of(const RegisterFile& file, const std::vector<std::string>& chosen, const std::string& name) {
  return RegisterDraftWriter(file, chosen).write(name);
}

}  // namespace pmufab::cli
