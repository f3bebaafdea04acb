// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pmufab::verify {

/// An event capability of a CPMU.
struct CxlGroup {
  std::uint16_t vendor = 0;
  std::uint16_t id = 0;
  std::uint32_t supported = 0;      ///< its events
  std::string word;                 ///< of a group of the specification: "m2s_req"
  std::vector<std::string> events;  ///< of a vendor's group: the message that is event 0, 1, ...
};

/// A counter whose events are built in.
struct CxlBuiltIn {
  unsigned group = 0;  ///< index of the event capability
  std::uint32_t mask = 0;
  unsigned threshold = 0;
};

/// A CPMU of a generated device.
struct CxlUnit {
  std::vector<CxlGroup> groups;  ///< in the order of the capability registers
  unsigned configurable = 0;
  std::vector<CxlBuiltIn> fixed;
  std::vector<CxlBuiltIn> free_running;
  unsigned width = 48;
  std::uint64_t clock = 1'000'000'000;
  unsigned message_number = 1;
  bool hdm_filter = false;
  bool ddr_filter = false;
  bool writable_while_frozen = true;
  bool freeze = true;
  bool interrupt = true;

  [[nodiscard]] unsigned counters() const {
    return static_cast<unsigned>(configurable + fixed.size() + free_running.size());
  }
};

enum class CxlKind : std::uint8_t { host_only, device_cached, device_snooped };  ///< HDM-H, HDM-D, HDM-DB

struct CxlDecoder {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  CxlKind kind = CxlKind::host_only;
  unsigned ways = 1;
  unsigned granularity = 256;
};

struct CxlMemory {
  unsigned channels = 2;
  unsigned ranks = 1;
  unsigned bank_groups = 8;
  unsigned banks = 4;
  bool separate_queues = true;
};

struct CxlDevice {
  unsigned number = 0;  ///< Linux's mem0, mem1, ...
  bool cache = false;
  std::vector<CxlDecoder> decoders;
  CxlMemory memory;
  std::vector<CxlUnit> units;
};

/// What is below a root port: one device, or a switch with devices.
struct CxlBranch {
  bool is_switch = false;
  std::vector<CxlDevice> devices;
};

struct CxlMachine {
  std::vector<CxlBranch> branches;

  /// @return all devices, by number.
  [[nodiscard]] std::vector<CxlDevice*> devices() {
    std::vector<CxlDevice*> all;
    for (CxlBranch& branch : branches) {
      for (CxlDevice& device : branch.devices) all.push_back(&device);
    }
    return all;
  }
};

}  // namespace pmufab::verify
