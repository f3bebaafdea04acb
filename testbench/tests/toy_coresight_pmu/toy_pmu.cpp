// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/toy_coresight_pmu/toy_pmu.h"

#include <memory>

#include <fmt/format.h>

#include "models/tegra410/coresight_pmu_parameters.h"
#include "models/tegra410/part/pmu_model.h"
#include "models/tegra410/part/pmu_row.h"

namespace pmufab::toy {

namespace {

using tegra410::Source;
using tegra410::UcfEvent;

constexpr std::uint32_t kPmiidr = 0x7070'043b;  // an unknown product, which the generic driver serves

std::uint64_t from(Source source) {
  std::uint64_t qualifiers = 0;
  for (unsigned destination = 0; destination < tegra410::kDestinations; ++destination)
    qualifiers |= std::uint64_t{1} << qualifier(source, static_cast<tegra410::Destination>(destination));
  return qualifiers;
}

/// The event qualifiers that the filter registers let pass.
std::uint64_t qualifiers_of(const coresight::CounterProgram& program) {
  const bool all = program.filter == 0;
  std::uint64_t qualifiers = 0;
  if (all || (program.filter & kFromCpus) != 0) qualifiers |= from(Source::loc_cpu);
  if (all || (program.filter & kFromOthers) != 0) qualifiers |= from(Source::loc_noncpu);
  return qualifiers;
}

coresight::EventTable events_of(tegra410::Ucf& ucf, Fault fault) {
  coresight::EventTable table(qualifiers_of);
  // The fault: bytes are counted instead of writes.
  table.add(kWrites, ucf.probe(fault == Fault::none ? UcfEvent::slc_access_wr : UcfEvent::slc_bytes_wr));
  table.add(kWriteBytes, ucf.probe(UcfEvent::slc_bytes_wr));
  return table;
}

}  // namespace

WritePmu::WritePmu(const sc_core::sc_module_name& name, const tegra410::CoreSightPmuParameters& parameters,
                   const ClockDomain& clock, tegra410::Ucf& ucf, Fault fault)
    : CoreSightPmu(name, tegra410::coresight_options(parameters, kPmiidr), clock, events_of(ucf, fault)) {}

platform::PmuRow write_pmu_row(unsigned socket, const tegra410::CoreSightPmuParameters& parameters, Fault fault) {
  platform::PmuRow row = platform::coresight_row({.socket = socket,
                                                  .name = "write_pmu",
                                                  .page0 = 0x1004'0000,
                                                  .interrupt = 480 + socket,
                                                  .hid = "TOYS0001",
                                                  .instance = socket},
                                                 parameters);
  row.perf_name = fmt::format("arm_cspmu_acpi_TOYS0001_{}", socket);  // as the generic driver names an ACPI device
  row.make = [parameters, fault](const platform::PmuSite& site) {
    return std::make_unique<platform::CoreSightPmuModel>(
        std::make_unique<WritePmu>("write_pmu", parameters, site.clocks.ucf, site.socket.ucf(), fault));
  };
  return row;
}

}  // namespace pmufab::toy
