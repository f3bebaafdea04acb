// SPDX-License-Identifier: Apache-2.0
// The conversation of a vfio-user server, message by message.

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/doors/vfio_user/session.h"
#include "testbench/tests/doors/vfio_user/memory_function.h"
#include "testbench/tests/doors/vfio_user/messages.h"

namespace pmufab::vfio_user {
namespace {

constexpr std::size_t kPayload = sizeof(Header);

class SessionTest : public ::testing::Test {
 protected:
  /// @return the answer with its header
  std::vector<std::uint8_t> say(Command which, const Bytes& payload = {}, std::uint32_t flags = 0,
                                std::vector<Descriptor> descriptors = {}) {
    alive = session.handle(command(which, payload.get().size(), 7, flags), payload.get(), std::move(descriptors));
    return std::exchange(session.output(), {});
  }
  void agree() {
    const auto answer = say(Command::version, Bytes().add(Version{kMajor, kMinor}).add_text("{\"capabilities\":{}}"));
    ASSERT_TRUE(alive);
    ASSERT_EQ(take_at<Header>(answer, 0).flags, kReply);
  }
  /// @return the errno of the answer
  int error_of(Command which, const Bytes& payload = {}, std::vector<Descriptor> descriptors = {}) {
    const auto answer = say(which, payload, 0, std::move(descriptors));
    const auto header = take_at<Header>(answer, 0);
    EXPECT_TRUE(alive);
    EXPECT_EQ(header.size, answer.size());
    EXPECT_EQ(header.id, 7);
    EXPECT_EQ(header.command, static_cast<std::uint16_t>(which));
    if (header.flags == kReply) return 0;
    EXPECT_EQ(header.flags, kReply | kError);
    EXPECT_EQ(answer.size(), sizeof(Header)) << "an error has no payload";
    return static_cast<int>(header.error);
  }

  MemoryFunction function;
  Session session{function};
  bool alive = true;
};

TEST_F(SessionTest, begins_with_a_version_of_which_the_lower_minor_counts) {
  const auto answer =
      say(Command::version,
          Bytes().add(Version{0, 9}).add_text(R"({"capabilities":{"write_multiple":true,"max_msg_fds":8}})"));
  EXPECT_TRUE(alive);
  const auto header = take_at<Header>(answer, 0);
  EXPECT_EQ(header.flags, kReply);
  EXPECT_EQ(header.size, answer.size());
  EXPECT_EQ(take_at<Version>(answer, kPayload).major, 0);
  EXPECT_EQ(take_at<Version>(answer, kPayload).minor, kMinor);
  EXPECT_EQ(answer.back(), 0);
  const std::string text(answer.begin() + kPayload + sizeof(Version), answer.end() - 1);
  EXPECT_NE(text.find("\"write_multiple\":true"), std::string::npos) << text;
  EXPECT_EQ(function.client, &session);
}

TEST_F(SessionTest, ends_with_a_client_that_says_no_version_or_one_it_does_not_know) {
  for (const auto& [which, payload] :
       {std::pair{Command::device_get_info, Bytes().add(DeviceInfo{16, 0, 0, 0})}, std::pair{Command::version, Bytes()},
        std::pair{Command::version, Bytes().add(Version{1, 0})},
        std::pair{Command::version, Bytes().add(Version{0, 1}).add_text("{\"capabilities\":")},
        std::pair{Command::version, Bytes().add(Version{0, 1}).add_text("[]")},
        std::pair{Command::version, Bytes().add(Version{0, 1}).add('x')}}) {
    MemoryFunction other;
    Session fresh(other);
    EXPECT_FALSE(fresh.handle(command(which, payload.get().size()), payload.get(), {}));
    EXPECT_FALSE(fresh.error().empty());
    EXPECT_EQ(other.client, nullptr);
  }
}

TEST_F(SessionTest, refuses_headers_that_cannot_be) {
  EXPECT_TRUE(Session::reject({0, 9, 15, 0, 0}).has_value());
  EXPECT_TRUE(Session::reject({0, 9, 0, 0, 0}).has_value());
  EXPECT_TRUE(Session::reject({0, 9, kLongestMessage + 1, 0, 0}).has_value());
  EXPECT_TRUE(Session::reject({0, 9, 0xffff'ffff, 0, 0}).has_value());
  EXPECT_TRUE(Session::reject({0, 9, 32, 2, 0}).has_value());
  EXPECT_FALSE(Session::reject({0, 9, 16, kNoReply, 0}).has_value());
}

TEST_F(SessionTest, tells_what_the_function_has) {
  agree();
  auto answer = say(Command::device_get_info, Bytes().add(DeviceInfo{sizeof(DeviceInfo), 0, 0, 0}));
  EXPECT_EQ(take_at<DeviceInfo>(answer, kPayload).num_regions, kRegions);
  EXPECT_EQ(take_at<DeviceInfo>(answer, kPayload).num_irqs, kIrqKinds);
  EXPECT_EQ(take_at<DeviceInfo>(answer, kPayload).flags, kDevicePci | kDeviceReset);
  for (const auto& [index, size] : {std::pair{0U, std::uint64_t{0x1000}}, std::pair{1U, std::uint64_t{0}},
                                    std::pair{kConfigRegion, std::uint64_t{256}}}) {
    answer = say(Command::device_get_region_info, Bytes().add(RegionInfo{sizeof(RegionInfo), 0, index, 0, 0, 0}));
    EXPECT_EQ(take_at<RegionInfo>(answer, kPayload).size, size);
    EXPECT_EQ(take_at<RegionInfo>(answer, kPayload).flags, size == 0 ? 0 : kRegionRead | kRegionWrite);
  }
  answer = say(Command::device_get_irq_info, Bytes().add(IrqInfo{sizeof(IrqInfo), 0, kMsiX, 0}));
  EXPECT_EQ(take_at<IrqInfo>(answer, kPayload).count, 4U);
  EXPECT_EQ(
      error_of(Command::device_get_region_info, Bytes().add(RegionInfo{sizeof(RegionInfo), 0, kRegions, 0, 0, 0})),
      EINVAL);
  EXPECT_EQ(error_of(Command::device_get_irq_info, Bytes().add(IrqInfo{sizeof(IrqInfo), 0, kIrqKinds, 0})), EINVAL);
  EXPECT_EQ(error_of(Command::device_get_info, Bytes().add(DeviceInfo{8, 0, 0, 0})), EINVAL);
  EXPECT_EQ(error_of(Command::device_get_info), EINVAL);
}

TEST_F(SessionTest, reads_and_writes_what_lies_within_a_region_and_nothing_else) {
  agree();
  EXPECT_EQ(error_of(Command::region_write, Bytes().add(RegionAccess{0x10, 0, 4}).add(0x1122'3344U)), 0);
  const auto answer = say(Command::region_read, Bytes().add(RegionAccess{0x10, 0, 4}));
  EXPECT_EQ(take_at<RegionAccess>(answer, kPayload).count, 4U);
  EXPECT_EQ(take_at<std::uint32_t>(answer, kPayload + sizeof(RegionAccess)), 0x1122'3344U);
  EXPECT_EQ(function.writes, 1U);
  for (const RegionAccess access :
       {RegionAccess{0x1000, 0, 4}, RegionAccess{0xffd, 0, 4}, RegionAccess{~std::uint64_t{0}, 0, 4},
        RegionAccess{0, 1, 4}, RegionAccess{0, kRegions, 4}, RegionAccess{0, 0xffff'ffff, 4}, RegionAccess{0, 0, 0},
        RegionAccess{0, 0, kLongestData + 1}, RegionAccess{0, 0, 0xffff'ffff}}) {
    EXPECT_EQ(error_of(Command::region_read, Bytes().add(access)), EINVAL);
    EXPECT_EQ(error_of(Command::region_write, Bytes().add(access).add(std::uint64_t{0})), EINVAL);
  }
  EXPECT_EQ(error_of(Command::region_write, Bytes().add(RegionAccess{0, 0, 8}).add(std::uint32_t{0})), EINVAL)
      << "fewer bytes than it says";
  EXPECT_EQ(error_of(Command::region_read, Bytes().add(std::uint64_t{0})), EINVAL);
  EXPECT_EQ(error_of(Command::region_read, Bytes().add(RegionAccess{MemoryFunction::kRefuses, 0, 4})), EINVAL);
  EXPECT_EQ(function.writes, 1U);
}

TEST_F(SessionTest, writes_many_at_once_or_none) {
  agree();
  const MultiWrite good{0x20, 0, 4, 0x55};
  EXPECT_EQ(
      error_of(Command::region_write_multi, Bytes().add(std::uint64_t{2}).add(good).add(MultiWrite{0x28, 0, 1, 0x66})),
      0);
  EXPECT_EQ(function.bar[0x20], 0x55);
  EXPECT_EQ(function.bar[0x28], 0x66);
  const unsigned before = function.writes;
  EXPECT_EQ(error_of(Command::region_write_multi, Bytes().add(std::uint64_t{3}).add(good).add(good)), EINVAL);
  EXPECT_EQ(error_of(Command::region_write_multi, Bytes().add(~std::uint64_t{0}).add(good)), EINVAL);
  EXPECT_EQ(
      error_of(Command::region_write_multi, Bytes().add(std::uint64_t{2}).add(good).add(MultiWrite{0x20, 0, 9, 0})),
      EINVAL);
  EXPECT_EQ(
      error_of(Command::region_write_multi, Bytes().add(std::uint64_t{2}).add(good).add(MultiWrite{0x1000, 0, 4, 0})),
      EINVAL);
  EXPECT_EQ(function.writes, before);
}

TEST_F(SessionTest, says_nothing_to_a_client_that_wants_no_answer) {
  agree();
  EXPECT_TRUE(say(Command::region_write, Bytes().add(RegionAccess{0, 0, 4}).add(1U), kNoReply).empty());
  EXPECT_EQ(function.writes, 1U);
  EXPECT_TRUE(say(Command::region_write, Bytes().add(RegionAccess{0x2000, 0, 4}).add(1U), kNoReply).empty());
  EXPECT_TRUE(alive);
}

TEST_F(SessionTest, keeps_the_clients_ranges_of_memory_apart) {
  agree();
  const auto map = [&](std::uint64_t address, std::uint64_t size) {
    return error_of(Command::dma_map, Bytes().add(DmaMap{sizeof(DmaMap), 3, 0, address, size}));
  };
  const auto unmap = [&](std::uint64_t address, std::uint64_t size, std::uint32_t flags = 0) {
    return error_of(Command::dma_unmap, Bytes().add(DmaUnmap{sizeof(DmaUnmap), flags, address, size}));
  };
  EXPECT_EQ(map(0x1000, 0x1000), 0);
  EXPECT_EQ(map(0x3000, 0x1000), 0);
  EXPECT_EQ(map(0x2000, 0x1000), 0);
  EXPECT_EQ(map(0x1fff, 1), EEXIST);
  EXPECT_EQ(map(0, 0x1001), EEXIST);
  EXPECT_EQ(map(0, ~std::uint64_t{0}), EEXIST);
  EXPECT_EQ(map(0x5000, 0), EINVAL);
  EXPECT_EQ(map(~std::uint64_t{0}, 2), EINVAL);
  EXPECT_EQ(map(~std::uint64_t{0}, 1), 0);
  EXPECT_EQ(unmap(0x1000, 0x800), ENOENT);
  EXPECT_EQ(unmap(0x1000, 0x1000), 0);
  EXPECT_EQ(unmap(0x1000, 0x1000), ENOENT);
  EXPECT_EQ(session.dma_maps(), 3U);
  EXPECT_EQ(unmap(1, 0, kUnmapAll), EINVAL);
  EXPECT_EQ(unmap(0, 0, kUnmapAll), 0);
  EXPECT_EQ(session.dma_maps(), 0U);
}

class Event {
 public:
  Event() : number_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Event() { close(number_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  /// One more than a message can carry.
  [[nodiscard]] Descriptor copy() const { return Descriptor(dup(number_)); }
  [[nodiscard]] std::uint64_t take() const {
    std::uint64_t count = 0;
    return read(number_, &count, sizeof(count)) == sizeof(count) ? count : 0;
  }

 private:
  int number_;
};

class SessionInterrupts : public SessionTest {
 protected:
  int set(std::uint32_t flags, std::uint32_t start, std::uint32_t count, std::vector<Descriptor> descriptors = {},
          const std::vector<std::uint8_t>& chosen = {}) {
    Bytes payload;
    payload.add(IrqSet{static_cast<std::uint32_t>(sizeof(IrqSet) + chosen.size()), flags, kMsiX, start, count});
    for (const std::uint8_t one : chosen) payload.add(one);
    return error_of(Command::device_set_irqs, payload, std::move(descriptors));
  }
  static std::vector<Descriptor> copies(const Event& a, const Event& b) {
    std::vector<Descriptor> list;
    list.push_back(a.copy());
    list.push_back(b.copy());
    return list;
  }

  Event first;
  Event second;
};

TEST_F(SessionInterrupts, come_by_the_clients_descriptors) {
  agree();
  EXPECT_EQ(set(kDataEventFd | kActionTrigger, 1, 2, copies(first, second)), 0);
  session.interrupt(kMsiX, 0);
  session.interrupt(kMsiX, 3);
  session.interrupt(kMsiX, 77);
  session.interrupt(kMsiX, 2);
  session.interrupt(kMsiX, 2);
  EXPECT_EQ(first.take(), 0U);
  EXPECT_EQ(second.take(), 2U);
  EXPECT_EQ(set(kDataBool | kActionTrigger, 1, 2, {}, {1, 0}), 0) << "the client can do it itself";
  EXPECT_EQ(first.take(), 1U);
  EXPECT_EQ(second.take(), 0U);
  EXPECT_EQ(set(kDataEventFd | kActionTrigger, 1, 1), 0) << "given back";
  session.interrupt(kMsiX, 1);
  session.interrupt(kMsiX, 2);
  EXPECT_EQ(first.take(), 0U);
  EXPECT_EQ(second.take(), 1U);
  EXPECT_EQ(set(kDataNone | kActionTrigger, 0, 0), 0) << "all off";
  session.interrupt(kMsiX, 2);
  EXPECT_EQ(second.take(), 0U);
}

TEST_F(SessionInterrupts, wait_while_they_are_masked) {
  agree();
  ASSERT_EQ(set(kDataEventFd | kActionTrigger, 1, 2, copies(first, second)), 0);
  EXPECT_EQ(set(kDataNone | kActionMask, 1, 2), 0);
  session.interrupt(kMsiX, 1);
  session.interrupt(kMsiX, 1);
  EXPECT_EQ(first.take(), 0U);
  EXPECT_EQ(set(kDataNone | kActionUnmask, 1, 2), 0);
  EXPECT_EQ(first.take(), 1U);
  EXPECT_EQ(second.take(), 0U);
}

TEST_F(SessionInterrupts, that_cannot_be_are_refused) {
  agree();
  EXPECT_EQ(set(kDataEventFd | kActionTrigger, 3, 2, copies(first, second)), EINVAL);
  EXPECT_EQ(set(kDataEventFd | kActionTrigger, 0xffff'ffff, 2, copies(first, second)), EINVAL);
  EXPECT_EQ(set(kDataEventFd | kActionTrigger, 0, 0xffff'ffff, copies(first, second)), EINVAL);
  EXPECT_EQ(set(kDataEventFd | kActionTrigger, 0, 3, copies(first, second)), EINVAL);
  EXPECT_EQ(set(kDataEventFd | kActionMask, 0, 2, copies(first, second)), EINVAL);
  EXPECT_EQ(set(kDataEventFd | kDataBool | kActionTrigger, 0, 2, copies(first, second), {1, 1}), EINVAL);
  EXPECT_EQ(set(kDataBool | kActionTrigger, 0, 2, {}, {1}), EINVAL);
  EXPECT_EQ(set(kDataNone, 0, 1), EINVAL);
  EXPECT_EQ(set(kActionTrigger, 0, 1), EINVAL);
  EXPECT_EQ(set(kDataNone | kActionTrigger | 0x40, 0, 1), EINVAL);
  EXPECT_EQ(error_of(Command::device_set_irqs, Bytes().add(IrqSet{20, kDataNone | kActionTrigger, 0, 0, 1})), EINVAL)
      << "there is no INTx";
  EXPECT_EQ(error_of(Command::device_set_irqs, Bytes().add(std::uint64_t{0})), EINVAL);
}

TEST_F(SessionTest, writes_the_clients_memory_behind_the_answer_under_way) {
  agree();
  function.bar[MemoryFunction::kInterrupt] = 99;
  const auto bytes = say(Command::region_read, Bytes().add(RegionAccess{MemoryFunction::kInterrupt, 0, 4}));
  const auto answer = take_at<Header>(bytes, 0);
  EXPECT_EQ(answer.flags, kReply);
  ASSERT_EQ(answer.size, sizeof(Header) + sizeof(RegionAccess) + 4);
  const auto write = take_at<Header>(bytes, answer.size);
  EXPECT_EQ(write.command, static_cast<std::uint16_t>(Command::dma_write));
  EXPECT_EQ(write.flags, kCommand);
  EXPECT_EQ(write.size + answer.size, bytes.size());
  EXPECT_EQ(take_at<DmaAccess>(bytes, answer.size + sizeof(Header)).address, MemoryFunction::kDoorbell);
  EXPECT_EQ(bytes.back(), 99);
  // Its answer is accepted, and no other one.
  Header reply = command(Command::dma_write, 0, write.id, kReply | kError);
  EXPECT_TRUE(session.handle(reply, {}, {}));
  EXPECT_EQ(session.refused_writes(), 1U);
  EXPECT_FALSE(session.handle(reply, {}, {}));
}

TEST_F(SessionTest, resets_and_refuses_what_it_does_not_do) {
  agree();
  EXPECT_EQ(error_of(Command::device_reset), 0);
  EXPECT_EQ(function.resets, 1U);
  EXPECT_EQ(error_of(Command::device_feature, Bytes().add(std::uint64_t{0})), ENOTSUP);
  EXPECT_EQ(error_of(Command::device_get_region_io_fds, Bytes().add(std::uint64_t{0})), ENOTSUP);
  EXPECT_EQ(error_of(static_cast<Command>(999)), ENOTSUP);
  EXPECT_EQ(error_of(Command::dma_write, Bytes().add(DmaAccess{0, 0})), EINVAL);
  EXPECT_EQ(error_of(Command::version, Bytes().add(Version{0, 1})), EINVAL);
}

}  // namespace
}  // namespace pmufab::vfio_user
