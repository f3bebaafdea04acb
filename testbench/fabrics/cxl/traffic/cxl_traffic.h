// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cxl/host/host.h"
#include "models/cxl/host/host_bridge.h"
#include "models/cxl/memory/device_cache.h"
#include "models/cxl/memory/memory_device.h"
#include "testbench/traffic/address_stream.h"
#include "testbench/traffic/pacer.h"
#include "testbench/traffic/random_stream.h"
#include "tlm/spec/latency_histogram.h"

namespace pmufab::traffic {

/// The agent that performs an operation.
enum class CxlAgent : std::uint8_t {
  host,          ///< a host, on memory of the devices below its link, or snooping a device's cache
  device,        ///< a device, on its own HDM-DB memory
  device_cache,  ///< a Type 2 device, on the host's memory by CXL.cache
};

/// Operations (docs/cxl-messages.md): those of the host in the order of cxl::HostOperationKind, of the device in that
/// of cxl::LocalOperation, of the device's cache by their D2H request.
enum class CxlOperation : std::uint8_t {
  read,
  load,
  load_shared,
  store,
  write,
  write_partial,
  invalidate,
  invalidate_shared,
  invalidate_none,
  invalidate_nt,
  speculative_read,
  clean_evict,
  clean_evict_unknown,
  te_update,
  read_fill,
  snoop_data,
  snoop_invalidate,
  snoop_current,
  local_read,
  local_load,
  local_store,
  cache_rd_curr,
  cache_rd_own,
  cache_rd_shared,
  cache_rd_any,
  cache_rd_own_no_data,
  cache_i_to_m_wr,
  cache_wr_cur,
  cache_cl_flush,
  cache_clean_evict,
  cache_dirty_evict,
  cache_clean_evict_no_data,
  cache_wo_wr_inv,
  cache_wo_wr_inv_f,
  cache_wr_inv,
  cache_cache_flushed
};
inline constexpr unsigned kCxlOperations = 36;

struct CxlOperationShare {
  CxlOperation operation = CxlOperation::read;
  std::uint32_t weight = 1;
};

/// A working set: host physical addresses.
struct CxlRange {
  std::uint64_t base = 0;  ///< multiple of 64
  std::uint64_t size = 0;  ///< bytes, a multiple of 64, not 0
  PatternSpec pattern{};   ///< all but producer_consumer
  std::uint32_t weight = 1;
};

/// Operations of one agent.
struct CxlTrafficSpec {
  std::string name;                                            ///< unique in the scenario, not empty
  unsigned device = 0;                                         ///< number of the link, or device, in the platform
  std::vector<CxlOperationShare> mix{1, CxlOperationShare{}};  ///< operations of one agent; default: reads
  std::vector<CxlRange> ranges{};                              ///< at least one
  PacingSpec pacing{PacingSpec::Kind::back_to_back, 10.0, 1000, true};
  std::optional<BurstSpec> burst{};
  unsigned outstanding = 64;              ///< operations at a time, 1 ... 4096
  double tee_share = 0;                   ///< share of operations in trusted execution, 0 ... 1
  Picoseconds start = 0;                  ///< after the start of traffic
  std::optional<Picoseconds> duration{};  ///< time in which operations begin
  std::optional<std::uint64_t> count{};   ///< operations, at least 1
  std::optional<std::uint64_t> seed{};    ///< not set: derived from the scenario's seed and the name
};

/// The targets of the traffic. Members that a spec's operations do not need may be missing.
struct CxlTargets {
  cxl::Host* host = nullptr;
  cxl::MemoryDevice* device = nullptr;
  cxl::DeviceCache* device_cache = nullptr;
  const cxl::HostBridge* bridge = nullptr;  ///< selects other hosts by address
};

/// Called when operations begin.
class CxlOperationListener {
 public:
  /// @param joined  it begins immediately after the operation of the previous call, at the same instant
  virtual void on_operation(Picoseconds now, unsigned device, CxlOperation operation, std::uint64_t address, bool tee,
                            bool joined) = 0;

 protected:
  ~CxlOperationListener() = default;
};

/// @return true if the device has the agent for an operation.
[[nodiscard]] bool can_do(const CxlTargets& targets, CxlOperation operation) noexcept;
/// Begin an operation that can_do() accepts.
/// @param user  returned by completed(); a device's own operations report local_done() instead, in their order
[[nodiscard]] cxl::IssueResult begin_operation(const CxlTargets& targets, CxlOperation operation, std::uint64_t address,
                                               bool tee, std::uint32_t user, cxl::OperationClient& client);

/// Performs the operations of a spec. They begin at edges of the link's clock.
class CxlTraffic final : private cxl::Actor, private cxl::OperationClient, private cxl::LocalClient {
 public:
  /// @param period  of the link's clock
  /// @param field   path of the spec, for errors: "cxl_traffic[2]"
  /// @param seed    the scenario's
  /// @throws SpecError for impossible traffic
  CxlTraffic(cxl::Engine& engine, const CxlTargets& targets, Picoseconds period, const CxlTrafficSpec& spec,
             const std::string& field, std::uint64_t seed);

  /// Set time 0 of the traffic, not in the past. Once.
  void start(Picoseconds zero);
  /// Begin no more operations. Those under way end normally.
  void stop();
  /// @param listener  must outlive this object, or null
  void set_listener(CxlOperationListener* listener) noexcept { listener_ = listener; }

  [[nodiscard]] const std::string& name() const noexcept { return spec_.name; }
  [[nodiscard]] const CxlTrafficSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_; }
  /// The durations of all operations that have ended, in picoseconds.
  [[nodiscard]] const LatencyHistogram& latencies() const noexcept { return latencies_; }
  /// What keeps an operation from beginning that is due.
  enum class Stall : std::uint8_t {
    outstanding,  ///< as many are under way as may be
    target,       ///< the host or the device takes none: its line waits for an answer
    link,         ///< one of those, while a request waits for a credit of the link, or for an edge with room
  };
  /// @return how long operations that were due have waited until the last change, by cause. After stop(), all of it.
  ///         Each instant has one cause
  [[nodiscard]] Picoseconds stalled(Stall cause) const noexcept { return stalled_[static_cast<std::size_t>(cause)]; }
  /// @return how long no operation was due until then, from the start to the last operation, or to stop().
  [[nodiscard]] Picoseconds idle() const noexcept { return idle_; }
  /// @return true if no more operations will begin.
  [[nodiscard]] bool ended() const noexcept;

 private:
  struct Drawn {
    CxlOperation operation;
    bool tee;
    std::uint64_t address;
  };

  void act(Picoseconds now) override;
  void completed(std::uint32_t user, Picoseconds now) override;
  void unblocked(Picoseconds now) override;
  void local_done(Picoseconds now) override;
  void wake(Picoseconds now);
  void plan_next(Picoseconds now);
  void stall(std::optional<Stall> cause, Picoseconds now);
  void settle(Picoseconds now);
  [[nodiscard]] Picoseconds waited_at_link() const noexcept;
  void note_way(const Drawn& drawn);
  [[nodiscard]] Drawn draw();
  [[nodiscard]] cxl::IssueResult issue(const Drawn& drawn, std::uint32_t user);
  [[nodiscard]] Picoseconds edge(Picoseconds when) const noexcept { return (when + period_ - 1) / period_ * period_; }

  cxl::Engine& engine_;
  CxlTargets targets_;
  CxlOperationListener* listener_ = nullptr;
  Picoseconds period_;
  CxlTrafficSpec spec_;
  unsigned actor_ = 0;
  RandomStream random_;
  WeightedChoice<CxlOperation> operations_;
  WeightedChoice<std::size_t> ranges_;
  std::vector<AddressStream> streams_;
  std::optional<Pacer> pacer_;
  Picoseconds late_ = 0;        // delay of the pacing so far
  Picoseconds begin_ = kNever;  // edge for the next operation: the first at or after its time
  Picoseconds end_ = kNever;
  std::optional<Drawn> blocked_;    // drawn, but blocked
  std::vector<Picoseconds> began_;  // by user number
  std::vector<std::uint32_t> free_;
  cxl::Ring<std::uint32_t> local_;  // local operations under way, in order
  std::uint64_t begun_ = 0;
  std::uint64_t completed_ = 0;
  LatencyHistogram latencies_;
  std::optional<Stall> stall_;       // why an operation waits at present
  const cxl::Link* link_ = nullptr;  // by which the last operation went; null: by none
  Picoseconds waited_ = 0;           // there, when stall_ was set
  Picoseconds settled_ = kNever;     // what was before is in the numbers below
  Picoseconds idle_ = 0;
  std::array<Picoseconds, 3> stalled_{};
  bool acting_ = false;
};

/// @return the host below which an operation is under way: that of its address, or that of the device; null if there is
///         none.
[[nodiscard]] cxl::Host* host_of(const CxlTargets& targets, CxlOperation operation, std::uint64_t address) noexcept;
/// @return the agent of an operation.
[[nodiscard]] CxlAgent agent_of(CxlOperation operation) noexcept;
/// Names as in scenario files: "write_partial", "cache_rd_own".
[[nodiscard]] std::string_view to_string(CxlOperation operation) noexcept;

}  // namespace pmufab::traffic
