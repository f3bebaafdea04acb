// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/pcie/pcie_inbound.h"

#include <algorithm>

#include "models/tegra410/ucf/opcode_class.h"

namespace pmufab::tegra410 {

namespace {

PcieDestination destination_of(const MemoryRange& range, unsigned socket) noexcept {
  if (range.socket != socket) return PcieDestination::rem;
  switch (range.memory_class) {
    case MemoryClass::cmem:
      return PcieDestination::loc_cmem;
    case MemoryClass::gmem:
      return PcieDestination::loc_gmem;
    case MemoryClass::cxl:
      return PcieDestination::loc_pcie_cxl;
    case MemoryClass::bar:
      break;
  }
  return PcieDestination::loc_pcie_p2p;
}

/// @return the qualifiers of some root ports and destinations.
std::uint64_t qualifiers_of(unsigned root_ports, unsigned destinations) noexcept {
  std::uint64_t mask = 0;
  for (unsigned port = 0; port < kRootPorts; ++port) {
    if ((root_ports >> port & 1U) != 0) mask |= std::uint64_t{destinations} << port * kPcieDestinations;
  }
  return mask;
}

}  // namespace

PcieFilter PcieFilter::of(const coresight::CounterProgram& program) noexcept {
  return {.root_ports = static_cast<unsigned>(program.filter & 0xff),
          .one_requester = (program.filter >> 24 & 1U) != 0,
          .bdf = static_cast<std::uint16_t>(program.filter >> 8),
          .destinations = static_cast<unsigned>(program.filter2 & 0x1f)};
}

PcieInbound::Probes PcieInbound::make_probes(const std::string& name) {
  return {Probe(name + ".rd_bytes"), Probe(name + ".wr_bytes"), Probe(name + ".rd_req"), Probe(name + ".wr_req")};
}

PcieInbound::Requester::Requester(const std::string& name) : probes(make_probes(name)) {}

PcieInbound::PcieInbound(const std::string& name, unsigned socket, unsigned counters, const ClockDomain& clock)
    : name_(name), socket_(socket), all_(make_probes(name)), reads_(clock), requesters_(counters) {
  wanted_.reserve(counters);
}

void PcieInbound::publish(Probes& probes, bool is_read, std::uint32_t bytes, unsigned qualifier, Picoseconds when) {
  const auto count = [&](PcieEvent event, std::uint64_t amount) {
    probes[static_cast<unsigned>(event)].publish(amount, qualifier, when);
  };
  count(is_read ? PcieEvent::rd_req : PcieEvent::wr_req, 1);
  count(is_read ? PcieEvent::rd_bytes : PcieEvent::wr_bytes, bytes);
}

void PcieInbound::accept(const BoundaryObserver::Request& request, const MemoryRange& range, Picoseconds latency) {
  const OpcodeClass opcode = class_of(request.opcode);
  const bool is_read = opcode == OpcodeClass::read;
  if (!is_read && opcode != OpcodeClass::write) return;
  const PcieDestination destination = destination_of(range, socket_);
  const unsigned qualifier = request.root_port * kPcieDestinations + static_cast<unsigned>(destination);
  publish(all_, is_read, request.length, qualifier, request.when);
  for (Requester* const requester : wanted_) {
    if (requester->bdf == request.bdf) publish(requester->probes, is_read, request.length, qualifier, request.when);
  }
  if (is_read) reads_.add(request.when, request.when + latency, qualifier, request.bdf);
  if (listener_ != nullptr) [[unlikely]]
    listener_(listener_context_,
              {request.when, latency, request.length, request.bdf, request.root_port, destination, !is_read});
}

CounterInput PcieInbound::input_of(const coresight::CounterProgram& program) {
  const PcieFilter filter = PcieFilter::of(program);
  const std::uint64_t qualifiers =
      qualifiers_of(filter.one_requester ? (1U << kRootPorts) - 1 : filter.root_ports, filter.destinations);
  std::unique_ptr<Requester>& requester = requesters_[program.counter];
  if (requester) std::erase(wanted_, requester.get());
  if (program.event == kPcieOutstandingReads) {
    return CounterInput::of(reads_,
                            {qualifiers, filter.bdf, filter.one_requester ? std::uint32_t{0xffff} : std::uint32_t{0}});
  }
  if (program.event >= kPcieEventCount) return {};
  const auto event = static_cast<unsigned>(program.event);
  if (!filter.one_requester) return CounterInput::of(all_[event], qualifiers);
  if (!requester) requester = std::make_unique<Requester>(name_);
  requester->bdf = filter.bdf;
  wanted_.push_back(requester.get());
  return CounterInput::of(requester->probes[event], qualifiers);
}

}  // namespace pmufab::tegra410
