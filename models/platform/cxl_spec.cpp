#include "models/platform/cxl_spec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "models/cxl/component_registers.h"
#include "models/cxl/message_probes.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {
namespace {

constexpr std::uint64_t kDecoderStep = std::uint64_t{256} << 20;
constexpr unsigned kMostDevices = 16;
constexpr unsigned kMostCpmus = 32;
constexpr std::uint16_t kDdrGroup = 0x8000;

/// The groups of a device's messages and memory, and clock ticks.
bool has_group(const CxlDeviceSpec& device, std::uint16_t group) {
  if (group == 0 || (group >= kDdrGroup && group <= kDdrGroup + 4) || (group >= 0x20 && group <= 0x25)) return true;
  if (group == 0x30 || group == 0x31) return true;
  return device.cache && group >= 0x10 && group <= 0x14;
}

void check_decoders(const std::string& device, const CxlDeviceSpec& spec) {
  std::uint64_t end = 0;
  for (std::size_t index = 0; index < spec.decoders.size(); ++index) {
    const CxlDecoderSpec& decoder = spec.decoders[index];
    const std::string field = fmt::format("{}.decoders[{}].", device, index);
    if (index >= cxl::ComponentRegisters::kMostDecoders)
      throw SpecError(field + "base", "a device has 10 decoders at most");
    if (decoder.size == 0 || decoder.size % kDecoderStep != 0)
      throw SpecError(field + "size", fmt::format("{:#x} is no multiple of 256 MiB", decoder.size));
    if (decoder.base % kDecoderStep != 0)
      throw SpecError(field + "base", fmt::format("{:#x} is no multiple of 256 MiB", decoder.base));
    if (decoder.base < end)
      throw SpecError(field + "base", "is not above the decoder before it", "decoders ascend and do not overlap");
    end = decoder.base + decoder.size;
    if (end < decoder.base || end > std::uint64_t{1} << 52)
      throw SpecError(field + "size", "reaches beyond 52 bits of address");
    if (decoder.coherency == cxl::Coherency::hdm_d && !spec.cache)
      throw SpecError(field + "coherency", "HDM-D is memory of a device with a cache",
                      "add cache:, or use HDM-H or HDM-DB");
  }
}

void check_vendor_group(const std::string& field, const CxlDeviceSpec& device, const CxlGroupSpec& group) {
  std::set<unsigned> bits;
  std::set<std::pair<cxl::MessageClass, unsigned>> messages;
  if (group.events.empty()) throw SpecError(field + "events", "are missing", "for example [m2s_req_memrd]");
  for (std::size_t index = 0; index < group.events.size(); ++index) {
    const CxlVendorEvent& event = group.events[index];
    const std::string where = fmt::format("{}events[{}]", field, index);
    if (event.bit > 31 || !bits.insert(event.bit).second) throw SpecError(where, "a group has 32 events at most");
    if (!has_group(device, cxl::group_of(event.message_class)))
      throw SpecError(where, "the device has no such messages", "those of CXL.cache need cache:");
    if (!messages.emplace(event.message_class, event.opcode).second)
      throw SpecError(where, "is there already", "an event of a group is one kind of message");
  }
}

void check_cpmu(const std::string& field, const CxlDeviceSpec& device, const CxlCpmuSpec& cpmu) {
  if (cpmu.groups.empty() || cpmu.groups.size() > 32)
    throw SpecError(field + "groups", fmt::format("are {}; a CPMU has 1 to 32", cpmu.groups.size()));
  for (std::size_t index = 0; index < cpmu.groups.size(); ++index) {
    const CxlGroupSpec& group = cpmu.groups[index];
    const std::string where = fmt::format("{}groups[{}].", field, index);
    if (group.vendor != cxl::kCxlVendor) {
      check_vendor_group(where, device, group);
    } else if (!has_group(device, group.group)) {
      throw SpecError(where + "group", fmt::format("the device has no event group {:#06x}", group.group),
                      "groups of CXL.cache need cache:");
    }
  }
  const cxl::CpmuParameters& parameters = cpmu.parameters;
  try {
    cxl::check(parameters);
  } catch (const SpecError& error) {
    throw SpecError(field + error.field(), error.reason(), error.suggestion());
  }
  for (const cxl::CpmuCounterParameters& counter : parameters.counters) {
    if (counter.group >= cpmu.groups.size())
      throw SpecError(field + "fixed", fmt::format("there is no event group {}", counter.group));
  }
}

void check_link(const std::string& field, const cxl::LinkParameters& link) {
  constexpr Picoseconds kMost = 1'000'000'000;  // 1 ms: beyond it is a slip of units
  if (link.period == 0 || link.period > kMost) throw SpecError(field + "period", "must be 1 ps ... 1 ms");
  if (link.latency > kMost) throw SpecError(field + "latency", "is more than 1 ms");
  for (const cxl::LinkLane& lane : link.lanes) {
    if (lane.credits == 0) throw SpecError(field + "credits", "is 0; nothing would move");
    if (lane.credits > cxl::kMostCredits)
      throw SpecError(field + "credits", fmt::format("are {}, must be at most {}", lane.credits, cxl::kMostCredits));
    if (lane.per_clock == 0) throw SpecError(field + "per_clock", "is 0; nothing would move");
  }
}

void check_memory(const std::string& field, const cxl::MemoryDeviceParameters& memory) {
  const cxl::DdrShape& shape = memory.ddr.shape;
  const auto check_power = [&](const char* name, unsigned count) {
    if (!std::has_single_bit(count) || count > 64)
      throw SpecError(fmt::format("{}ddr.{}", field, name), fmt::format("{} is no power of two up to 64", count));
  };
  check_power("channels", shape.channels);
  check_power("ranks", shape.ranks);
  check_power("bank_groups", shape.bank_groups);
  check_power("banks", shape.banks);
  if (shape.ranks * shape.bank_groups * shape.banks > 64)
    throw SpecError(field + "ddr.banks", "a channel has more than 64 banks", "use fewer ranks, bank groups or banks");
  if (memory.ddr.row_bytes < 64 || !std::has_single_bit(memory.ddr.row_bytes))
    throw SpecError(field + "ddr.row_bytes", "must be a power of two, 64 or more");
  const cxl::DdrTiming& timing = memory.ddr.timing;
  if (timing.refresh_interval < 100'000)
    throw SpecError(field + "ddr.refresh_interval", "is too short", "use for example 3.9 us");
  // Refreshes that take longer than until the next one is due would pile up without end.
  const bool same_bank = memory.ddr.refresh_mode == cxl::RefreshMode::same_bank;
  const Picoseconds interval = same_bank ? timing.refresh_interval / shape.banks : timing.refresh_interval;
  const Picoseconds busy = same_bank ? timing.refresh_same_bank : timing.refresh;
  if (memory.ddr.refresh_mode != cxl::RefreshMode::none && interval <= busy)
    throw SpecError(field + "ddr.refresh_interval",
                    fmt::format("leaves {} ps for a refresh that takes {}", interval, busy), "use for example 3.9 us");
}

}  // namespace

void check_cxl(const std::vector<CxlDeviceSpec>& devices) {
  if (devices.size() > kMostDevices)
    throw SpecError("cxl", fmt::format("{} devices, but there are {} root ports", devices.size(), kMostDevices));
  for (std::size_t index = 0; index < devices.size(); ++index) {
    const CxlDeviceSpec& device = devices[index];
    const std::string field = fmt::format("cxl[{}]", index);
    check_decoders(field, device);
    check_link(field + ".link.", device.link);
    check_memory(field + ".memory.", device.memory);
    if (device.cpmus.size() > kMostCpmus)
      throw SpecError(field + ".cpmus", fmt::format("are {}, must be at most {}", device.cpmus.size(), kMostCpmus));
    for (std::size_t cpmu = 0; cpmu < device.cpmus.size(); ++cpmu)
      check_cpmu(fmt::format("{}.cpmus[{}].", field, cpmu), device, device.cpmus[cpmu]);
    for (std::size_t other = 0; other < index; ++other) {
      for (const CxlDecoderSpec& a : device.decoders) {
        for (const CxlDecoderSpec& b : devices[other].decoders) {
          if (a.base < b.base + b.size && b.base < a.base + a.size)
            throw SpecError(field + ".decoders", fmt::format("overlap those of cxl[{}]", other));
        }
      }
    }
  }
}

}  // namespace pmufab::platform
