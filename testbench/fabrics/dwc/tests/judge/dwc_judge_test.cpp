// SPDX-License-Identifier: Apache-2.0
// What event texts of DesignWare root ports mean, and when an event counts: by the registers a driver writes.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/dwc/judge/dwc_judge.h"
#include "testbench/fabrics/dwc/judge/dwc_meaning.h"
#include "testbench/judge/scoreboard.h"

namespace pmufab::scoreboard {
namespace {

using Call = perf::PerfCallObserver::Call;
using Kind = DwcMeaning::Kind;
using ::testing::HasSubstr;

const dwc::RootPortDescription kPort{.name = "slot", .lanes = 4, .clock_hz = 1'000'000'000};

DwcMeaning meaning_of(const EventTerms& terms) { return dwc_meaning(terms, kPort); }

TEST(DwcMeaning, names_and_numbers_of_all_versions_mean_the_same) {
  const DwcMeaning by_name = meaning_of({{"rx_pcie_tlp_data_payload"}});
  EXPECT_EQ(by_name.kind, Kind::data);
  EXPECT_EQ(by_name.data, DwcData::rx_pcie);
  EXPECT_EQ(meaning_of({{"Rx_PCIe_TLP_Data_Payload"}}).data, DwcData::rx_pcie);
  EXPECT_EQ(meaning_of({{"eventid", 0x21}, {"type", 0}}).data, DwcData::rx_pcie);
  EXPECT_EQ(meaning_of({{"rx_nulified_tlp"}, {"lane", 3}}).id, 0x604U);
  EXPECT_EQ(meaning_of({{"L1_AUX"}}).state, dwc::LinkState::l1_aux);
  EXPECT_EQ(meaning_of({{"TX_RX_L0S"}}).state, dwc::LinkState::tx_rx_l0s);
  EXPECT_EQ(meaning_of({{"one_cycle"}}).kind, Kind::cycles);
}

TEST(DwcMeaning, an_event_of_a_lane_has_that_lane) {
  const DwcMeaning meaning = meaning_of({{"rx_memory_read"}, {"lane", 2}});
  EXPECT_EQ(meaning.kind, Kind::lane);
  EXPECT_EQ(meaning.lane, 2U);
  EXPECT_EQ(meaning.text, "rx_memory_read on lane 2");
  EXPECT_THROW(static_cast<void>(meaning_of({{"rx_memory_read"}, {"lane", 4}})), std::invalid_argument);
}

TEST(DwcMeaning, numbers_that_no_event_has_count_nothing) {
  EXPECT_EQ(meaning_of({{"eventid", 0x70d}, {"type", 1}, {"lane", 0}}).kind, Kind::nothing);
  EXPECT_EQ(meaning_of({{"eventid", 0x0a}, {"type", 0}}).kind, Kind::nothing);
  EXPECT_EQ(meaning_of({{"eventid", 0x24}, {"type", 0}}).kind, Kind::nothing);
  EXPECT_THROW(static_cast<void>(meaning_of({{"eventid", 0}, {"type", 2}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(meaning_of({{"lane", 0}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(meaning_of({{"rx_memory_reads"}})), std::invalid_argument);
}

constexpr std::uint64_t kControl = 0x1000'0108;
constexpr std::uint64_t kData = 0x1000'010c;
constexpr std::uint64_t kAnalysis = 0x1000'0110;
constexpr std::uint64_t kAnalysisLow = 0x1000'0114;
constexpr std::uint32_t kSelected = 0x70c << 16 | 1 << 8;
constexpr std::uint32_t kOn = 3 << 2;
constexpr std::uint32_t kOff = 1 << 2;
constexpr std::uint32_t kClear = 1;
constexpr perf::EventHandle kEvent = 1;
const std::string kName = "dwc_rootport_0";

class DwcJudging : public ::testing::Test {
 protected:
  void write(std::uint64_t address, std::uint64_t value) { access(address, value, true); }
  void read(std::uint64_t address) { access(address, 0, false); }
  void access(std::uint64_t address, std::uint64_t value, bool is_write) {
    MmioBus::BusAccess seen{};
    seen.address = address;
    seen.data = value;
    seen.is_write = is_write;
    seen.ok = true;
    seen.when = now;
    board.on_bus_access(seen);
  }
  void call(Call what, bool begin, std::uint64_t value = 0) {
    const bool is_of_event = what == Call::add || what == Call::del || what == Call::read;
    board.on_call(what, begin, kName, is_of_event ? kEvent : 0, value, now);
  }
  void happen(std::uint64_t times) { judge.on_event(0, {0x70c, 1, 0, times}, now); }
  /// The event is added as Linux 7.3 does it.
  void add() {
    board.expect(kEvent, kName, {{"rx_memory_read"}, {"lane", 1}});
    call(Call::pmu_disable, true);
    call(Call::pmu_disable, false);
    call(Call::add, true);
    write(kControl, kSelected | kOff | kClear);
    now += 100;
    happen(1000);  // the counter is off
    write(kControl, kSelected | kOn | kClear);
    call(Call::add, false);
    call(Call::pmu_enable, true);
    call(Call::pmu_enable, false);
  }
  /// And taken off. @param value  that the driver says
  void remove(std::uint64_t value, std::uint64_t late = 0) {
    call(Call::pmu_disable, true);
    call(Call::pmu_disable, false);
    happen(5);  // nothing stops the counter there
    call(Call::del, true);
    write(kControl, kSelected | kOn);
    read(kData);
    happen(late);
    write(kControl, kSelected | kOn | kClear);
    write(kControl, kSelected | kOff | kClear);
    call(Call::del, false, value);
    call(Call::pmu_enable, true);
    call(Call::pmu_enable, false);
  }

  Picoseconds now = 1000;
  Scoreboard board;
  DwcJudge& judge =
      board.add(std::make_unique<DwcJudge>(DwcJudgeSpec{{{kPort, kName, 0x1000'0000}}}, board.chronicle()));
};

TEST_F(DwcJudging, what_comes_between_reading_and_clearing_is_told) {
  add();
  happen(10);
  now += 1000;
  call(Call::read, true);
  write(kControl, kSelected | kOn);
  read(kData);
  happen(3);
  write(kControl, kSelected | kOn | kClear);
  call(Call::read, false, 10);
  happen(20);
  remove(35);
  const EventResult result = board.result(kEvent).value();
  EXPECT_EQ(result.reads_sampled, 1U);
  EXPECT_EQ(result.reads_failed, 0U);
  EXPECT_EQ(result.expected, 38U);
  EXPECT_EQ(result.match, EventResult::Match::mismatch);
  EXPECT_EQ(result.account.loss[LossCause::reading], 3);
  EXPECT_THAT(result.explanation, HasSubstr("between a reading of the counter and its clearing"));
}

TEST_F(DwcJudging, whole_turns_of_a_counter_are_told) {
  add();
  happen((std::uint64_t{1} << 32) + 4);
  remove(9);
  const EventResult result = board.result(kEvent).value();
  EXPECT_EQ(result.expected, (std::uint64_t{1} << 32) + 9);
  EXPECT_EQ(result.account.loss[LossCause::ambiguous_wrap], std::int64_t{1} << 32);
}

TEST(DwcWires, a_port_counts_while_a_counter_or_a_measurement_is_on_also_one_that_all_were_switched_with) {
  constexpr std::uint32_t kAllOn = 7 << 2;
  constexpr std::uint32_t kAllOff = 5 << 2;
  const DwcPortSpec spec{kPort, kName, 0x1000'0000};
  const DwcMeaning meaning = meaning_of({{"rx_memory_read"}, {"lane", 1}});
  DwcWires wires(spec);
  const auto write = [&](std::uint64_t address, std::uint32_t value) {
    MmioBus::BusAccess seen{};
    seen.address = address;
    seen.data = value;
    seen.is_write = seen.ok = true;
    wires.see(seen);
  };
  EXPECT_FALSE(wires.is_any_on());
  write(kAnalysis, 0x0400'0001);
  EXPECT_TRUE(wires.is_any_on());
  write(kAnalysis, 0x0400'0000);
  EXPECT_FALSE(wires.is_any_on());
  write(kControl, kAllOn);  // with an event selected that is not the one that comes
  EXPECT_TRUE(wires.is_any_on());
  wires.see_event({0x70c, 1, 0, 3});
  EXPECT_EQ(wires.progress(meaning, 0).counted, 3U);
  write(kControl, kAllOff);
  EXPECT_FALSE(wires.is_any_on());
  wires.see_event({0x70c, 1, 0, 3});
  EXPECT_EQ(wires.progress(meaning, 0).counted, 3U);
  EXPECT_EQ(wires.progress(meaning, 0).happened, 6U);
}

TEST_F(DwcJudging, injected_data_are_those_of_one_packet) {
  board.expect(kEvent, kName, {{"tx_pcie_tlp_data_payload"}});
  call(Call::add, true);
  write(kAnalysis, 0x2000'0001);
  call(Call::add, false);
  board.injection(kName, {{"tx_pcie_tlp_data_payload"}}, 0)(33, now);
  call(Call::del, true);
  read(kAnalysisLow);
  call(Call::del, false, 48);
  EXPECT_EQ(board.result(kEvent)->match, EventResult::Match::exact);
  EXPECT_THROW(static_cast<void>(board.injection(kName, {{"eventid", 0x70d}, {"type", 1}}, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab::scoreboard
