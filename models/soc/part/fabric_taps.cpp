// SPDX-License-Identifier: Apache-2.0
#include "models/soc/part/fabric_taps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/cmn/part/cmn_meshes.h"
#include "models/cxl/part/cxl_part.h"
#include "models/plugin/part/plugin_part.h"
#include "models/soc/wire/fabric_sources.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/ucf/ucf_events.h"

namespace pmufab::platform {
namespace {

using soc::Feed;

using Qualifiers = std::shared_ptr<const std::vector<Feed::Qualified>>;

void follow_ucf(const std::string& name, tegra410::Ucf& ucf, soc::Source& source) {
  const auto event = std::find_if(tegra410::kUcfEvents.begin(), tegra410::kUcfEvents.end(),
                                  [&](const tegra410::UcfEventCode& code) { return code.name == name; });
  if (event == tegra410::kUcfEvents.end()) return;
  std::vector<Feed::Qualified> qualifiers;
  for (unsigned from = 0; from < tegra410::kSources; ++from) {
    for (unsigned to = 0; to < tegra410::kDestinations; ++to) {
      Feed::Qualified& one = qualifiers.emplace_back();
      one.qualifier = tegra410::qualifier(static_cast<tegra410::Source>(from), static_cast<tegra410::Destination>(to));
      one.occurrence.attributes[soc::ucf_source::source] = from;
      one.occurrence.attributes[soc::ucf_source::destination] = to;
    }
  }
  const auto number = static_cast<tegra410::UcfEvent>(event - tegra410::kUcfEvents.begin());
  source.follow(
      {{&ucf.probe(number), {}, std::make_shared<const std::vector<Feed::Qualified>>(std::move(qualifiers))}});
}

/// @param has_decoders  whether the component has any. A root port publishes with those of the host, which are not its own
Qualifiers decoders(bool has_decoders) {
  std::vector<Feed::Qualified> qualifiers;
  const auto add = [&](unsigned qualifier) {
    Feed::Qualified& one = qualifiers.emplace_back();
    one.qualifier = qualifier;
    one.occurrence.attributes[soc::cxl_message_source::decoder] = has_decoders ? qualifier : cxl::kNoHdmDecoder;
  };
  for (unsigned decoder = 0; decoder < cxl::HdmMap::kDecoders; ++decoder) add(decoder);
  add(cxl::kNoHdmDecoder);
  return std::make_shared<const std::vector<Feed::Qualified>>(std::move(qualifiers));
}

void follow_messages(CxlPart& part, soc::Source& source) {
  static_assert(cxl::kNoHdmDecoder == soc::cxl_message_source::kNoDecoder);
  namespace attribute = soc::cxl_message_source;
  const Qualifiers own = decoders(true);
  const Qualifiers none = decoders(false);
  std::vector<Feed> feeds;
  for (unsigned component = 0; component < part.components().size(); ++component) {
    const CxlPart::Kind kind = part.components()[component].kind;
    const bool has_decoders = kind == CxlPart::Kind::device || kind == CxlPart::Kind::upstream_port;
    for (const cxl::EventGroup& group : part.components()[component].messages->event_groups(true)) {
      for (const cxl::EventSource& event : group.sources) {
        Feed& feed = feeds.emplace_back(Feed{event.probe, {}, has_decoders ? own : none});
        feed.occurrence.attributes[attribute::component] = component;
        feed.occurrence.attributes[attribute::group] = group.group;
        feed.occurrence.attributes[attribute::opcode] = event.bit;
      }
    }
  }
  source.follow(std::move(feeds));
}

Qualifiers places(const cxl::DdrShape& shape) {
  namespace attribute = soc::cxl_ddr_source;
  std::vector<Feed::Qualified> qualifiers;
  for (unsigned rank = 0; rank < shape.ranks; ++rank) {
    for (unsigned bank_group = 0; bank_group < shape.bank_groups; ++bank_group) {
      for (unsigned bank = 0; bank < shape.banks; ++bank) {
        Feed::Qualified& one = qualifiers.emplace_back();
        one.qualifier = shape.qualifier(rank, bank_group, bank);
        one.occurrence.attributes[attribute::rank] = rank;
        one.occurrence.attributes[attribute::bank_group] = bank_group;
        one.occurrence.attributes[attribute::bank] = bank;
      }
    }
  }
  return std::make_shared<const std::vector<Feed::Qualified>>(std::move(qualifiers));
}

void follow_commands(CxlPart& part, soc::Source& source) {
  namespace attribute = soc::cxl_ddr_source;
  std::vector<Feed> feeds;
  for (unsigned number = 0; number < part.components().size(); ++number) {
    const CxlPart::Component& component = part.components()[number];
    if (component.kind != CxlPart::Kind::device) continue;
    const cxl::EventGroup commands = part.device(component.number).memory.ddr().event_group();
    const Qualifiers qualifiers = places(commands.shape);
    for (const cxl::EventSource& event : commands.sources) {
      Feed& feed = feeds.emplace_back(Feed{event.probe, {}, qualifiers});
      feed.occurrence.attributes[attribute::component] = number;
      feed.occurrence.attributes[attribute::command] = event.bit;
      feed.occurrence.attributes[attribute::channel] = event.channel;
    }
  }
  source.follow(std::move(feeds));
}

}  // namespace

RootComplexTap::RootComplexTap(soc::Cause cause, unsigned socket, tegra410::RootComplex& complex, soc::Source& source)
    : cause_(cause), socket_(socket), complex_(complex), source_(source) {
  if (cause_ == soc::Cause::pcie) {
    complex_.inbound.listen(&RootComplexTap::inbound, this);
  } else {
    complex_.target.listen(&RootComplexTap::target, this);
  }
}

RootComplexTap::~RootComplexTap() {
  if (cause_ == soc::Cause::pcie) {
    complex_.inbound.listen(nullptr, nullptr);
  } else {
    complex_.target.listen(nullptr, nullptr);
  }
}

void RootComplexTap::inbound(void* context, const tegra410::PcieInboundRequest& request) {
  namespace attribute = soc::pcie_source;
  const RootComplexTap& tap = *static_cast<RootComplexTap*>(context);
  if (!tap.source_.is_heard()) return;
  Occurrence occurrence;
  occurrence.attributes[attribute::socket] = tap.socket_;
  occurrence.attributes[attribute::root_complex] = tap.complex_.number;
  occurrence.attributes[attribute::root_port] = request.root_port;
  occurrence.attributes[attribute::bdf] = request.bdf;
  occurrence.attributes[attribute::write] = request.is_write ? 1 : 0;
  occurrence.attributes[attribute::bytes] = request.bytes;
  occurrence.attributes[attribute::destination] = static_cast<std::uint64_t>(request.destination);
  if (!request.is_write) occurrence.duration = request.latency;
  tap.source_.happen(occurrence, request.when);
}

void RootComplexTap::target(void* context, const tegra410::PcieTarget::Access& access) {
  static_assert(tegra410::PcieTarget::kHdm == soc::pcie_tgt_source::kNoRootPort);
  namespace attribute = soc::pcie_tgt_source;
  const RootComplexTap& tap = *static_cast<RootComplexTap*>(context);
  if (!tap.source_.is_heard()) return;
  Occurrence occurrence;
  occurrence.attributes[attribute::socket] = tap.socket_;
  occurrence.attributes[attribute::root_complex] = tap.complex_.number;
  occurrence.attributes[attribute::root_port] = access.qualifier;
  occurrence.attributes[attribute::cxl] = access.qualifier == tegra410::PcieTarget::kHdm ? 1 : 0;
  occurrence.attributes[attribute::write] = access.is_write ? 1 : 0;
  occurrence.attributes[attribute::bytes] = access.bytes;
  occurrence.attributes[attribute::address] = access.address;
  tap.source_.happen(occurrence, access.when);
}

MeshTap::MeshTap(soc::Cause cause, unsigned number, cmn::Mesh& mesh, soc::Source& source)
    : cause_(cause), number_(number), mesh_(mesh), source_(source) {
  constexpr std::array kHomes = {cmn::NodeType::hn_f, cmn::NodeType::hn_s};
  if (cause_ == soc::Cause::cmn_flit) {
    mesh_.listen(&MeshTap::flit, this);
  } else {
    mesh_.pmu().listen(kHomes, &MeshTap::home_event, this);
  }
}

MeshTap::~MeshTap() {
  if (cause_ == soc::Cause::cmn_flit) {
    mesh_.listen(nullptr, nullptr);
  } else {
    mesh_.pmu().listen({}, nullptr, nullptr);
  }
}

void MeshTap::flit(void* context, const cmn::Mesh::PortFlit& flit) {
  namespace attribute = soc::cmn_flit_source;
  const MeshTap& tap = *static_cast<MeshTap*>(context);
  if (!tap.source_.is_heard()) return;
  Occurrence occurrence;
  occurrence.attributes[attribute::mesh] = tap.number_;
  occurrence.attributes[attribute::xp] = flit.xp;
  occurrence.attributes[attribute::port] = flit.port;
  occurrence.attributes[attribute::download] = flit.is_download ? 1 : 0;
  occurrence.attributes[attribute::channel] = static_cast<std::uint64_t>(flit.channel);
  occurrence.attributes[attribute::opcode] = flit.fields.opcode;
  occurrence.attributes[attribute::source] = flit.fields.srcid;
  occurrence.attributes[attribute::target] = flit.fields.tgtid;
  tap.source_.happen(occurrence, flit.when);
}

void MeshTap::home_event(void* context, const cmn::Pmu::NodeOccurrence& event) {
  namespace attribute = soc::cmn_home_source;
  // Code 0 of each filter, which is everything.
  constexpr cmn::FilterClasses kUnfiltered = cmn::filter_classes(0, 0);
  const MeshTap& tap = *static_cast<MeshTap*>(context);
  if (!tap.source_.is_heard() || event.id > attribute::kEvents || (event.classes & kUnfiltered) != kUnfiltered) return;
  const cmn::Layout& layout = tap.mesh_.layout();
  Occurrence occurrence;
  occurrence.attributes[attribute::mesh] = tap.number_;
  occurrence.attributes[attribute::node] = layout.nodes()[layout.sources()[event.source].node].node_id;
  occurrence.attributes[attribute::event] = event.id;
  occurrence.repeat = event.amount;
  tap.source_.happen(occurrence, event.when);
}

PluginTap::PluginTap(std::string name, unsigned socket, PluginPart& plugin, soc::Source& source)
    : name_(std::move(name)), socket_(socket), plugin_(plugin) {
  plugin_.connect(name_, socket_, &source);
}

PluginTap::~PluginTap() { plugin_.connect(name_, socket_, nullptr); }

void connect_source(const soc::SourceDescription& description, unsigned socket, const SocFabrics& fabrics,
                    soc::Source& source, FabricTaps& taps) {
  switch (description.cause) {
    case soc::Cause::streams:
      break;
    case soc::Cause::ucf:
      if (fabrics.sockets != nullptr) follow_ucf(description.event, fabrics.sockets->socket(socket).ucf(), source);
      break;
    case soc::Cause::pcie:
    case soc::Cause::pcie_tgt:
      if (fabrics.sockets == nullptr) break;
      for (const auto& complex : fabrics.sockets->socket(socket).root_complexes())
        taps.push_back(std::make_unique<RootComplexTap>(description.cause, socket, *complex, source));
      break;
    case soc::Cause::cxl_message:
      if (fabrics.cxl != nullptr && socket == 0) follow_messages(*fabrics.cxl, source);
      break;
    case soc::Cause::cxl_ddr:
      if (fabrics.cxl != nullptr && socket == 0) follow_commands(*fabrics.cxl, source);
      break;
    case soc::Cause::cmn_flit:
    case soc::Cause::cmn_home:
      if (fabrics.cmn == nullptr || socket != 0) break;
      for (unsigned mesh = 0; mesh < fabrics.cmn->size(); ++mesh)
        taps.push_back(std::make_unique<MeshTap>(description.cause, mesh, fabrics.cmn->mesh(mesh), source));
      break;
    case soc::Cause::plugin:
      if (fabrics.plugin != nullptr)
        taps.push_back(std::make_unique<PluginTap>(description.name, socket, *fabrics.plugin, source));
      break;
  }
}

}  // namespace pmufab::platform
