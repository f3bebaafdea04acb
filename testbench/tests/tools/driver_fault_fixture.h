// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"
#include "testbench/tests/tools/driver_build.h"

namespace pmufab::testing {

/// Messages about drivers that fail. They are the newest kernel's, built here with one more line.
class DriverFault : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(PMUFAB_LINUX_SOURCES)) {
      const std::filesystem::path& path = entry.path();
      if (path.filename() == kFile && path.string() > original_.string()) original_ = path;
    }
    if (original_.empty()) GTEST_SKIP() << "there are no sources of this driver";
    setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  }

  /// Insert `statement` at the start of the probe function of the CMEM latency PMU's driver. @return the library with
  /// the drivers
  std::string drivers_with(const std::string& statement) {
    std::string text = original();
    const std::size_t probe = text.find("_probe(struct platform_device *pdev)\n{");
    EXPECT_NE(probe, std::string::npos);
    text.insert(text.find('{', probe) + 1, statement);
    return drivers_of(kFile, text);
  }

  /// @return the library with the drivers of the kernel and this file
  std::string drivers_of(const std::string& file, const std::string& text, bool plain = false) {
    std::string library = (folder / "own.so").string();
    const Outcome built = pmufab(driver_build(write(file, text), version(), library, plain));
    EXPECT_EQ(built.exit_code, 0) << built.err;
    EXPECT_THAT(built.out, ::testing::HasSubstr(fmt::format("own.so: Linux {} with ", version())));
    return library;
  }

  [[nodiscard]] std::string version() const {
    return original_.lexically_relative(PMUFAB_LINUX_SOURCES).begin()->string();
  }

  /// @return the text of the newest kernel's driver
  [[nodiscard]] std::string original() const { return read(original_); }
  /// @param file  below drivers/perf
  [[nodiscard]] std::string original(const std::string& file) const { return read(original_.parent_path() / file); }

  static constexpr const char* kFile = "nvidia_t410_cmem_latency_pmu.c";

 private:
  std::filesystem::path original_;
};

}  // namespace pmufab::testing
