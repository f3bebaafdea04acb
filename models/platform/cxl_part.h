#pragma once

#include <memory>
#include <vector>

#include "models/cxl/cpmu.h"
#include "models/cxl/device_cache.h"
#include "models/cxl/engine.h"
#include "models/cxl/hdm_map.h"
#include "models/cxl/host.h"
#include "models/cxl/link.h"
#include "models/cxl/memory_device.h"
#include "models/cxl/type3_device.h"
#include "models/pcie/ecam.h"
#include "models/platform/cxl_spec.h"
#include "models/platform/platform_part.h"

namespace pmufab::platform {

/// The CXL devices of a platform, in PCI segment 0: root port i of bus 0, and below it, alone on bus 1 + i, device i.
/// Child modules are called "cxl_ecam", "cxl0_port", "cxl0" and "cxl0_cpmu1".
class CxlPart : public PlatformPart {
 public:
  /// One device with its link and host.
  struct Device {
    explicit Device(const std::string& name, cxl::Engine& engine, const CxlDeviceSpec& spec);

    std::unique_ptr<pcie::Function> port;
    std::unique_ptr<cxl::Type3Device> registers;
    cxl::HdmMap map;  ///< what the device claims; the root port passes on the same
    cxl::Link link;
    cxl::Host host;
    cxl::MemoryDevice memory;
    std::unique_ptr<cxl::DeviceCache> cache;  ///< of Type 2 devices
    std::vector<Probe*> probes;
    std::vector<std::unique_ptr<cxl::Cpmu>> cpmus;
  };

  explicit CxlPart(const std::vector<CxlDeviceSpec>& specs);
  ~CxlPart() override;

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;
  void add_probes(std::vector<Probe*>& probes) override;

  [[nodiscard]] cxl::Engine& engine() noexcept { return engine_; }
  [[nodiscard]] std::size_t size() const noexcept { return devices_.size(); }
  /// @throws std::out_of_range if there is no such device
  [[nodiscard]] Device& device(std::size_t index) { return *devices_.at(index); }
  /// @return the physical address of the registers of a CPMU, where firmware placed them.
  [[nodiscard]] std::uint64_t cpmu_address(std::size_t device, unsigned cpmu) const;

 private:
  void make_cpmus(unsigned index);
  /// What firmware does before the operating system comes: bus numbers, base addresses, decoders.
  void configure();

  std::vector<CxlDeviceSpec> specs_;
  cxl::Engine engine_;
  pcie::Ecam ecam_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace pmufab::platform
