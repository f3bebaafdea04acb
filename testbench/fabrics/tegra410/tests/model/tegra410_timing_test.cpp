// SPDX-License-Identifier: Apache-2.0
// docs/tegra410.md, "Order and time": when requests are accepted, and how long requesters wait. When memory answers,
// the judge compares (memory_wires.h), and what requests count, PlatformCrossCheck does.
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing::tegra410_timing_test {
namespace {

using Opcode = FabricOpcode;
using Counts = Rig::Counts;
constexpr RequesterKind kGpu = RequesterKind::gpu;

// Chosen so that all sums below are different.
constexpr Picoseconds kSlc = 1'000'000;
constexpr Picoseconds kCmem = 200'000;
constexpr Picoseconds kService = 30'000;
constexpr Picoseconds kGmem = 4'000;
constexpr Picoseconds kCxl = 500;
constexpr Picoseconds kLink = 60;

platform::PlatformSpec timed_spec(unsigned sockets) {
  platform::PlatformSpec spec = small_spec(sockets);
  spec.edit<platform::Tegra410Spec>().latency = {
      .slc = kSlc, .cmem = kCmem, .cmem_service = kService, .gmem = kGmem, .cxl = kCxl, .link = kLink};
  return spec;
}

struct Recorder : BoundaryObserver {
  void on_request(const Request& request) override { requests.push_back(request); }
  void on_memory_access(const MemoryAccess& access) override { accesses.push_back(access); }
  std::vector<Request> requests;
  std::vector<MemoryAccess> accesses;
};

class Tegra410Timing : public SimulationTest {
 protected:
  Tegra410Timing() { rig.platform.get<platform::Tegra410Part>().set_observer(&seen); }
  Picoseconds gpu(Opcode opcode, std::uint64_t address, unsigned length = 64) {
    return rig.request({.opcode = opcode, .address = address, .kind = kGpu, .length = length});
  }
  Rig rig{timed_spec(2)};
  Recorder seen;
};

TEST_F(Tegra410Timing, a_requester_waits_for_the_slc_and_for_memory_on_a_read_that_misses) {
  run([&] {
    EXPECT_EQ(gpu(Opcode::read_shared, cmem(0, 1)), kSlc + kCmem);
    EXPECT_EQ(gpu(Opcode::read_shared, cmem(0, 1)), kSlc);
    EXPECT_EQ(gpu(Opcode::read_once, cxl(0, 2)), kSlc + kCxl);
    EXPECT_EQ(gpu(Opcode::read_once, gmem(0, 1)), kSlc + kGmem);
  });
}

TEST_F(Tegra410Timing, writes_atomics_and_dataless_requests_wait_for_the_slc_alone) {
  run([&] {
    EXPECT_EQ(gpu(Opcode::write_unique_full, cmem(0, 1)), kSlc);
    EXPECT_EQ(gpu(Opcode::write_unique_ptl, cmem(0, 2), 4), kSlc);  // reads memory, but nobody waits for it
    EXPECT_EQ(gpu(Opcode::atomic_store, cmem(0, 3), 8), kSlc);
    EXPECT_EQ(gpu(Opcode::write_unique_ptl, gmem(0, 2), 4), kSlc);
    EXPECT_EQ(gpu(Opcode::clean_invalid, cmem(0, 1)), kSlc);
    EXPECT_EQ(gpu(Opcode::evict, cmem(0, 1)), kSlc);
  });
}

TEST_F(Tegra410Timing, a_remote_home_adds_the_link_once) {
  run([&] {
    EXPECT_EQ(gpu(Opcode::read_shared, cmem(1, 1)), kSlc + kLink + kCmem);
    EXPECT_EQ(gpu(Opcode::read_shared, cmem(1, 1)), kSlc + kLink);
    EXPECT_EQ(gpu(Opcode::read_once, gmem(1, 1)), kSlc + kLink + kGmem);
    EXPECT_EQ(gpu(Opcode::write_unique_full, cxl(1, 1)), kSlc + kLink);
    EXPECT_EQ(gpu(Opcode::clean_invalid, cxl(1, 1)), kSlc + kLink);
  });
}

TEST_F(Tegra410Timing, the_delay_on_entry_says_when_a_request_arrives) {
  run([&] {
    advance(100);
    const Picoseconds latency =
        rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu, .delay = 1'234});
    EXPECT_EQ(latency, kSlc + kGmem);
    ASSERT_EQ(seen.requests.size(), 1U);
    EXPECT_EQ(seen.requests[0].when, 1'334U);
  });
}

TEST_F(Tegra410Timing, a_caller_alone_runs_ahead_without_waiting) {
  run(
      [&] {
        for (Picoseconds delay = 0; delay < 100'000; delay += 1'000) {
          rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu, .delay = delay});
        }
        EXPECT_EQ(now(), 0U);
        EXPECT_EQ(seen.requests.back().when, 99'000U);
      },
      0);
}

TEST_F(Tegra410Timing, a_request_waits_until_it_arrives_if_something_else_may_happen_before) {
  std::vector<std::size_t> seen_at;
  sc_core::sc_spawn([&] {
    for (int step = 0; step < 3; ++step) {
      advance(1'000);
      seen_at.push_back(seen.requests.size());
    }
  });
  run([&] {
    advance(1);  // let the other process reach its first wait
    const auto after = [&](Picoseconds delay) {
      rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu, .delay = delay});
    };
    after(500);
    EXPECT_EQ(now(), 1U);
    after(1'500);
    EXPECT_EQ(now(), 1'501U);
    after(499);  // at the same instant as the other process: wait, and let the kernel order them
    EXPECT_EQ(now(), 2'000U);
    advance(2'000);
    EXPECT_EQ(seen_at.at(0), 1U);
    EXPECT_EQ(seen.requests.at(1).when, 1'501U);
  });
}

TEST_F(Tegra410Timing, a_request_that_arrives_before_one_accepted_already_counts_as_arriving_with_it) {
  run([&] {
    const auto after = [&](Picoseconds delay, unsigned socket) {
      rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu, .socket = socket, .delay = delay});
    };
    after(5'000, 0);
    after(2'000, 1);
    EXPECT_EQ(seen.requests.at(1).when, 5'000U);
  });
}

/// An initiator of non-blocking transport. It sends, and records when the answer comes.
class NonBlocking : public sc_core::sc_module {
 public:
  explicit NonBlocking(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
    socket.register_nb_transport_bw(this, &NonBlocking::answer);
  }
  tlm_utils::simple_initiator_socket<NonBlocking, 64> socket;
  std::vector<std::pair<tlm::tlm_generic_payload*, Picoseconds>> answers;

 private:
  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) {
      answers.emplace_back(&payload, to_picoseconds(sc_core::sc_time_stamp() + delay));
      phase = tlm::END_RESP;
      return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;
  }
};

TEST_F(SimulationTest, non_blocking_transport_reaches_the_same_fabric_with_the_same_latency) {
  platform::Platform platform("platform", timed_spec(1));
  Initiator cpu("cpu");
  cpu.socket.bind(platform.bus().socket);
  NonBlocking requester("requester");
  requester.socket.bind(platform.get<platform::Tegra410Part>().socket(0).requests);
  Recorder seen;
  platform.get<platform::Tegra410Part>().set_observer(&seen);
  run([&] {
    FabricExtension extension;
    extension.opcode = Opcode::read_once;
    extension.requester = kGpu;
    tlm::tlm_generic_payload payloads[2];
    const std::uint64_t addresses[2] = {gmem(0, 1), cxl(0, 1)};
    advance(1'000);
    for (int index = 0; index < 2; ++index) {
      payloads[index].set_command(tlm::TLM_READ_COMMAND);
      payloads[index].set_address(addresses[index]);
      payloads[index].set_data_length(64);
      payloads[index].set_streaming_width(64);
      payloads[index].set_extension(&extension);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = to_sc_time(50);
      EXPECT_NE(requester.socket->nb_transport_fw(payloads[index], phase, delay), tlm::TLM_COMPLETED);
      advance(10'000'000);
    }
    ASSERT_EQ(seen.requests.size(), 2U);
    EXPECT_EQ(seen.requests[0].when, 1'050U);
    ASSERT_EQ(requester.answers.size(), 2U);
    for (int index = 0; index < 2; ++index) {
      EXPECT_EQ(requester.answers[index].first, &payloads[index]);
      EXPECT_EQ(payloads[index].get_response_status(), tlm::TLM_OK_RESPONSE);
      payloads[index].clear_extension(&extension);
    }
    EXPECT_EQ(requester.answers[0].second, 1'050 + kSlc + kGmem);
    EXPECT_EQ(requester.answers[1].second, 10'001'050 + kSlc + kCxl);
  });
}

// ---- What is no request at all

class Tegra410Requests : public SimulationTest {
 protected:
  Rig rig{small_spec(1)};
};

TEST_F(Tegra410Requests, a_bad_request_is_refused_with_its_own_status_and_changes_nothing) {
  struct Shown : BoundaryObserver {
    void on_request(const Request&) override { ++calls; }
    void on_memory_access(const MemoryAccess&) override { ++calls; }
    int calls = 0;
  } shown;
  rig.platform.get<platform::Tegra410Part>().set_observer(&shown);
  run([&] {
    const auto status = [&](const Ask& ask) { return rig.send(ask).status; };
    const auto custom = [&](tlm::tlm_command command, bool cpu_access, const auto& change) {
      tlm::tlm_generic_payload payload;
      FabricExtension extension;
      extension.opcode = Opcode::read_once;
      payload.set_command(command);
      payload.set_address(cmem(0, 1));
      payload.set_data_length(8);
      payload.set_streaming_width(8);
      payload.set_extension(&extension);
      change(payload, extension);
      const auto answer = rig.transport(payload, 0, cpu_access).status;
      payload.clear_extension(&extension);
      return answer;
    };
    const auto nothing = [](auto&, auto&) {};
    for (const Opcode opcode :
         {Opcode::read_shared, Opcode::read_unique, Opcode::write_unique_full, Opcode::write_back_full}) {
      EXPECT_EQ(status({.opcode = opcode, .address = cmem(0, 1), .length = 32}), tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(status({.opcode = opcode, .address = cmem(0, 1) + 1}), tlm::TLM_BURST_ERROR_RESPONSE);
    }
    EXPECT_EQ(status({.opcode = Opcode::read_once, .address = cmem(0, 1) + 60, .length = 5}),
              tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status({.opcode = Opcode::read_once, .address = cmem(0, 1), .length = 0}), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status({.opcode = Opcode::read_once, .address = 0x40}), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status({.opcode = Opcode::evict, .address = cmem(1, 0)}), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status({.opcode = Opcode::read_once, .address = cmem(0, 1), .cluster = 4}),
              tlm::TLM_GENERIC_ERROR_RESPONSE);
    for (const bool cpu_access : {false, true}) {
      EXPECT_EQ(custom(tlm::TLM_READ_COMMAND, cpu_access, [](auto&, auto& extension) { extension.socket = 1; }),
                tlm::TLM_GENERIC_ERROR_RESPONSE);
      EXPECT_EQ(custom(tlm::TLM_READ_COMMAND, cpu_access,
                       [](auto& payload, auto& extension) { payload.clear_extension(&extension); }),
                tlm::TLM_GENERIC_ERROR_RESPONSE);
      unsigned char enables[8] = {};
      EXPECT_EQ(custom(tlm::TLM_READ_COMMAND, cpu_access,
                       [&](auto& payload, auto&) { payload.set_byte_enable_ptr(enables); }),
                tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      EXPECT_EQ(custom(tlm::TLM_READ_COMMAND, cpu_access, [](auto& payload, auto&) { payload.set_streaming_width(4); }),
                tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(custom(tlm::TLM_IGNORE_COMMAND, cpu_access, nothing), tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    EXPECT_EQ(custom(tlm::TLM_WRITE_COMMAND, false, nothing), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(custom(tlm::TLM_READ_COMMAND, true, [](auto&, auto& extension) { extension.requester = kGpu; }),
              tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(custom(tlm::TLM_READ_COMMAND, true, [](auto& payload, auto&) { payload.set_address(0); }),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.take(), Counts{});
    EXPECT_EQ(shown.calls, 0);
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_timing_test
