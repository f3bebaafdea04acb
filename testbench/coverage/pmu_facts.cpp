// SPDX-License-Identifier: Apache-2.0
#include "testbench/coverage/pmu_facts.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/platform/tegra410/pmu_rows.h"

namespace pmufab::coverage {
namespace {

using platform::PlatformSpec;
using platform::PmuType;

constexpr std::uint64_t kEnableSet = 0xc00;      // CoreSight: PMCNTENSET
constexpr std::uint64_t kEnableSetSize = 0x20;   // as many bits as counters are possible
constexpr std::uint64_t kConfiguration = 0x200;  // CPMU: counter configuration registers
constexpr std::uint64_t kConfigurationEnd = 0x400;
constexpr std::uint64_t kPage = 0x1000;
constexpr std::uint64_t kCycleRegister = 0x40;  // DTC: por_dt_pmccntr, behind four pairs of counters
constexpr std::uint64_t kPairStride = 0x10;

const std::vector<std::string> kWidths{"up to 32 bits", "33 to 63 bits", "64 bits"};

/// "nvidia_pcie_pmu_0_rc_1" is a "nvidia_pcie_pmu_*_rc_*".
std::string general_name(const std::string& pmu) {
  std::string name;
  for (std::size_t i = 0; i < pmu.size(); ++i) {
    const auto is_digit = [&](std::size_t at) { return std::isdigit(static_cast<unsigned char>(pmu[at])) != 0; };
    // Digits within a word, as in "c2c", belong to the word.
    const bool begins = is_digit(i) && i > 0 && (pmu[i - 1] == '_' || pmu[i - 1] == '.' || name.ends_with("mem"));
    if (begins) {
      name += '*';
      while (i + 1 < pmu.size() && is_digit(i + 1)) ++i;
    } else {
      name += pmu[i];
    }
  }
  return name;
}

/// The number that ends in `end` ("arm_cmn_3": 3).
std::optional<std::size_t> number_after(const std::string& text, const std::string& start) {
  if (!text.starts_with(start) || text.size() == start.size()) return std::nullopt;
  const std::string digits = text.substr(start.size());
  if (digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoul(digits);
}

class Classes {
 public:
  explicit Classes(PmuFacts& facts) : facts_(facts) {}
  /// There is such a class, and the PMU is in it if `is_in`.
  void add(const std::string& name, bool is_in) {
    facts_.topologies.push_back(name);
    if (is_in) facts_.topology.push_back(name);
  }

 private:
  PmuFacts& facts_;
};

void add_sockets(Classes classes, const PlatformSpec& platform) {
  for (unsigned sockets = 1; sockets <= platform::kMaximumSockets; ++sockets)
    classes.add(fmt::format("{} socket{}", sockets, sockets == 1 ? "" : "s"), platform.sockets == sockets);
}

/// @return the name of the PMU's model, which is not that of dumps
std::string model_of(const platform::PmuRow& row) {
  switch (row.type) {
    case PmuType::pcie:
      return fmt::format("platform.socket{}.rc{}_pcie_pmu", row.socket, row.root_complex);
    case PmuType::pcie_tgt:
      return fmt::format("platform.socket{}.rc{}_tgt_pmu.pmu", row.socket, row.root_complex);
    default:
      return "platform." + row.name;
  }
}

void add_coresight(PmuFacts& facts, const platform::PmuRow& row, const tegra410::CoreSightPmuParameters& parameters) {
  facts.layout = CounterLayout::coresight;
  facts.counters = parameters.counters - 1;  // and the cycle counter
  facts.width = parameters.width;
  facts.places = {model_of(row)};
  facts.registers = {row.apmt ? row.apmt->base0 + kEnableSet : 0};
  facts.widths = kWidths;
  facts.wirings = {"a line of its own", kNoInterrupt};
  facts.wiring = parameters.interrupt ? "a line of its own" : kNoInterrupt;
  Classes classes(facts);
  classes.add("one page", !parameters.dual_page);
  classes.add("two pages", parameters.dual_page);
  constexpr unsigned kHalf = 32;
  classes.add("counters read in two halves", parameters.width > kHalf && !parameters.atomic_64bit);
  classes.add("counters read at once", parameters.width <= kHalf || parameters.atomic_64bit);
  constexpr unsigned kFew = 8;
  classes.add(fmt::format("up to {} counters", kFew), parameters.counters <= kFew);
  classes.add(fmt::format("more than {} counters", kFew), parameters.counters > kFew);
}

void add_tegra410(PmuFacts& facts, const PlatformSpec& platform, const platform::PmuRow& row) {
  const tegra410::Parameters& parameters = *platform.tegra410;
  Classes classes(facts);
  add_sockets(classes, platform);
  if (row.type == PmuType::ucf) {
    add_coresight(facts, row, parameters.ucf_pmu);
  } else if (row.type == PmuType::pcie) {
    add_coresight(facts, row, parameters.pcie_pmu);
  } else if (row.type == PmuType::pcie_tgt) {
    add_coresight(facts, row, parameters.pcie_tgt_pmu);
  }
  if (row.type == PmuType::pcie || row.type == PmuType::pcie_tgt) {
    classes.add("root complex 0", row.root_complex == 0);
    classes.add("another root complex", row.root_complex != 0);
  }
}

/// The shape of a mesh.
void add_shape(Classes& classes, const cmn::Topology& mesh) {
  constexpr std::size_t kMany = 128;
  const bool is_line = mesh.columns == 1 || mesh.rows == 1;
  const std::size_t xps = std::size_t{mesh.columns} * mesh.rows;
  classes.add("wider than tall", !is_line && mesh.columns > mesh.rows);
  classes.add("taller than wide", !is_line && mesh.columns < mesh.rows);
  classes.add("square", !is_line && mesh.columns == mesh.rows);
  classes.add("a single line", is_line && xps > 1);
  classes.add("one crosspoint", xps == 1);
  classes.add("more than 128 crosspoints", xps > kMany);
}

/// DTCs whose domains do not follow the order of their nodes.
bool has_shuffled_dtcs(const cmn::Topology& mesh) {
  std::vector<unsigned> order;
  for (const cmn::Crosspoint& crosspoint : mesh.crosspoints) {
    const auto note = [&](const cmn::Node& node) {
      if (node.type == cmn::NodeType::dtc) order.push_back(crosspoint.dtc_domain);
    };
    for (const cmn::Port& port : crosspoint.ports) std::for_each(port.nodes.begin(), port.nodes.end(), note);
    std::for_each(crosspoint.nodes.begin(), crosspoint.nodes.end(), note);
  }
  return !std::is_sorted(order.begin(), order.end());
}

void add_domains(PmuFacts& facts, Classes& classes, const platform::CmnSpec& spec) {
  const cmn::Topology& mesh = spec.topology;
  for (unsigned dtcs = 1; dtcs <= cmn::kMaximumDtcs; ++dtcs)
    classes.add(fmt::format("{} DTC{}", dtcs, dtcs == 1 ? "" : "s"), mesh.dtcs == dtcs);
  classes.add("DTCs in another order than their nodes", has_shuffled_dtcs(mesh));
  classes.add("one DTM for a crosspoint", !mesh.multiple_dtm);
  classes.add("several DTMs for a crosspoint", mesh.multiple_dtm);
  const std::set<unsigned> lines(spec.interrupts.begin(), spec.interrupts.end());
  facts.wirings = {"a line for each DTC", "DTCs share a line"};
  facts.wiring =
      spec.interrupts.empty() || lines.size() == spec.interrupts.size() ? facts.wirings[0] : facts.wirings[1];
  facts.widths = {"event counters", "cycle counters"};
}

void add_mesh(PmuFacts& facts, const PlatformSpec& platform, std::size_t number) {
  const platform::CmnSpec& spec = platform.cmn[number];
  const cmn::Topology& mesh = spec.topology;
  const cmn::ProductFacts& product = cmn::facts_of(mesh.product, mesh.revision);
  facts.kind += fmt::format(" ({})", cmn::to_string(mesh.product));
  facts.layout = CounterLayout::cmn;
  facts.counters = cmn::kGlobalCounters;
  const cmn::Layout layout(mesh);
  for (unsigned dtc = 0; dtc < mesh.dtcs; ++dtc) {
    facts.places.push_back(fmt::format("cmn{}.dtc{}.INTREQPMU", number, dtc));
    facts.registers.push_back(mesh.base + layout.nodes()[layout.dtc_node(dtc)].offset + product.dtc_base);
  }
  Classes classes(facts);
  add_shape(classes, mesh);
  add_domains(facts, classes, spec);
  for (unsigned revision = 0; revision < product.revisions; ++revision)
    classes.add(fmt::format("revision {}", revision), mesh.revision == revision);
  const auto has_port = [&](auto wanted) {
    return std::any_of(mesh.crosspoints.begin(), mesh.crosspoints.end(), [&](const cmn::Crosspoint& crosspoint) {
      return std::any_of(crosspoint.ports.begin(), crosspoint.ports.end(), wanted);
    });
  };
  classes.add("several devices at a port", has_port([](const cmn::Port& port) { return cmn::device_count(port) > 1; }));
  classes.add("several meshes", platform.cmn.size() > 1);
  classes.add("linked with another mesh",
              std::any_of(platform.links.begin(), platform.links.end(), [&](const platform::CmnLinkSpec& link) {
                return link.from.mesh == number || link.to.mesh == number;
              }));
}

/// The CPMUs of one device share a table of messages.
bool shares_message(const platform::CxlDeviceSpec& device, const cxl::CpmuParameters& parameters) {
  return parameters.message_number != 0 &&
         std::count_if(device.cpmus.begin(), device.cpmus.end(), [&](const platform::CxlCpmuSpec& other) {
           return other.parameters.message_number == parameters.message_number;
         }) > 1;
}

void add_cpmu(PmuFacts& facts, const platform::CxlDevicePlace& place, std::size_t device, std::size_t number) {
  const cxl::CpmuParameters& parameters = place.spec->cpmus[number].parameters;
  facts.layout = CounterLayout::cxl;
  facts.counters = static_cast<unsigned>(parameters.counters.size());
  facts.width = parameters.width;
  facts.places = {fmt::format("platform.cxl{}_cpmu{}", device, number)};
  facts.widths = kWidths;
  facts.wirings = {"a message of its own", "a shared message"};
  facts.wiring = facts.wirings[shares_message(*place.spec, parameters) ? 1 : 0];
  Classes classes(facts);
  classes.add("below a root port", !place.switch_number);
  classes.add("below a switch", place.switch_number.has_value());
  classes.add("with a cache (type 2)", place.spec->cache.has_value());
  classes.add("interleaved memory",
              std::any_of(place.spec->decoders.begin(), place.spec->decoders.end(),
                          [](const platform::CxlDecoderSpec& decoder) { return decoder.interleave.ways > 1; }));
  constexpr unsigned kRegister = 32;
  classes.add("one counter", facts.counters == 1);
  classes.add("2 to 32 counters", facts.counters > 1 && facts.counters <= kRegister);
  classes.add("more than 32 counters", facts.counters > kRegister);
  const auto has = [&](cxl::CounterType type) {
    return std::any_of(parameters.counters.begin(), parameters.counters.end(),
                       [&](const cxl::CpmuCounterParameters& counter) { return counter.type == type; });
  };
  classes.add("fixed counters", has(cxl::CounterType::fixed));
  classes.add("free-running counters", has(cxl::CounterType::free_running));
  classes.add("HDM filter", parameters.hdm_filter);
  classes.add("DDR filter", parameters.ddr_filter);
  classes.add("neither filter", !parameters.hdm_filter && !parameters.ddr_filter);
}

}  // namespace

std::optional<CounterPlace> PmuFacts::counter_written(const MmioBus::BusAccess& access) const {
  if (!access.is_write) return std::nullopt;
  if (layout == CounterLayout::cxl) {
    const std::uint64_t offset = access.address % kPage;
    if (offset < kConfiguration || offset >= kConfigurationEnd) return std::nullopt;
    return CounterPlace{0, static_cast<unsigned>((offset - kConfiguration) / sizeof(std::uint64_t))};
  }
  for (std::size_t unit = 0; unit < registers.size(); ++unit) {
    if (access.address < registers[unit]) continue;
    const std::uint64_t offset = access.address - registers[unit];
    if (layout == CounterLayout::cmn && offset < kCycleRegister) {
      return CounterPlace{unit, static_cast<unsigned>(offset / kPairStride * 2 + (offset % kPairStride >= 4 ? 1 : 0))};
    }
    if (layout == CounterLayout::cmn && offset == kCycleRegister) return CounterPlace{unit, kCmnCycles};
    if (layout == CounterLayout::coresight && offset < kEnableSetSize && access.data != 0) {
      const auto bit = static_cast<unsigned>(std::countr_zero(access.data));
      return CounterPlace{unit, static_cast<unsigned>(offset * 8) + bit};
    }
  }
  return std::nullopt;
}

bool PmuFacts::is_cycle_counter(unsigned counter) const noexcept {
  return (layout == CounterLayout::cmn && counter == kCmnCycles) ||
         (layout == CounterLayout::coresight && counter == kCoreSightCycles && counters <= kCoreSightCycles);
}

bool PmuFacts::is_cycles(std::string_view event) const noexcept {
  return (layout == CounterLayout::coresight && event == "cycles") ||
         (layout == CounterLayout::cmn && event == "dtc_cycles");
}

std::string PmuFacts::width_class(bool is_cycles, unsigned bits) const {
  if (layout == CounterLayout::cmn) return is_cycles ? "cycle counters" : "event counters";
  constexpr unsigned kHalf = 32;
  constexpr unsigned kWhole = 64;
  return bits <= kHalf ? kWidths[0] : bits < kWhole ? kWidths[1] : kWidths[2];
}

std::optional<std::string> PmuFacts::position(unsigned counter) const {
  if (counters == 0 || is_cycle_counter(counter)) return std::nullopt;
  return counter == 0 ? "first" : counter + 1 >= counters ? "last" : "middle";
}

PmuFacts facts_of(const PlatformSpec& platform, const std::string& pmu) {
  PmuFacts facts;
  facts.kind = general_name(pmu);
  if (const auto mesh = number_after(pmu, "arm_cmn_"); mesh && *mesh < platform.cmn.size()) {
    add_mesh(facts, platform, *mesh);
    return facts;
  }
  const std::vector<platform::PmuRow> rows = platform::tegra410_pmus(platform);
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.perf_name == pmu; });
  if (row != rows.end()) {
    add_tegra410(facts, platform, *row);
    return facts;
  }
  const std::vector<platform::CxlDevicePlace> devices = platform::devices_of(platform.cxl);
  for (std::size_t device = 0; device < devices.size(); ++device) {
    const auto number = number_after(pmu, fmt::format("cxl_pmu_mem{}.", device));
    if (number && *number < devices[device].spec->cpmus.size()) {
      add_cpmu(facts, devices[device], device, *number);
      break;
    }
  }
  return facts;
}

}  // namespace pmufab::coverage
