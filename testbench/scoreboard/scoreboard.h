#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/driver_host/driver_host.h"
#include "testbench/scoreboard/event_meaning.h"
#include "testbench/scoreboard/finding.h"
#include "testbench/scoreboard/scoreboard_spec.h"
#include "testbench/scoreboard/ucf_events.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::scoreboard {

/// A ratio kept exact until somebody prints it.
struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;  ///< 0: no value
  [[nodiscard]] double value() const noexcept {
    return denominator == 0 ? 0.0 : static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

/// A span of time in which an event had to count: begin inclusive, end exclusive.
struct CountingWindow {
  Picoseconds begin;
  Picoseconds end;
};

/// The judgement of one read of a running event.
struct ReadCheck {
  Picoseconds begin;  ///< the driver's read call
  Picoseconds end;
  std::uint64_t value;  ///< what the driver made of it
  std::uint64_t low;    ///< must be at least: count at the begin of the call, or the sampled count
  std::uint64_t high;   ///< must be at most: count at the end of the call, or the sampled count
  bool sampled;         ///< low == high because the register read was seen on the bus
  bool monotonic;       ///< not below the read before
  [[nodiscard]] bool ok() const noexcept { return monotonic && low <= value && value <= high; }
};

/// The judgement of one event.
struct EventResult {
  enum class Verdict : std::uint8_t {
    exact,        ///< every value the driver gave is right; the last one was taken with the event stopped
    within,       ///< still running; every read was possible
    mismatch,     ///< at least one value is wrong
    not_counted,  ///< never scheduled, or its driver never gave a value
  };
  driver_host::EventHandle event = 0;
  std::string pmu;
  std::string meaning;  ///< the event in words
  Verdict verdict = Verdict::not_counted;
  std::uint64_t expected = 0;           ///< now; final once the event is stopped
  std::optional<std::uint64_t> driver;  ///< raw count at the end of the driver's last call about the event
  bool running = false;                 ///< not stopped yet
  std::vector<CountingWindow> windows;  ///< closed windows
  Picoseconds window_time = 0;          ///< their sum, and the open one up to the last thing seen
  EventMatrix breakdown;                ///< UCF traffic events: the event without its filter, by source and destination
  std::uint64_t reads = 0;              ///< reads judged
  std::uint64_t reads_sampled = 0;      ///< of these, exactly
  std::uint64_t reads_failed = 0;
  std::vector<ReadCheck> failed_reads;  ///< the first eight
  std::optional<ReadCheck> last_read;
  std::string explanation;       ///< mismatch: what is known about the difference
  Ratio mean_read_latency_ps;    ///< CMEM: of the reads that left within the windows, by 32-byte part
  Ratio bandwidth_bytes_per_ns;  ///< byte events: expected / window_time (equals GB/s); rd_req: 32 bytes each
};

/// What crossed the wires to one class of memory of one socket since the beginning.
struct MemoryTruth {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t read_parts = 0;  ///< 32-byte parts
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  Ratio mean_read_latency_ps;  ///< by part, as the CMEM PMU weighs it
};

/// The judge. Give it to the platform as boundary observer, to the driver host as perf call observer, and to the bus as
/// monitor; tell it what the user's events mean; ask for results.
///
/// It listens to requests, to the wires to memory, to the perf core's calls and to the drivers' register accesses; it
/// reads neither models nor drivers. Everything is called synchronously, in simulation order: among things of the same
/// time the order of the calls decides.
class Scoreboard final : public BoundaryObserver, public driver_host::PerfCallObserver {
 public:
  /// @throws std::invalid_argument from ScoreboardSpec::validate()
  explicit Scoreboard(ScoreboardSpec spec);
  ~Scoreboard() override;
  Scoreboard(const Scoreboard&) = delete;
  Scoreboard& operator=(const Scoreboard&) = delete;

  // Wires.
  void on_request(const Request& request) override;
  void on_memory_access(const MemoryAccess& access) override;
  void on_bus_access(const MmioBus::BusAccess& access);
  void on_call(Call call, bool begin, const std::string& pmu, driver_host::EventHandle event, std::uint64_t value,
               Picoseconds when) override;
  void on_add_failed(const std::string& pmu, driver_host::EventHandle event, int error) override;

  /// @return true if this scoreboard can judge events of that PMU.
  [[nodiscard]] bool judges(const std::string& pmu) const;

  /// What the user asked for under this handle. Any time before results(); events opened enabled count from then on all
  /// the same (only reads before this call are not judged).
  /// @throws std::invalid_argument for an unknown PMU or a term it does not have; nothing is expected then
  void expect(driver_host::EventHandle event, const std::string& pmu, const EventTerms& terms);

  /// @return the judgement of every expected event, in order of handles. Callable at any time.
  [[nodiscard]] std::vector<EventResult> results() const;
  /// @return the judgement of one event; nullopt if nothing is expected of it.
  [[nodiscard]] std::optional<EventResult> result(driver_host::EventHandle event) const;
  /// @return what the event must have counted up to `when` (not before the last thing seen); 0 if nothing is expected.
  [[nodiscard]] std::uint64_t expected(driver_host::EventHandle event, Picoseconds when) const;

  /// Compare what is left over: memory accesses that had to happen and were not seen. Once, after the traffic ended.
  void finish();
  [[nodiscard]] const Findings& findings() const;

  /// Everything a UCF counted since the beginning, whatever the PMUs do.
  [[nodiscard]] const UcfTally& tally(unsigned socket) const;
  [[nodiscard]] MemoryTruth memory_truth(unsigned socket, MemoryClass memory_class) const;

  /// @return a report line per event and finding, for people.
  [[nodiscard]] std::string report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] std::string_view to_string(EventResult::Verdict verdict) noexcept;

}  // namespace pmufab::scoreboard
