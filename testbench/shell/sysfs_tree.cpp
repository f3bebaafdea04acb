// SPDX-License-Identifier: Apache-2.0
#include "testbench/shell/sysfs_tree.h"

#include <cerrno>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pmufab::shell {
namespace {

namespace fs = std::filesystem;

void write_exactly(const fs::path& file, std::string_view content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();
  if (!stream) throw std::system_error(errno, std::generic_category(), file.string());
}

void write(const fs::path& file, std::string_view content) {
  const bool is_line = !content.ends_with('\n') && file.filename() != "config";
  write_exactly(file, is_line ? fmt::format("{}\n", content) : std::string(content));
}

/// A file of which every read fails with EIO, as that of address 0 does.
void make_unreadable(const fs::path& file) { fs::create_symlink("/proc/self/mem", file); }

void write_pmus(const fs::path& folder, const std::vector<perf::Pmu>& pmus) {
  fs::create_directories(folder);
  for (const perf::Pmu& pmu : pmus) {
    const fs::path own = folder / pmu.name;
    fs::create_directories(own / "events");
    fs::create_directories(own / "format");
    write(own / "type", fmt::format("{}", pmu.type));
    for (const auto& [path, content] : pmu.files) {
      fs::create_directories((own / path).parent_path());
      if (pmu.unreadable.contains(path)) {
        make_unreadable(own / path);
      } else {
        write_exactly(own / path, content);
      }
    }
  }
}

/// "0-87,176"
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

void write_cpus(const fs::path& folder, const std::vector<platform::Cpu>& cpus) {
  std::map<unsigned, std::vector<unsigned>> nodes;
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) nodes[cpus[cpu].node].push_back(cpu);
  std::vector<unsigned> all(cpus.size());
  std::vector<unsigned> node_numbers;
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) all[cpu] = cpu;
  for (const auto& [node, node_cpus] : nodes) node_numbers.push_back(node);

  for (const char* kind : {"cpu", "node"}) {
    fs::create_directories(folder / kind);
    const std::string list = list_of(std::string_view(kind) == "cpu" ? all : node_numbers);
    for (const char* file : {"online", "possible", "present"}) write(folder / kind / file, list);
  }
  write(folder / "node/has_cpu", list_of(node_numbers));
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) {
    const fs::path topology = folder / fmt::format("cpu/cpu{}/topology", cpu);
    fs::create_directories(topology);
    const std::string package = list_of(nodes[cpus[cpu].node]);
    write(topology / "physical_package_id", fmt::format("{}", cpus[cpu].node));
    write(topology / "die_id", "0");
    write(topology / "cluster_id", "-1");
    write(topology / "core_id", fmt::format("{}", cpu));
    for (const char* file : {"thread_siblings_list", "core_cpus_list"}) write(topology / file, fmt::format("{}", cpu));
    for (const char* file : {"core_siblings_list", "package_cpus_list", "die_cpus_list"})
      write(topology / file, package);
  }
  for (const auto& [node, node_cpus] : nodes) {
    const fs::path own = folder / fmt::format("node/node{}", node);
    fs::create_directories(own);
    write(own / "cpulist", list_of(node_cpus));
    for (const unsigned cpu : node_cpus)
      fs::create_symlink(fmt::format("../../cpu/cpu{}", cpu), own / fmt::format("cpu{}", cpu));
  }
}

void write_function(const fs::path& own, const pci_access::FoundFunction& function) {
  fs::create_directories(own);
  const bool bridge = (function.field(0x0e, 1) & 0x7fU) == 1;
  write(own / "vendor", fmt::format("{:#06x}", function.field(0x00, 2)));
  write(own / "device", fmt::format("{:#06x}", function.field(0x02, 2)));
  write(own / "revision", fmt::format("{:#04x}", function.field(0x08, 1)));
  write(own / "class", fmt::format("{:#08x}", function.field(0x09, 3)));
  write(own / "subsystem_vendor", fmt::format("{:#06x}", bridge ? 0 : function.field(0x2c, 2)));
  write(own / "subsystem_device", fmt::format("{:#06x}", bridge ? 0 : function.field(0x2e, 2)));
  write(own / "irq", "0");
  write(own / "numa_node", fmt::format("{}", function.node));
  std::string resources;
  constexpr int kResources = 7;  // six base address registers and the expansion ROM's
  for (std::size_t i = 0; i < kResources; ++i) {
    const pci_access::FoundFunction::Bar bar =
        i < function.bars.size() ? function.bars.at(i) : pci_access::FoundFunction::Bar{};
    const std::uint64_t last = bar.size == 0 ? 0 : bar.base + bar.size - 1;
    resources += fmt::format("{:#018x} {:#018x} {:#018x}\n", bar.size == 0 ? 0 : bar.base, last, bar.flags);
  }
  write(own / "resource", resources);
  write(own / "config", std::string(function.configuration.begin(), function.configuration.end()));
}

}  // namespace

void write_sysfs(const fs::path& root, const std::vector<perf::Pmu>& pmus, const std::vector<platform::Cpu>& cpus,
                 const std::vector<pci_access::FoundFunction>& functions,
                 const std::vector<std::pair<std::string, std::string>>& debugfs) {
  write_pmus(root / "bus/event_source/devices", pmus);
  write_cpus(root / "devices/system", cpus);
  for (const perf::Pmu& pmu : pmus)
    fs::create_symlink("../bus/event_source/devices/" + pmu.name, root / "devices" / pmu.name);
  for (const auto& [path, content] : debugfs) {
    const fs::path file = root / "kernel/debug" / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }
  // Whoever may use this shell may count everything in it.
  fs::create_directories(root / "proc/sys/kernel");
  write(root / "proc/sys/kernel/perf_event_paranoid", "-1");
  fs::create_directories(root / "bus/pci/devices");
  fs::create_directories(root / "bus/pci/slots");
  for (const pci_access::FoundFunction& function : functions)
    write_function(root / "bus/pci/devices" / function.name(), function);
}

}  // namespace pmufab::shell
