// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/link/message_probes.h"

#include <string_view>

namespace pmufab::cxl {

namespace {

struct ClassFacts {
  MessageClass message_class;
  std::uint16_t group;
  std::uint32_t opcodes;  // those that this model sends
  std::string_view name;
};

// In order of groups.
constexpr std::array<ClassFacts, kMessageClasses> kClasses = {{
    {MessageClass::d2h_req, 0x10, 0x0001'7ffe, "d2h_req"},
    {MessageClass::d2h_rsp, 0x11, 0x0040'80f2, "d2h_rsp"},
    {MessageClass::h2d_req, 0x12, 0x0000'000e, "h2d_req"},
    {MessageClass::h2d_rsp, 0x13, 0x0000'a172, "h2d_rsp"},
    {MessageClass::d2h_data, 0x14, 0x0000'0001, "cachedata"},
    {MessageClass::h2d_data, 0x14, 0x0000'0002, "cachedata"},
    {MessageClass::m2s_req, 0x20, 0x0000'ffff, "m2s_req"},
    {MessageClass::m2s_rwd, 0x21, 0x0000'2636, "m2s_rwd"},
    {MessageClass::m2s_birsp, 0x22, 0x0000'0077, "m2s_birsp"},
    {MessageClass::s2m_bisnp, 0x23, 0x0000'7777, "s2m_bisnp"},
    {MessageClass::s2m_ndr, 0x24, 0x0000'00ff, "s2m_ndr"},
    {MessageClass::s2m_drs, 0x25, 0x0000'0007, "s2m_drs"},
}};

}  // namespace

std::uint16_t group_of(MessageClass message_class) noexcept {
  for (const ClassFacts& facts : kClasses) {
    if (facts.message_class == message_class) return facts.group;
  }
  return 0;
}

MessageProbes::MessageProbes(const std::string& name, const HdmMap& map) : map_(&map) {
  for (const ClassFacts& facts : kClasses) {
    for (unsigned opcode = 0; opcode < 32; ++opcode) {
      if ((facts.opcodes >> opcode & 1U) == 0) continue;
      owned_.emplace_back(name + "." + std::string(facts.name) + "." + std::to_string(opcode));
      probes_[static_cast<unsigned>(facts.message_class)][opcode] = &owned_.back();
    }
  }
}

std::vector<EventGroup> MessageProbes::event_groups(bool with_cache) const {
  std::vector<EventGroup> groups;
  for (const ClassFacts& facts : kClasses) {
    if (!with_cache && !is_mem(facts.message_class)) continue;
    if (groups.empty() || groups.back().group != facts.group) {
      groups.emplace_back();
      groups.back().group = facts.group;
      groups.back().filter = is_mem(facts.message_class) ? EventFilter::hdm_decoder : EventFilter::none;
    }
    EventGroup& group = groups.back();
    group.supported |= facts.opcodes;
    for (unsigned opcode = 0; opcode < 32; ++opcode) {
      if (Probe* const source = probe(facts.message_class, opcode); source != nullptr)
        group.sources.push_back({opcode, source});
    }
  }
  return groups;
}

}  // namespace pmufab::cxl
