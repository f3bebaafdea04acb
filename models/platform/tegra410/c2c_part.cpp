// SPDX-License-Identifier: Apache-2.0
#include "models/platform/tegra410/c2c_part.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace pmufab::platform {

namespace {

using tegra410::C2cPmu;

/// A PMU of one socket, as firmware knows it.
struct Interface {
  std::string_view name;
  std::string_view hid;
  std::uint64_t offset;
  C2cPmu& pmu;
  std::map<std::string, std::uint32_t> properties;
};

std::uint64_t base_of(unsigned socket, const Interface& interface) {
  return (std::uint64_t{socket} << default_map::kSocketShift) + interface.offset;
}

/// A mask without a bit is not there.
std::map<std::string, std::uint32_t> masks(std::initializer_list<std::pair<const char*, std::uint32_t>> all) {
  std::map<std::string, std::uint32_t> properties;
  for (const auto& [name, mask] : all) {
    if (mask != 0) properties.emplace(name, mask);
  }
  return properties;
}

std::array<Interface, 3> interfaces_of(tegra410::Socket& socket, const tegra410::Parameters& parameters) {
  const tegra410::NvlinkC2cParameters& nvlink = parameters.nvlink_c2c;
  return {{
      {"nvlink_c2c_pmu", "NVDA2023", default_map::kNvlinkC2cPmu, socket.c2c().nvlink_c2c(),
       masks({{"cpu_en_mask", nvlink.cpu_mask()},
              {"gpu0_en_mask", nvlink.gpu_mask(0)},
              {"gpu1_en_mask", nvlink.gpu_mask(1)}})},
      {"nvclink_pmu", "NVDA2022", default_map::kNvclinkPmu, socket.c2c().nvclink(),
       masks({{"cpu_en_mask", parameters.nvclink.cpu_en_mask}})},
      {"nvdlink_pmu", "NVDA2020", default_map::kNvdlinkPmu, socket.c2c().nvdlink(), {}},
  }};
}

}  // namespace

C2cPart::C2cPart(const PlatformSpec& spec, Tegra410Part& sockets)
    : parameters_(*spec.tegra410), socket_count_(spec.sockets), sockets_(sockets) {}

void C2cPart::map(MmioBus& bus) {
  for (unsigned socket = 0; socket < socket_count_; ++socket) {
    for (const Interface& interface : interfaces_of(sockets_.socket(socket), parameters_)) {
      bus.map(fmt::format("socket{}.{}", socket, interface.name), base_of(socket, interface),
              std::uint64_t{interface.pmu.windows()} * C2cPmu::kWindowSize, interface.pmu.socket);
    }
  }
}

void C2cPart::describe(FirmwareDescription& firmware) {
  for (unsigned socket = 0; socket < socket_count_; ++socket) {
    for (const Interface& interface : interfaces_of(sockets_.socket(socket), parameters_)) {
      AcpiDevice device;
      device.hid = interface.hid;
      device.uid = fmt::format("{}", socket);
      device.properties = interface.properties;
      for (unsigned window = 0; window < interface.pmu.windows(); ++window) {
        device.memory.push_back(
            {base_of(socket, interface) + std::uint64_t{window} * C2cPmu::kWindowSize, C2cPmu::kWindowSize});
      }
      firmware.devices.push_back(std::move(device));
    }
  }
}

void C2cPart::reset() {
  for (unsigned socket = 0; socket < socket_count_; ++socket) {
    for (const Interface& interface : interfaces_of(sockets_.socket(socket), parameters_)) interface.pmu.reset();
  }
}

void C2cPart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (unsigned socket = 0; socket < socket_count_; ++socket) {
    for (const Interface& interface : interfaces_of(sockets_.socket(socket), parameters_)) {
      for (unsigned window = 0; window < interface.pmu.windows(); ++window) {
        const bool broadcast = window == interface.pmu.instances();
        banks.push_back(registers_of(fmt::format("socket{}.{}.{}", socket, interface.name,
                                                 broadcast ? "broadcast" : fmt::format("instance{}", window)),
                                     interface.pmu.bank(window)));
      }
    }
  }
}

}  // namespace pmufab::platform
