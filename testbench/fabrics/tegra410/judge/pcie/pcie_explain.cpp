// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/pcie/pcie_explain.h"

#include <set>

#include <fmt/format.h>

#include "testbench/judge/guesses.h"

namespace pmufab::scoreboard {
namespace {

constexpr std::size_t kLanesShown = 6;

std::uint64_t sum(const std::vector<PcieLane>& lanes, PcieEvent event, const PcieSource& source,
                  std::uint32_t destinations) {
  std::uint64_t total = 0;
  for (const PcieLane& lane : lanes) {
    const bool goes_there = (destinations >> static_cast<unsigned>(lane.destination) & 1U) != 0;
    if (goes_there && source.holds(lane.root_port, lane.bdf)) total += lane.amount(event);
  }
  return total;
}

std::string lanes_text(const std::vector<PcieLane>& lanes, PcieEvent event) {
  std::string text;
  std::size_t shown = 0;
  for (const PcieLane& lane : lanes) {
    if (lane.amount(event) == 0) continue;
    if (++shown > kLanesShown) return text + ", ...";
    text += fmt::format("{}port {}, {} -> {}: {}", text.empty() ? "" : ", ", lane.root_port, bdf_text(lane.bdf),
                        to_string(lane.destination), lane.amount(event));
  }
  return text.empty() ? "no traffic" : text;
}

void guess_filters(const PcieMeaning& meaning, const std::vector<PcieLane>& counted, Guesses& guesses) {
  const PcieSource everything;
  guesses.offer(sum(counted, meaning.event, everything, kAllPcieDestinations), "this event without a filter");
  guesses.offer(sum(counted, meaning.event, everything, meaning.destinations), "this event of all root ports");
  guesses.offer(sum(counted, meaning.event, meaning.source, kAllPcieDestinations), "this event to all destinations");
  std::uint32_t seen = 0;
  std::set<std::uint16_t> devices;
  for (const PcieLane& lane : counted) {
    seen |= 1U << lane.root_port;
    devices.insert(lane.bdf);
  }
  for (std::uint32_t ports = 1; ports < kAllRootPorts; ++ports) {
    if ((ports & ~seen) != 0) continue;
    guesses.offer(sum(counted, meaning.event, {.root_ports = ports}, meaning.destinations),
                  fmt::format("this event of root ports {:#b}", ports));
  }
  for (const std::uint16_t bdf : devices) {
    guesses.offer(sum(counted, meaning.event, {.bdf = bdf}, meaning.destinations),
                  fmt::format("this event of device {}", bdf_text(bdf)));
  }
  for (std::uint32_t destinations = 1; destinations < kAllPcieDestinations; ++destinations) {
    guesses.offer(sum(counted, meaning.event, meaning.source, destinations),
                  fmt::format("this event to {}", destinations_text(destinations)));
  }
}

}  // namespace

std::string explain_pcie(const PcieMeaning& meaning, const std::vector<PcieLane>& counted, std::uint64_t edges,
                         std::uint64_t driver) {
  Guesses guesses(driver);
  if (meaning.kind == PcieMeaning::Kind::traffic) guess_filters(meaning, counted, guesses);
  for (std::size_t e = 0; e < kPcieEvents; ++e) {
    const auto event = static_cast<PcieEvent>(e);
    if (meaning.kind == PcieMeaning::Kind::traffic) {
      if (event == meaning.event) continue;
      guesses.offer(sum(counted, event, meaning.source, meaning.destinations),
                    fmt::format("{} with the same filter", to_string(event)));
    }
    guesses.offer(sum(counted, event, {}, kAllPcieDestinations), fmt::format("{} without a filter", to_string(event)));
  }
  guesses.offer(edges, "cycles");
  std::string text = guesses.text();
  if (meaning.kind != PcieMeaning::Kind::traffic) return text;
  if (!text.empty()) text += "; ";
  return text + "by device and destination: " + lanes_text(counted, meaning.event);
}

}  // namespace pmufab::scoreboard
