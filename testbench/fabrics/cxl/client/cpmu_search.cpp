// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/client/cpmu_search.h"

#include <array>
#include <optional>
#include <utility>

namespace pmufab::cxl_client {
namespace {

// Facts of PCI Express and of CXL 3.1, 8.1.9, written here: nothing is shared with the model.
constexpr unsigned kCommand = 0x04;
constexpr std::uint32_t kMemorySpaceEnable = 2;
constexpr unsigned kHeaderType = 0x0c;  // bits 23:16
constexpr unsigned kBars = 0x10;
constexpr unsigned kBusNumbers = 0x18;
constexpr unsigned kCapabilities = 0x34;
constexpr std::uint32_t kExpress = 0x10;
constexpr std::uint32_t kExtended = 0x100;
constexpr std::uint32_t kDvsec = 0x23;
constexpr std::uint32_t kCxl = 0x1e98;
constexpr std::uint32_t kRegisterLocator = 8;
constexpr std::uint32_t kCpmuBlock = 4;
constexpr unsigned kMostCapabilities = 64;  // a longer list is circular

class Search {
 public:
  Search(const ConfigurationAccess& access, unsigned last_bus) : access_(access), last_bus_(last_bus) {}

  void bus(unsigned number, unsigned devices) {
    for (unsigned device = 0; device < devices; ++device) {
      unsigned functions = 1;
      for (unsigned function = 0; function < functions; ++function) {
        const Place place{number, device, function};
        const std::uint32_t id = read(place, 0);
        if (id == ~0U || id == 0) continue;
        const std::uint32_t header = read(place, kHeaderType) >> 16;
        if (function == 0 && (header & 0x80U) != 0) functions = 8;
        look(place, (header & 0x7fU) == 1);
      }
    }
  }

  std::vector<CpmuFunction> found;

 private:
  struct Place {
    unsigned bus;
    unsigned device;
    unsigned function;
  };

  [[nodiscard]] static std::uint64_t offset(const Place& place, unsigned where) {
    return std::uint64_t{place.bus} << 20 | place.device << 15 | place.function << 12 | where;
  }
  [[nodiscard]] std::uint32_t read(const Place& place, unsigned where) const {
    return access_.read(offset(place, where));
  }

  /// Port type of the PCI Express capability; nothing if there is none.
  [[nodiscard]] std::optional<unsigned> port_type(const Place& place) const {
    unsigned at = read(place, kCapabilities) & 0xfcU;
    for (unsigned limit = kMostCapabilities; limit > 0 && at != 0; --limit) {
      const std::uint32_t header = read(place, at);
      if ((header & 0xffU) == kExpress) return header >> 20 & 0xfU;
      at = header >> 8 & 0xfcU;
    }
    return std::nullopt;
  }

  [[nodiscard]] unsigned locator(const Place& place) const {
    unsigned at = kExtended;
    for (unsigned limit = kMostCapabilities; limit > 0 && at >= kExtended; --limit) {
      const std::uint32_t header = read(place, at);
      if (header == 0 || header == ~0U) return 0;
      if ((header & 0xffffU) == kDvsec && (read(place, at + 4) & 0xffffU) == kCxl &&
          (read(place, at + 8) & 0xffffU) == kRegisterLocator)
        return at;
      at = header >> 20;
    }
    return 0;
  }

  [[nodiscard]] std::uint64_t bar(const Place& place, unsigned number) const {
    const std::uint32_t low = read(place, kBars + 4 * number);
    const std::uint64_t high = (low & 6U) == 4 ? read(place, kBars + 4 * number + 4) : 0;
    return high << 32 | (low & ~0xfU);
  }

  void look(const Place& place, bool bridge) {
    const std::optional<unsigned> type = port_type(place);
    CpmuFunction function;
    function.bus = place.bus;
    function.device = place.device;
    function.function = place.function;
    using Kind = CpmuFunction::Kind;
    constexpr unsigned kRootPort = 4;
    constexpr unsigned kUpstreamPort = 5;
    constexpr unsigned kDownstreamPort = 6;
    function.kind = !bridge                 ? Kind::endpoint
                    : type == kRootPort     ? Kind::root_port
                    : type == kUpstreamPort ? Kind::upstream_port
                                            : Kind::downstream_port;
    const unsigned at = locator(place);
    if (at != 0) {
      unsigned& before = seen_[static_cast<unsigned>(function.kind)];
      if (function.kind == Kind::upstream_port) seen_[static_cast<unsigned>(Kind::downstream_port)] = 0;
      if (function.kind == Kind::downstream_port)
        function.switch_number = seen_[static_cast<unsigned>(Kind::upstream_port)] - 1;
      function.number_of_kind = before++;
      read_locator(place, at, function);
      found.push_back(function);
    }
    if (!bridge) return;
    const unsigned secondary = read(place, kBusNumbers) >> 8 & 0xffU;
    if (secondary <= place.bus || secondary > last_bus_) return;
    // A link has one device at its other end. The bus within a switch has one device for each downstream port.
    bus(secondary, type == kRootPort || type == kDownstreamPort ? 1 : 32);
  }

  void read_locator(const Place& place, unsigned at, CpmuFunction& function) const {
    const unsigned length = read(place, at + 4) >> 20;
    for (unsigned entry = at + 0xc; entry + 8 <= at + length; entry += 8) {
      const std::uint32_t low = read(place, entry);
      if ((low >> 8 & 0xffU) != kCpmuBlock) continue;
      const std::uint64_t high = read(place, entry + 4);
      function.blocks.push_back(bar(place, low & 7U) + (high << 32 | (low & 0xffff'0000U)));
    }
    if (function.blocks.empty()) return;
    const std::uint32_t command = read(place, kCommand) & 0xffffU;  // status is cleared by ones
    if ((command & kMemorySpaceEnable) == 0) access_.write(offset(place, kCommand), command | kMemorySpaceEnable);
  }

  const ConfigurationAccess& access_;
  unsigned last_bus_;
  std::array<unsigned, 4> seen_{};
};

}  // namespace

std::vector<CpmuFunction> find_cpmus(const ConfigurationAccess& access, unsigned first_bus, unsigned last_bus) {
  Search search(access, last_bus);
  search.bus(first_bus, 32);
  return std::move(search.found);
}

}  // namespace pmufab::cxl_client
