#include "models/platform/cxl_spec.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/cxl/component_registers.h"
#include "models/cxl/message_probes.h"
#include "tlm/spec/field_prefix.h"

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
  with_field_prefix(field, [&] { cxl::check(parameters); });
  for (const cxl::CpmuCounterParameters& counter : parameters.counters) {
    if (counter.group >= cpmu.groups.size())
      throw SpecError(field + "fixed", fmt::format("there is no event group {}", counter.group));
  }
}

}  // namespace

void check_cxl(const std::vector<CxlDeviceSpec>& devices) {
  if (devices.size() > kMostDevices)
    throw SpecError("cxl", fmt::format("{} devices, but there are {} root ports", devices.size(), kMostDevices));
  for (std::size_t index = 0; index < devices.size(); ++index) {
    const CxlDeviceSpec& device = devices[index];
    const std::string field = fmt::format("cxl[{}]", index);
    check_decoders(field, device);
    with_field_prefix(field + ".link.", [&] { cxl::check(device.link); });
    with_field_prefix(field + ".memory.", [&] { cxl::check(device.memory); });
    with_field_prefix(field + ".host.", [&] { cxl::check(device.host); });
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
