// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_part.h"
#include "models/soc/described_pmu.h"
#include "models/soc/part/fabric_taps.h"
#include "models/soc/part/pci_functions.h"
#include "models/soc/part/soc_rows.h"
#include "models/soc/source.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::platform {

/// The described PMUs of a platform, and the sources that they count.
class SocPart final : public PlatformPart {
 public:
  /// @param fabrics  of the platform; they must outlive the part
  SocPart(const PlatformSpec& spec, const SocFabrics& fabrics);

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  [[nodiscard]] bool can_reset(const std::string& window) const override;
  void reset_window(const std::string& window) override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;

  /// @return a source of a socket, by its number (source_number()).
  [[nodiscard]] soc::Source& source(unsigned number) { return *sources_.at(number); }
  /// @param name  as registers() has it; null: there is no such PMU
  [[nodiscard]] soc::DescribedPmu* pmu(std::string_view name) const;
  /// @param observer  of the sources at which streams or a plug-in let things happen; not owned; null: none
  void set_observer(OccurrenceObserver* observer);

 private:
  struct Pmu {
    SocPmuRow row;
    std::unique_ptr<ClockDomain> clock;
    std::vector<std::unique_ptr<InterruptLine>> lines{};
    std::unique_ptr<MessageInterrupt> messages{};  // that it sends by itself
    std::unique_ptr<soc::DescribedPmu> model;
  };

  /// Make the lines of a PMU's interrupt, of which its row tells firmware unless it sends messages.
  static void connect_lines(const soc::InterruptDescription& its, SocPmuRow& row, Pmu& pmu);
  [[nodiscard]] bool is_pci(const SocPmuRow& row) const;

  soc::Description description_;
  PciFunctions pci_;
  std::vector<std::unique_ptr<soc::Source>> sources_;  // by number
  FabricTaps taps_;
  std::vector<Pmu> pmus_;
};

}  // namespace pmufab::platform
