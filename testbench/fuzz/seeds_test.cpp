// SPDX-License-Identifier: Apache-2.0
// Plays the inputs in seeds/ as libFuzzer does, in a build with any compiler.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fuzz/cxl_machine.h"
#include "testbench/fuzz/harness.h"
#include "testbench/fuzz/operation.h"
#include "testbench/fuzz/platform_machines.h"
#include "testbench/fuzz/servers/register_server_player.h"
#include "testbench/fuzz/servers/shell_player.h"
#include "testbench/fuzz/servers/vfio_user_player.h"
#include "testbench/fuzz/yaml/yaml_player.h"

namespace pmufab::fuzz {
namespace {

std::vector<std::filesystem::path> seeds_of(const std::string& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(PMUFAB_SEEDS) / target))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::uint8_t> contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void replay(const std::string& target) {
  // Never destroyed, because the simulation is not over when the process ends.
  static Machine* const machine = [&] {
    std::unique_ptr<Machine> made = make_cxl_machine(target);
    return (made != nullptr ? std::move(made) : make_platform_machine(target)).release();
  }();
  ASSERT_NE(machine, nullptr);
  static Harness* const harness = std::make_unique<Harness>("harness", *machine).release();
  const std::vector<std::filesystem::path> files = seeds_of(target);
  EXPECT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(harness->run(contents(file)));
  }
}

TEST(FuzzSeeds, of_cxl_device_violate_nothing) { replay("cxl_device"); }
TEST(FuzzSeeds, of_cxl_cpmu_violate_nothing) { replay("cxl_cpmu"); }
TEST(FuzzSeeds, of_tegra410_violate_nothing) { replay("tegra410"); }
TEST(FuzzSeeds, of_cmn_violate_nothing) { replay("cmn"); }

TEST(FuzzSeeds, of_vfio_user_violate_nothing) {
  const std::vector<std::filesystem::path> files = seeds_of("vfio_user");
  EXPECT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(play_on_vfio_user(contents(file)));
  }
}

TEST(FuzzSeeds, of_shell_violate_nothing) {
  const std::vector<std::filesystem::path> files = seeds_of("shell");
  EXPECT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(play_on_shell(contents(file)));
  }
}

TEST(FuzzSeeds, of_register_server_violate_nothing) {
  const std::vector<std::filesystem::path> files = seeds_of("register_server");
  EXPECT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(play_on_register_server(contents(file)));
  }
}

TEST(FuzzSeeds, of_yaml_violate_nothing) {
  std::vector<std::filesystem::path> files = seeds_of("yaml");
  EXPECT_FALSE(files.empty());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PMUFAB_SCENARIOS)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(play_on_yaml(contents(file), PMUFAB_SCENARIOS "/cmn"));
  }
}

TEST(FuzzOperation, reads_the_format_its_description_tells) {
  const std::vector<std::uint8_t> input{0x4a, 1, 2, 3, 4, 5, 9, 8, 7, 6, 5, 4, 3, 2, 0x8c, 3, 0xe1, 6, 33, 0x04, 7};
  OperationReader reader(input);
  const auto window = reader.next();  // write_window, 10 bytes
  ASSERT_TRUE(window.has_value());
  EXPECT_EQ(window->kind, Operation::Kind::write_window);
  EXPECT_EQ(window->place, 1U);
  EXPECT_EQ(window->offset, 0x0504'0302U);
  EXPECT_EQ(window->length, 10U);
  EXPECT_EQ(window->data[0], 9U);
  EXPECT_EQ(window->data[7], 2U);
  EXPECT_EQ(window->data[8], 0U);
  const auto advance = reader.next();
  ASSERT_TRUE(advance.has_value());
  EXPECT_EQ(advance->kind, Operation::Kind::advance);
  EXPECT_EQ(advance->duration, 3U << 12);
  const auto bit = reader.next();
  ASSERT_TRUE(bit.has_value());
  EXPECT_EQ(bit->kind, Operation::Kind::write_bit);
  EXPECT_EQ(bit->place, 6U);
  EXPECT_EQ(bit->length, 4U);
  EXPECT_EQ(bit->data[4], 2U);
  const auto place = reader.next();  // write_place, one byte, one byte after the place; its data is missing
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->kind, Operation::Kind::write_place);
  EXPECT_EQ(place->place, 7U);
  EXPECT_EQ(place->offset, 1U);
  EXPECT_EQ(place->length, 1U);
  EXPECT_EQ(place->data[0], 0U);
  EXPECT_FALSE(reader.next().has_value());
}

}  // namespace
}  // namespace pmufab::fuzz
