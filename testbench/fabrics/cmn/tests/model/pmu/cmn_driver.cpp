// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace pmufab::testing {

namespace {
constexpr std::uint32_t kCounterStart = 0x8000'0000;
constexpr std::uint64_t kCyclesStart = std::uint64_t{1} << 39;

unsigned field(std::uint64_t value, unsigned lsb, unsigned width) {
  return static_cast<unsigned>(value >> lsb & ((std::uint64_t{1} << width) - 1));
}
}  // namespace

std::uint64_t CmnDriver::pmu_offset(unsigned type) const {
  if (part_ != 0x43e) return 0x2000;
  return type == kXp && revision_ >= 2 ? 0xa000 : 0xd900;
}

bool CmnDriver::probe(std::uint64_t root) {
  if (field(cpu_.get64(root), 0, 16) != 2) return false;
  const std::uint64_t id = cpu_.get64(root + 0x8);
  part_ = field(id, 0, 8) | field(id, 32, 4) << 8;
  revision_ = field(cpu_.get32(root + 0x10), 4, 4);
  const bool relocated = part_ == 0x43e && revision_ >= 3;
  multiple_dtm_ = (cpu_.get64(root + 0x900) >> (relocated ? 59 : 63) & 1) != 0;
  cpu_.get64(root + 0x908);
  const std::uint64_t children = cpu_.get64(root + 0x80);
  const unsigned xps = field(children, 0, 16);
  for (unsigned i = 0; i < xps; ++i) {
    const std::uint64_t pointer = cpu_.get64(root + field(children, 16, 16) + 8ULL * i);
    discover_xp(pointer & 0x3fff'ffff);
  }
  if (columns_ == 0) columns_ = xps;
  place_nodes();
  std::sort(dtcs_.begin(), dtcs_.end(), [](const Node& a, const Node& b) { return a.logical_id < b.logical_id; });
  for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) {
    cpu_.put32(dtc_ctl(dtc), 1);
    cpu_.put32(pmcr(dtc), 0x41);
    cpu_.put64(pmccntr(dtc), 0);
    cpu_.put32(pmovsr_clear(dtc), 0x1ff);
  }
  cpu_.put32(pmcr(0), 0);
  return true;
}

void CmnDriver::init_dtm(std::uint64_t base) {
  dtms_.push_back({.base = base, .config_low = 1, .inputs = 0});
  cpu_.put64(base + 0x210, 1);
  for (unsigned n = 0; n < 4; ++n) {
    cpu_.put64(base + 0x1b0 + 0x18 * n, 0);
    cpu_.put64(base + 0x1a8 + 0x18 * n, ~std::uint64_t{0});
  }
}

void CmnDriver::discover_xp(std::uint64_t offset) {
  const std::uint64_t info = cpu_.get64(offset);
  const std::uint64_t base = offset + pmu_offset(kXp);
  Node xp{.offset = offset,
          .select = base,
          .type = field(info, 0, 16),
          .id = field(info, 16, 16),
          .logical_id = field(info, 32, 16),
          .xp = static_cast<unsigned>(port_bits_.size()),
          .dtm = static_cast<unsigned>(dtms_.size()),
          .port = 0,
          .device = 0,
          .dtc = 0};
  if (xp.id == 8) columns_ = xp.logical_id;
  if (part_ != 0x434) xp.dtc = field(cpu_.get32(offset + (part_ == 0x436 || part_ == 0x43a ? 0x910 : 0x960)), 0, 2);
  init_dtm(base);
  unsigned ports = 0;
  for (unsigned p = 0; p < 6; ++p) {
    if (p >= 2 && (part_ == 0x434 || part_ == 0x436)) break;
    const std::uint64_t place = offset + 8 + 8ULL * p + (p >= 2 && part_ == 0x43a ? 0x10 : 0);
    if (cpu_.get32(place) != 0) ports |= 1U << p;
  }
  port_bits_.push_back(ports > 3 ? 2 : 1);
  device_bits_.push_back(ports > 3 ? 1 : 2);
  if (multiple_dtm_ && ports > 0x3) init_dtm(base + 0x200);
  if (multiple_dtm_ && ports > 0xf) init_dtm(base + 0x400);
  nodes_.push_back(xp);

  const std::uint64_t children = cpu_.get64(offset + 0x80);
  for (unsigned i = 0; i < field(children, 0, 16); ++i) {
    const std::uint64_t pointer = cpu_.get64(offset + field(children, 16, 16) + 8ULL * i);
    if ((pointer >> 30 & 3) != 0 || (pointer == 0 && part_ != 0x434)) continue;
    const std::uint64_t child = pointer & 0x3fff'ffff;
    const std::uint64_t child_info = cpu_.get64(child);
    Node node = xp;
    node.offset = child;
    node.type = field(child_info, 0, 16);
    node.id = field(child_info, 16, 16);
    node.logical_id = field(child_info, 32, 16);
    node.select = child + pmu_offset(node.type);
    if (node.type == 0x105) node.select += 8;
    if (node.type == 0x11 || node.type == 0x106) {
      Node second = node;
      second.select += 8;
      second.type = node.type == 0x11 ? 0x11 : 0x105;
      nodes_.push_back(second);
      node.type = node.type == 0x11 ? 0x4 : 0xa;
    }
    if (node.type == 0xd) node.type = 0xa;
    (node.type == kDtc ? dtcs_ : nodes_).push_back(node);
  }
}

void CmnDriver::place_nodes() {
  const auto xps = static_cast<unsigned>(port_bits_.size());
  if (xps == 1) {
    port_bits_[0] = 3;
    device_bits_[0] = 2;
  }
  for (Node& node : nodes_) {
    if (node.type == kXp) continue;
    node.device = node.id & ((1U << device_bits_[node.xp]) - 1);
    const unsigned port = node.id >> device_bits_[node.xp] & ((1U << port_bits_[node.xp]) - 1);
    node.port = multiple_dtm_ ? port % 2 : port;
    if (multiple_dtm_) node.dtm += port / 2;
  }
}

std::vector<unsigned> CmnDriver::find(unsigned type, std::optional<unsigned> id) const {
  std::vector<unsigned> found;
  for (unsigned i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].type == type && (!id || nodes_[i].id == *id)) found.push_back(i);
  }
  return found;
}

void CmnDriver::enable(bool on) { cpu_.put32(pmcr(0), on ? 0x41 : 0); }

CmnDriver::Event CmnDriver::take(const std::vector<unsigned>& nodes) {
  Event event;
  event.nodes = nodes;
  const auto take_global = [&](unsigned dtc) {
    const auto free = static_cast<unsigned>(std::countr_one(global_used_[dtc]));
    if (free >= 8) throw std::runtime_error("no global counter left");
    event.globals[dtc] = static_cast<int>(free);
    global_used_[dtc] |= static_cast<std::uint8_t>(1U << free);
  };
  if (part_ == 0x434) {
    for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) take_global(dtc);
  } else {
    for (const unsigned node : nodes) {
      if (event.globals[nodes_[node].dtc] < 0) take_global(nodes_[node].dtc);
    }
  }
  return event;
}

void CmnDriver::couple(Event& event, std::size_t i, unsigned input) {
  const Node& node = nodes_[event.nodes[i]];
  Dtm& dtm = dtms_[event.dtms[i]];
  const unsigned n = event.counters[i];
  const auto global = static_cast<unsigned>(event.globals[part_ == 0x434 ? 0 : node.dtc]);
  dtm.inputs = (dtm.inputs & ~(0xffU << 8 * n)) | input << 8 * n;
  dtm.config_low = (dtm.config_low & ~(7U << (16 + 4 * n))) | global << (16 + 4 * n) | 1U << (4 + n);
  cpu_.put64(dtm.base + 0x210, std::uint64_t{dtm.inputs} << 32 | dtm.config_low);
}

void CmnDriver::begin(Event& event) {
  for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) {
    if (event.globals[dtc] >= 0) cpu_.put32(pmevcnt(dtc, static_cast<unsigned>(event.globals[dtc])), kCounterStart);
  }
  event.previous = local_sum(event);
}

void CmnDriver::select(Node& node, unsigned slot, unsigned id) {
  node.event_ids[slot] = id;
  std::uint64_t value = 0;
  const bool wide = node.type == kXp && is_wide();
  for (unsigned n = 0; n < 4; ++n) value |= std::uint64_t{node.event_ids[n]} << n * (wide ? 16 : 8);
  if (wide) {
    cpu_.put64(node.select, value);
  } else {
    cpu_.put32(node.select, static_cast<std::uint32_t>(value));
  }
}

CmnDriver::Event CmnDriver::open(const std::vector<unsigned>& nodes, unsigned event_id,
                                 std::optional<std::uint32_t> filter) {
  enable(false);
  Event event = take(nodes);
  event.event_id = event_id;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes_[nodes[i]];
    event.dtms.push_back(node.dtm);
    const auto n = static_cast<unsigned>(std::countr_one(dtms_[node.dtm].config_low >> 4));
    if (n >= 4) throw std::runtime_error("no local counter left");
    event.counters.push_back(n);
    if (filter) cpu_.put32(node.select + 4, *filter);
    couple(event, i, node.type == kXp ? 4 + n : 0x10 + (node.port << 4) + (node.device << 2) + n);
  }
  begin(event);
  for (std::size_t i = 0; i < nodes.size(); ++i) select(nodes_[nodes[i]], event.counters[i], event_id);
  enable(true);
  return event;
}

CmnDriver::Event CmnDriver::open(const std::vector<unsigned>& xps, const Watch& watch) {
  enable(false);
  Event event = take(xps);
  event.watch = watch;
  for (std::size_t i = 0; i < xps.size(); ++i) {
    event.dtms.push_back(nodes_[xps[i]].dtm + (multiple_dtm_ ? watch.port / 2 : 0));
    Dtm& dtm = dtms_[event.dtms[i]];
    const auto n = static_cast<unsigned>(std::countr_one(dtm.config_low >> 4));
    if (n >= 4) throw std::runtime_error("no local counter left");
    event.counters.push_back(n);
    const unsigned first = watch.down ? 2 : 0;
    const unsigned index = dtm.watchpoints[first] ? first + 1 : first;
    if (dtm.watchpoints[index]) throw std::runtime_error("no watchpoint left");
    dtm.watchpoints[index] = true;
    event.indices.push_back(index);
    const bool is600 = part_ == 0x434;
    std::uint32_t config = (watch.port & 1U) | watch.channel << 1;
    config |= (is600 ? watch.group & 1U : watch.group) << 4;
    if (!multiple_dtm_) config |= (watch.port >> 1) << 17;
    if (watch.exclusive) config |= 1U << (is600 ? 5 : 8);
    if (watch.combine && index % 2 == 0) config |= 1U << (is600 ? 6 : 9);
    cpu_.put32(dtm.base + 0x1a0 + 0x18 * index, config);
    couple(event, i, index);
  }
  begin(event);
  for (std::size_t i = 0; i < xps.size(); ++i) {
    const std::uint64_t place = dtms_[event.dtms[i]].base + 0x1a0 + 0x18ULL * event.indices[i];
    cpu_.put64(place + 0x8, watch.value);
    cpu_.put64(place + 0x10, watch.mask);
  }
  enable(true);
  return event;
}

std::uint64_t CmnDriver::local_sum(const Event& event) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < event.nodes.size(); ++i) {
    sum += cpu_.get64(dtms_[event.dtms[i]].base + 0x220) >> 16 * event.counters[i] & 0xffff;
  }
  return sum;
}

std::uint64_t CmnDriver::read(Event& event) {
  const std::uint64_t sum = local_sum(event);
  std::uint64_t delta = sum - event.previous;
  event.previous = sum;
  for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) {
    if (event.globals[dtc] < 0) continue;
    const std::uint64_t place = pmevcnt(dtc, static_cast<unsigned>(event.globals[dtc]));
    const std::uint32_t value = cpu_.get32(place);
    cpu_.put32(place, kCounterStart);
    delta += std::uint64_t{value - kCounterStart} << 16;
  }
  event.count += delta;
  return event.count;
}

std::uint64_t CmnDriver::close(Event& event) {
  enable(false);
  for (std::size_t i = 0; i < event.nodes.size(); ++i) {
    if (event.watch) {
      const std::uint64_t place = dtms_[event.dtms[i]].base + 0x1a0 + 0x18ULL * event.indices[i];
      cpu_.put64(place + 0x10, 0);
      cpu_.put64(place + 0x8, ~std::uint64_t{0});
    } else {
      select(nodes_[event.nodes[i]], event.counters[i], 0);
    }
  }
  read(event);
  for (std::size_t i = 0; i < event.nodes.size(); ++i) {
    Dtm& dtm = dtms_[event.dtms[i]];
    if (event.watch) dtm.watchpoints[event.indices[i]] = false;
    dtm.config_low &= ~(1U << (4 + event.counters[i]));
    cpu_.put32(dtm.base + 0x210, dtm.config_low);
  }
  for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) {
    if (event.globals[dtc] >= 0) global_used_[dtc] &= static_cast<std::uint8_t>(~(1U << event.globals[dtc]));
  }
  enable(true);
  return event.count;
}

void CmnDriver::start_cycles(unsigned dtc) {
  cpu_.put32(dtc_ctl(dtc), 0x401);
  cpu_.put64(pmccntr(dtc), kCyclesStart);
}

std::uint64_t CmnDriver::read_cycles(unsigned dtc) {
  const std::uint64_t value = cpu_.get64(pmccntr(dtc));
  cpu_.put64(pmccntr(dtc), kCyclesStart);
  return (value - kCyclesStart) & ((std::uint64_t{1} << 40) - 1);
}

std::uint64_t CmnDriver::stop_cycles(unsigned dtc) {
  cpu_.put32(dtc_ctl(dtc), 1);
  return read_cycles(dtc);
}

}  // namespace pmufab::testing
