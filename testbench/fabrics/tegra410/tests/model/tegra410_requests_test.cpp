// SPDX-License-Identifier: Apache-2.0
// What requests count, PlatformCrossCheck compares with the judge: here is what is no request at all.
#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing::tegra410_requests_test {
namespace {

using Opcode = FabricOpcode;
using Counts = Rig::Counts;
constexpr RequesterKind kGpu = RequesterKind::gpu;

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
}  // namespace pmufab::testing::tegra410_requests_test
