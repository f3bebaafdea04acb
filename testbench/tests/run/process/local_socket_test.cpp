// SPDX-License-Identifier: Apache-2.0
// Sockets on which servers listen to clients of this machine.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

#include "testbench/run/process/local_socket.h"

namespace pmufab::process {
namespace {

class LocalSocket : public ::testing::Test {
 protected:
  LocalSocket() {
    std::string name = ::testing::TempDir() + "pmufab-socket-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~LocalSocket() override { std::filesystem::remove_all(folder); }

  [[nodiscard]] std::errc error_of(const std::string& name) const {
    try {
      static_cast<void>(listen_at(folder / name, SOCK_STREAM));
    } catch (const std::system_error& error) {
      return static_cast<std::errc>(error.code().value());
    }
    return {};
  }

  std::filesystem::path folder;
};

TEST_F(LocalSocket, takes_connections_of_its_type_without_waiting) {
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET}) {
    const std::filesystem::path path = folder / std::to_string(type);
    const Descriptor listener = listen_at(path, type);
    EXPECT_LT(accept(listener.get(), nullptr, nullptr), 0) << "nobody is there";
    const Descriptor client(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_TRUE(Descriptor(accept(listener.get(), nullptr, nullptr)));
  }
}

TEST_F(LocalSocket, is_of_this_user_alone) {
  const mode_t before = umask(0);
  const Descriptor listener = listen_at(folder / "s", SOCK_STREAM);
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat((folder / "s").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(LocalSocket, is_refused_where_it_cannot_be) {
  EXPECT_EQ(error_of(std::string(sizeof(sockaddr_un::sun_path), 'x')), std::errc::filename_too_long);
  EXPECT_EQ(error_of("no/folder"), std::errc::no_such_file_or_directory);
  std::ofstream(folder / "there") << "precious";
  EXPECT_EQ(error_of("there"), std::errc::address_in_use);
  std::string content;
  std::ifstream(folder / "there") >> content;
  EXPECT_EQ(content, "precious");
}

}  // namespace
}  // namespace pmufab::process
