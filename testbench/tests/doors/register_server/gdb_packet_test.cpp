// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/gdb_packet.h"

#include <vector>

#include <gmock/gmock.h>

namespace pmufab::register_server {
namespace {

using ::testing::ElementsAre;
using Found = PacketReader::Found;

/// What is found in bytes that come in pieces of a size.
std::vector<std::pair<Found, std::string>> found_in(const std::string& bytes, std::size_t piece) {
  PacketReader reader;
  std::vector<std::pair<Found, std::string>> all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    std::string_view rest = std::string_view(bytes).substr(at, piece);
    while (true) {
      const Found found = reader.take(rest);
      if (found == Found::nothing) break;
      all.emplace_back(found, found == Found::packet ? reader.content() : "");
    }
    EXPECT_TRUE(rest.empty());
  }
  return all;
}

// The checksums of these packets are worked out by hand: the sum of the bytes, modulo 256.
TEST(RegisterServerPacket, is_found_however_its_bytes_arrive) {
  const std::string bytes = "+$m0,4#fd+\x03$OK#9a-";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
    EXPECT_THAT(found_in(bytes, piece), ElementsAre(std::pair(Found::packet, "m0,4"), std::pair(Found::interrupt, ""),
                                                    std::pair(Found::packet, "OK"), std::pair(Found::resend, "")));
}

TEST(RegisterServerPacket, with_a_wrong_checksum_is_bad_and_the_next_one_is_good) {
  EXPECT_THAT(found_in("$m0,4#fc$OK#9a", 100),
              ElementsAre(std::pair(Found::bad_packet, ""), std::pair(Found::packet, "OK")));
  EXPECT_THAT(found_in("$OK#9g$OK#9A", 100),
              ElementsAre(std::pair(Found::bad_packet, ""), std::pair(Found::packet, "OK")));
}

TEST(RegisterServerPacket, that_was_cut_off_does_not_take_the_next_one_with_it) {
  EXPECT_THAT(found_in("$m0,$OK#9a", 100), ElementsAre(std::pair(Found::packet, "OK")));
}

TEST(RegisterServerPacket, has_escapes_for_what_has_a_meaning) {
  // '#' is 0x23, which is sent as '}' (0x7d) and 0x03: 0x80.
  EXPECT_THAT(found_in("$}\x03#80", 1), ElementsAre(std::pair(Found::packet, "#")));
  EXPECT_EQ(framed("#"), "$}\x03#80");
  EXPECT_THAT(found_in("$}#7d", 100), ElementsAre(std::pair(Found::bad_packet, "")));
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  EXPECT_THAT(found_in(framed(every), 3), ElementsAre(std::pair(Found::packet, every)));
}

TEST(RegisterServerPacket, that_is_too_long_is_dropped_as_a_whole) {
  const std::string longest(kPacketSize, '}');  // each takes two bytes
  EXPECT_THAT(found_in(framed(longest), 1000), ElementsAre(std::pair(Found::packet, longest)));
  EXPECT_THAT(found_in(framed(longest + "x") + "$OK#9a", 1000),
              ElementsAre(std::pair(Found::long_packet, ""), std::pair(Found::packet, "OK")));
}

TEST(RegisterServerPacket, numbers_are_pairs_of_digits) {
  std::string bytes;
  EXPECT_TRUE(from_hex("00fFA7", bytes));
  EXPECT_EQ(bytes, std::string("\x00\xff\xa7", 3));
  EXPECT_EQ(to_hex(bytes), "00ffa7");
  EXPECT_FALSE(from_hex("0", bytes));
  EXPECT_FALSE(from_hex("0x", bytes));
  EXPECT_TRUE(from_hex("", bytes));
}

}  // namespace
}  // namespace pmufab::register_server
