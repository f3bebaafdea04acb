// SPDX-License-Identifier: Apache-2.0
// Requests and replies of the GDB remote serial protocol, as GDB's manual describes them.
#include "testbench/doors/register_server/gdb_session.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "testbench/tests/doors/register_server/memory_target.h"

namespace pmufab::register_server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class RegisterServerSession : public ::testing::Test {
 protected:
  RegisterServerSession() {
    for (std::uint64_t address = 0x1000; address < 0x1010; ++address)
      target.memory[address] = static_cast<std::uint8_t>(address);
  }
  /// @return all bytes that come back
  std::string send(const std::string& bytes) {
    session.receive(bytes);
    return std::exchange(session.output(), {});
  }
  /// @return what the reply holds, which has no escapes
  std::string ask(const std::string& content) {
    const std::string reply = send(framed(content));
    EXPECT_THAT(reply, StartsWith("+$"));
    return reply.size() < 5 ? reply : reply.substr(2, reply.size() - 5);
  }

  MemoryTarget target;
  Session session{target};
};

TEST_F(RegisterServerSession, memory_is_read_and_written) {
  EXPECT_EQ(ask("m1000,4"), "00010203");
  EXPECT_EQ(ask("M1004,2:aBcD"), "OK");
  EXPECT_EQ(ask(std::string("X1008,3:\x00#}", 11)), "OK");
  EXPECT_EQ(ask("m1000,10"), "00010203abcd060700237d0b0c0d0e0f");
  EXPECT_THAT(target.reads, ElementsAre(std::pair(0x1000, 4), std::pair(0x1000, 16)));
  EXPECT_THAT(target.writes, ElementsAre(std::pair(0x1004, "\xab\xcd"), std::pair(0x1008, std::string("\0#}", 3))));
}

TEST_F(RegisterServerSession, an_interrupt_is_seen_among_what_is_not_answered_and_not_inside_of_a_packet) {
  EXPECT_FALSE(Session::is_interrupted_by(""));
  EXPECT_TRUE(Session::is_interrupted_by("\x03"));
  EXPECT_FALSE(Session::is_interrupted_by(framed("X1000,1:\x03")));
  EXPECT_TRUE(Session::is_interrupted_by(framed("m1000,1") + "\x03"));
}

TEST_F(RegisterServerSession, a_command_that_waits_is_answered_at_its_end_and_what_is_behind_it_afterwards) {
  MemoryTarget memory;
  Session waiting(memory);
  const std::string wait = framed("qRcmd," + to_hex("wait"));
  const std::string behind = framed("qC");
  EXPECT_EQ(waiting.receive(wait + behind), wait.size());
  EXPECT_EQ(waiting.waits_until(), 100U);
  EXPECT_EQ(waiting.output(), "+");
  EXPECT_EQ(waiting.receive(behind), 0U);
  memory.now = 100;
  waiting.end_wait();
  EXPECT_EQ(waiting.output(), "+" + framed("OK"));
  EXPECT_EQ(waiting.receive(wait + behind), wait.size());
  waiting.end_wait();
  EXPECT_TRUE(waiting.output().ends_with(framed("E01"))) << "its instant has not come";
  EXPECT_EQ(waiting.receive(behind + behind, 1), behind.size()) << "no more than one packet is wanted";
}

TEST_F(RegisterServerSession, a_read_ends_where_memory_ends) {
  EXPECT_EQ(ask("m100e,8"), "0e0f");
  EXPECT_THAT(ask("m1010,4"), StartsWith("E"));
  EXPECT_EQ(ask("m1000,ffffffffffffffff"), "000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(target.reads.back().second, kPacketSize / 2) << "a reply must not be larger than a packet";
}

TEST_F(RegisterServerSession, a_write_that_does_not_fit_is_an_error) {
  EXPECT_THAT(ask("M100f,2:0000"), StartsWith("E"));
  EXPECT_THAT(ask("M2000,1:00"), StartsWith("E"));
  EXPECT_EQ(ask("X1000,0:"), "OK") << "GDB asks so whether X is known";
}

TEST_F(RegisterServerSession, requests_that_make_no_sense_are_errors_and_touch_nothing) {
  for (const char* request : {"m",          "m1000",
                              "m1000,",     "m,4",
                              "m1000,0",    "mxyz,4",
                              "m1000,4,4",  "m11112222333344445,4",
                              "m-1,4",      "m 1000,4",
                              "M1000,1",    "M1000,1:0",
                              "M1000,1:0g", "M1000,2:00",
                              "M1000,0:00", "X1000,2:a",
                              "X:",         "M",
                              "X",          "qRcmd,6",
                              "qRcmd,zz",   "qXfer:features:read:target.xml:0"}) {
    EXPECT_THAT(ask(request), StartsWith("E")) << request;
  }
  EXPECT_THAT(target.reads, IsEmpty());
  EXPECT_THAT(target.writes, IsEmpty());
  EXPECT_THAT(target.commands, IsEmpty());
  EXPECT_EQ(ask("m1000,1"), "00");
}

TEST_F(RegisterServerSession, what_is_not_offered_has_an_empty_reply) {
  for (const char* request :
       {"", "vMustReplyEmpty", "vCont?", "Z0,1000,4", "z0,1000,4", "!", "p10", "R00", "x1000,4", "qTStatus",
        "qSymbol::", "QNonStop:1", "vFile:open:2f,0,0", "qXfer:memory-map:read::0,ff", "\xff"})
    EXPECT_EQ(ask(request), "") << request;
}

TEST_F(RegisterServerSession, there_is_no_cpu_to_start) {
  for (const char* request : {"c", "c1000", "s", "C05", "S05", "vCont;c", "vCont;s:1;c", "G00", "P10=00"})
    EXPECT_THAT(ask(request), StartsWith("E")) << request;
  EXPECT_THAT(ask("?"), StartsWith("T05"));
  EXPECT_FALSE(session.is_over());
}

TEST_F(RegisterServerSession, gdb_is_told_an_architecture_of_64_bits_that_it_knows) {
  EXPECT_THAT(
      ask("qSupported:multiprocess+;xmlRegisters=i386,arm;swbreak+"),
      ::testing::AllOf(HasSubstr("PacketSize=1000"), HasSubstr("QStartNoAckMode+"), HasSubstr("qXfer:features:read+")));
  const std::string x86 = ask("qXfer:features:read:target.xml:0,ffb");
  EXPECT_THAT(x86, ::testing::AllOf(StartsWith("l<?xml"), HasSubstr("<architecture>i386:x86-64<")));
  EXPECT_EQ(ask("g").size(), 17U * 16) << "rax to rip";
  static_cast<void>(ask("qSupported:multiprocess+;swbreak+"));
  EXPECT_THAT(ask("qXfer:features:read:target.xml:0,ffb"), HasSubstr("<architecture>aarch64<"));
  EXPECT_EQ(ask("g").size(), 33U * 16) << "x0 to pc";
  // In parts.
  static_cast<void>(ask("qSupported:xmlRegisters=i386"));
  EXPECT_EQ(ask("qXfer:features:read:target.xml:0,10"), "m" + x86.substr(1, 16));
  EXPECT_EQ(ask("qXfer:features:read:target.xml:10,ffb"), "l" + x86.substr(17));
  EXPECT_EQ(ask("qXfer:features:read:target.xml:1000,ffb"), "l");
}

TEST_F(RegisterServerSession, commands_print_and_succeed_or_fail) {
  target.printed = "one\n";
  EXPECT_EQ(send(framed("qRcmd,72756e2031307573")), "+" + framed("O6f6e650a") + framed("OK"));
  EXPECT_THAT(target.commands, ElementsAre("run 10us"));
  target.succeeds = false;
  EXPECT_EQ(send(framed("qRcmd,")), "+" + framed("O6f6e650a") + framed("E01"));
  target.succeeds = true;
  target.printed = std::string(5000, 'x');
  EXPECT_EQ(send(framed("qRcmd,72")), "+" + framed("O" + to_hex(std::string(2047, 'x'))) +
                                          framed("O" + to_hex(std::string(2047, 'x'))) +
                                          framed("O" + to_hex(std::string(906, 'x'))) + framed("OK"));
}

TEST_F(RegisterServerSession, damaged_packets_are_asked_for_again) {
  EXPECT_EQ(send("$m1000,1#00"), "-");
  EXPECT_THAT(target.reads, IsEmpty());
  EXPECT_EQ(send("$m1000,1#8b"), "+$00#60");
  EXPECT_EQ(send("-"), "$00#60") << "the client did not understand the reply";
  EXPECT_EQ(target.reads.size(), 1U);
}

TEST_F(RegisterServerSession, acknowledgements_can_be_switched_off) {
  EXPECT_EQ(send(framed("QStartNoAckMode")), "+$OK#9a");
  EXPECT_EQ(send("$m1000,1#8b"), "$00#60");
  EXPECT_EQ(send("-"), "");
  EXPECT_THAT(send("$m1000,1#00"), StartsWith("$E")) << "or the client would wait for ever";
}

TEST_F(RegisterServerSession, a_packet_that_is_too_long_is_an_error) {
  EXPECT_THAT(send("$M1000,1:" + std::string(100'000, '0')), IsEmpty());
  EXPECT_THAT(send("#00"), StartsWith("+$E"));
  EXPECT_EQ(ask("m1000,1"), "00");
}

TEST_F(RegisterServerSession, ends_when_the_client_detaches_or_kills) {
  EXPECT_EQ(ask("D"), "OK");
  EXPECT_TRUE(session.is_over());
  Session second(target);
  second.receive(framed("k"));
  EXPECT_TRUE(second.is_over());
  Session third(target);
  third.receive(framed("vKill;1"));
  EXPECT_TRUE(third.is_over());
}

TEST_F(RegisterServerSession, what_no_debugger_says_first_ends_it) {
  EXPECT_EQ(send("POST / HTTP/1.1\r\n\r\n$M1000,1:ff#71"), "");
  EXPECT_TRUE(session.is_over());
  EXPECT_THAT(target.writes, IsEmpty());
}

}  // namespace
}  // namespace pmufab::register_server
