// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/database/database.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>

#include "testbench/campaigns/explore/report/export.h"
#include "testbench/tests/campaigns/explore/study_text.h"

namespace pmufab::explore::database_test {
namespace {

using pmufab::testing::study_of;
using ::testing::HasSubstr;

class StudyDatabase : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-database-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static Study study(const std::string& computed = "2 * lost + width") {
    return study_of(
        "name: s\nscenario: base.yaml\n"
        "axes: {width: {set: a, values: [4, 5]}, delay: {set: b, values: [0, 5 us]}, kind: {cases: {\"a,b\": {c: "
        "1}}}}\n"
        "responses: {lost: {value: counters_wrong}, more: \"" +
        computed + "\"}\n");
  }
  static Result result(const std::string& key, std::optional<double> lost) {
    Result result;
    result.key = key;
    result.drivers = "7.3.4";
    result.seed = 1;
    result.status = "passed";
    result.values = {lost, std::nullopt};
    result.seconds = 0.5;
    result.memory_kib = 1000;
    return result;
  }
  static std::string csv(const Study& study, Database& database) {
    std::ostringstream text;
    write_csv(text, study, database);
    return text.str();
  }

  std::filesystem::path folder;
};

TEST_F(StudyDatabase, gives_back_points_in_their_order) {
  const Study one = study();
  Database database(folder / "a", Database::Mode::write);
  database.begin(one, "text");
  database.put(one, result("k3", 7), {3});
  database.put(one, result("k0", std::nullopt), {0});
  database.put(one, result("k1", 0.5), {1, 2});
  EXPECT_EQ(database.points(), 4U);
  ASSERT_TRUE(database.at(one, 2));
  EXPECT_EQ(database.at(one, 2)->key, "k1");
  EXPECT_EQ(database.at(one, 2)->values[0], 0.5);
  EXPECT_FALSE(database.at(one, 4));
  EXPECT_EQ(csv(one, database),
            "point,width,delay,kind,run_seed,run_drivers,status,lost,more\n"
            "0,4,0,\"a,b\",1,7.3.4,passed,,\n"
            "1,4,5 us,\"a,b\",1,7.3.4,passed,0.5,5\n"
            "2,5,0,\"a,b\",1,7.3.4,passed,0.5,6\n"
            "3,5,5 us,\"a,b\",1,7.3.4,passed,7,19\n");
  EXPECT_EQ(database.costs().runs, 3U);
  EXPECT_DOUBLE_EQ(database.costs().mean_seconds, 0.5);
}

TEST_F(StudyDatabase, has_a_column_for_each_axis_and_response) {
  const Study one = study();
  Database database(folder / "a", Database::Mode::write);
  database.begin(one, "text");
  database.put(one, result("k1", 7), {1});
  Connection connection(folder / "a", SQLITE_OPEN_READONLY);
  Statement select(connection, "SELECT width, delay, kind, lost, more, status FROM points WHERE width < 5");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.number(0), 4U);
  EXPECT_EQ(select.text(1), "5 us");
  EXPECT_EQ(select.text(2), "a,b");
  EXPECT_EQ(select.text(3), "7");
  EXPECT_EQ(select.text(4), "18");
  EXPECT_EQ(select.text(5), "passed");
}

TEST_F(StudyDatabase, keeps_runs_when_the_study_changes) {
  Database database(folder / "a", Database::Mode::write);
  const Study before = study();
  database.begin(before, "text");
  database.put(before, result("k1", 7), {1});
  const Study after = study("100 * lost");
  database.begin(after, "another text");
  EXPECT_EQ(database.points(), 0U);
  const std::optional<Result> known = database.find(after, "k1");
  ASSERT_TRUE(known);
  database.place(after, *known, 1);
  EXPECT_THAT(csv(after, database), HasSubstr("passed,7,700\n"));
  EXPECT_FALSE(database.find(after, "k2"));
  // The same text changes nothing.
  database.begin(after, "another text");
  EXPECT_EQ(database.points(), 1U);
}

TEST_F(StudyDatabase, refuses_other_files_and_other_studies) {
  std::ofstream(folder / "text") << std::string(5000, 'x');
  const auto mistake = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const scenario::InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(mistake([&] { Database(folder / "text", Database::Mode::write); }),
              HasSubstr("it is no database of pmufab explore"));
  EXPECT_THAT(mistake([&] { Database(folder / "none", Database::Mode::read); }), HasSubstr("cannot be opened"));
  {
    Connection other(folder / "other", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    other.run("CREATE TABLE a (b)");
  }
  EXPECT_THAT(mistake([&] { Database(folder / "other", Database::Mode::write); }),
              HasSubstr("is no database of pmufab explore"));
  const Study one = study();
  Database first(folder / "first", Database::Mode::write);
  first.begin(one, "one");
  Database second(folder / "second", Database::Mode::write);
  second.begin(one, "two");
  EXPECT_THAT(mistake([&] { first.merge(one, folder / "second"); }), HasSubstr("is of another study"));
}

TEST_F(StudyDatabase, belongs_to_the_study_that_began_last) {
  const Study one = study();
  Database first(folder / "a", Database::Mode::write);
  first.begin(one, "one");
  first.put(one, result("k1", 1), {0});
  Database second(folder / "a", Database::Mode::write);
  second.begin(one, "two");
  second.put(one, result("k2", 2), {0});
  EXPECT_THROW(first.put(one, result("k3", 3), {1}), DatabaseError);
  EXPECT_THROW(first.place(one, result("k1", 1), 1), DatabaseError);
  EXPECT_FALSE(first.at(one, 0));  // another study's point
  EXPECT_EQ(second.points(), 1U);
  EXPECT_EQ(second.at(one, 0)->values[0], 2);
  EXPECT_FALSE(second.find(one, "k3"));
}

TEST_F(StudyDatabase, adopts_runs_of_another_study) {
  const Study one = study();
  {
    Database other(folder / "other", Database::Mode::write);
    other.begin(one, "before");
    other.put(one, result("k1", 7), {0});
    other.put(one, result("k2", 8), {1});
  }
  Database database(folder / "a", Database::Mode::write);
  database.begin(one, "text");
  database.put(one, result("k2", 9), {0});
  database.adopt(folder / "other");
  EXPECT_EQ(database.points(), 1U);
  ASSERT_TRUE(database.find(one, "k1"));
  EXPECT_EQ(database.find(one, "k1")->values[0], 7);
  EXPECT_EQ(database.find(one, "k2")->values[0], 9);
}

TEST_F(StudyDatabase, can_be_read_where_nobody_may_write) {
  using std::filesystem::perms;
  const Study one = study();
  const std::filesystem::path place = folder / "what? 100%";
  std::filesystem::create_directory(place);
  {
    Database database(place / "a", Database::Mode::write);
    database.begin(one, "text");
    database.put(one, result("k", 3), {0});
  }
  constexpr perms kRead = perms::owner_read | perms::owner_exec | perms::group_read | perms::group_exec |
                          perms::others_read | perms::others_exec;
  std::filesystem::permissions(folder, kRead | perms::owner_write);
  std::filesystem::permissions(place, kRead);
  const auto read = [&] {
    constexpr uid_t kNobody = 65534;  // root may write everywhere
    if (geteuid() == 0 && setuid(kNobody) != 0) _exit(2);
    _exit(Database(place / "a", Database::Mode::read).at(one, 0)->values[0] == 3 ? 0 : 1);
  };
  EXPECT_EXIT(read(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place), {}), 1);
  std::filesystem::permissions(place, perms::owner_all);
}

TEST_F(StudyDatabase, keeps_a_result_when_another_part_has_none) {
  const Study one = study();
  Result crashed = result("k", std::nullopt);
  crashed.status = "crashed";
  Database first(folder / "first", Database::Mode::write);
  first.begin(one, "text");
  first.put(one, result("k", 3), {0});
  {
    Database second(folder / "second", Database::Mode::write);
    second.begin(one, "text");
    Result other = crashed;
    second.put(one, other, {0});
    other.key = "m";
    other.status = "failed";
    second.put(one, other, {2});
  }
  first.put(one, result("k", 3), {0});
  first.merge(one, folder / "second");
  EXPECT_EQ(first.at(one, 0)->status, "passed");
  EXPECT_EQ(first.at(one, 0)->values[0], 3);
  EXPECT_EQ(first.at(one, 2)->status, "failed");
  EXPECT_FALSE(first.at(one, 3));
  EXPECT_THAT(first.statuses(), ::testing::ElementsAre("failed", "passed"));
}

TEST_F(StudyDatabase, takes_a_result_in_place_of_a_crash) {
  const Study one = study();
  Result crashed = result("k", std::nullopt);
  crashed.status = "crashed";
  Database first(folder / "first", Database::Mode::write);
  first.begin(one, "text");
  first.put(one, crashed, {0});
  {
    Database second(folder / "second", Database::Mode::write);
    second.begin(one, "text");
    second.put(one, result("k", 3), {0});
  }
  first.merge(one, folder / "second");
  EXPECT_EQ(first.at(one, 0)->status, "passed");
}

}  // namespace
}  // namespace pmufab::explore::database_test
