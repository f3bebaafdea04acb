// SPDX-License-Identifier: Apache-2.0
// A memory expander as software sees it: configuration space, register blocks, readiness, HDM decoders.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/model/cxl_type3_rig.h"
#include "testbench/support/simulation_test.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kUnit = std::uint64_t{256} << 20;

constexpr FieldSpec kMarkFields[] = {{.name = "MARK", .lsb = 0, .width = 64, .access = Access::rw}};
constexpr RegisterSpec kMark[] = {{.name = "MARK", .offset = 0, .width = 64, .fields = kMarkFields}};

/// Takes the place of a CPMU: one register.
struct Mark : sc_core::sc_module {
  Mark(const sc_core::sc_module_name& module_name, std::uint64_t value) : sc_core::sc_module(module_name) {
    socket.register_b_transport(this, &Mark::b_transport);
    bank.set_value(bank.find("MARK"), value);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank.b_transport(payload, delay); }
  tlm_utils::simple_target_socket<Mark, 64> socket{"socket"};
  RegisterBank bank{{.name = "mark", .size = 0xe00}, kMark};
};

class CxlType3 : public testing::SimulationTest {};

TEST_F(CxlType3, the_register_locator_lists_blocks_in_the_order_of_configuration) {
  Type3Parameters parameters;
  parameters.blocks = {{BlockId::component}, {BlockId::cpmu}, {BlockId::empty},           {BlockId::device},
                       {BlockId::chmu},      {BlockId::cpmu}, {BlockId::vendor_specific}, {BlockId::cpmu}};
  parameters.serial_number = 0x1122334455667788;
  Type3Rig rig(parameters);
  Mark first("first", 0xa0);
  Mark second("second", 0xa1);
  Mark third("third", 0xa2);
  ASSERT_EQ(rig.device.cpmu_blocks(), 3U);
  rig.device.attach_cpmu(2, third.socket, 0xe00);
  rig.device.attach_cpmu(0, first.socket, 0xe00);
  rig.device.attach_cpmu(1, second.socket, 0xe00);
  EXPECT_THROW(rig.device.attach_cpmu(3, third.socket), SpecError);
  run([&] {
    EXPECT_EQ(rig.config(0x08) >> 8, 0x050210U);
    EXPECT_EQ(rig.config(rig.capability(0x10) + 2, 2) >> 4 & 0xf, 0U);  // an endpoint, not integrated
    EXPECT_EQ(rig.config(0x104), 0x55667788U);
    std::vector<unsigned> ids;
    std::vector<std::uint64_t> marks;
    for (const auto& entry : rig.locator()) {
      ids.push_back(entry.id);
      EXPECT_EQ(entry.bar, 0U);
      EXPECT_EQ(entry.offset % 0x10000, 0U);
      EXPECT_LT(entry.offset, rig.device.function().bar_size(0));
      if (entry.id == 4) marks.push_back(rig.cpu.get64(Type3Rig::kBar + entry.offset));
    }
    EXPECT_THAT(ids, ElementsAre(1, 4, 0, 3, 5, 4, 0xff, 4));
    EXPECT_THAT(marks, ElementsAre(0xa0, 0xa1, 0xa2));
    EXPECT_EQ(rig.config(rig.dvsec(8) + 4) >> 20, 0xcU + 8 * 8);
  });
}

// CXL 3.1, 8.1.7 and 8.1.8.
TEST_F(CxlType3, has_the_dvsecs_of_persistent_flush_and_of_the_flex_bus) {
  Type3Rig rig;
  run([&] {
    const unsigned flush = rig.dvsec(5);
    ASSERT_NE(flush, 0U);
    EXPECT_EQ(rig.config(flush + 4) >> 16, 0x0100U);  // 16 bytes, revision 0
    EXPECT_LE(rig.config(flush + 0x0a, 2) & 0xf, 9U);
    EXPECT_LE(rig.config(flush + 0x0a, 2) >> 8 & 0xf, 7U);  // scale
    const unsigned flex_bus = rig.dvsec(7);
    ASSERT_NE(flex_bus, 0U);
    EXPECT_EQ(rig.config(flex_bus + 4) >> 16, 0x0202U);         // 32 bytes, revision 2
    EXPECT_EQ(rig.config(flex_bus + 0x0a, 2) & 0x7, 0x6U);      // IO and memory, no cache
    EXPECT_EQ(rig.config(flex_bus + 0x0e, 2) & 0x27, 0x0026U);  // trained to what it is capable of
  });
}

/// The words of an entry of the CDAT, by data object exchange; the first is the response's header.
std::vector<std::uint32_t> table_entry(Type3Rig& rig, std::uint32_t entry) {
  const unsigned doe = rig.extended(0x2e);
  for (const std::uint32_t word : {0x0002'1e98U, 3U, entry << 16}) rig.config_write(doe + 0x10, 4, word);
  rig.config_write(doe + 0x08, 4, 1U << 31);
  std::vector<std::uint32_t> words;
  while ((rig.config(doe + 0x0c) >> 31) != 0 && words.size() < 100) {
    words.push_back(rig.config(doe + 0x14));
    rig.config_write(doe + 0x14, 4, 0);
  }
  EXPECT_GE(words.size(), 3U);
  EXPECT_EQ(words.at(0), 0x0002'1e98U);
  EXPECT_EQ(words.at(1), words.size());
  words.erase(words.begin(), words.begin() + 2);
  return words;
}

// CXL 3.1, 8.1.11; CDAT 1.03.
TEST_F(CxlType3, the_attribute_table_has_a_range_for_each_kind_of_memory) {
  Type3Parameters parameters;
  parameters.memory.volatile_capacity = 4 * kUnit;
  parameters.memory.persistent_capacity = 32 * kUnit;
  Type3Rig rig(parameters);
  run([&] {
    std::vector<std::vector<std::uint32_t>> entries;
    for (std::uint32_t entry = 0; entry != 0xffff && entries.size() < 20;) {
      std::vector<std::uint32_t> words = table_entry(rig, entry);
      EXPECT_EQ(words.at(0) & 0xffff, 0U);
      entry = words.at(0) >> 16;
      words.erase(words.begin());
      entries.push_back(words);
    }
    std::uint32_t bytes = 0;
    std::uint32_t sum = 0;
    for (const auto& words : entries) {
      for (const std::uint32_t word : words) {
        bytes += 4;
        for (unsigned shift = 0; shift < 32; shift += 8) sum += word >> shift & 0xff;
      }
    }
    ASSERT_EQ(entries.size(), 5U);
    EXPECT_EQ(entries[0].at(0), bytes);
    EXPECT_EQ(entries[0].at(1) & 0xff, 1U);
    EXPECT_EQ(sum % 256, 0U);
    EXPECT_THAT(entries[1], ElementsAre(24U << 16, 0x0000U, 0, 0, 4 * kUnit, 0));  // DSMAS 0
    EXPECT_THAT(entries[2], ElementsAre(4U | 24U << 16, 0x0100U, 0, 0, 4 * kUnit, 0));
    EXPECT_THAT(entries[3], ElementsAre(24U << 16, 0x0401U, 4 * kUnit, 0, 0, 2));  // non-volatile, 8 GiB
    EXPECT_THAT(entries[4], ElementsAre(4U | 24U << 16, 0x0201U, 0, 0, 0, 2));
  });
}

TEST_F(CxlType3, entries_beyond_the_bar_or_over_another_have_no_registers) {
  Type3Parameters parameters;
  parameters.blocks = {{BlockId::component}, {BlockId::device},         {BlockId::cpmu, 0x1000'0000},
                       {BlockId::cpmu},      {BlockId::cpmu, 0x2'0000}, {BlockId::cpmu, 0x1'0000}};
  Type3Rig rig(parameters);
  Mark marks[] = {{"mark0", 0}, {"mark1", 1}, {"mark2", 2}, {"mark3", 3}};
  for (unsigned i = 0; i < 4; ++i) rig.device.attach_cpmu(i, marks[i].socket, 0xe00);
  run([&] {
    const auto entries = rig.locator();
    ASSERT_EQ(entries.size(), 6U);
    EXPECT_GT(entries[2].offset, rig.device.function().bar_size(0));
    EXPECT_EQ(entries[3].offset, 0x2'0000U);
    EXPECT_EQ(entries[4].offset, 0x2'0000U);
    EXPECT_EQ(rig.cpu.get64(Type3Rig::kBar + 0x2'0000), 1U);
    EXPECT_NE(rig.device_capability(2), 0U);  // the device registers stay in place
  });
}

TEST_F(CxlType3, the_device_registers_lead_to_status_mailbox_and_memory_device_status) {
  Type3Parameters parameters;
  parameters.payload_size_log2 = 17;  // larger than 64 KiB: the blocks behind it move
  Type3Rig rig(parameters);
  run([&] {
    const std::uint64_t base = rig.block(3);
    EXPECT_EQ(rig.cpu.get64(base) & 0xffff, 0U);
    EXPECT_EQ(rig.cpu.get64(base) >> 32, 3U);
    std::vector<unsigned> ids;
    std::uint64_t end = 0;
    for (unsigned i = 1; i <= 3; ++i) {
      ids.push_back(rig.cpu.get32(base + 16 * i) & 0xffff);
      const std::uint64_t length = rig.cpu.get32(base + 16 * i + 8);
      EXPECT_EQ(length, ids.back() == 2 ? 0x2'0020U : 8U);
      end = std::max(end, rig.cpu.get32(base + 16 * i + 4) + length);
    }
    EXPECT_THAT(ids, ElementsAre(1, 2, 0x4000));
    EXPECT_GE(rig.block(4), base + end);
    EXPECT_EQ(rig.cpu.get64(rig.device_capability(0x4000)), 0x14U);  // media and mailbox ready
    EXPECT_EQ(rig.cpu.get64(rig.device_capability(1)), 0U);
    EXPECT_EQ(rig.cpu.get32(rig.device_capability(2)) & 0x1f, 17U);
    rig.cpu.put64(base, 0);
    EXPECT_EQ(rig.cpu.get64(base) >> 32, 3U);
  });
}

TEST_F(CxlType3, a_missing_capability_is_not_in_the_array) {
  Type3Parameters parameters;
  parameters.missing_capability = DeviceCapability::primary_mailbox;
  Type3Rig rig(parameters);
  run([&] {
    EXPECT_EQ(rig.cpu.get64(rig.block(3)) >> 32, 2U);
    EXPECT_NE(rig.device_capability(1), 0U);
    EXPECT_EQ(rig.device_capability(2), 0U);
    EXPECT_NE(rig.device_capability(0x4000), 0U);
    EXPECT_EQ(rig.cpu.get64(rig.block(3) + 0x30), 0U);
  });
}

TEST_F(CxlType3, media_and_mailbox_become_ready_after_a_reset_in_their_time_or_never) {
  Type3Parameters parameters;
  parameters.memory_ranges = 2;
  parameters.memory.persistent_capacity = 4 * kUnit;
  parameters.media_ready_after = 3'000'000;
  parameters.mailbox_ready_after = std::nullopt;
  Type3Rig rig(parameters);
  run([&] {
    const unsigned dvsec = rig.dvsec(0);
    const std::uint64_t status = rig.device_capability(0x4000);
    EXPECT_EQ(rig.config(dvsec + 4) >> 20, 0x3cU);
    EXPECT_EQ(rig.config(dvsec + 0xa, 2), 0x26U);
    EXPECT_EQ(rig.config(dvsec + 0x18), 1U);            // 4 GiB
    EXPECT_EQ(rig.config(dvsec + 0x1c), 0x1U);          // valid, not active
    EXPECT_EQ(rig.config(dvsec + 0x2c), 0x4000'0001U);  // 1 GiB
    EXPECT_EQ(rig.cpu.get64(status), 0U);
    testing::advance_to(2'999'999);
    EXPECT_EQ(rig.cpu.get64(status), 0U);
    testing::advance(2);
    EXPECT_EQ(rig.cpu.get64(status), 0x4U);
    EXPECT_EQ(rig.config(dvsec + 0x1c), 0x3U);
    EXPECT_EQ(rig.config(dvsec + 0x2c), 0x4000'0003U);

    rig.config_write(rig.capability(0x10) + 8, 2, 0x8000);  // a function level reset does not affect the media
    EXPECT_EQ(rig.config(dvsec + 0x1c), 0x3U);
    rig.ecam.reset(pcie::ResetKind::conventional);
    rig.firmware();
    EXPECT_EQ(rig.config(dvsec + 0x1c), 0x1U);
    EXPECT_EQ(rig.cpu.get64(status), 0U);
    testing::advance(3'000'001);
    EXPECT_EQ(rig.cpu.get64(status), 0x4U);
    testing::advance(100'000'000'000);
    EXPECT_EQ(rig.cpu.get64(status) & 0x10, 0U);
  });
}

TEST_F(CxlType3, a_message_beyond_the_granted_vectors_is_lost) {
  Type3Parameters parameters;
  parameters.msi_x_vectors = 4;
  Type3Rig rig(parameters);
  run([&] {
    const unsigned msi_x = rig.capability(0x11);
    EXPECT_EQ(rig.config(msi_x + 2, 2), 3U);
    const std::uint64_t table = Type3Rig::kBar + (rig.config(msi_x + 4) & ~7U);
    for (unsigned vector = 0; vector < 4; ++vector) rig.cpu.put64(table + 16 * vector + 8, 100 + vector);
    rig.config_write(msi_x + 2, 2, 0x8000);
    rig.device.signal(3);
    rig.device.signal(4);
    ASSERT_EQ(rig.messages.messages().size(), 1U);
    EXPECT_EQ(rig.messages.messages()[0].data, 103U);
    EXPECT_EQ(rig.device.function().lost_messages(), 1U);
  });
}

// ---- HDM decoders

/// Registers of decoder `number` in the HDM decoder capability, found as software finds them.
struct DecoderRegisters {
  explicit DecoderRegisters(Type3Rig& owner) : rig(owner) {
    const std::uint64_t array = rig.block(1) + 0x1000;
    const std::uint32_t header = rig.cpu.get32(array);
    EXPECT_EQ(header & 0xffff, 1U);
    for (unsigned i = 1; i <= header >> 24; ++i) {
      const std::uint32_t capability = rig.cpu.get32(array + 4 * i);
      if ((capability & 0xffff) == 5) base = array + (capability >> 20);
      if ((capability & 0xffff) == 2) ras = array + (capability >> 20);
    }
    EXPECT_NE(base, 0U);
  }
  [[nodiscard]] std::uint64_t at(unsigned number, unsigned reg) const { return base + 0x10 + 0x20 * number + reg; }
  void program(unsigned number, std::uint64_t begin, std::uint64_t size, std::uint32_t control,
               std::uint64_t skip = 0) const {
    const auto pair = [&](unsigned reg, std::uint64_t value) {
      rig.cpu.put32(at(number, reg), static_cast<std::uint32_t>(value));
      rig.cpu.put32(at(number, reg + 4), static_cast<std::uint32_t>(value >> 32));
    };
    pair(0x0, begin);
    pair(0x8, size);
    pair(0x14, skip);
    rig.cpu.put32(at(number, 0x10), control);
  }
  [[nodiscard]] std::uint32_t control(unsigned number) const { return rig.cpu.get32(at(number, 0x10)); }

  Type3Rig& rig;
  std::uint64_t base = 0;
  std::uint64_t ras = 0;
};

constexpr std::uint32_t kLock = 0x100;
constexpr std::uint32_t kCommit = 0x200;
constexpr std::uint32_t kCommitted = 0x400;
constexpr std::uint32_t kError = 0x800;

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(CxlType3, software_commits_decoders_in_order_and_uncommits_them) {
  testing::let_writes_be_lost();
  Type3Parameters parameters;
  parameters.memory.volatile_capacity = 8 * kUnit;
  parameters.hdm_decoders = 6;
  Type3Rig rig(parameters);
  std::vector<std::uint64_t> claims;
  HdmMap map;
  rig.device.follow(map);
  rig.device.component().on_claim(
      [&](unsigned number, const HdmClaim& claim) { claims.push_back(number << 8 | claim.size / kUnit); });
  run([&] {
    const DecoderRegisters hdm(rig);
    EXPECT_EQ(rig.cpu.get32(hdm.base), 3U | 0x1b00U);  // six; all interleaves
    EXPECT_EQ(rig.cpu.get32(hdm.ras + 4), 0x1cfffU);
    rig.config_write(rig.dvsec(0) + 0xc, 2, 0x4);
    rig.cpu.put32(hdm.base + 4, 2);

    hdm.program(1, 16 * kUnit, kUnit, kCommit);
    EXPECT_EQ(hdm.control(1), kCommit | kError);  // decoder 0 comes first
    hdm.program(1, 16 * kUnit, kUnit, 0);
    EXPECT_EQ(hdm.control(1), 0U);
    hdm.program(0, 10 * kUnit, 2 * kUnit, 0x10 | kCommit);  // two ways
    EXPECT_EQ(hdm.control(0), 0x10 | kCommit | kCommitted);
    hdm.program(1, 11 * kUnit, kUnit, kCommit);
    EXPECT_EQ(hdm.control(1), kCommit | kError);  // overlaps
    hdm.program(1, 16 * kUnit, 7 * kUnit, 0);
    hdm.program(1, 16 * kUnit, 7 * kUnit, kCommit, kUnit);
    EXPECT_EQ(hdm.control(1), kCommit | kError);  // 1 + 1 skipped + 7 are more than 8
    hdm.program(1, 16 * kUnit, 6 * kUnit, 0, kUnit);
    hdm.program(1, 16 * kUnit, 6 * kUnit, kCommit | kLock, kUnit);
    EXPECT_EQ(hdm.control(1), kCommit | kLock | kCommitted);
    hdm.program(2, 32 * kUnit, kUnit, kCommit);
    EXPECT_EQ(hdm.control(2), kCommit | kError);  // no memory left
    for (const std::uint32_t reserved : {0x50U, 0x70U, 0xb0U, 0x07U, 0x0fU}) {
      hdm.program(2, 32 * kUnit, 0, 0);
      hdm.program(2, 32 * kUnit, 0, kCommit | reserved);
      EXPECT_EQ(hdm.control(2), kCommit | kError | reserved);
    }
    hdm.program(2, 32 * kUnit, kUnit, 0);
    hdm.program(2, 32 * kUnit, kUnit, kCommit | 0x10);
    EXPECT_EQ(hdm.control(2), kCommit | kError | 0x10);  // half of 256 MiB each

    EXPECT_EQ(rig.device.decode(10 * kUnit + 0x340), (DecodedAddress{0, 0x140}));
    EXPECT_EQ(rig.device.decode(12 * kUnit), std::nullopt);
    EXPECT_EQ(rig.device.decode(16 * kUnit), (DecodedAddress{1, 2 * kUnit}));
    EXPECT_EQ(rig.device.decode(22 * kUnit - 1), (DecodedAddress{1, 8 * kUnit - 1}));
    EXPECT_EQ(rig.device.decode(22 * kUnit), std::nullopt);
    EXPECT_EQ(rig.device.decode(0), std::nullopt);
    EXPECT_EQ(map.decoder(16 * kUnit), 1U);
    EXPECT_EQ(map.claim(10 * kUnit + 0x340).device_address, 0x140U);

    hdm.program(1, 0, 0, 0);  // locked, so nothing happens
    EXPECT_EQ(hdm.control(1), kCommit | kLock | kCommitted);
    EXPECT_EQ(rig.cpu.get32(hdm.at(1, 4)), 1U);
    rig.cpu.put32(hdm.at(0, 4), 7);  // not locked, but only the next commit takes it
    EXPECT_EQ(rig.device.decode(10 * kUnit), (DecodedAddress{0, 0}));
    rig.cpu.put32(hdm.base + 4, 0);
    EXPECT_EQ(rig.device.decode(10 * kUnit), std::nullopt);
    rig.cpu.put32(hdm.base + 4, 2);
    rig.config_write(rig.dvsec(0) + 0xc, 2, 0);
    EXPECT_EQ(rig.device.decode(10 * kUnit), std::nullopt);
    EXPECT_EQ(map.decoder(10 * kUnit), kNoHdmDecoder);
    rig.config_write(rig.dvsec(0) + 0xc, 2, 0x4);

    rig.config_write(rig.capability(0x10) + 8, 2, 0x8000);  // a function level reset does not affect decoders
    EXPECT_EQ(rig.device.decode(16 * kUnit), (DecodedAddress{1, 2 * kUnit}));
    EXPECT_EQ(map.claim(16 * kUnit).device_address, 2 * kUnit);
    rig.firmware();
    rig.cpu.put32(hdm.at(0, 0x10), 0x10);
    EXPECT_EQ(rig.device.decode(10 * kUnit), std::nullopt);
    EXPECT_EQ(hdm.control(0), 0x10U);
    rig.ecam.reset(pcie::ResetKind::conventional);
    EXPECT_EQ(rig.device.decode(16 * kUnit), std::nullopt);
    EXPECT_EQ(map.decoder(16 * kUnit), kNoHdmDecoder);
    EXPECT_THAT(std::vector(claims.end() - 6, claims.end()), ElementsAre(0, 0x100, 0x200, 0x300, 0x400, 0x500));
    rig.firmware();
    EXPECT_EQ(rig.cpu.get32(hdm.at(1, 4)), 0U);
    rig.config_write(rig.dvsec(0) + 0xc, 2, 0x4);
    hdm.program(0, 10 * kUnit, 2 * kUnit, kCommit);
    EXPECT_EQ(hdm.control(0), kCommit | kCommitted);
    EXPECT_EQ(rig.device.decode(10 * kUnit), std::nullopt) << "the reset has switched all decoders off";
    EXPECT_EQ(rig.cpu.get32(hdm.at(6, 0x10)), 0U);
    rig.cpu.put32(hdm.at(6, 0x10), 0xf);  // a seventh does not exist
    EXPECT_EQ(rig.cpu.get32(hdm.at(6, 0x10)), 0U);
  });
}

// The bits of 8.2.4.17, "CXL RAS Capability Structure".
TEST_F(CxlType3, no_error_of_a_link_is_ever_reported_and_masks_are_kept) {
  Type3Rig rig{Type3Parameters{}};
  run([&] {
    const std::uint64_t ras = DecoderRegisters(rig).ras;
    for (const auto& [status, bits] : {std::pair{0x0U, 0x1cfffU}, std::pair{0xcU, 0x7fU}}) {
      rig.cpu.put32(ras + status, bits);
      EXPECT_EQ(rig.cpu.get32(ras + status), 0U);
    }
    for (const auto& [mask, bits] : {std::pair{0x4U, 0x1cfffU}, std::pair{0x8U, 0x1cfffU}, std::pair{0x10U, 0x7fU}}) {
      for (const unsigned value : {0U, bits}) {
        rig.cpu.put32(ras + mask, value);
        EXPECT_EQ(rig.cpu.get32(ras + mask), value);
      }
    }
  });
}

TEST_F(CxlType3, every_interleave_deals_granules_out_in_turn) {
  Type3Parameters parameters;
  parameters.memory.volatile_capacity = 4 * kUnit;
  Type3Rig rig(parameters);
  run([&] {
    const std::uint64_t base = 48 * kUnit;
    for (const unsigned ways : {1U, 2U, 4U, 8U, 16U, 3U, 6U, 12U}) {
      for (unsigned granularity = 256; granularity <= 16384; granularity *= 2) {
        rig.device.component().reset();
        rig.device.program_decoder(0, {.base = kUnit, .size = kUnit});
        rig.device.program_decoder(
            1, {.base = base, .size = 2 * ways * kUnit, .interleave = {ways, granularity}, .skip = kUnit});
        for (std::uint64_t granule = 0; granule < 100; ++granule) {
          // Granules go to the devices in turn. This device gets number `share`.
          const std::uint64_t share = granule / ways;
          const std::uint64_t within = granule * 37 % granularity;
          ASSERT_EQ(rig.device.decode(base + granule * granularity + within),
                    (DecodedAddress{1, 2 * kUnit + share * granularity + within}))
              << ways << " ways of " << granularity << ", granule " << granule;
        }
        ASSERT_EQ(rig.device.decode(base + 2 * ways * kUnit - 1), (DecodedAddress{1, 4 * kUnit - 1}));
        ASSERT_EQ(rig.device.component().claim(1).interleave.ways, ways);
      }
    }
  });
}

TEST_F(CxlType3, what_cannot_be_is_refused_by_name) {
  const auto refusal = [](const Type3Parameters& parameters) -> std::string {
    try {
      Type3Device(sc_core::sc_gen_unique_name("wrong"), parameters);
    } catch (const SpecError& error) {
      return error.field();
    }
    return "";
  };
  const auto with = [&](auto change) {
    Type3Parameters parameters;
    change(parameters);
    return refusal(parameters);
  };
  EXPECT_EQ(with([](auto& p) { p.payload_size_log2 = 7; }), "payload_size_log2");
  EXPECT_EQ(with([](auto& p) { p.payload_size_log2 = 21; }), "payload_size_log2");
  EXPECT_EQ(with([](auto& p) { p.memory_ranges = 3; }), "memory_ranges");
  EXPECT_EQ(with([](auto& p) { p.hdm_decoders = 3; }), "hdm_decoders");
  EXPECT_EQ(with([](auto& p) { p.hdm_decoders = 12; }), "hdm_decoders");
  EXPECT_EQ(with([](auto& p) { p.blocks.push_back({BlockId::device}); }), "blocks[3]");
  EXPECT_EQ(with([](auto& p) { p.blocks[2].offset = 0x1000; }), "blocks[2].offset");
  EXPECT_EQ(with([](auto& p) { p.memory.volatile_capacity = 1; }), "volatile_capacity");
  EXPECT_EQ(with([](auto& p) { p.memory.event_message = 16; }), "event_message");
  EXPECT_EQ(with([](auto& p) { p.memory.identify_bytes = 68; }), "identify_bytes");
  EXPECT_EQ(with([](auto& p) { p.msi_x_vectors = 3000; }), "msi_x.vectors");

  Type3Device device("device", Type3Parameters{});
  EXPECT_THROW(device.program_decoder(4, {}), SpecError);
  EXPECT_THROW(device.program_decoder(0, {.base = 1, .size = kUnit}), SpecError);
  EXPECT_THROW(device.program_decoder(0, {.size = kUnit, .interleave = {5, 256}}), SpecError);
  EXPECT_THROW(device.program_decoder(0, {.size = kUnit, .interleave = {2, 128}}), SpecError);
  EXPECT_THROW(device.program_decoder(0, {.size = 17 * kUnit}), SpecError);
  device.program_decoder(0, {.size = kUnit});
  EXPECT_THROW(device.program_decoder(0, {.size = kUnit}), SpecError);
}

}  // namespace
}  // namespace pmufab::cxl
