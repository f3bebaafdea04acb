// SPDX-License-Identifier: Apache-2.0
// Drivers for hardware that has no model: testbench/host/foreign-drivers.md says which of them the driver host takes.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "testbench/tests/host/driver_host_test.h"

#ifdef PMUFAB_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

namespace pmufab::driver_host::testing {
namespace {

namespace fs = std::filesystem;

/// A row of a table of the document: | `file` | device | result |
struct ForeignRow {
  std::string file;
  std::string device;  ///< "ACPI `ID`", "device tree `compatible`", either also "... below `...`"; or other text
  std::string result;
  [[nodiscard]] bool loads() const { return result.starts_with("loads"); }
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The text between the first two backquotes.
std::string in_backquotes(const std::string& text) {
  const std::size_t first = text.find('`');
  return first == std::string::npos ? std::string() : text.substr(first + 1, text.find('`', first + 1) - first - 1);
}

std::vector<ForeignRow> document_rows() {
  std::vector<ForeignRow> rows;
  std::ifstream in(PMUFAB_SOURCE_DIR "/testbench/host/foreign-drivers.md");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `drivers/perf/")) continue;
    std::istringstream cells(line.substr(1));
    ForeignRow row;
    std::string file;
    std::getline(cells, file, '|');
    std::getline(cells, row.device, '|');
    std::getline(cells, row.result, '|');
    row.file = in_backquotes(file);
    row.device = trimmed(row.device);
    row.result = trimmed(row.result);
    rows.push_back(row);
  }
  return rows;
}

/// Registers that keep what is written to them, and are 0 before.
class ForeignRegisters : public FakeDevice {
 public:
  std::uint64_t read(std::uint64_t offset, unsigned) override { return kept_[offset]; }
  void write(std::uint64_t offset, unsigned, std::uint64_t value) override { kept_[offset] = value; }

 private:
  std::map<std::uint64_t, std::uint64_t> kept_;
};

/// Some of these drivers never free memory, which the driver host tells. The sanitizers need not tell it again.
int load(DriverHost& host) {
#ifdef PMUFAB_SANITIZED
  const __lsan::ScopedDisabler no_leaks;
#endif
  return host.load();
}

/// What the document says under "What these drivers do wrong".
constexpr std::array kKnownWarnings = {
    "of starfive_starlink_pmu goes to another CPU, and cpumask says 0: irq_set_affinity() is missing",
    "of meson_ddr_bw goes to any CPU, and cpumask says 0: irq_set_affinity() is missing",
    "Unknown part number: 0x000",
    "starfive_starlink_pmu is still registered after its driver has left",
    "the hotplug state 'soc/starfive/starlink_pmu:online' is left behind",
    "the hotplug state 'perf/qcom/l3cache:online' is left behind",
    "the hotplug state 'CPUHP_AP_PERF_ARM_APM_XGENE_ONLINE' is left behind",
    "is never freed; it was allocated, in starlink_pmu_probe()",
    "the module marvell_cn10k_tad_pmu serves a0000000.marvell,cn10k-tad-pmu and has no MODULE_DEVICE_TABLE(of, ...)",
    "is freed while the PMU of ARMHD620:00 is still registered",
    "is freed while the PMU of a8000000.starfive,jh8100-starlink-pmu is still registered",
};

class ForeignDrivers : public pmufab::testing::SimulationTest {
 protected:
  void SetUp() override {
    if (all_driver_sets().empty()) GTEST_SKIP() << "no driver sources";
    version = all_driver_sets().back().kernel_version;
    source = fs::path(PMUFAB_LINUX_SOURCES) / version;
    if (!fs::exists(source)) GTEST_SKIP() << "the sources are in another folder";
    folder = fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override {
    if (!folder.empty() && !HasFailure()) fs::remove_all(folder);
  }

  /// A header of a driver alone, which tools/fetch-linux-sources of former versions did not keep.
  [[nodiscard]] bool lacks_header(const ForeignRow& row) const {
    std::ifstream in(source / row.file);
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("#include <soc/")) continue;
      const std::string header = line.substr(10, line.find('>') - 10);
      if (!fs::exists(source / "include" / header)) return true;
    }
    return false;
  }

  /// @return the exit code of tools/build-drivers for these files, beside the kernel's drivers
  [[nodiscard]] int build(const std::vector<ForeignRow>& rows) const {
    std::string command = "CC='" PMUFAB_C_COMPILER "' " PMUFAB_SOURCE_DIR
                          "/tools/build-drivers --sources " PMUFAB_LINUX_SOURCES " --like " PMUFAB_DRIVERS_DIR
                          " --base " +
                          version;
#ifdef PMUFAB_SANITIZED
    command += " --sanitize";
#endif
    for (const ForeignRow& row : rows) command += " --driver " + (source / row.file).string();
    command += " " + folder.string() + " >" + (folder / "log").string() + " 2>&1";
    return std::system(command.c_str());
  }

  /// Devices for the rows that name one. Each has its addresses whether the others are built or not.
  void describe(const std::vector<ForeignRow>& rows) {
    constexpr std::uint64_t kWindow = 0x1000000;
    constexpr int kWindows = 4;  // of one device
    constexpr int kLines = 8;
    for (std::uint32_t cpu = 0; cpu < 4; ++cpu)
      firmware.cpus.push_back({.uid = cpu, .container_uid = cpu / 2, .node = cpu / 2});
    std::uint64_t base = 0x50000000;
    std::uint64_t parents = 0x200000000;
    std::uint32_t number = 100;
    for (const ForeignRow& row : rows) {
      platform::AcpiDevice device;
      if (row.device.starts_with("ACPI ")) device.hid = in_backquotes(row.device);
      if (row.device.starts_with("device tree ")) device.compatible = in_backquotes(row.device);
      if (device.hid.empty() && device.compatible.empty()) continue;
      if (lacks_header(row)) {
        base += kWindows * kWindow;
        number += kLines;
        continue;
      }
      device.uid = "0";
      const auto add_windows = [&](platform::AcpiDevice& to, std::uint64_t& next) {
        for (int i = 0; i < kWindows; ++i, next += kWindow) {
          registers.push_back(std::make_unique<ForeignRegisters>());
          to.memory.push_back({.base = next, .size = kWindow});
          bus.map(next, kWindow, *registers.back());
        }
      };
      add_windows(device, base);
      for (int i = 0; i < kLines; ++i, ++number) {
        lines.push_back(std::make_unique<InterruptLine>("line" + std::to_string(number)));
        device.interrupts.push_back({.number = number, .line = lines.back().get()});
      }
      for (const char* property :
           {"hisilicon,scl-id", "hisilicon,ccl-id", "hisilicon,sub-id", "hisilicon,idx-id", "hisilicon,ch-id",
            "marvell,tad-cnt", "marvell,tad-page-size", "marvell,tad-pmu-page-size"})
        device.properties[property] = 1;
      if (const std::size_t below = row.device.find(" below "); below != std::string::npos) {
        platform::AcpiDevice parent;
        (device.hid.empty() ? parent.compatible : parent.hid) = in_backquotes(row.device.substr(below));
        add_windows(parent, parents);
        parent.interrupts = device.interrupts;
        device.node = parent.node = 0;
        parent.uid = "0";
        device.uid = parent.hid.empty() ? parent.compatible + "/" : parent.hid + ":0/0";
        firmware.devices.push_back(parent);
      }
      firmware.devices.push_back(device);
    }
  }

  /// What the document must say about a file that was loaded.
  static std::string result_of(const ForeignRow& row, const std::vector<DriverFile>& files) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const DriverFile& file) { return file.file == fs::path(row.file).filename(); });
    if (found == files.end() || !found->is_used) return "loads";
    std::string pmus;
    for (const std::string& pmu : found->pmus) pmus += (pmus.empty() ? ", registers `" : " `") + pmu + "`";
    return "loads, binds" + pmus;
  }

  std::string version;
  fs::path source;
  fs::path folder;
  platform::FirmwareDescription firmware;
  FakeBus bus{"bus"};
  std::vector<std::unique_ptr<ForeignRegisters>> registers;
  std::vector<std::unique_ptr<InterruptLine>> lines;
};

TEST_F(ForeignDrivers, the_document_names_every_driver_of_the_newest_kernel) {
  std::set<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source / "drivers/perf")) {
    if (entry.path().extension() == ".c") files.insert(entry.path().lexically_relative(source).generic_string());
  }
  std::set<std::string> named;
  for (const ForeignRow& row : document_rows())
    EXPECT_TRUE(named.insert(row.file).second) << row.file << " is named twice";
  EXPECT_EQ(named, files);
}

TEST_F(ForeignDrivers, those_that_load_do_and_bind_and_register_what_the_document_says) {
  std::vector<ForeignRow> rows = document_rows();
  std::erase_if(rows, [](const ForeignRow& row) { return !row.loads(); });
  describe(rows);
  std::erase_if(rows, [&](const ForeignRow& row) { return lacks_header(row); });
  ASSERT_GT(rows.size(), 20U);
  ASSERT_EQ(build(rows), 0) << "see " << folder / "log";
  DriverHost host("host", find_driver_sets(folder).back(), {});
  host.bus.bind(bus.socket);
  host.describe(firmware);
  run([&] {
    ASSERT_EQ(load(host), 0);
    for (const ForeignRow& row : rows) EXPECT_EQ(row.result, result_of(row, host.driver_files())) << row.file;
    host.unload();
    for (const std::string& text : host.warning_texts()) {
      if (std::none_of(kKnownWarnings.begin(), kKnownWarnings.end(),
                       [&](const char* known) { return text.find(known) != std::string::npos; }))
        ADD_FAILURE() << text;
    }
    for (const char* wrong : {"goes to another CPU", "Unknown part number"})
      EXPECT_THAT(host.warning_texts(), ::testing::Contains(::testing::HasSubstr(wrong)));
    if (HasFailure()) {
      for (const std::string& line : host.log()) std::cerr << line << '\n';
    }
  });
}

TEST_F(ForeignDrivers, those_that_do_not_compile_still_do_not) {
  std::vector<ForeignRow> rows = document_rows();
  std::erase_if(rows, [](const ForeignRow& row) { return !row.result.starts_with("no: "); });
  ASSERT_GT(rows.size(), 10U);
  EXPECT_NE(build(rows), 0);
  for (const ForeignRow& row : rows)
    EXPECT_TRUE(fs::exists(folder / version / "log" / (module_of(row.file) + ".log.failed"))) << row.file;
}

}  // namespace
}  // namespace pmufab::driver_host::testing
