// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <systemc>

#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::testing {

/// Fixture for tests that simulate. A test builds its modules, then runs its story in a thread process:
///
///     TEST_F(SimulationTest, a_write_reaches_the_register) {
///       Initiator cpu("cpu");
///       Device device("device");
///       cpu.socket.bind(device.socket);
///       run([&] {
///         cpu.put32(0x10, 1);
///         EXPECT_EQ(cpu.get32(0x10), 1);
///       });
///     }
///
/// SystemC elaborates once per process, so each test needs a separate process (ctest does this) and calls run() once. A
/// test fails if SystemC reports an unannounced warning or error, if an announced one does not come, if a story does
/// not end within its limit, or if an exception leaves it.
class SimulationTest : public ::testing::Test {
 protected:
  SimulationTest();
  ~SimulationTest() override;

  /// Elaborate, run `story` in a thread process from time 0, and stop when it ends.
  /// @param limit  simulated time within which the story must end
  void run(std::function<void()> story, Picoseconds limit = kDefaultLimit);

  /// Announce exactly one warning under kGuestErrorReport whose text contains all of `parts`.
  template <typename... Parts>
  void expect_guest_error(const Parts&... parts) {
    expect_report(sc_core::SC_WARNING, kGuestErrorReport, {std::string(parts)...});
  }
  /// Announce exactly one report. An error (SC_ERROR) still throws sc_core::sc_report where it is made.
  void expect_report(sc_core::sc_severity severity, std::string id, std::vector<std::string> parts = {});

  /// @return warnings under kGuestErrorReport so far, announced or not.
  [[nodiscard]] unsigned guest_error_reports() const noexcept { return guest_error_reports_; }

  /// Fail for each announced report that has not come. Done at the end of the test anyway.
  void check_announced() const;
  /// Withdraw all announcements.
  void forget_announced() noexcept { expected_.clear(); }

  static constexpr Picoseconds kDefaultLimit = 1'000'000'000'000;  // one second

 private:
  struct Expected {
    sc_core::sc_severity severity;
    std::string id;
    std::vector<std::string> parts;
    bool seen = false;
  };

  void TearDown() override { check_announced(); }
  static void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions);
  bool take_expected(const sc_core::sc_report& report);

  static SimulationTest* current_;
  std::vector<Expected> expected_;
  unsigned guest_error_reports_ = 0;
};

/// Let simulated time pass. Only inside a story.
inline void advance(Picoseconds duration) { sc_core::wait(to_sc_time(duration)); }
/// Let simulated time pass until `when`. Does nothing if that is not in the future. Only inside a story.
void advance_to(Picoseconds when);
/// @return simulated time.
inline Picoseconds now() { return to_picoseconds(sc_core::sc_time_stamp()); }

/// The test that runs makes writes without effect, on purpose or because its driver does. Their reports
/// (kLostWriteReport) need not be announced from now on.
void let_writes_be_lost() noexcept;

}  // namespace pmufab::testing
