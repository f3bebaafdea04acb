// SPDX-License-Identifier: Apache-2.0
// The server at its sockets: clients of all kinds.
#include "testbench/doors/register_server/server.h"

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>

#include "testbench/doors/register_server/gdb_packet.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/support/other_user.h"
#include "testbench/tests/doors/register_server/memory_target.h"

namespace pmufab::register_server {
namespace {

using process::Descriptor;
using ::testing::ElementsAre;

class RegisterServerTest : public ::testing::Test {
 protected:
  RegisterServerTest() {
    std::string name = ::testing::TempDir() + "pmufab-serve-XXXXXX";
    folder = mkdtemp(name.data());
    path = folder / "registers";
    EXPECT_EQ(pipe2(stop, O_CLOEXEC), 0);
    target.memory[0x10] = 0xa5;
    serve_at(listen_at_file(path));
  }
  ~RegisterServerTest() override {
    server.reset();
    close(stop[0]);
    close(stop[1]);
    std::filesystem::remove_all(folder);
  }
  void serve_at(const Listener& listener) {
    server =
        std::make_unique<Server>(listener, stop[0], target, [this](const std::string& text) { log.push_back(text); });
  }
  /// Let the server do its pending work.
  void serve() {
    for (int round = 0; round < 10; ++round) server->serve(std::chrono::milliseconds(2));
  }

  static Descriptor connect_to(const sockaddr* address, socklen_t size) {
    Descriptor client(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(client.get(), address, size) != 0) return {};
    return client;
  }
  [[nodiscard]] Descriptor connect_to_file() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  static Descriptor connect_to_port(const std::string& address_text) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address_text.substr(address_text.find(':') + 1))));
    return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  static void say(const Descriptor& client, const std::string& bytes) {
    EXPECT_EQ(send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  static std::string heard(const Descriptor& client) {
    std::string bytes(1 << 16, '\0');
    const ssize_t size = recv(client.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return bytes;
  }
  static bool is_over(const Descriptor& client) {
    char byte = 0;
    const ssize_t size = recv(client.get(), &byte, 1, MSG_DONTWAIT);
    return size == 0 || (size < 0 && errno != EAGAIN);
  }
  bool answers(const Descriptor& client) {
    say(client, framed("m10,1"));
    serve();
    return heard(client) == "+" + framed("a5");
  }

  std::filesystem::path folder;
  std::filesystem::path path;
  int stop[2]{};
  MemoryTarget target;
  std::vector<std::string> log;
  std::unique_ptr<Server> server;
};

TEST_F(RegisterServerTest, answers_at_a_socket_that_nobody_else_can_use) {
  struct stat about {};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_THROW(static_cast<void>(listen_at_file(path)), std::system_error) << "what lies there is not overwritten";
  EXPECT_THROW(static_cast<void>(listen_at_file(folder / std::string(200, 'x'))), std::system_error);
  EXPECT_TRUE(answers(connect_to_file()));
}

TEST_F(RegisterServerTest, answers_at_a_port_of_this_machine) {
  const Listener listener = listen_at_port(0);
  EXPECT_FALSE(listener.is_local);
  EXPECT_THROW(static_cast<void>(listen_at_port(static_cast<std::uint16_t>(std::stoi(listener.address.substr(10))))),
               std::system_error)
      << "it is taken";
  serve_at(listener);
  EXPECT_TRUE(answers(connect_to_port(listener.address)));
}

TEST_F(RegisterServerTest, answers_requests_in_pieces_and_several_at_once) {
  const Descriptor client = connect_to_file();
  const std::string request = framed("m10,1");
  for (const char byte : request) {
    say(client, std::string(1, byte));
    serve();
  }
  EXPECT_EQ(heard(client), "+" + framed("a5"));
  say(client, request + request);
  serve();
  EXPECT_EQ(heard(client), "+" + framed("a5") + "+" + framed("a5"));
}

TEST_F(RegisterServerTest, serves_clients_at_the_same_time_in_the_order_of_their_packets) {
  const Descriptor first = connect_to_file();
  const Descriptor second = connect_to_file();
  serve();
  EXPECT_EQ(server->clients(), 2U);
  say(first, framed("m10,1") + framed("m11,1") + framed("m12,1"));
  for (int round = 0; round < 3; ++round) EXPECT_TRUE(answers(second));
  target.reads.clear();
  say(second, framed("m20,1") + framed("m21,1"));
  say(first, framed("m10,1") + framed("m11,1"));
  serve();
  std::vector<std::uint64_t> places;
  for (const auto& [address, size] : target.reads) places.push_back(address);
  ASSERT_EQ(places.size(), 4U);
  const bool second_begins = places[0] == 0x20;
  const std::vector<std::uint64_t> one_way = {0x20, 0x10, 0x21, 0x11};
  const std::vector<std::uint64_t> other_way = {0x10, 0x20, 0x11, 0x21};  // both have come when the server looks
  EXPECT_EQ(places, second_begins ? one_way : other_way);
  EXPECT_THAT(log, ElementsAre("a client has connected", "a client has connected"));
}

TEST_F(RegisterServerTest, a_client_that_goes_within_a_packet_leaves_the_others_alone) {
  Descriptor first = connect_to_file();
  const Descriptor second = connect_to_file();
  say(first, "$M10,1:0");
  EXPECT_TRUE(answers(second));
  say(second, "$m10");
  serve();
  first.reset();
  serve();
  EXPECT_EQ(server->clients(), 1U);
  say(second, ",1#" + framed("m10,1").substr(framed("m10,1").size() - 2));
  serve();
  EXPECT_EQ(heard(second), "+" + framed("a5"));
}

TEST_F(RegisterServerTest, tells_one_client_too_many_why_it_is_refused) {
  std::vector<Descriptor> clients;
  for (std::size_t i = 0; i < kMostClients; ++i) clients.push_back(connect_to_file());
  for (std::size_t i = 0; i < kMostClients; ++i) serve();
  EXPECT_EQ(server->clients(), kMostClients);
  const Descriptor other = connect_to_file();
  say(other, framed("qSupported"));
  serve();
  EXPECT_EQ(heard(other), "+" + framed("E.64 clients are served already"));
  EXPECT_TRUE(is_over(other));
  EXPECT_EQ(log.back(), "a client is refused: 64 clients are served already");
  EXPECT_TRUE(answers(clients.back()));
}

/// Those that have closed their connections no longer have a place, even where the server learns of both at once.
TEST_F(RegisterServerTest, refuses_none_of_200_clients_that_reconnect_at_once) {
  std::vector<Descriptor> clients;
  for (std::size_t i = 0; i < kMostClients; ++i) clients.push_back(connect_to_file());
  for (std::size_t i = 0; i < kMostClients; ++i) serve();
  for (int again = 0; again < 200; ++again) {
    Descriptor& client = clients[static_cast<std::size_t>(again) % clients.size()];
    client.reset();
    client = connect_to_file();
    ASSERT_TRUE(answers(client)) << again;
  }
  EXPECT_EQ(server->clients(), kMostClients);
}

TEST_F(RegisterServerTest, answers_a_client_that_has_said_all) {
  const Descriptor client = connect_to_file();
  say(client, framed("m10,1"));
  shutdown(client.get(), SHUT_WR);
  serve();
  EXPECT_EQ(heard(client), "+" + framed("a5"));
  EXPECT_TRUE(is_over(client));
}

TEST_F(RegisterServerTest, goes_on_when_clients_go_in_the_middle_of_anything) {
  for (const std::string& bytes : {std::string(), std::string("+"), std::string("$m10"), std::string("$m10,1#"),
                                   framed("m10,1"), framed("D"), framed("k")}) {
    Descriptor client = connect_to_file();
    say(client, bytes);
    client.reset();
    serve();
    EXPECT_EQ(server->clients(), 0U) << bytes;
  }
  EXPECT_TRUE(answers(connect_to_file()));
}

TEST_F(RegisterServerTest, ends_a_connection_when_the_client_detaches) {
  const Descriptor client = connect_to_file();
  say(client, framed("D"));
  serve();
  EXPECT_EQ(heard(client), "+" + framed("OK"));
  EXPECT_TRUE(is_over(client));
  EXPECT_EQ(server->clients(), 0U);
}

TEST_F(RegisterServerTest, a_client_that_does_not_read_stops_itself_alone) {
  target.printed = std::string(100'000, 'x');
  Descriptor client = connect_to_file();
  fcntl(client.get(), F_SETFL, O_NONBLOCK);
  const std::string request = framed("qRcmd,00");
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(!send(client.get(), request.data(), request.size(), MSG_NOSIGNAL));
    server->serve(std::chrono::milliseconds(0));
  }
  EXPECT_LT(target.commands.size(), 20U) << "answers pile up";
  client.reset();
  serve();
  EXPECT_EQ(server->clients(), 0U);
  EXPECT_TRUE(answers(connect_to_file()));
}

TEST_F(RegisterServerTest, a_client_that_waits_for_time_keeps_nobody_else_waiting) {
  const std::string wait = framed("qRcmd," + to_hex("wait"));
  const Descriptor first = connect_to_file();
  const Descriptor second = connect_to_file();
  say(first, wait + framed("m10,1"));
  serve();
  EXPECT_EQ(server->first_wait(), 100U);
  EXPECT_EQ(heard(first), "+");
  EXPECT_TRUE(answers(second));
  target.now = 50;
  say(second, wait);
  serve();
  EXPECT_EQ(server->first_wait(), 100U);
  target.now = 100;
  serve();
  EXPECT_EQ(heard(first), framed("OK") + "+" + framed("a5"));
  EXPECT_EQ(server->first_wait(), 150U);
  target.now = 150;
  serve();
  EXPECT_EQ(heard(second), "+" + framed("OK"));
  EXPECT_FALSE(server->first_wait());
}

TEST_F(RegisterServerTest, an_interrupt_the_clients_end_and_the_servers_end_a_wait) {
  const std::string wait = framed("qRcmd," + to_hex("wait"));
  Descriptor client = connect_to_file();
  say(client, wait);
  serve();
  EXPECT_TRUE(server->first_wait());
  say(client, "\x03");
  serve();
  EXPECT_EQ(heard(client), "+" + framed("E01"));
  EXPECT_TRUE(answers(client));
  say(client, wait);
  serve();
  client.reset();
  serve();
  EXPECT_FALSE(server->first_wait());
  EXPECT_EQ(server->clients(), 0U);
  EXPECT_EQ(write(stop[1], "s", 1), 1);
  serve();
  EXPECT_TRUE(server->is_stopped());
}

TEST_F(RegisterServerTest, stops_when_its_owner_is_gone) {
  EXPECT_FALSE(server->is_stopped());
  close(stop[1]);
  server->serve(std::nullopt);
  EXPECT_TRUE(server->is_stopped());
  stop[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST_F(RegisterServerTest, goes_on_when_there_are_no_file_descriptors_for_a_moment) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const Descriptor client = connect_to_file();
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(client.get()) + 1;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  serve();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(server->clients(), 0U);
  server->serve(std::chrono::milliseconds(100));
  EXPECT_TRUE(answers(client));
}

/// Each lock holds without the others: the folder's rights, the socket's, and the server's own look.
TEST_F(RegisterServerTest, lets_no_other_user_in) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const auto error_of_connecting = [this] { return connect_to_file() ? 0 : errno; };
  EXPECT_EQ(testing::as_another_user(error_of_connecting), EACCES);
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  EXPECT_EQ(testing::as_another_user(error_of_connecting), EACCES) << "by the socket's rights";
  ASSERT_EQ(chmod(path.c_str(), 0777), 0);
  const auto write_a_register = [](const Descriptor& client) {
    if (!client) return 1;
    const std::string request = framed("M10,1:00");
    static_cast<void>(!send(client.get(), request.data(), request.size(), MSG_NOSIGNAL));
    usleep(200'000);  // the server looks meanwhile
    return 0;
  };
  const auto try_it = [&](const std::function<Descriptor()>& connect) {
    log.clear();
    const pid_t other = fork();
    if (other == 0) _exit(testing::as_another_user([&] { return write_a_register(connect()); }));
    for (int round = 0; round < 100; ++round) server->serve(std::chrono::milliseconds(2));
    int status = 0;
    waitpid(other, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_THAT(log, ElementsAre("a client is refused: it is of another user"));
    EXPECT_EQ(target.memory[0x10], 0xa5);
  };
  try_it([this] { return connect_to_file(); });
  const Listener listener = listen_at_port(0);
  serve_at(listener);
  try_it([&] { return connect_to_port(listener.address); });
}

}  // namespace
}  // namespace pmufab::register_server
