// SPDX-License-Identifier: Apache-2.0
// A vfio-user server at its socket: clients of all kinds.

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/doors/vfio_user/server.h"
#include "testbench/tests/doors/vfio_user/memory_function.h"
#include "testbench/tests/doors/vfio_user/messages.h"

namespace pmufab::vfio_user {
namespace {

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    std::string name = ::testing::TempDir() + "pmufab-vfio-XXXXXX";
    folder = mkdtemp(name.data());
    path = folder / "socket";
    server = std::make_unique<Server>(path, function, [this](const std::string& text) { log.push_back(text); });
  }
  ~ServerTest() override {
    server.reset();
    std::filesystem::remove_all(folder);
  }

  [[nodiscard]] Descriptor connect_client() const {
    Descriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return client;
  }
  /// Let the server do its pending work.
  void serve() {
    constexpr int kRounds = 20;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<pollfd> files;
      server->add_to(files);
      if (poll(files.data(), files.size(), 0) <= 0) return;
      for (const pollfd& file : files) server->serve(file);
    }
  }
  static void send_all(const Descriptor& client, const Header& header, const Bytes& payload = {}) {
    ASSERT_EQ(send(client.get(), &header, sizeof(header), MSG_NOSIGNAL), static_cast<ssize_t>(sizeof(header)));
    const auto& bytes = payload.get();
    if (bytes.empty()) return;
    ASSERT_EQ(send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void agree(const Descriptor& client) {
    const Bytes version = Bytes().add(Version{kMajor, kMinor});
    send_all(client, command(Command::version, version.get().size()), version);
    serve();
    EXPECT_EQ(take_at<Header>(receive(client), 0).flags, kReply);
  }
  static std::vector<std::uint8_t> receive(const Descriptor& client) {
    std::vector<std::uint8_t> bytes(1 << 16);
    const ssize_t size = recv(client.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return bytes;
  }
  /// @return true if the server has closed the connection
  static bool is_over(const Descriptor& client) {
    char byte = 0;
    return recv(client.get(), &byte, 1, MSG_DONTWAIT) == 0;
  }

  std::filesystem::path folder;
  std::filesystem::path path;
  MemoryFunction function;
  std::unique_ptr<Server> server;
  std::vector<std::string> log;
};

TEST_F(ServerTest, serves_one_client_refuses_a_second_and_takes_the_next) {
  Descriptor first = connect_client();
  serve();
  agree(first);
  function.bar[8] = 0x5a;
  const Descriptor second = connect_client();
  serve();
  EXPECT_TRUE(is_over(second));
  EXPECT_EQ(server->refused(), 1U);
  const Bytes access = Bytes().add(RegionAccess{8, 0, 1});
  send_all(first, command(Command::region_read, access.get().size()), access);
  serve();
  EXPECT_EQ(receive(first).back(), 0x5a);
  first.reset();
  serve();
  EXPECT_FALSE(server->has_client());
  EXPECT_EQ(function.client, nullptr);
  Descriptor third = connect_client();
  serve();
  agree(third);
  EXPECT_EQ(function.bar[8], 0x5a) << "the function stays as it is";
  EXPECT_EQ(server->clients(), 2U);
}

TEST_F(ServerTest, puts_messages_together_that_come_in_pieces) {
  const Descriptor client = connect_client();
  serve();
  agree(client);
  const Bytes payload = Bytes().add(RegionAccess{4, 0, 4}).add(0x0403'0201U);
  const Header header = command(Command::region_write, payload.get().size());
  std::vector<std::uint8_t> bytes = Bytes().add(header).get();
  bytes.insert(bytes.end(), payload.get().begin(), payload.get().end());
  for (const std::uint8_t byte : bytes) {
    ASSERT_EQ(send(client.get(), &byte, 1, 0), 1);
    serve();
  }
  EXPECT_EQ(function.bar[4], 1);
  EXPECT_EQ(function.bar[7], 4);
  EXPECT_EQ(take_at<Header>(receive(client), 0).flags, kReply);
}

TEST_F(ServerTest, sends_away_who_breaks_the_protocol) {
  for (const Header header : {Header{1, 9, 3, 0, 0}, Header{1, 9, 0x7fff'ffff, 0, 0}, Header{1, 9, 16, 5, 0},
                              Header{1, 9, 16, 0, 0}, Header{1, 12, 16, kReply, 0}}) {
    const Descriptor client = connect_client();
    serve();
    send_all(client, header);
    serve();
    EXPECT_TRUE(is_over(client));
    EXPECT_FALSE(server->has_client());
    EXPECT_NE(log.back().find("is disconnected: "), std::string::npos) << log.back();
  }
  agree([&] {
    Descriptor client = connect_client();
    serve();
    return client;
  }());
}

TEST_F(ServerTest, survives_a_client_that_goes_in_the_middle_of_a_message) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{15}, std::size_t{20}}) {
    Descriptor client = connect_client();
    serve();
    const std::vector<std::uint8_t> bytes =
        Bytes().add(command(Command::version, 40)).add(Version{0, 1}).add(std::uint64_t{0}).get();
    ASSERT_EQ(send(client.get(), bytes.data(), size, 0), static_cast<ssize_t>(size));
    serve();
    client.reset();
    serve();
    EXPECT_FALSE(server->has_client());
    EXPECT_NE(log.back().find("in the middle"), std::string::npos) << log.back();
  }
}

TEST_F(ServerTest, sends_away_who_does_not_read) {
  const Descriptor client = connect_client();
  serve();
  agree(client);
  const Bytes access = Bytes().add(RegionAccess{0, 0, 2048});
  const Header header = command(Command::region_read, access.get().size());
  constexpr int kMost = 10'000;
  int sent = 0;
  for (; sent < kMost && server->has_client(); ++sent) {
    static_cast<void>(!send(client.get(), &header, sizeof(header), MSG_NOSIGNAL | MSG_DONTWAIT));
    static_cast<void>(!send(client.get(), access.get().data(), access.get().size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    serve();
  }
  EXPECT_LT(sent, kMost);
  EXPECT_NE(log.back().find("does not read"), std::string::npos) << log.back();
}

TEST_F(ServerTest, sends_away_who_passes_too_many_descriptors) {
  const Descriptor client = connect_client();
  serve();
  agree(client);
  // Some descriptors with each byte of a message that never ends.
  const std::vector<std::uint8_t> bytes = Bytes().add(command(Command::device_set_irqs, 4000)).get();
  for (std::size_t i = 0; i < bytes.size() && server->has_client(); ++i) {
    const std::array<int, 3> numbers{0, 0, 0};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(numbers))> control{};
    iovec part{const_cast<std::uint8_t*>(&bytes[i]), 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(numbers));
    std::memcpy(CMSG_DATA(header), numbers.data(), sizeof(numbers));
    ASSERT_EQ(sendmsg(client.get(), &message, MSG_NOSIGNAL), 1);
    serve();
  }
  EXPECT_FALSE(server->has_client());
  EXPECT_NE(log.back().find("too many descriptors"), std::string::npos) << log.back();
}

TEST_F(ServerTest, refuses_clients_when_no_descriptors_are_left) {
  // This code must need no descriptor. UndefinedBehaviorSanitizer needs one to check the type of an object.
  const auto serve_listener = [](Server& quiet) {
    std::vector<pollfd> files;
    quiet.add_to(files);
    poll(files.data(), files.size(), 0);
    for (const pollfd& file : files) quiet.serve(file);
  };
  path = folder / "quiet";
  Server quiet(path, function);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const Descriptor client = connect_client();
  const rlimit tight{static_cast<rlim_t>(client.get()) + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  serve_listener(quiet);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(is_over(client));
  EXPECT_FALSE(quiet.has_client());
  const Descriptor later = connect_client();
  serve_listener(quiet);
  EXPECT_TRUE(quiet.has_client());
}

TEST_F(ServerTest, has_a_socket_of_its_own_that_nobody_else_can_use) {
  struct stat about {};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_THROW(Server(path, function), std::system_error) << "what lies there is not overwritten";
  EXPECT_THROW(Server(folder / std::string(200, 'x'), function), std::system_error);
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace pmufab::vfio_user
