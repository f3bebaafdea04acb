// SPDX-License-Identifier: Apache-2.0
// Plays the inputs in seeds/ as libFuzzer does, in a build with any compiler.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fuzz/cxl_machine.h"
#include "testbench/fuzz/harness.h"
#include "testbench/fuzz/operation.h"
#include "testbench/fuzz/players.h"
#include "testbench/fuzz/targets.h"

namespace pmufab::fuzz {
namespace {

using Content = std::vector<std::uint8_t>;

struct Seed {
  std::string name;
  Content bytes;
};

/// @return what seeds/TARGET.txt lists: a name and hexadecimal digits on each line.
std::vector<Seed> seeds_of(const std::string& target) {
  std::vector<Seed> seeds;
  std::ifstream in(std::filesystem::path(PMUFAB_SEEDS) / (target + ".txt"));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    Seed& seed = seeds.emplace_back();
    std::string digits;
    std::istringstream(line) >> seed.name >> digits;
    EXPECT_EQ(digits.size() % 2, 0U) << line;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
      seed.bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  EXPECT_FALSE(seeds.empty());
  return seeds;
}

template <class Play>
void replay(const std::vector<Seed>& seeds, Play play) {
  for (const Seed& seed : seeds) {
    SCOPED_TRACE(seed.name);
    EXPECT_NO_THROW(play(seed.bytes));
  }
}

void replay_on_machine(const std::string& target) {
  // Never destroyed, because the simulation is not over when the process ends.
  static Machine* const machine = [&] {
    std::unique_ptr<Machine> made = make_cxl_machine(target);
    return (made != nullptr ? std::move(made) : make_platform_machine(target)).release();
  }();
  ASSERT_NE(machine, nullptr);
  static Harness* const harness = std::make_unique<Harness>("harness", *machine).release();
  replay(seeds_of(target), [](const Content& bytes) { harness->run(bytes); });
}

TEST(FuzzSeeds, of_cxl_device_violate_nothing) { replay_on_machine("cxl_device"); }
TEST(FuzzSeeds, of_cxl_cpmu_violate_nothing) { replay_on_machine("cxl_cpmu"); }
TEST(FuzzSeeds, of_tegra410_violate_nothing) { replay_on_machine("tegra410"); }
TEST(FuzzSeeds, of_cmn_violate_nothing) { replay_on_machine("cmn"); }
TEST(FuzzSeeds, of_vfio_user_violate_nothing) { replay(seeds_of("vfio_user"), play_on_vfio_user); }
TEST(FuzzSeeds, of_shell_violate_nothing) { replay(seeds_of("shell"), play_on_shell); }
TEST(FuzzSeeds, of_register_server_violate_nothing) { replay(seeds_of("register_server"), play_on_register_server); }

TEST(FuzzSeeds, of_yaml_violate_nothing) {
  std::vector<Seed> seeds = seeds_of("yaml");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PMUFAB_SCENARIOS)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    seeds.push_back({entry.path(), {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  replay(seeds, [](const Content& bytes) { play_on_yaml(bytes, PMUFAB_SCENARIOS "/cmn"); });
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
