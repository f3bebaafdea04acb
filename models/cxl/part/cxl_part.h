// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/cxl/cpmu/cpmu.h"
#include "models/cxl/host/engine.h"
#include "models/cxl/host/host.h"
#include "models/cxl/host/host_bridge.h"
#include "models/cxl/link/link.h"
#include "models/cxl/link/switch.h"
#include "models/cxl/memory/device_cache.h"
#include "models/cxl/memory/hdm_map.h"
#include "models/cxl/memory/memory_device.h"
#include "models/cxl/part/cxl_spec.h"
#include "models/cxl/registers/component_registers.h"
#include "models/cxl/registers/port_function.h"
#include "models/cxl/registers/type3_device.h"
#include "models/pcie/ecam.h"
#include "models/platform/platform_part.h"

namespace pmufab::platform {

/// The CXL hierarchy of a platform, in PCI segment 0. Root port i is device i of bus 0. Alone on the bus below it is a
/// device, or the upstream port of a switch; the switch's downstream ports are devices 0, 1, ... of the next bus. Buses
/// are numbered depth first, as software would. Child modules are called "cxl_ecam", "cxl_host_bridge", "cxl_rp0",
/// "cxl_usp0", "cxl_dsp0_1" (port 1 of switch 0), "cxl0" and "cxl0_cpmu1".
class CxlPart : public PlatformPart {
 public:
  /// A device with its link, and the host above.
  struct Device {
    Device(const std::string& name, cxl::Engine& engine, const CxlDeviceSpec& spec, cxl::Link& its_link,
           cxl::Host& its_host);

    cxl::Link& link;                 ///< link to the port above
    cxl::Host& host;                 ///< host above its root port
    pcie::Function* port = nullptr;  ///< port above the link
    std::uint64_t bar = 0;           ///< where firmware maps its BAR 0
    std::unique_ptr<cxl::Type3Device> registers;
    cxl::HdmMap map;  ///< ranges that the device claims
    cxl::MemoryDevice memory;
    std::unique_ptr<cxl::DeviceCache> cache;  ///< for Type 2 devices
    std::vector<cxl::Cpmu*> cpmus;
  };
  /// A root port.
  struct Root {
    Root(const std::string& name, cxl::Engine& engine, const CxlDeviceSpec& spec);

    cxl::HdmMap map;  ///< ranges below it
    cxl::Link link;
    cxl::Host host;
  };

  enum class Kind : std::uint8_t { root_port, upstream_port, downstream_port, device };
  /// A component with CPMUs, depth first: a root port, and below it a device, or an upstream port and then each
  /// downstream port with its device.
  struct Component {
    Kind kind;
    unsigned number;    ///< number of the root port, the switch or the device
    unsigned port = 0;  ///< for a downstream port
    std::string name;   ///< module name: "cxl_rp0", "cxl_usp0", "cxl_dsp0_1", "cxl0"
    const std::vector<CxlCpmuSpec>* specs;
    pcie::Function* function;
    std::uint64_t bar = 0;                ///< where firmware maps its BAR 0
    std::vector<std::uint64_t> blocks{};  ///< offsets of its CPMUs' registers in BAR 0
    std::vector<std::unique_ptr<cxl::Cpmu>> cpmus{};
    const cxl::ComponentRegisters* registers = nullptr;
    std::uint64_t registers_offset = 0;      ///< in BAR 0
    cxl::MessageProbes* messages = nullptr;  ///< that it sends and receives
  };
  /// A link, and the numbers of the components at its ends.
  struct Wire {
    cxl::Link* link;
    unsigned upper;
    unsigned lower;
  };

  explicit CxlPart(const std::vector<CxlDeviceSpec>& branches);
  ~CxlPart() override;

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  /// The CPMUs of a device: software restores its configuration space.
  [[nodiscard]] bool can_reset(const std::string& window) const override;
  void reset_window(const std::string& window) override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;

  [[nodiscard]] cxl::Engine& engine() noexcept { return engine_; }
  /// Number of devices.
  [[nodiscard]] std::size_t size() const noexcept { return devices_.size(); }
  /// @throws std::out_of_range if there is no such device
  [[nodiscard]] Device& device(std::size_t index) { return *devices_.at(index); }
  [[nodiscard]] std::size_t roots() const noexcept { return roots_.size(); }
  [[nodiscard]] Root& root(std::size_t index) { return *roots_.at(index); }
  /// Selects the root port for an address.
  [[nodiscard]] const cxl::HostBridge& bridge() const noexcept { return bridge_; }
  [[nodiscard]] const std::deque<Component>& components() const noexcept { return components_; }
  [[nodiscard]] const std::vector<Wire>& wires() const noexcept { return wires_; }
  /// @return the number of requests, snoops and messages under way.
  [[nodiscard]] std::uint64_t pending() const;
  /// @return the physical address of a CPMU's registers, as firmware placed them.
  [[nodiscard]] static std::uint64_t cpmu_address(const Component& component, unsigned cpmu) {
    return component.bar + component.blocks.at(cpmu);
  }
  /// The same for a device.
  [[nodiscard]] std::uint64_t cpmu_address(std::size_t device, unsigned cpmu) const;

 private:
  struct Switch;
  /// A bridge, with what firmware assigns to it.
  struct Bridge {
    cxl::PortFunction* port;
    std::uint8_t primary = 0;
    std::uint8_t secondary = 0;
    std::uint8_t subordinate = 0;
    std::size_t first = 0;  // components behind it: [first, end)
    std::size_t end = 0;
  };

  std::size_t add_port(Kind kind, unsigned number, unsigned port, const std::vector<CxlCpmuSpec>& cpmus,
                       const CxlDeviceSpec& spec, unsigned downstream_ports);
  void add_root(unsigned index, const CxlDeviceSpec& spec);
  void add_switch(std::size_t root, const CxlDeviceSpec& spec);
  void add_device(std::size_t above, cxl::Link& link, Root& root, const CxlDeviceSpec& spec);
  void add_cpmus(Component& component, const std::vector<cxl::EventGroup>& known,
                 const std::function<void(unsigned cpmu, cxl::Cpmu& block)>& attach,
                 const std::function<void(unsigned message)>& signal, cxl::MessageProbes& probes);
  [[nodiscard]] std::vector<unsigned> roots_of(const CxlRangeSpec& range) const;
  void share_ranges();
  /// Firmware's part, before the operating system starts: bus numbers, base addresses, windows, decoders.
  void configure();
  void configure_bridge();

  std::vector<CxlDeviceSpec> specs_;
  std::vector<CxlDevicePlace> places_;
  cxl::Engine engine_;
  std::unique_ptr<pcie::Ecam> ecam_;
  cxl::ComponentRegisters bridge_registers_;  ///< of the host bridge
  std::vector<std::unique_ptr<Root>> roots_;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<cxl::PortFunction>> ports_;
  std::deque<Bridge> bridges_;
  std::deque<Component> components_;
  std::vector<Wire> wires_;
  cxl::HostBridge bridge_;
  std::uint8_t last_bus_ = 0;
};

}  // namespace pmufab::platform
