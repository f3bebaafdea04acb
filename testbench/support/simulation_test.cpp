// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/simulation_test.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "testbench/run/process/main_stack.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::testing {
namespace {

bool writes_may_be_lost = false;

}  // namespace

SimulationTest* SimulationTest::current_ = nullptr;

SimulationTest::SimulationTest() {
  current_ = this;
  writes_may_be_lost = false;
  sc_core::sc_report_handler::set_handler(&SimulationTest::on_report);
}

SimulationTest::~SimulationTest() {
  sc_core::sc_report_handler::set_handler(nullptr);
  current_ = nullptr;
}

void SimulationTest::run(std::function<void()> story, Picoseconds limit) {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
    FAIL() << "SystemC elaborates once per process: run one test at a time (ctest does this) and call run() once in it";
  bool ended = false;
  const auto guarded = [&] {
    try {
      story();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "an exception left the story: " << error.what();
    }
    ended = true;
    sc_core::sc_stop();
  };
  sc_core::sc_spawn_options options;
  options.set_stack_size(1 << 20);  // gtest and fmt, perhaps with a sanitizer, need more than SystemC's default
  sc_core::sc_spawn(guarded, "story", &options);
  try {
    sc_core::sc_start(to_sc_time(limit));
    process::return_to_main_stack();
  } catch (const std::exception& error) {
    process::return_to_main_stack();
    FAIL() << "the simulation ended with an exception at " << sc_core::sc_time_stamp() << ": " << error.what();
  }
  if (!ended) {
    ADD_FAILURE() << "the story did not end within " << to_sc_time(limit) << " of simulated time"
                  << (sc_core::sc_pending_activity() ? "" : "; nothing is left to happen that could continue it");
  }
  if (sc_core::sc_get_status() != sc_core::SC_STOPPED) sc_core::sc_stop();
}

void SimulationTest::expect_report(sc_core::sc_severity severity, std::string id, std::vector<std::string> parts) {
  expected_.push_back({severity, std::move(id), std::move(parts)});
}

void SimulationTest::check_announced() const {
  for (const Expected& expected : expected_) {
    if (expected.seen) continue;
    ADD_FAILURE() << "an announced report under " << expected.id << " did not come; it should contain "
                  << ::testing::PrintToString(expected.parts);
  }
}

bool SimulationTest::take_expected(const sc_core::sc_report& report) {
  const std::string text = report.get_msg();
  const auto matches = [&](const Expected& expected) {
    return !expected.seen && expected.severity == report.get_severity() && expected.id == report.get_msg_type() &&
           std::all_of(expected.parts.begin(), expected.parts.end(),
                       [&](const std::string& part) { return text.find(part) != std::string::npos; });
  };
  const auto found = std::find_if(expected_.begin(), expected_.end(), matches);
  if (found == expected_.end()) return false;
  found->seen = true;
  return true;
}

void SimulationTest::on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_INFO) return;  // "stopped by user" and the like
  if (current_ == nullptr) return sc_core::sc_report_handler::default_handler(report, actions);
  if (report.get_severity() == sc_core::SC_WARNING && std::string(kGuestErrorReport) == report.get_msg_type())
    ++current_->guest_error_reports_;
  const bool is_lost_write = std::string_view(kLostWriteReport) == report.get_msg_type();
  if (!current_->take_expected(report) && !(is_lost_write && writes_may_be_lost))
    ADD_FAILURE() << "a report nobody announced, at " << sc_core::sc_time_stamp() << ": " << report.get_msg_type()
                  << ": " << report.get_msg();
  // Errors still throw and fatal ones abort; only the printing is replaced.
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

void let_writes_be_lost() noexcept { writes_may_be_lost = true; }

void advance_to(Picoseconds when) {
  if (when > now()) advance(when - now());
}

}  // namespace pmufab::testing
