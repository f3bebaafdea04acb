// SPDX-License-Identifier: Apache-2.0
// A CoreSight PMU that pmufab does not have: a row, a model class and a truth. The real driver programs it.
#include <sstream>

#include <tlm_utils/simple_initiator_socket.h>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/tests/integration/integration_test.h"
#include "testbench/tests/toy_coresight_pmu/toy_pmu.h"
#include "testbench/tests/toy_coresight_pmu/toy_truth.h"

namespace pmufab::toy {
namespace {

using integration::EventHandle;
using scoreboard::EventResult;
using scoreboard::EventTerms;
using ::testing::Contains;

constexpr const char* kName = "arm_cspmu_acpi_TOYS0001_0";
constexpr std::uint64_t kCmem = 0x80'0000'0000;
constexpr std::uint64_t kCycles = std::uint64_t{1} << 32;

/// Sends any request to the fabric of socket 0.
class Requester : public sc_core::sc_module {
 public:
  Requester(const sc_core::sc_module_name& name, platform::Platform& platform)
      : sc_core::sc_module(name), socket("socket") {
    socket.bind(platform.get<platform::Tegra410Part>().socket(0).requests);
    payload_.set_extension(&extension_);
  }
  ~Requester() override { payload_.clear_extension(&extension_); }

  void write(RequesterKind kind, unsigned times, unsigned length) {
    send(kind, length == 64 ? FabricOpcode::write_unique_full : FabricOpcode::write_unique_ptl, tlm::TLM_WRITE_COMMAND,
         times, length);
  }
  void read(RequesterKind kind, unsigned times) {
    send(kind, FabricOpcode::read_once, tlm::TLM_READ_COMMAND, times, 32);
  }
  void add_atomically(unsigned times) {
    send(RequesterKind::cpu, FabricOpcode::atomic_store, tlm::TLM_WRITE_COMMAND, times, 8);
  }

  tlm_utils::simple_initiator_socket<Requester, 64> socket;

 private:
  void send(RequesterKind kind, FabricOpcode opcode, tlm::tlm_command command, unsigned times, unsigned length) {
    extension_.requester = kind;
    extension_.opcode = opcode;
    payload_.set_command(command);
    payload_.set_data_length(length);
    payload_.set_streaming_width(length);
    for (unsigned i = 0; i < times; ++i) {
      payload_.set_address(kCmem + i % 1024 * std::uint64_t{64});
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload_, delay);
      ASSERT_EQ(payload_.get_response_status(), tlm::TLM_OK_RESPONSE);
    }
  }

  tlm::tlm_generic_payload payload_;
  FabricExtension extension_;
};

class ToyCoreSightPmu : public integration::DriverTest {
 protected:
  /// One socket of two CPUs, and the PMU on it.
  void build(const tegra410::CoreSightPmuParameters& parameters, Fault fault = Fault::none) {
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = 1;
    spec.cpus_per_socket = 2;
    spec.edit<platform::Tegra410Spec>().clusters = 2;
    const platform::PmuRow row = write_pmu_row(0, parameters, fault);
    spec.edit<platform::Tegra410Spec>().own_pmus.push_back(row);
    machine = std::make_unique<platform::Platform>("platform", spec);
    requester = std::make_unique<Requester>("requester", *machine);
    machine->get<platform::Tegra410Part>().set_observer(
        &judge.add(std::make_unique<WriteJudge>(row, spec.of<platform::Tegra410Spec>().ucf_clock_hz)));
    machine->bus().monitor([this](const MmioBus::BusAccess& access) { judge.on_bus_access(access); });
  }
  void boot(const std::function<void()>& story) {
    DriverTest::boot(machine->bus(), machine->firmware(), [&] {
      host->observe(&judge);
      story();
      host->observe(nullptr);
    });
  }
  /// Open an event, give the judge its meaning, and let it count.
  EventHandle count(const EventTerms& terms, std::uint64_t config, std::uint64_t filter = 0) {
    driver_host::PerfAttributes attributes;
    attributes.type = pmu(kName).type;
    attributes.config = config;
    attributes.config1 = filter;
    attributes.disabled = true;
    const EventHandle event = host->open(attributes, 0);
    EXPECT_GT(event, 0);
    judge.expect(event, kName, terms);
    EXPECT_EQ(host->enable(event), 0);
    return event;
  }
  /// Stop an event. @return the judgement of the driver's reading
  EventResult stop(EventHandle event) {
    EXPECT_EQ(host->disable(event), 0);
    return judge.result(event).value();
  }
  void expect_exact(EventHandle event, std::uint64_t expected) {
    const EventResult result = stop(event);
    EXPECT_EQ(result.match, EventResult::Match::exact) << result.meaning;
    EXPECT_EQ(result.expected, expected) << result.meaning;
    EXPECT_EQ(result.driver, expected) << result.meaning;
    EXPECT_EQ(value(event), expected) << result.meaning;
  }

  std::unique_ptr<platform::Platform> machine;
  std::unique_ptr<Requester> requester;
  scoreboard::Scoreboard judge;
};
INSTANTIATE_TEST_SUITE_P(linux, ToyCoreSightPmu, ::testing::ValuesIn(integration::tegra410_driver_sets()),
                         integration::version_name);

TEST_P(ToyCoreSightPmu, is_served_by_the_generic_driver_and_every_count_is_that_of_the_truth) {
  build({});
  boot([&] {
    ASSERT_THAT(pmu_names(), Contains(kName));
    EXPECT_THAT(pmu_names(), Contains("nvidia_ucf_pmu_0"));
    requester->write(RequesterKind::cpu, 11, 64);  // before anything counts
    const EventHandle writes = count({{"event", 1}}, kWrites);
    const EventHandle of_cpus = count({{"event", 1}, {"filter", 1}}, kWrites, kFromCpus);
    const EventHandle of_others = count({{"event", 2}, {"filter", 2}}, kWriteBytes, kFromOthers);
    const EventHandle no_event = count({{"event", 7}}, 7);
    const EventHandle cycles = count({{"cycles", {}}}, kCycles);
    requester->write(RequesterKind::cpu, 100, 64);
    requester->write(RequesterKind::gpu, 30, 48);
    requester->read(RequesterKind::cpu, 1000);
    requester->add_atomically(20);
    requester->write(RequesterKind::gpu, 5, 64);
    testing::advance(1'000'000);
    expect_exact(writes, 135);
    requester->write(RequesterKind::cpu, 4, 16);  // after the first was stopped
    expect_exact(of_cpus, 104);
    expect_exact(of_others, 30 * 48 + 5 * 64);
    expect_exact(no_event, 0);
    const EventResult edges = stop(cycles);
    EXPECT_EQ(edges.match, EventResult::Match::exact);
    EXPECT_GT(edges.expected, 2'400U);  // more than the microsecond, at 2.4 GHz
  });
}

TEST_P(ToyCoreSightPmu, of_16_bits_overflows_by_the_interrupt_of_its_row) {
  build({.counters = 4, .width = 16});
  boot([&] {
    const EventHandle bytes = count({{"event", 2}}, kWriteBytes);
    for (int i = 0; i < 100; ++i) {
      requester->write(RequesterKind::cpu, 100, 64);
      testing::advance(20'000'000);  // time for the handler
    }
    expect_exact(bytes, 100 * 100 * 64);
    EXPECT_GT(host->handled_interrupts(), 10U);
    EXPECT_EQ(host->unhandled_interrupts(), 0U);
  });
}

TEST_P(ToyCoreSightPmu, that_counts_wrongly_is_found_out) {
  build({}, Fault::bytes_for_writes);
  boot([&] {
    const EventHandle writes = count({{"event", 1}}, kWrites);
    const EventHandle bytes = count({{"event", 2}}, kWriteBytes);
    requester->write(RequesterKind::cpu, 100, 64);
    const EventResult wrong = stop(writes);
    EXPECT_EQ(wrong.match, EventResult::Match::mismatch);
    EXPECT_EQ(wrong.expected, 100U);
    EXPECT_EQ(wrong.driver, 6400U);
    expect_exact(bytes, 6400);
  });
}

TEST_P(ToyCoreSightPmu, is_dumped_and_reset_with_the_platform) {
  build({});
  boot([&] {
    const auto dump = [&] {
      for (const platform::NamedRegisters& bank : machine->registers()) {
        if (bank.name != "socket0.write_pmu") continue;
        std::ostringstream text;
        bank.dump_text(text, testing::now());
        return text.str();
      }
      return std::string();
    };
    const std::string idle = dump();
    ASSERT_NE(idle, "");
    count({{"event", 1}}, kWrites);
    const coresight::CoreSightPmu& model = machine->get<platform::Tegra410Part>().pmu("socket0.write_pmu");
    const std::uint64_t before = model.counter_value(0, testing::now());
    requester->write(RequesterKind::cpu, 3, 64);
    EXPECT_EQ(model.counter_value(0, testing::now()), before + 3);
    EXPECT_NE(dump(), idle);
    machine->reset();
    EXPECT_EQ(model.counter_value(0, testing::now()), 0U);
    EXPECT_FALSE(model.is_running(0));
  });
}

}  // namespace
}  // namespace pmufab::toy
