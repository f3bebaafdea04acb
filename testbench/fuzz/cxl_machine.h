// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cxl/link/operations.h"
#include "models/cxl/part/cxl_part.h"
#include "testbench/fuzz/cpmu_checker.h"
#include "testbench/fuzz/device_checker.h"
#include "testbench/fuzz/machine.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::fuzz {

/// Two memory expanders with very different parameters below their root ports, with all their windows: configuration
/// space, component and device registers, CPMUs, MSI-X table. Meanwhile, the host reads and writes, and the event logs
/// get records.
class CxlMachine final : public Machine, private cxl::OperationClient {
 public:
  /// The registers to access most.
  enum class Focus : std::uint8_t { device, cpmu };
  explicit CxlMachine(Focus focus);
  ~CxlMachine() override;

  [[nodiscard]] MmioBus& bus() override { return bus_; }
  [[nodiscard]] const std::vector<std::uint64_t>& places() const override { return places_; }
  [[nodiscard]] bool resets(std::uint64_t address) const override;
  void reset() override;
  void act(unsigned kind, unsigned place, unsigned choice) override;
  [[nodiscard]] bool idle() const override;
  void check(const Effect& effect) override;
  void check_end() override;
  void check_reset() override;

 private:
  struct Checkers {
    std::unique_ptr<DeviceChecker> device;
    std::vector<CpmuChecker> cpmus;
  };

  void completed(std::uint32_t user, Picoseconds now) override;
  void unblocked(Picoseconds now) override;
  void add_places(Focus focus, std::size_t device);
  void listen(std::size_t device);
  [[nodiscard]] bool reachable(std::size_t device) const;
  [[nodiscard]] std::vector<std::uint64_t> picture() const;

  MmioBus bus_;
  platform::CxlPart part_;
  std::vector<MmioBus::Window> windows_;
  std::vector<std::uint64_t> places_;
  std::vector<Checkers> checkers_;
  std::vector<std::uint64_t> first_picture_;
  std::uint64_t issued_ = 0;
  std::uint64_t completed_ = 0;
  std::optional<std::string> failure_;  // found while the models were running
};

/// @return the machine of the target "cxl_device" or "cxl_cpmu"; nullptr for other names
[[nodiscard]] std::unique_ptr<Machine> make_cxl_machine(std::string_view target);

}  // namespace pmufab::fuzz
