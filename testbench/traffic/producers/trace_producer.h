// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/traffic/page_table.h"
#include "testbench/traffic/producers/producer.h"
#include "testbench/traffic/trace_format.h"

namespace pmufab::traffic {

/// The requests of a generator that replays a trace.
class TraceProducer final : public Producer {
 public:
  /// Reads the file through once: places its pages, counts its accesses, and checks it for damage.
  /// @param spec    checked by validate(), with a trace
  /// @param field   path of `spec`, for errors
  /// @param table   number of this page table among the scenario's `tables`
  /// @throws SpecError if the trace does not fit into its memory, or holds nothing to replay
  /// @throws TraceError for a file that is damaged or cannot be read
  TraceProducer(const GeneratorSpec& spec, const std::string& field, const std::vector<MemoryRange>& map,
                std::uint64_t table, std::uint64_t tables);

  std::size_t fill(std::span<Request> requests) override;
  bool next_phase(Picoseconds) override { return false; }
  [[nodiscard]] Picoseconds deadline() const noexcept override { return kNever; }
  [[nodiscard]] Picoseconds phase_end() const noexcept override { return when_; }
  [[nodiscard]] std::uint32_t outstanding() const noexcept override { return outstanding_; }
  [[nodiscard]] bool catch_up() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t expected() const noexcept override { return expected_; }

 private:
  // The rest of the access under way: a request never crosses a line, and a modify is a load, then a store.
  struct Access {
    std::uint64_t address = 0;  // virtual, of the rest
    std::uint32_t left = 0;     // bytes
    bool store = false;
  };
  void survey(const std::string& field);
  bool next_access();
  bool next_record();

  TraceSpec trace_;
  bool direct_;
  FabricOpcode load_opcode_;
  bool full_line_loads_;
  std::uint32_t outstanding_;
  TraceReader reader_;
  PageTable pages_;
  std::vector<TraceRecord> records_;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t passes_left_ = 0;
  std::uint64_t accesses_left_ = 0;
  std::uint64_t expected_ = 0;
  Picoseconds when_;
  bool first_ = true;
  Access access_;
  bool store_follows_ = false;  // the store of a modify is still to come
};

}  // namespace pmufab::traffic
