// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/perf/event_names.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/tracing/trace_filter.h"
#include "testbench/run/tracing/trace_listener.h"

namespace pmufab::scenario {

struct AccessLogOptions {
  std::filesystem::path file{};  ///< is written line by line: what a process that dies has written is there
  std::string title{};           ///< of the run
  bool is_json = false;          ///< a JSON object per line; else text
  TraceFilter filter{};
  std::uint64_t room = std::uint64_t{64} << 20;  ///< bytes for the first part; the lines after it are counted
};

/// The access log of one run: register accesses with what they change, the perf core's calls, interrupts, events.
/// docs/verification/tracing.md describes its lines.
class AccessLog final : public TraceListener {
 public:
  /// @throws JournalError if the file cannot be written; so do all members
  explicit AccessLog(AccessLogOptions options);

  void attach(Machine& machine) override;
  void on_phase(RunPhase phase) override;
  void on_loaded(const std::vector<perf::Pmu>& pmus) override;
  void on_access(const AccessRecord& access) override;
  void on_line(std::uint32_t number, const std::string& source, bool high) override;
  void on_delivery(std::uint32_t number, bool begin, bool handled) override;
  void on_opening(const std::string& text) override { written_text_ = text; }
  void on_kernel_line(const std::string& line) override;
  void on_note(const std::string& text) override;
  void on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t value,
               Picoseconds when) override;
  std::string on_add_failed(const std::string& pmu, perf::EventHandle event, int error) override;
  void on_open(const perf::PerfAttributes& attributes, perf::EventHandle leader, perf::EventHandle result) override;
  void on_read(perf::EventHandle event, bool is_group, const perf::EventReading& reading) override;
  void on_close(perf::EventHandle event) override;
  void finish() override;

 private:
  struct Named {
    std::string pmu;
    std::string text;
  };
  /// Fields of a register that an access changes, or that a write leaves set.
  struct Fields {
    Json changed = Json::array();
    Json kept = Json::array();
  };
  [[nodiscard]] Fields fields_of(const AccessRecord& access);
  [[nodiscard]] Json entry(const char* kind) const;
  void add_event(Json& line, perf::EventHandle event) const;
  void add_truth(Json& line, Call call, perf::EventHandle event) const;
  void put_interrupt(const char* what, std::uint32_t number, const std::string& source);
  void put(const Json& line);
  void write(const std::string& text);
  void write_end(const Json& line);

  AccessLogOptions options_;
  LineFile file_;
  TraceSelection selection_;
  Machine* machine_ = nullptr;
  struct Published {
    Published(const std::vector<perf::Pmu>& pmus, const scoreboard::Scoreboard& judge)
        : catalog(pmus), names(catalog, judge) {}
    perf::PmuCatalog catalog;
    perf::EventNames names;
  };
  std::unique_ptr<Published> published_;
  std::map<perf::EventHandle, Named> events_;
  std::string written_text_;                      // of the event that is being opened
  std::map<std::uint32_t, std::string> sources_;  // of interrupts, by number
  std::map<std::uint64_t, std::uint64_t> seen_;   // by address of the register: what software knows of it
  unsigned depth_ = 0;                            // calls of the perf core that are under way
  std::uint64_t written_ = 0;                     // bytes
  std::uint64_t left_out_ = 0;                    // lines
};

/// @return a line of the log for people, from the object that JSON lines have; without a line's end
[[nodiscard]] std::string to_text(const Json& line);

}  // namespace pmufab::scenario
