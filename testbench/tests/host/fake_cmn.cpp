// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/host/fake_cmn.h"

#include <algorithm>
#include <utility>

namespace pmufab::driver_host::testing {
namespace {

constexpr std::uint32_t kConfigNode = 0x2, kDtcNode = 0x3, kHnfNode = 0x5, kXpNode = 0x6;  // node types
constexpr std::uint64_t kHnfPort = 0x0e, kDtcPort = 0x01;                                  // device types of ports
constexpr std::uint64_t kChildren = 0x100;                                                 // where child pointers begin
constexpr std::uint64_t kLow = 0xffffffff;

}  // namespace

FakeCmn::FakeCmn(const Options& options, std::vector<InterruptLine*> overflow)
    : pmu_offset_(options.part == 0x43e ? 0xd900 : 0x2000), lines_(std::move(overflow)) {
  add_node(options.root, kConfigNode, 0, 0);
  // PERIPH_ID: the part number's lower eight bits are in the first word, the upper four in the second.
  at(options.root + 0x8) = (options.part & 0xff) | static_cast<std::uint64_t>(options.part >> 8) << 32;
  std::vector<std::uint64_t> xp_bases;
  for (unsigned xp = 0; xp < kColumns * kRows; ++xp) {
    const std::uint64_t base = xp_base(xp);
    xp_bases.push_back(base);
    add_node(base, kXpNode, xp_id(xp), xp);
    at(base + 0x8) = kHnfPort;
    std::vector<std::uint64_t> children{base + 0x10000};
    add_node(base + 0x10000, kHnfNode, xp_id(xp), xp);  // port 0, device 0
    if (xp < lines_.size()) {
      at(base + 0x10) = kDtcPort;
      children.push_back(dtc(xp));
      add_node(dtc(xp), kDtcNode, xp_id(xp) | 1U << 2, xp);  // port 1, device 0
    }
    set_children(base, children);
  }
  set_children(options.root, xp_bases);
}

std::uint64_t FakeCmn::dtc(unsigned index) const { return xp_base(index) + 0x20000; }

void FakeCmn::add_node(std::uint64_t offset, std::uint32_t type, std::uint32_t id, std::uint32_t logical_id) {
  at(offset) = type | std::uint64_t{id} << 16 | std::uint64_t{logical_id} << 32;
}

void FakeCmn::set_children(std::uint64_t offset, const std::vector<std::uint64_t>& children) {
  at(offset + 0x80) = children.size() | kChildren << 16;
  for (std::size_t i = 0; i < children.size(); ++i) at(offset + kChildren + 8 * i) = children[i];
}

std::uint64_t FakeCmn::value(std::uint64_t offset) const {
  const auto found = registers_.find(offset);
  return found == registers_.end() ? 0 : found->second;
}

std::uint64_t FakeCmn::read(std::uint64_t offset, unsigned size) {
  const std::uint64_t whole = value(offset & ~7ULL);
  return size == 8 ? whole : (offset & 4) != 0 ? whole >> 32 : whole & kLow;
}

void FakeCmn::write(std::uint64_t offset, unsigned size, std::uint64_t value_in) {
  for (unsigned i = 0; i < lines_.size(); ++i) {
    if (offset != dtc_pmu(i) + kPmovsrClear) continue;
    at(dtc_pmu(i) + kPmovsr) &= ~value_in;
    set_overflow(i, 0);
    return;
  }
  std::uint64_t& whole = at(offset & ~7ULL);
  if (size == 8)
    whole = value_in;
  else if ((offset & 4) != 0)
    whole = (whole & kLow) | value_in << 32;
  else
    whole = (whole & ~kLow) | (value_in & kLow);
  for (unsigned i = 0; i < lines_.size(); ++i) set_overflow(i, 0);  // PMCR may enable or disable the interrupt
}

bool FakeCmn::runs() const { return (value(dtc(0) + kDtcControl) & 1) != 0 && (value(dtc_pmu(0) + kPmcr) & 1) != 0; }

std::uint32_t FakeCmn::overflow(unsigned dtc) const {
  return static_cast<std::uint32_t>(value(dtc_pmu(dtc) + kPmovsr));
}

void FakeCmn::set_overflow(unsigned dtc, std::uint32_t bits) {
  at(dtc_pmu(dtc) + kPmovsr) |= bits;
  const bool enabled = (value(dtc_pmu(dtc) + kPmcr) & 1U << 6) != 0;
  if (lines_[dtc] != nullptr) lines_[dtc]->drive(enabled && overflow(dtc) != 0);
}

void FakeCmn::cycle(unsigned dtc, std::uint64_t cycles) {
  if (!runs()) return;
  std::uint64_t& counter = at(dtc_pmu(dtc) + kPmccntr);
  const std::uint64_t sum = counter + cycles;
  counter = sum & ((1ULL << 40) - 1);
  if (sum != counter) set_overflow(dtc, kCycleBit);
}

}  // namespace pmufab::driver_host::testing
