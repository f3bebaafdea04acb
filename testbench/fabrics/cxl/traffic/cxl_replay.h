// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/cxl/host/engine.h"
#include "models/cxl/link/ring.h"
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"
#include "testbench/traffic/trace_format.h"
#include "tlm/spec/latency_histogram.h"

namespace pmufab::traffic {

/// A trace names an operation that there is not.
class UnknownOperation : public TraceError {
 public:
  UnknownOperation(const std::string& place, std::string name)
      : TraceError(place + ": there is no operation '" + name + "' of CXL"), name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

/// @param place  in a trace, for the error
/// @throws UnknownOperation
[[nodiscard]] CxlOperation operation_called(const std::string& name, const std::string& place);

/// Replay of a trace with operations of all agents of all devices.
struct CxlReplaySpec {
  std::string name;       ///< unique in the scenario, not empty
  std::string file;       ///< a trace of operations
  Picoseconds start = 0;  ///< time 0 of the trace after the start of traffic
};

/// Performs the operations of a trace at their times, one after the other. If one has to wait, the later ones wait too.
/// A trace recorded from a run begins each operation at the same instant and in the same order as that run.
class CxlReplay final : private cxl::Actor, private cxl::OperationClient {
 public:
  /// Reads the file through once.
  /// @param devices      by number; must outlive this object
  /// @param field        path of the spec, for errors: "cxl_traffic[2]"
  /// @param outstanding  operations at a time on each host, at least 1
  /// @throws TraceError with its place, for a file that is damaged or cannot be read, or an operation that no agent
  ///         supports
  /// @throws SpecError if other traffic performs the own operations of a device
  CxlReplay(cxl::Engine& engine, std::vector<CxlTargets> devices, const CxlReplaySpec& spec, const std::string& field,
            std::uint32_t outstanding);
  ~CxlReplay();

  /// Set time 0 of the traffic, not in the past. Once.
  void start(Picoseconds zero);
  /// Begin no more operations. Those under way end normally.
  void stop();
  /// @param listener  must outlive this object, or null
  void set_listener(CxlOperationListener* listener) noexcept { listener_ = listener; }

  [[nodiscard]] const std::string& name() const noexcept { return spec_.name; }
  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_; }
  /// @return the number of operations that began later than their time.
  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }
  /// @return true if no more operations will begin.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// The durations of all operations that have ended, in picoseconds.
  [[nodiscard]] const LatencyHistogram& latencies() const noexcept { return latencies_; }

 private:
  class Own;

  void act(Picoseconds now) override;
  void completed(std::uint32_t user, Picoseconds now) override;
  void unblocked(Picoseconds now) override;
  void survey(const std::string& field);
  [[nodiscard]] bool refill();
  [[nodiscard]] bool begin(const TraceOperation& operation, Picoseconds now);
  [[nodiscard]] unsigned host_number(const cxl::Host* host) const;
  void wake(Picoseconds now);

  cxl::Engine& engine_;
  std::vector<CxlTargets> devices_;
  CxlReplaySpec spec_;
  CxlOperationListener* listener_ = nullptr;
  TraceReader reader_;
  std::vector<CxlOperation> operations_;   // by index in the trace's names
  std::vector<std::unique_ptr<Own>> own_;  // by device; null if the trace does not use it
  unsigned actor_ = 0;
  Picoseconds zero_ = 0;
  std::vector<TraceOperation> buffer_;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::uint32_t outstanding_;
  std::vector<const cxl::Host*> hosts_;   // by device: its host; null if it has none
  std::vector<std::uint32_t> under_way_;  // by number of host
  std::vector<Picoseconds> began_;        // by user number
  std::vector<unsigned> host_of_user_;
  std::vector<std::uint32_t> free_;
  bool waiting_ = false;  // waiting for an operation to end, or for a retry
  bool acting_ = false;
  bool ended_ = false;  // last operation begun, or stopped
  std::uint64_t begun_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t late_ = 0;
  LatencyHistogram latencies_;
};

}  // namespace pmufab::traffic
