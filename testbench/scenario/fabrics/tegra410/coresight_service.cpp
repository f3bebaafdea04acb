// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/tegra410/coresight_service.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace pmufab::scenario {
namespace {

using coresight_client::CounterRequest;

// The bits of the UCF's terms, by the kernel's document of Tegra410 PMUs.
constexpr std::uint64_t kCycles = std::uint64_t{1} << 32;
constexpr std::uint32_t kSources = 0x7;
constexpr std::uint32_t kDestinations = 0xf00;

CounterRequest counter_request_of(const perf::PerfAttributes& attributes) {
  CounterRequest request;
  request.cycles = attributes.config == kCycles;
  request.event = static_cast<std::uint32_t>(attributes.config);
  request.filter = static_cast<std::uint32_t>(attributes.config1) & (kSources | kDestinations);
  // Sources or destinations of which none is named are all meant.
  if ((request.filter & kSources) == 0) request.filter |= kSources;
  if ((request.filter & kDestinations) == 0) request.filter |= kDestinations;
  return request;
}

class CoreSightSoftware final : public PmuSoftware {
 public:
  CoreSightSoftware(coresight_client::RegisterAccess access, const coresight_client::PmuPlace& place)
      : client_(std::move(access), place) {}

  void run() override { client_.run(); }
  void stop() override { client_.stop(); }
  std::optional<unsigned> open(const perf::PerfAttributes& attributes) override {
    return client_.open(counter_request_of(attributes));
  }
  void close(unsigned counter) override { client_.close(counter); }
  std::uint64_t count(unsigned counter) override { return client_.count(counter); }
  [[nodiscard]] coresight_client::CoreSightClient& client() noexcept { return client_; }

 private:
  coresight_client::CoreSightClient client_;
};

}  // namespace

CoreSightService::CoreSightService(driver_host::DriverHost& host, const std::vector<UcfPmu>& pmus,
                                   perf::PerfCallObserver& observer)
    : SoftwarePmus(host, observer) {
  for (const UcfPmu& pmu : pmus) {
    Block& block = add(pmu.name, {});
    places_[pmu.name] = {.page0 = pmu.node.base0,
                         .page1 = pmu.node.base1.value_or(pmu.node.base0),
                         .atomic_64bit = pmu.node.atomic_64bit};
    if (pmu.node.overflow_interrupt) interrupts_[pmu.node.overflow_interrupt->number] = &block;
  }
}

std::vector<perf::Pmu> CoreSightService::pmus() const {
  std::vector<perf::Pmu> list = SoftwarePmus::pmus();
  const std::vector<perf::Pmu> published = host().pmus();
  std::erase_if(list, [&](perf::Pmu& pmu) {
    const auto found = std::find_if(published.begin(), published.end(),
                                    [&](const perf::Pmu& other) { return other.name == pmu.name; });
    if (found == published.end()) return true;
    pmu.files = found->files;
    return false;
  });
  return list;
}

coresight_client::RegisterAccess CoreSightService::registers() {
  return {
      .read32 = [this](std::uint64_t address) { return static_cast<std::uint32_t>(host().read_register(address, 4)); },
      .write32 = [this](std::uint64_t address, std::uint32_t value) { host().write_register(address, 4, value); },
      .read64 = [this](std::uint64_t address) { return host().read_register(address, 8); },
      .write64 = [this](std::uint64_t address, std::uint64_t value) { host().write_register(address, 8, value); }};
}

int CoreSightService::prepare(Block& block, const perf::PerfAttributes& attributes,
                              const std::vector<perf::PerfAttributes>& others) {
  if (attributes.sample_period != 0) return -EOPNOTSUPP;
  if (!block.software) block.software = std::make_unique<CoreSightSoftware>(registers(), places_.at(block.pmu.name));
  const coresight_client::CoreSightClient& client = static_cast<CoreSightSoftware&>(*block.software).client();
  std::vector<CounterRequest> requests{counter_request_of(attributes)};
  if (!client.has_counters_for(requests)) return -EINVAL;
  for (const perf::PerfAttributes& other : others) requests.push_back(counter_request_of(other));
  return client.has_counters_for(requests) ? 0 : -ENOSPC;
}

std::optional<bool> CoreSightService::handle_interrupt(std::uint32_t number) {
  const auto found = interrupts_.find(number);
  if (found == interrupts_.end() || !found->second->software) return std::nullopt;
  const Telling call(observer(), Call::interrupt, found->second->pmu.name);
  coresight_client::CoreSightClient& client = static_cast<CoreSightSoftware&>(*found->second->software).client();
  return host().run_handler(found->second->pmu.name, [&] { return client.handle_overflow(); });
}

}  // namespace pmufab::scenario
