// SPDX-License-Identifier: Apache-2.0
// The reference of DDR and the memory controller's model must agree on each command, its time and its place.
#include <algorithm>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "models/cxl/memory/ddr_controller.h"
#include "testbench/fabrics/cxl/judge/reference_ddr.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::scoreboard {
namespace {

/// Time, group, event, channel, rank, bank group, bank.
using Seen = std::tuple<Picoseconds, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned>;

/// A controller, and the reference beside it, which sees the same accesses.
class Pair final : private cxl::DdrClient, private ReferenceDdr::Listener {
 public:
  Pair(const cxl::DdrParameters& parameters, const CxlDdrSpec& spec)
      : reference(spec), shape_(parameters.shape), controller_("ddr", engine_, parameters, *this, 0, 1) {
    reference.add(*this);
    for (const cxl::EventGroup& group : controller_.event_groups()) {
      for (const cxl::EventSource& source : group.sources) {
        logs_.push_back(std::make_unique<testing::ProbeLog>(
            *source.probe,
            [this, event_group = group.group, source](std::uint64_t, unsigned qualifier, Picoseconds when) {
              published(event_group, source, qualifier, when);
            }));
      }
    }
  }
  void access(bool write, std::uint64_t address) {
    reference.access(to_picoseconds(sc_core::sc_time_stamp()), write, address);
    data_expected.push_back(reference.last_data());
    controller_.access(address, write, 0);
  }

  ReferenceDdr reference;
  std::vector<Seen> expected;
  std::vector<Seen> counted;
  std::vector<Picoseconds> data_expected;  ///< when the data of each access has passed
  std::vector<Picoseconds> data_passed;

 private:
  void access_done(std::uint32_t /*ticket*/, Picoseconds now) override { data_passed.push_back(now); }
  void on_command(const DdrCommand& command) override {
    if (command.group < kDdrGroup) return;  // of the device, not of its controller
    for (std::uint64_t clock = 0; clock < command.clocks; ++clock)
      expected.emplace_back(command.when + clock * reference.clock_period(), command.group, command.bit,
                            command.channel, command.rank, command.bank_group, command.bank);
  }
  void published(unsigned event_group, const cxl::EventSource& source, unsigned qualifier, Picoseconds when) {
    counted.emplace_back(when, event_group, source.bit, source.channel, qualifier / shape_.banks / shape_.bank_groups,
                         qualifier / shape_.banks % shape_.bank_groups, qualifier % shape_.banks);
  }

  cxl::DdrShape shape_;
  cxl::Engine engine_;
  cxl::DdrController controller_;
  std::vector<std::unique_ptr<testing::ProbeLog>> logs_;
};

class CxlDdrCross : public testing::SimulationTest {};

// Accesses come far apart, and so close together that many find a rank that is still waking up.
// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(CxlDdrCross, commands_are_those_the_rules_make) {
  using Refresh = CxlDdrSpec::Refresh;
  std::vector<std::unique_ptr<Pair>> pairs;
  for (const Refresh refresh : {Refresh::none, Refresh::all_banks, Refresh::same_bank}) {
    for (const bool closed : {false, true}) {
      cxl::DdrParameters parameters;
      parameters.shape = {2, 2, 2, 2};
      parameters.row_bytes = 128;
      parameters.page_policy = closed ? cxl::PagePolicy::closed : cxl::PagePolicy::open;
      parameters.refresh_mode = refresh == Refresh::none        ? cxl::RefreshMode::none
                                : refresh == Refresh::all_banks ? cxl::RefreshMode::all_banks
                                                                : cxl::RefreshMode::same_bank;
      parameters.rfm_after = 5;
      parameters.power_down_after = 90'000;
      parameters.self_refresh_after = 6'000'000;
      parameters.clock_period = 7'000;
      parameters.separate_queues = closed;
      parameters.retries = {.read_crc_every = 20, .write_crc_every = 9, .parity_every = 31, .ecc_every = 13};
      parameters.thermal = {.accesses = 100, .window = 8'000'000, .pause = 500'000};
      parameters.power = {.accesses = 8, .window = 20'000, .pause = 60'000};
      CxlDdrSpec spec;  // times are the same by default
      spec.channels = spec.ranks = spec.bank_groups = spec.banks = 2;
      spec.row_bytes = 128;
      spec.closed_pages = closed;
      spec.refresh = refresh;
      spec.rfm_after = 5;
      spec.power_down_after = 90'000;
      spec.self_refresh_after = 6'000'000;
      spec.counts_clocks = true;
      spec.clock_period = 7'000;
      spec.separate_queues = closed;
      spec.errors.read_crc = 20;
      spec.errors.write_crc = 9;
      spec.errors.parity = 31;
      spec.errors.ecc = 13;
      spec.throttles = {{{100, 8'000'000, 500'000}, {8, 20'000, 60'000}}};
      pairs.push_back(std::make_unique<Pair>(parameters, spec));
    }
  }
  run([&] {
    std::mt19937_64 random(7);
    for (const std::unique_ptr<Pair>& pair : pairs) {
      for (int i = 0; i < 3000; ++i) {
        pair->access(random() % 3 == 0, random() % 128 * 64);
        const std::uint64_t kind = random() % 100;
        testing::advance(kind < 60 ? random() % 4'000 : kind < 98 ? random() % 300'000 : random() % 20'000'000);
      }
      testing::advance(50'000'000);
      pair->reference.advance(to_picoseconds(sc_core::sc_time_stamp()));
      std::sort(pair->expected.begin(), pair->expected.end());
      std::sort(pair->counted.begin(), pair->counted.end());
      ASSERT_GT(pair->expected.size(), 10'000U);
      const auto [wanted, got] =
          std::mismatch(pair->expected.begin(), pair->expected.end(), pair->counted.begin(), pair->counted.end());
      if (wanted != pair->expected.end()) {
        ASSERT_NE(got, pair->counted.end());
        ASSERT_EQ(*got, *wanted);
      }
      ASSERT_EQ(pair->counted.size(), pair->expected.size());
      std::sort(pair->data_expected.begin(), pair->data_expected.end());
      std::sort(pair->data_passed.begin(), pair->data_passed.end());
      EXPECT_EQ(pair->data_passed, pair->data_expected);
    }
  });
}

}  // namespace
}  // namespace pmufab::scoreboard
