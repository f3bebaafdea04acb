// SPDX-License-Identifier: Apache-2.0
// What another user of the machine can do to a shell.

#include <cerrno>
#include <cstdio>
#include <functional>
#include <utility>

#include <gmock/gmock.h>

#include "testbench/support/other_user.h"
#include "testbench/tests/doors/shell/shell_client.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;

/// @return 0, or the errno
int error_of(bool good) { return good ? 0 : errno; }

int connection_error(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int client = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  return error_of(connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
}

class ShellOtherUser : public ShellProtocol {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    ShellProtocol::SetUp();
    session = fs::path(path).parent_path();
  }
  [[nodiscard]] std::string in(const char* name) const { return (session / name).string(); }
  fs::path session;
};

TEST_F(ShellOtherUser, cannot_connect_plant_or_read_anything) {
  const std::pair<const char*, std::function<bool()>> attempts[] = {
      {"list", [&] { return ::open(session.c_str(), O_RDONLY | O_DIRECTORY) >= 0; }},
      {"enter", [&] { return chdir(session.c_str()) == 0; }},
      {"read the journal", [&] { return ::open(in("journal").c_str(), O_RDONLY) >= 0; }},
      {"write the journal", [&] { return ::open(in("journal").c_str(), O_WRONLY | O_APPEND) >= 0; }},
      {"read /sys", [&] { return ::open(in("sys/devices/system/cpu/online").c_str(), O_RDONLY) >= 0; }},
      {"plant a file", [&] { return ::open(in("sys/new").c_str(), O_WRONLY | O_CREAT, 0600) >= 0; }},
      {"plant a link", [&] { return symlink("/etc/passwd", in("new").c_str()) == 0; }},
      {"plant a library", [&] { return symlink("/tmp/library.so", in("preload.so").c_str()) == 0; }},
      {"remove the socket", [&] { return unlink(path.c_str()) == 0; }},
      {"give others rights", [&] { return chmod(session.c_str(), 0777) == 0; }}};
  for (const auto& attempt : attempts) {
    const int error = as_another_user([&] { return error_of(attempt.second()); });
    EXPECT_TRUE(error == EACCES || error == EPERM) << attempt.first << ": " << error;
  }
  EXPECT_EQ(as_another_user([&] { return connection_error(path); }), EACCES);
  EXPECT_TRUE(answers());
}

/// Each of three locks holds without the others: the folder's rights, the socket's, and the simulator's own look.
TEST_F(ShellOtherUser, cannot_connect_even_if_rights_are_given) {
  ASSERT_EQ(chmod(session.c_str(), 0755), 0);
  EXPECT_EQ(as_another_user([&] { return connection_error(path); }), EACCES) << "by the socket's rights";
  ASSERT_EQ(chmod(path.c_str(), 0777), 0);
  const int told = as_another_user([&] {
    const Client client = connect(true);
    const bool sent = client.send(request(PMUFAB_SHELL_CLOCK));  // the connection may be closed by now
    return client.receive() ? 1 : sent ? 2 : 3;
  });
  EXPECT_TRUE(told == 2 || told == 3) << "an answer came";
  EXPECT_TRUE(answers());
}

/// Where a shell makes its folder, others have things of the same kind.
TEST_F(ShellOtherUser, cannot_make_a_shell_touch_what_it_planted) {
  const fs::path shared = folder / "shared";
  fs::create_directory(shared);
  ASSERT_EQ(chmod(folder.c_str(), 0755) | chmod(shared.c_str(), 01777), 0);
  write("precious", "");
  const std::string planted = shared / "pmufab-scratch.abcdef";
  const std::string link = shared / "pmufab-scratch.ghijkl";
  ASSERT_EQ(as_another_user([&] {
              return mkdir(planted.c_str(), 0777) == 0 && symlink(folder.c_str(), link.c_str()) == 0 ? 0 : 1;
            }),
            0);
  const Outcome outcome = finish(start({"shell", platform.front(), "--", "true"}, {{"TMPDIR", shared.string()}}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(planted));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::exists(folder / "precious"));
  EXPECT_EQ(std::distance(fs::directory_iterator(shared), fs::directory_iterator()), 2) << "its own is gone";
}

}  // namespace
}  // namespace pmufab::testing
