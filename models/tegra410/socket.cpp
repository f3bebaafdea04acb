// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/socket.h"

#include <array>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace pmufab::tegra410 {

namespace {

constexpr std::uint64_t kLineOffset = kLineBytes - 1;

/// The payload that an opcode requires.
struct OpcodeRule {
  tlm::tlm_command command;
  bool full_line;
};

constexpr std::array<OpcodeRule, kFabricOpcodeCount> kRules = {{
    {tlm::TLM_READ_COMMAND, true},     // read_shared
    {tlm::TLM_READ_COMMAND, true},     // read_unique
    {tlm::TLM_READ_COMMAND, false},    // read_once
    {tlm::TLM_WRITE_COMMAND, true},    // write_unique_full
    {tlm::TLM_WRITE_COMMAND, false},   // write_unique_ptl
    {tlm::TLM_WRITE_COMMAND, true},    // write_back_full
    {tlm::TLM_IGNORE_COMMAND, false},  // evict
    {tlm::TLM_IGNORE_COMMAND, false},  // clean_unique
    {tlm::TLM_IGNORE_COMMAND, false},  // clean_invalid
    {tlm::TLM_WRITE_COMMAND, false},   // atomic_store
}};

bool has_good_shape(const tlm::tlm_generic_payload& payload) noexcept {
  const unsigned length = payload.get_data_length();
  return length != 0 && (payload.get_address() & kLineOffset) + length <= kLineBytes &&
         payload.get_streaming_width() >= length;
}

}  // namespace

Socket::Socket(const sc_core::sc_module_name& name, unsigned index, const Parameters& parameters, const AddressMap& map,
               const SocketClocks& clocks, std::span<const PcieRootComplex> root_complexes, AcceptanceOrder& order,
               const std::function<void(Socket&)>& add_pmus)
    : sc_core::sc_module(name),
      cpu_access("cpu_access"),
      requests("requests"),
      index_(index),
      map_(map),
      order_(order),
      hit_latency_(parameters.private_cache.hit_latency),
      clusters_(parameters.clusters, PrivateCache(parameters.private_cache)),
      cmem_latency_pmu_("cmem_latency_pmu", parameters.cmem_latency_pmu, clocks.ucf),
      c2c_(parameters, clocks.c2c),
      edges_(map, cmem_latency_pmu_, c2c_),
      ucf_(std::string(basename()) + ".ucf", index, parameters, clusters_, edges_) {
  for (const PcieRootComplex& ports : root_complexes) {
    if (ports.socket != index) continue;
    edges_.attach(*root_complexes_.emplace_back(std::make_unique<RootComplex>(ports, parameters, clocks.soc)));
  }
  cpu_access.register_b_transport(this, &Socket::transport_cpu_access);
  requests.register_b_transport(this, &Socket::transport_request);
  add_pmus(*this);
}

Socket::~Socket() = default;

void Socket::connect(std::span<Socket* const> sockets) {
  std::vector<Ucf*> ucfs;
  for (unsigned index = 0; index < sockets.size(); ++index) {
    if (sockets[index]->index_ != index) throw std::invalid_argument("sockets are not in the order of their indices");
    ucfs.push_back(&sockets[index]->ucf_);
  }
  for (Socket* const socket : sockets) socket->ucf_.connect(socket->map_, ucfs);
}

/// The checks common to both kinds of access; the caller checks the shape.
tlm::tlm_response_status Socket::check(const tlm::tlm_generic_payload& payload,
                                       const FabricExtension* extension) const noexcept {
  if (extension == nullptr || extension->socket != index_) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (extension->requester == RequesterKind::cpu && extension->requester_id >= clusters_.size())
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (extension->requester == RequesterKind::pcie) {
    const RootComplex* const complex = edges_.root_complex(extension->root_complex);
    if (complex == nullptr || !complex->has_root_port(extension->root_port)) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

/// Decide when the request arrives. Waits until then if anything may happen before.
Picoseconds Socket::arrive(sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::sc_simcontext* const context = sc_core::sc_get_curr_simcontext();
    if (delay >= sc_core::sc_time_to_pending_activity(context)) {
      sc_core::wait(delay);
      delay = sc_core::SC_ZERO_TIME;
    }
  }
  return order_.accept(to_picoseconds(sc_core::sc_time_stamp()) + to_picoseconds(delay));
}

void Socket::transport_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto* const extension = payload.get_extension<FabricExtension>();
  if (const auto status = check(payload, extension); status != tlm::TLM_OK_RESPONSE) [[unlikely]] {
    payload.set_response_status(status);
    return;
  }
  const OpcodeRule& rule = kRules[static_cast<unsigned>(extension->opcode)];
  if (payload.get_command() != rule.command) [[unlikely]] {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  const bool dataless = rule.command == tlm::TLM_IGNORE_COMMAND;
  if (!dataless && (!has_good_shape(payload) || (rule.full_line && payload.get_data_length() != kLineBytes)))
      [[unlikely]] {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const MemoryRange* const range = map_.find(payload.get_address());
  if (range == nullptr) [[unlikely]] {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  ucf_.expect(payload.get_address(), *range);
  const Ucf::Request request{.when = arrive(delay),
                             .address = payload.get_address(),
                             .length = dataless ? 0 : payload.get_data_length(),
                             .opcode = extension->opcode,
                             .requester = extension->requester,
                             .requester_socket = extension->socket,
                             .accepting_socket = extension->socket,
                             .root_complex = extension->root_complex,
                             .root_port = extension->root_port,
                             .requester_id = extension->requester_id,
                             .bdf = extension->bdf};
  const Picoseconds latency = ucf_.accept(request, *range);
  delay += to_sc_time(latency);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Socket::transport_cpu_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto* const extension = payload.get_extension<FabricExtension>();
  tlm::tlm_response_status status = check(payload, extension);
  const MemoryRange* range = nullptr;
  if (status == tlm::TLM_OK_RESPONSE) {
    if (extension->requester != RequesterKind::cpu) {
      status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
      status = tlm::TLM_COMMAND_ERROR_RESPONSE;
    } else if (!has_good_shape(payload)) {
      status = tlm::TLM_BURST_ERROR_RESPONSE;
    } else if (range = map_.find(payload.get_address()); range == nullptr) {
      status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
  }
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) [[unlikely]]
    return;
  const Picoseconds when = arrive(delay);
  if (range->memory_class == MemoryClass::bar) [[unlikely]] {
    delay += to_sc_time(access_bar(payload, extension->requester_id, *range, when));
    return;
  }
  delay +=
      to_sc_time(access(extension->requester_id, *range, payload.get_address() / kLineBytes, payload.is_write(), when));
}

/// A load or store to a BAR, which bypasses the private cache.
Picoseconds Socket::access_bar(const tlm::tlm_generic_payload& payload, unsigned cluster, const MemoryRange& range,
                               Picoseconds when) {
  return ucf_.accept({.when = when,
                      .address = payload.get_address(),
                      .length = payload.get_data_length(),
                      .opcode = payload.is_write() ? FabricOpcode::write_unique_ptl : FabricOpcode::read_once,
                      .requester = RequesterKind::cpu,
                      .requester_socket = static_cast<std::uint8_t>(index_),
                      .accepting_socket = static_cast<std::uint8_t>(index_),
                      .root_complex = 0,
                      .root_port = 0,
                      .requester_id = static_cast<std::uint16_t>(cluster),
                      .bdf = 0},
                     range);
}

/// A load or store through the private cache. @return the latency the CPU sees
Picoseconds Socket::access(unsigned cluster, const MemoryRange& range, std::uint64_t line, bool store,
                           Picoseconds when) {
  PrivateCache& cache = clusters_[cluster];
  switch (cache.access(line, store)) {
    case PrivateCache::Lookup::hit:
      return hit_latency_;
    case PrivateCache::Lookup::hit_shared: {
      const Picoseconds latency = cluster_request(cluster, range, line, FabricOpcode::clean_unique, when);
      cache.own(line);
      return latency;
    }
    case PrivateCache::Lookup::miss:
      break;
  }
  ucf_.expect(line * kLineBytes, range);
  // The CPU does not wait until its victim is accepted.
  if (const auto victim = cache.make_room(line))
    cluster_request(cluster, *map_.find(victim->line * kLineBytes), victim->line,
                    victim->flag ? FabricOpcode::write_back_full : FabricOpcode::evict, when);
  const Picoseconds latency =
      cluster_request(cluster, range, line, store ? FabricOpcode::read_unique : FabricOpcode::read_shared, when);
  cache.fill(line, store);
  return latency;
}

Picoseconds Socket::cluster_request(unsigned cluster, const MemoryRange& range, std::uint64_t line, FabricOpcode opcode,
                                    Picoseconds when) {
  const bool dataless = kRules[static_cast<unsigned>(opcode)].command == tlm::TLM_IGNORE_COMMAND;
  return ucf_.accept({.when = when,
                      .address = line * kLineBytes,
                      .length = dataless ? 0 : kLineBytes,
                      .opcode = opcode,
                      .requester = RequesterKind::cpu,
                      .requester_socket = static_cast<std::uint8_t>(index_),
                      .accepting_socket = static_cast<std::uint8_t>(index_),
                      .root_complex = 0,
                      .root_port = 0,
                      .requester_id = static_cast<std::uint16_t>(cluster),
                      .bdf = 0},
                     range);
}

}  // namespace pmufab::tegra410
