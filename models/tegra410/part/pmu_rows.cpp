// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/tegra410/part/pcie_spec.h"
#include "models/tegra410/part/pmu_model.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "models/tegra410/pcie/pcie_pmu.h"
#include "models/tegra410/pcie/pcie_tgt_pmu.h"
#include "models/tegra410/ucf/ucf_pmu.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {

namespace {

using tegra410::C2cPmu;
using tegra410::CmemLatencyPmu;
using tegra410::PcieRootComplex;

constexpr std::uint64_t kPage = 0x1000;

/// Hardware ids of our choice: those of the part are not public. The driver takes the one the APMT names. It must not
/// be one Linux has another driver for, as for NVDA1070.
constexpr std::string_view kPcieHid = "NVDA1030";
constexpr std::string_view kPcieTgtHid = "NVDA1071";

unsigned number_in_platform(const PcieRootComplex& complex) {
  return complex.socket * tegra410::kRootComplexes + complex.number;
}

/// The eight characters of a hardware id as an APMT node holds them.
std::uint64_t instance_of(std::string_view hid) {
  std::uint64_t value = 0;
  if (hid.size() != sizeof(value)) throw SpecError("hid", fmt::format("'{}' has not eight characters", hid));
  std::memcpy(&value, hid.data(), sizeof(value));  // little endian, and so is the host
  return value;
}

std::unique_ptr<PmuModel> coresight_model(std::unique_ptr<coresight::CoreSightPmu> pmu) {
  return std::make_unique<CoreSightPmuModel>(std::move(pmu));
}

// UCF

PmuRow ucf_pmu(const PlatformSpec& spec, unsigned socket) {
  PmuRow row = coresight_row({.socket = socket,
                              .name = "ucf_pmu",
                              .page0 = default_map::kUcfPmuPage0,
                              .interrupt = default_map::kUcfPmuInterrupt + socket,
                              .instance = socket},
                             spec.of<Tegra410Spec>().ucf_pmu);
  row.type = PmuType::ucf;
  row.perf_name = fmt::format("nvidia_ucf_pmu_{}", socket);
  row.make = [](const PmuSite& site) {
    return coresight_model(
        std::make_unique<tegra410::UcfPmu>("ucf_pmu", site.parameters.ucf_pmu, site.clocks.ucf, site.socket.ucf()));
  };
  return row;
}

// Root complexes

PmuRow root_complex_row(const PcieRootComplex& complex, CoreSightPmuPlace place,
                        const tegra410::CoreSightPmuParameters& parameters) {
  place.socket = complex.socket;
  place.name = fmt::format("rc{}.{}", complex.number, place.name);
  place.page0 += complex.number * default_map::kPciePmusStride;
  place.interrupt += number_in_platform(complex);
  place.instance = number_in_platform(complex);
  PmuRow row = coresight_row(place, parameters);
  row.root_complex = complex.number;
  row.device->properties["instance_id"] = complex.number;  // the driver finds out here which root complex it is
  return row;
}

PmuRow pcie_pmu(const PlatformSpec& spec, const PcieRootComplex& complex) {
  PmuRow row = root_complex_row(complex,
                                {.name = "pcie_pmu",
                                 .page0 = default_map::kPciePmu,
                                 .interrupt = default_map::kPciePmuInterrupt,
                                 .hid = std::string(kPcieHid)},
                                spec.of<Tegra410Spec>().pcie_pmu);
  row.type = PmuType::pcie;
  row.perf_name = fmt::format("nvidia_pcie_pmu_{}_rc_{}", complex.socket, complex.number);
  row.make = [number = complex.number](const PmuSite& site) {
    return coresight_model(std::make_unique<tegra410::PciePmu>(fmt::format("rc{}_pcie_pmu", number).c_str(),
                                                               site.parameters.pcie_pmu, site.clocks.soc,
                                                               site.socket.root_complex(number)->inbound));
  };
  return row;
}

/// A CoreSight PMU with a window of address filters.
class PcieTgtModel final : public PmuModel {
 public:
  explicit PcieTgtModel(std::unique_ptr<tegra410::PcieTgtPmu> pmu) : pmu_(std::move(pmu)) {}

  [[nodiscard]] std::vector<Target*> targets() override {
    std::vector<Target*> targets{&pmu_->pmu().socket};
    if (pmu_->pmu().options().dual_page) targets.push_back(&pmu_->pmu().page1);
    targets.push_back(&pmu_->filters);
    return targets;
  }
  void reset() override { pmu_->reset(); }
  void add_registers(const PmuRow& row, std::vector<NamedRegisters>& banks) const override {
    banks.push_back(coresight_registers(row, pmu_->pmu()));
    banks.push_back(registers_of(filters_of(row.name), row.windows.back().base, pmu_->filter_bank()));
  }
  [[nodiscard]] coresight::CoreSightPmu* coresight() override { return &pmu_->pmu(); }

  /// "socket0.rc1.pcie_tgt_filters"
  static std::string filters_of(std::string_view name) {
    return fmt::format("{}filters", name.substr(0, name.size() - std::string_view("pmu").size()));
  }

 private:
  std::unique_ptr<tegra410::PcieTgtPmu> pmu_;
};

PmuRow pcie_tgt_pmu(const PlatformSpec& spec, const PcieRootComplex& complex) {
  PmuRow row = root_complex_row(complex,
                                {.name = "pcie_tgt_pmu",
                                 .page0 = default_map::kPcieTgtPmu,
                                 .interrupt = default_map::kPcieTgtPmuInterrupt,
                                 .hid = std::string(kPcieTgtHid)},
                                spec.of<Tegra410Spec>().pcie_tgt_pmu);
  row.type = PmuType::pcie_tgt;
  row.perf_name = fmt::format("nvidia_pcie_tgt_pmu_{}_rc_{}", complex.socket, complex.number);
  const std::uint64_t filters = address_in(complex.socket, default_map::kPcieTgtFilters + complex.number * kPage);
  row.windows.push_back({PcieTgtModel::filters_of(row.name), filters, kPage});
  row.device->memory.push_back({filters, kPage});
  row.make = [number = complex.number](const PmuSite& site) {
    return std::make_unique<PcieTgtModel>(std::make_unique<tegra410::PcieTgtPmu>(
        fmt::format("rc{}_tgt_pmu", number).c_str(), site.parameters.pcie_tgt_pmu, site.clocks.soc,
        site.socket.root_complex(number)->target));
  };
  return row;
}

// PMUs that are no CoreSight PMUs: an ACPI device with a window for each instance, and one that writes to all of them.

/// A PMU of this kind, which the socket made: the fabric tells it what to count.
template <typename Pmu>
class InstancesModel final : public PmuModel {
 public:
  InstancesModel(Pmu& pmu, unsigned instances) : pmu_(pmu), instances_(instances) {}

  [[nodiscard]] std::vector<Target*> targets() override { return {&pmu_.socket}; }
  void reset() override { pmu_.reset(); }
  void add_registers(const PmuRow& row, std::vector<NamedRegisters>& banks) const override {
    const std::uint64_t base = row.windows.front().base;
    for (unsigned window = 0; window < instances_; ++window)
      banks.push_back(
          registers_of(fmt::format("{}.instance{}", row.name, window), base + window * kPage, pmu_.bank(window)));
    banks.push_back(registers_of(row.name + ".broadcast", base + instances_ * kPage, pmu_.bank(instances_)));
  }

 private:
  Pmu& pmu_;
  unsigned instances_;
};

PmuRow instances_row(unsigned socket, std::string_view name, std::string_view hid, std::uint64_t offset,
                     unsigned instances) {
  PmuRow row;
  row.socket = socket;
  row.name = fmt::format("socket{}.{}", socket, name);
  row.perf_name = fmt::format("nvidia_{}_{}", name, socket);
  const std::uint64_t base = address_in(socket, offset);
  row.windows.push_back({row.name, base, (instances + 1) * kPage});
  AcpiDevice& device = row.device.emplace();
  device.hid = hid;
  device.uid = fmt::format("{}", socket);
  for (unsigned window = 0; window <= instances; ++window) device.memory.push_back({base + window * kPage, kPage});
  return row;
}

PmuRow cmem_latency_pmu(unsigned socket) {
  static_assert(CmemLatencyPmu::kWindowSize == kPage && C2cPmu::kWindowSize == kPage);
  PmuRow row =
      instances_row(socket, "cmem_latency_pmu", "NVDA2021", default_map::kCmemLatencyPmu, tegra410::kCmemInstances);
  row.type = PmuType::cmem_latency;
  row.make = [](const PmuSite& site) {
    return std::make_unique<InstancesModel<CmemLatencyPmu>>(site.socket.cmem_latency_pmu(), tegra410::kCmemInstances);
  };
  return row;
}

std::unique_ptr<PmuModel> c2c_model(C2cPmu& pmu) {
  return std::make_unique<InstancesModel<C2cPmu>>(pmu, pmu.instances());
}

/// A mask without a bit is not there.
void add_masks(PmuRow& row, std::initializer_list<std::pair<const char*, std::uint32_t>> masks) {
  for (const auto& [name, mask] : masks) {
    if (mask != 0) row.device->properties.emplace(name, mask);
  }
}

std::array<PmuRow, 3> c2c_pmus(const PlatformSpec& spec, unsigned socket) {
  const tegra410::NvlinkC2cParameters& parameters = spec.of<Tegra410Spec>().nvlink_c2c;
  PmuRow nvlink =
      instances_row(socket, "nvlink_c2c_pmu", "NVDA2023", default_map::kNvlinkC2cPmu, tegra410::kNvlinkC2cInstances);
  nvlink.type = PmuType::nvlink_c2c;
  add_masks(nvlink, {{"cpu_en_mask", parameters.cpu_mask()},
                     {"gpu0_en_mask", parameters.gpu_mask(0)},
                     {"gpu1_en_mask", parameters.gpu_mask(1)}});
  nvlink.make = [](const PmuSite& site) { return c2c_model(site.socket.c2c().nvlink_c2c()); };

  PmuRow nvclink =
      instances_row(socket, "nvclink_pmu", "NVDA2022", default_map::kNvclinkPmu, tegra410::kNvclinkInstances);
  nvclink.type = PmuType::nvclink;
  add_masks(nvclink, {{"cpu_en_mask", spec.of<Tegra410Spec>().nvclink.cpu_en_mask}});
  nvclink.make = [](const PmuSite& site) { return c2c_model(site.socket.c2c().nvclink()); };

  PmuRow nvdlink =
      instances_row(socket, "nvdlink_pmu", "NVDA2020", default_map::kNvdlinkPmu, tegra410::kNvdlinkInstances);
  nvdlink.type = PmuType::nvdlink;
  nvdlink.make = [](const PmuSite& site) { return c2c_model(site.socket.c2c().nvdlink()); };
  return {std::move(nvlink), std::move(nvclink), std::move(nvdlink)};
}

/// The PMUs the part has.
std::vector<PmuRow> pmus_of_the_part(const PlatformSpec& spec) {
  std::vector<PmuRow> rows;
  const std::vector<PcieRootComplex> complexes = root_complexes_of(spec);
  for (unsigned socket = 0; socket < spec.sockets; ++socket) {
    rows.push_back(ucf_pmu(spec, socket));
    rows.push_back(cmem_latency_pmu(socket));
    for (const PcieRootComplex& complex : complexes) {
      if (complex.socket == socket) rows.push_back(pcie_tgt_pmu(spec, complex));
    }
  }
  std::map<unsigned, const PcieRootComplex*> by_number;
  for (const PcieRootComplex& complex : complexes) by_number.emplace(number_in_platform(complex), &complex);
  for (const auto& [number, complex] : by_number) rows.push_back(pcie_pmu(spec, *complex));
  for (unsigned socket = 0; socket < spec.sockets; ++socket) {
    for (PmuRow& row : c2c_pmus(spec, socket)) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

PmuRow coresight_row(const CoreSightPmuPlace& place, const tegra410::CoreSightPmuParameters& parameters) {
  PmuRow row;
  row.socket = place.socket;
  row.name = fmt::format("socket{}.{}", place.socket, place.name);
  row.trigger = parameters.trigger;
  const std::uint64_t page0 = address_in(place.socket, place.page0);
  row.windows.push_back({row.name, page0, kPage});
  ApmtNode& node = row.apmt.emplace();
  node.base0 = page0;
  if (parameters.dual_page) {
    node.base1 = page0 + kPage;
    row.windows.push_back({row.name + ".page1", page0 + kPage, kPage});
  }
  if (parameters.interrupt) node.overflow_interrupt = InterruptResource{place.interrupt, nullptr};
  // The driver finds its back-end by PMIIDR.
  node.affinity_is_container = true;
  node.processor_affinity = place.socket;
  node.atomic_64bit = parameters.atomic_64bit;
  if (place.hid.empty()) {
    node.type = ApmtNode::Type::cache;
    node.instance_primary = place.instance;
    return row;
  }
  node.type = ApmtNode::Type::acpi_device;
  node.instance_primary = instance_of(place.hid);
  node.instance_secondary = place.instance;
  AcpiDevice& device = row.device.emplace();
  device.hid = place.hid;
  device.uid = fmt::format("{}", place.instance);
  return row;
}

std::vector<PmuRow> tegra410_pmus(const PlatformSpec& spec) {
  if (!spec.has<Tegra410Spec>()) return {};
  std::vector<PmuRow> rows = pmus_of_the_part(spec);
  const std::vector<PmuRow>& own = spec.of<Tegra410Spec>().own_pmus;
  rows.insert(rows.end(), own.begin(), own.end());
  return rows;
}

void check_own_pmus(const PlatformSpec& spec) {
  std::set<std::string> names;
  for (const PmuRow& row : pmus_of_the_part(spec)) names.insert(row.name);
  const std::vector<PmuRow>& own = spec.of<Tegra410Spec>().own_pmus;
  for (std::size_t index = 0; index < own.size(); ++index) {
    const PmuRow& row = own[index];
    const std::string field = fmt::format("own_pmus[{}].", index);
    if (row.socket >= spec.sockets)
      throw SpecError(field + "socket",
                      fmt::format("is {}, but the platform has sockets 0 ... {}", row.socket, spec.sockets - 1));
    if (!names.insert(row.name).second) throw SpecError(field + "name", fmt::format("'{}' is taken", row.name));
    if (!row.make) throw SpecError(field + "make", "is missing: nothing makes the model");
    for (std::size_t place = 0; place < row.windows.size(); ++place) {
      const PmuWindow& window = row.windows[place];
      const std::string size = fmt::format("{}windows[{}].size", field, place);
      if (window.size == 0) throw SpecError(size, "is 0");
      if (window.size - 1 > ~window.base) throw SpecError(size, "reaches beyond the last address");
    }
  }
}

NamedRegisters coresight_registers(const PmuRow& row, const coresight::CoreSightPmu& pmu) {
  std::vector<std::uint64_t> bases{row.windows.at(0).base};
  if (pmu.options().dual_page) bases.push_back(row.windows.at(1).base);
  return registers_of(row.name, std::move(bases), pmu);
}

std::vector<PmuModel::Target*> CoreSightPmuModel::targets() {
  std::vector<Target*> targets{&pmu_->socket};
  if (pmu_->options().dual_page) targets.push_back(&pmu_->page1);
  return targets;
}

}  // namespace pmufab::platform
