// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/coresight_service.h"

#include <cerrno>
#include <memory>
#include <utility>

namespace pmufab::scenario {
namespace {

using perf::PerfAttributes;

class CoreSightSoftware final : public PmuSoftware {
 public:
  /// @param pmu  outlives the software
  CoreSightSoftware(RegisterAccess access, const ServedCoreSightPmu& pmu)
      : client_(std::move(access), {.page0 = pmu.node.base0,
                                    .page1 = pmu.node.base1.value_or(pmu.node.base0),
                                    .atomic_64bit = pmu.node.atomic_64bit}),
        pmu_(pmu) {}

  void run() override { client_.run(); }
  void stop() override { client_.stop(); }
  std::optional<unsigned> open(const PerfAttributes& attributes) override {
    return client_.open(pmu_.request_of(attributes).request);
  }
  void close(unsigned counter) override { client_.close(counter); }
  std::uint64_t count(unsigned counter) override { return client_.count(counter); }
  bool handle_overflow(unsigned /*line*/) override { return client_.handle_overflow(); }
  [[nodiscard]] coresight_client::CoreSightClient& client() noexcept { return client_; }

 private:
  coresight_client::CoreSightClient client_;
  const ServedCoreSightPmu& pmu_;
};

}  // namespace

CoreSightService::CoreSightService(driver_host::DriverHost& host, const std::vector<ServedCoreSightPmu>& pmus,
                                   perf::PerfCallObserver* observer)
    : SoftwarePmus(host, observer) {
  for (const ServedCoreSightPmu& pmu : pmus) {
    Block& block = add(pmu.name, {});
    served_[pmu.name] = pmu;
    if (pmu.node.overflow_interrupt) add_interrupt(pmu.node.overflow_interrupt->number, block);
  }
}

PerfAttributes CoreSightService::in_group(const Block& block, const PerfAttributes& member,
                                          const PerfAttributes& leader) const {
  const ServedCoreSightPmu& pmu = served_.at(block.pmu.name);
  return pmu.in_group ? pmu.in_group(member, leader) : member;
}

int CoreSightService::prepare(Block& block, const PerfAttributes& attributes,
                              const std::vector<PerfAttributes>& others) {
  const ServedCoreSightPmu& pmu = served_.at(block.pmu.name);
  if (attributes.sample_period != 0) return -EOPNOTSUPP;
  const EventRequest asked = pmu.request_of(attributes);
  if (asked.error != 0) return asked.error;
  if (!block.software) block.software = std::make_unique<CoreSightSoftware>(registers(), pmu);
  const coresight_client::CoreSightClient& client = static_cast<CoreSightSoftware&>(*block.software).client();
  std::vector<coresight_client::CounterRequest> requests{asked.request};
  if (!client.has_counters_for(requests)) return -EINVAL;
  for (const PerfAttributes& other : others) {
    if (pmu.go_together && !pmu.go_together(attributes, other)) return -EINVAL;
    requests.push_back(pmu.request_of(other).request);
  }
  return client.has_counters_for(requests) ? 0 : -ENOSPC;
}

}  // namespace pmufab::scenario
