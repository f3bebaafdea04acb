// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "testbench/fabrics/cxl/judge/cxl_judge.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/tests/judge/refusal.h"

namespace pmufab::scoreboard::test {

/// A root port, a memory device, a CPMU, a perf core and its driver, all played by the test. Register accesses, calls
/// and messages come in the written order. Each step is one nanosecond after the one before.
///
/// Decoder 0: 1 GiB of HDM-H from 1 GiB, decoder 1: of HDM-DB from 2 GiB, decoder 2: of HDM-D from 3 GiB. The host's
/// CPMU has no decoders. The device's CPMU has these groups: 0 clock ticks, 1 M2S Req, 2 S2M DRS, 3 M2S RwD, 4 DDR, 5
/// H2D Req, 6 a vendor's whose bit 3 is the M2S Req MemRdData. Its clock has an edge at every nanosecond.
class CxlSession {
 public:
  using Call = perf::PerfCallObserver::Call;
  static constexpr const char* kPmu = "cxl_pmu_mem0.0";
  static constexpr std::uint64_t kBlock = 0x6'0001'0000;
  static constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kH = kGiB;
  static constexpr std::uint64_t kDb = 2 * kGiB;
  static constexpr std::uint64_t kD = 3 * kGiB;
  static constexpr unsigned kHost = 0;
  static constexpr unsigned kDevice = 1;
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  static CxlJudgeSpec hierarchy() {
    CxlJudgeSpec spec;
    spec.components.resize(2);
    spec.components[kHost].name = "root port";
    CxlComponentSpec& device = spec.components[kDevice];
    device.name = "device";
    device.decoders = {
        {kH, kGiB}, {kDb, kGiB, 1, 256, CxlMemoryKind::hdm_db}, {kD, kGiB, 1, 256, CxlMemoryKind::hdm_d}};
    CxlDdrSpec at_once;  // data comes at the time of the request
    at_once.refresh = CxlDdrSpec::Refresh::none;
    at_once.t_rcd = at_once.t_ras = at_once.t_rrd = at_once.t_rp = at_once.t_rtp = at_once.t_wr = at_once.t_ccd = 0;
    at_once.t_rtw = at_once.t_wtr = at_once.cas_latency = 0;
    device.ddr = at_once;
    device.answer_latency = 0;
    CxlLinkSpec link;
    link.name = "link";
    link.upper = kHost;
    link.lower = kDevice;
    link.period = 1'000;
    link.latency = 0;
    spec.links.push_back(link);
    CxlPmuSpec pmu;
    pmu.name = kPmu;
    pmu.component = kDevice;
    pmu.address = kBlock;
    pmu.clock_hz = 1'000'000'000;
    pmu.width = 16;
    pmu.ddr_filter = true;
    pmu.groups = {{kCxlVendor, 0x0000}, {kCxlVendor, 0x0020}, {kCxlVendor, 0x0025}, {kCxlVendor, 0x0021},
                  {kCxlVendor, 0x8000}, {kCxlVendor, 0x0012}, {0x19e5, 0x0001}};
    pmu.vendor_events = {{0x19e5, 0x0001, 3, CxlClass::m2s_req, 2}};
    spec.pmus.push_back(pmu);
    return spec;
  }

  explicit CxlSession(CxlJudgeSpec spec = hierarchy())
      : fabric(board.add(std::make_unique<CxlJudge>(std::move(spec), board.chronicle()))) {}

  Scoreboard board;
  CxlJudge& fabric;
  Picoseconds now = 0;

  // Wires.
  static CxlMessage message(CxlClass which, unsigned opcode, std::uint64_t address, std::uint16_t tag = 0,
                            CxlMeta meta = CxlMeta::none, unsigned lines = 1, bool tee = false) {
    return {which, static_cast<std::uint8_t>(opcode), address, tag, meta, static_cast<std::uint8_t>(lines), tee};
  }
  /// The message leaves and arrives at the same instant, so the link's latency must be 0.
  void pass(const CxlMessage& one, unsigned link = 0) {
    const bool down = travels_down(one.which);
    const Picoseconds when = tick();
    fabric.on_message(when, link, down ? CxlEnd::upper : CxlEnd::lower, one);
    fabric.on_message(when, link, down ? CxlEnd::lower : CxlEnd::upper, one);
  }
  void leave(const CxlMessage& one, unsigned link = 0) {
    fabric.on_message(tick(), link, travels_down(one.which) ? CxlEnd::upper : CxlEnd::lower, one);
  }
  void arrive(const CxlMessage& one, unsigned link = 0) {
    fabric.on_message(now, link, travels_down(one.which) ? CxlEnd::lower : CxlEnd::upper, one);
  }
  /// Whole reads, 2 ns each (3 of HDM-DB): MemRd, access to memory, MemData.
  void reads(int count, std::uint64_t address = kH) {
    for (int i = 0; i < count; ++i) {
      pass(message(CxlClass::m2s_req, 1, address, 7));
      fabric.on_access(now, kDevice, false, address - kH);
      if (address >= kDb) pass(message(CxlClass::s2m_ndr, 0, address, 7));
      pass(message(CxlClass::s2m_drs, 0, address, 7));
    }
  }

  // The perf core.
  void begin(Call call, int event = 0) { board.on_call(call, true, kPmu, event, 0, tick()); }
  void end(Call call, int event = 0, std::uint64_t value = 0) {
    board.on_call(call, false, kPmu, event, value, tick());
  }
  void write(std::uint64_t offset, std::uint64_t data, unsigned length = 8) {
    board.on_bus_access({tick(), kBlock + offset, data, length, true, true});
  }
  void read(std::uint64_t offset, std::uint64_t data) {
    board.on_bus_access({tick(), kBlock + offset, data, 8, false, true});
  }
  static std::uint64_t configuration(unsigned group_index, std::uint64_t events, unsigned threshold = 0,
                                     bool invert = false, bool edge = false) {
    return std::uint64_t{group_index} << 59 | events << 24 | std::uint64_t{threshold} << 16 | (invert ? 1U << 12 : 0U) |
           (edge ? 1U << 11 : 0U) | 0x700U | 2U;
  }
  /// The driver adds an event and writes this configuration into a counter.
  void add(int event, unsigned counter, std::uint64_t configuration_value, std::uint32_t hdm = ~0U,
           std::uint32_t location = ~0U) {
    begin(Call::add, event);
    write(0x400 + 32 * counter, hdm, 4);
    write(0x404 + 32 * counter, location, 4);
    write(0x200 + 8 * counter, configuration_value);
    write(0xc00 + 8 * counter, 0);
    end(Call::add, event);
  }
  /// A driver that refuses an event. @return what the hardware has left for it
  std::string refuse(int event, const EventTerms& terms) { return refuse_event(board, now, kPmu, event, terms); }
  void del(int event, std::uint64_t value) {
    begin(Call::del, event);
    end(Call::del, event, value);
  }
  void enable() {
    begin(Call::pmu_enable);
    write(0x18, 0);
    end(Call::pmu_enable);
  }
  void disable() {
    begin(Call::pmu_disable);
    write(0x18, kAll);
    end(Call::pmu_disable);
  }
  /// Announce an event and its meaning, and let the driver add it correctly.
  void count(int event, const EventTerms& terms, unsigned group_index, std::uint64_t events) {
    board.expect(event, kPmu, terms);
    add(event, static_cast<unsigned>(event), configuration(group_index, events));
  }

  [[nodiscard]] EventResult result(int event) const { return board.result(event).value(); }
  [[nodiscard]] std::uint64_t expected(int event) const { return result(event).expected; }
  [[nodiscard]] std::uint64_t noted(const char* kind) const { return board.findings().count(kind); }
  Picoseconds tick() { return now += 1'000; }
};

}  // namespace pmufab::scoreboard::test
