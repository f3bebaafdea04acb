// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/input_file.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Copying, comparing and printing a value needs stack for each level.
constexpr int kDeepestJson = 64;

[[noreturn]] void refuse(const fs::path& path, std::string reason, std::string suggestion = {}) {
  throw InputError({std::make_shared<const std::string>(path.generic_string()), 0, 0}, {}, std::move(reason),
                   std::move(suggestion));
}

using FileId = std::pair<dev_t, ino_t>;

std::set<FileId>& inputs() {
  static std::set<FileId> all;
  return all;
}

std::optional<FileId> id_of(const fs::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return FileId(found.st_dev, found.st_ino);
}

}  // namespace

void note_input(const fs::path& path) {
  if (const std::optional<FileId> id = id_of(path)) inputs().insert(*id);
}

bool is_input(const fs::path& path) {
  const std::optional<FileId> id = id_of(path);
  return id && inputs().contains(*id);
}

std::string read_input(const fs::path& path, std::size_t most) {
  std::error_code error;
  if (fs::is_directory(path, error)) refuse(path, "is a folder, not a file");
  const auto fail = [&](int reason) { refuse(path, fmt::format("cannot be read: {}", std::strerror(reason))); };
  // A named pipe must not wait for somebody to open its other end.
  const int stream = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (stream < 0) fail(errno);
  constexpr std::size_t kPiece = 1U << 16;
  std::string text;
  std::size_t size = 0;
  int reason = 0;
  while (size <= most) {
    if (size == text.size()) text.resize(std::min(most + 1, std::max(kPiece, 2 * size)));
    const ssize_t count = read(stream, text.data() + size, text.size() - size);
    if (count > 0) {
      size += static_cast<std::size_t>(count);
    } else if (count == 0) {
      break;
    } else if (errno == EAGAIN) {
      pollfd input{stream, POLLIN, 0};  // somebody writes to the pipe
      poll(&input, 1, -1);
    } else if (errno != EINTR) {
      reason = errno;
      break;
    }
  }
  close(stream);
  if (reason != 0) fail(reason);
  if (size == 0 && fs::is_fifo(path, error)) refuse(path, "is a named pipe, and nobody writes to it", "name a file");
  text.resize(size);
  return text;
}

Json read_json_input(const fs::path& path, std::size_t most, const std::set<std::string_view>& keys) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::character || type == fs::file_type::block) refuse(path, "is a device, not a file");
  const std::string text = read_input(path, most);
  if (text.size() > most) refuse(path, fmt::format("is larger than {} MiB", most >> 20U), "is it the right file?");
  const auto look = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kDeepestJson) refuse(path, "nests too deeply");
    return event != Json::parse_event_t::key || keys.empty() || keys.contains(value.get_ref<const std::string&>());
  };
  return Json::parse(text, look, false);
}

}  // namespace pmufab::scenario
