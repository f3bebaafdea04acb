// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "models/cxl/cpmu/cpmu_parameters.h"
#include "models/cxl/link/message_probes.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/fabrics/cxl/scenario/cxl_loader.h"

namespace pmufab::scenario {
namespace {

using cxl::Coherency;
using cxl::CounterType;
using platform::CxlCpmuSpec;
using platform::CxlDeviceSpec;
using platform::CxlGroupSpec;

constexpr unsigned kEvents = 32;  // of a group

/// Event groups of the specification, as scenario files write them.
const Words<std::uint16_t>& group_words() {
  static const Words<std::uint16_t> words = {{"clock_ticks", 0x0000},
                                             {"d2h_req", 0x0010},
                                             {"d2h_rsp", 0x0011},
                                             {"h2d_req", 0x0012},
                                             {"h2d_rsp", 0x0013},
                                             {"cachedata", 0x0014},
                                             {"m2s_req", 0x0020},
                                             {"m2s_rwd", 0x0021},
                                             {"m2s_birsp", 0x0022},
                                             {"s2m_bisnp", 0x0023},
                                             {"s2m_ndr", 0x0024},
                                             {"s2m_drs", 0x0025},
                                             {"ddr", 0x8000},
                                             {"devload", 0x0030},
                                             {"m2s_residency", 0x0031},
                                             {"queue_occupancy", 0x8001},
                                             {"queue_residency", 0x8002},
                                             {"retry", 0x8003},
                                             {"throttle", 0x8004}};
  return words;
}

/// The message a name of an event stands for.
struct MessageEvent {
  cxl::MessageClass message_class;
  unsigned opcode;
};

std::optional<MessageEvent> message_event(std::string_view name) {
  for (unsigned number = 0; number < cxl::kMessageClasses; ++number) {
    const auto message_class = static_cast<cxl::MessageClass>(number);
    for (unsigned opcode = 0; opcode < kEvents; ++opcode) {
      if (message_class == cxl::MessageClass::d2h_data && opcode != 0) continue;
      if (message_class == cxl::MessageClass::h2d_data && opcode != 1) continue;
      if (cxl::event_name(cxl::kCxlVendor, cxl::group_of(message_class), opcode) == name)
        return MessageEvent{message_class, opcode};
    }
  }
  return std::nullopt;
}

void read_group(Reader& reader, CxlGroupSpec& group) {
  reader.number("vendor", group.vendor, Quantity::address, 0, 0xffff);
  if (group.vendor == cxl::kCxlVendor) {
    if (!reader.has("group")) reader.fail("group", "is missing", "for example m2s_req, or clock_ticks");
    reader.choice("group", group.group, group_words());
    return;
  }
  reader.number("id", group.group, Quantity::address, 0, 0xffff);
  std::vector<std::string> names;
  reader.texts("events", names, Presence::required);
  if (names.size() > kEvents) reader.fail("events", fmt::format("are {}; a group has 32 at most", names.size()));
  for (const std::string& name : names) {
    const std::optional<MessageEvent> event = message_event(name);
    if (!event) reader.fail("events", fmt::format("no message is called '{}'", name), "for example m2s_req_memrd");
    group.events.push_back({static_cast<unsigned>(group.events.size()), event->message_class, event->opcode});
  }
}

/// The mask of events of one group, by name.
std::uint32_t read_mask(Reader& reader, const CxlGroupSpec& group) {
  std::vector<std::string> names;
  reader.texts("events", names, Presence::required);
  std::uint32_t mask = 0;
  for (const std::string& name : names) {
    std::uint32_t bit = 0;
    for (unsigned event = 0; event < kEvents; ++event) {
      if (group.vendor == cxl::kCxlVendor && cxl::event_name(group.vendor, group.group, event) == name)
        bit = 1U << event;
    }
    for (const platform::CxlVendorEvent& event : group.events) {
      if (cxl::event_name(cxl::kCxlVendor, cxl::group_of(event.message_class), event.opcode) == name)
        bit = 1U << event.bit;
    }
    if (bit == 0) reader.fail("events", fmt::format("the group has no event '{}'", name));
    mask |= bit;
  }
  return mask;
}

void read_cpmu(Reader& reader, unsigned number, CxlCpmuSpec& cpmu) {
  cxl::CpmuParameters& parameters = cpmu.parameters;
  reader.list(
      "groups", [&](Reader& group, std::size_t) { read_group(group, cpmu.groups.emplace_back()); }, Presence::required);
  auto counters = static_cast<unsigned>(parameters.counters.size());
  reader.number("counters", counters, Quantity::count, 0, 64);
  parameters.counters.assign(counters, {});
  const auto read_fixed = [&](CounterType type) {
    return [&cpmu, &parameters, type](Reader& item, std::size_t) {
      cxl::CpmuCounterParameters& counter = parameters.counters.emplace_back();
      counter.type = type;
      item.number("group", counter.group, Quantity::count, 0, cpmu.groups.empty() ? 0 : cpmu.groups.size() - 1);
      if (counter.group < cpmu.groups.size()) counter.events = read_mask(item, cpmu.groups[counter.group]);
      item.number("threshold", counter.threshold);
    };
  };
  reader.list("fixed", read_fixed(CounterType::fixed));
  reader.list("free_running", read_fixed(CounterType::free_running));
  reader.number("width", parameters.width, Quantity::count, 1, 64);
  reader.number("clock", parameters.frequency_hz, Quantity::frequency, 1, 1'000'000'000'000);
  // Each its own, as the specification recommends; number 0 is the device's own.
  parameters.message_number = 1 + number % 15;
  reader.number("message_number", parameters.message_number, Quantity::count, 0, 15);
  reader.flag("writable_while_frozen", parameters.writable_while_frozen);
  reader.flag("freeze", parameters.freeze);
  reader.flag("interrupt", parameters.interrupt);
  reader.flag("hdm_filter", parameters.hdm_filter);
  reader.flag("ddr_filter", parameters.ddr_filter);
}

void read_throttle(Reader& reader, cxl::DdrThrottle& throttle) {
  reader.number("accesses", throttle.accesses);
  reader.number("window", throttle.window, Quantity::duration);
  reader.number("pause", throttle.pause, Quantity::duration);
}

/// Read the period of a clock. One faster than any hardware's is a slip of units, and makes a run very slow.
void read_period(Reader& reader, std::string_view key, Picoseconds& period, Picoseconds least, const char* example) {
  reader.number(key, period, Quantity::duration);
  if (period >= least) return;
  reader.fail(key,
              fmt::format("is {}, but no such clock is faster than {}", format_quantity(period, Quantity::duration),
                          format_quantity(least, Quantity::duration)),
              example);
}

void read_ddr(Reader& reader, cxl::DdrParameters& ddr) {
  reader.number("channels", ddr.shape.channels);
  reader.number("ranks", ddr.shape.ranks);
  reader.number("bank_groups", ddr.shape.bank_groups);
  reader.number("banks", ddr.shape.banks);
  reader.number("row_bytes", ddr.row_bytes, Quantity::bytes);
  reader.choice("page_policy", ddr.page_policy, {{"open", cxl::PagePolicy::open}, {"closed", cxl::PagePolicy::closed}});
  reader.choice("refresh", ddr.refresh_mode,
                {{"none", cxl::RefreshMode::none},
                 {"all_banks", cxl::RefreshMode::all_banks},
                 {"same_bank", cxl::RefreshMode::same_bank}});
  reader.number("refresh_interval", ddr.timing.refresh_interval, Quantity::duration);
  reader.number("rfm_after", ddr.rfm_after);
  reader.number("power_down_after", ddr.power_down_after, Quantity::duration);
  reader.number("self_refresh_after", ddr.self_refresh_after, Quantity::duration);
  read_period(reader, "clock_period", ddr.clock_period, 100, "use for example 1 ns");
  reader.flag("separate_queues", ddr.separate_queues);
  reader.object("retries", [&](Reader& retries) {
    retries.number("read_crc_every", ddr.retries.read_crc_every);
    retries.number("write_crc_every", ddr.retries.write_crc_every);
    retries.number("parity_every", ddr.retries.parity_every);
    retries.number("ecc_every", ddr.retries.ecc_every);
    retries.number("delay", ddr.retries.delay, Quantity::duration);
  });
  reader.object("thermal_throttle", [&](Reader& throttle) { read_throttle(throttle, ddr.thermal); });
  reader.object("power_throttle", [&](Reader& throttle) { read_throttle(throttle, ddr.power); });
}

void read_link_parameters(Reader& reader, cxl::LinkParameters& link) {
  read_period(reader, "period", link.period, 10, "use for example 500 ps");
  reader.number("latency", link.latency, Quantity::duration);
  cxl::LinkLane lane = link.lanes.front();
  reader.number("per_clock", lane.per_clock);
  reader.number("credits", lane.credits);
  link.lanes.fill(lane);
}

constexpr Picoseconds kMostLatency = 1'000'000'000;  // as of links: what takes longer looks like a hang

}  // namespace

namespace {

void read_cpmus(Reader& reader, std::vector<CxlCpmuSpec>& cpmus, Presence presence = Presence::optional) {
  reader.list(
      "cpmus",
      [&](Reader& item, std::size_t number) { read_cpmu(item, static_cast<unsigned>(number), cpmus.emplace_back()); },
      presence);
}

void read_host(Reader& host, cxl::HostParameters& parameters) {
  host.number("lines", parameters.host_lines, Quantity::count, 1, 1U << 20);
  host.number("latency", parameters.cache.host_latency, Quantity::duration, 0, kMostLatency);
  host.flag("take_clean", parameters.cache.take_clean);
  host.number("error_base", parameters.cache.error_base, Quantity::address);
  host.number("error_size", parameters.cache.error_size, Quantity::bytes);
}

void read_decoder(Reader& item, platform::CxlDecoderSpec& decoder) {
  item.number("base", decoder.base, Quantity::address, 0, ~std::uint64_t{0}, Presence::required);
  item.number("size", decoder.size, Quantity::bytes, 0, ~std::uint64_t{0}, Presence::required);
  item.choice("coherency", decoder.coherency,
              {{"HDM-H", Coherency::hdm_h}, {"HDM-D", Coherency::hdm_d}, {"HDM-DB", Coherency::hdm_db}});
  // Skip these keys for ranges that do not interleave.
  if (!item.has("ways") && !item.has("granularity")) return;
  item.number("ways", decoder.interleave.ways);
  item.number("granularity", decoder.interleave.granularity, Quantity::bytes);
}

/// The entries of a device's register locator.
void read_locator(Reader& reader, CxlDeviceSpec& spec) {
  if (!reader.has("locator")) return;
  using cxl::BlockId;
  static const std::map<std::string_view, BlockId> blocks = {
      {"component", BlockId::component},   {"device", BlockId::device}, {"cpmu", BlockId::cpmu},
      {"empty", BlockId::empty},           {"chmu", BlockId::chmu},     {"acl", BlockId::bar_virtualization_acl},
      {"vendor", BlockId::vendor_specific}};
  std::vector<std::string> words;
  reader.texts("locator", words);
  for (const std::string& word : words) {
    const auto block = blocks.find(word);
    if (block == blocks.end())
      reader.fail("locator", fmt::format("there is no block '{}'", word),
                  "use component, device, cpmu, empty, chmu, acl and vendor");
    spec.locator.push_back(block->second);
  }
}

/// A device, wherever it is.
void read_device(Reader& reader, CxlDeviceSpec& spec) {
  reader.optional_object("port", [&](Reader& port) { read_cpmus(port, spec.port.cpmus); });
  reader.optional_object("cache", [&](Reader& cache) {
    cache.number("lines", spec.cache.emplace().cache_lines, Quantity::count, 1, 1U << 20);
  });
  reader.list(
      "decoders", [&](Reader& item, std::size_t) { read_decoder(item, spec.decoders.emplace_back()); },
      Presence::required);
  read_cpmus(reader, spec.cpmus, Presence::required);
  read_locator(reader, spec);
  reader.object("link", [&](Reader& link) { read_link_parameters(link, spec.link); });
  reader.object("memory", [&](Reader& memory) {
    memory.number("answer_latency", spec.memory.answer_latency, Quantity::duration, 0, kMostLatency);
    memory.number("filter_lines", spec.memory.back_invalidate.filter_lines, Quantity::count, 1, 1U << 20);
    memory.number("device_lines", spec.memory.back_invalidate.device_lines, Quantity::count, 1, 1U << 20);
    memory.flag("block_snoops", spec.memory.back_invalidate.block_snoops);
    memory.object("dev_load", [&](Reader& load) {
      load.number("optimal", spec.memory.dev_load.optimal);
      load.number("moderate", spec.memory.dev_load.moderate);
      load.number("severe", spec.memory.dev_load.severe);
    });
    memory.object("ddr", [&](Reader& ddr) { read_ddr(ddr, spec.memory.ddr); });
  });
}

}  // namespace

void read_cxl(Reader& reader, std::size_t /*index*/, CxlDeviceSpec& spec) {
  if (reader.has("switch")) {
    reader.optional_object("port", [&](Reader& port) { read_cpmus(port, spec.port.cpmus); });
    reader.object("link", [&](Reader& link) { read_link_parameters(link, spec.link); });
    platform::CxlSwitchSpec& below = spec.below.emplace();
    reader.object("switch", [&](Reader& switch_reader) {
      read_cpmus(switch_reader, below.cpmus);
      switch_reader.number("forward_latency", below.forward_latency, Quantity::duration);
      switch_reader.list(
          "devices", [&](Reader& device, std::size_t) { read_device(device, below.devices.emplace_back()); },
          Presence::required);
    });
  } else {
    read_device(reader, spec);
  }
  reader.object("host", [&](Reader& host) { read_host(host, spec.host); });
}

void read_cxl_traffic(Reader& reader, traffic::CxlTrafficSpec& spec) {
  reader.text("name", spec.name, Presence::required);
  reader.number("device", spec.device);
  read_operation_mix(reader, traffic::kCxlOperations, spec.mix, &traffic::CxlOperationShare::operation,
                     traffic::to_string);
  reader.list(
      "ranges",
      [&](Reader& item, std::size_t) {
        traffic::CxlRange& range = spec.ranges.emplace_back();
        item.number("base", range.base, Quantity::address, 0, ~std::uint64_t{0}, Presence::required);
        item.number("size", range.size, Quantity::bytes, 64, ~std::uint64_t{0}, Presence::required);
        item.object("pattern", [&](Reader& pattern) { read_pattern(pattern, range.pattern); });
        item.number("weight", range.weight, Quantity::count, 1, 1'000'000);
      },
      Presence::required);
  reader.object("pacing", [&](Reader& pacing) { read_pacing(pacing, spec.pacing); });
  reader.optional_object("burst", [&](Reader& burst) { read_burst(burst, spec.burst.emplace()); });
  reader.number("outstanding", spec.outstanding, Quantity::count, 1, 4096);
  reader.real("tee_share", spec.tee_share, 0, 1);
  reader.number("start", spec.start, Quantity::duration);
  if (reader.has("duration")) reader.number("duration", spec.duration.emplace(), Quantity::duration, 1);
  if (reader.has("count")) reader.number("count", spec.count.emplace(), Quantity::count, 1);
  if (reader.has("seed")) reader.number("seed", spec.seed.emplace());
}

/// What a device itself does is in memory that is its own.
void check_local_ranges(Reader& reader, const traffic::CxlTrafficSpec& spec,
                        const std::vector<CxlDeviceSpec>& branches) {
  const bool local = std::ranges::any_of(spec.mix, [](const traffic::CxlOperationShare& share) {
    return share.weight > 0 && traffic::agent_of(share.operation) == traffic::CxlAgent::device;
  });
  const std::vector<platform::CxlDevicePlace> devices = platform::devices_of(branches);
  if (!local || spec.device >= devices.size()) return;
  const auto& decoders = devices[spec.device].spec->decoders;
  for (const traffic::CxlRange& range : spec.ranges) {
    const auto around = std::ranges::find_if(decoders, [&](const platform::CxlDecoderSpec& decoder) {
      return decoder.coherency == Coherency::hdm_db && range.base >= decoder.base &&
             range.base - decoder.base < decoder.size && range.size <= decoder.size - (range.base - decoder.base);
    });
    if (around == decoders.end())
      reader.fail("ranges",
                  fmt::format("{:#x} bytes from {:#x} are not in HDM-DB memory of device {}", range.size, range.base,
                              spec.device),
                  "keep a device's own operations inside one of its HDM-DB decoders");
    if (around->interleave.ways > 1)
      reader.fail("ranges",
                  fmt::format("device {} shares that memory with others, in chunks of {} bytes", spec.device,
                              around->interleave.granularity),
                  "choose memory that belongs to this device alone");
  }
}

void read_cxl_replay(Reader& reader, traffic::CxlReplaySpec& spec, const TraceFiles& files) {
  reader.text("name", spec.name, Presence::required);
  reader.object("trace", [&](Reader& trace) {
    spec.file = read_trace_file(trace, files);
    if (!spec.file.empty()) return;
    trace.finish();
    trace.fail("file", kNoTraceNamed, "give one with --set trace=FILE; pmufab trace record makes one");
  });
  reader.number("start", spec.start, Quantity::duration);
}

}  // namespace pmufab::scenario
