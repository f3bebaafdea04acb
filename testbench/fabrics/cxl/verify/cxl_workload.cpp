// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/verify/cxl_layout.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

/// Operations of one agent.
struct CxlFlow {
  std::string name;
  unsigned device = 0;
  std::vector<std::string_view> operations;
  std::vector<CxlDecoder> ranges;  ///< base and size
  std::uint64_t most_per_us = 40;
};

const std::vector<std::string_view>& host_operations() {
  static const std::vector<std::string_view> all = {"read",
                                                    "load",
                                                    "load_shared",
                                                    "store",
                                                    "write",
                                                    "write_partial",
                                                    "invalidate",
                                                    "invalidate_shared",
                                                    "invalidate_none",
                                                    "invalidate_nt",
                                                    "speculative_read",
                                                    "clean_evict",
                                                    "clean_evict_unknown",
                                                    "te_update",
                                                    "read_fill"};
  return all;
}

Value pattern_value(Random& random, std::uint64_t size) {
  switch (random.number(0, 3)) {
    case 0:
      return map({{"kind", word("stream")}});
    case 1:
      return map({{"kind", word("stride")}, {"stride", number(random.pick({128U, 256U, 4096U}))}});
    case 2:
      return map({{"kind", word("hotspot")}, {"hot_size", number(std::max<std::uint64_t>(64, size / 8))}});
    default:
      return map({{"kind", word("uniform")}});
  }
}

Value mix_value(Random& random, std::vector<std::string_view> operations, bool all) {
  random.shuffle(operations);
  if (!all) operations.resize(std::min<std::size_t>(operations.size(), random.number(3, 8)));
  Value mix = Value::map();
  for (const std::string_view operation : operations) {
    // Nobody waits for a speculative read: many more than the memory can do would wait longer and longer.
    mix.add(std::string(operation), number(operation == "speculative_read" ? 1 : random.number(1, 4)));
  }
  return mix;
}

Value flow_value(Random& random, const CxlFlow& flow, std::optional<Picoseconds> until) {
  Value ranges = Value::sequence();
  for (const CxlDecoder& range : flow.ranges) {
    ranges.items.push_back(map({{"base", hexadecimal(range.base)},
                                {"size", number(range.size)},
                                {"pattern", pattern_value(random, range.size)},
                                {"weight", number(random.number(1, 3))}}));
  }
  Value value = map({{"name", word(flow.name)}});
  if (flow.device != 0) value.add("device", number(flow.device));
  value.add("mix", mix_value(random, flow.operations, random.chance(40)));
  value.add("ranges", std::move(ranges));
  value.add("pacing", map({{"kind", word(random.chance(80) ? "exponential" : "fixed")},
                           {"requests_per_us", number(random.number(4, flow.most_per_us))}}));
  if (random.chance(20))
    value.add("burst",
              map({{"on", time(random.number(1, 4) * 500'000)}, {"off", time(random.number(1, 4) * 250'000)}}));
  value.add("outstanding", number(random.pick({2U, 4U, 16U})));
  if (random.chance(60)) value.add("tee_share", word(random.pick({"0.25", "0.5", "1"})));
  if (until) value.add("duration", time(*until));
  return value;
}

/// A small part of a decoder's memory, so that accesses meet each other.
CxlDecoder working_set(Random& random, const CxlDecoder& decoder) {
  CxlDecoder part;
  part.size = random.pick<std::uint64_t>({256, 4096, 65536, 1 << 20});
  part.base = decoder.base + random.number(0, 15) * (1 << 20);
  return part;
}

void add_host_flows(Random& random, const CxlDevice& device, std::vector<CxlFlow>& flows) {
  CxlFlow host{"host" + std::to_string(device.number), device.number, host_operations(), {}, 25};
  // Lines that the device's cache gives up are written, and nobody waits for that either: few operations.
  CxlFlow local{
      "local" + std::to_string(device.number), device.number, {"local_read", "local_load", "local_store"}, {}, 6};
  for (const CxlDecoder& decoder : device.decoders) {
    const CxlDecoder part = working_set(random, decoder);
    host.ranges.push_back(part);
    // Of interleaved memory a device does not own every line.
    if (decoder.kind == CxlKind::device_snooped && decoder.ways == 1) local.ranges.push_back(part);
  }
  if (random.chance(40)) {
    CxlDecoder nowhere;
    nowhere.base = kCxlNowhere;
    nowhere.size = 65536;
    host.ranges.push_back(nowhere);
  }
  flows.push_back(host);
  if (!local.ranges.empty()) flows.push_back(local);
}

void add_cache_flows(Random& random, const CxlDevice& device, std::vector<CxlFlow>& flows) {
  const std::string number_text = std::to_string(device.number);
  CxlDecoder memory;
  memory.base = kCxlHostMemory + device.number * (std::uint64_t{1} << 24);
  memory.size = random.pick<std::uint64_t>({4096, 32768});
  CxlDecoder errors;
  errors.base = kCxlErrorMemory;
  errors.size = 32768;
  flows.push_back(
      {"cache" + number_text,
       device.number,
       {"cache_rd_curr", "cache_rd_own", "cache_rd_shared", "cache_rd_any", "cache_rd_own_no_data", "cache_cl_flush",
        "cache_clean_evict", "cache_dirty_evict", "cache_clean_evict_no_data", "cache_cache_flushed"},
       {memory},
       40});
  flows.push_back({"writes" + number_text,
                   device.number,
                   {"cache_i_to_m_wr", "cache_wr_cur", "cache_wo_wr_inv", "cache_wo_wr_inv_f", "cache_wr_inv"},
                   {memory, errors},
                   20});
  flows.push_back(
      {"snoops" + number_text, device.number, {"snoop_data", "snoop_invalidate", "snoop_current"}, {memory}, 15});
  CxlFlow own{"own" + number_text,
              device.number,
              {"cache_rd_curr", "cache_rd_own", "cache_rd_shared", "cache_rd_any", "cache_rd_own_no_data",
               "cache_wo_wr_inv", "cache_wo_wr_inv_f"},
              {},
              20};
  for (const CxlDecoder& decoder : device.decoders) {
    if (decoder.kind == CxlKind::device_cached) own.ranges.push_back(working_set(random, decoder));
  }
  if (!own.ranges.empty()) flows.push_back(own);
}

}  // namespace

Value cxl_workload(Random& random, CxlMachine& machine, std::optional<Picoseconds> until) {
  std::vector<CxlFlow> flows;
  for (const CxlDevice* const device : machine.devices()) {
    add_host_flows(random, *device, flows);
    if (device->cache) add_cache_flows(random, *device, flows);
  }
  Value list = Value::sequence();
  for (const CxlFlow& flow : flows) list.items.push_back(flow_value(random, flow, until));
  return list;
}

}  // namespace pmufab::verify
