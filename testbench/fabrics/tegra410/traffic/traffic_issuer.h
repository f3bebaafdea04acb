// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "testbench/traffic/lane.h"
#include "testbench/traffic/producers/traffic_spec.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::traffic {

/// Sends the requests of all generators of a scenario into a platform, from one SystemC process, in the order of their
/// times (and of the generators, at equal times).
///
/// A request is sent by b_transport at its exact time: sc_time_stamp() plus the annotated delay. The issuer runs ahead
/// of simulated time, but only up to the next pending event of the simulation. At time T a process therefore sees
/// exactly the requests before T done. Requests at T come after everything else that happens at T. If nothing is
/// pending, the issuer runs ahead by up to Options::run_ahead; after a plain sc_start(duration), requests from beyond
/// its end may be done, so let a process wait instead.
class TrafficIssuer : public sc_core::sc_module {
 public:
  struct Progress {
    std::uint64_t issued;
    std::uint64_t expected;  ///< approximate; without generators that have no end
    Picoseconds sent_until;  ///< simulated time of the last request, which may be ahead of now
    [[nodiscard]] double fraction() const noexcept {
      return expected == 0 ? 0.0 : std::min(1.0, static_cast<double>(issued) / static_cast<double>(expected));
    }
  };
  struct Options {
    Picoseconds run_ahead = 1'000'000'000;    ///< largest number so far
    std::uint64_t progress_every = 1U << 20;  ///< requests between calls of `progress`; not 0
    std::function<void(const Progress&)> progress = {};
  };

  /// @throws SpecError, TraceError as make_producers() does
  TrafficIssuer(const sc_core::sc_module_name& name, const TrafficSpec& spec, const std::vector<MemoryRange>& map,
                unsigned sockets);
  TrafficIssuer(const sc_core::sc_module_name& name, const TrafficSpec& spec, const std::vector<MemoryRange>& map,
                unsigned sockets, Options options);
  ~TrafficIssuer() override;

  /// One per platform socket: loads and stores of its clusters. Unused ones may stay unbound.
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_optional<TrafficIssuer, 64>> cpu_access;
  /// One per platform socket: CHI requests directly to its fabric. Unused ones may stay unbound.
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_optional<TrafficIssuer, 64>> requests;

  /// Set time 0 of the generators to now. Call it before the simulation or from any process; once.
  void start();
  /// Send no more requests. Those in flight complete.
  void stop();

  /// Notified at the time of the last completion, when every generator has ended or been stopped.
  [[nodiscard]] const sc_core::sc_event& done_event() const noexcept { return done_event_; }
  /// @return true if that time has come.
  [[nodiscard]] bool done() const noexcept;

  /// @return statistics in the order of the scenario's generators. Requests sent ahead of time count as sent.
  [[nodiscard]] std::vector<GeneratorStatistics> statistics() const;
  [[nodiscard]] std::uint64_t issued() const noexcept { return issued_; }
  /// @return the number of generators, and one of them, in the order of statistics()
  [[nodiscard]] std::size_t generators() const noexcept { return lanes_.size(); }
  [[nodiscard]] const Lane& generator(std::size_t index) const { return lanes_.at(index); }
  /// @return the requests of a generator that have not completed
  [[nodiscard]] std::uint64_t outstanding(std::size_t index) const {
    const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
    return state_ == State::idle ? 0 : lanes_.at(index).outstanding(now - start_);
  }

 private:
  // A requester of a generator: the payload its requests reuse, and their socket. A payload is free again when
  // b_transport returns.
  struct Outlet;
  struct Entry {
    Picoseconds when;
    std::uint32_t lane;
    friend bool operator<(const Entry& a, const Entry& b) noexcept {
      return a.when != b.when ? a.when < b.when : a.lane < b.lane;
    }
  };
  enum class State : std::uint8_t { idle, running, ended };

  void end_of_elaboration() override;
  void run();
  bool may_send(Picoseconds when, Picoseconds now);
  void send(Picoseconds when, Picoseconds now);
  void settle();
  void report_error(const Lane& lane, const Outlet& outlet);
  void end();

  Options options_;
  State state_ = State::idle;
  Picoseconds start_ = 0;
  Picoseconds end_ = 0;
  std::vector<Lane> lanes_;
  std::vector<std::vector<std::unique_ptr<Outlet>>> outlets_;  // by lane and requester
  std::vector<Entry> heap_;                                    // lanes with a request; the next one first
  unsigned deferrals_ = 0;
  std::uint64_t issued_ = 0;
  std::uint64_t expected_ = 0;
  std::uint64_t until_progress_;
  sc_core::sc_simcontext* context_;
  sc_core::sc_event wake_event_;
  sc_core::sc_event done_event_;
};

}  // namespace pmufab::traffic
