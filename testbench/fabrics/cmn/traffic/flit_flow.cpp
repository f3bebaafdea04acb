// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/traffic/flit_flow.h"

#include <algorithm>

#include "models/cmn/description/layout.h"
#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint32_t kUsualOpcode = 4;       // ReadNoSnp, Comp, SnpNotSharedDirty, CompData
constexpr std::uint32_t kMaximumOpcode = 0x7f;  // of REQ; opcode 0 returns link credits

const FlitFlowSpec& checked(const FlitFlowSpec& spec, const cmn::Mesh& mesh, const std::string& field) {
  const cmn::Topology& topology = mesh.topology();
  if (!mesh.engine().has(spec.channel))
    throw SpecError(field + ".channel", "the mesh has no channel " + std::string(cmn::to_string(spec.channel)),
                    "channels with two sub-channels have a second");
  if (!(spec.rate >= GeometricGaps::kSmallestProbability && spec.rate <= 1))
    throw SpecError(field + ".rate", std::to_string(spec.rate) + " flits per cycle", "1e-9 ... 1 are possible");
  if (!(spec.hot_share >= 0 && spec.hot_share <= 1))
    throw SpecError(field + ".hot_share", std::to_string(spec.hot_share) + " is not a share", "0 ... 1 are possible");
  if (spec.pattern == MeshPattern::hotspot && spec.hot_xp >= topology.columns * topology.rows)
    throw SpecError(field + ".hot_xp", "there is no XP " + std::to_string(spec.hot_xp),
                    "0 ... " + std::to_string(topology.columns * topology.rows - 1));
  if (spec.pattern == MeshPattern::transpose && topology.columns != topology.rows)
    throw SpecError(field + ".pattern", "transpose needs as many rows as columns",
                    "the mesh has " + std::to_string(topology.columns) + " x " + std::to_string(topology.rows));
  if (spec.size < kLine || spec.base % kLine != 0 || spec.base + spec.size < spec.base)
    throw SpecError(field + ".size", "is not a range of whole lines",
                    "make base a multiple of 64 and size at least 64");
  for (std::size_t i = 0; i < spec.opcodes.size(); ++i) {
    if (spec.opcodes[i] == 0 || spec.opcodes[i] > kMaximumOpcode)
      throw SpecError(field + ".opcodes[" + std::to_string(i) + "]",
                      std::to_string(spec.opcodes[i]) + " is not a flit opcode", "1 ... 127 are possible");
  }
  if (spec.count && *spec.count == 0)
    throw SpecError(field + ".count", "must not be 0", "use 1 or more, or leave it out for a flow without end");
  return spec;
}

constexpr std::uint64_t kMillion = 1'000'000;

}  // namespace

FlitFlow::FlitFlow(cmn::Mesh& mesh, const FlitFlowSpec& spec, const std::string& field, std::uint64_t seed)
    : mesh_(mesh),
      spec_(checked(spec, mesh, field)),
      random_(spec.seed.value_or(mix_bits(seed ^ hash_of(spec.name)))),
      gaps_(spec.rate),
      below_lines_(spec_.size / kLine) {
  if (spec_.opcodes.empty()) spec_.opcodes.push_back(kUsualOpcode);
  const cmn::Topology& topology = mesh.topology();
  at_xp_.resize(topology.crosspoints.size());
  for (unsigned xp = 0; xp < topology.crosspoints.size(); ++xp) {
    const cmn::Crosspoint& crosspoint = topology.crosspoints[xp];
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
      if (crosspoint.ports[port].device == cmn::DeviceType::none) continue;
      const unsigned shift = cmn::device_bits(topology, crosspoint);
      const auto node = static_cast<std::uint16_t>(mesh.layout().xp(xp).node_id | port << shift |
                                                   crosspoint.ports[port].first_device);
      at_xp_[xp].push_back(static_cast<std::uint32_t>(sources_.size()));
      Source source;
      source.node = node;
      source.xp = static_cast<std::uint8_t>(xp);
      source.port = static_cast<std::uint8_t>(port);
      sources_.push_back(std::move(source));
    }
  }
  if (sources_.empty()) throw SpecError(field + ".mesh", "the mesh has no device", "give its crosspoints ports");
  below_sources_ = UniformBelow(sources_.size());
  below_opcodes_ = UniformBelow(spec_.opcodes.size());
  calls_.resize(static_cast<unsigned>(sources_.size()));
  if (spec_.pattern == MeshPattern::hotspot && at_xp_[spec_.hot_xp].empty())
    throw SpecError(field + ".hot_xp", "there is no device at XP " + std::to_string(spec_.hot_xp),
                    "choose one with a port");
  for (std::uint32_t index = 0; index < sources_.size(); ++index) sources_[index].target = fixed_target(index);
  number_ = mesh.attach(*this);
}

void FlitFlow::stop() {
  end_ = 0;
  for (Source& source : sources_) source.waiting.clear();
}

bool FlitFlow::ended() const noexcept {
  return std::all_of(sources_.begin(), sources_.end(),
                     [&](const Source& source) { return source.waiting.empty() && source.when >= end_; });
}

void FlitFlow::start(Picoseconds zero) {
  const ClockDomain& clock = mesh_.clock();
  const cmn::Cycle first = clock.edges_before(zero + spec_.start);
  if (spec_.duration) end_ = clock.edges_before(zero + spec_.start + *spec_.duration);
  for (std::size_t index = 0; index < sources_.size(); ++index) {
    sources_[index].when = first + gaps_.draw(static_cast<std::uint32_t>(random_() >> 32), random_) - 1;
    calls_.call(static_cast<unsigned>(index), sources_[index].when);
  }
  mesh_.call(number_, calls_.next());
}

void FlitFlow::run(cmn::Cycle now) {
  // Skip cycles that were past when the flow started.
  while (calls_.next() <= now) calls_.visit(calls_.next(), [&](unsigned index) { run_source(index, now); });
  if (const cmn::Cycle next = calls_.next(); next != cmn::kNoCycle) mesh_.call(number_, next);
}

cmn::Cycle FlitFlow::ask(Source& source) {
  const cmn::Cycle due = source.when;
  ++offered_;
  ++source.made;
  source.when = spec_.count && source.made >= *spec_.count
                    ? cmn::kNoCycle
                    : due + gaps_.draw(static_cast<std::uint32_t>(random_() >> 32), random_);
  return due;
}

void FlitFlow::upload(const Source& source, cmn::Cycle due, cmn::Cycle now) {
  mesh_.upload(spec_.channel, source.xp, source.port, make(source), &latencies_, due);
  waited_ += now - due;
  ++sent_;
}

void FlitFlow::run_source(std::size_t index, cmn::Cycle now) {
  Source& source = sources_[index];
  const auto asks = [&] { return source.when <= now && source.when < end_; };
  if (source.waiting.empty() && asks()) {
    // Most flits find their port ready and nothing before them.
    const cmn::Cycle due = ask(source);
    if (!asks() && mesh_.ready(spec_.channel, source.xp, source.port)) {
      upload(source, due, now);
      if (source.when < end_) calls_.call(static_cast<unsigned>(index), source.when);
      return;
    }
    source.waiting.push(due);
  }
  while (asks()) source.waiting.push(ask(source));
  if (!source.waiting.empty() && mesh_.ready(spec_.channel, source.xp, source.port)) {
    upload(source, source.waiting.front(), now);
    source.waiting.pop();
  }
  if (!source.waiting.empty()) {
    calls_.call(static_cast<unsigned>(index), now + 1);
  } else if (source.when < end_) {
    calls_.call(static_cast<unsigned>(index), source.when);
  }
}

std::uint32_t FlitFlow::fixed_target(std::uint32_t index) const {
  const Source& source = sources_[index];
  const cmn::Topology& topology = mesh_.topology();
  const unsigned x = source.xp % topology.columns;
  const unsigned y = source.xp / topology.columns;
  unsigned xp = source.xp;
  switch (spec_.pattern) {
    case MeshPattern::hotspot:
      xp = spec_.hot_xp;
      break;
    case MeshPattern::uniform:
      break;
    case MeshPattern::transpose:
      xp = x * topology.columns + y;
      break;
    case MeshPattern::bit_complement:
      xp = static_cast<unsigned>(topology.crosspoints.size()) - 1 - source.xp;
      break;
    case MeshPattern::neighbour:
      xp = y * topology.columns + (x + 1) % topology.columns;
      break;
  }
  const std::vector<std::uint32_t>& there = at_xp_[xp];
  // Flits for a crosspoint without devices go back to their sender.
  return there.empty() ? index : there[source.port % there.size()];
}

const FlitFlow::Source& FlitFlow::target_of(const Source& source) {
  const bool is_hot = spec_.pattern == MeshPattern::hotspot &&
                      static_cast<double>(UniformBelow(kMillion)(random_)) < spec_.hot_share * double{kMillion};
  if (spec_.pattern == MeshPattern::uniform || (spec_.pattern == MeshPattern::hotspot && !is_hot))
    return sources_[below_sources_(random_)];
  return sources_[source.target];
}

cmn::FlitFields FlitFlow::make(const Source& source) {
  cmn::FlitFields fields{};
  fields.srcid = source.node;
  fields.tgtid = target_of(source).node;
  fields.opcode = static_cast<decltype(fields.opcode)>(spec_.opcodes[below_opcodes_(random_)]);
  fields.addr = spec_.base + below_lines_(random_) * kLine;
  // Never a pattern of all ones, which is what idle watchpoints match.
  fields.qos = static_cast<decltype(fields.qos)>(UniformBelow(15)(random_));
  fields.size = 6;
  fields.ns = static_cast<decltype(fields.ns)>(UniformBelow(2)(random_));
  fields.dbid = static_cast<decltype(fields.dbid)>(UniformBelow(256)(random_));
  return fields;
}

}  // namespace pmufab::traffic
