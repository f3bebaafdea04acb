// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_service.h"

#include "models/cmn/part/cmn_spec.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

using perf::PerfAttributes;

// What `type` says of events that no node makes: Documentation/admin-guide/perf/arm-cmn.rst.
constexpr std::uint64_t kWatchpoint = 0x7770;
constexpr std::uint64_t kUpload = 0;
constexpr std::uint64_t kDownload = 2;

/// @return the value of a term; 0 for one that the driver does not publish
std::uint64_t value_of(const CmnService::Terms& terms, const std::string& name, const PerfAttributes& attributes) {
  const auto found = terms.find(name);
  return found == terms.end() ? 0 : found->second.value_in(attributes);
}

/// @return nothing if no term says this
std::optional<cmn_client::CounterRequest> request_of(const CmnService::Terms& terms, const PerfAttributes& attributes) {
  const auto value = [&](const char* name) { return value_of(terms, name, attributes); };
  const auto number = [&](const char* name) { return static_cast<unsigned>(value(name)); };
  cmn_client::CounterRequest request;
  const std::uint64_t type = value("type");
  if (type == cmn_client::node_types::kDtc) {
    request.kind = cmn_client::CounterRequest::Kind::cycles;
    return request;
  }
  if (value("bynodeid") != 0) request.id = static_cast<std::uint16_t>(value("nodeid"));
  request.event = number("eventid");
  if (type == kWatchpoint) {
    if (request.event != kUpload && request.event != kDownload) return std::nullopt;
    request.kind = cmn_client::CounterRequest::Kind::watchpoint;
    request.watchpoint = {.upload = request.event == kUpload,
                          .port = number("wp_dev_sel"),
                          .channel = number("wp_chn_sel"),
                          .group = number("wp_grp"),
                          .exclusive = value("wp_exclusive") != 0,
                          .pair = number("wp_combine"),
                          .value = value("wp_val"),
                          .mask = value("wp_mask")};
    return request;
  }
  if (type == cmn_client::node_types::kXp) {
    request.kind = cmn_client::CounterRequest::Kind::crosspoint;
    return request;
  }
  // The driver takes the type of an RN-D, too.
  request.type = type == cmn_client::node_types::kRnD ? cmn_client::node_types::kRnI : static_cast<unsigned>(type);
  // Until Linux 7.3, the first filter had its old name alone.
  request.filters = {number("occupid"), number("filter2")};
  return request;
}

class CmnSoftware final : public PmuSoftware {
 public:
  /// @param terms  outlive the software
  CmnSoftware(RegisterAccess access, const CmnService::MeshPmu& mesh, const CmnService::Terms& terms)
      : client_(std::move(access), mesh.place, mesh.widths), terms_(terms) {}

  void run() override { client_.run(); }
  void stop() override { client_.stop(); }
  std::optional<unsigned> open(const PerfAttributes& attributes) override {
    return client_.open(*request_of(terms_, attributes));
  }
  void close(unsigned counter) override { client_.close(counter); }
  std::uint64_t count(unsigned counter) override { return client_.count(counter); }
  bool handle_overflow(unsigned dtc) override { return client_.handle_overflow(dtc); }
  [[nodiscard]] cmn_client::CmnClient& client() noexcept { return client_; }

 private:
  cmn_client::CmnClient client_;
  const CmnService::Terms& terms_;
};

/// @return offset of the root node, which only a CMN-600 does not have at the beginning
std::uint64_t root_of(const platform::AcpiDevice& device) {
  const auto property = device.properties.find("arm,root-node");
  if (property != device.properties.end()) return property->second;
  return device.memory.size() > 1 ? device.memory[1].base - device.memory[0].base : 0;
}

}  // namespace

CmnService::CmnService(driver_host::DriverHost& host, const std::vector<MeshPmu>& pmus,
                       perf::PerfCallObserver* observer)
    : SoftwarePmus(host, observer) {
  for (const MeshPmu& pmu : pmus) {
    Block& block = add(pmu.name, {});
    meshes_[pmu.name] = pmu;
    terms_.emplace(pmu.name, Terms());
    for (unsigned dtc = 0; dtc < pmu.interrupts.size(); ++dtc) add_interrupt(pmu.interrupts[dtc], block, dtc);
  }
}

void CmnService::learn_terms() {
  if (std::ranges::none_of(terms_, [](const auto& of_pmu) { return of_pmu.second.empty(); })) return;
  const perf::PmuCatalog catalog(pmus());
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    Terms& terms = terms_[pmu.name];
    if (!terms.empty()) continue;
    for (const perf::PmuCatalog::Format& format : pmu.formats) {
      if (format.bits) terms[format.name] = *format.bits;
    }
  }
}

perf::EventHandle CmnService::open(const PerfAttributes& attributes, int cpu, perf::EventHandle leader) {
  learn_terms();  // not within a program of the host, which prepare() is
  return SoftwarePmus::open(attributes, cpu, leader);
}

int CmnService::prepare(Block& block, const PerfAttributes& attributes, const std::vector<PerfAttributes>& others) {
  if (attributes.sample_period != 0) return -EOPNOTSUPP;
  const Terms& terms = terms_[block.pmu.name];
  const std::optional<cmn_client::CounterRequest> request = request_of(terms, attributes);
  if (!request) return -EINVAL;
  try {
    if (!block.software) block.software = std::make_unique<CmnSoftware>(registers(), meshes_.at(block.pmu.name), terms);
  } catch (const std::runtime_error&) {
    return -ENODEV;
  }
  const cmn_client::CmnClient& client = static_cast<CmnSoftware&>(*block.software).client();
  std::vector<cmn_client::CounterRequest> requests{*request};
  if (!client.has_counters_for(requests)) return -EINVAL;
  for (const PerfAttributes& other : others) requests.push_back(*request_of(terms, other));
  return client.has_counters_for(requests) ? 0 : -ENOSPC;
}

std::vector<CmnService::MeshPmu> mesh_pmus(const platform::PlatformSpec& platform,
                                           const platform::FirmwareDescription& firmware) {
  std::vector<CmnService::MeshPmu> pmus;
  for (const platform::CmnSpec& mesh : platform.of<platform::CmnMeshesSpec>().meshes) {
    const auto device = std::ranges::find_if(firmware.devices, [&](const platform::AcpiDevice& one) {
      return !one.memory.empty() && one.memory.front().base == mesh.topology.base;
    });
    if (device == firmware.devices.end()) throw std::logic_error("firmware does not tell of a mesh");
    CmnService::MeshPmu& pmu = pmus.emplace_back();
    pmu.name = fmt::format("arm_cmn_{}", pmus.size() - 1);
    pmu.place = {.base = mesh.topology.base, .root = root_of(*device)};
    if (mesh.topology.variant == cmn::Variant::graviton5) {
      for (const cmn::Crosspoint& crosspoint : mesh.topology.crosspoints)
        pmu.place.domains.push_back(crosspoint.dtc_domain);
    }
    pmu.widths = {
        .local = mesh.mesh.pmu.local_width, .global = mesh.mesh.pmu.global_width, .cycles = mesh.mesh.pmu.cycle_width};
    for (const platform::InterruptResource& interrupt : device->interrupts) pmu.interrupts.push_back(interrupt.number);
  }
  return pmus;
}

}  // namespace pmufab::scenario
