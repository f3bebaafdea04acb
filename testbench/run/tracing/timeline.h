// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/pmu/alarm.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/tracing/trace_filter.h"
#include "testbench/run/tracing/trace_listener.h"

namespace pmufab::scenario {

struct TimelineOptions {
  std::filesystem::path file{};  ///< is written line by line; timeline_writer.h makes something of it that tools read
  std::string title{};           ///< of the run
  TraceFilter filter{};
  Picoseconds every = 1'000'000;  ///< registers are looked at that often, and whenever something happens;
                                  ///< gauges that often
  std::uint64_t room = std::uint64_t{64} << 20;  ///< bytes for the first part; what comes after it is counted
};

/// Records a run's signals over time, from when the drivers are loaded until the scenario is over: the registers that
/// software accesses, field by field, interrupt lines, the perf core's calls, register writes, and the fabrics' gauges.
///
/// Lines of its file, with tabs between the words. Times are picoseconds, values hexadecimal:
///   s SIGNAL WIDTH NAME      there is a signal, from now on
///   v TIME SIGNAL VALUE      it has that value
///   b TIME CPU NAME DETAIL   a call begins on a CPU
///   e TIME CPU               the latest of its calls that has not ended ends
///   i TIME CPU NAME VALUE    something happens at once: a write of a register, or (no value) to the machine
///   n TIME                   nothing more happens until then
///   o COUNT                  so many lines are left out here
class Timeline final : public TraceListener {
 public:
  /// @throws JournalError if the file cannot be written; so do all members
  explicit Timeline(TimelineOptions options);

  void attach(Machine& machine) override;
  void on_phase(RunPhase phase) override;
  void on_loaded(const std::vector<perf::Pmu>& pmus) override { selection_.loaded(pmus); }
  void on_access(const AccessRecord& access) override;
  void on_line(std::uint32_t number, const std::string& source, bool high) override;
  void on_delivery(std::uint32_t /*number*/, bool /*begin*/, bool /*handled*/) override {}
  void on_note(const std::string& text) override;
  void on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t value,
               Picoseconds when) override;
  void on_open(const perf::PerfAttributes& /*attributes*/, perf::EventHandle /*leader*/,
               perf::EventHandle /*result*/) override {}
  void on_read(perf::EventHandle /*event*/, bool /*is_group*/, const perf::EventReading& /*reading*/) override {}
  void on_close(perf::EventHandle /*event*/) override {}
  void finish() override;

 private:
  struct Signal {
    unsigned number;
    unsigned lsb;
    unsigned width;
    std::optional<std::uint64_t> shown{};
  };
  /// A register that is looked at.
  struct Watched {
    const RegisterBank* bank;
    std::uint16_t index;
    std::uint16_t element;
    std::vector<Signal> signals;  // of its fields
  };
  /// A gauge of a fabric. It is looked at once in a period, so that rates are those of a period.
  struct Sampled {
    Gauge gauge;
    std::optional<unsigned> signal{};
    std::uint64_t before = 0;
    std::optional<std::uint64_t> shown{};
  };
  using Key = std::tuple<const RegisterBank*, std::uint16_t, std::uint16_t>;
  [[nodiscard]] bool is_recording() const;
  /// @return the number of a new signal
  unsigned declare(unsigned width, const std::string& name, bool is_interrupt = false);
  void watch(const AccessRecord& access);
  /// Write down what has changed.
  void look();
  void choose_gauges();
  void sample();
  void ring();
  [[nodiscard]] unsigned cpu() const;
  void write(std::string text);

  TimelineOptions options_;
  LineFile file_;
  TraceSelection selection_;
  Machine* machine_ = nullptr;
  std::unique_ptr<Alarm> alarm_;
  std::vector<Watched> watched_;
  std::vector<Sampled> sampled_;
  std::map<Key, std::size_t> places_;           // in watched_
  std::map<std::string, unsigned> lines_;       // signals of interrupt lines
  std::vector<std::optional<unsigned>> calls_;  // under way: their CPUs; nothing: not written down
  unsigned signals_ = 0;
  std::uint64_t written_ = 0;    // bytes
  std::uint64_t of_gauges_ = 0;  // of these, bytes of rates and occupancies
  std::uint64_t left_out_ = 0;   // lines
  std::uint64_t left_out_of_gauges_ = 0;
  std::exception_ptr failed_;  // what could not be written outside of the run's own process
};

}  // namespace pmufab::scenario
