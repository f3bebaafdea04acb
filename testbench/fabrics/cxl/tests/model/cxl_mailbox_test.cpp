// SPDX-License-Identifier: Apache-2.0
// The mailbox of a memory device, used correctly and wrongly by a driver. Opcodes, lengths and return codes come from
// the CXL specification (and Linux 7.3 drivers/cxl), and are repeated here.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/model/cxl_type3_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::cxl {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kInvalidInput = 2;
constexpr unsigned kUnsupported = 3;
constexpr unsigned kInternalError = 4;
constexpr unsigned kInvalidHandle = 0xe;
constexpr unsigned kInvalidLength = 0x16;
constexpr unsigned kInvalidLog = 0x17;

const Bytes kEffectsLog = {0x0d, 0xa9, 0xc0, 0xb5, 0xbf, 0x41, 0x4b, 0x78,
                           0x8f, 0x79, 0x96, 0xb1, 0x62, 0x3b, 0x3f, 0x17};

Bytes get_log_input(Bytes log, std::uint32_t offset, std::uint32_t length) {
  for (const std::uint32_t value : {offset, length}) {
    for (unsigned i = 0; i < 4; ++i) log.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  return log;
}

class CxlMailbox : public testing::SimulationTest {};

TEST_F(CxlMailbox, commands_of_the_driver_s_probe_are_answered) {
  Type3Parameters parameters;
  parameters.memory.volatile_capacity = std::uint64_t{3} << 30;
  parameters.memory.persistent_capacity = std::uint64_t{1} << 30;
  parameters.memory.firmware_revision = "v7";
  parameters.memory.event_message = 2;
  Type3Rig rig(parameters);
  run([&] {
    const auto logs = rig.command(0x0400);
    ASSERT_EQ(logs.code, 0U);
    ASSERT_EQ(logs.payload.size(), 8U + 20U);
    EXPECT_EQ(logs.number(0, 2), 1U);
    EXPECT_EQ(Bytes(logs.payload.begin() + 8, logs.payload.begin() + 24), kEffectsLog);
    const auto size = static_cast<std::uint32_t>(logs.number(24, 4));

    const auto log = rig.command(0x0401, get_log_input(kEffectsLog, 0, size));
    ASSERT_EQ(log.payload.size(), size);
    std::vector<unsigned> opcodes;
    for (std::size_t at = 0; at < size; at += 4) opcodes.push_back(static_cast<unsigned>(log.number(at, 2)));
    EXPECT_THAT(opcodes, ElementsAre(0x0100, 0x0101, 0x0102, 0x0103, 0x0300, 0x0301, 0x0400, 0x0401, 0x4000, 0x4100));
    for (const unsigned opcode : opcodes) EXPECT_NE(rig.command(opcode).code, kUnsupported) << opcode;
    const auto part = rig.command(0x0401, get_log_input(kEffectsLog, 4, 8));
    EXPECT_EQ(part.payload, Bytes(log.payload.begin() + 4, log.payload.begin() + 12));

    EXPECT_EQ(rig.command(0x0300).number(0, 8), 0U);  // never set
    const Picoseconds before = testing::now();
    EXPECT_EQ(rig.command(0x0301, {0x00, 0x10, 0, 0, 0, 0, 0, 0}).code, 0U);
    testing::advance(5'000'000'000);
    const std::uint64_t time = rig.command(0x0300).number(0, 8);
    EXPECT_GE(time, 0x1000U + 5'000'000);
    EXPECT_LE(time, 0x1000U + (testing::now() - before) / 1000);

    const auto identity = rig.command(0x4000);
    ASSERT_EQ(identity.payload.size(), 67U);
    EXPECT_EQ(identity.payload[0], 'v');
    EXPECT_EQ(identity.payload[2], 0U);
    EXPECT_EQ(identity.number(16, 8), 16U);  // units of 256 MiB
    EXPECT_EQ(identity.number(24, 8), 12U);
    EXPECT_EQ(identity.number(32, 8), 4U);
    EXPECT_EQ(identity.number(40, 8), 0U);
    EXPECT_EQ(identity.number(56, 4), 0U);  // no label storage
    const auto partitions = rig.command(0x4100);
    ASSERT_EQ(partitions.payload.size(), 32U);
    EXPECT_EQ(partitions.number(0, 8), 12U);
    EXPECT_EQ(partitions.number(8, 8), 4U);
    EXPECT_EQ(partitions.number(16, 8) | partitions.number(24, 8), 0U);

    EXPECT_THAT(rig.command(0x0102).payload, ElementsAre(0, 0, 0, 0));
    EXPECT_EQ(rig.command(0x0103, {1, 1, 1, 1}).code, 0U);
    EXPECT_THAT(rig.command(0x0102).payload, ElementsAre(0x21, 0x21, 0x21, 0x21));
    for (std::uint8_t number = 0; number < 4; ++number) {
      const auto records = rig.command(0x0100, {number});
      EXPECT_EQ(records.payload.size(), 32U);
      EXPECT_THAT(records.payload, Each(0));
    }
    EXPECT_EQ(rig.device.device().guest_errors(), 0U);
  });
}

TEST_F(CxlMailbox, wrong_commands_get_the_return_code_of_the_specification_and_change_nothing) {
  Type3Rig rig;
  run([&] {
    const auto code = [&](unsigned opcode, const Bytes& input = {}) {
      const auto answer = rig.command(opcode, input);
      EXPECT_THAT(answer.payload, IsEmpty()) << opcode;
      return answer.code;
    };
    for (const unsigned opcode : {0x0000U, 0x0200U, 0x0500U, 0x4001U, 0x4300U, 0x4400U, 0xffffU}) {
      EXPECT_EQ(code(opcode), kUnsupported) << opcode;
    }
    for (const unsigned opcode : {0x0102U, 0x0300U, 0x0400U, 0x4000U, 0x4100U}) {
      EXPECT_EQ(code(opcode, {0}), kInvalidLength) << opcode;
    }
    EXPECT_EQ(code(0x0301, Bytes(7)), kInvalidLength);
    EXPECT_EQ(code(0x0301, Bytes(9)), kInvalidLength);
    EXPECT_EQ(rig.command(0x0300).number(0, 8), 0U);
    EXPECT_EQ(code(0x0401, Bytes(23)), kInvalidLength);
    EXPECT_EQ(code(0x0401, get_log_input(Bytes(16), 0, 4)), kInvalidLog);
    EXPECT_EQ(code(0x0401, get_log_input(kEffectsLog, 0, 0x1000)), kInvalidInput);
    EXPECT_EQ(code(0x0401, get_log_input(kEffectsLog, 0xffff'fffc, 8)), kInvalidInput);
    EXPECT_EQ(code(0x0103, Bytes(3)), kInvalidLength);
    EXPECT_EQ(code(0x0103, {1, 1, 1, 3}), kInvalidInput);  // a reserved mode
    EXPECT_THAT(rig.command(0x0102).payload, Each(0));
    EXPECT_EQ(code(0x0100, {}), kInvalidLength);
    EXPECT_EQ(code(0x0100, {4}), kInvalidInput);
    EXPECT_EQ(code(0x0101, {0, 0, 0, 0, 0}), kInvalidLength);
    EXPECT_EQ(code(0x0101, {0, 0, 2, 0, 0, 0, 1, 0}), kInvalidLength);
    EXPECT_EQ(code(0x0101, {9, 0, 0, 0, 0, 0}), kInvalidInput);
    EXPECT_EQ(code(0x0101, {0, 1, 0, 0, 0, 0}), kInvalidInput);  // clear all without an overflow
    EXPECT_EQ(code(0x0101, {0, 0, 1, 0, 0, 0, 1, 0}), kInvalidHandle);
    EXPECT_EQ(rig.device.device().guest_errors(), 0U);  // probing for commands is not an error
  });
}

TEST_F(CxlMailbox, misuse_of_the_registers_is_reported_once_and_changes_nothing) {
  Type3Parameters parameters;
  parameters.command_latency = 50'000'000;
  parameters.payload_size_log2 = 8;
  Type3Rig rig(parameters);
  const std::string busy = "while a command is executed";
  run([&] {
    const std::uint64_t mailbox = rig.device_capability(2);
    EXPECT_EQ(rig.cpu.get32(mailbox) & 0x1f, 8U);
    expect_guest_error("257 bytes", "256");
    EXPECT_EQ(rig.command(0x0301, {1, 2, 3}, 257).code, kInvalidLength);
    EXPECT_EQ(rig.command(0x0301, {1, 2, 3}, 0x1f'ffff).code, kInvalidLength);
    EXPECT_EQ(rig.device.commands().executed(), 0U);

    // A command takes time. Its input belongs to the device until the doorbell is clear.
    rig.put_payload(mailbox, {1, 1, 1, 1});
    rig.cpu.put64(mailbox + 8, 0x0103U | 4U << 16);
    rig.cpu.put32(mailbox + 4, 1);
    testing::advance(40'000'000);
    EXPECT_EQ(rig.cpu.get32(mailbox + 4), 1U);
    expect_guest_error(busy, "command register");
    rig.cpu.put64(mailbox + 8, 0x0000);
    // Accesses of a size that no register takes are refused, as they are while nothing executes.
    expect_guest_error("1-byte", "4 or 8 bytes");
    EXPECT_EQ(rig.cpu.write(mailbox + 8, 0, 1).status, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_guest_error("8-byte", "aligned");
    EXPECT_EQ(rig.cpu.write(mailbox + 12, 0, 8).status, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_guest_error(busy, "command register");
    rig.cpu.put32(mailbox + 12, 0x1f);
    EXPECT_EQ(rig.cpu.get64(mailbox + 8), 0x0103U | 4U << 16);
    expect_guest_error(busy, "payload registers");
    EXPECT_TRUE(rig.cpu.write(mailbox + 0x20, 2, 1).ok());
    expect_guest_error(busy, "doorbell");
    rig.cpu.put32(mailbox + 4, 1);
    rig.cpu.put32(mailbox + 4, 1);
    rig.cpu.put32(mailbox + 4, 0);  // software cannot take the doorbell back
    EXPECT_EQ(rig.cpu.get32(mailbox + 4), 1U);
    testing::advance(10'000'000);
    EXPECT_EQ(rig.cpu.get32(mailbox + 4), 0U);
    EXPECT_EQ(rig.device.commands().executed(), 1U);
    EXPECT_EQ(rig.cpu.get64(mailbox + 0x10), 0U);
    EXPECT_THAT(rig.command(0x0102).payload, Each(0x01));

    expect_guest_error("3-byte", "1, 2, 4 or 8 bytes");
    EXPECT_EQ(rig.cpu.write(mailbox + 0x21, 0, 3).status, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_guest_error("4-byte", "aligned");
    EXPECT_EQ(rig.cpu.read(mailbox + 0x22, 4).status, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_guest_error("");  // the BAR is empty beyond the payload
    EXPECT_EQ(rig.cpu.read(mailbox + 0x120, 4).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_TRUE(rig.cpu.write(mailbox + 0x11e, 0xbbaa, 2).ok());
    EXPECT_EQ(rig.cpu.get32(mailbox + 0x11c), 0xbbaa'0000U);

    rig.device.device().set_mailbox_ready(false);
    expect_guest_error("not ready");
    rig.cpu.put32(mailbox + 4, 1);
    EXPECT_EQ(rig.cpu.get32(mailbox + 4), 0U);
  });
}

TEST_F(CxlMailbox, reports_a_mistake_again_after_a_reset) {
  Type3Rig rig;
  run([&] {
    const std::uint64_t mailbox = rig.device_capability(2);
    const std::uint64_t status = rig.device_capability(1);
    const auto make_mistakes = [&] {
      rig.cpu.read(mailbox + 0x22, 4);
      rig.cpu.read(status + 2, 4);
    };
    for (unsigned i = 0; i < 2; ++i) {
      expect_guest_error("offset 0x22", "aligned");
      expect_guest_error("4-byte read at offset 0x82");
      make_mistakes();
      make_mistakes();
      check_announced();
      rig.device.function().reset(pcie::ResetKind::function_level);
      rig.firmware();
    }
  });
}

TEST_F(CxlMailbox, event_records_are_told_by_a_message_read_in_order_and_cleared_by_handle) {
  Type3Parameters parameters;
  parameters.payload_size_log2 = 9;  // room for three records
  parameters.memory.event_message = 3;
  Type3Rig rig(parameters);
  EventRecord record;
  record.identifier[0] = 0xfb;
  record.flags = 0x0c0b0a;
  record.data[0] = 0x5d;
  run([&] {
    const unsigned msi_x = rig.capability(0x11);
    const std::uint64_t table = Type3Rig::kBar + (rig.config(msi_x + 4) & ~7U);
    rig.cpu.put64(table + 16 * 3, 0x1234'0000);
    rig.cpu.put64(table + 16 * 3 + 8, 77);
    rig.config_write(msi_x + 2, 2, 0x8000);
    const std::uint64_t status = rig.device_capability(1);

    rig.device.add_event(EventLog::warning, record);  // interrupts are not enabled yet
    EXPECT_EQ(rig.cpu.get32(status), 0x2U);
    EXPECT_THAT(rig.messages.messages(), IsEmpty());
    rig.command(0x0103, {1, 1, 1, 1});
    rig.device.add_event(EventLog::fatal, record);
    rig.device.add_event(EventLog::fatal, record);
    ASSERT_EQ(rig.messages.messages().size(), 1U);  // when the log is no longer empty
    EXPECT_EQ(rig.messages.messages()[0].data, 77U);
    EXPECT_EQ(rig.cpu.get64(status), 0xaU);

    for (unsigned i = 0; i < 3; ++i) rig.device.add_event(EventLog::warning, record);
    const auto records = rig.command(0x0100, {1});
    ASSERT_EQ(records.payload.size(), 32U + 3 * 128U);
    EXPECT_EQ(records.number(0, 1), 2U);  // there are more records
    EXPECT_EQ(records.number(20, 2), 3U);
    EXPECT_EQ(records.payload[32], 0xfb);
    EXPECT_EQ(records.number(48, 1), 128U);
    EXPECT_EQ(records.number(49, 3), 0x0c0b0aU);
    EXPECT_EQ(records.payload[32 + 48], 0x5d);
    const auto handle = [&](unsigned i) { return static_cast<std::uint8_t>(records.number(32 + 128 * i + 20, 2)); };
    EXPECT_EQ(rig.command(0x0101, {1, 0, 1, 0, 0, 0, handle(1), 0}).code, kInvalidHandle);  // this is not the oldest
    EXPECT_EQ(rig.command(0x0100, {1}).number(20, 2), 3U);
    EXPECT_EQ(rig.command(0x0101, {1, 0, 2, 0, 0, 0, handle(0), 0, handle(1), 0}).code, 0U);
    const auto rest = rig.command(0x0100, {1});
    EXPECT_EQ(rest.number(20, 2), 2U);
    EXPECT_EQ(rest.number(0, 1), 0U);
    EXPECT_EQ(rest.number(32 + 20, 2), handle(2));

    // Records that do not fit are counted. Then the log may be cleared as a whole.
    for (unsigned i = 0; i < EventLogs::kCapacity + 5; ++i) rig.device.add_event(EventLog::informational, record);
    EXPECT_EQ(rig.command(0x0100, {0}).number(0, 1), 3U);
    EXPECT_EQ(rig.command(0x0100, {0}).number(2, 2), 5U);
    EXPECT_EQ(rig.command(0x0101, {0, 1, 0, 0, 0, 0}).code, 0U);
    EXPECT_THAT(rig.command(0x0100, {0}).payload, Each(0));
    EXPECT_EQ(rig.cpu.get32(status), 0xaU);
  });
}

TEST_F(CxlMailbox, a_broken_device_fails_the_commands_it_is_told_to) {
  Type3Parameters parameters;
  parameters.memory.command_effects_log = false;
  parameters.memory.identify_bytes = 66;
  parameters.memory.failures = {{MailboxOpcode::get_event_interrupt_policy, MailboxReturn::internal_error},
                                {MailboxOpcode::set_timestamp, MailboxReturn::unsupported}};
  Type3Rig rig(parameters);
  run([&] {
    const auto logs = rig.command(0x0400);
    EXPECT_EQ(logs.payload.size(), 8U);
    EXPECT_THAT(logs.payload, Each(0));
    EXPECT_EQ(rig.command(0x0401, get_log_input(kEffectsLog, 0, 4)).code, kInvalidLog);
    EXPECT_EQ(rig.command(0x4000).payload.size(), 66U);
    EXPECT_EQ(rig.command(0x0102).code, kInternalError);
    EXPECT_EQ(rig.command(0x0301, Bytes(8)).code, kUnsupported);
  });
}

TEST_F(CxlMailbox, whatever_software_writes_the_mailbox_answers) {
  testing::let_writes_be_lost();
  Type3Parameters parameters;
  parameters.payload_size_log2 = 8;
  parameters.command_latency = 0;
  Type3Rig rig(parameters);
  run([&] {
    std::mt19937 random(20261121);
    const auto any = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    constexpr unsigned kKnown[] = {0x0100, 0x0101, 0x0102, 0x0103, 0x0300, 0x0301, 0x0400, 0x0401, 0x4000, 0x4100};
    const std::uint64_t mailbox = rig.device_capability(2);
    for (unsigned round = 0; round < 2000; ++round) {
      for (unsigned i = any(4); i > 0; --i)
        rig.cpu.put32(mailbox + 0x20 + 4 * any(10), static_cast<std::uint32_t>(any(3)));
      const std::uint64_t opcode = any(8) == 0 ? any(0x10000) : kKnown[any(10)];
      rig.cpu.put64(mailbox + 8, opcode | std::uint64_t{any(40)} << 16);
      rig.cpu.put32(mailbox + 4, static_cast<std::uint32_t>(random()) | 1U);
      if (any(16) == 0) rig.device.add_event(static_cast<EventLog>(any(4)), {});
      ASSERT_EQ(rig.cpu.get32(mailbox + 4), 0U);
      const std::uint64_t code = rig.cpu.get64(mailbox + 0x10) >> 32;
      const std::uint64_t length = rig.cpu.get64(mailbox + 8) >> 16;
      ASSERT_TRUE(code == 0 || code == kInvalidInput || code == kUnsupported || code == kInvalidHandle ||
                  code == kInvalidLength || code == kInvalidLog)
          << code;
      ASSERT_LE(length, code == 0 ? 256U : 0U);
    }
    EXPECT_EQ(rig.device.commands().executed(), 2000U);
    EXPECT_EQ(rig.device.device().guest_errors(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::cxl
