// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/pcie/configuration_registers.h"
#include "models/pcie/ecam.h"
#include "models/pcie/function.h"
#include "models/platform/platform_part.h"
#include "models/platform/platform_spec.h"
#include "models/tegra410/part/pcie_spec.h"

namespace pmufab::platform {

/// Configuration space of the root complexes of Tegra410 sockets: root ports with NVIDIA's DVSEC 4, and the endpoints
/// below them. Each root port is device 0, function 0 of a root bus, which firmware describes as a separate host bridge
/// in the root complex's segment. Child modules are called "socket0_rc1_rp2", and "socket0_rc1_rp2_fn128" below.
class PciePart : public PlatformPart {
 public:
  /// @param spec  valid
  explicit PciePart(const PlatformSpec& spec);
  ~PciePart() override;

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;

 private:
  /// A function with its registers for dumps.
  struct Node {
    Node(const std::string& module, std::string shown, const pcie::FunctionParameters& parameters)
        : name(std::move(shown)), function(module.c_str(), parameters) {}
    std::string name;  ///< "socket0.rc1.rp2.config"
    pcie::Function function;
    std::unique_ptr<pcie::ConfigurationRegisters> registers;
  };
  /// The functions on one root bus, and below it.
  struct Root {
    tegra410::PcieRootComplex complex;
    tegra410::PcieRootPort port;
    std::unique_ptr<pcie::Ecam> ecam;
    std::unique_ptr<Node> node;
    std::vector<std::unique_ptr<Node>> devices;
    std::vector<PlacedBar> bars;
  };

  void add_root(const tegra410::PcieRootComplex& complex, const tegra410::PcieRootPort& port);
  static void add_dvsec(Root& root);
  static void add_device(Root& root, const std::string& module, const std::string& shown, std::size_t index);
  /// Firmware's part, before the operating system starts: bus numbers, base addresses, windows, decoding enabled.
  void configure();

  std::vector<std::unique_ptr<Root>> roots_;
};

}  // namespace pmufab::platform
