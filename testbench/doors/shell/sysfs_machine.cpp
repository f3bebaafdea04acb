// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testbench/doors/shell/sysfs_write.h"

namespace pmufab::shell {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kKernelMax = 511;  // CONFIG_NR_CPUS of arm64 is 512, if nobody sets another
constexpr std::uint64_t kKiB = 1024;
constexpr int kHere = 10;       // ACPI's distance of a node from itself
constexpr int kElsewhere = 20;  // and to another, where firmware has no table of distances

std::vector<unsigned> first(std::size_t count) {
  std::vector<unsigned> numbers(count);
  for (unsigned i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

/// A file with a mask, and that with the list of the same numbers.
void write_both(const fs::path& folder, const std::string& mask, const std::string& list,
                const std::vector<unsigned>& numbers, std::size_t possible) {
  write_file(folder / mask, mask_of(numbers, possible));
  write_file(folder / list, list_of(numbers));
}

void write_cpu(const fs::path& own, unsigned cpu, const std::vector<platform::Cpu>& cpus) {
  const fs::path topology = own / "topology";
  const unsigned node = cpus[cpu].node;
  const std::vector<unsigned> package = cpus_of(cpus, node);
  write_file(topology / "physical_package_id", fmt::format("{}", node));
  write_file(topology / "die_id", "0");
  write_file(topology / "cluster_id", "-1");
  write_file(topology / "core_id", fmt::format("{}", cpu));
  for (const char* name : {"core_cpus", "cluster_cpus"})
    write_both(topology, name, fmt::format("{}_list", name), {cpu}, cpus.size());
  write_both(topology, "thread_siblings", "thread_siblings_list", {cpu}, cpus.size());
  for (const char* name : {"core_siblings", "package_cpus", "die_cpus"})
    write_both(topology, name, fmt::format("{}_list", name), package, cpus.size());
  write_file(own / "uevent", "DRIVER=processor");
  write_file(own / "online", "1");
  fs::permissions(own / "online", fs::perms::owner_write, fs::perm_options::add);
}

/// @param memory  bytes of the node, all of them free: programs run on the host
void write_node(const fs::path& own, unsigned node, const std::vector<unsigned>& nodes,
                const std::vector<platform::Cpu>& cpus, std::uint64_t memory) {
  write_both(own, "cpumap", "cpulist", cpus_of(cpus, node), cpus.size());
  std::vector<int> distances;
  // Distances of all nodes, also in front of this one.
  for (const unsigned other : nodes) distances.push_back(other == node ? kHere : kElsewhere);
  write_file(own / "distance", fmt::format("{}", fmt::join(distances, " ")));
  std::string meminfo;
  for (const char* what : {"MemTotal", "MemFree", "MemUsed", "FilePages", "HugePages_Total", "HugePages_Free"}) {
    const std::string_view name = what;
    meminfo +=
        fmt::format("Node {} {:<16}{:>8}{}\n", node, fmt::format("{}:", what),
                    name == "MemTotal" || name == "MemFree" ? memory / kKiB : 0, name.starts_with("Huge") ? "" : " kB");
  }
  write_file(own / "meminfo", meminfo);
  write_file(own / "numastat", "numa_hit 0\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 0\nlocal_node 0\nother_node 0");
  write_file(own / "uevent", "");
}

/// The times of CPUs are not the platform's: programs run on the host. The rest is the host's.
std::string proc_stat(std::size_t cpus) {
  std::string text = "cpu  0 0 0 0 0 0 0 0 0 0\n";
  for (std::size_t cpu = 0; cpu < cpus; ++cpu) text += fmt::format("cpu{} 0 0 0 0 0 0 0 0 0 0\n", cpu);
  std::ifstream host("/proc/stat");
  for (std::string line; std::getline(host, line);) {
    if (!line.starts_with("cpu")) text += line + "\n";
  }
  return text;
}

/// What every arm64 CPU has that runs Linux. A description does not say whose cores they are.
std::string proc_cpuinfo(std::size_t cpus) {
  std::string text;
  for (std::size_t cpu = 0; cpu < cpus; ++cpu)
    text += fmt::format("processor\t: {}\nFeatures\t: fp asimd\nCPU architecture: 8\n\n", cpu);
  return text;
}

}  // namespace

void write_bytes(const fs::path& file, std::string_view content) {
  fs::create_directories(file.parent_path());
  fs::remove(file);  // what cannot be written to is replaced
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();
  if (!stream) throw std::system_error(errno, std::generic_category(), file.string());
  static const std::set<std::string_view> writable = {"uevent", "perf_event_mux_interval_ms", "config", "enable",
                                                      "numa_node"};
  using fs::perms;
  const perms read = perms::owner_read | perms::group_read | perms::others_read;
  fs::permissions(file, writable.contains(file.filename().native()) ? read | perms::owner_write : read);
}

void write_file(const fs::path& file, std::string_view content) {
  write_bytes(file, content.empty() || content.ends_with('\n') ? std::string(content) : std::string(content) + "\n");
}

void link_to(const fs::path& target, const fs::path& link) {
  fs::create_directories(link.parent_path());
  fs::create_symlink(target.lexically_relative(link.parent_path()), link);
}

std::string list_of(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string mask_of(const std::vector<unsigned>& numbers, std::size_t possible) {
  constexpr std::size_t kBits = 32;
  std::vector<std::uint32_t> groups((std::max<std::size_t>(possible, 1) + kBits - 1) / kBits);
  for (const unsigned number : numbers) groups.at(number / kBits) |= 1U << (number % kBits);
  // The kernel prints no more digits of the highest group than its bits need.
  const std::size_t bits = possible - kBits * (groups.size() - 1);
  std::string text = fmt::format("{:0{}x}", groups.back(), (std::min(bits, kBits) + 3) / 4);
  for (std::size_t i = groups.size() - 1; i-- > 0;) text += fmt::format(",{:08x}", groups[i]);
  return text;
}

std::vector<unsigned> cpus_of(const std::vector<platform::Cpu>& cpus, unsigned node) {
  std::vector<unsigned> found;
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) {
    if (cpus[cpu].node == node) found.push_back(cpu);
  }
  return found;
}

void write_machine(const fs::path& root, const fs::path& proc, const std::vector<platform::Cpu>& cpus,
                   const std::map<unsigned, std::uint64_t>& memory) {
  const fs::path system = root / "devices/system";
  const std::string all = list_of(first(cpus.size()));
  std::map<unsigned, bool> found;
  for (const platform::Cpu& cpu : cpus) found[cpu.node] = true;
  std::vector<unsigned> nodes;
  for (const auto& [node, used] : found) nodes.push_back(node);

  for (const char* file : {"online", "possible", "present"}) write_file(system / "cpu" / file, all);
  write_file(system / "cpu/offline", "\n");
  write_file(system / "cpu/isolated", "\n");
  write_file(system / "cpu/kernel_max", fmt::format("{}", std::max<std::size_t>(kKernelMax, cpus.size() - 1)));
  for (const char* file : {"online", "possible", "has_cpu", "has_memory", "has_normal_memory"})
    write_file(system / "node" / file, list_of(nodes));
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) {
    const fs::path own = system / fmt::format("cpu/cpu{}", cpu);
    write_cpu(own, cpu, cpus);
    link_to(root / "bus/cpu", own / "subsystem");
    link_to(system / fmt::format("node/node{}", cpus[cpu].node), own / fmt::format("node{}", cpus[cpu].node));
    link_to(own, root / "bus/cpu/devices" / own.filename());
  }
  for (const unsigned node : nodes) {
    const fs::path own = system / fmt::format("node/node{}", node);
    const auto bytes = memory.find(node);
    write_node(own, node, nodes, cpus, bytes == memory.end() ? 0 : bytes->second);
    link_to(root / "bus/node", own / "subsystem");
    link_to(own, root / "bus/node/devices" / own.filename());
    for (const unsigned cpu : cpus_of(cpus, node))
      link_to(system / fmt::format("cpu/cpu{}", cpu), own / fmt::format("cpu{}", cpu));
  }
  // lscpu takes sockets from cpuN/topology where this table is, which root alone may read, and else for clusters.
  const fs::path topology_table = root / "firmware/acpi/tables/PPTT";
  write_file(topology_table, "");
  fs::permissions(topology_table, fs::perms::owner_read);
  write_file(proc / "cpuinfo", proc_cpuinfo(cpus.size()));
  write_file(proc / "stat", proc_stat(cpus.size()));
  // Whoever may use this shell may count everything in it.
  write_file(proc / "sys/kernel/perf_event_paranoid", "-1");
}

}  // namespace pmufab::shell
