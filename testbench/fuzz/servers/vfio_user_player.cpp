// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/players.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "testbench/doors/vfio_user/server.h"

namespace pmufab::fuzz {
namespace {

using vfio_user::Client;
using vfio_user::Descriptor;
using vfio_user::Header;

/// Checks that accesses are within their limits.
class CheckedFunction final : public vfio_user::Function {
 public:
  [[nodiscard]] std::uint64_t region_size(unsigned index) const override {
    constexpr std::uint64_t kBar = 1 << 20;
    constexpr std::uint64_t kSpace = 4096;
    if (index == 0) return kBar;
    return index == vfio_user::kConfigRegion ? kSpace : 0;
  }
  [[nodiscard]] unsigned interrupts(unsigned kind) const override { return kind == vfio_user::kMsiX ? 3 : 0; }
  bool read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) override {
    check(region, offset, data.size());
    std::fill(data.begin(), data.end(), static_cast<std::uint8_t>(offset));
    tell(offset);
    return offset % 7 != 6;
  }
  bool write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) override {
    check(region, offset, data.size());
    for (const std::uint8_t byte : data) sum_ += byte;  // touches every byte
    tell(offset);
    return offset % 7 != 6;
  }
  void reset() override {}
  void connected(Client* client) override { client_ = client; }

 private:
  void check(unsigned region, std::uint64_t offset, std::size_t bytes) const {
    const std::uint64_t size = region_size(region);
    if (bytes == 0 || bytes > vfio_user::kLongestData || offset >= size || bytes > size - offset)
      throw Violation(fmt::format("an access of {} bytes at {:#x} of region {}", bytes, offset, region));
  }
  void tell(std::uint64_t offset) const {
    if (client_ == nullptr || offset % 5 != 0) return;
    client_->interrupt(vfio_user::kMsiX, static_cast<unsigned>(offset % 4));
    const std::uint32_t number = 80;
    client_->write_memory(0x0802'0040, {reinterpret_cast<const std::uint8_t*>(&number), sizeof(number)});
  }

  Client* client_ = nullptr;
  std::uint64_t sum_ = 0;
};

struct Place {
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Violation("there is no place for a socket");
    folder = name;
    server = std::make_unique<vfio_user::Server>(folder / "socket", function);
  }
  ~Place() {
    server.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  Place& operator=(Place&&) = delete;

  std::filesystem::path folder;
  CheckedFunction function;
  std::unique_ptr<vfio_user::Server> server;
};

void serve(vfio_user::Server& server) {
  constexpr int kMostRounds = 100;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<pollfd> files;
    server.add_to(files);
    // Queued output is sent when the client reads.
    if (poll(files.data(), files.size(), 0) <= 0) return;
    bool heard = false;
    for (const pollfd& file : files) {
      heard = heard || (file.revents & ~POLLOUT) != 0;
      server.serve(file);
    }
    if (!heard) return;
  }
}

/// Read the answers, as whole messages.
void take_answers(const Descriptor& client, std::vector<std::uint8_t>& left) {
  std::uint8_t bytes[1 << 14];
  for (ssize_t size = 0; (size = recv(client.get(), bytes, sizeof(bytes), MSG_DONTWAIT)) > 0;)
    left.insert(left.end(), bytes, bytes + size);
  std::size_t at = 0;
  while (left.size() - at >= sizeof(Header)) {
    Header header;
    std::memcpy(&header, left.data() + at, sizeof(header));
    if (header.size < sizeof(Header) || header.size > vfio_user::kLongestMessage)
      throw Violation(fmt::format("an answer of {} bytes", header.size));
    const bool failed = (header.flags & vfio_user::kError) != 0;
    if (failed && (header.size != sizeof(Header) || header.error == 0))
      throw Violation("an error without a number, or with a payload");
    if (left.size() - at < header.size) break;
    at += header.size;
  }
  left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

void play_on_vfio_user(std::span<const std::uint8_t> input) {
  static Place place;
  if (input.empty()) return;
  vfio_user::Server& server = *place.server;
  Descriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (place.folder / "socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    throw Violation("the server takes no client");
  serve(server);
  if (!server.has_client()) throw Violation("the server has not taken the client");
  std::vector<std::uint8_t> answers;
  const auto say = [&](const void* bytes, std::size_t size) {
    static_cast<void>(!send(client.get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT));
    serve(server);
    take_answers(client, answers);
  };
  if ((input[0] & 1U) != 0) {
    const struct {
      Header header;
      vfio_user::Version version;
    } version{{1, 1, sizeof(version), 0, 0}, {vfio_user::kMajor, vfio_user::kMinor}};
    say(&version, sizeof(version));
  }
  const std::span<const std::uint8_t> bytes = input.subspan(1);
  const std::size_t piece = (input[0] & 2U) != 0 ? 1 + (input[0] >> 2U) : std::max<std::size_t>(bytes.size(), 1);
  for (std::size_t at = 0; at < bytes.size(); at += piece) say(bytes.data() + at, std::min(piece, bytes.size() - at));
  client.reset();
  serve(server);
  if (server.has_client()) throw Violation("the server keeps a client that has gone");
}

}  // namespace pmufab::fuzz
