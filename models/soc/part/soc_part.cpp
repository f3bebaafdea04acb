// SPDX-License-Identifier: Apache-2.0
#include "models/soc/part/soc_part.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/part/cmn_meshes.h"
#include "models/cxl/part/cxl_part.h"
#include "models/plugin/part/plugin_part.h"
#include "models/soc/wire/fabric_sources.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"

namespace pmufab::platform {
namespace {

template <typename... Specs>
bool is_one_of(const PartSpec& part) {
  return ((dynamic_cast<const Specs*>(&part) != nullptr) || ...);
}

/// Adds a device with others below it, or what one of those adds to it.
void add_parent(const AcpiDevice& parent, FirmwareDescription& firmware) {
  const auto id = [](const AcpiDevice& one) { return std::tie(one.hid, one.uid, one.compatible, one.node); };
  const auto found =
      std::ranges::find_if(firmware.devices, [&](const AcpiDevice& one) { return id(one) == id(parent); });
  if (found == firmware.devices.end()) return firmware.devices.push_back(parent);
  found->memory.insert(found->memory.end(), parent.memory.begin(), parent.memory.end());
  for (const InterruptResource& interrupt : parent.interrupts) {
    if (std::ranges::find(found->interrupts, interrupt.number, &InterruptResource::number) == found->interrupts.end())
      found->interrupts.push_back(interrupt);
  }
}

}  // namespace

SocPart::SocPart(const PlatformSpec& spec, const SocFabrics& fabrics) : description_(spec.of<SocSpec>()), pci_(spec) {
  for (std::size_t index = 0; index < description_.sources.size(); ++index) {
    const soc::SourceDescription& description = description_.sources[index];
    for (unsigned socket = 0; socket < spec.sockets; ++socket) {
      soc::Source& source =
          *sources_.emplace_back(std::make_unique<soc::Source>(description, source_number(spec, index, socket)));
      connect_source(description, socket, fabrics, source, taps_);
    }
  }
  for (SocPmuRow& row : soc_pmus(spec)) {
    const soc::PmuDescription& description = description_.pmus[row.pmu];
    std::vector<soc::Source*> sources;
    for (std::size_t index = 0; index < description_.sources.size(); ++index)
      sources.push_back(sources_[source_number(spec, index, row.socket)].get());
    Pmu& pmu = pmus_.emplace_back();
    pmu.clock = std::make_unique<ClockDomain>(row.name, description.clock_hz);
    pmu.model = std::make_unique<soc::DescribedPmu>(fmt::format("socket{}_{}", row.socket, description.name).c_str(),
                                                    description, *pmu.clock, std::move(sources));
    if (description.interrupt) connect_lines(*description.interrupt, row, pmu);
    if (description.map && description.map->device.pci) {
      pcie::Function& function = pci_.connect(row, *description.map, *pmu.model);
      if (description.interrupt)
        pmu.lines.front()->listen([&function, vector = *description.interrupt->message](bool high) {
          if (high) function.signal(vector);
        });
    }
    if (description.interrupt && description.interrupt->written) {
      pmu.messages = std::make_unique<MessageInterrupt>(row.name);
      pmu.lines.front()->listen(
          [&messages = *pmu.messages, &model = *pmu.model, its = *description.interrupt->written](bool high) {
            if (const std::uint64_t address = model.held(its.address); high && address != 0)
              messages.send(address, static_cast<std::uint32_t>(model.held(its.data)));
          });
    }
    if (description.map)
      pmu.model->connect_others([this, socket = row.socket](const std::string& name) {
        return std::ranges::any_of(pmus_, [&](const Pmu& one) {
          return one.row.socket == socket && description_.pmus[one.row.pmu].name == name &&
                 std::ranges::any_of(one.lines, [](const auto& line) { return line->is_high(); });
        });
      });
    pmu.row = std::move(row);
  }
}

void SocPart::connect_lines(const soc::InterruptDescription& its, SocPmuRow& row, Pmu& pmu) {
  for (const soc::LineDescription& line : its.lines) {
    const std::size_t number = pmu.lines.size();
    pmu.lines.push_back(std::make_unique<InterruptLine>(row.name, its.trigger));
    pmu.model->connect_interrupt(*pmu.lines.back(), line.counters);
    row.device->interrupts[number].line = pmu.lines.back().get();
  }
  if (!its.lines.empty()) return;
  InterruptLine* const only = pmu.lines.emplace_back(std::make_unique<InterruptLine>(row.name, its.trigger)).get();
  pmu.model->connect_interrupt(*only);
  if (row.apmt.overflow_interrupt) row.apmt.overflow_interrupt->line = only;
  if (!row.device) return;
  for (InterruptResource& interrupt : row.device->interrupts) interrupt.line = only;
}

void SocPart::map(MmioBus& bus) {
  pci_.map(bus);
  for (const Pmu& pmu : pmus_) {
    if (is_pci(pmu.row)) continue;
    for (std::size_t index = 0; index < pmu.row.windows.size(); ++index) {
      const PmuWindow& window = pmu.row.windows[index];
      bus.map(window.name, window.base, window.size, pmu.model->socket(index));
    }
  }
}

void SocPart::describe(FirmwareDescription& firmware) {
  pci_.describe(firmware);
  for (const Pmu& pmu : pmus_) {
    if (is_pci(pmu.row)) continue;
    if (pmu.messages) {
      firmware.msi.address = default_map::kMessageDoorbell;
      firmware.msi.sources.push_back(pmu.messages.get());
    }
    if (pmu.row.device) {
      if (pmu.row.parent) add_parent(*pmu.row.parent, firmware);
      firmware.devices.push_back(*pmu.row.device);
      continue;
    }
    firmware.apmt.push_back(pmu.row.apmt);
    if (pmu.row.apmt.type != ApmtNode::Type::acpi_device) continue;
    AcpiDevice& device = firmware.devices.emplace_back();
    device.hid = description_.pmus[pmu.row.pmu].hid;
    device.uid = fmt::format("{}", pmu.row.apmt.instance_secondary);
  }
}

bool SocPart::is_pci(const SocPmuRow& row) const {
  const auto& map = description_.pmus[row.pmu].map;
  return map && map->device.pci;
}

void SocPart::reset() {
  pci_.reset();
  for (const Pmu& pmu : pmus_) pmu.model->reset();
}

bool SocPart::can_reset(const std::string& window) const {
  return std::any_of(pmus_.begin(), pmus_.end(), [&](const Pmu& pmu) { return has_window(pmu.row.windows, window); });
}

void SocPart::reset_window(const std::string& window) {
  for (const Pmu& pmu : pmus_) {
    if (has_window(pmu.row.windows, window)) pmu.model->reset();
  }
}

void SocPart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const Pmu& pmu : pmus_) {
    std::vector<std::uint64_t> bases;
    for (const PmuWindow& window : pmu.row.windows) bases.push_back(window.base);
    banks.push_back({pmu.row.name, std::move(bases), pmu.model->pages()});
  }
  pci_.add_registers(banks);
}

soc::DescribedPmu* SocPart::pmu(std::string_view name) const {
  const auto found = std::find_if(pmus_.begin(), pmus_.end(), [&](const Pmu& pmu) { return pmu.row.name == name; });
  return found == pmus_.end() ? nullptr : found->model.get();
}

void SocPart::set_observer(OccurrenceObserver* observer) {
  // What happens in other fabrics, their own observers see.
  for (std::size_t number = 0; number < sources_.size(); ++number) {
    const std::size_t index = number / (sources_.size() / description_.sources.size());
    if (soc::is_heard_itself(description_.sources[index])) sources_[number]->set_observer(observer);
  }
}

void SocSpec::check(const PlatformSpec& platform) const {
  bool is_after = false;
  for (const auto& part : platform.parts) {
    if (is_after && is_one_of<Tegra410Spec, CmnMeshesSpec, CxlSpec, PluginSpec>(*part))
      throw SpecError("coresight_pmus", "come before a part that they may count", "add that part first");
    is_after = is_after || part.get() == this;
  }
  check_soc(platform);
}

void SocSpec::make(const PlatformSpec& platform, PlatformParts& parts) const {
  if (pmus.empty()) return;
  SocFabrics fabrics;
  for (const auto& part : parts) {
    if (auto* const sockets = dynamic_cast<Tegra410Part*>(part.get())) fabrics.sockets = sockets;
    if (auto* const cxl = dynamic_cast<CxlPart*>(part.get())) fabrics.cxl = cxl;
    if (auto* const cmn = dynamic_cast<CmnMeshes*>(part.get())) fabrics.cmn = cmn;
    if (auto* const plugin = dynamic_cast<PluginPart*>(part.get())) fabrics.plugin = plugin;
  }
  parts.push_back(std::make_unique<SocPart>(platform, fabrics));
}

}  // namespace pmufab::platform
