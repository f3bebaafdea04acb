// SPDX-License-Identifier: Apache-2.0
// The judge's memory controller: every command, derived by hand from docs/cxl-messages.md, section 6.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/judge/reference_ddr.h"
#include "testbench/fabrics/cxl/tests/judge/cxl_session.h"

namespace pmufab::scoreboard::test {
namespace {

/// Records commands as "bit@time", in order of time, then of bits. Commands to a bank have rank.group.bank at the end.
class Commands final : public ReferenceDdr::Listener {
 public:
  void on_command(const DdrCommand& command) override {
    for (std::uint64_t clock = 0; clock < command.clocks; ++clock) {
      seen.push_back(command);
      seen.back().when += clock * period;
    }
  }
  [[nodiscard]] std::string text(bool with_place = false) {
    std::stable_sort(seen.begin(), seen.end(), [](const DdrCommand& a, const DdrCommand& b) {
      return a.when != b.when ? a.when < b.when : a.bit < b.bit;
    });
    std::string text;
    for (const DdrCommand& one : seen) {
      text += fmt::format("{}{}@{}", text.empty() ? "" : " ", one.bit, one.when);
      if (with_place && one.whole_rank) text += fmt::format("/{}", one.rank);
      if (with_place && !one.whole_rank) text += fmt::format("/{}.{}.{}", one.rank, one.bank_group, one.bank);
    }
    seen.clear();
    return text;
  }
  std::vector<DdrCommand> seen;
  Picoseconds period = CxlDdrSpec{}.clock_period;
};

/// Times that are easy to add, and no timers.
CxlDdrSpec small(unsigned channels, unsigned ranks, unsigned bank_groups, unsigned banks, std::uint64_t row_bytes) {
  CxlDdrSpec spec;
  spec.channels = channels;
  spec.ranks = ranks;
  spec.bank_groups = bank_groups;
  spec.banks = banks;
  spec.row_bytes = row_bytes;
  spec.refresh = CxlDdrSpec::Refresh::none;
  spec.t_rcd = 10;
  spec.t_ras = 30;
  spec.t_rrd = 4;
  spec.t_rp = 12;
  spec.t_rtp = 6;
  spec.t_wr = 20;
  spec.t_ccd = 5;
  spec.t_rtw = 8;
  spec.t_wtr = 15;
  spec.cas_latency = 50;
  spec.t_refi = 1'000;
  spec.t_rfc = 100;
  spec.t_rfc_sb = 50;
  spec.t_rfm = 40;
  spec.t_xp = 7;
  spec.t_xs = 120;
  return spec;
}

struct ReferenceDdrTest : public ::testing::Test {
  void make(const CxlDdrSpec& spec) {
    ddr = std::make_unique<ReferenceDdr>(spec);
    ddr->add(commands);
  }
  void read(Picoseconds when, std::uint64_t line) { ddr->access(when, false, line * 64); }
  void write(Picoseconds when, std::uint64_t line) { ddr->access(when, true, line * 64); }
  Commands commands;
  std::unique_ptr<ReferenceDdr> ddr;
};

TEST_F(ReferenceDdrTest, an_address_has_its_place) {
  make(small(2, 2, 4, 2, 256));
  // 1 bit of channel, 2 of bank group, 2 of column, 1 of bank, 1 of rank, then the row.
  const ReferenceDdr::Place place = ddr->place(((((5ULL * 2 + 1) * 2 + 0) * 4 + 3) * 4 + 2) * 2 * 64 + 64);
  EXPECT_EQ(place.channel, 1U);
  EXPECT_EQ(place.bank_group, 2U);
  EXPECT_EQ(place.bank, 0U);
  EXPECT_EQ(place.rank, 1U);
  EXPECT_EQ(place.row, 5U);
}

TEST_F(ReferenceDdrTest, rows_are_opened_and_closed_and_the_bus_turns_round) {
  make(small(2, 2, 2, 2, 128));
  read(100, 0);
  read(101, 2);   // other bank group
  read(102, 4);   // other column of the first row
  write(103, 0);  // turns the bus around
  read(104, 32);  // other row of the first bank
  EXPECT_EQ(ddr->last_data(), 220U);
  read(200, 1);    // other channel
  write(201, 16);  // other rank
  EXPECT_EQ(commands.text(),
            "0@100 14@100 14@101 14@102 15@103 0@104 14@104 2@110 2@115 2@120 3@128 13@128 1@148 0@160 2@170 13@170 "
            "0@200 14@200 0@201 15@201 2@210 3@211 13@211");
}

TEST_F(ReferenceDdrTest, closed_pages_precharge_by_themselves_and_banks_ask_for_management) {
  CxlDdrSpec spec = small(1, 1, 1, 1, 64);
  spec.closed_pages = true;
  spec.rfm_after = 2;
  make(spec);
  read(0, 0);
  write(1, 0);
  read(2, 1);
  EXPECT_EQ(commands.text(), "0@0 14@0 15@1 14@2 2@10 7@10 0@42 3@52 8@52 13@52 6@84 0@124 2@134 7@134 13@134");
}

TEST_F(ReferenceDdrTest, all_banks_of_a_rank_are_refreshed_in_turn_with_other_ranks) {
  CxlDdrSpec spec = small(1, 2, 1, 2, 64);
  spec.refresh = CxlDdrSpec::Refresh::all_banks;
  make(spec);
  read(990, 0);
  read(1'005, 1);
  ddr->advance(2'600);
  EXPECT_EQ(commands.text(true),
            "0@990/0.0.0 14@990/0.0.0 2@1000/0.0.0 14@1005/0.0.1 1@1020/0 4@1032/0 9@1032/0 0@1132/0.0.1 2@1142/0.0.1 "
            "4@1500/1 9@1500/1 1@2000/0 4@2012/0 9@2012/0 4@2500/1 9@2500/1");
}

TEST_F(ReferenceDdrTest, same_bank_refresh_takes_a_bank_of_all_groups) {
  CxlDdrSpec spec = small(1, 1, 2, 2, 64);
  spec.refresh = CxlDdrSpec::Refresh::same_bank;
  make(spec);
  read(490, 0);
  read(491, 1);
  read(492, 2);
  ddr->advance(1'100);
  EXPECT_EQ(commands.text(true),
            "0@490/0.0.0 14@490/0.0.0 14@491/0.1.0 14@492/0.0.1 0@494/0.1.0 0@498/0.0.1 2@500/0.0.0 2@505/0.1.0 "
            "2@510/0.0.1 1@520/0.0.0 1@524/0.1.0 4@536/0.0.0 10@536/0.0.0 1@1000/0.0.1 4@1012/0.0.1 10@1012/0.0.1");
  read(1'200, 0);
  EXPECT_EQ(commands.text(), "0@1200 14@1200 2@1210");
}

TEST_F(ReferenceDdrTest, idle_ranks_power_down_and_refresh_themselves) {
  CxlDdrSpec spec = small(1, 1, 1, 2, 64);
  spec.power_down_after = 100;
  spec.self_refresh_after = 1'000;
  make(spec);
  read(50, 0);
  read(300, 0);
  read(1'320, 1);
  EXPECT_EQ(commands.text(),
            "0@50 14@50 2@60 11@160 12@300 14@300 2@307 11@407 12@1307 1@1314 14@1320 5@1326 0@1446 2@1456");
}

TEST_F(ReferenceDdrTest, a_rank_that_refreshes_itself_is_not_refreshed) {
  CxlDdrSpec spec = small(1, 1, 1, 2, 64);
  spec.refresh = CxlDdrSpec::Refresh::all_banks;
  spec.self_refresh_after = 300;
  make(spec);
  read(10, 0);
  for (const Picoseconds when : {5'000, 5'400, 5'650, 5'900}) read(when, 0);
  ddr->advance(6'050);
  EXPECT_EQ(commands.text(),
            "0@10 14@10 2@20 1@320 5@332 14@5000 0@5120 2@5130 2@5400 14@5400 2@5650 14@5650 2@5900 14@5900 1@6000 "
            "4@6012 9@6012");
}

TEST_F(ReferenceDdrTest, refresh_wakes_a_rank) {
  CxlDdrSpec spec = small(1, 1, 1, 2, 64);
  spec.refresh = CxlDdrSpec::Refresh::all_banks;
  spec.power_down_after = 100;
  make(spec);
  ddr->advance(1'300);
  EXPECT_EQ(commands.text(), "11@100 12@1000 4@1007 9@1007 11@1207");
}

TEST_F(ReferenceDdrTest, a_rank_that_wakes_up_lets_all_accesses_wait) {
  CxlDdrSpec spec = small(1, 1, 1, 2, 64);
  spec.power_down_after = 100;
  spec.self_refresh_after = 1'000;
  make(spec);
  read(300, 0);
  read(302, 1);
  EXPECT_EQ(commands.text(), "11@100 12@300 14@300 14@302 0@307 0@311 2@317 2@322");
  read(5'000, 0);
  commands.seen.clear();
  read(5'001, 1);
  EXPECT_EQ(commands.text(), "14@5001 0@5124 2@5135");
}

TEST_F(ReferenceDdrTest, who_listens_late_hears_what_is_still_to_come) {
  make(small(1, 1, 1, 1, 64));
  read(100, 0);
  Commands late;
  ddr->add(late);
  EXPECT_EQ(late.text(), "0@100 14@100 2@110");
  ddr->remove(late);
  read(200, 0);
  EXPECT_EQ(late.text(), "");
}

// Accesses at 1000 and 2000 ns. PMUs count by place and clock. Defaults: ACT at once, CAS 15 ns later.
TEST(CxlDdrEvents, windows_places_and_clocks) {
  CxlJudgeSpec spec = CxlSession::hierarchy();
  CxlDdrSpec& ddr = *spec.components[CxlSession::kDevice].ddr;
  ddr = {};
  ddr.channels = 2;
  ddr.refresh = CxlDdrSpec::Refresh::none;
  CxlSession session(spec);
  const auto look = [&](int event, const char* name, std::optional<std::uint32_t> location) {
    EventTerms terms = {{name}};
    if (location) {
      terms.push_back({"crb_filter_en", 1});
      terms.push_back({"crb", *location});
    }
    session.board.expect(event, CxlSession::kPmu, terms);
    session.add(event, static_cast<unsigned>(event), CxlSession::configuration(4, 4), ~0U, location.value_or(~0U));
  };
  session.disable();
  look(1, "ddr_casrd", std::nullopt);
  look(2, "ddr_casrd", 0x00ff'ffffU);  // channel 0
  look(3, "ddr_casrd", 0xffff'03ffU);  // bank group 3
  look(4, "ddr_casrd", 0xffff'ff01U);  // bank 1
  look(5, "ddr_act", std::nullopt);
  session.board.expect(6, CxlSession::kPmu, {{"ddr_casrd"}, {"threshold", 2}});
  session.add(6, 6, CxlSession::configuration(4, 4, 2));
  session.board.expect(7, CxlSession::kPmu, {{"ddr_refresh"}});
  session.add(7, 7, CxlSession::configuration(4, 0x10));
  const auto access = [&](std::uint64_t line) {
    session.fabric.on_access(session.now, CxlSession::kDevice, false, line * 64);
  };
  session.now = 999'000;
  access(0);  // channel 0, group 0; ACT before the window, CAS in it
  session.enable();
  session.now = 1'100'000;
  access(6);              // channel 0, group 3
  access(1);              // channel 1, group 0, at the same instant
  access(1 + 2048 * 64);  // channel 1, group 0, bank 0, another row
  session.now = 2'000'000;
  access(2 * 8 * 128);  // channel 0, group 0, bank 1
  session.disable();    // two steps after: its CAS comes later
  session.now = 3'000'000;
  session.board.finish();
  EXPECT_EQ(session.expected(1), 4U);
  EXPECT_EQ(session.expected(2), 2U);
  EXPECT_EQ(session.expected(3), 1U);
  EXPECT_EQ(session.expected(4), 0U);
  EXPECT_EQ(session.expected(5), 4U);
  EXPECT_EQ(session.expected(6), 1U);  // two CAS in one clock, of two channels
  EXPECT_EQ(session.expected(7), 0U);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
