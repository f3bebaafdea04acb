// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/doors/guest/devices/aperture.h"
#include "testbench/doors/guest/qemu_command.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::guest {

std::string look_at_guest(const std::filesystem::path& folder) {
  constexpr std::string_view kProtocol = "protocol: ";
  // Without the line it is of the time when there was one protocol.
  std::string protocol = "1";
  std::string title;
  std::ifstream version(folder / "VERSION");
  std::getline(version, title);
  for (std::string line; std::getline(version, line);) {
    if (line.starts_with(kProtocol)) protocol = line.substr(kProtocol.size());
  }
  if (protocol != std::to_string(Aperture::kVersion))
    throw scenario::InputError(
        fmt::format("the guest in {} was prepared by another version of pmufab: it has protocol {}, and this pmufab {}",
                    folder.string(), protocol, Aperture::kVersion),
        fmt::format("pmufab guest prepare --refresh --guest {} prepares one that fits", folder.string()));
  for (const char* const part : {"qemu", "firmware", "kernel", "initrd"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(folder / part, error);
    if (error || size == 0)
      throw scenario::InputError(
          fmt::format("the guest in {} has no {}", folder.string(), part),
          fmt::format("pmufab guest prepare --refresh --guest {} makes all of it", folder.string()));
  }
  return title;
}

void Archive::pad() { bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0'); }

void Archive::add(const std::string& path, const std::string& content, unsigned mode) {
  // Documentation/driver-api/early-userspace/buffer-format.rst: a mark, 13 numbers of eight digits, the name.
  constexpr unsigned kNothing = 0;
  bytes_ += "070701";
  for (const std::size_t number :
       {std::size_t{next_++}, std::size_t{mode}, std::size_t{kNothing}, std::size_t{kNothing}, std::size_t{1},
        std::size_t{kNothing}, content.size(), std::size_t{kNothing}, std::size_t{kNothing}, std::size_t{kNothing},
        std::size_t{kNothing}, path.size() + 1, std::size_t{kNothing}})
    bytes_ += fmt::format("{:08x}", number);
  bytes_ += path;
  bytes_ += '\0';
  pad();
  bytes_ += content;
  pad();
}

std::string Archive::finish() {
  next_ = 0;
  add("TRAILER!!!", {}, 0);
  return std::move(bytes_);
}

}  // namespace pmufab::guest
