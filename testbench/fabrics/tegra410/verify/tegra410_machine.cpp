// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/verify/tegra410_machine.h"

#include <algorithm>

#include "testbench/fabrics/common/values.h"

namespace pmufab::verify::tegra410 {
namespace {

using scenario::Value;

constexpr std::uint64_t kKiB = 1024;

/// Narrow counters wrap all the time, wide ones when something is injected.
CoreSightShape draw_coresight(Random& random, bool is_slow, const std::string& key, Value& tegra) {
  CoreSightShape shape;
  Value description = Value::map();
  shape.counters = random.pick({2U, 3U, 4U, 5U, 8U, 8U, 8U, 16U, 24U, 31U, 32U, 33U, 64U});
  if (shape.counters != 8) description.add("counters", number(shape.counters));
  shape.width = is_slow ? static_cast<unsigned>(random.pick({16U, 17U, 20U, 24U, 32U}))
                        : static_cast<unsigned>(random.pick({32U, 33U, 36U, 40U, 48U, 56U, 63U, 64U, 64U, 64U}));
  if (shape.width != 64) description.add("width", number(shape.width));
  shape.is_atomic = random.chance(30);
  if (shape.is_atomic) description.add("atomic_64bit", flag(true));
  shape.dual_page = !random.chance(40);
  if (!shape.dual_page) description.add("dual_page", flag(false));
  // Without an interrupt somebody has to read in time: nobody does with narrow counters.
  shape.interrupt = is_slow || !random.chance(15);
  if (!shape.interrupt) description.add("interrupt", flag(false));
  shape.is_edge = shape.interrupt && random.chance(40);
  if (shape.is_edge) description.add("trigger", word("edge"));
  // Drivers offer the cycles of a PCIE-TGT PMU in any case.
  shape.has_cycles = key == "pcie_tgt_pmu" || !random.chance(15);
  if (!shape.has_cycles) description.add("cycle_counter", flag(false));
  // It is present, and names no architecture with registers of 64 bits.
  if (random.chance(25))
    description.add("devarch", hexadecimal(random.pick({0x4770'0af0U, 0x4770'0a16U, 0x100000U}) | 1U << 20U));
  if (!description.entries.empty()) tegra.add(key, std::move(description));
  return shape;
}

RootPort draw_port(Random& random, unsigned number, unsigned& bus) {
  RootPort port;
  port.number = number;
  port.bus = bus;
  bus += static_cast<unsigned>(random.number(2, 24));
  port.bar_size = (4 * kKiB) << random.number(0, 12);
  port.functions.push_back(0);
  if (random.chance(30)) port.functions.push_back(static_cast<unsigned>(random.number(1, 255)));
  return port;
}

Value value_of(const RootPort& port) {
  std::vector<Value> devices;
  for (const unsigned function : port.functions) {
    devices.push_back(map({{"function", number(function)},
                           {"bar_size", word(scenario::format_quantity(port.bar_size, scenario::Quantity::bytes))}}));
  }
  return map({{"number", number(port.number)}, {"bus", hexadecimal(port.bus)}, {"devices", list(std::move(devices))}});
}

/// Address filters on BARs, parts of them and CXL memory. Never base 0 with mask 0: to the drivers of 7.2 and 7.3 a free
/// filter looks like that (scenarios/known-defects/pcie-tgt-zero-mask.yaml).
void draw_addresses(Random& random, RootComplex& complex) {
  // Now and then more than there are filters.
  const std::uint64_t wanted = random.chance(20) ? random.number(kAddressFilters + 1, 14) : random.number(1, 5);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const RootPort& port = random.pick(complex.ports);
    const std::uint64_t part = port.bar_size >> random.number(0, 4);
    std::uint64_t base = bar_base(complex, port) + random.number(0, port.bar_size / part - 1) * part;
    std::uint64_t mask = 0xfff'ffff'ffffU & ~(part - 1);
    if (random.chance(25)) {  // CXL memory, of which little is used
      base = (std::uint64_t{complex.socket} << 44) + 0x400'0000'0000U + random.number(0, 3) * 4 * kKiB;
      mask = 0xffff'ffff'f000U;
    } else if (random.chance(20)) {  // with holes
      mask = random.number(1, 0xff) << 6;
    }
    const auto filter = std::make_pair(base, mask);
    if (std::ranges::find(complex.addresses, filter) == complex.addresses.end()) complex.addresses.push_back(filter);
  }
}

std::vector<RootComplex> draw_complexes(Random& random, unsigned sockets) {
  std::vector<RootComplex> complexes;
  for (unsigned socket = 0; socket < sockets; ++socket) {
    std::vector<unsigned> numbers = {1, 2, 3, 4, 5};
    random.shuffle(numbers);
    numbers.resize(random.number(0, sockets > 2 ? 1 : 2));
    numbers.push_back(0);  // CXL memory is below it
    random.shuffle(numbers);
    for (const unsigned number : numbers) {
      RootComplex& complex = complexes.emplace_back();
      complex.socket = socket;
      complex.number = number;
      std::vector<unsigned> ports = {0, 1, 2, 3, 4, 5, 6, 7};
      random.shuffle(ports);
      ports.resize(random.pick({1U, 1U, 2U, 2U, 3U, 4U, 8U}));
      unsigned bus = static_cast<unsigned>(random.number(0, 8));
      for (const unsigned port : ports) complex.ports.push_back(draw_port(random, port, bus));
      if (complex.ports.size() == 1 && random.chance(10)) {  // requester ff:1f.7
        complex.ports.front().bus = 0xfe;
        complex.ports.front().functions = {0, 0xff};
      }
      const RootPort& port = random.pick(complex.ports);
      if (random.chance(30)) complex.requester = (port.bus + 1) << 8 | random.pick(port.functions);
      draw_addresses(random, complex);
    }
  }
  return complexes;
}

Value value_of(const std::vector<RootComplex>& complexes) {
  std::vector<Value> items;
  for (const RootComplex& complex : complexes) {
    std::vector<Value> ports;
    for (const RootPort& port : complex.ports) ports.push_back(value_of(port));
    items.push_back(map({{"socket", number(complex.socket)},
                         {"number", number(complex.number)},
                         {"root_ports", list(std::move(ports))}}));
  }
  return map({{"root_complexes", list(std::move(items))}});
}

/// A mask with some of `width` bits, never none.
std::uint64_t draw_mask(Random& random, unsigned width) { return random.number(1, (std::uint64_t{1} << width) - 1); }

/// GPU 0 always has instances: with GPU 1 alone the driver counts nothing
/// (scenarios/known-defects/c2c-second-gpu-alone.yaml).
void draw_c2c(Random& random, Machine& machine, Value& tegra) {
  constexpr unsigned kNvlinks = 14;
  constexpr unsigned kNvclinks = 12;
  Value nvlink = Value::map();
  machine.peer = machine.sockets > 1 && random.chance(35) ? "cpu" : "gpu";
  if (machine.peer == "cpu") {
    nvlink.add("peer", word("cpu"));
    if (random.chance(60)) nvlink.add("cpu_en_mask", hexadecimal(draw_mask(random, kNvlinks)));
  } else if (random.chance(30)) {
    machine.gpus = 1;
    nvlink.add("gpus", number(1));
    if (random.chance(50)) nvlink.add("gpu0_en_mask", hexadecimal(draw_mask(random, kNvlinks)));
  } else if (random.chance(50)) {
    std::uint64_t first = draw_mask(random, kNvlinks);
    if (first == (1U << kNvlinks) - 1) first = 1;
    std::uint64_t second = draw_mask(random, kNvlinks) & ~first;
    if (second == 0) second = ~first & ((1U << kNvlinks) - 1);
    nvlink.add("gpu0_en_mask", hexadecimal(first));
    nvlink.add("gpu1_en_mask", hexadecimal(second));
  }
  machine.c2c_width = static_cast<unsigned>(random.pick({64U, 64U, 56U, 48U, 40U}));
  if (machine.c2c_width != 64) nvlink.add("width", number(machine.c2c_width));
  if (!nvlink.entries.empty()) tegra.add("nvlink_c2c", std::move(nvlink));
  if (random.chance(40)) tegra.add("nvclink", map({{"cpu_en_mask", hexadecimal(draw_mask(random, kNvclinks))}}));
}

void draw_caches(Random& random, Value& tegra) {
  if (random.chance(80)) {
    Value slc = map({{"slices", number(random.pick({1U, 2U, 3U, 4U}))},
                     {"sets", number(random.pick({8U, 16U, 32U}))},
                     {"ways", number(random.pick({1U, 2U, 4U}))}});
    if (random.chance(30)) slc.add("cached", list({word("cmem"), word("gmem"), word("cxl")}));
    tegra.add("slc", std::move(slc));
  }
  if (random.chance(50)) tegra.add("private_cache", map({{"size", word("8 KiB")}, {"ways", number(2)}}));
}

/// One generator's targets: small ranges, so that lines are hit, evicted and snooped.
Value draw_targets(Random& random, const Machine& machine) {
  std::vector<Value> targets;
  const std::uint64_t wanted = random.number(1, 4);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    if (!machine.complexes.empty() && random.chance(35)) {
      const RootComplex& complex = random.pick(machine.complexes);
      targets.push_back(map({{"memory", word("bar")},
                             {"socket", number(complex.socket)},
                             {"root_complex", number(complex.number)},
                             {"root_port", number(random.pick(complex.ports).number)}}));
      continue;
    }
    Value target = map({{"memory", word(random.pick({"cmem", "cmem", "gmem", "cxl"}))},
                        {"socket", number(random.number(0, machine.sockets - 1))}});
    if (random.chance(15)) target.add("offset", word("128 GiB"));  // of GMEM, the second GPU's
    target.add("size", word(random.pick({"4 KiB", "8 KiB", "16 KiB", "64 KiB"})));
    targets.push_back(std::move(target));
  }
  return list(std::move(targets));
}

Value draw_pacing(Random& random, const Machine& machine) {
  const std::uint64_t rate = machine.is_slow ? random.number(1, 3) : random.number(5, 60);
  return map({{"kind", word(random.pick({"fixed", "exponential"}))}, {"requests_per_us", number(rate)}});
}

Value draw_cpu(Random& random, const Machine& machine, std::uint64_t socket) {
  Value cpu = Value::map();
  cpu.add(
      "requester",
      map({{"kind", word("cpu")}, {"socket", number(socket)}, {"id", number(random.number(0, machine.clusters - 1))}}));
  const bool is_cached = random.chance(40);
  if (is_cached) cpu.add("path", word("cached"));
  cpu.add("targets", draw_targets(random, machine));
  if (is_cached) {
    cpu.add("mix", map({{"read", number(2)}, {"write", number(1)}}));
  } else {
    cpu.add("mix", map({{"ReadShared", number(4)},
                        {"ReadUnique", number(2)},
                        {"ReadOnce", number(1)},
                        {"WriteUniqueFull", number(1)},
                        {"WriteUniquePtl", number(2)},
                        {"WriteBackFull", number(2)},
                        {"Evict", number(1)},
                        {"CleanUnique", number(1)},
                        {"CleanInvalid", number(1)},
                        {"AtomicStore", number(1)}}));
  }
  return cpu;
}

Value draw_device(Random& random, const Machine& machine) {
  const RootComplex& complex = random.pick(machine.complexes);
  const RootPort& port = random.pick(complex.ports);
  const unsigned function = random.pick(port.functions);
  Value device = Value::map();
  device.add(
      "requester",
      map({{"kind", word("pcie")},
           {"socket", number(complex.socket)},
           {"root_complex", number(complex.number)},
           {"root_port", number(port.number)},
           {"bdf", Value::of(fmt::format("{:02x}:{:02x}.{}", port.bus + 1, function >> 3, function & 7U), true)}}));
  device.add("targets", draw_targets(random, machine));
  device.add("mix", map({{"read", number(2)}, {"write", number(2)}, {"atomic", number(1)}}));
  return device;
}

Value draw_gpu(Random& random, const Machine& machine, std::uint64_t socket) {
  Value gpu = Value::map();
  gpu.add("requester",
          map({{"kind", word("gpu")}, {"socket", number(socket)}, {"id", number(random.number(0, machine.gpus - 1))}}));
  gpu.add("targets", draw_targets(random, machine));
  gpu.add("mix", map({{"read", number(3)}, {"write", number(2)}, {"atomic", number(1)}, {"dataless", number(1)}}));
  return gpu;
}

}  // namespace

std::uint64_t bar_base(const RootComplex& complex, const RootPort& port) {
  return (std::uint64_t{complex.socket} << 44) + 0x40'0000'0000U +
         (std::uint64_t{8} * complex.number + port.number) * 0x1'0000'0000U;
}

Machine draw_machine(Random& random, Value& platform) {
  Machine machine;
  machine.sockets = random.pick({1U, 1U, 1U, 2U, 2U, 3U, 4U});
  machine.clusters = static_cast<unsigned>(random.number(1, 4));
  machine.cpus_per_socket = machine.clusters * static_cast<unsigned>(random.number(machine.clusters == 1 ? 2 : 1, 2));
  machine.is_slow = random.chance(20);
  platform = map({{"kind", word("tegra410")},
                  {"name", word("generated")},
                  {"sockets", number(machine.sockets)},
                  {"cpus_per_socket", number(machine.cpus_per_socket)}});
  Value tegra = map({{"clusters", number(machine.clusters)}});
  if (machine.is_slow) {
    tegra.add("ucf_clock", word("200 MHz"));
    tegra.add("soc_clock", word("100 MHz"));
  }
  draw_caches(random, tegra);
  machine.complexes = draw_complexes(random, machine.sockets);
  tegra.add("pcie", value_of(machine.complexes));
  machine.ucf = draw_coresight(random, machine.is_slow, "ucf_pmu", tegra);
  machine.pcie = draw_coresight(random, machine.is_slow, "pcie_pmu", tegra);
  machine.pcie_tgt = draw_coresight(random, machine.is_slow, "pcie_tgt_pmu", tegra);
  machine.cmem_width = static_cast<unsigned>(random.pick({64U, 64U, 56U, 48U, 40U}));
  if (machine.cmem_width != 64) tegra.add("cmem_latency_pmu", map({{"width", number(machine.cmem_width)}}));
  draw_c2c(random, machine, tegra);
  platform.add("tegra410", std::move(tegra));
  return machine;
}

Value draw_traffic(Random& random, const Machine& machine) {
  std::vector<Value> generators;
  const auto add = [&](Value generator) {
    if (random.chance(60)) generator.add("sizes", map({{"64", number(2)}, {"32", number(1)}, {"8", number(1)}}));
    generator.add("pacing", draw_pacing(random, machine));
    generator.entries.insert(generator.entries.begin(),
                             {"name", {}, word(fmt::format("generator{}", generators.size()))});
    generators.push_back(std::move(generator));
  };
  const std::uint64_t wanted = random.number(1, 3);
  for (std::uint64_t i = 0; i < wanted; ++i) add(draw_cpu(random, machine, random.number(0, machine.sockets - 1)));
  for (unsigned socket = 0; socket < machine.sockets; ++socket) {
    if (random.chance(70)) add(draw_gpu(random, machine, socket));
  }
  const std::uint64_t devices = random.number(1, 3);
  for (std::uint64_t i = 0; i < devices; ++i) add(draw_device(random, machine));
  return list({map({{"name", word("everybody")}, {"generators", list(std::move(generators))}})});
}

}  // namespace pmufab::verify::tegra410
