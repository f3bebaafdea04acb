// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/archive.h"

#include <utility>

#include <fmt/format.h>

namespace pmufab::guest {

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
