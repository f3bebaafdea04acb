// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/ucf/ucf.h"

#include <string>

#include "models/tegra410/ucf/ucf_pass.h"

namespace pmufab::tegra410 {

Ucf::Ucf(const std::string& name, unsigned index, const Parameters& parameters, std::span<PrivateCache> clusters,
         FabricEdges& edges)
    : index_(index),
      latency_(parameters.latency),
      slc_(parameters.slc),
      cmem_(parameters.latency.cmem, parameters.latency.cmem_service),
      clusters_(clusters),
      edges_(edges) {
  for (const MemoryClass memory_class : parameters.slc.cached) cached_[static_cast<unsigned>(memory_class)] = true;
  probes_.reserve(kUcfEventCount);
  for (const UcfEventCode& event : kUcfEvents) probes_.emplace_back(name + '.' + std::string(event.name));
}

void Ucf::connect(const AddressMap& map, std::span<Ucf* const> ucfs) {
  map_ = &map;
  peers_.assign(ucfs.begin(), ucfs.end());
}

void Ucf::expect(std::uint64_t address, const MemoryRange& range) const noexcept {
  const std::uint64_t line = address / kLineBytes;
  const Ucf& home = *peers_[range.socket];
  directory_.prefetch(line);
  if (&home != this) home.directory_.prefetch(line);
  home.slc_.prefetch(line);
}

Picoseconds Ucf::accept(const Request& request, const MemoryRange& range) {
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_request(request);
  const Picoseconds latency = serve(request, range);
  edges_.entered(request, range, latency);
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_response(request, request.when + latency);
  return latency;
}

Picoseconds Ucf::serve(const Request& request, const MemoryRange& range) {
  if (range.memory_class == MemoryClass::bar) [[unlikely]]
    return serve_bar(request, range);
  const bool is_cpu = request.requester == RequesterKind::cpu;
  const bool at_home = range.socket == index_;
  const Source source = is_cpu ? Source::loc_cpu : Source::loc_noncpu;
  const Destination destination = at_home ? static_cast<Destination>(range.memory_class) : Destination::rem;
  Pass pass{.when = request.when,
            .address = request.address,
            .line = request.address / kLineBytes,
            .length = request.length,
            .opcode = request.opcode,
            .source = source,
            .memory_class = range.memory_class,
            .requester = is_cpu ? holder_of_cluster(request.requester_id) : kNobody,
            .is_cpu = is_cpu,
            .requester_still_holds = false,
            .owner_snooped = false,
            .qualifier = qualifier(source, destination)};
  count_request(pass);
  snoop(pass);
  if (at_home) return latency_.slc + serve_home(pass);

  count_uncached(pass);
  Pass remote = pass;
  remote.source = Source::rem;
  remote.requester = holder_of_socket(index_);
  remote.requester_still_holds = directory_.find(pass.line) != nullptr;
  remote.qualifier = qualifier(Source::rem, static_cast<Destination>(range.memory_class));
  Ucf& home = *peers_[range.socket];
  home.count_request(remote);
  home.snoop(remote);
  const Picoseconds served = latency_.slc + home.serve_home(remote);
  const Picoseconds answered = served + latency_.link;
  cross_link(pass, index_, range.socket, pass.when + answered);
  home.cross_link(remote, index_, range.socket, pass.when + served);
  return answered;
}

/// A request on the link between sockets, at this socket's end of it, until `end`.
void Ucf::cross_link(const Pass& pass, unsigned from, unsigned to, Picoseconds end) {
  edges_.crossed_link(to == index_, pass.opcode, pass.line, pass.when, end);
  if (observer_ == nullptr) [[likely]]
    return;
  observer_->on_link_request({.start = pass.when,
                              .end = end,
                              .address = pass.address,
                              .length = pass.length,
                              .opcode = pass.opcode,
                              .from_socket = static_cast<std::uint8_t>(from),
                              .to_socket = static_cast<std::uint8_t>(to),
                              .socket = static_cast<std::uint8_t>(index_)});
}

/// BARs are not cached, whatever the opcode: reads read, writes and atomics write, other opcodes do nothing.
Picoseconds Ucf::serve_bar(const Request& request, const MemoryRange& range) {
  Ucf& home = *peers_[range.socket];
  home.edges_.access_bar(request, range);
  const Picoseconds served = home.latency_.bar;
  if (&home == this) return served;
  const Picoseconds answered = served + latency_.link;
  Pass pass{};
  pass.when = request.when;
  pass.address = request.address;
  pass.line = request.address / kLineBytes;
  pass.length = request.length;
  pass.opcode = request.opcode;
  cross_link(pass, index_, range.socket, request.when + answered);
  home.cross_link(pass, index_, range.socket, request.when + served);
  return answered;
}

void Ucf::count_request(const Pass& pass) {
  switch (class_of(pass.opcode)) {
    case OpcodeClass::read:
      publish(UcfEvent::slc_access_rd, 1, pass.qualifier, pass.when);
      publish(UcfEvent::slc_bytes_rd, pass.length, pass.qualifier, pass.when);
      break;
    case OpcodeClass::write:
      publish(UcfEvent::slc_access_wr, 1, pass.qualifier, pass.when);
      publish(UcfEvent::slc_bytes_wr, pass.length, pass.qualifier, pass.when);
      break;
    case OpcodeClass::dataless:
      publish(UcfEvent::slc_access_dataless, 1, pass.qualifier, pass.when);
      break;
    case OpcodeClass::atomic:
      publish(UcfEvent::slc_access_atomic, 1, pass.qualifier, pass.when);
      break;
  }
}

void Ucf::count_uncached(const Pass& pass) {
  switch (class_of(pass.opcode)) {
    case OpcodeClass::read:
      publish(UcfEvent::mem_access_rd, 1, pass.qualifier, pass.when);
      publish(UcfEvent::mem_bytes_rd, pass.length, pass.qualifier, pass.when);
      break;
    case OpcodeClass::write:
    case OpcodeClass::atomic:
      publish(UcfEvent::mem_access_wr, 1, pass.qualifier, pass.when);
      publish(UcfEvent::mem_bytes_wr, pass.length, pass.qualifier, pass.when);
      break;
    case OpcodeClass::dataless:
      break;
  }
}

/// @return the latency the requester sees beyond that of the SLC
Picoseconds Ucf::serve_home(Pass& pass) {
  if (!cached_[static_cast<unsigned>(pass.memory_class)]) return serve_uncached(pass);
  const Picoseconds wait = serve_cached(pass);
  if (pass.owner_snooped) slc_.mark_dirty(pass.line);
  return wait;
}

Picoseconds Ucf::serve_uncached(const Pass& pass) {
  count_uncached(pass);
  switch (class_of(pass.opcode)) {
    case OpcodeClass::read:
      return read_memory(pass, pass.address, pass.length);
    case OpcodeClass::write:
    case OpcodeClass::atomic:
      write_memory(pass.memory_class, pass.address, pass.length, pass.when);
      break;
    case OpcodeClass::dataless:
      break;
  }
  return 0;
}

Picoseconds Ucf::serve_cached(const Pass& pass) {
  switch (pass.opcode) {
    case FabricOpcode::read_shared:
    case FabricOpcode::read_unique:
    case FabricOpcode::read_once: {
      if (slc_.read(pass.line)) {
        publish(UcfEvent::slc_hit_rd, 1, pass.qualifier, pass.when);
        return 0;
      }
      publish(UcfEvent::mem_access_rd, 1, pass.qualifier, pass.when);
      publish(UcfEvent::mem_bytes_rd, kLineBytes, pass.qualifier, pass.when);
      const Picoseconds wait = read_memory(pass, pass.line * kLineBytes, kLineBytes);
      if (pass.opcode != FabricOpcode::read_once) {
        publish(UcfEvent::slc_refill_rd, 1, pass.qualifier, pass.when);
        allocate(pass, false);
      }
      return wait;
    }
    case FabricOpcode::write_unique_full:
    case FabricOpcode::write_back_full:
      if (!slc_.write(pass.line)) allocate(pass, true);
      return 0;
    case FabricOpcode::write_unique_ptl:
    case FabricOpcode::atomic_store:
      if (!slc_.write(pass.line)) {
        publish(UcfEvent::mem_access_rd, 1, pass.qualifier, pass.when);
        publish(UcfEvent::mem_bytes_rd, kLineBytes, pass.qualifier, pass.when);
        publish(UcfEvent::slc_refill_wr, 1, pass.qualifier, pass.when);
        read_memory(pass, pass.line * kLineBytes, kLineBytes);  // the writer does not wait for it
        allocate(pass, true);
      }
      return 0;
    case FabricOpcode::clean_invalid:
      if (slc_.drop(pass.line).value_or(false)) write_back(pass.line, pass.source, pass.when);
      return 0;
    case FabricOpcode::evict:
    case FabricOpcode::clean_unique:
      break;
  }
  return 0;
}

void Ucf::allocate(const Pass& pass, bool dirty) {
  publish(UcfEvent::slc_allocate, 1, pass.qualifier, pass.when);
  const std::optional<Slc::Victim> victim = slc_.allocate(pass.line, dirty);
  if (!victim) return;
  if (peers_.size() > 1) evicted_at_home(victim->line, pass.when);
  if (victim->flag) write_back(victim->line, pass.source, pass.when);
}

void Ucf::write_back(std::uint64_t line, Source source, Picoseconds when) {
  const std::uint64_t address = line * kLineBytes;
  const MemoryClass memory_class = map_->find(address)->memory_class;
  const unsigned where = qualifier(source, static_cast<Destination>(memory_class));
  publish(UcfEvent::slc_wb, 1, where, when);
  publish(UcfEvent::mem_access_wr, 1, where, when);
  publish(UcfEvent::mem_bytes_wr, kLineBytes, where, when);
  write_memory(memory_class, address, kLineBytes, when);
}

Picoseconds Ucf::read_memory(const Pass& pass, std::uint64_t address, unsigned bytes) {
  const Picoseconds start = pass.when + latency_.slc;
  Picoseconds end = start;
  switch (pass.memory_class) {
    case MemoryClass::cmem: {
      const unsigned parts = (bytes + kCmemPartBytes - 1) / kCmemPartBytes;
      const CmemControllers::Place place = CmemControllers::place(pass.line);
      end = cmem_.read(place, parts, start);
      edges_.read_cmem(place, parts, pass.when, start, end);
      break;
    }
    case MemoryClass::gmem:
      end = start + latency_.gmem;
      edges_.access_gmem(address, false, pass.when, start, end);
      break;
    case MemoryClass::cxl:
      end = start + latency_.cxl;
      edges_.read_cxl(address, bytes, pass.when, start, end);
      break;
    case MemoryClass::bar:
      break;  // not memory
  }
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_memory_access({start, end, address, bytes, false, static_cast<std::uint8_t>(index_)});
  return end - start;
}

/// No requester waits for a write; GMEM acknowledges its writes all the same.
void Ucf::write_memory(MemoryClass memory_class, std::uint64_t address, unsigned bytes, Picoseconds when) {
  if (memory_class == MemoryClass::cxl) edges_.write_cxl(address, bytes, when);
  const Picoseconds start = when + latency_.slc;
  Picoseconds end = start;
  if (memory_class == MemoryClass::gmem) {
    end = start + latency_.gmem;
    edges_.access_gmem(address, true, when, start, end);
  }
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_memory_access({start, end, address, bytes, true, static_cast<std::uint8_t>(index_)});
}

}  // namespace pmufab::tegra410
