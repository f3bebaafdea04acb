// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/verify/cxl_layout.h"

#include <algorithm>

#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

constexpr std::uint64_t kCxlStep = std::uint64_t{256} << 20;

/// Hands out host addresses, ascending.
class CxlAddresses {
 public:
  explicit CxlAddresses(Random& random) : random_(random) {
    // 4 GiB and more; at 0x20_0000_0000 are registers.
    next_ = random.pick({std::uint64_t{0x1'0000'0000}, std::uint64_t{0x30'0000'0000}, std::uint64_t{0x100'0000'0000}});
  }
  CxlDecoder take(unsigned ways = 1) {
    CxlDecoder decoder;
    if (random_.chance(40)) next_ += random_.number(1, 8) * kCxlStep;
    decoder.base = next_;
    decoder.size = random_.number(1, 4) * ways * kCxlStep;
    decoder.ways = ways;
    next_ += decoder.size;
    return decoder;
  }

 private:
  Random& random_;
  std::uint64_t next_ = 0;
};

void add_branches(Random& random, CxlMachine& machine) {
  const unsigned branches = random.chance(60) ? 1 : static_cast<unsigned>(random.number(2, random.chance(20) ? 4 : 2));
  unsigned number = 0;
  for (unsigned index = 0; index < branches; ++index) {
    CxlBranch& branch = machine.branches.emplace_back();
    branch.is_switch = random.chance(35);
    const std::uint64_t devices = branch.is_switch ? random.number(1, random.chance(30) ? 3 : 2) : 1;
    for (unsigned port = 0; port < devices; ++port) {
      CxlDevice& device = branch.devices.emplace_back();
      device.number = number++;
      // A switch takes messages of CXL.cache to its first port only.
      device.cache = port == 0 && random.chance(50);
    }
  }
}

/// The devices that share an interleaved range: the same number below each of some root ports.
std::vector<CxlDevice*> sharing_devices(Random& random, CxlMachine& machine) {
  const auto share = static_cast<std::size_t>(random.number(1, 2));
  std::vector<std::vector<CxlDevice*>> candidates;
  for (CxlBranch& branch : machine.branches) {
    std::vector<CxlDevice*> plain;
    for (CxlDevice& device : branch.devices) {
      if (!device.cache) plain.push_back(&device);
    }
    if (plain.size() < share) continue;
    plain.resize(share);
    candidates.push_back(plain);
  }
  std::size_t roots = candidates.size() >= 4 ? 4 : candidates.size() >= 2 ? 2 : candidates.size();
  std::vector<CxlDevice*> sharing;
  for (std::size_t root = 0; root < roots; ++root)
    sharing.insert(sharing.end(), candidates[root].begin(), candidates[root].end());
  return sharing.size() < 2 ? std::vector<CxlDevice*>{} : sharing;
}

void add_shared_range(Random& random, CxlAddresses& addresses, const std::vector<CxlDevice*>& sharing) {
  if (sharing.empty()) return;
  CxlDecoder decoder = addresses.take(static_cast<unsigned>(sharing.size()));
  decoder.granularity = random.pick({256U, 512U, 1024U, 4096U, 8192U});
  decoder.kind = random.chance(50) ? CxlKind::host_only : CxlKind::device_snooped;
  for (CxlDevice* const device : sharing) device->decoders.push_back(decoder);
}

void add_own_ranges(Random& random, CxlAddresses& addresses, CxlDevice& device, bool below_switch) {
  // The upstream port of a switch has a decoder for each range below it, at most 10.
  const std::uint64_t decoders = !below_switch && random.chance(15) ? random.number(4, 8) : random.number(1, 3);
  for (std::uint64_t index = 0; index < decoders; ++index) {
    CxlDecoder decoder = addresses.take();
    decoder.kind = device.cache && random.chance(70) ? CxlKind::device_cached
                                                     : random.pick({CxlKind::host_only, CxlKind::device_snooped});
    device.decoders.push_back(decoder);
  }
}

Value throttle(Random& random, unsigned accesses) {
  Value value = Value::map();
  value.add("accesses", number(random.number(accesses / 2, accesses)));
  value.add("window", time(random.number(1, 4) * 500'000));
  value.add("pause", time(random.number(1, 8) * 50'000));
  return value;
}

Value cxl_ddr(Random& random, CxlMemory& memory) {
  memory.channels = random.pick({1U, 2U, 2U, 4U});
  memory.ranks = random.pick({1U, 2U});
  memory.bank_groups = random.pick({2U, 4U, 8U});
  memory.banks = random.pick({2U, 4U});
  memory.separate_queues = random.chance(60);
  Value ddr = Value::map();
  ddr.add("channels", number(memory.channels));
  ddr.add("ranks", number(memory.ranks));
  ddr.add("bank_groups", number(memory.bank_groups));
  ddr.add("banks", number(memory.banks));
  ddr.add("separate_queues", flag(memory.separate_queues));
  // Events that count clocks cost something for each access and each edge at which it waits.
  ddr.add("clock_period", time(random.pick({8'000U, 20'000U, 50'000U})));
  if (random.chance(40)) ddr.add("page_policy", word("closed"));
  ddr.add("refresh", word(random.pick({"all_banks", "all_banks", "same_bank", "none"})));
  if (random.chance(60)) ddr.add("rfm_after", number(random.number(1, 4)));
  if (random.chance(60)) ddr.add("power_down_after", time(random.pick({100'000U, 200'000U, 400'000U})));
  if (random.chance(50)) ddr.add("self_refresh_after", time(random.pick({2'000'000U, 5'000'000U})));
  if (random.chance(60)) {
    Value retries = Value::map();
    for (const char* const error : {"read_crc_every", "write_crc_every", "parity_every", "ecc_every"}) {
      if (random.chance(70)) retries.add(error, number(random.number(7, 60)));
    }
    if (!retries.entries.empty()) ddr.add("retries", std::move(retries));
  }
  if (random.chance(40)) ddr.add("thermal_throttle", throttle(random, 80));
  if (random.chance(40)) ddr.add("power_throttle", throttle(random, 30));
  return ddr;
}

}  // namespace

CxlMachine cxl_layout(Random& random) {
  CxlMachine machine;
  add_branches(random, machine);
  CxlAddresses addresses(random);
  const std::vector<CxlDevice*> sharing =
      random.chance(60) ? sharing_devices(random, machine) : std::vector<CxlDevice*>{};
  // A device's decoders ascend, and so do the addresses handed out.
  const bool shared_first = random.chance(50);
  if (shared_first) add_shared_range(random, addresses, sharing);
  for (CxlBranch& branch : machine.branches) {
    for (CxlDevice& device : branch.devices) {
      const bool shares = std::ranges::find(sharing, &device) != sharing.end();
      if (!shares || random.chance(70)) add_own_ranges(random, addresses, device, branch.is_switch);
    }
  }
  if (!shared_first) add_shared_range(random, addresses, sharing);
  return machine;
}

CxlDetails cxl_details(Random& random, CxlDevice& device) {
  CxlDetails details{Value::map(), Value::map(), Value::map()};
  details.link.add("period", time(random.pick({250U, 500U, 625U, 1000U})));
  details.link.add("latency", time(random.number(1, 16) * 5'000));
  details.link.add("per_clock", number(random.number(1, 4)));
  details.link.add("credits", number(random.pick({4U, 16U, 64U})));
  details.host.add("lines", number(random.pick({32U, 128U, 1024U})));
  details.host.add("latency", time(random.number(1, 12) * 10'000));
  if (device.cache) {
    if (random.chance(50)) details.host.add("take_clean", flag(true));
    details.host.add("error_base", hexadecimal(kCxlErrorMemory));
    details.host.add("error_size", word("1 MiB"));
  }
  details.memory.add("answer_latency", time(random.number(1, 8) * 5'000));
  details.memory.add("filter_lines", number(random.pick({16U, 64U, 512U})));
  details.memory.add("device_lines", number(random.pick({8U, 64U, 256U})));
  if (random.chance(30)) details.memory.add("block_snoops", flag(false));
  Value load = Value::map();
  load.add("optimal", number(random.number(1, 3)));
  load.add("moderate", number(random.number(4, 6)));
  load.add("severe", number(random.number(7, 12)));
  details.memory.add("dev_load", std::move(load));
  details.memory.add("ddr", cxl_ddr(random, device.memory));
  return details;
}

}  // namespace pmufab::verify
