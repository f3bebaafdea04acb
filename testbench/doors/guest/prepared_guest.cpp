// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/prepared_guest.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "testbench/doors/guest/devices/aperture.h"
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

}  // namespace pmufab::guest
