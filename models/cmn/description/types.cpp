// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/wire/types.h"

#include <array>

namespace pmufab::cmn {

std::string_view to_string(Channel channel) noexcept {
  constexpr std::array<std::string_view, kChannels> kNames{"req",  "rsp",  "snp",  "dat", "pub",
                                                           "rsp2", "dat2", "req2", "snp2"};
  return kNames[static_cast<std::size_t>(channel)];
}

std::string_view to_string(Interface interface) noexcept {
  constexpr std::array<std::string_view, kInterfaces> kNames{"e", "w", "n", "s", "p0", "p1", "p2", "p3", "p4", "p5"};
  return kNames[static_cast<std::size_t>(interface)];
}

}  // namespace pmufab::cmn
