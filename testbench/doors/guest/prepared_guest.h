// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace pmufab::guest {

/// @param folder  that tools/guest/prepare made
/// @return what kernel and QEMU it has
/// @throws scenario::InputError for a guest with which another version of this program talks, or of which a part
/// is missing
[[nodiscard]] std::string look_at_guest(const std::filesystem::path& folder);

}  // namespace pmufab::guest
