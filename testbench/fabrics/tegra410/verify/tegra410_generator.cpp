// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_kind.h"

#include <memory>
#include <utility>

#include "testbench/fabrics/tegra410/verify/tegra410_machine.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

class Tegra410Generator final : public FabricGenerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "tegra410"; }
  [[nodiscard]] std::vector<std::string_view> driver_modules() const override {
    return scenario::tegra410_kind().driver_modules();
  }

  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view /*kernel*/,
                                      const Wishes& /*wishes*/) const override {
    GeneratedMachine made;
    const auto machine = std::make_shared<const tegra410::Machine>(tegra410::draw_machine(random, made.platform));
    made.traffic.emplace_back("traffic", tegra410::draw_traffic(random, *machine));
    if (Value writes = tegra410::draw_firmware(random, *machine); random.chance(30) && !writes.items.empty())
      made.traffic.emplace_back("firmware_writes", std::move(writes));
    made.pmus = tegra410::offers_of(machine);
    made.cpus = machine->sockets * machine->cpus_per_socket;
    made.slowest_access = 40'000;  // the CMEM and chip-to-chip PMUs take hundreds of accesses for one reading
    if (machine->is_slow) {        // 16 bits of cycles last for 160 us, of bytes for some 100 us
      made.slowest_access = 10'000;
      made.longest_interrupt = 1'000'000;
    }
    return made;
  }
};

}  // namespace

const FabricGenerator& tegra410_generator() {
  static const Tegra410Generator generator;
  return generator;
}

}  // namespace pmufab::verify
