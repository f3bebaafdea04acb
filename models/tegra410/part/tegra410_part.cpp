// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/part/tegra410_part.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/tegra410/part/pcie_spec.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {

namespace {

/// A row and its model belong together. Those of the part do; of others this is the first chance to see it.
void check_model(const PmuRow& row, PmuModel* model) {
  if (model == nullptr) throw SpecError("own_pmus", fmt::format("`make` of {} returned no model", row.name));
  if (const std::size_t targets = model->targets().size(); targets != row.windows.size())
    throw SpecError("own_pmus", fmt::format("the row {} has {} windows, but its model serves {}", row.name,
                                            row.windows.size(), targets));
  if (row.apmt && row.apmt->overflow_interrupt && model->coresight() == nullptr)
    throw SpecError("own_pmus", fmt::format("the row {} has an interrupt in `apmt`, but its model has no CoreSight PMU "
                                            "to raise it",
                                            row.name));
}

}  // namespace

Tegra410Part::Tegra410Part(const PlatformSpec& spec)
    : parameters_(spec.of<Tegra410Spec>()),
      address_map_(system_map(spec), spec.sockets),
      clock_("ucf", parameters_.ucf_clock_hz),
      soc_clock_("soc", parameters_.soc_clock_hz),
      c2c_clock_("c2c", parameters_.c2c_clock_hz) {
  for (PmuRow& row : tegra410_pmus(spec)) pmus_.push_back({std::move(row), nullptr, nullptr});
  const tegra410::SocketClocks clocks{clock_, c2c_clock_, soc_clock_};
  const std::vector<tegra410::PcieRootComplex> complexes = root_complexes_of(spec);
  std::vector<tegra410::Socket*> sockets;
  for (unsigned index = 0; index < spec.sockets; ++index) {
    sockets_.push_back(std::make_unique<tegra410::Socket>(fmt::format("socket{}", index).c_str(), index, parameters_,
                                                          address_map_, clocks, complexes, order_,
                                                          [&](tegra410::Socket& socket) { add_pmus(socket, clocks); }));
    sockets.push_back(sockets_.back().get());
  }
  tegra410::Socket::connect(sockets);
}

void Tegra410Part::add_pmus(tegra410::Socket& socket, const tegra410::SocketClocks& clocks) {
  for (Pmu& pmu : pmus_) {
    if (pmu.row.socket != socket.index()) continue;
    pmu.model = pmu.row.make({socket, parameters_, clocks});
    check_model(pmu.row, pmu.model.get());
    if (!pmu.row.apmt || !pmu.row.apmt->overflow_interrupt) continue;
    pmu.interrupt = std::make_unique<InterruptLine>(pmu.row.name, pmu.row.trigger);
    pmu.row.apmt->overflow_interrupt->line = pmu.interrupt.get();
    pmu.model->coresight()->connect_interrupt(*pmu.interrupt);
  }
}

void Tegra410Part::map(MmioBus& bus) {
  for (const Pmu& pmu : pmus_) {
    const std::vector<PmuModel::Target*> targets = pmu.model->targets();
    for (std::size_t index = 0; index < targets.size(); ++index) {
      const PmuWindow& window = pmu.row.windows[index];
      bus.map(window.name, window.base, window.size, *targets[index]);
    }
  }
}

/// Firmware lists PMUs type by type.
void Tegra410Part::describe(FirmwareDescription& firmware) {
  firmware.memory_of_nodes.clear();
  for (const tegra410::MemoryRange& range : address_map_.ranges()) {
    if (range.memory_class == MemoryClass::cmem) firmware.memory_of_nodes[range.socket] += range.size;
  }
  std::vector<const PmuRow*> rows;
  for (const Pmu& pmu : pmus_) rows.push_back(&pmu.row);
  const auto place = [](const PmuRow* row) {
    const bool chip_to_chip = row->type == PmuType::nvclink || row->type == PmuType::nvdlink;
    return chip_to_chip ? PmuType::nvlink_c2c : row->type;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const PmuRow* a, const PmuRow* b) { return place(a) < place(b); });
  for (const PmuRow* const row : rows) {
    if (row->apmt) {
      firmware.apmt.push_back(*row->apmt);
      firmware.apmt.back().id = static_cast<std::uint32_t>(firmware.apmt.size() - 1);
    }
    if (row->device) firmware.devices.push_back(*row->device);
  }
}

void Tegra410Part::set_observer(BoundaryObserver* observer) {
  for (const auto& socket : sockets_) socket->set_observer(observer);
}

void Tegra410Part::reset() {
  for (const Pmu& pmu : pmus_) pmu.model->reset();
}

bool Tegra410Part::can_reset(const std::string& window) const {
  return std::any_of(pmus_.begin(), pmus_.end(), [&](const Pmu& pmu) { return has_window(pmu.row.windows, window); });
}

void Tegra410Part::reset_window(const std::string& window) {
  for (const Pmu& pmu : pmus_) {
    if (has_window(pmu.row.windows, window)) pmu.model->reset();
  }
}

void Tegra410Part::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const Pmu& pmu : pmus_) pmu.model->add_registers(pmu.row, banks);
}

coresight::CoreSightPmu& Tegra410Part::pmu(std::string_view name) const {
  const auto found = std::find_if(pmus_.begin(), pmus_.end(), [&](const Pmu& pmu) { return pmu.row.name == name; });
  coresight::CoreSightPmu* const model = found == pmus_.end() ? nullptr : found->model->coresight();
  if (model == nullptr) throw std::out_of_range(fmt::format("there is no CoreSight PMU {}", name));
  return *model;
}

}  // namespace pmufab::platform
