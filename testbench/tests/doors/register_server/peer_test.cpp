// SPDX-License-Identifier: Apache-2.0
// Whose connections the kernel says they are.
#include "testbench/doors/register_server/listener.h"

#include <arpa/inet.h>

#include <sstream>

#include <gtest/gtest.h>

namespace pmufab::register_server {
namespace {

sockaddr_in end_of(const char* address, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  EXPECT_EQ(inet_pton(AF_INET, address, &place.sin_addr), 1);
  return place;
}

// As proc_pid_net(5) describes the file. 0100007F is 127.0.0.1, 1267 is port 4711, BEEF is 48879.
constexpr const char* kTable =
    R"(  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1267 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0 100 0 0 10 0
   1: 0100007F:1267 0100007F:BEEF 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1
   2: 0100007F:BEEF 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1234        0 13 1 0 20 4 30 10 -1
   3: 0100007F:BEEE 0100007F:1267 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0
)";

std::optional<uid_t> owner(const char* table, std::uint16_t port) {
  std::istringstream text(table);
  return owner_of(text, end_of("127.0.0.1", port), end_of("127.0.0.1", 4711));
}

TEST(RegisterServerPeer, is_the_owner_of_the_clients_end_not_of_the_servers) {
  EXPECT_EQ(owner(kTable, 0xbeef), 1234U);
}

TEST(RegisterServerPeer, is_nobody_once_the_client_is_gone) {
  EXPECT_EQ(owner(kTable, 0xbeee), std::nullopt) << "the kernel keeps it for a while, and says user 0";
  EXPECT_EQ(owner(kTable, 0xbeed), std::nullopt);
  EXPECT_EQ(owner("", 0xbeef), std::nullopt);
  EXPECT_EQ(owner("   2: 0100007F:BEEF 0100007F:1267 01\n", 0xbeef), std::nullopt);
}

TEST(RegisterServerPeer, can_have_a_socket_of_ipv6) {
  constexpr const char* kTable6 =
      "   0: 0000000000000000FFFF00000100007F:BEEF 0000000000000000FFFF00000100007F:1267 01 00000000:00000000 "
      "00:00000000 00000000  1234        0 14 1 0 20 4 30 10 -1\n";
  EXPECT_EQ(owner(kTable6, 0xbeef), 1234U);
}

}  // namespace
}  // namespace pmufab::register_server
