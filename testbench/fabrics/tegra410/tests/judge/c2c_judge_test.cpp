// SPDX-License-Identifier: Apache-2.0
// The judge of chip-to-chip PMUs: the traffic of each interface, by hand-computed cases.
#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/judge/perf_session.h"

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
constexpr std::uint64_t kGmemHalf = 0x80'0000;  // of the fixture's GMEM, where GPU 1's half begins
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
  explicit C2cJudge(Tegra410JudgeSpec spec = platform()) : session(std::move(spec)) {}

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

  PerfSession session;
};

Requester gpu_number(unsigned socket, std::uint16_t id) { return {socket, RequesterKind::gpu, id}; }

TEST_F(C2cJudge, requests_of_gpus_come_in_and_accesses_to_their_memory_go_out) {
  int event = 0;
  for (const char* const name : {"in_rd_req", "in_rd_cum_outs", "in_wr_req", "in_wr_cum_outs", "out_rd_req",
                                 "out_rd_cum_outs", "out_wr_req", "out_wr_cum_outs"}) {
    start(++event, kNvlink, {{name}});
  }
  ask(gpu_number(0, 0), FabricOpcode::read_shared, kCmem, 7'000);
  ask(gpu_number(0, 1), FabricOpcode::read_once, kSocketStride + kCmem, 31'000);
  ask(gpu_number(0, 1), FabricOpcode::write_unique_full, kCmem, 5'000);
  ask(gpu_number(0, 0), FabricOpcode::atomic_store, kCxl, 6'000);
  ask(gpu_number(0, 0), FabricOpcode::clean_invalid, kCmem, 6'000);  // no data
  ask(gpu_number(1, 0), FabricOpcode::read_once, kCmem, 9'000);      // the other socket's GPU
  ask(cpu(0, 1), FabricOpcode::read_once, kCmem + 64, 9'000);        // no GPU
  on_the_wires(kGmem, false, 50'000);
  on_the_wires(kGmem + kGmemHalf, true, 40'000);
  on_the_wires(kSocketStride + kGmem, true, 40'000);  // another socket's
  on_the_wires(kCmem, false, 40'000);
  session.now += 200'000;
  const std::uint64_t counts[] = {2, 7 + 31, 2, 5 + 6, 1, 50, 1, 40};
  for (int number = 1; number <= 8; ++number) EXPECT_EQ(expected(number), counts[number - 1]) << number;
  EXPECT_EQ(session.noted("link_request"), 0U);
}

TEST_F(C2cJudge, a_mask_picks_gpus_and_none_picks_all) {  // contract E5
  int event = 0;
  for (const char* const name : {"in_rd_req", "out_wr_req"}) {
    for (std::uint64_t mask = 0; mask < 4; ++mask) start(++event, kNvlink, {{name}, {"gpu_mask", mask}});
    start(++event, kNvlink, {{name}});
  }
  for (int i = 0; i < 3; ++i) ask(gpu_number(0, 0), FabricOpcode::read_once, kCmem + i * 64, 7'000);
  for (int i = 0; i < 5; ++i) ask(gpu_number(0, 1), FabricOpcode::read_once, kCmem + i * 64, 7'000);
  ask(gpu_number(0, 2), FabricOpcode::read_once, kCmem, 7'000);  // GPU 0 again
  on_the_wires(kGmem + kGmemHalf - 64, true, 5'000);             // the last line of GPU 0
  for (int i = 0; i < 2; ++i) on_the_wires(kGmem + kGmemHalf, true, 5'000);
  const std::uint64_t counts[] = {9, 4, 5, 9, 9, 3, 1, 2, 3, 3};
  for (int number = 1; number <= 10; ++number) EXPECT_EQ(expected(number), counts[number - 1]) << number;
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

class OneGpuJudge : public C2cJudge {
 protected:
  static Tegra410JudgeSpec one_gpu() {
    Tegra410JudgeSpec spec = platform();
    spec.c2c_pmus[0].masks = {0, 0x3fff};
    return spec;
  }
  OneGpuJudge() : C2cJudge(one_gpu()) {}
};

TEST_F(OneGpuJudge, a_gpu_without_instances_is_not_connected) {  // contract E3
  start(1, kNvlink, {{"in_rd_req"}});
  start(2, kNvlink, {{"in_rd_req"}, {"gpu_mask", 1}});
  start(3, kNvlink, {{"in_rd_req"}, {"gpu_mask", 2}});
  for (int i = 0; i < 3; ++i) ask(gpu_number(0, 0), FabricOpcode::read_once, kCmem, 7'000);
  for (int i = 0; i < 5; ++i) ask(gpu_number(0, 1), FabricOpcode::read_once, kCmem, 7'000);
  EXPECT_EQ(expected(1), 5U);
  EXPECT_EQ(expected(2), 0U);
  EXPECT_EQ(expected(3), 5U);
}

TEST_F(C2cJudge, a_remote_home_is_outgoing_here_and_incoming_there_and_writes_are_not_counted) {
  int event = 0;
  for (const char* const pmu : {kNvclink, kNvclink1}) {
    for (const std::uint64_t number : {1U, 2U, 5U, 6U, 4U, 8U}) start(++event, pmu, {{"event", number}});
  }
  ask(cpu(0, 1), FabricOpcode::read_shared, kSocketStride + kCmem, 40'000);
  ask(gpu(0), FabricOpcode::read_once, kSocketStride + kGmem, 60'000);
  ask(gpu(0), FabricOpcode::write_unique_full, kSocketStride + kCmem, 20'000);
  ask(pcie(1), FabricOpcode::read_once, kCxl, 25'000);
  ask(cpu(0, 1), FabricOpcode::evict, kSocketStride + kCmem, 20'000);
  ask(cpu(0, 1), FabricOpcode::read_once, kCmem, 20'000);
  session.now += 200'000;
  const std::uint64_t counts[] = {15, 1, 100, 2, 0, 0, 30 + 50, 2, 25, 1, 0, 0};
  for (int number = 1; number <= 12; ++number) EXPECT_EQ(expected(number), counts[number - 1]) << number;
  EXPECT_EQ(session.noted("link_request"), 0U);
}

class LinkedByNvlink : public C2cJudge {
 protected:
  static Tegra410JudgeSpec linked() {
    Tegra410JudgeSpec spec = platform();
    spec.c2c_pmus[0].peer = C2cPeer::cpu;
    spec.c2c_pmus[0].masks = {0x3fff};
    spec.c2c_pmus[1].masks.clear();
    spec.c2c_pmus[2].masks.clear();
    return spec;
  }
  LinkedByNvlink() : C2cJudge(linked()) {}
};

TEST_F(LinkedByNvlink, reads_and_writes_between_sockets_are_nvlinks) {  // contract E11
  int event = 0;
  for (std::uint64_t number = 1; number < 9; ++number) start(++event, kNvlink, {{"event", number}});
  start(9, kNvclink, {{"out_rd_req"}});
  ask(cpu(0, 1), FabricOpcode::read_shared, kSocketStride + kCmem, 40'000);
  ask(gpu(0), FabricOpcode::write_unique_full, kSocketStride + kCmem, 20'000);
  ask(gpu(1), FabricOpcode::write_unique_full, kCmem, 20'000);
  session.now += 200'000;
  const std::uint64_t counts[] = {0, 0, 10, 1, 40, 1, 20, 1, 0};
  for (int number = 1; number <= 9; ++number) EXPECT_EQ(expected(number), counts[number - 1]) << number;
  EXPECT_THROW(session.board.expect(10, kNvlink, {{"in_rd_req"}, {"gpu_mask", 1}}), std::invalid_argument);
}

TEST_F(C2cJudge, reads_of_cxl_memory_are_incoming_on_nvdlink_and_nothing_else_is) {
  start(1, kNvdlink, {{"in_rd_req"}});
  start(2, kNvdlink, {{"in_rd_cum_outs"}});
  start(3, kNvdlink, {{"event", 4}});
  on_the_wires(kCxl, false, 30'000);
  on_the_wires(kCxl, true, 0);
  on_the_wires(kSocketStride + kCxl, false, 30'000);
  on_the_wires(kCmem, false, 30'000);
  session.now += 200'000;
  EXPECT_EQ(expected(1), 1U);
  EXPECT_EQ(expected(2), 30U);
  EXPECT_EQ(expected(3), 0U);
}

TEST_F(C2cJudge, counts_are_those_between_the_writes_of_control_and_latency_is_the_traffics_own) {
  int event = 0;
  for (const char* const name : {"in_rd_cum_outs", "in_rd_req", "cycles"}) {
    session.board.expect(++event, kNvdlink, {{name}});
    session.add(kNvdlink, event);
  }
  control(kNvdlink, true);
  const Picoseconds opened = session.now - 1000;
  const auto read = [&](Picoseconds begin, Picoseconds end) {
    session.fabric.on_memory_access({begin, end, kCxl, 64, false, 0});
  };
  read(opened - 500, opened + 5'000);       // left before: not a request, but outstanding at 5 edges
  read(opened + 1'000, opened + 11'000);    // 10 edges
  read(opened + 20'000, opened + 900'000);  // is still under way when counting ends
  session.now = opened + 99'000;
  control(kNvdlink, false);
  const Picoseconds closed = session.now - 1000;
  session.del(kNvdlink, 1, 5 + 10 + (closed - opened) / 1000 - 20);
  session.del(kNvdlink, 2, 2);
  session.del(kNvdlink, 3, (closed - opened) / 1000);
  for (; event > 0; --event) EXPECT_EQ(session.result(event).match, Match::exact);
  EXPECT_EQ(session.result(2).mean_read_latency_ps.numerator, 10'000 + 880'000);
  EXPECT_EQ(session.result(2).mean_read_latency_ps.denominator, 2);
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
