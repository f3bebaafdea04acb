// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/tests/judge/scoreboard_fixture.h"

namespace pmufab::scoreboard::test {

/// A perf core and a driver, both played by the test: calls, register accesses and traffic in the written order. Every
/// step is one nanosecond after the one before, unless said otherwise.
class PerfSession {
 public:
  using Call = perf::PerfCallObserver::Call;
  static constexpr const char* kUcf0 = "nvidia_ucf_pmu_0";
  static constexpr const char* kUcf1 = "nvidia_ucf_pmu_1";
  static constexpr const char* kCmem0 = "nvidia_cmem_latency_pmu_0";
  static constexpr std::uint64_t kPage0 = 0x4'0000'0000;  // + socket * 0x10000
  static constexpr std::uint64_t kPage1 = 0x4'0000'1000;
  static constexpr std::uint64_t kBroadcast = 0x5'0000'0000;
  static constexpr std::uint64_t kPmcr = kPage0 + 0xe04;
  static constexpr std::uint64_t kEnableSet = kPage0 + 0xc00;
  static constexpr std::uint64_t kEnableClear = kPage0 + 0xc20;
  static constexpr std::uint64_t kCgCtrl = kBroadcast + 0x800;
  static constexpr std::uint64_t kCtrl = kBroadcast + 0x808;

  static Tegra410JudgeSpec platform() {
    Tegra410JudgeSpec spec = small_platform();
    spec.ucf_frequency_hz = 1'000'000'000;  // an edge at every nanosecond
    spec.coresight_pmus.push_back({CoreSightPmuType::ucf, kUcf0, 0, 0, kPage0, kPage1});
    spec.coresight_pmus.push_back({CoreSightPmuType::ucf, kUcf1, 1, 0, kPage0 + 0x1'0000, kPage1 + 0x1'0000});
    spec.cmem_pmus.push_back({kCmem0, 0, kBroadcast});
    return spec;
  }

  explicit PerfSession(Tegra410JudgeSpec spec = platform())
      : fabric(board.add(std::make_unique<Tegra410Judge>(std::move(spec), board.chronicle()))) {}

  Scoreboard board;
  Tegra410Judge& fabric;
  Picoseconds now = 0;

  void begin(Call call, const std::string& pmu, int event = 0) { board.on_call(call, true, pmu, event, 0, tick()); }
  void end(Call call, const std::string& pmu, int event = 0, std::uint64_t value = 0) {
    board.on_call(call, false, pmu, event, value, tick());
  }
  void write(std::uint64_t address, std::uint64_t data, bool ok = true) {
    board.on_bus_access({tick(), address, data, 4, true, ok});
  }
  void read(std::uint64_t address) { board.on_bus_access({tick(), address, 0, 4, false, true}); }

  /// `count` requests of a GPU to GMEM: slc_access_rd + 1 each, source loc_noncpu, destination loc_gmem.
  void traffic(int count, unsigned socket = 0) {
    for (int i = 0; i < count; ++i) {
      fabric.on_request(request(gpu(socket), FabricOpcode::read_once, socket * kSocketStride + kGmem, 8, tick()));
    }
  }

  // The calls of a correct driver.
  void add(const std::string& pmu, int event) {
    begin(Call::add, pmu, event);
    end(Call::add, pmu, event);
  }
  void del(const std::string& pmu, int event, std::uint64_t value) {
    begin(Call::del, pmu, event);
    end(Call::del, pmu, event, value);
  }
  void enable(const std::string& pmu) {
    begin(Call::pmu_enable, pmu);
    control(pmu, true);
    end(Call::pmu_enable, pmu);
  }
  void disable(const std::string& pmu) {
    begin(Call::pmu_disable, pmu);
    control(pmu, false);
    end(Call::pmu_disable, pmu);
  }
  /// The driver's register writes that start or stop a PMU.
  void control(const std::string& pmu, bool on) {
    if (pmu == kCmem0) {
      if (on) {
        write(kCgCtrl, 1);
        write(kCtrl, 1);
      } else {
        write(kCtrl, 0);
        write(kCtrl, 2);
        write(kCgCtrl, 0);
      }
    } else {
      write(pmu == kUcf1 ? kPmcr + 0x1'0000 : kPmcr, on ? 1 : 0);
    }
  }

  /// Play a story on UCF 0, a word for each step:
  ///   5                        five requests, as traffic()
  ///   on, off                  enable() and disable()
  ///   count:1                  event 1 is expected to count slc_access_rd, and added
  ///   add:1, del:1=5           add() and del() of event 1, whose value is 5 then
  ///   [read:1, read:1=5]       the begin and the end of such a call, or without event and value: [interrupt, interrupt]
  ///   [?interrupt, ?interrupt] a call whose PMU is not known
  ///   pmcr=1, refused=1        a write to the control register, one that the bus refuses
  ///   follow                   windows follow from registers from now on
  ///   expect:1, begin:1, end:1 event 1 is expected to count slc_access_rd, begins, ends
  void play(const std::string& story) {
    std::istringstream words(story);
    for (std::string word; words >> word;) step(word);
  }

  [[nodiscard]] EventResult result(int event) const { return board.result(event).value(); }
  [[nodiscard]] std::uint64_t noted(const std::string& kind) const { return board.findings().count(kind); }

 private:
  void step(std::string word) {
    const bool begins = word.starts_with('[');
    const bool ends = word.ends_with(']');
    if (begins) word.erase(0, 1);
    if (ends) word.pop_back();
    const std::string pmu = word.starts_with('?') ? "" : kUcf0;
    if (pmu.empty()) word.erase(0, 1);
    const std::string name = word.substr(0, word.find_first_of(":="));
    const auto number_behind = [&word](char mark) {
      const std::size_t at = word.find(mark);
      return at == std::string::npos ? 0 : std::stoull(word.substr(at + 1));
    };
    const auto event = static_cast<int>(number_behind(':'));
    const std::uint64_t value = number_behind('=');
    if (begins) return begin(call_of(name), pmu, event);
    if (ends) return end(call_of(name), pmu, event, value);
    if (name == "on") return enable(pmu);
    if (name == "off") return disable(pmu);
    if (name == "follow") return board.follow_registers();
    if (name == "begin") return board.begin(event, now);
    if (name == "end") return board.end(event, now);
    if (name == "count" || name == "expect") board.expect(event, pmu, {{"slc_access_rd"}});
    if (name == "expect") return;
    if (name == "add" || name == "count") return add(pmu, event);
    if (name == "del") return del(pmu, event, value);
    if (name == "pmcr" || name == "refused") return write(kPmcr, value, name == "pmcr");
    traffic(std::stoi(name));
  }
  static Call call_of(const std::string& name) {
    static const std::map<std::string, Call> calls = {{"pmu_disable", Call::pmu_disable},
                                                      {"pmu_enable", Call::pmu_enable},
                                                      {"add", Call::add},
                                                      {"del", Call::del},
                                                      {"start", Call::start},
                                                      {"stop", Call::stop},
                                                      {"read", Call::read},
                                                      {"interrupt", Call::interrupt},
                                                      {"start_txn", Call::start_txn},
                                                      {"commit_txn", Call::commit_txn}};
    return calls.at(name);
  }
  Picoseconds tick() { return now += 1000; }
};

}  // namespace pmufab::scoreboard::test
