// SPDX-License-Identifier: Apache-2.0
// A SoC of one's own with a CoreSight PMU, the unmodified Linux driver arm_cspmu, and a judge that knows what is right.
// The page README.md beside this file explains it.
//
// Usage: own_soc DRIVERS [--broken]     DRIVERS: a folder of driver sets, such as ~/.cache/pmufab/drivers

#include <cstring>
#include <iostream>

#include "models/coresight/coresight_pmu.h"
#include "testbench/host/driver_host.h"
#include "testbench/judge/coresight/coresight_pmu_judge.h"
#include "testbench/judge/scoreboard.h"
#include "tlm/probe/probe.h"

namespace {

using namespace pmufab;
namespace sb = pmufab::scoreboard;

constexpr std::uint64_t kPmuBase = 0x1000'0000;
constexpr std::uint32_t kWidgetMade = 0x7;
constexpr const char* kPmuName = "arm_cspmu_cache_0";  // what arm_cspmu makes of the firmware's table below

// The truth about the event, known from the wire alone: how many widgets there have been.
class WidgetTruth : public sb::EventTruth {
 public:
  explicit WidgetTruth(const std::uint64_t& made) : made_(made) {}
  std::string text() const override { return "widgets made"; }
  sb::Mark mark(Picoseconds when) override { return {when, made_}; }
  std::uint64_t count(const sb::Span& span) const override { return span.end.position - span.begin.position; }
  void describe(std::span<const sb::Span>, sb::EventResult&) const override {}
  std::string explain(std::span<const sb::Span>, std::uint64_t) const override { return {}; }

 private:
  const std::uint64_t& made_;
};

// The judge of the factory and its PMU. When a CoreSight PMU runs, the base class knows from the bus.
class FactoryJudge : public sb::FabricJudge {
 public:
  explicit FactoryJudge(sb::Chronicle& chronicle) : chronicle_(chronicle), pmu_(made_) {}
  std::vector<sb::PmuJudge*> pmus() override { return {&pmu_}; }
  void on_widget(Picoseconds when) {
    chronicle_.see(when);
    ++made_;
  }

 private:
  class Pmu : public sb::CoreSightPmuJudge {
   public:
    explicit Pmu(const std::uint64_t& made) : CoreSightPmuJudge(kPmuName, kPmuBase, std::nullopt), made_(made) {}
    std::unique_ptr<sb::EventTruth> truth(const sb::EventTerms& terms) override {
      if (terms.size() == 1 && terms[0].name == "event" && terms[0].value == kWidgetMade)
        return std::make_unique<WidgetTruth>(made_);
      throw std::invalid_argument("only event=0x7 is known here");
    }

   private:
    const std::uint64_t& made_;
  };

  sb::Chronicle& chronicle_;
  std::uint64_t made_ = 0;
  Pmu pmu_;
};

// The hardware: a factory of widgets, and a PMU that counts them.
class Soc : public sc_core::sc_module {
 public:
  Soc(const sc_core::sc_module_name& name, bool is_broken) : sc_module(name), broken_(is_broken) {
    events_.add(kWidgetMade, made_);
    pmu_ = std::make_unique<coresight::CoreSightPmu>(
        "pmu", coresight::CoreSightPmuOptions{.counters = 4, .width = 32, .pmiidr = 0x1230043b}, clock_, events_);
    pmu_->connect_interrupt(overflow_);
    bus.map("pmu", kPmuBase, coresight::CoreSightPmu::kPageSize, pmu_->socket);
    SC_HAS_PROCESS(Soc);
    SC_THREAD(work);
  }

  // What firmware tells Linux: two CPUs, and a node of the APMT table for the PMU.
  platform::FirmwareDescription firmware() {
    platform::FirmwareDescription description;
    for (std::uint32_t cpu = 0; cpu < 2; ++cpu) description.cpus.push_back({.uid = cpu, .container_uid = 0, .node = 0});
    description.apmt.push_back({.id = 0,
                                .type = platform::ApmtNode::Type::cache,
                                .instance_primary = 0,
                                .instance_secondary = 0,
                                .base0 = kPmuBase,
                                .base1 = {},
                                .overflow_interrupt = platform::InterruptResource{.number = 40, .line = &overflow_},
                                .affinity_is_container = true,
                                .processor_affinity = 0,
                                .atomic_64bit = true});
    return description;
  }

  MmioBus bus{"bus"};
  std::function<void(Picoseconds)> on_widget;  // the wire

 private:
  void work() {
    for (std::uint64_t number = 0;; ++number) {
      wait(sc_core::sc_time(37.0 + static_cast<double>(number % 5), sc_core::SC_NS));
      const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
      on_widget(now);
      if (!broken_ || number % 1000 != 0) made_.publish(1, 0, now);  // a broken one misses every thousandth
    }
  }

  const bool broken_;
  ClockDomain clock_{"clock", 1'000'000'000};
  Probe made_{"widget_made"};
  coresight::EventTable events_;
  InterruptLine overflow_{"overflow"};
  std::unique_ptr<coresight::CoreSightPmu> pmu_;
};

// The software: what `perf stat -a -e arm_cspmu_cache_0/event=0x7/ sleep 0.001` does.
class Software : public sc_core::sc_module {
 public:
  Software(const sc_core::sc_module_name& name, driver_host::DriverHost& host, sb::Scoreboard& board)
      : sc_module(name), host_(host), board_(board) {
    SC_HAS_PROCESS(Software);
    SC_THREAD(work);
  }
  bool exact = false;

 private:
  void work() {
    if (host_.load() < 0) throw std::runtime_error("the drivers cannot be loaded");
    for (const driver_host::Pmu& pmu : host_.pmus()) {
      if (pmu.name == kPmuName) count(pmu);
    }
    for (const sb::EventResult& result : board_.results()) {
      exact = result.match == sb::EventResult::Match::exact && result.expected > 0;
      std::cout << result.pmu << ", " << result.meaning << ": driver " << result.driver.value_or(0) << ", scoreboard "
                << result.expected << (exact ? ": exact\n" : ": WRONG\n");
    }
    sc_core::sc_stop();
  }

  void count(const driver_host::Pmu& pmu) {
    const auto event = host_.open({.type = pmu.type, .config = kWidgetMade}, 0);
    if (event < 0) throw std::runtime_error("the driver refuses the event");
    board_.expect(event, pmu.name, {{"event", kWidgetMade}});
    host_.enable(event);
    wait(sc_core::sc_time(1, sc_core::SC_MS));
    host_.disable(event);
    driver_host::EventReading reading{};
    host_.read(event, reading);
  }

  driver_host::DriverHost& host_;
  sb::Scoreboard& board_;
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  if (argc < 2) throw std::runtime_error("usage: own_soc DRIVERS [--broken]");
  Soc soc("soc", argc > 2 && std::strcmp(argv[2], "--broken") == 0);
  sb::Scoreboard board;
  auto& factory = board.add(std::make_unique<FactoryJudge>(board.chronicle()));
  soc.on_widget = [&](Picoseconds when) { factory.on_widget(when); };
  soc.bus.monitor([&](const MmioBus::BusAccess& access) { board.on_bus_access(access); });

  driver_host::DriverHost host("host", driver_host::find_driver_sets(argv[1]).back(), {});
  host.describe(soc.firmware());
  host.observe(&board);
  host.bus.bind(soc.bus.socket);
  Software software("software", host, board);
  sc_core::sc_start();
  return software.exact ? 0 : 1;
}
