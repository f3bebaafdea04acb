// SPDX-License-Identifier: Apache-2.0
// docs/tegra410.md, "What a request does at one UCF": every rule by itself, with all events it must and must not cause.
// No two CPU clusters hold the same line in these tests, so there are no snoops.
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
constexpr RequesterKind kPcie = RequesterKind::pcie;

class Tegra410Requests : public SimulationTest {
 protected:
  Rig rig{small_spec(1)};
};

Counts read_miss(const std::string& path) {
  return at(0, path,
            {{"slc_access_rd", 1},
             {"slc_bytes_rd", 64},
             {"mem_access_rd", 1},
             {"mem_bytes_rd", 64},
             {"slc_refill_rd", 1},
             {"slc_allocate", 1}});
}

Counts write_back(const std::string& path) {
  return at(0, path, {{"slc_wb", 1}, {"mem_access_wr", 1}, {"mem_bytes_wr", 64}});
}

TEST_F(Tegra410Requests, read_shared_and_read_unique_refill_on_a_miss_and_hit_afterwards) {
  run([&] {
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 1)});
    EXPECT_EQ(rig.take(), read_miss("cpu>cmem"));
    rig.request({.opcode = Opcode::read_unique, .address = cmem(0, 2)});
    EXPECT_EQ(rig.take(), read_miss("cpu>cmem"));
    const Counts hit = at(0, "cpu>cmem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"slc_hit_rd", 1}});
    rig.request({.opcode = Opcode::read_unique, .address = cmem(0, 1)});
    EXPECT_EQ(rig.take(), hit);
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 2)});
    EXPECT_EQ(rig.take(), hit);
  });
}

TEST_F(Tegra410Requests, read_once_reads_the_line_from_memory_and_leaves_no_copy) {
  run([&] {
    const Ask ask{.opcode = Opcode::read_once, .address = cmem(0, 3) + 16, .kind = kGpu, .length = 12};
    const Counts miss =
        at(0, "noncpu>cmem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 12}, {"mem_access_rd", 1}, {"mem_bytes_rd", 64}});
    rig.request(ask);
    EXPECT_EQ(rig.take(), miss);
    rig.request(ask);
    EXPECT_EQ(rig.take(), miss);
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 3), .kind = kGpu});
    rig.take();
    rig.request(ask);
    EXPECT_EQ(rig.take(), at(0, "noncpu>cmem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 12}, {"slc_hit_rd", 1}}));
  });
}

TEST_F(Tegra410Requests, full_line_writes_allocate_without_reading_and_hit_without_slc_hit_rd) {
  run([&] {
    const Counts hit = at(0, "noncpu>cxl", {{"slc_access_wr", 1}, {"slc_bytes_wr", 64}});
    for (const Opcode opcode : {Opcode::write_unique_full, Opcode::write_back_full}) {
      const Ask ask{.opcode = opcode, .address = cxl(0, opcode == Opcode::write_back_full ? 1 : 2), .kind = kPcie};
      rig.request(ask);
      EXPECT_EQ(rig.take(), hit + at(0, "noncpu>cxl", {{"slc_allocate", 1}}));
      rig.request(ask);
      EXPECT_EQ(rig.take(), hit);
    }
  });
}

TEST_F(Tegra410Requests, partial_writes_and_atomics_refill_on_a_miss) {
  run([&] {
    const Counts refill =
        at(0, "noncpu>cmem", {{"mem_access_rd", 1}, {"mem_bytes_rd", 64}, {"slc_refill_wr", 1}, {"slc_allocate", 1}});
    const Ask write{.opcode = Opcode::write_unique_ptl, .address = cmem(0, 1) + 63, .kind = kGpu, .length = 1};
    const Counts write_hit = at(0, "noncpu>cmem", {{"slc_access_wr", 1}, {"slc_bytes_wr", 1}});
    rig.request(write);
    EXPECT_EQ(rig.take(), write_hit + refill);
    rig.request(write);
    EXPECT_EQ(rig.take(), write_hit);

    const Ask atomic{.opcode = Opcode::atomic_store, .address = cmem(0, 2) + 8, .kind = kGpu, .length = 8};
    const Counts atomic_hit = at(0, "noncpu>cmem", {{"slc_access_atomic", 1}});  // neither a read nor a write
    rig.request(atomic);
    EXPECT_EQ(rig.take(), atomic_hit + refill);
    rig.request(atomic);
    EXPECT_EQ(rig.take(), atomic_hit);
  });
}

TEST_F(Tegra410Requests, dataless_requests_count_as_such_whatever_length_the_payload_has) {
  run([&] {
    for (const Opcode opcode : {Opcode::evict, Opcode::clean_unique, Opcode::clean_invalid}) {
      for (const unsigned length : {0U, 64U}) {
        rig.request({.opcode = opcode, .address = cmem(0, 1), .length = length});
        EXPECT_EQ(rig.take(), at(0, "cpu>cmem", {{"slc_access_dataless", 1}})) << to_string(opcode);
      }
    }
  });
}

TEST_F(Tegra410Requests, evict_and_clean_unique_leave_the_slc_as_it_is) {
  run([&] {
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 4), .kind = kGpu});
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 0), .kind = kGpu});
    rig.request(
        {.opcode = Opcode::read_shared, .address = cmem(0, 4), .kind = kGpu});  // 4 is used last, so 0 is replaced next
    rig.request({.opcode = Opcode::evict, .address = cmem(0, 0)});
    rig.request({.opcode = Opcode::clean_unique, .address = cmem(0, 0), .kind = kGpu});
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 8), .kind = kGpu});
    rig.take();
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 4), .kind = kGpu});
    EXPECT_EQ(rig.take(), at(0, "noncpu>cmem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"slc_hit_rd", 1}}));
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 0), .kind = kGpu});
    EXPECT_EQ(rig.take(), at(0, "noncpu>cmem",
                             {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"mem_access_rd", 1}, {"mem_bytes_rd", 64}}));
  });
}

TEST_F(Tegra410Requests, clean_invalid_writes_a_dirty_line_back_and_drops_any_line) {
  run([&] {
    const Counts dataless = at(0, "noncpu>cxl", {{"slc_access_dataless", 1}});
    const Ask clean{.opcode = Opcode::clean_invalid, .address = cxl(0, 1), .kind = kGpu};
    rig.request({.opcode = Opcode::write_unique_full, .address = cxl(0, 1), .kind = kGpu});
    rig.take();
    rig.request(clean);
    EXPECT_EQ(rig.take(), dataless + write_back("noncpu>cxl"));
    rig.request(clean);  // gone
    EXPECT_EQ(rig.take(), dataless);
    rig.request({.opcode = Opcode::read_shared, .address = cxl(0, 1), .kind = kGpu});
    EXPECT_EQ(rig.take(), read_miss("noncpu>cxl"));
    rig.request(clean);  // clean
    EXPECT_EQ(rig.take(), dataless);
    rig.request({.opcode = Opcode::read_shared, .address = cxl(0, 1), .kind = kGpu});
    EXPECT_EQ(rig.take(), read_miss("noncpu>cxl"));
  });
}

TEST_F(Tegra410Requests, a_dirty_victim_is_written_back_with_the_causing_source_and_its_own_destination) {
  run([&] {
    rig.request({.opcode = Opcode::write_unique_ptl, .address = cxl(0, 0), .length = 4});  // cpu
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 0), .kind = kGpu});     // clean
    rig.take();
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 4), .kind = kGpu});  // cxl 0 goes
    EXPECT_EQ(rig.take(), read_miss("noncpu>cmem") + write_back("noncpu>cxl"));
    rig.request({.opcode = Opcode::write_unique_full, .address = cmem(0, 8), .kind = kGpu});  // cmem 0 goes
    EXPECT_EQ(rig.take(), at(0, "noncpu>cmem", {{"slc_access_wr", 1}, {"slc_bytes_wr", 64}, {"slc_allocate", 1}}));
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 4), .kind = kGpu});  // refresh 4
    rig.request({.opcode = Opcode::write_unique_full, .address = cxl(0, 4)});         // cmem 8 goes
    EXPECT_EQ(rig.take(), at(0, "noncpu>cmem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"slc_hit_rd", 1}}) +
                              at(0, "cpu>cxl", {{"slc_access_wr", 1}, {"slc_bytes_wr", 64}, {"slc_allocate", 1}}) +
                              write_back("cpu>cmem"));
  });
}

TEST_F(Tegra410Requests, every_kind_of_write_makes_a_clean_line_dirty) {
  run([&] {
    for (const Opcode opcode :
         {Opcode::write_unique_full, Opcode::write_back_full, Opcode::write_unique_ptl, Opcode::atomic_store}) {
      rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 1), .kind = kGpu});
      rig.request({.opcode = opcode, .address = cmem(0, 1), .kind = kGpu});
      rig.take();
      rig.request({.opcode = Opcode::clean_invalid, .address = cmem(0, 1), .kind = kGpu});
      EXPECT_EQ(rig.take(), at(0, "noncpu>cmem", {{"slc_access_dataless", 1}}) + write_back("noncpu>cmem"))
          << to_string(opcode);
    }
  });
}

TEST_F(Tegra410Requests, gmem_is_not_cached_and_every_request_goes_to_memory_with_its_own_length) {
  run([&] {
    for (int round = 0; round < 2; ++round) {
      rig.request({.opcode = Opcode::read_shared, .address = gmem(0, 1), .kind = kGpu});
      rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1) + 32, .kind = kGpu, .length = 8});
      EXPECT_EQ(rig.take(),
                at(0, "noncpu>gmem",
                   {{"slc_access_rd", 2}, {"slc_bytes_rd", 72}, {"mem_access_rd", 2}, {"mem_bytes_rd", 72}}));
      rig.request({.opcode = Opcode::write_unique_full, .address = gmem(0, 1), .kind = kGpu});
      rig.request({.opcode = Opcode::write_unique_ptl, .address = gmem(0, 1), .kind = kGpu, .length = 3});
      rig.request({.opcode = Opcode::atomic_store, .address = gmem(0, 1), .kind = kGpu, .length = 4});
      rig.request({.opcode = Opcode::clean_invalid, .address = gmem(0, 1), .kind = kGpu});
      EXPECT_EQ(rig.take(), at(0, "noncpu>gmem",
                               {{"slc_access_wr", 2},
                                {"slc_bytes_wr", 67},
                                {"slc_access_atomic", 1},
                                {"slc_access_dataless", 1},
                                {"mem_access_wr", 3},
                                {"mem_bytes_wr", 71}}));
    }
  });
}

TEST_F(SimulationTest, the_list_of_cached_classes_is_a_choice) {
  platform::PlatformSpec spec = small_spec(1);
  spec.edit<platform::Tegra410Spec>().slc.cached = {MemoryClass::gmem};
  Rig rig(spec);
  run([&] {
    rig.request({.opcode = Opcode::read_shared, .address = gmem(0, 1), .kind = kGpu});
    EXPECT_EQ(rig.take(), read_miss("noncpu>gmem"));
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 1), .kind = kGpu});
    EXPECT_EQ(rig.take(), at(0, "noncpu>cmem",
                             {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"mem_access_rd", 1}, {"mem_bytes_rd", 64}}));
  });
}

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
