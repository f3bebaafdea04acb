// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/scenario/cpmu_service.h"

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "models/cxl/cpmu/cpmu_parameters.h"
#include "testbench/fabrics/cxl/client/cpmu_search.h"
#include "testbench/fabrics/cxl/judge/cxl_event_names.h"

namespace pmufab::scenario {
namespace {

using cxl_client::CpmuFunction;
using cxl_client::CpmuRequest;

constexpr std::string_view kPmuPrefix = "cpmu_";
constexpr std::string_view kDevice = "cpmu_mem";
constexpr std::string_view kDriver = "cxl_pmu_mem";

/// What sysfs would show: the driver's terms, and the events the CPMU has a name for.
std::vector<std::pair<std::string, std::string>> files_of(const scoreboard::CxlPmuSpec& pmu) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"cpumask", "0"},
      {"format/mask", "config:0-31"},
      {"format/gid", "config:32-47"},
      {"format/vid", "config:48-63"},
      {"format/threshold", "config1:0-15"},
      {"format/invert", "config1:16"},
      {"format/edge", "config1:17"},
  };
  if (pmu.hdm_filter) {
    files.emplace_back("format/hdm_filter_en", "config1:18");
    files.emplace_back("format/hdm", "config2:0-15");
  }
  if (pmu.ddr_filter) {
    files.emplace_back("format/crb_filter_en", "config1:19");
    files.emplace_back("format/crb", "config2:32-63");
  }
  for (const scoreboard::CxlGroupSpec& group : pmu.groups) {
    if (group.vendor != scoreboard::kCxlVendor) continue;
    const std::uint32_t supported = pmu.supported(group.vendor, group.group);
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((supported >> bit & 1U) == 0) continue;
      const std::string name = cxl::event_name(group.vendor, group.group, bit);
      // Only what the judge knows by the same name.
      if (scoreboard::cxl_event_of_name(name) != scoreboard::CxlEventId{group.group, bit}) continue;
      files.emplace_back("events/" + name, fmt::format("vid={:#x},gid={:#x},mask={:#x}", group.vendor, group.group,
                                                       std::uint32_t{1} << bit));
    }
  }
  return files;
}

std::string name_of(const CpmuFunction& function, std::size_t cpmu) {
  switch (function.kind) {
    case CpmuFunction::Kind::root_port:
      return fmt::format("cpmu_rp{}.{}", function.number_of_kind, cpmu);
    case CpmuFunction::Kind::upstream_port:
      return fmt::format("cpmu_usp{}.{}", function.number_of_kind, cpmu);
    case CpmuFunction::Kind::downstream_port:
      return fmt::format("cpmu_dsp{}.{}.{}", function.switch_number, function.number_of_kind, cpmu);
    case CpmuFunction::Kind::endpoint:
      break;
  }
  return fmt::format("cpmu_mem{}.{}", function.number_of_kind, cpmu);
}

/// @return nothing if no counter can count such an event
std::optional<CpmuRequest> request_of(const perf::PerfAttributes& attributes) {
  constexpr std::uint64_t kThreshold = 0xffff;
  constexpr std::uint64_t kMostThreshold = 0xff;
  CpmuRequest request;
  request.interrupt = false;  // unless it takes the driver's place, the driver would take the message and the status
  request.events = static_cast<std::uint32_t>(attributes.config);
  request.group = static_cast<std::uint16_t>(attributes.config >> 32);
  request.vendor = static_cast<std::uint16_t>(attributes.config >> 48);
  if ((attributes.config1 & kThreshold) > kMostThreshold || attributes.sample_period != 0) return std::nullopt;
  request.threshold = static_cast<std::uint8_t>(attributes.config1);
  request.invert = (attributes.config1 >> 16 & 1U) != 0;
  request.edge = (attributes.config1 >> 17 & 1U) != 0;
  if ((attributes.config1 >> 18 & 1U) != 0) request.hdm_decoders = static_cast<std::uint16_t>(attributes.config2);
  if ((attributes.config1 >> 19 & 1U) != 0) request.ddr_location = static_cast<std::uint32_t>(attributes.config2 >> 32);
  return request;
}

/// A CPMU, once its registers have been found.
class CpmuSoftware final : public PmuSoftware {
 public:
  /// @param takes_interrupts  counters send them, and freeze at an overflow
  CpmuSoftware(RegisterAccess access, std::uint64_t address, bool takes_interrupts)
      : client_(std::move(access), address), takes_interrupts_(takes_interrupts) {}

  void run() override { client_.unfreeze(); }
  void stop() override { client_.freeze(); }
  std::optional<unsigned> open(const perf::PerfAttributes& attributes) override {
    CpmuRequest request = *request_of(attributes);
    request.interrupt = request.global_freeze = takes_interrupts_;
    return client_.open(request);
  }
  void close(unsigned counter) override { client_.close(counter); }
  std::uint64_t count(unsigned counter) override { return client_.count(counter); }
  bool handle_overflow(unsigned /*line*/) override { return client_.handle_overflow() != 0; }
  [[nodiscard]] cxl_client::CpmuClient& client() noexcept { return client_; }

 private:
  cxl_client::CpmuClient client_;
  bool takes_interrupts_;
};

}  // namespace

CpmuService::CpmuService(driver_host::DriverHost& host, const platform::FirmwareDescription& firmware,
                         const std::vector<scoreboard::CxlPmuSpec>& pmus, perf::PerfCallObserver* observer,
                         bool replaces_drivers)
    : SoftwarePmus(host, observer), firmware_(firmware), replaces_drivers_(replaces_drivers) {
  for (const scoreboard::CxlPmuSpec& pmu : pmus) {
    if (replaces_drivers || pmu.name.starts_with(kPmuPrefix)) add(pmu.name, files_of(pmu)).pmu.twin = twin(pmu.name);
  }
}

std::optional<bool> CpmuService::handle_interrupt(std::uint32_t number) {
  for (const auto& block : blocks()) {
    if (!block->pmu.name.starts_with(kDriver) || !block->software) continue;
    if (!host().interrupt_is_of(number, block->pmu.name)) continue;
    return handle(*block, 0);
  }
  return std::nullopt;
}

std::string CpmuService::twin(const std::string& pmu) const {
  if (!pmu.starts_with(kDevice)) return {};
  return std::string(kDriver) + pmu.substr(kDevice.size());
}

void CpmuService::find_blocks() {
  if (std::exchange(searched_, true)) return;
  for (const platform::PciSegment& segment : firmware_.pci_segments) {
    const cxl_client::ConfigurationAccess access{
        .read =
            [&](std::uint64_t at) {
              return static_cast<std::uint32_t>(host().read_register(segment.ecam_base + at, 4));
            },
        .write = [&](std::uint64_t at,
                     std::uint32_t value) { host().write_register(segment.ecam_base + at, 4, value); }};
    for (const CpmuFunction& function : cxl_client::find_cpmus(access, segment.first_bus, segment.last_bus)) {
      for (std::size_t cpmu = 0; cpmu < function.blocks.size(); ++cpmu)
        addresses_[name_of(function, cpmu)] = function.blocks[cpmu];
    }
  }
}

int CpmuService::prepare(Block& block, const perf::PerfAttributes& attributes,
                         const std::vector<perf::PerfAttributes>& others) {
  const std::optional<CpmuRequest> request = request_of(attributes);
  if (!request || request->events == 0) return -EINVAL;
  find_blocks();
  const bool is_drivers = block.pmu.name.starts_with(kDriver);
  const auto found =
      addresses_.find(is_drivers ? std::string(kDevice) + block.pmu.name.substr(kDriver.size()) : block.pmu.name);
  if (found == addresses_.end()) return -ENODEV;
  if (!block.software) block.software = std::make_unique<CpmuSoftware>(registers(), found->second, is_drivers);
  const cxl_client::CpmuClient& client = static_cast<CpmuSoftware&>(*block.software).client();
  // Counts that are exact begin and end with the freeze register.
  if (!client.can_freeze()) return -EOPNOTSUPP;
  std::vector<CpmuRequest> requests{*request};
  if (!client.has_counters_for(requests)) return -EINVAL;
  for (const perf::PerfAttributes& other : others) requests.push_back(*request_of(other));
  return client.has_counters_for(requests) ? 0 : -ENOSPC;
}

}  // namespace pmufab::scenario
