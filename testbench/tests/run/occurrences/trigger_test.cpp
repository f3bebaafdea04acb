// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/occurrences/trigger.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::trigger_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Call = Trigger::Call;

constexpr const char* kSmall = R"(name: small
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
duration: 10 us
measure:
  - events: [nvidia_ucf_pmu_0/slc_access_rd/]
)";

ScenarioSpec load(const std::string& rest) {
  const ScenarioFile file(parse_text(kSmall + rest, "s.yaml"), {});
  return file.load(file.variants().front(), {});
}

std::string load_error(const std::string& rest) {
  try {
    static_cast<void>(load(rest));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The driver of one PMU: calls with some accesses each.
class Driver {
 public:
  explicit Driver(Triggers& triggers) : triggers_(triggers) {}
  /// @return accesses before which something happened
  std::string call(Call call, unsigned accesses, const std::string& pmu = "pmu") {
    std::string happened;
    triggers_.on_call(call, true, pmu);
    for (unsigned access = 1; access <= accesses; ++access) {
      if (!triggers_.before_access()) continue;
      triggers_.fire();
      happened += std::to_string(access);
    }
    const int before = fired;
    triggers_.on_call(call, false, pmu);
    return happened + (fired > before ? "end" : "");
  }
  int fired = 0;

 private:
  Triggers& triggers_;
};

Trigger at(std::uint64_t access, std::optional<Call> call, std::uint64_t nth_call = 0) {
  Trigger trigger;
  trigger.pmu = "pmu";
  trigger.call = call;
  trigger.nth_call = nth_call;
  trigger.access = access;
  return trigger;
}

class TriggersTest : public ::testing::Test {
 protected:
  void arm(const Trigger& trigger) {
    triggers.arm(trigger, 0, [this] { ++driver.fired; });
  }
  Triggers triggers;
  Driver driver{triggers};
};

TEST_F(TriggersTest, an_access_is_counted_over_the_calls_of_its_kind_and_pmu) {
  arm(at(5, Call::read));
  EXPECT_EQ(driver.call(Call::read, 3), "");
  EXPECT_EQ(driver.call(Call::add, 3), "");
  EXPECT_EQ(driver.call(Call::read, 3, "other"), "");
  EXPECT_EQ(driver.call(Call::read, 3), "2");
  EXPECT_EQ(driver.call(Call::read, 9), "") << "it happens once";
  EXPECT_EQ(driver.fired, 1);
}

TEST_F(TriggersTest, without_a_kind_all_calls_of_the_pmu_count) {
  arm(at(4, {}));
  EXPECT_EQ(driver.call(Call::add, 2), "");
  EXPECT_EQ(driver.call(Call::interrupt, 1), "");
  EXPECT_EQ(driver.call(Call::read, 2), "1");
}

TEST_F(TriggersTest, an_access_of_one_call_comes_at_the_end_of_the_call_if_it_has_fewer) {
  arm(at(2, Call::read, 2));
  EXPECT_EQ(driver.call(Call::read, 3), "");
  EXPECT_EQ(driver.call(Call::read, 3), "2");
  arm(at(4, Call::del, 1));
  EXPECT_EQ(driver.call(Call::del, 3), "end");
}

TEST_F(TriggersTest, what_never_came_is_told) {
  arm(at(7, Call::read));
  EXPECT_EQ(driver.call(Call::read, 3), "");
  triggers.disarm();
  EXPECT_EQ(driver.call(Call::read, 9), "");
  EXPECT_THAT(triggers.missed(), ::testing::ElementsAre("before access 7 of read calls of pmu"));
}

TEST(TriggerInScenario, an_access_can_stand_for_a_time) {
  const ScenarioSpec spec = load(
      "inject: [{at: {access: 3, of: read, pmu: nvidia_ucf_pmu_0, call: 2, after: 1 us}, source: "
      "nvidia_ucf_pmu_0/cycles/, count: 1}]\nactions: [{at: {access: 9, pmu: nvidia_ucf_pmu_0}, do: read_events}]\n");
  EXPECT_EQ(describe(spec.injections.at(0).at), "before access 3 of read call 2 of nvidia_ucf_pmu_0 after 1.000 us");
  EXPECT_EQ(describe(spec.actions.at(0).at), "before access 9 of nvidia_ucf_pmu_0");
}

TEST(TriggerInScenario, mistakes_are_told_with_their_place) {
  const std::string rest = ", do: reset}]\n";
  EXPECT_THAT(load_error("actions: [{at: {access: 0, pmu: p}" + rest),
              AllOf(HasSubstr("s.yaml:6:25"), HasSubstr("actions[0].at.access")));
  EXPECT_THAT(load_error("actions: [{at: {access: 1}" + rest), HasSubstr("actions[0].at: the key 'pmu' is missing"));
  EXPECT_THAT(load_error("actions: [{at: {access: 1, of: raed, pmu: p}" + rest), HasSubstr("did you mean 'read'?"));
  EXPECT_THAT(load_error("actions: [{at: {access: 1, call: 2, pmu: p}" + rest), HasSubstr("add for example of: read"));
  EXPECT_THAT(load_error("actions: [{at: {access: 1, pmu: p*}" + rest), HasSubstr("not the name of one PMU"));
}

TEST(FaultInScenario, mistakes_are_told_with_their_place) {
  EXPECT_THAT(load_error("faults: [{at: 0, do: interrupt_lots, pmu: p}]\n"),
              HasSubstr("did you mean 'interrupt_lost'"));
  EXPECT_THAT(load_error("faults: [{at: 0, pmu: p}]\n"), HasSubstr("the key 'do' is missing"));
  EXPECT_THAT(load_error("faults: [{at: 0, do: interrupt_lost}]\n"), HasSubstr("faults[0]: the key 'pmu' is missing"));
  EXPECT_THAT(load_error("faults: [{at: 0, do: interrupt_late, pmu: p}]\n"),
              HasSubstr("faults[0]: the key 'delay' is missing"));
  EXPECT_THAT(load_error("faults: [{at: 0, do: power_off, block: b}]\n"),
              HasSubstr("faults[0]: the key 'until' is missing"));
  EXPECT_THAT(
      load_error("faults: [{at: 0, do: slow_access, block: b, delay: {kind: uniform, from: 2 us, to: 1 us}}]\n"),
      HasSubstr("is above 'to'"));
  EXPECT_THAT(load_error("faults: [{at: 2 us, until: 2 us, do: counter_stuck, block: b}]\n"),
              HasSubstr("faults[0].until: is not after 'at'"));
  EXPECT_THAT(load_error("faults: [{at: 0, do: counter_stuck, block: b, pmu: p}]\n"), HasSubstr("unknown key 'pmu'"));
  EXPECT_THAT(load_error("faults: [{at: 0, do: counter_stuck, block: b, not_judged: {event: a/b/, reason: r}}]\n"),
              HasSubstr("no measure counts 'a/b/'"));
  EXPECT_THAT(load_error("faults: [{at: 0, do: counter_stuck, block: b, not_judged: {event: "
                         "nvidia_ucf_pmu_0/slc_access_rd/}}]\n"),
              HasSubstr("faults[0].not_judged: the key 'reason' is missing"));
}

}  // namespace
}  // namespace pmufab::scenario::trigger_test
