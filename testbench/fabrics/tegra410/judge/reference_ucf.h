// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"
#include "testbench/judge/line_table.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::scoreboard {

/// A read or write that a UCF must make to the local memory of its socket.
struct MemoryOp {
  unsigned socket;
  MemoryClass memory_class;
  std::uint64_t address;  ///< of the line for whole lines, otherwise of the request
  std::uint32_t length;   ///< bytes
  bool is_write;
  bool operator==(const MemoryOp&) const = default;
};

/// The rules of docs/tegra410.md, written as plainly as possible: every UCF of a platform, request by request, without
/// time.
class ReferenceUcf {
 public:
  explicit ReferenceUcf(const Tegra410JudgeSpec& spec);

  /// The outcome of a request.
  struct Outcome {
    std::optional<std::string> refused;  ///< why the fabric must refuse it; nothing was counted then
    std::vector<MemoryOp> memory;        ///< in order
  };
  /// Apply all effects of one request, in every UCF it reaches.
  const Outcome& accept(const BoundaryObserver::Request& request);

  /// An event happened `amount` times at once at a UCF. Caches and directories do not change.
  void count(unsigned socket, UcfEvent event, Source source, Destination destination, std::uint64_t amount) {
    ucfs_.at(socket).tally.count(event, source, destination, amount);
  }

  [[nodiscard]] const UcfTally& tally(unsigned socket) const { return ucfs_.at(socket).tally; }
  [[nodiscard]] bool in_slc(unsigned socket, std::uint64_t address) const;
  [[nodiscard]] bool dirty_in_slc(unsigned socket, std::uint64_t address) const;

 private:
  using Line = std::uint64_t;

  /// A holder of a line: a cluster of the UCF's own socket, or another socket. Small, as there are many directory entries.
  struct Holder {
    bool remote;
    std::uint16_t id;
    bool operator==(const Holder&) const = default;
  };
  /// Holders by their numbers. A socket has at most 64 clusters.
  using Holders = std::bitset<64>;
  struct DirectoryEntry {
    Holders clusters;
    Holders sockets;
    std::optional<Holder> owner;
  };
  struct Way {
    Line line;
    bool dirty;
  };
  using Set = std::vector<Way>;  // most recently used first
  struct Ucf {
    UcfTally tally;
    std::vector<Set> slc;  // by slice and set
    LineTable<DirectoryEntry> directory;
  };
  /// One request at one UCF.
  struct Visit {
    unsigned socket;
    Source source;
    Destination destination;
    FabricOpcode opcode;
    std::uint64_t address;
    std::uint32_t length;
    Line line;
    const MemoryRange* home;
    std::optional<Holder> requester;  // absent: the requester can be no holder (a local GPU or PCIe device)
    bool becomes_holder;              // a cpu requester
    bool keeps_other_holders;         // arrived over the link, and its socket still holds the line
  };
  enum class SnoopRule : std::uint8_t { share, drop };

  void visit(const Visit& v);
  void count_request(const Visit& v);
  void snoop_and_record(const Visit& v);
  void snoop_others(const Visit& v, SnoopRule rule);
  void snoop_socket(unsigned socket, Line line, SnoopRule rule);
  void give_up(const Visit& v);
  void access_memory_uncached(const Visit& v);
  void access_slc(const Visit& v);
  void fetch(const Visit& v);
  void allocate(const Visit& v, bool dirty);
  void evict_snoop(unsigned home_socket, Line victim);
  void write_back(const Visit& v, Line line);

  Way* find(unsigned socket, Line line);
  const Way* find(unsigned socket, Line line) const;
  Way* touch(unsigned socket, Line line);
  void prefetch(unsigned socket, Line line, bool in_slc) const;
  Set& set_of(unsigned socket, Line line);
  const Set& set_of(unsigned socket, Line line) const;
  void forget_if_empty(unsigned socket, Line line);
  [[nodiscard]] Destination seen_from(unsigned socket, const MemoryRange& home) const;

  const Tegra410JudgeSpec spec_;
  std::vector<Ucf> ucfs_;
  Outcome outcome_;
  bool owner_snooped_ = false;  // by the present request
};

}  // namespace pmufab::scoreboard
