// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/tegra410/address_map.h"
#include "models/tegra410/cmem/cmem_controllers.h"
#include "models/tegra410/cpu/private_cache.h"
#include "models/tegra410/fabric_edges.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/ucf/directory.h"
#include "models/tegra410/ucf/lru_sets.h"
#include "models/tegra410/ucf/ucf_events.h"
#include "tlm/probe/probe.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::tegra410 {

/// The system-level cache: line L belongs to slice L mod slices and set (L / slices) mod sets, with exact LRU in each
/// set. It holds lines and whether they are dirty; the fabric handles victims.
class Slc {
 public:
  using Victim = LruSets::Victim;  ///< flag: dirty

  explicit Slc(const SlcParameters& parameters)
      : slices_(parameters.slices),
        sets_(parameters.sets),
        lines_(std::size_t{parameters.slices} * parameters.sets, parameters.ways) {}

  /// Prefetch: a request for the line follows soon.
  void prefetch(std::uint64_t line) const noexcept { lines_.prefetch(index(line)); }
  /// A read: makes the line the most recently used. @return true if it is present
  bool read(std::uint64_t line) noexcept { return lines_.touch(index(line), line); }
  /// A write: makes the line dirty and the most recently used. @return true if it is present
  bool write(std::uint64_t line) noexcept { return lines_.touch_and_set(index(line), line); }
  /// Insert an absent line. @return the line it replaced
  std::optional<Victim> allocate(std::uint64_t line, bool dirty) noexcept {
    const std::size_t set = index(line);
    const std::optional<Victim> victim = lines_.make_room(set);
    lines_.insert(set, line, dirty);
    return victim;
  }
  /// Make a line dirty, if present. Its place in the order does not change.
  void mark_dirty(std::uint64_t line) noexcept { lines_.set_flag(index(line), line, true); }
  /// Remove a line. @return true if it was dirty; nothing if it was absent
  std::optional<bool> drop(std::uint64_t line) noexcept { return lines_.erase(index(line), line); }
  /// @return true if the line is dirty; nothing if it is absent
  [[nodiscard]] std::optional<bool> dirty(std::uint64_t line) const noexcept { return lines_.flag(index(line), line); }

 private:
  [[nodiscard]] std::size_t index(std::uint64_t line) const noexcept {
    const std::uint64_t above = slices_.quotient(line);
    const std::uint64_t slice = line - above * slices_.divisor();
    const std::uint64_t set = above - sets_.quotient(above) * sets_.divisor();
    return static_cast<std::size_t>(slice * sets_.divisor() + set);
  }

  Divider slices_;
  Divider sets_;
  LruSets lines_;
};

/// The unified coherence fabric of one socket: SLC, snoop directory, the paths to memory and to the other sockets.
///
/// Plain C++: a request is completed when it is accepted, at every UCF it reaches. Events are published on one Probe
/// per UcfEvent, with qualifier() as the qualifier.
class Ucf {
 public:
  using Request = BoundaryObserver::Request;

  /// @param name      prefix of the probes' names, for example "socket0.ucf"
  /// @param index     the socket
  /// @param clusters  private caches of this socket's clusters; not owned
  /// @param edges     called for everything that crosses an edge of the fabric; not owned
  Ucf(const std::string& name, unsigned index, const Parameters& parameters, std::span<PrivateCache> clusters,
      FabricEdges& edges);
  Ucf& operator=(Ucf&&) = delete;

  /// Set the memory map and the fabrics of the platform. Before the first request.
  /// @param ucfs  element i is the UCF of socket i; this one is among them
  void connect(const AddressMap& map, std::span<Ucf* const> ucfs);
  void set_observer(BoundaryObserver* observer) noexcept { observer_ = observer; }

  /// Prefetch for a request for `address` that is about to be accepted. Changes nothing.
  void expect(std::uint64_t address, const MemoryRange& range) const noexcept;

  /// Accept a valid request of a local requester. Acceptance times of all fabrics of a platform never run backwards.
  /// @param range  the range of request.address
  /// @return the latency the requester sees
  Picoseconds accept(const Request& request, const MemoryRange& range);

  [[nodiscard]] Probe& probe(UcfEvent event) noexcept { return probes_[static_cast<unsigned>(event)]; }
  [[nodiscard]] const Slc& slc() const noexcept { return slc_; }
  [[nodiscard]] Directory& directory() noexcept { return directory_; }

 private:
  struct Pass;

  Picoseconds serve(const Request& request, const MemoryRange& range);
  void cross_link(const Pass& pass, unsigned from, unsigned to, Picoseconds end);
  void count_request(const Pass& pass);
  void count_uncached(const Pass& pass);
  Picoseconds serve_home(Pass& pass);
  Picoseconds serve_bar(const Request& request, const MemoryRange& range);
  Picoseconds serve_uncached(const Pass& pass);
  Picoseconds serve_cached(const Pass& pass);
  void allocate(const Pass& pass, bool dirty);
  void write_back(std::uint64_t line, Source source, Picoseconds when);
  Picoseconds read_memory(const Pass& pass, std::uint64_t address, unsigned bytes);
  void write_memory(MemoryClass memory_class, std::uint64_t address, unsigned bytes, Picoseconds when);

  void snoop(Pass& pass);
  void snoop_owner(Pass& pass);
  void snoop_others(Pass& pass);
  void give_back(const Pass& pass);
  void snoop_clusters(std::uint64_t clusters, std::uint64_t line, unsigned qualifier, Picoseconds when);
  bool snooped_from_outside(std::uint64_t line, bool share, Picoseconds when);
  void evicted_at_home(std::uint64_t line, Picoseconds when);
  void snooped_by_eviction(std::uint64_t line, Picoseconds when);

  void publish(UcfEvent event, std::uint64_t amount, unsigned qualifier, Picoseconds when) {
    probes_[static_cast<unsigned>(event)].publish(amount, qualifier, when);
  }

  unsigned index_;
  LatencyParameters latency_;
  std::array<bool, 4> cached_{};  // by MemoryClass
  Slc slc_;
  Directory directory_;
  CmemControllers cmem_;
  std::span<PrivateCache> clusters_;
  FabricEdges& edges_;
  const AddressMap* map_ = nullptr;
  BoundaryObserver* observer_ = nullptr;
  std::vector<Ucf*> peers_;
  std::vector<Probe> probes_;
};

}  // namespace pmufab::tegra410
