// SPDX-License-Identifier: Apache-2.0
// The DOE mailbox as software uses it (PCI Express 6.0, 6.30 and 7.9.24). Offsets and bits are repeated here.

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/pcie/data_object_exchange.h"

namespace pmufab::pcie {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DataObjects : public ::testing::Test {
 protected:
  static constexpr unsigned kAt = 0x100;  // the only extended capability
  static constexpr std::uint32_t kReady = 1U << 31;
  static constexpr std::uint32_t kError = 1U << 2;

  DataObjects() {
    exchange.add(0x1e98, 2, [](std::span<const std::uint32_t> request) -> std::optional<DataObjectExchange::Words> {
      if (request[0] == 0xdead) return std::nullopt;
      return DataObjectExchange::Words{request[0] + 1, 0x22, 0x33};
    });
  }
  std::uint32_t status() { return space.read(kAt + 0x0c, 4); }
  void send(const std::vector<std::uint32_t>& words) {
    for (const std::uint32_t word : words) space.write(kAt + 0x10, 4, word, 0);
    space.write(kAt + 0x08, 4, 1U << 31, 0);
  }
  std::vector<std::uint32_t> receive() {
    std::vector<std::uint32_t> words;
    while ((status() & kReady) != 0 && words.size() < 100) {
      words.push_back(space.read(kAt + 0x14, 4));
      space.write(kAt + 0x14, 4, 0, 0);
    }
    return words;
  }

  ConfigurationSpace space{"function"};
  DataObjectExchange exchange{space};
};

TEST_F(DataObjects, are_an_extended_capability) {
  EXPECT_EQ(space.read(kAt, 4), 0x0001'002eU);
  EXPECT_EQ(status(), 0U);
}

TEST_F(DataObjects, discovery_lists_itself_and_the_others) {
  send({0x0000'0001, 3, 0});
  EXPECT_THAT(receive(), ElementsAre(0x0000'0001, 3, 0x0100'0001));
  send({0x0000'0001, 3, 1});
  EXPECT_THAT(receive(), ElementsAre(0x0000'0001, 3, 0x0002'1e98));
  send({0x0000'0001, 3, 2});
  EXPECT_THAT(receive(), ElementsAre(0x0000'0001, 3, 0xffff));
}

TEST_F(DataObjects, are_answered_word_by_word) {
  send({0x0002'1e98, 3, 0x10});
  EXPECT_EQ(status(), kReady);
  EXPECT_EQ(space.read(kAt + 0x14, 4), 0x0002'1e98U);
  EXPECT_EQ(space.read(kAt + 0x14, 4), 0x0002'1e98U) << "reading does not take the word away";
  EXPECT_THAT(receive(), ElementsAre(0x0002'1e98, 5, 0x11, 0x22, 0x33));
  EXPECT_EQ(status(), 0U);
  EXPECT_EQ(space.read(kAt + 0x10, 4), 0U);
  EXPECT_EQ(space.read(kAt + 0x08, 4), 0U);
}

TEST_F(DataObjects, of_an_unknown_type_or_refused_by_it_are_discarded) {
  send({0x0009'1e98, 3, 0});
  EXPECT_THAT(receive(), IsEmpty());
  send({0x0002'1e98, 3, 0xdead});
  EXPECT_THAT(receive(), IsEmpty());
  EXPECT_EQ(status(), 0U);
  send({0x0002'1e98, 3, 0});
  EXPECT_EQ(receive().size(), 5U) << "others are answered";
}

TEST_F(DataObjects, of_a_wrong_length_are_an_error_until_abort) {
  send({0x0002'1e98, 4, 0});
  EXPECT_EQ(status(), kError);
  space.write(kAt + 0x08, 4, 1, 0);
  EXPECT_EQ(status(), 0U);
  send({0x0002'1e98, 3, 0});
  EXPECT_EQ(receive().size(), 5U);
  send({});
  EXPECT_EQ(status(), kError);
}

TEST_F(DataObjects, that_come_before_the_answer_was_read_are_an_error) {
  send({0x0002'1e98, 3, 0});
  send({0x0002'1e98, 3, 0});
  EXPECT_EQ(status(), kError | kReady);
  exchange.reset();
  EXPECT_EQ(status(), 0U);
  EXPECT_THAT(receive(), IsEmpty());
}

}  // namespace
}  // namespace pmufab::pcie
