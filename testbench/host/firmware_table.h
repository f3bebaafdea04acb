// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "testbench/host/abi.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::driver_host {

/// A firmware description in the types of the module's interface. It points into the description, which must outlive
/// it.
class FirmwareTable {
 public:
  FirmwareTable(const platform::FirmwareDescription& firmware, const std::set<unsigned>& offline);
  FirmwareTable& operator=(FirmwareTable&&) = delete;

  [[nodiscard]] const pmufab_firmware& get() const noexcept { return firmware_; }

 private:
  struct Lists {
    std::vector<pmufab_memory> memory;
    std::vector<std::uint32_t> interrupts;
    std::vector<pmufab_property> properties;
  };

  std::vector<pmufab_cpu> cpus_;
  std::vector<pmufab_apmt_node> apmt_;
  std::vector<Lists> lists_;  // of the devices
  std::vector<pmufab_device> devices_;
  std::vector<pmufab_pci_segment> pci_segments_;
  pmufab_firmware firmware_{};
};

}  // namespace pmufab::driver_host
