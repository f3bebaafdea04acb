// SPDX-License-Identifier: Apache-2.0
// The judge of chip-to-chip PMUs: what it says of wrong counts, readings and links. Scenarios show that its counts are
// right.
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/judge/perf_session.h"
#include "testbench/tests/judge/refusal.h"

namespace pmufab::scoreboard::test::c2c_judge_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Call = PerfSession::Call;
using Match = EventResult::Match;

constexpr const char* kNvlink = "nvidia_nvlink_c2c_pmu_0";
constexpr const char* kNvclink = "nvidia_nvclink_pmu_0";
constexpr const char* kNvclink1 = "nvidia_nvclink_pmu_1";
constexpr const char* kNvdlink = "nvidia_nvdlink_pmu_0";
constexpr std::uint64_t kNvlinkCtrl = 0x6'0000'0864;
constexpr std::uint64_t kCtrlStep = 0x1'0000;
constexpr Picoseconds kLink = 10'000;

Tegra410JudgeSpec platform() {
  Tegra410JudgeSpec spec = PerfSession::platform();
  spec.gmem_latency = 50'000;
  spec.link_latency = kLink;
  spec.c2c_frequency_hz = 1'000'000'000;  // an edge at every nanosecond
  const auto control = [](unsigned number) { return kNvlinkCtrl - 0x864 + number * kCtrlStep; };
  spec.c2c_pmus.push_back({kNvlink, 0, C2cPeer::gpu, 14, {0x7f, 0x3f80}, true, control(0)});
  spec.c2c_pmus.push_back({kNvclink, 0, C2cPeer::cpu, 12, {0xfff}, false, control(1)});
  spec.c2c_pmus.push_back({kNvclink1, 1, C2cPeer::cpu, 12, {0xfff}, false, control(2)});
  spec.c2c_pmus.push_back({kNvdlink, 0, C2cPeer::cxl_memory, 16, {0xffff}, false, control(3)});
  return spec;
}

/// The platform of two sockets. Every interface counts, one after the other.
class C2cJudge : public ::testing::Test {
 protected:
  void control(const std::string& pmu, bool on) {
    const unsigned number = pmu == kNvlink ? 0 : pmu == kNvclink ? 1 : pmu == kNvclink1 ? 2 : 3;
    session.begin(on ? Call::pmu_enable : Call::pmu_disable, pmu);
    session.write(kNvlinkCtrl + number * kCtrlStep, on ? 1 : 0);
    session.end(on ? Call::pmu_enable : Call::pmu_disable, pmu);
  }
  void start(int event, const std::string& pmu, const EventTerms& terms) {
    session.board.expect(event, pmu, terms);
    session.add(pmu, event);
    control(pmu, true);
  }
  EventResult stop(int event, const std::string& pmu, std::uint64_t value) {
    control(pmu, false);
    session.del(pmu, event, value);
    return session.result(event);
  }
  /// A request that is answered `latency` later, with its traffic on the link.
  void ask(const Requester& from, FabricOpcode opcode, std::uint64_t address, Picoseconds latency) {
    const BoundaryObserver::Request r = request(from, opcode, address, 64, session.now += 1000);
    session.fabric.on_request(r);
    const unsigned home = address >= kSocketStride ? 1 : 0;
    if (home != from.socket) {
      for (const unsigned at : {from.socket, home}) link(r, home, at, r.when + latency - (at == home ? kLink : 0));
    }
    session.fabric.on_response(r, r.when + latency);
  }
  void link(const BoundaryObserver::Request& r, unsigned home, unsigned at, Picoseconds end) {
    session.fabric.on_link_request({r.when, end, r.address, r.length, r.opcode, r.accepting_socket,
                                    static_cast<std::uint8_t>(home), static_cast<std::uint8_t>(at)});
  }
  void on_the_wires(std::uint64_t address, bool is_write, Picoseconds duration) {
    const Picoseconds when = session.now += 1000;
    session.fabric.on_memory_access(
        {when, when + duration, address, 64, is_write, static_cast<std::uint8_t>(address / kSocketStride)});
  }
  std::uint64_t expected(int event) {
    session.read(0);  // time has advanced to here
    return session.result(event).expected;
  }

  PerfSession session{platform()};
};

Requester gpu_number(unsigned socket, std::uint16_t id) { return {socket, RequesterKind::gpu, id}; }

// Each has a counter for each of its events: three, and nine.
TEST_F(C2cJudge, memory_and_interfaces_have_room_for_each_event_once) {
  int event = 0;
  for (const auto& [pmu, events] : {std::pair{PerfSession::kCmem0, 3}, std::pair{kNvlink, 9}}) {
    const auto refuse = [&, name = pmu] {
      return refuse_event(session.board, session.now, name, ++event, {{"cycles"}});
    };
    for (int used = 0; used < events; ++used) {
      EXPECT_EQ(refuse(), fmt::format("{} of {} counters used", used, events));
      session.board.expect(++event, pmu, {{"cycles"}});
      session.add(pmu, event);
    }
    EXPECT_EQ(refuse(), "");
  }
}

TEST_F(C2cJudge, of_any_number_of_readings_the_wrong_ones_are_told_and_the_count_is_right) {
  constexpr Picoseconds kStep = 30'000'000'000;
  constexpr int kReadings = 200;  // for 6 s
  start(1, kNvlink, {{"in_rd_req"}});
  start(2, kNvlink, {{"in_rd_cum_outs"}});
  const auto read = [&](int event, std::uint64_t value) {
    session.begin(Call::read, kNvlink, event);
    session.end(Call::read, kNvlink, event, value);
  };
  for (int i = 1; i <= kReadings; ++i) {
    for (int requests = 0; requests < 3; ++requests) ask(gpu_number(0, 0), FabricOpcode::read_once, kCmem, 7'000);
    session.now += kStep;
    const bool is_wrong = i == 10 || i == kReadings - 5;
    read(1, 3U * i + (is_wrong ? 1 : 0));
    // A wrong one of the second event goes back to 0.
    read(2, is_wrong ? 0 : 21U * i);
  }
  EXPECT_EQ(session.board.last_read(1, session.now).value().low, 3U * kReadings);
  EXPECT_EQ(stop(1, kNvlink, 3U * kReadings).match, Match::mismatch) << "of two readings";
  for (const int event : {1, 2}) {
    const EventResult result = session.result(event);
    EXPECT_EQ(result.reads, kReadings);
    EXPECT_EQ(result.reads_failed, 2U);
    ASSERT_EQ(result.failed_reads.size(), 2U);
    EXPECT_EQ(result.failed_reads[0].low, event == 1 ? 30U : 210U);
    EXPECT_EQ(result.failed_reads[1].low, (event == 1 ? 3U : 21U) * (kReadings - 5));
  }
  session.del(kNvlink, 2, 21U * kReadings - 7);
  EXPECT_EQ(session.result(2).expected, 21U * kReadings);
  EXPECT_THAT(session.result(2).explanation, HasSubstr("7 missing"));
}

TEST_F(C2cJudge, mistakes_are_named) {
  const auto explanation = [](const char* name, std::uint64_t value, std::uint64_t gpu_mask = 0) {
    struct Case : C2cJudge {
      void TestBody() override {}
      std::string explain(const char* event, std::uint64_t driver, std::uint64_t mask) {
        start(1, kNvlink, {{event}, {"gpu_mask", mask}});
        // Of GPU 0 one read by instance 0, two by instance 1, ...; then those of GPU 1. Two writes to each GPU's
        // memory.
        for (std::uint64_t line = 0; line < 14; ++line) {
          for (std::uint64_t i = 0; i <= line; ++i)
            ask(gpu_number(0, static_cast<std::uint16_t>(line / 7)), FabricOpcode::read_once, kCmem + line % 7 * 64,
                3'000);
        }
        for (int i = 0; i < 11; ++i) on_the_wires(kGmem + i * 64, true, 5'000);
        const EventResult result = stop(1, kNvlink, driver);
        EXPECT_EQ(result.match, Match::mismatch);
        return result.explanation;
      }
    };
    return Case().explain(name, value, gpu_mask);
  };
  constexpr std::uint64_t kAll = 14 * 15 / 2;
  constexpr std::uint64_t kOfGpu0 = 7 * 8 / 2;
  EXPECT_THAT(explanation("in_rd_req", kAll - 9), HasSubstr("in_rd_req without instance 8"));
  EXPECT_THAT(explanation("in_rd_req", 13), HasSubstr("in_rd_req of instance 12 alone"));
  EXPECT_THAT(explanation("in_rd_req", kOfGpu0), HasSubstr("in_rd_req of GPU 0 alone"));
  EXPECT_THAT(explanation("in_rd_req", kAll, 2), HasSubstr("equals in_rd_req"));
  EXPECT_THAT(explanation("in_rd_req", kAll + kOfGpu0), HasSubstr("in_rd_req with GPU 0 counted twice"));
  EXPECT_THAT(explanation("in_rd_req", 11), HasSubstr("or out_wr_req"));
  EXPECT_THAT(explanation("in_rd_cum_outs", kAll), HasSubstr("equals in_rd_req"));
  EXPECT_THAT(explanation("in_rd_req", 3 * kAll), HasSubstr("in_rd_cum_outs"));
  EXPECT_THAT(explanation("in_wr_req", std::uint64_t{0xf} << 32), HasSubstr("OUT_STATUS"));
  EXPECT_THAT(explanation("in_rd_req", 0), Not(HasSubstr("equals")));
}

TEST_F(C2cJudge, added_up_cycles_are_named) {
  start(1, kNvlink, {{"cycles"}});
  session.now += 400'000;
  control(kNvlink, false);
  const std::uint64_t cycles = expected(1);
  session.del(kNvlink, 1, 14 * cycles);
  EXPECT_THAT(session.result(1).explanation, HasSubstr("the cycles of 14 instances added up"));
}

TEST_F(C2cJudge, requests_missing_or_wrong_on_the_link_are_reported) {
  const auto broken = [&](const std::function<void(BoundaryObserver::LinkRequest&)>& spoil) {
    const std::uint64_t before = session.noted("link_request");
    const BoundaryObserver::Request r =
        request(cpu(0, 1), FabricOpcode::read_once, kSocketStride + kCmem, 64, session.now += 1000);
    session.fabric.on_request(r);
    for (const std::uint8_t at : {std::uint8_t{0}, std::uint8_t{1}}) {
      BoundaryObserver::LinkRequest seen{r.when, r.when + 40'000 - (at == 1 ? kLink : 0), r.address, 64, r.opcode, 0, 1,
                                         at};
      if (at == 1) spoil(seen);
      if (seen.socket != 9) session.fabric.on_link_request(seen);
    }
    session.fabric.on_response(r, r.when + 40'000);
    return session.noted("link_request") - before;
  };
  EXPECT_EQ(broken([](auto&) {}), 0U);
  EXPECT_EQ(broken([](auto& seen) { seen.socket = 9; }), 1U) << "not seen at the home";
  EXPECT_EQ(broken([](auto& seen) { seen.end += 1; }), 1U);
  EXPECT_EQ(broken([](auto& seen) { seen.start += 1; }), 1U);
  EXPECT_EQ(broken([](auto& seen) { seen.address += 64; }), 1U);
  EXPECT_EQ(broken([](auto& seen) { seen.opcode = FabricOpcode::read_shared; }), 1U);
  EXPECT_EQ(broken([](auto& seen) { seen.socket = 0; }), 1U);
  EXPECT_EQ(broken([](auto& seen) { std::swap(seen.from_socket, seen.to_socket); }), 1U);
  EXPECT_EQ(broken([](auto&) {}), 0U);
  const BoundaryObserver::Request local = request(cpu(0, 1), FabricOpcode::read_once, kCmem, 64, session.now += 1000);
  session.fabric.on_request(local);
  link(local, 0, 0, local.when + 1000);
  session.fabric.on_response(local, local.when + 1000);
  EXPECT_EQ(session.noted("link_request"), 8U) << "a request that stays here";
}

}  // namespace
}  // namespace pmufab::scoreboard::test::c2c_judge_test
