// SPDX-License-Identifier: Apache-2.0
// Who must answer whom: docs/cxl-messages.md, sections 3 to 5, rule by rule.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/judge/cxl_session.h"

namespace pmufab::scoreboard::test {
namespace {

constexpr CxlClass kReq = CxlClass::m2s_req;
constexpr CxlClass kRwd = CxlClass::m2s_rwd;
constexpr CxlClass kBiRsp = CxlClass::m2s_birsp;
constexpr CxlClass kBiSnp = CxlClass::s2m_bisnp;
constexpr CxlClass kNdr = CxlClass::s2m_ndr;
constexpr CxlClass kDrs = CxlClass::s2m_drs;
constexpr CxlClass kD2hReq = CxlClass::d2h_req;
constexpr CxlClass kD2hRsp = CxlClass::d2h_rsp;
constexpr CxlClass kD2hData = CxlClass::d2h_data;
constexpr CxlClass kH2dReq = CxlClass::h2d_req;
constexpr CxlClass kH2dRsp = CxlClass::h2d_rsp;
constexpr CxlClass kH2dData = CxlClass::h2d_data;
constexpr std::uint64_t kNobodys = 16 * CxlSession::kGiB;
constexpr std::uint64_t kHostLine = 64 * CxlSession::kGiB;

/// A link between a host and a device. Nothing is written to memory: only the answers matter.
class CxlProtocolTest : public ::testing::Test {
 protected:
  CxlProtocolTest() : session(std::make_unique<CxlSession>()) {}

  void pass(CxlClass which, unsigned opcode, std::uint64_t address, std::uint16_t tag = 1, CxlMeta meta = CxlMeta::none,
            unsigned lines = 1, bool tee = false) {
    session->pass(CxlSession::message(which, opcode, address, tag, meta, lines, tee));
  }
  /// @return the kinds of failures so far, except those about memory, and forget them.
  std::string failures(bool finish = false) {
    if (finish) session->board.finish();
    std::string text;
    for (const auto& [kind, count] : session->board.findings().counts()) {
      if (kind.starts_with("memory_")) continue;
      text += (text.empty() ? "" : " ") + kind;
    }
    session = std::make_unique<CxlSession>();
    return text;
  }
  std::unique_ptr<CxlSession> session;
};

struct Answered {
  CxlClass which;
  unsigned opcode;
  std::uint64_t address;
  CxlMeta meta;
  bool tee;
  int ndr;  ///< the expected one; -1: none
  int drs;
  unsigned also = 0;  ///< another NDR that is allowed; 0: none
};

TEST_F(CxlProtocolTest, each_request_has_its_answers_in_each_memory) {
  constexpr std::uint64_t kH = CxlSession::kH;
  constexpr std::uint64_t kDb = CxlSession::kDb;
  constexpr std::uint64_t kD = CxlSession::kD;
  using enum CxlMeta;
  const std::vector<Answered> cases = {
      {kReq, 1, kH, none, false, -1, 0},       {kReq, 5, kH, none, true, -1, 2},
      {kReq, 2, kH, none, false, -1, 0},       {kReq, 0, kH, any, false, 0, -1},
      {kReq, 7, kH, any, true, 0, -1},         {kReq, 9, kH, none, false, 0, -1},
      {kReq, 10, kH, none, false, 0, -1},      {kRwd, 1, kH, invalid, false, 0, -1},
      {kRwd, 2, kH, none, false, 0, -1},       {kRwd, 10, kH, none, true, 5, -1},
      {kReq, 1, kDb, invalid, false, 0, 0},    {kReq, 1, kDb, none, false, 0, 0},
      {kReq, 1, kDb, shared, false, 1, 0},     {kReq, 1, kDb, any, false, 2, 0, 3},
      {kReq, 5, kDb, any, true, 7, 2, 3},      {kReq, 6, kDb, none, true, 6, 2, 7},
      {kReq, 2, kD, none, false, 1, 0, 2},     {kReq, 0, kD, any, false, 2, -1, 3},
      {kReq, 11, kDb, shared, true, 6, -1},    {kReq, 10, kDb, none, false, 0, -1},
      {kRwd, 9, kDb, any, true, 5, -1},        {kReq, 1, kNobodys, any, false, -1, 1},
      {kReq, 6, kNobodys, none, true, -1, 1},  {kReq, 0, kNobodys, any, false, 0, -1},
      {kRwd, 1, kNobodys, none, false, 0, -1}, {kReq, 7, kDb, shared, true, 1, -1},
      {kReq, 14, kDb, none, true, 0, -1},      {kReq, 15, kDb, none, true, 0, -1},
      {kReq, 13, kDb, invalid, true, 0, -1},   {kReq, 13, kH, invalid, false, 0, -1},
      {kRwd, 5, kDb, none, false, -1, 0},      {kRwd, 13, kH, none, true, -1, 2},
      {kRwd, 5, kNobodys, none, false, -1, 1},
  };
  for (const Answered& one : cases) {
    SCOPED_TRACE(fmt::format("{} {} {:#x} meta {}", to_string(one.which), one.opcode, one.address,
                             static_cast<unsigned>(one.meta)));
    const auto ask = [&] { pass(one.which, one.opcode, one.address, 3, one.meta, 1, one.tee); };
    ask();
    EXPECT_EQ(failures(true), "request_unanswered");
    for (unsigned opcode = 0; opcode < 8; ++opcode) {
      if (opcode == 4) continue;
      ask();
      if (one.drs >= 0) pass(kDrs, static_cast<unsigned>(one.drs), one.address, 3);
      pass(kNdr, opcode, one.address, 3);
      const bool right = static_cast<int>(opcode) == one.ndr || (one.also != 0 && opcode == one.also);
      EXPECT_EQ(failures(true).empty(), right) << opcode;
    }
    for (unsigned opcode = 0; opcode < 3; ++opcode) {
      ask();
      if (one.ndr >= 0) pass(kNdr, static_cast<unsigned>(one.ndr), one.address, 3);
      pass(kDrs, opcode, one.address, 3);
      EXPECT_EQ(failures(true).empty(), static_cast<int>(opcode) == one.drs) << opcode;
    }
  }
}

TEST_F(CxlProtocolTest, a_message_arrives_at_the_device_of_its_way) {  // contract B44
  CxlJudgeSpec spec = CxlSession::hierarchy();
  std::vector<CxlDecoder>& decoders = spec.components[CxlSession::kDevice].decoders;
  decoders[0] = {CxlSession::kH, CxlSession::kGiB, 2, 512, CxlMemoryKind::hdm_h, 1};
  spec.components.push_back(spec.components[CxlSession::kDevice]);
  spec.components.back().decoders[0].position = 0;
  const auto misrouted = [&](std::uint64_t address) {
    session = std::make_unique<CxlSession>(spec);
    pass(kReq, 1, address);
    return failures() == "message_of_another_device";
  };
  EXPECT_TRUE(misrouted(CxlSession::kH));
  EXPECT_FALSE(misrouted(CxlSession::kH + 512));
  EXPECT_FALSE(misrouted(CxlSession::kH + 1024 - 64));
  EXPECT_TRUE(misrouted(CxlSession::kH + 1024));
  EXPECT_FALSE(misrouted(kNobodys));
}

TEST_F(CxlProtocolTest, requests_without_answers) {
  pass(kReq, 8, CxlSession::kH);
  pass(kReq, 12, CxlSession::kDb, 2, CxlMeta::none, 1, true);
  EXPECT_EQ(failures(true), "");
  pass(kReq, 8, CxlSession::kH);
  pass(kDrs, 0, CxlSession::kH);
  EXPECT_EQ(failures(true), "response_without_request");
}

TEST_F(CxlProtocolTest, tags_lines_and_order_of_answers) {
  pass(kReq, 1, CxlSession::kH, 5);
  pass(kReq, 1, CxlSession::kH, 6);
  pass(kDrs, 0, CxlSession::kH, 6);
  pass(kDrs, 0, CxlSession::kH, 5);
  pass(kReq, 1, CxlSession::kH, 6);
  pass(kDrs, 0, CxlSession::kH, 6);
  EXPECT_EQ(failures(true), "");
  pass(kReq, 1, CxlSession::kH, 5);
  pass(kReq, 1, CxlSession::kH, 5);
  EXPECT_EQ(failures(), "request_tag_in_use");
  pass(kReq, 1, CxlSession::kH, 5);
  pass(kDrs, 0, CxlSession::kH + 64, 5);
  EXPECT_EQ(failures(true), "response_of_another_line");
  pass(kReq, 1, CxlSession::kDb, 5);
  pass(kDrs, 0, CxlSession::kDb, 5);
  pass(kDrs, 0, CxlSession::kDb, 5);
  EXPECT_EQ(failures(), "response_unasked");
  session->leave(CxlSession::message(kReq, 1, CxlSession::kH, 5));
  pass(kDrs, 0, CxlSession::kH, 5);
  EXPECT_EQ(failures(), "response_too_early");
  pass(kRwd, 3, CxlSession::kH);
  EXPECT_EQ(failures(), "opcode_unknown");
  pass(kReq, 5, CxlSession::kH);
  EXPECT_EQ(failures(), "opcode_not_trusted");
}

// ACT at once, CAS 15 ns later, data 20 ns later, 10 ns to the answer.
TEST_F(CxlProtocolTest, answers_wait_for_data) {
  CxlJudgeSpec spec = CxlSession::hierarchy();
  CxlComponentSpec& device = spec.components[CxlSession::kDevice];
  device.ddr = CxlDdrSpec{};
  device.answer_latency = 10'000;
  for (const Picoseconds after : {44'000, 45'000}) {
    CxlSession one(spec);
    one.pass(CxlSession::message(kReq, 1, CxlSession::kH, 1));
    one.fabric.on_access(one.now, CxlSession::kDevice, false, 0);
    one.now += after - 1'000;
    one.pass(CxlSession::message(kDrs, 0, CxlSession::kH, 1));
    EXPECT_EQ(one.noted("response_too_early"), after < 45'000 ? 1U : 0U);
  }
  for (const Picoseconds after : {9'000, 10'000}) {
    CxlSession one(spec);
    one.pass(CxlSession::message(kReq, 0, CxlSession::kH, 1));
    one.now += after - 1'000;
    one.pass(CxlSession::message(kNdr, 0, CxlSession::kH, 1));
    EXPECT_EQ(one.noted("response_too_early"), after < 10'000 ? 1U : 0U);
  }
}

TEST_F(CxlProtocolTest, snoops_are_answered_by_states_they_leave) {
  for (unsigned snoop = 0; snoop < 3; ++snoop) {
    for (unsigned state = 0; state < 3; ++state) {
      pass(kBiSnp, snoop, CxlSession::kDb);
      pass(kBiRsp, state, CxlSession::kDb);
      EXPECT_EQ(failures(true), state <= 2 - snoop ? "" : "response_wrong") << snoop << state;
    }
  }
  pass(kBiSnp, 10, CxlSession::kDb, 0, CxlMeta::none, 1, true);
  EXPECT_EQ(failures(true), "snoop_unanswered");
  pass(kBiSnp, 2, CxlSession::kH);
  EXPECT_EQ(failures(), "snoop_of_wrong_memory");
  pass(kBiSnp, 2, CxlSession::kDb);
  pass(kBiSnp, 1, CxlSession::kDb);
  EXPECT_EQ(failures(), "snoop_while_busy");
  pass(kBiRsp, 0, CxlSession::kDb);
  EXPECT_EQ(failures(), "response_without_request");
  for (const unsigned opcode : {3U, 7U, 11U, 15U, 16U}) {
    pass(kBiSnp, opcode, CxlSession::kDb);
    EXPECT_EQ(failures(), "opcode_unknown") << opcode;
  }
}

TEST_F(CxlProtocolTest, blocks_are_answered_at_once_or_line_by_line) {
  pass(kBiSnp, 6, CxlSession::kDb + 256, 0, CxlMeta::none, 4);
  pass(kBiRsp, 4, CxlSession::kDb + 256, 0, CxlMeta::none, 4);
  pass(kBiSnp, 5, CxlSession::kDb + 128, 0, CxlMeta::none, 2);
  pass(kBiRsp, 0, CxlSession::kDb + 128);
  pass(kBiSnp, 2, CxlSession::kDb + 256);
  pass(kBiRsp, 1, CxlSession::kDb + 192);
  pass(kBiRsp, 0, CxlSession::kDb + 256);
  EXPECT_EQ(failures(true), "");
  pass(kBiSnp, 6, CxlSession::kDb, 0, CxlMeta::none, 4);
  pass(kBiRsp, 0, CxlSession::kDb + 64);
  pass(kBiRsp, 4, CxlSession::kDb, 0, CxlMeta::none, 4);
  EXPECT_EQ(failures(), "response_unasked");
  pass(kBiSnp, 2, CxlSession::kDb);
  pass(kBiRsp, 4, CxlSession::kDb);
  EXPECT_EQ(failures(), "response_unasked");
  pass(kBiSnp, 6, CxlSession::kDb + 128, 0, CxlMeta::none, 4);
  EXPECT_EQ(failures(), "snoop_of_wrong_block");
  pass(kBiSnp, 6, CxlSession::kDb, 0, CxlMeta::none, 4);
  pass(kBiSnp, 2, CxlSession::kDb + 192);
  EXPECT_EQ(failures(), "snoop_while_busy");
}

TEST_F(CxlProtocolTest, conflicts_come_before_the_answer) {
  // A read is under way when the snoop arrives.
  const auto race = [&] {
    pass(kReq, 1, CxlSession::kDb, 9, CxlMeta::any);
    pass(kBiSnp, 2, CxlSession::kDb);
  };
  race();
  pass(kRwd, 4, CxlSession::kDb);
  pass(kNdr, 4, CxlSession::kDb);
  pass(kBiRsp, 0, CxlSession::kDb);
  pass(kNdr, 2, CxlSession::kDb, 9);
  pass(kDrs, 0, CxlSession::kDb, 9);
  EXPECT_EQ(failures(true), "");
  race();
  pass(kBiRsp, 0, CxlSession::kDb);
  EXPECT_EQ(failures(), "conflict_ignored");
  race();
  pass(kRwd, 4, CxlSession::kDb);
  pass(kBiRsp, 0, CxlSession::kDb);
  EXPECT_EQ(failures(), "conflict_not_acknowledged");
  race();
  pass(kRwd, 4, CxlSession::kDb);
  pass(kRwd, 4, CxlSession::kDb);
  EXPECT_EQ(failures(), "conflict_twice");
  race();
  pass(kNdr, 4, CxlSession::kDb);
  EXPECT_EQ(failures(), "acknowledgement_without_conflict");
  pass(kRwd, 4, CxlSession::kDb);
  EXPECT_EQ(failures(), "conflict_without_snoop");
  // The line is free when the NDR has arrived, with or without the data. A speculative read is no conflict.
  pass(kReq, 1, CxlSession::kDb, 9, CxlMeta::any);
  pass(kReq, 8, CxlSession::kDb, 10);
  pass(kNdr, 2, CxlSession::kDb, 9);
  pass(kBiSnp, 2, CxlSession::kDb);
  pass(kBiRsp, 0, CxlSession::kDb);
  pass(kDrs, 0, CxlSession::kDb, 9);
  EXPECT_EQ(failures(true), "");
}

struct Step {
  CxlClass which;
  unsigned opcode;
};

TEST_F(CxlProtocolTest, each_cache_request_has_its_course) {
  struct Course {
    unsigned request;
    std::vector<Step> steps;
  };
  const std::vector<Course> courses = {
      {1, {{kH2dData, 1}}},
      {2, {{kH2dRsp, 4}, {kH2dData, 1}}},
      {3, {{kH2dData, 1}, {kH2dRsp, 4}}},
      {4, {{kH2dRsp, 4}, {kH2dData, 1}}},
      {5, {{kH2dRsp, 4}}},
      {6, {{kH2dRsp, 5}, {kD2hData, 0}}},
      {7, {{kH2dRsp, 15}, {kD2hData, 0}}},
      {8, {{kH2dRsp, 4}}},
      {9, {{kH2dRsp, 8}}},
      {9, {{kH2dRsp, 5}, {kD2hData, 0}}},
      {10, {{kH2dRsp, 5}, {kD2hData, 0}}},
      {11, {{kH2dRsp, 4}}},
      {12, {{kH2dRsp, 13}, {kD2hData, 0}, {kH2dRsp, 6}}},
      {13, {{kH2dRsp, 13}, {kD2hData, 0}, {kH2dRsp, 6}}},
      {14, {{kH2dRsp, 1}, {kD2hData, 0}, {kH2dRsp, 4}}},
      {16, {{kH2dRsp, 4}}},
  };
  for (const Course& course : courses) {
    SCOPED_TRACE(course.request);
    pass(kD2hReq, course.request, kHostLine);
    for (const Step& step : course.steps) pass(step.which, step.opcode, kHostLine);
    EXPECT_EQ(failures(true), "");
    pass(kD2hReq, course.request, kHostLine);
    for (std::size_t i = 0; i + 1 < course.steps.size(); ++i)
      pass(course.steps[i].which, course.steps[i].opcode, kHostLine);
    EXPECT_EQ(failures(true), "request_unanswered");
    pass(kD2hReq, course.request, kHostLine);
    pass(kH2dRsp, 2, kHostLine);
    EXPECT_EQ(failures(), "response_wrong");
  }
  pass(kD2hReq, 15, kHostLine);
  EXPECT_EQ(failures(), "opcode_unknown");
  pass(kD2hReq, 1, kHostLine);
  pass(kD2hReq, 2, kHostLine);
  EXPECT_EQ(failures(), "request_to_busy_line");
  pass(kD2hReq, 5, kHostLine);
  pass(kH2dData, 1, kHostLine);
  EXPECT_EQ(failures(), "response_without_request");
  pass(kD2hData, 0, kHostLine);
  EXPECT_EQ(failures(), "response_without_request");
  pass(kH2dRsp, 4, kHostLine);
  EXPECT_EQ(failures(), "response_without_request");
}

TEST_F(CxlProtocolTest, requests_to_the_devices_own_memory_are_forwarded_back) {
  pass(kD2hReq, 2, CxlSession::kD);
  pass(kReq, 3, CxlSession::kD);
  pass(kD2hReq, 12, CxlSession::kD);
  pass(kReq, 4, CxlSession::kD);
  EXPECT_EQ(failures(true), "");
  pass(kD2hReq, 2, CxlSession::kD);
  pass(kReq, 4, CxlSession::kD);
  EXPECT_EQ(failures(), "response_without_request");
  pass(kD2hReq, 2, CxlSession::kD);
  pass(kH2dRsp, 4, CxlSession::kD);
  EXPECT_EQ(failures(), "response_wrong");
}

TEST_F(CxlProtocolTest, snoops_of_the_devices_cache) {
  const std::vector<std::vector<unsigned>> answers = {{4, 1, 7}, {4, 5, 15}, {4, 6, 22}};
  for (unsigned snoop = 1; snoop <= 3; ++snoop) {
    for (const unsigned answer : {1U, 4U, 5U, 6U, 7U, 15U, 22U}) {
      pass(kH2dReq, snoop, kHostLine);
      pass(kD2hRsp, answer, kHostLine);
      if (answer == 7 || answer == 15 || answer == 22) pass(kD2hData, 0, kHostLine);
      const auto& fitting = answers[snoop - 1];
      const bool fits = std::find(fitting.begin(), fitting.end(), answer) != fitting.end();
      EXPECT_EQ(failures(true), fits ? "" : "response_wrong") << snoop << " " << answer;
    }
  }
  pass(kH2dReq, 2, kHostLine);
  pass(kD2hRsp, 15, kHostLine);
  EXPECT_EQ(failures(true), "snoop_unanswered");
  pass(kH2dReq, 2, kHostLine);
  pass(kH2dReq, 2, kHostLine);
  EXPECT_EQ(failures(), "snoop_while_busy");
  pass(kD2hRsp, 4, kHostLine);
  EXPECT_EQ(failures(), "response_without_request");
  pass(kH2dReq, 2, kHostLine);
  pass(kD2hData, 0, kHostLine);
  pass(kD2hRsp, 15, kHostLine);
  EXPECT_EQ(failures(true), "");
  pass(kH2dReq, 2, kHostLine);
  pass(kD2hData, 0, kHostLine);
  pass(kD2hRsp, 4, kHostLine);
  EXPECT_EQ(failures(), "response_wrong");
  // A snoop takes a line under eviction. The snoop's data comes first, then that of the eviction.
  pass(kD2hReq, 10, kHostLine);
  pass(kH2dReq, 2, kHostLine);
  pass(kD2hRsp, 15, kHostLine);
  pass(kD2hData, 0, kHostLine);
  pass(kH2dRsp, 5, kHostLine);
  pass(kD2hData, 0, kHostLine);
  EXPECT_EQ(failures(true), "");
}

TEST_F(CxlProtocolTest, memory_is_accessed_when_and_where_requests_say) {
  const auto access = [&](bool write, std::uint64_t device_address) {
    session->fabric.on_access(session->now, CxlSession::kDevice, write, device_address);
  };
  const auto memory = [&] {
    session->board.finish();
    std::string text;
    for (const auto& [kind, count] : session->board.findings().counts()) {
      if (kind.starts_with("memory_")) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, count);
    }
    session = std::make_unique<CxlSession>();
    return text;
  };
  pass(kRwd, 2, CxlSession::kH + 128);
  access(false, 128);
  access(true, 128);
  pass(kReq, 8, CxlSession::kH + 64, 2);
  access(false, 64);
  pass(kReq, 0, CxlSession::kH, 3);
  pass(kReq, 1, kNobodys, 4);
  EXPECT_EQ(memory(), "");
  pass(kRwd, 1, CxlSession::kH);
  EXPECT_EQ(memory(), "memory_access_missing 1");
  pass(kReq, 1, CxlSession::kH);
  access(false, 64);
  EXPECT_EQ(memory(), "memory_access_missing 1, memory_access_unasked 1");
  // A model that does not find its memory says so with all ones. Without the highest bit, the address would be right.
  pass(kReq, 1, CxlSession::kH);
  access(true, ~std::uint64_t{0});
  access(false, std::uint64_t{1} << 63U);
  EXPECT_EQ(memory(), "memory_access_missing 1, memory_access_unasked 2");
  pass(kReq, 1, CxlSession::kH);
  session->tick();
  access(false, 0);
  EXPECT_EQ(memory(), "memory_access_late 1");
  // A device accesses HDM-DB by itself, and holds requests to it.
  access(false, CxlSession::kGiB);
  pass(kReq, 1, CxlSession::kDb);
  session->tick();
  access(false, CxlSession::kGiB);
  EXPECT_EQ(memory(), "");
}

}  // namespace
}  // namespace pmufab::scoreboard::test
