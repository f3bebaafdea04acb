// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <span>

#include <fmt/format.h>

namespace pmufab::process {
namespace {

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

/// Notes follow one another: sizes, type, name and contents, both padded to 4 bytes.
std::string build_id_in(std::span<const std::uint8_t> notes) {
  ElfW(Nhdr) head{};
  while (notes.size() >= sizeof(head)) {
    std::memcpy(&head, notes.data(), sizeof(head));
    const std::size_t begin = sizeof(head) + padded(head.n_namesz);
    const std::size_t size = begin + padded(head.n_descsz);
    if (size > notes.size()) break;
    if (head.n_type == NT_GNU_BUILD_ID)
      return fmt::format("{:02x}", fmt::join(notes.subspan(begin, head.n_descsz), ""));
    notes = notes.subspan(size);
  }
  return {};
}

std::string read_build_id() {
  std::string id;
  // The program comes first.
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* found) {
        for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
          if (part.p_type != PT_NOTE) continue;
          // NOLINTNEXTLINE(performance-no-int-to-ptr): the dynamic linker tells addresses as numbers
          const auto* const notes = reinterpret_cast<const std::uint8_t*>(info->dlpi_addr + part.p_vaddr);
          auto& text = *static_cast<std::string*>(found);
          if (text.empty()) text = build_id_in({notes, part.p_memsz});
        }
        return 1;
      },
      &id);
  return id;
}

}  // namespace

const std::string& build_id() {
  static const std::string id = read_build_id();
  return id;
}

}  // namespace pmufab::process
