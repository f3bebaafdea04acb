// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/elf_functions.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>

namespace pmufab::driver_host {
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
