// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/dwc/part/dwc_ports.h"
#include "models/dwc/root_port.h"
#include "models/pcie/ecam.h"
#include "models/platform/platform_part.h"

namespace pmufab::platform {

/// The DesignWare root ports of a platform, and the configuration space of their segments.
class DwcPart final : public PlatformPart {
 public:
  /// @param spec  valid
  explicit DwcPart(const PlatformSpec& spec);

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;

  /// @param index  in DwcSpec::ports
  [[nodiscard]] dwc::RootPort& port(unsigned index) { return *ports_.at(index); }
  /// @param observer  of all links; not owned; null: none
  void set_observer(dwc::LinkObserver* observer) noexcept;

 private:
  struct Bridge {
    DwcBridge place;
    std::unique_ptr<pcie::Ecam> ecam;
  };
  /// Firmware's part, before the operating system starts: bus numbers and the command register.
  void configure();

  PlatformSpec spec_;
  std::vector<std::unique_ptr<dwc::RootPort>> ports_;
  std::vector<Bridge> bridges_;
};

}  // namespace pmufab::platform
