// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/tegra410/part/pcie_spec.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::scenario {
namespace {

using tegra410::PcieRootComplex;
using tegra410::PcieRootPort;
using traffic::RequesterSpec;

void check_cluster(const RequesterSpec& requester, const std::string& field, unsigned clusters) {
  if (requester.id < clusters) return;
  throw SpecError(field + ".id", fmt::format("there is no CPU cluster {}", requester.id),
                  fmt::format("a socket of the platform has clusters 0 ... {}", clusters - 1));
}

/// The numbers in words: "root ports 1, 2 and 3", "no root ports".
std::string list(const char* one, const char* many, const std::vector<unsigned>& numbers) {
  if (numbers.empty()) return fmt::format("no {}", many);
  std::string text = fmt::format("{} ", numbers.size() == 1 ? one : many);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  return text;
}

void check_device(const RequesterSpec& requester, const std::string& field,
                  const std::vector<PcieRootComplex>& complexes) {
  std::vector<unsigned> numbers;
  const PcieRootComplex* complex = nullptr;
  for (const PcieRootComplex& candidate : complexes) {
    if (candidate.socket != requester.socket) continue;
    numbers.push_back(candidate.number);
    if (candidate.number == requester.root_complex) complex = &candidate;
  }
  if (complex == nullptr) {
    throw SpecError(field + ".root_complex",
                    fmt::format("there is no root complex {} in socket {}", requester.root_complex, requester.socket),
                    numbers.empty() ? "the socket has none: see tegra410.pcie of the platform"
                                    : "the socket has " + list("root complex", "root complexes", numbers));
  }
  numbers.clear();
  const PcieRootPort* port = nullptr;
  for (const PcieRootPort& candidate : complex->root_ports) {
    numbers.push_back(candidate.number);
    if (candidate.number == requester.root_port) port = &candidate;
  }
  if (port == nullptr) {
    throw SpecError(field + ".root_port",
                    fmt::format("root complex {} of socket {} has no root port {}", requester.root_complex,
                                requester.socket, requester.root_port),
                    "it has " + list("root port", "root ports", numbers));
  }
  const unsigned bus = requester.bdf >> 8;
  const unsigned last = platform::last_bus_of(*complex, *port);
  if (bus >= port->bus && bus <= last) return;
  throw SpecError(field + ".bdf",
                  fmt::format("bus {:02x} is not below root port {} of root complex {} of socket {}", bus,
                              requester.root_port, requester.root_complex, requester.socket),
                  fmt::format("that root port has buses {:02x} to {:02x}", port->bus, last));
}

}  // namespace

void check_requesters(const traffic::TrafficSpec& traffic, const platform::PlatformSpec& platform) {
  if (!platform.has<platform::Tegra410Spec>()) return;
  const std::vector<PcieRootComplex> complexes = platform::root_complexes_of(platform);
  const auto check = [&](const RequesterSpec& requester, const std::string& field) {
    if (requester.kind == RequesterKind::cpu)
      check_cluster(requester, field, platform.of<platform::Tegra410Spec>().clusters);
    if (requester.kind == RequesterKind::pcie) check_device(requester, field, complexes);
  };
  for (std::size_t i = 0; i < traffic.generators.size(); ++i) {
    const traffic::GeneratorSpec& generator = traffic.generators[i];
    const std::string field = fmt::format("generators[{}]", i);
    check(generator.requester, field + ".requester");
    if (generator.pattern.consumer) check(*generator.pattern.consumer, field + ".pattern.consumer");
    for (std::size_t p = 0; p < generator.phases.size(); ++p) {
      const auto& pattern = generator.phases[p].pattern;
      if (pattern && pattern->consumer)
        check(*pattern->consumer, fmt::format("{}.phases[{}].pattern.consumer", field, p));
    }
  }
}

}  // namespace pmufab::scenario
