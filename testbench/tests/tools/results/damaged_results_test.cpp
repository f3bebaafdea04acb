// SPDX-License-Identifier: Apache-2.0
// Results that were damaged: each key is taken away, or has another type. What reads them says so.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::damaged_results_test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class DamagedResults : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    // A counter of 16 bits wraps several times before its interrupt is delivered.
    std::string text = read(narrow("narrow", "  - {events: [nvidia_ucf_pmu_0/slc_bytes_rd/]}\n"));
    text.replace(text.find("duration: 100 us"), 16, "duration: 40 us\nhost: {interrupt_delay: 30 us}");
    const Outcome run = pmufab({"run", write("narrow.yaml", text), "--drivers", "newest", "--out", at("right")});
    ASSERT_EQ(run.exit_code, 1) << run.out << run.err;
    std::filesystem::copy(folder / "right", folder / "damaged", std::filesystem::copy_options::recursive);
    right = Json::parse(read(result_of("right")));
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] std::filesystem::path result_of(const std::string& name) const {
    std::filesystem::path file = folder / name / "result.json";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / name)) {
      if (entry.path().filename() == "result.json") file = entry.path();
    }
    return file;
  }
  void damage(const Json& json) { std::ofstream(result_of("damaged")) << json.dump(); }
  /// Run a command that reads damaged results. @return what it says
  std::string said(const std::vector<std::string>& arguments) {
    const Outcome outcome = pmufab(arguments);
    EXPECT_THAT(outcome.exit_code, AnyOf(0, 1, 2)) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("internal error")));
    return outcome.out + outcome.err;
  }
  Json right;
};

/// Add the places in a value, of lists the first element alone.
void add_places(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& places) {
  if (!at.empty()) places.push_back(at);
  if (value.is_array() && !value.empty()) add_places(value.front(), at / 0, places);
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) add_places(member, at / key, places);
}

TEST_F(DamagedResults, explain_and_compare_say_that_they_are_damaged) {
  std::vector<Json::json_pointer> places;
  add_places(right, Json::json_pointer(), places);
  ASSERT_GT(places.size(), 50U);
  bool is_told = false;
  for (const Json::json_pointer& place : places) {
    SCOPED_TRACE(place.to_string());
    Json other = right;
    other[place] = other[place].is_string() ? Json(7) : Json("x");
    Json without = right;
    Json& parent = without[place.parent_pointer()];
    if (parent.is_object())
      parent.erase(place.back());
    else
      parent.erase(0);
    for (const Json& damaged : {other, without}) {
      damage(damaged);
      is_told |= said({"explain", at("damaged")}).find("are damaged") != std::string::npos;
      said({"compare", at("right"), at("damaged")});
      said({"compare", at("damaged"), at("right")});
    }
  }
  EXPECT_TRUE(is_told);
}

TEST_F(DamagedResults, texts_of_any_length_and_letters_are_explained) {
  Json& check = right["runs"][0]["checks"];
  check = Json::array({{{"name", "mine"}, {"ok", false}, {"text", std::string(1 << 20, 'a')}}});
  damage(right);
  ended(0, pmufab({"explain", at("damaged"), "mine"}));
  check[0]["text"] = "clear \x1b[2J";
  damage(right);
  EXPECT_THAT(pmufab({"explain", at("damaged"), "mine"}).out, HasSubstr("mine: clear \\x1b[2J\n"));
}

TEST_F(DamagedResults, a_configuration_that_is_cut_off_is_told) {
  const std::filesystem::path file = result_of("damaged").parent_path() / "effective.yaml";
  const std::string whole = read(file);
  for (std::size_t part = 0; part < 16; ++part) {
    std::ofstream(file) << whole.substr(0, whole.size() * part / 16);
    said({"explain", at("damaged")});
  }
}

}  // namespace
}  // namespace pmufab::testing::damaged_results_test
