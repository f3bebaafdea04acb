// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/part/cxl_spec.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/cxl/link/message_probes.h"
#include "models/cxl/registers/component_registers.h"
#include "models/platform/platform_spec.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {
namespace {

constexpr std::uint64_t kDecoderStep = std::uint64_t{256} << 20;
constexpr unsigned kMostDevices = 16;
constexpr unsigned kMostGranularity = 16384;
constexpr unsigned kMostCpmus = 32;
constexpr std::uint16_t kDdrGroup = 0x8000;

/// What the CPMUs of a component can count and filter.
struct Countable {
  std::string what;  ///< "device", "root port"
  bool cache = false;
  bool memory = false;
  bool decoders = false;
};

bool has_group(const Countable& component, std::uint16_t group) {
  if (group == 0 || (group >= 0x20 && group <= 0x25)) return true;
  if ((group >= kDdrGroup && group <= kDdrGroup + 4) || group == 0x30 || group == 0x31) return component.memory;
  return component.cache && group >= 0x10 && group <= 0x14;
}

void check_interleave(const std::string& field, const CxlDecoderSpec& decoder, const CxlDeviceSpec& spec) {
  const auto [ways, granularity] = decoder.interleave;
  if (!std::has_single_bit(ways) || ways > cxl::kMostTargets)
    throw SpecError(field + "ways", fmt::format("{} ways are not possible", ways), "use 1, 2, 4 or 8");
  if (!std::has_single_bit(granularity) || granularity < 256 || granularity > kMostGranularity)
    throw SpecError(field + "granularity", fmt::format("{} bytes are not possible", granularity),
                    "use 256, 512, 1024, ... 16384");
  if (decoder.size % (kDecoderStep * ways) != 0)
    throw SpecError(field + "size", fmt::format("{:#x} is not a multiple of {} x 256 MiB", decoder.size, ways),
                    "each way has a share of whole 256 MiB");
  if (ways > 1 && (spec.cache || decoder.coherency == cxl::Coherency::hdm_d))
    throw SpecError(field + "ways", "memory of a device with a cache is not interleaved", "use 1 way");
}

/// Memory must leave room for the platform's registers and must not include address 0. @throws SpecError
void check_place(const std::string& field, const CxlDecoderSpec& decoder) {
  using namespace default_map;
  // One root port, two ports of a switch and one device for each of the most devices.
  static_assert(4 * kMostDevices * kCxlBarStride == kCxlBarsSize);
  constexpr std::uint64_t kUsual = 0x400'0000'0000;
  constexpr std::uint64_t kLow = std::uint64_t{1} << 32;  // registers, doorbell and configuration space lie below
  if (decoder.base < kLow)
    throw SpecError(field + "base",
                    fmt::format("{:#x} is among the platform's registers, which are below 4 GiB", decoder.base),
                    fmt::format("use for example {:#x}", kUsual));
  if (decoder.base < kCxlBars + kCxlBarsSize && kCxlBars < decoder.base + decoder.size)
    throw SpecError(field + "base",
                    fmt::format("its memory overlaps the registers of CXL devices, {:#x} ... {:#x}", kCxlBars,
                                kCxlBars + kCxlBarsSize - 1),
                    fmt::format("use for example {:#x}", kUsual));
}

void check_decoders(const std::string& device, const CxlDeviceSpec& spec) {
  std::uint64_t end = 0;
  for (std::size_t index = 0; index < spec.decoders.size(); ++index) {
    const CxlDecoderSpec& decoder = spec.decoders[index];
    const std::string field = fmt::format("{}.decoders[{}].", device, index);
    if (index >= cxl::ComponentRegisters::kMostDecoders)
      throw SpecError(field + "base", "a device has 10 decoders at most");
    if (decoder.size == 0 || decoder.size % kDecoderStep != 0)
      throw SpecError(field + "size", fmt::format("{:#x} is not a multiple of 256 MiB", decoder.size));
    if (decoder.base % kDecoderStep != 0)
      throw SpecError(field + "base", fmt::format("{:#x} is not a multiple of 256 MiB", decoder.base),
                      fmt::format("use for example {:#x}", decoder.base / kDecoderStep * kDecoderStep));
    check_interleave(field, decoder, spec);
    if (decoder.base < end)
      throw SpecError(field + "base", "is not above the decoder before it", "decoders ascend and do not overlap");
    end = decoder.base + decoder.size;
    if (end < decoder.base || end > std::uint64_t{1} << 52)
      throw SpecError(field + "size", "reaches beyond 52 bits of address");
    check_place(field, decoder);
    if (decoder.coherency == cxl::Coherency::hdm_d && !spec.cache)
      throw SpecError(field + "coherency", "HDM-D is memory of a device with a cache",
                      "add cache:, or use HDM-H or HDM-DB");
  }
}

void check_vendor_group(const std::string& field, const Countable& component, const CxlGroupSpec& group) {
  std::set<unsigned> bits;
  std::set<std::pair<cxl::MessageClass, unsigned>> messages;
  if (group.events.empty()) throw SpecError(field + "events", "are missing", "for example [m2s_req_memrd]");
  for (std::size_t index = 0; index < group.events.size(); ++index) {
    const CxlVendorEvent& event = group.events[index];
    const std::string where = fmt::format("{}events[{}]", field, index);
    if (event.bit > 31 || !bits.insert(event.bit).second) throw SpecError(where, "a group has 32 events at most");
    if (!has_group(component, cxl::group_of(event.message_class)))
      throw SpecError(where, fmt::format("the {} has no such messages", component.what),
                      "those of CXL.cache need cache:");
    if (!messages.emplace(event.message_class, event.opcode).second)
      throw SpecError(where, "is there already", "an event of a group is one kind of message");
  }
}

void check_cpmu(const std::string& field, const Countable& component, const CxlCpmuSpec& cpmu) {
  if (cpmu.groups.empty() || cpmu.groups.size() > 32)
    throw SpecError(field + "groups", fmt::format("are {}; a CPMU has 1 to 32", cpmu.groups.size()));
  for (std::size_t index = 0; index < cpmu.groups.size(); ++index) {
    const CxlGroupSpec& group = cpmu.groups[index];
    const std::string where = fmt::format("{}groups[{}].", field, index);
    if (group.vendor != cxl::kCxlVendor) {
      check_vendor_group(where, component, group);
    } else if (!has_group(component, group.group)) {
      throw SpecError(where + "group", fmt::format("the {} has no event group {:#06x}", component.what, group.group),
                      group.group == kDdrGroup ? "count memory at the device" : "groups of CXL.cache need cache:");
    }
  }
  const cxl::CpmuParameters& parameters = cpmu.parameters;
  with_field_prefix(field, [&] { cxl::check(parameters); });
  if (parameters.hdm_filter && !component.decoders)
    throw SpecError(field + "hdm_filter", fmt::format("a {} has no HDM decoders", component.what),
                    "filter at the upstream port of the switch, or at the device");
  if (parameters.ddr_filter && !component.memory)
    throw SpecError(field + "ddr_filter", fmt::format("a {} has no memory", component.what), "filter at the device");
  for (const cxl::CpmuCounterParameters& counter : parameters.counters) {
    if (counter.group >= cpmu.groups.size())
      throw SpecError(field + "fixed", fmt::format("there is no event group {}", counter.group));
  }
}

void check_cpmus(const std::string& field, const Countable& component, const std::vector<CxlCpmuSpec>& cpmus) {
  if (cpmus.size() > kMostCpmus)
    throw SpecError(field, fmt::format("are {}, must be at most {}", cpmus.size(), kMostCpmus));
  for (std::size_t cpmu = 0; cpmu < cpmus.size(); ++cpmu)
    check_cpmu(fmt::format("{}[{}].", field, cpmu), component, cpmus[cpmu]);
}

/// Drivers need the component and the device registers once. The blocks lie in one BAR.
void check_locator(const std::string& field, const CxlDeviceSpec& device) {
  constexpr std::size_t kMost = 64;
  if (device.locator.empty()) return;
  const auto count = [&](cxl::BlockId id) {
    return static_cast<std::size_t>(std::count(device.locator.begin(), device.locator.end(), id));
  };
  if (device.locator.size() > kMost) throw SpecError(field, fmt::format("has more than {} entries", kMost));
  if (count(cxl::BlockId::component) != 1 || count(cxl::BlockId::device) != 1)
    throw SpecError(field, "has not one component and one device block", "drivers need both, once");
  if (count(cxl::BlockId::cpmu) != device.cpmus.size())
    throw SpecError(field,
                    fmt::format("has {} cpmu blocks for {} CPMUs", count(cxl::BlockId::cpmu), device.cpmus.size()),
                    "one for each of cpmus");
}

void check_device(const CxlDevicePlace& place) {
  const CxlDeviceSpec& device = *place.spec;
  check_locator(place.field + ".locator", device);
  check_decoders(place.field, device);
  with_field_prefix(place.field + ".link.", [&] { cxl::check(device.link); });
  with_field_prefix(place.field + ".memory.", [&] { cxl::check(device.memory); });
  if (!place.switch_number) with_field_prefix(place.field + ".host.", [&] { cxl::check(device.host); });
  const bool cache = device.cache.has_value();
  check_cpmus(place.field + ".cpmus", {"device", cache, true, true}, device.cpmus);
  check_cpmus(place.field + ".port.cpmus", {place.switch_number ? "downstream port" : "root port", cache},
              device.port.cpmus);
  if (device.below) throw SpecError(place.field + ".switch", "is below a switch", "switches are below root ports");
  if (place.switch_number && place.port != 0 && cache)
    throw SpecError(place.field + ".cache", "is not below the first downstream port",
                    "a switch takes messages of CXL.cache to that port only: let this device be the first");
}

void check_switch(const std::string& field, const CxlDeviceSpec& branch) {
  const CxlSwitchSpec& below = *branch.below;
  constexpr Picoseconds kMost = 1'000'000'000;  // 1 ms: a larger value is a mistake of units
  if (below.devices.empty()) throw SpecError(field + ".switch.devices", "are missing", "there is at least one");
  if (below.forward_latency > kMost) throw SpecError(field + ".switch.forward_latency", "is more than 1 ms");
  if (!branch.decoders.empty() || !branch.cpmus.empty() || branch.cache)
    throw SpecError(field + ".decoders", "are of a device, but a switch is here",
                    "put the device among the switch's devices");
  const bool cache = std::any_of(below.devices.begin(), below.devices.end(),
                                 [](const CxlDeviceSpec& device) { return device.cache.has_value(); });
  with_field_prefix(field + ".link.", [&] { cxl::check(branch.link); });
  with_field_prefix(field + ".host.", [&] { cxl::check(branch.host); });
  check_cpmus(field + ".port.cpmus", {"root port", cache}, branch.port.cpmus);
  check_cpmus(field + ".switch.cpmus", {"upstream port", cache, false, true}, below.cpmus);
}

bool same_range(const CxlDecoderSpec& a, const CxlDecoderSpec& b) {
  return a.base == b.base && a.size == b.size && a.coherency == b.coherency && a.interleave.ways == b.interleave.ways &&
         a.interleave.granularity == b.interleave.granularity;
}

void check_overlaps(const std::vector<CxlDevicePlace>& devices) {
  for (std::size_t index = 0; index < devices.size(); ++index) {
    for (std::size_t other = 0; other < index; ++other) {
      for (const CxlDecoderSpec& a : devices[index].spec->decoders) {
        for (const CxlDecoderSpec& b : devices[other].spec->decoders) {
          const bool shared = a.interleave.ways > 1 && same_range(a, b);
          if (!shared && a.base < b.base + b.size && b.base < a.base + a.size)
            throw SpecError(devices[index].field + ".decoders",
                            fmt::format("overlap those of {}", devices[other].field),
                            "devices that share an interleaved range have the same decoder: base, size, coherency, "
                            "ways and granularity");
        }
      }
    }
  }
}

/// @return the field of a range's decoder.
std::string decoder_field(const CxlRangeSpec& range, const std::vector<CxlDevicePlace>& devices) {
  const CxlDevicePlace& first = devices[range.devices.front()];
  std::size_t index = 0;
  while (first.spec->decoders[index].base != range.decoder.base) ++index;
  return fmt::format("{}.decoders[{}].", first.field, index);
}

/// A shared range must be interleaved evenly at each level.
void check_ranges(const std::vector<CxlDevicePlace>& devices) {
  std::map<unsigned, unsigned> ranges_below;  // by switch
  unsigned ranges = 0;
  for (const CxlRangeSpec& range : ranges_of(devices)) {
    const auto [ways, granularity] = range.decoder.interleave;
    std::map<unsigned, unsigned> shares;  // by root port
    std::set<unsigned> switches;
    for (const unsigned device : range.devices) {
      ++shares[devices[device].root];
      if (devices[device].switch_number) switches.insert(*devices[device].switch_number);
    }
    if (range.devices.size() != ways)
      throw SpecError(decoder_field(range, devices) + "ways",
                      fmt::format("are {}, but the devices with that decoder are {}", ways, range.devices.size()),
                      "give the same decoder to as many devices as there are ways");
    if (++ranges > cxl::ComponentRegisters::kMostBridgeDecoders)
      throw SpecError(decoder_field(range, devices) + "base",
                      fmt::format("the host bridge has {} decoders", cxl::ComponentRegisters::kMostBridgeDecoders),
                      "describe fewer ranges of memory");
    const unsigned share = shares.begin()->second;
    if (std::any_of(shares.begin(), shares.end(), [share](const auto& one) { return one.second != share; }))
      throw SpecError(decoder_field(range, devices) + "ways", "are not spread evenly over the root ports",
                      "put the same number of these devices below each root port");
    if (shares.size() > 1 && granularity * share > kMostGranularity)
      throw SpecError(decoder_field(range, devices) + "granularity",
                      fmt::format("makes {} bytes for each of {} root ports", granularity * share, shares.size()),
                      fmt::format("use {} at most", kMostGranularity / share));
    for (const unsigned number : switches) {
      if (++ranges_below[number] > cxl::ComponentRegisters::kMostDecoders)
        throw SpecError(decoder_field(range, devices) + "base", "the upstream port of the switch has 10 decoders");
    }
  }
}

}  // namespace

std::vector<cxl::BlockId> locator_of(const CxlDeviceSpec& device) {
  if (!device.locator.empty()) return device.locator;
  // Locators of devices have unused entries, which software must skip.
  std::vector<cxl::BlockId> blocks = {cxl::BlockId::component, cxl::BlockId::device, cxl::BlockId::empty};
  blocks.insert(blocks.end(), device.cpmus.size(), cxl::BlockId::cpmu);
  return blocks;
}

std::vector<CxlDevicePlace> devices_of(const std::vector<CxlDeviceSpec>& branches) {
  std::vector<CxlDevicePlace> devices;
  unsigned switches = 0;
  for (unsigned root = 0; root < branches.size(); ++root) {
    const CxlDeviceSpec& branch = branches[root];
    if (!branch.below) {
      devices.push_back({&branch, root, std::nullopt, 0, fmt::format("cxl[{}]", root)});
      continue;
    }
    for (unsigned port = 0; port < branch.below->devices.size(); ++port)
      devices.push_back(
          {&branch.below->devices[port], root, switches, port, fmt::format("cxl[{}].switch.devices[{}]", root, port)});
    ++switches;
  }
  return devices;
}

std::vector<CxlRangeSpec> ranges_of(const std::vector<CxlDevicePlace>& devices) {
  std::map<std::uint64_t, CxlRangeSpec> ranges;
  for (unsigned device = 0; device < devices.size(); ++device) {
    for (const CxlDecoderSpec& decoder : devices[device].spec->decoders)
      ranges.try_emplace(decoder.base, CxlRangeSpec{decoder, {}}).first->second.devices.push_back(device);
  }
  std::vector<CxlRangeSpec> list;
  for (auto& [base, range] : ranges) list.push_back(std::move(range));
  return list;
}

void check_cxl(const std::vector<CxlDeviceSpec>& branches) {
  if (branches.size() > kMostDevices)
    throw SpecError("cxl", fmt::format("{} devices, but there are {} root ports", branches.size(), kMostDevices));
  for (unsigned root = 0; root < branches.size(); ++root) {
    if (branches[root].below) check_switch(fmt::format("cxl[{}]", root), branches[root]);
  }
  const std::vector<CxlDevicePlace> devices = devices_of(branches);
  if (devices.size() > kMostDevices)
    throw SpecError("cxl", fmt::format("{} devices, but there can be {}", devices.size(), kMostDevices));
  for (const CxlDevicePlace& place : devices) check_device(place);
  check_overlaps(devices);
  check_ranges(devices);
}

}  // namespace pmufab::platform
