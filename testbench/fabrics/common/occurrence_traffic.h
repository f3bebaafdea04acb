// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/traffic/producers/occurrence_stream.h"

namespace pmufab::scenario {

/// The streams of one fabric. Its functions are those of Fabric.
class OccurrenceTraffic {
 public:
  /// @param module  begins the names of the streams' modules
  /// @param what    the streams let happen, for gauges
  OccurrenceTraffic(std::string module, std::string what) : module_(std::move(module)), what_(std::move(what)) {}

  /// @param seed  the scenario's
  void add(const traffic::StreamSpec& stream, traffic::OccurrenceStream::Happen happen, std::uint64_t seed);
  void start();
  void stop();
  [[nodiscard]] bool is_busy() const;
  [[nodiscard]] const sc_core::sc_event* idle_event() const { return streams_.empty() ? nullptr : &idle_; }
  void report(Json& list) const;
  void add_gauges(std::vector<Gauge>& gauges) const;

 private:
  std::string module_;
  std::string what_;
  std::vector<std::unique_ptr<traffic::OccurrenceStream>> streams_;
  sc_core::sc_event idle_;  // a stream has ended
};

/// @return when streams end, as FabricKind::traffic_end() has it
[[nodiscard]] TrafficEnd end_of_streams(const std::vector<traffic::StreamSpec>& streams);

}  // namespace pmufab::scenario
