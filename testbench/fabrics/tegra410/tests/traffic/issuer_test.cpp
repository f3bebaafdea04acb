// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/support/simulation_test.h"
#include "testbench/tests/traffic/traffic_rig.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::traffic {
namespace {

using pmufab::testing::advance;
using pmufab::testing::advance_to;
using pmufab::testing::now;

/// An issuer on two sockets. Each side of each socket has a target that only records requests.
class Issuer : public pmufab::testing::SimulationTest {
 protected:
  void build(const TrafficSpec& spec, TrafficIssuer::Options options = {}) {
    issuer = std::make_unique<TrafficIssuer>("issuer", spec, two_sockets(), 2, std::move(options));
    for (unsigned i = 0; i < 2; ++i) {
      issuer->requests[i].bind(fabric[i].socket);
      issuer->cpu_access[i].bind(cache[i].socket);
    }
  }
  void build(const GeneratorSpec& spec) { build(TrafficSpec{1, {spec}}); }
  const std::vector<RecordingTarget::Seen>& seen() const { return fabric[0].seen; }
  void answer_after(Picoseconds latency) {
    fabric[0].latency = [latency](Picoseconds, std::uint64_t) { return latency; };
  }
  std::vector<Picoseconds> times() const {
    std::vector<Picoseconds> all;
    for (const auto& one : seen()) all.push_back(one.when);
    return all;
  }
  void start_and_wait() {
    issuer->start();
    sc_core::wait(issuer->done_event());
  }

  RecordingTarget fabric[2] = {RecordingTarget("fabric0"), RecordingTarget("fabric1")};
  RecordingTarget cache[2] = {RecordingTarget("cache0"), RecordingTarget("cache1")};
  std::unique_ptr<TrafficIssuer> issuer;
};

TEST_F(Issuer, sends_what_was_planned_when_it_was_planned) {
  GeneratorSpec spec = generator(PatternKind::uniform, 5000);
  spec.mix = {{Operation::read, 2}, {Operation::write, 1}, {Operation::dataless, 1}, {Operation::atomic, 1}};
  spec.sizes = {{64, 1}, {16, 1}};
  spec.pacing.kind = PacingSpec::Kind::exponential;
  build(spec);
  const std::vector<Request> plan = plan_of(spec);
  run([&] {
    advance(12'345);
    start_and_wait();
  });
  ASSERT_EQ(seen().size(), plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(seen()[i].when, plan[i].when + 12'345);
    EXPECT_EQ(seen()[i].address, plan[i].address);
    EXPECT_EQ(seen()[i].length, plan[i].length);
    EXPECT_EQ(seen()[i].extension.opcode, plan[i].opcode);
  }
}

TEST_F(Issuer, says_who_asks_and_what) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.requester = {RequesterKind::pcie, 0, 7, 0x1234, 3, 5, 9};
  TrafficSpec scenario;
  const std::pair<Operation, tlm::tlm_command> commands[] = {
      {Operation::read_shared, tlm::TLM_READ_COMMAND},       {Operation::read_unique, tlm::TLM_READ_COMMAND},
      {Operation::read_once, tlm::TLM_READ_COMMAND},         {Operation::write_unique_full, tlm::TLM_WRITE_COMMAND},
      {Operation::write_unique_ptl, tlm::TLM_WRITE_COMMAND}, {Operation::write_back_full, tlm::TLM_WRITE_COMMAND},
      {Operation::evict, tlm::TLM_IGNORE_COMMAND},           {Operation::clean_unique, tlm::TLM_IGNORE_COMMAND},
      {Operation::clean_invalid, tlm::TLM_IGNORE_COMMAND},   {Operation::atomic_store, tlm::TLM_WRITE_COMMAND}};
  for (const auto& [operation, command] : commands) {
    spec.name = std::string(to_string(operation));
    spec.mix = {{operation, 1}};
    scenario.generators.push_back(spec);
  }
  build(scenario);
  run([&] { start_and_wait(); });
  ASSERT_EQ(seen().size(), std::size(commands));
  for (std::size_t i = 0; i < std::size(commands); ++i) {
    EXPECT_EQ(to_string(seen()[i].extension.opcode), scenario.generators[i].name);
    EXPECT_EQ(seen()[i].command, commands[i].second);
  }
  const FabricExtension& extension = seen()[0].extension;
  EXPECT_EQ(extension.requester, RequesterKind::pcie);
  EXPECT_EQ(extension.socket, 0);
  EXPECT_EQ(extension.requester_id, 7);
  EXPECT_EQ(extension.bdf, 0x1234);
  EXPECT_EQ(extension.root_complex, 3);
  EXPECT_EQ(extension.root_port, 5);
  EXPECT_EQ(extension.qos, 9);
}

TEST_F(Issuer, sends_by_the_requesters_socket_and_path) {
  TrafficSpec scenario;
  for (unsigned i = 0; i < 4; ++i) {
    GeneratorSpec spec = generator(PatternKind::stream, 10 + i);
    spec.name = std::to_string(i);
    spec.requester.socket = static_cast<std::uint8_t>(i % 2);
    spec.path = i < 2 ? Path::direct : Path::cached;
    scenario.generators.push_back(spec);
  }
  build(scenario);
  run([&] { start_and_wait(); });
  EXPECT_EQ(fabric[0].seen.size(), 10U);
  EXPECT_EQ(fabric[1].seen.size(), 11U);
  EXPECT_EQ(cache[0].seen.size(), 12U);
  EXPECT_EQ(cache[1].seen.size(), 13U);
}

TEST_F(Issuer, a_consumer_asks_at_its_own_socket) {
  GeneratorSpec spec = generator(PatternKind::producer_consumer, 8);
  spec.pattern.block_size = 128;
  spec.pattern.consumer = RequesterSpec{.socket = 1, .id = 4};
  build(spec);
  run([&] { start_and_wait(); });
  ASSERT_EQ(fabric[0].seen.size(), 4U);
  ASSERT_EQ(fabric[1].seen.size(), 4U);
  EXPECT_EQ(fabric[1].seen[0].extension.requester_id, 4);
  EXPECT_EQ(fabric[1].seen[0].address, fabric[0].seen[0].address);
}

TEST_F(Issuer, merges_generators_by_time_and_then_by_their_order) {
  TrafficSpec scenario;
  for (unsigned i = 0; i < 7; ++i) {
    GeneratorSpec spec = generator(PatternKind::uniform, 2000);
    spec.name = std::to_string(i);
    spec.requester.id = static_cast<std::uint16_t>(i);
    // Some are at the same times, some are not.
    spec.pacing.requests_per_us = i < 4 ? 500.0 : 100.0 * i;
    scenario.generators.push_back(spec);
  }
  build(scenario);
  struct Sent {
    Picoseconds when;
    unsigned generator;
    std::uint64_t address;
    bool operator==(const Sent&) const = default;
  };
  std::vector<Sent> expected;
  for (unsigned i = 0; i < 7; ++i) {
    for (const Request& request : plan_of(TrafficSpec{1, {scenario.generators[i]}})) {
      expected.push_back({request.when, i, request.address});
    }
  }
  std::stable_sort(expected.begin(), expected.end(), [](const Sent& a, const Sent& b) { return a.when < b.when; });
  run([&] { start_and_wait(); });
  std::vector<Sent> got;
  for (const auto& one : seen()) got.push_back({one.when, one.extension.requester_id, one.address});
  EXPECT_TRUE(got == expected);
}

/// Reads the state of the fabric at chosen times, like a driver that reads a register.
void expect_exactly_the_requests_before_now(const std::vector<Picoseconds>& planned,
                                            const std::vector<RecordingTarget::Seen>& seen) {
  const auto before =
      static_cast<std::size_t>(std::lower_bound(planned.begin(), planned.end(), now()) - planned.begin());
  ASSERT_EQ(seen.size(), before) << "at " << now() << " ps";
  ASSERT_TRUE(seen.empty() || seen.back().when < now());
}

TEST_F(Issuer, whoever_looks_finds_exactly_the_requests_before_that_time) {
  GeneratorSpec spec = generator(PatternKind::uniform, 50'000);
  spec.pacing.kind = PacingSpec::Kind::exponential;
  build(spec);
  std::vector<Picoseconds> planned;
  for (const Request& request : plan_of(spec)) planned.push_back(request.when);
  RandomStream random(3);
  std::size_t at_requests = 0;
  run([&] {
    issuer->start();
    for (unsigned i = 0; i < 3000; ++i) {
      if (i % 3 == 0) {
        // Exactly when a request is due.
        const auto next = std::upper_bound(planned.begin(), planned.end(), now() + random.below(20'000));
        if (next == planned.end()) break;
        advance_to(*next);
        ++at_requests;
      } else {
        advance(1 + random.below(40'000));
      }
      expect_exactly_the_requests_before_now(planned, seen());
    }
  });
  EXPECT_GT(at_requests, 500U);
}

TEST_F(Issuer, several_onlookers_at_the_same_instant_come_before_its_requests) {
  GeneratorSpec spec = generator(PatternKind::stream, 2000);
  build(spec);
  std::vector<Picoseconds> planned;
  for (const Request& request : plan_of(spec)) planned.push_back(request.when);
  unsigned looked = 0;
  for (unsigned onlooker = 0; onlooker < 3; ++onlooker) {
    sc_core::sc_spawn([&, onlooker] {
      for (unsigned i = 1; i < 300; ++i) {
        advance_to(i * 5000);
        // A few deltas later it is still the same instant.
        for (unsigned delta = 0; delta < onlooker; ++delta) sc_core::wait(sc_core::SC_ZERO_TIME);
        expect_exactly_the_requests_before_now(planned, seen());
        ++looked;
      }
    });
  }
  run([&] { start_and_wait(); });
  EXPECT_EQ(looked, 3 * 299U);
}

TEST_F(Issuer, an_interrupt_a_request_brings_about_sees_the_requests_before_it) {
  GeneratorSpec spec = generator(PatternKind::stream, 20'000);
  build(spec);
  std::vector<Picoseconds> planned;
  for (const Request& request : plan_of(spec)) planned.push_back(request.when);
  sc_core::sc_event interrupt("interrupt");
  RandomStream random(5);
  // Like a model that notices an overflow at a time the simulation has not reached yet.
  fabric[0].on_request = [&](Picoseconds when) {
    if (random.below(50) == 0) interrupt.notify(to_sc_time(when - now() + random.below(3000)));
  };
  unsigned interrupts = 0;
  sc_core::sc_spawn([&] {
    for (;;) {
      sc_core::wait(interrupt);
      if (now() == seen().back().when) {
        // Raised by the very last request, without a delay. This is the only exception.
        ASSERT_EQ(seen().size(), 1 + static_cast<std::size_t>(std::lower_bound(planned.begin(), planned.end(), now()) -
                                                              planned.begin()));
      } else {
        expect_exactly_the_requests_before_now(planned, seen());
      }
      ++interrupts;
    }
  });
  run([&] { start_and_wait(); });
  EXPECT_GT(interrupts, 200U);
}

TEST_F(Issuer, runs_ahead_when_nothing_else_is_pending) {
  build(generator(PatternKind::stream, 1000));
  std::size_t activations = 0;
  Picoseconds last = kNever;
  fabric[0].on_request = [&](Picoseconds) {
    if (now() != last) ++activations;
    last = now();
  };
  run([&] { start_and_wait(); });
  EXPECT_EQ(seen().size(), 1000U);
  // One event is at the start. The other may be the time limit of the test.
  EXPECT_LE(activations, 2U);
}

TEST_F(Issuer, runs_ahead_only_as_far_as_allowed) {
  TrafficIssuer::Options options;
  options.run_ahead = 10'000;
  build(TrafficSpec{1, {generator(PatternKind::stream, 1000)}}, options);
  fabric[0].on_request = [&](Picoseconds when) { EXPECT_LT(when - now(), 10'000U); };
  run([&] { start_and_wait(); });
  EXPECT_EQ(seen().size(), 1000U);
}

TEST_F(Issuer, two_issuers_do_not_stand_in_each_others_way) {
  build(generator(PatternKind::stream, 1000));
  TrafficIssuer other("other", TrafficSpec{1, {generator(PatternKind::stream, 1000)}}, two_sockets(), 1);
  RecordingTarget target("target");
  other.requests[0].bind(target.socket);
  run([&] {
    issuer->start();
    other.start();
    sc_core::wait(issuer->done_event() & other.done_event());
  });
  ASSERT_EQ(seen().size(), 1000U);
  ASSERT_EQ(target.seen.size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(target.seen[i].when, seen()[i].when);
}

/// The times at which requests planned at `planned` go out, computed in a slow way.
std::vector<Picoseconds> times_with_limit(const std::vector<Picoseconds>& planned,
                                          const std::vector<Picoseconds>& latencies, std::size_t limit, bool catch_up) {
  std::vector<Picoseconds> sent;
  std::vector<Picoseconds> ends;
  Picoseconds late = 0;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    Picoseconds when = std::max(planned[i] + late, sent.empty() ? 0 : sent.back());
    const auto busy = [&] { return std::count_if(ends.begin(), ends.end(), [&](auto end) { return end > when; }); };
    while (static_cast<std::size_t>(busy()) >= limit) {
      Picoseconds earliest = kNever;
      for (const Picoseconds end : ends) {
        if (end > when) earliest = std::min(earliest, end);
      }
      when = earliest;
    }
    if (!catch_up) late = when - planned[i];
    sent.push_back(when);
    ends.push_back(when + latencies[i]);
  }
  return sent;
}

class Outstanding : public Issuer, public ::testing::WithParamInterface<std::pair<unsigned, bool>> {};
INSTANTIATE_TEST_SUITE_P(Limits, Outstanding,
                         ::testing::Values(std::pair{1U, true}, std::pair{1U, false}, std::pair{2U, true},
                                           std::pair{5U, false}, std::pair{16U, true}, std::pair{64U, false}),
                         [](const auto& test) {
                           return std::to_string(test.param.first) +
                                  (test.param.second ? "_catching_up" : "_putting_off");
                         });

TEST_P(Outstanding, limit_is_reached_and_never_passed) {
  const auto [limit, catch_up] = GetParam();
  GeneratorSpec spec = generator(PatternKind::uniform, 2000);
  spec.pacing.kind = PacingSpec::Kind::exponential;
  spec.pacing.catch_up = catch_up;
  spec.outstanding = limit;
  build(spec);
  RandomStream random(11);
  std::vector<Picoseconds> latencies(2000);
  // Mostly more load than the limit allows, sometimes no wait at all.
  for (Picoseconds& latency : latencies) latency = random.below(4) == 0 ? 0 : random.below(3000 * limit);
  std::size_t request = 0;
  fabric[0].latency = [&](Picoseconds, std::uint64_t) { return latencies[request++]; };
  run([&] { start_and_wait(); });

  std::size_t peak = 0;
  for (std::size_t i = 0; i < seen().size(); ++i) {
    std::size_t in_flight = 1;
    for (std::size_t j = 0; j < i; ++j) in_flight += seen()[j].end > seen()[i].when ? 1 : 0;
    ASSERT_LE(in_flight, limit);
    peak = std::max(peak, in_flight);
  }
  EXPECT_EQ(peak, limit);
  EXPECT_EQ(issuer->statistics()[0].peak_outstanding, limit);
  std::vector<Picoseconds> planned;
  for (const Request& one : plan_of(spec)) planned.push_back(one.when);
  EXPECT_EQ(times(), times_with_limit(planned, latencies, limit, catch_up)) << "and it is sent as soon as it may be";
}

TEST_F(Issuer, a_pointer_chase_waits_for_each_answer) {
  GeneratorSpec spec = generator(PatternKind::pointer_chase, 5);
  spec.pacing = {.kind = PacingSpec::Kind::back_to_back, .gap = 100};
  build(spec);
  answer_after(90'000);
  run([&] { start_and_wait(); });
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 90'000, 180'000, 270'000, 360'000));
}

TEST_F(Issuer, late_requests_catch_up_when_told_to) {
  GeneratorSpec spec = generator(PatternKind::stream, 6);
  spec.outstanding = 1;
  build(spec);
  fabric[0].latency = [](Picoseconds when, std::uint64_t) { return when == 0 ? 3500 : 0; };
  run([&] { start_and_wait(); });
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 3500, 3500, 3500, 4000, 5000));
}

TEST_F(Issuer, late_requests_put_off_the_others_when_told_not_to_catch_up) {
  GeneratorSpec spec = generator(PatternKind::stream, 6);
  spec.outstanding = 1;
  spec.pacing.catch_up = false;
  build(spec);
  fabric[0].latency = [](Picoseconds when, std::uint64_t) { return when == 0 ? 3500 : 0; };
  run([&] { start_and_wait(); });
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 3500, 4500, 5500, 6500, 7500));
}

TEST_F(Issuer, a_phase_ends_at_its_time_and_drops_what_still_waits) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.outstanding = 1;
  spec.phases.assign(2, {});
  spec.phases[0].duration = 10'000;
  spec.phases[1].count = 2;
  spec.phases[1].targets = {Target{.socket = 1, .base = {}}};
  build(spec);
  answer_after(5000);
  run([&] { start_and_wait(); });
  // Ten are planned, and two go out. The third could go at 10 ns, but then the second phase begins.
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 5000, 10'000, 15'000));
  EXPECT_EQ(seen()[1].address, kCmem0 + 64);
  EXPECT_EQ(seen()[2].address, kCmem1);
  const GeneratorStatistics statistics = issuer->statistics()[0];
  EXPECT_EQ(statistics.dropped, 8U);
  EXPECT_EQ(statistics.delayed, 2U);
}

TEST_F(Issuer, a_phase_that_does_not_catch_up_ends_at_its_time_too) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.outstanding = 1;
  spec.pacing = {.kind = PacingSpec::Kind::back_to_back, .gap = 1000};
  spec.phases.assign(2, {});
  spec.phases[0].duration = 10'000;
  spec.phases[1].start = 20'000;
  spec.phases[1].count = 2;
  build(spec);
  answer_after(4000);
  run([&] { start_and_wait(); });
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 4000, 8000, 20'000, 24'000));
  EXPECT_EQ(issuer->statistics()[0].dropped, 0U);
}

TEST_F(Issuer, a_lower_limit_of_a_later_phase_is_kept_from_its_first_request) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.phases.assign(2, {});
  spec.phases[0].count = 4;
  spec.phases[1].count = 2;
  spec.phases[1].pattern = PatternSpec{.kind = PatternKind::pointer_chase, .consumer = {}};
  build(spec);
  answer_after(10'000);
  run([&] { start_and_wait(); });
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 1000, 2000, 3000, 13'000, 23'000));
}

TEST_F(Issuer, a_phase_starts_when_a_delayed_one_has_really_ended) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.outstanding = 1;
  spec.phases.assign(2, {});
  spec.phases[0].count = 3;
  spec.phases[1].count = 2;
  spec.phases[1].start = 5000;
  build(spec);
  fabric[0].latency = [](Picoseconds when, std::uint64_t) { return when < 20'000 ? 10'000 : 0; };
  run([&] { start_and_wait(); });
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 10'000, 20'000, 20'000, 21'000));
}

TEST_F(Issuer, statistics_are_exact) {
  GeneratorSpec spec = generator(PatternKind::stream, 3000);
  spec.mix = {{Operation::read_once, 1}, {Operation::write_partial, 1}, {Operation::evict, 1}};
  spec.sizes = {{64, 1}, {20, 1}};
  build(spec);
  fabric[0].latency = [](Picoseconds, std::uint64_t address) { return 1000 + address / 64 % 777 * 13; };
  run([&] {
    advance(5000);
    start_and_wait();
  });
  std::uint64_t bytes = 0;
  std::uint64_t latency = 0;
  Picoseconds largest = 0;
  Picoseconds last = 0;
  for (const auto& one : seen()) {
    bytes += one.length;
    latency += one.end - one.when;
    largest = std::max(largest, one.end - one.when);
    last = std::max(last, one.end);
  }
  const GeneratorStatistics statistics = issuer->statistics()[0];
  EXPECT_EQ(statistics.name, "g");
  EXPECT_EQ(statistics.issued, 3000U);
  EXPECT_EQ(issuer->issued(), 3000U);
  EXPECT_EQ(statistics.bytes, bytes);
  EXPECT_EQ(statistics.latency_sum, latency);
  EXPECT_EQ(statistics.mean_latency(), latency / 3000);
  EXPECT_EQ(statistics.latency_max, largest);
  EXPECT_EQ(statistics.last_completion, last);
  EXPECT_EQ(statistics.errors, 0U);
  EXPECT_EQ(statistics.delayed, 0U);
}

TEST_F(Issuer, is_done_with_the_last_completion) {
  build(generator(PatternKind::stream, 3));
  fabric[0].latency = [](Picoseconds when, std::uint64_t) { return when == 1000 ? 50'000 : 10; };
  run([&] {
    EXPECT_FALSE(issuer->done());
    issuer->start();
    advance(50'999);
    EXPECT_FALSE(issuer->done());
    sc_core::wait(issuer->done_event());
    EXPECT_EQ(now(), 51'000U);
    EXPECT_TRUE(issuer->done());
  });
}

TEST_F(Issuer, without_generators_is_done_at_once) {
  build(TrafficSpec{});
  run([&] {
    start_and_wait();
    EXPECT_EQ(now(), 0U);
  });
}

TEST_F(Issuer, stop_ends_an_endless_generator_at_that_time) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.phases.clear();
  build(spec);
  answer_after(2500);
  run([&] {
    issuer->start();
    advance(10'000);
    EXPECT_EQ(seen().size(), 10U) << "requests at 0 ... 9 ns; the one at 10 ns is not before now";
    issuer->stop();
    EXPECT_FALSE(issuer->done());
    sc_core::wait(issuer->done_event());
    EXPECT_EQ(now(), 11'500U);
    advance(100'000);
    EXPECT_EQ(seen().size(), 10U);
    EXPECT_TRUE(issuer->done());
  });
}

TEST_F(Issuer, stopped_before_its_start_sends_nothing) {
  build(generator(PatternKind::stream, 5));
  run([&] {
    issuer->stop();
    EXPECT_THROW(issuer->start(), std::logic_error);
    advance(100'000);
    EXPECT_TRUE(seen().empty());
    EXPECT_TRUE(issuer->done());
  });
}

TEST_F(Issuer, may_be_started_before_the_simulation) {
  build(generator(PatternKind::stream, 5));
  issuer->start();
  run([&] { sc_core::wait(issuer->done_event()); });
  EXPECT_THAT(times(), ::testing::ElementsAre(0, 1000, 2000, 3000, 4000));
}

TEST_F(Issuer, reports_the_first_error_of_a_generator_and_counts_all) {
  GeneratorSpec spec = generator(PatternKind::stream, 20, 10 * 64);
  build(spec);
  fabric[0].bad_address = kCmem0 + 3 * 64;
  expect_report(sc_core::SC_WARNING, "pmufab/traffic",
                {"\"g\"", "ReadShared of 64 bytes at 0x80000000c0", "TLM_ADDRESS_ERROR_RESPONSE"});
  run([&] { start_and_wait(); });
  EXPECT_EQ(issuer->statistics()[0].errors, 2U);
  EXPECT_EQ(issuer->statistics()[0].issued, 20U);
}

TEST_F(Issuer, tells_its_progress) {
  TrafficIssuer::Options options;
  options.progress_every = 300;
  std::vector<std::uint64_t> calls;
  options.progress = [&](const TrafficIssuer::Progress& progress) {
    calls.push_back(progress.issued);
    EXPECT_EQ(progress.sent_until, times().back());
    EXPECT_EQ(progress.expected, 1500U);
    EXPECT_DOUBLE_EQ(progress.fraction(), static_cast<double>(progress.issued) / 1500.0);
  };
  GeneratorSpec by_time = generator(PatternKind::stream, 1);
  by_time.name = "by time";
  by_time.phases[0] = {};
  by_time.phases[0].duration = 500'000;
  build(TrafficSpec{1, {generator(PatternKind::stream, 1000), by_time}}, options);
  run([&] { start_and_wait(); });
  EXPECT_THAT(calls, ::testing::ElementsAre(300, 600, 900, 1200, 1500));
}

using UnboundIssuer = pmufab::testing::SimulationTest;

TEST_F(UnboundIssuer, is_an_error_only_for_a_socket_a_generator_uses) {
  TrafficIssuer issuer("issuer", TrafficSpec{1, {generator(PatternKind::stream, 5)}}, two_sockets(), 2);
  expect_report(sc_core::SC_ERROR, "pmufab/traffic", {"issuer.requests_0", "generator \"g\""});
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

}  // namespace
}  // namespace pmufab::traffic
