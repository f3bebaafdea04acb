// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/scenario/dwc_kind.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/dwc/link_events.h"
#include "testbench/fabrics/common/values.h"
#include "testbench/fabrics/dwc/verify/dwc_machine.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::verify {
namespace dwc {
namespace {

using driver_host::compare_versions;

using SharedMachine = std::shared_ptr<const Machine>;

struct Analysis {
  const char* name;   ///< since 7.0
  const char* older;  ///< before; null: another number has that name there
  unsigned number;
};

constexpr unsigned kFirstData = 0x20;  // from here on, data in units of 16 bytes
constexpr std::array<Analysis, 14> kAnalyses{{
    {"one_cycle", "one_cycle", 0x00},
    {"TX_L0S", "TX_L0S", 0x01},
    {"RX_L0S", "RX_L0S", 0x02},
    {"L0", "L0", 0x03},
    {"L1", "L1", 0x04},
    {"L1_1", "L1_1", 0x05},
    {"L1_2", "L1_2", 0x06},
    {"CFG_RCVRY", "CFG_RCVRY", 0x07},
    {"L1_AUX", nullptr, 0x08},
    {"TX_RX_L0S", nullptr, 0x09},
    {"tx_pcie_tlp_data_payload", "Tx_PCIe_TLP_Data_Payload", kFirstData},
    {"rx_pcie_tlp_data_payload", "Rx_PCIe_TLP_Data_Payload", 0x21},
    {"tx_ccix_tlp_data_payload", "Tx_CCIX_TLP_Data_Payload", 0x22},
    {"rx_ccix_tlp_data_payload", "Rx_CCIX_TLP_Data_Payload", 0x23},
}};

const Analysis& draw_analysis(Random& random, const Machine& machine) {
  for (;;) {
    const Analysis& analysis = kAnalyses.at(static_cast<std::size_t>(random.number(0, kAnalyses.size() - 1)));
    if (machine.has_lanes || analysis.older != nullptr) return analysis;
  }
}

/// An event of time-based analysis.
std::string text_of(Random& random, const Machine& machine, const Port& port, const Analysis& analysis) {
  if (random.chance(20)) return fmt::format("{}/eventid={:#x},type=0x0/", port.pmu, analysis.number);
  return fmt::format("{}/{}/", port.pmu, machine.has_lanes ? analysis.name : analysis.older);
}

std::string lane_event(Random& random, const Port& port) {
  const auto events = pmufab::dwc::link_events();
  const pmufab::dwc::LinkEventCode& event = events[static_cast<std::size_t>(random.number(0, events.size() - 1))];
  const std::uint64_t lane = random.chance(30) ? port.lanes - 1 : random.number(0, port.lanes - 1);
  if (random.chance(15)) return fmt::format("{}/eventid={:#x},type=0x1,lane={}/", port.pmu, event.id, lane);
  return fmt::format("{}/{},lane={}/", port.pmu, event.name, lane);
}

std::string draw_event(Random& random, const Machine& machine, const Port& port) {
  if (machine.has_lanes && random.chance(65)) return lane_event(random, port);
  return text_of(random, machine, port, draw_analysis(random, machine));
}

/// @return what an event needs for itself: the counter that an event of lanes has in the driver's list, which is one for
///         all lanes, or "analysis"
std::string needs(const std::string& event) {
  if (event.find("lane=") == std::string::npos) return "analysis";
  for (const pmufab::dwc::LinkEventCode& code : pmufab::dwc::link_events()) {
    if (event.find(fmt::format("/{},", code.name)) != std::string::npos ||
        event.find(fmt::format("/eventid={:#x},", code.id)) != std::string::npos)
      return std::string(code.name);
  }
  return event;
}

bool fit(const Machine& machine, const std::vector<std::string>& events) {
  if (!machine.has_lanes) return events.size() <= 1;
  std::set<std::string> taken;
  return std::ranges::all_of(events, [&](const std::string& event) { return taken.insert(needs(event)).second; });
}

RefusedEvent draw_refused(Random& random, const Machine& machine, const Port& port) {
  const auto analysis = [&] { return text_of(random, machine, port, draw_analysis(random, machine)); };
  if (random.chance(30))
    return {fmt::format("{}/rx_memory_read,lane={}/", port.pmu,
                        random.chance(50) ? port.lanes : random.number(port.lanes, 255)),
            "EINVAL",
            {}};
  if (random.chance(25))
    return {fmt::format("{}/eventid=0x0,type={:#x}/", port.pmu, random.number(2, 15)), "EINVAL", {}};
  if (!machine.has_lanes) return {fmt::format("{{{},{}}}", analysis(), analysis()), "EINVAL", {}};
  // The event that is opened is not checked itself, unless it leads: so the one behind is refused.
  const std::string last = analysis();
  const std::string lane = fmt::format("{}/tx_memory_write,lane=0/", port.pmu);
  if (random.chance(40)) return {fmt::format("{{{0},{0},{1}}}", lane, last), "ENOSPC", {}};
  if (random.chance(50)) return {fmt::format("{{{},{},{}}}", analysis(), last, lane), "ENOSPC", {}};
  const std::uint64_t group = random.pick({0U, 1U, 2U, 5U, 8U, 15U});
  return {
      fmt::format("{}/eventid={:#x},type=0x1,lane=0/", port.pmu, group << 8U | random.number(0, 0x17)), "ENOSPC", {}};
}

/// A counter of a lane comes near its wrap. That of time-based analysis passes its lower half.
BulkEvent draw_bulk(Random& random, const Machine& machine, const Port& port) {
  constexpr std::uint64_t kLowWord = std::uint64_t{1} << 32;
  constexpr std::uint64_t kUnit = 16;  // bytes
  if (machine.has_lanes && port.fills_lanes)
    return {lane_event(random, port), kLowWord / 2 + random.number(0, kLowWord / 4), {}, true};
  const Analysis& analysis = draw_analysis(random, machine);
  const std::uint64_t count = kLowWord * random.pick({1U, 1U, 3U, 1U << 17, 1U << 24});
  return {text_of(random, machine, port, analysis), analysis.number >= kFirstData ? count * kUnit : count, {}, true};
}

PmuOffer offer_of(const SharedMachine& machine, const Port& port) {
  PmuOffer offer;
  offer.pmu = port.pmu;
  offer.counters = machine->has_lanes ? static_cast<unsigned>(pmufab::dwc::link_events().size()) + 1 : 1;
  offer.accesses = 4;
  offer.reads_halves = !machine->has_lanes || !port.fills_lanes;
  for (unsigned cpu = 0; cpu < machine->cpus_per_socket; ++cpu)
    offer.cpus.push_back(port.socket * machine->cpus_per_socket + cpu);
  offer.leaves_socket = true;
  offer.beside_clocks = false;
  offer.event = [machine, &port](Random& random) { return draw_event(random, *machine, port); };
  offer.fits = [machine](const std::vector<std::string>& events, bool /*is_group*/) { return fit(*machine, events); };
  offer.refused = [machine, &port](Random& random) { return draw_refused(random, *machine, port); };
  offer.bulk = [machine, &port](Random& random) { return draw_bulk(random, *machine, port); };
  return offer;
}

class DwcGenerator final : public FabricGenerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "dwc"; }
  [[nodiscard]] std::vector<std::string_view> driver_modules() const override {
    return scenario::dwc_kind().driver_modules();
  }
  /// Linux 6.1 has no such driver.
  [[nodiscard]] bool has_pmus(std::string_view kernel) const override { return compare_versions(kernel, "6.8") >= 0; }

  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view kernel,
                                      const Wishes& /*wishes*/) const override {
    GeneratedMachine made;
    const auto machine = std::make_shared<const Machine>(draw_machine(random, kernel, made.platform));
    made.traffic = draw_traffic(random, *machine);
    made.host = map({{"access_latency", number(0)}});
    for (const Port& port : machine->ports) made.pmus.push_back(offer_of(machine, port));
    made.cpus = machine->sockets * machine->cpus_per_socket;
    return made;
  }
};

}  // namespace
}  // namespace dwc

const FabricGenerator& dwc_generator() {
  static const dwc::DwcGenerator generator;
  return generator;
}

}  // namespace pmufab::verify
