#pragma once

#include <filesystem>
#include <string>

namespace pmufab::guest {

/// What tools/guest/prepare says of the guest it made.
struct PreparedGuest {
  std::string title;      ///< kernel and QEMU
  unsigned protocol = 1;  ///< of what its init and we tell each other: Aperture::kVersion
};

/// @param folder  that tools/guest/prepare made
/// @throws scenario::InputError for a guest with which another version of this program talks
[[nodiscard]] PreparedGuest look_at_guest(const std::filesystem::path& folder);

}  // namespace pmufab::guest
