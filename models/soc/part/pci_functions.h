// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/pcie/configuration_registers.h"
#include "models/pcie/ecam.h"
#include "models/pcie/function.h"
#include "models/platform/platform_part.h"
#include "models/soc/described_pmu.h"
#include "models/soc/part/pci_places.h"
#include "models/soc/part/soc_rows.h"

namespace pmufab::platform {

/// The PCI Express functions by which firmware tells of described PMUs, with those that their drivers look for.
class PciFunctions {
 public:
  /// @param spec  valid
  explicit PciFunctions(const PlatformSpec& spec);

  /// Put a PMU's registers behind the BARs of its function. @return the function
  pcie::Function& connect(const SocPmuRow& row, const soc::RegisterMap& registers, soc::DescribedPmu& model);
  void map(MmioBus& bus);
  void describe(FirmwareDescription& firmware);
  void reset();
  void add_registers(std::vector<NamedRegisters>& banks) const;

 private:
  struct Node {
    PciPlace place;
    std::uint64_t address = 0;  ///< of its configuration space
    std::unique_ptr<pcie::Function> function;
    std::unique_ptr<pcie::ConfigurationRegisters> registers;
    std::vector<std::pair<PmuWindow, unsigned>> windows{};  ///< with their BARs
  };
  /// Firmware's part, before the operating system starts: bus numbers, addresses of BARs, the command register.
  void configure();

  std::vector<Node> nodes_;
  std::vector<PciSegment> bridges_;
  std::vector<std::unique_ptr<pcie::Ecam>> ecams_;  // by bridge
};

}  // namespace pmufab::platform
