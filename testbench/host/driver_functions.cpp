// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/driver_functions.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace pmufab::driver_host {
namespace {

/// The compiler marks parts of a function by a dot: "f.cold", "f.isra.0". shim/include/linux/export.h marks exported ones.
std::string function_name(std::string_view symbol) {
  constexpr std::string_view kExported = "__pmufab_exported_";
  if (symbol.starts_with(kExported)) symbol.remove_prefix(kExported.size());
  return std::string(symbol.substr(0, symbol.find('.')));
}

}  // namespace

DriverFunctions::DriverFunctions(const std::filesystem::path& library, const std::set<std::string>& files) {
  for (const ElfFunction& function : elf_functions(library)) {
    if (!files.contains(function.source)) continue;
    functions_.push_back({.begin = function.begin,
                          .end = function.end,
                          .name = function_name(function.symbol) + "() of " + function.source});
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& left, const Function& right) { return left.begin < right.begin; });
}

std::string DriverFunctions::at(std::uintptr_t offset) const {
  const auto after = std::lower_bound(functions_.begin(), functions_.end(), offset,
                                      [](const Function& function, std::uintptr_t at) { return function.begin < at; });
  if (after == functions_.begin()) return {};
  const Function& function = *std::prev(after);
  return offset <= function.end ? function.name : std::string();
}

namespace {

/// @return `count` records of the file; nothing if it does not have them
template <typename Record>
std::optional<std::vector<Record>> records(std::ifstream& file, std::uint64_t offset, std::uint64_t count) {
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(0, file.tellg()));
  if (offset > size || count > (size - offset) / sizeof(Record)) return std::nullopt;
  std::vector<Record> list(count);
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(reinterpret_cast<char*>(list.data()), static_cast<std::streamsize>(count * sizeof(Record))))
    return std::nullopt;
  return list;
}

}  // namespace

std::vector<ElfFunction> elf_functions(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto header = records<Elf64_Ehdr>(file, 0, 1);
  if (!header) return {};
  const auto sections = records<Elf64_Shdr>(file, header->front().e_shoff, header->front().e_shnum);
  if (!sections) return {};
  const auto table = std::find_if(sections->begin(), sections->end(),
                                  [](const Elf64_Shdr& section) { return section.sh_type == SHT_SYMTAB; });
  if (table == sections->end() || table->sh_link >= sections->size()) return {};
  const Elf64_Shdr& texts = sections->at(table->sh_link);
  const auto symbols = records<Elf64_Sym>(file, table->sh_offset, table->sh_size / sizeof(Elf64_Sym));
  auto names = records<char>(file, texts.sh_offset, texts.sh_size);
  if (!symbols || !names) return {};
  names->push_back('\0');

  std::vector<ElfFunction> functions;
  std::string source;  // of the symbols that follow
  for (const Elf64_Sym& symbol : *symbols) {
    if (symbol.st_name >= names->size()) continue;
    const char* const name = names->data() + symbol.st_name;
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) source = name;
    if (type != STT_FUNC) continue;
    functions.push_back(
        {.begin = symbol.st_value, .end = symbol.st_value + symbol.st_size, .symbol = name, .source = source});
  }
  return functions;
}

}  // namespace pmufab::driver_host
