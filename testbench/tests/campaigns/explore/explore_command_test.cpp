// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <random>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/run/process/process_tree.h"
#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::explore_command_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Explore : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    base = write("base.yaml", R"(name: base
platform: {kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 20 us
measure:
  - {name: all, events: [nvidia_ucf_pmu_0/slc_access_rd/], compare: none}
)");
  }

  /// A study of the base scenario. @param rates  values of its axis; @param more  other keys
  std::string study(const std::string& rates, const std::string& more = "") {
    return write(
        "study.yaml",
        "name: rates\nscenario: base.yaml\naxes:\n  rate: {set: \"traffic[0].generators[0].pacing.requests_per_us\", " +
            rates + R"(}
  delay: {set: host.interrupt_delay, values: [0, 2 us]}
responses:
  reported: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: driver}
  true_count: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: expected}
  per_us: "reported / 20"
)" + more);
  }

  std::string database(const std::string& name = "a.sqlite") { return (folder / name).string(); }
  Outcome explore(const std::string& study, const std::vector<std::string>& more = {},
                  const std::string& name = "a.sqlite") {
    std::vector<std::string> words = {"explore", study, "--drivers", "newest", "--db", database(name)};
    words.insert(words.end(), more.begin(), more.end());
    return pmufab(words);
  }
  std::string exported(const std::string& name = "a.sqlite") {
    return pmufab({"explore", "export", database(name)}).out;
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  std::string base;
};

TEST_F(Explore, runs_every_combination_and_reads_what_a_run_of_it_alone_gives) {
  EXPECT_THAT(ended(0, explore(study("values: [10, 50]"))).out,
              HasSubstr("rates: 4 points, 4 run now, 0 without result"));
  const std::vector<std::string> rows = lines(exported());
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0], "point,rate,delay,run_seed,run_drivers,status,reported,true_count,per_us");
  const std::string json = (folder / "run.json").string();
  static_cast<void>(
      pmufab({"run", base, "--drivers", "newest", "--set", "traffic[0].generators[0].pacing.requests_per_us=50",
              "--set", "host.interrupt_delay=2 us", "--json", json}));
  const nlohmann::json run = nlohmann::json::parse(read(json)).at("runs").at(0);
  const auto counted = run.at("measures").at(0).at("counters").at(0).at("driver").get<std::uint64_t>();
  EXPECT_GT(counted, 900U);
  EXPECT_THAT(rows[4], AllOf(::testing::StartsWith("3,50,2 us,1,"), HasSubstr(",not_judged," + std::to_string(counted) +
                                                                              "," + std::to_string(counted) + ",")));
}

TEST_F(Explore, runs_nothing_twice_and_only_what_a_change_concerns) {
  static_cast<void>(explore(study("values: [10, 50]")));
  EXPECT_THAT(explore(study("values: [10, 50]")).out, HasSubstr("4 points, 0 run now"));
  EXPECT_THAT(explore(study("values: [10, 20, 50]")).out, HasSubstr("6 points, 2 run now"));
  // Other expressions need no run, other measured values do.
  EXPECT_THAT(explore(study("values: [10, 50]", "  twice: \"2 * reported\"\n")).out, HasSubstr("4 points, 0 run now"));
  EXPECT_THAT(explore(study("values: [10, 50]", "  wrong: {value: counters_wrong}\n")).out,
              HasSubstr("4 points, 4 run now"));
  // So does another configuration in a file. Its results give way to the first ones when these are wanted again.
  static_cast<void>(explore(study("values: [10, 50]")));
  const std::string first = exported();
  const std::string before = read(base);
  std::string text = before;
  text.replace(text.find("20 us"), 5, "30 us");
  write("base.yaml", text);
  EXPECT_THAT(explore(study("values: [10, 50]")).out, HasSubstr("4 points, 4 run now"));
  EXPECT_NE(exported(), first);
  write("base.yaml", before);
  EXPECT_THAT(explore(study("values: [10, 50]")).out, HasSubstr("4 points, 0 run now"));
  EXPECT_EQ(exported(), first);
}

TEST_F(Explore, without_a_judge_has_what_drivers_count_and_refuses_the_rest) {
  write("base.yaml", read(base) + "judge: off\n");
  const std::string file = study("values: [10, 50]");
  EXPECT_THAT(ended(2, explore(file)).err,
              AllOf(HasSubstr("responses.true_count: needs the judge"), HasSubstr("judge: off")));
  std::string text = read(file);
  const std::size_t begin = text.find("  true_count");
  text.erase(begin, text.find('\n', begin) + 1 - begin);
  write("study.yaml", text);
  EXPECT_THAT(explore(file).out, HasSubstr("4 points, 4 run now, 0 without result"));
  const std::vector<std::string> rows = lines(exported());
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[1], HasSubstr(",not_judged,"));
  EXPECT_THAT(rows[1], ::testing::Not(HasSubstr(",not_judged,0,")));
}

TEST_F(Explore, loses_nothing_when_it_is_killed_and_leaves_no_process) {
  const std::string file = study("range: {from: 1, to: 60}");
  ASSERT_EQ(explore(file).exit_code, 0);
  const std::string undisturbed = exported();
  ASSERT_EQ(lines(undisturbed).size(), 121U);
  std::mt19937 random(1);
  std::size_t points = 0;
  for (int kills = 0; kills < 20; ++kills) {
    const pid_t pid = start({"explore", file, "--drivers", "newest", "--db", database("b.sqlite"), "-j", "2"});
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 700));
    const std::vector<pid_t> children = process::living_descendants(pid);
    kill(pid, SIGKILL);
    static_cast<void>(finish(pid));
    for (const pid_t child : children) {
      bool is_there = true;
      for (int i = 0; i < 1000 && is_there; ++i) {
        is_there = kill(child, 0) == 0;
        if (is_there) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      EXPECT_FALSE(is_there) << child;
    }
    const std::vector<std::string> rows = lines(exported("b.sqlite"));
    const std::size_t now = rows.empty() ? 0 : rows.size() - 1;
    EXPECT_GE(now, points);  // what was there is there
    points = now;
  }
  ended(0, pmufab({"explore", file, "--drivers", "newest", "--db", database("b.sqlite")}));
  EXPECT_EQ(exported("b.sqlite"), undisturbed);
}

TEST_F(Explore, stops_at_a_signal_and_goes_on) {
  const std::string file = study("range: {from: 1, to: 100}");
  const pid_t pid = start({"explore", file, "--drivers", "newest", "--db", database()});
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(pid, SIGINT);
  const Outcome stopped = ended(1, finish(pid));
  EXPECT_THAT(stopped.err, HasSubstr("stopped; the same command goes on"));
  const std::size_t before = lines(exported()).size();
  EXPECT_LT(before, 201U);
  EXPECT_EQ(explore(file).exit_code, 0);
  EXPECT_EQ(lines(exported()).size(), 201U);
}

TEST_F(Explore, puts_shards_together) {
  const std::string file = study("range: {from: 1, to: 7}");
  ASSERT_EQ(explore(file).exit_code, 0);
  std::vector<std::string> merge = {"explore", "merge", database("all.sqlite")};
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const std::string part = database(std::string("part") + shard[0] + ".sqlite");
    EXPECT_EQ(pmufab({"explore", file, "--drivers", "newest", "--db", part, "--shard", shard}).exit_code, 0);
    merge.push_back(part);
  }
  EXPECT_THAT(pmufab(merge).out, HasSubstr("14 points from 3 files"));
  EXPECT_EQ(exported("all.sqlite"), exported());
  EXPECT_EQ(pmufab({"explore", file, "--shard", "4/3"}).exit_code, 2);
}

TEST_F(Explore, finds_a_border_by_bisection_as_in_the_full_grid) {
  const std::string goal = "find: {smallest: rate, such_that: \"reported >= 700\", for_each: [delay]}\n";
  const Outcome found = ended(0, explore(study("range: {from: 1, to: 64}", goal)));
  EXPECT_LE(lines(exported()).size(), 1U + 2 * 8);
  const Outcome grid = explore(study("range: {from: 1, to: 64}", goal), {"--grid"});
  EXPECT_EQ(lines(exported()).size(), 129U);
  // All lines but the last, which counts points.
  const auto answers = [](const Outcome& outcome) { return outcome.out.substr(0, outcome.out.find("rates: ")); };
  EXPECT_EQ(answers(found), answers(grid));
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("The smallest rate with reported >= 700 for delay=0 is "), HasSubstr("fails")));
}

TEST_F(Explore, says_none_when_no_value_reaches_the_goal) {
  EXPECT_THAT(ended(0, explore(study("values: [1, 2]",
                                     "find: {smallest: rate, such_that: \"reported > 1e9\", for_each: [delay]}\n")))
                  .out,
              HasSubstr("No rate of the study has reported > 1e9 for delay=2 us"));
}

TEST_F(Explore, ends_with_1_if_an_expectation_does_not_hold) {
  EXPECT_EQ(explore(study("values: [10, 50]", "expect: [\"reported == true_count\"]\n")).exit_code, 0);
  EXPECT_THAT(ended(1, explore(study("values: [10, 50]", "expect: [\"reported < 500\"]\n"))).out,
              HasSubstr("reported < 500 holds at 2 of 4 points. The first at which it does not is point 2: "
                        "rate=50, delay=0."));
}

TEST_F(Explore, repeats_with_other_seeds) {
  std::string text = read(base);
  text.replace(text.find("kind: fixed"), 11, "kind: exponential");
  write("base.yaml", text);
  EXPECT_EQ(explore(study("values: [10]", "repeat: 4\n")).exit_code, 0);
  const std::vector<std::string> rows = lines(exported());
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_THAT(rows[1], HasSubstr("0,10,0,1,"));
  EXPECT_THAT(rows[4], HasSubstr("3,10,0,4,"));
  EXPECT_NE(rows[1].substr(rows[1].find("not_judged")), rows[2].substr(rows[2].find("not_judged")));
}

TEST_F(Explore, reports_answers_pictures_and_the_command_of_each_point) {
  const std::string goal = "find: {smallest: rate, such_that: \"reported >= 700\", for_each: [delay]}\npoints: grid\n";
  ASSERT_EQ(explore(study("values: [10, 20, 40]", goal)).exit_code, 0);
  const std::string html = (folder / "a.html").string();
  const std::string pictures = (folder / "pictures").string();
  ended(0, pmufab({"explore", "report", database(), "--html", html, "--pictures", pictures}));
  const std::string page = read(html);
  EXPECT_THAT(page, AllOf(HasSubstr("The smallest rate with reported &gt;= 700 is 40, whatever delay."),
                          HasSubstr("<svg"), HasSubstr("point 4: rate=40, delay=0"),
                          HasSubstr("point 2: rate=20, delay=0"), Not(HasSubstr("http:")), Not(HasSubstr("https:"))));
  EXPECT_THAT(read(pictures + "/per_us-over-rate.svg"), HasSubstr("<svg xmlns="));
  EXPECT_THAT(read(pictures + "/per_us-over-rate.csv"), HasSubstr("curve,rate,per_us,low,high\ndelay=0,10,"));
  // The command of a point gives what the point has.
  const std::string begin = "<code>pmufab run ";
  std::string command = page.substr(page.rfind(begin) + begin.size());
  command.resize(command.find("</code>"));
  for (std::size_t at = command.find("&#39;"); at != std::string::npos; at = command.find("&#39;"))
    command.replace(at, 5, "'");
  const std::string csv = (folder / "point.csv").string();
  const std::string shell = std::string("PMUFAB_DRIVERS=" PMUFAB_DRIVERS_DIR " " PMUFAB_PROGRAM " run ") + command +
                            " --csv " + csv + " > /dev/null";
  static_cast<void>(std::system(shell.c_str()));
  const std::string last = lines(exported()).back();  // 5,40,2 us,1,7.3.4,not_judged,784,784,39.2
  const std::string counted = last.substr(last.find("not_judged,") + 11, 4);
  EXPECT_THAT(read(csv), HasSubstr("," + counted.substr(0, 3) + ","));
}

TEST_F(Explore, says_why_slurm_runs_nothing) {
  const std::string file = study("values: [10]");
  const auto refused = [&](const std::vector<std::string>& more, const std::string& path) {
    std::vector<std::string> words = {"explore", file, "--drivers", "newest", "--db", database()};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = ended(2, finish(start(words, {{"PATH", path}})));
    return outcome.err;
  };
  const std::string none = (folder / "none").string();
  EXPECT_THAT(refused({"--on", "slurm"}, none), HasSubstr("there is no command sbatch here"));
  EXPECT_THAT(refused({"--on", "lsf"}, none), HasSubstr("--shard K/N is for other schedulers"));
  EXPECT_THAT(refused({"--tasks", "4"}, none), HasSubstr("needs --on slurm"));
  EXPECT_THAT(refused({"--on", "slurm", "--tasks", "0"}, none), HasSubstr("use 1 ... 1000"));
  EXPECT_THAT(refused({"--on", "slurm", "--shard", "1/2"}, none), HasSubstr("contradict"));
  // A Slurm that takes no job.
  std::filesystem::create_directory(folder / "bin");
  const std::string sbatch = write("bin/sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition' >&2\nexit 1\n");
  std::filesystem::permissions(sbatch, std::filesystem::perms::owner_all);
  EXPECT_THAT(refused({"--on", "slurm"}, (folder / "bin").string()),
              HasSubstr("sbatch took no job: sbatch: error: invalid partition"));
}

TEST_F(Explore, finds_the_base_of_a_study_that_was_copied) {
  const std::string copy = write("copy.yaml", read(shipped("studies/coresight-width.yaml")));
  EXPECT_THAT(ended(0, explore(copy, {"--plan"})).out, HasSubstr("coresight-width: at most 200 points"));
}

TEST_F(Explore, knows_the_base_of_a_study_by_its_name_and_runs_no_more_than_all_points) {
  std::string text = read(shipped("studies/coresight-width.yaml"));
  const auto change = [&](const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    text.replace(place, from.size(), to);
  };
  change("base/coresight-handler.yaml", "coresight-handler");
  change("from: 8, to: 20", "from: 8, to: 10");
  change("[20, 40, 100, 200, 500]", "[20]");
  change("[5 us, 10 us, 20 us, 50 us]", "[5 us]");
  // Two goals, which may each ask for three points, and there are three.
  EXPECT_THAT(ended(0, explore(write("small.yaml", text), {"--plan"})).out,
              HasSubstr("coresight-width: at most 3 points"));
}

TEST_F(Explore, does_not_put_parts_of_different_scenarios_together) {
  const std::string file = study("values: [10, 50]");
  const auto run = [&](const char* shard, const char* name) {
    EXPECT_EQ(pmufab({"explore", file, "--drivers", "newest", "--db", database(name), "--shard", shard}).exit_code, 0);
  };
  run("1/2", "part1.sqlite");
  std::string text = read(base);
  text.replace(text.find("20 us"), 5, "30 us");
  write("base.yaml", text);
  run("2/2", "part2.sqlite");
  refuses({"explore", "merge", database("all.sqlite"), database("part1.sqlite"), database("part2.sqlite")},
          {"is of another study"});
}

TEST_F(Explore, reports_what_each_axis_does_and_which_designs_no_other_beats) {
  const std::string more = "  spare: \"1000 - reported\"\nbaseline: {rate: 20}\nfront: {cost: rate, error: spare}\n";
  ASSERT_EQ(explore(study("values: [10, 20, 40]", more)).exit_code, 0);
  const std::string pictures = (folder / "pictures").string();
  ASSERT_EQ(pmufab({"explore", "report", database(), "--pictures", pictures}).exit_code, 0);
  // The rate does much, the delay nothing: point 2 is the baseline, 0 and 4 have other rates.
  const std::vector<std::string> rows = lines(exported());
  const auto per_us = [&](std::size_t point) {
    return rows[1 + point].substr(rows[1 + point].find("not_judged,") + 11);
  };
  const auto field = [](const std::string& row, std::size_t number) {
    std::istringstream stream(row);
    std::string text;
    for (std::size_t i = 0; i <= number; ++i) std::getline(stream, text, ',');
    return text;
  };
  const std::vector<std::string> changes = lines(read(pictures + "/per_us-sensitivity.csv"));
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0], "axis,lowest_with,lowest per_us,highest_with,highest per_us,baseline");
  EXPECT_EQ(changes[1], "rate,10," + field(per_us(0), 2) + ",40," + field(per_us(4), 2) + "," + field(per_us(2), 2));
  EXPECT_THAT(changes[2], ::testing::StartsWith("delay,"));
  EXPECT_THAT(read(pictures + "/per_us-sensitivity.svg"), AllOf(HasSubstr("<svg xmlns="), HasSubstr("no difference")));
  // With equal cost and equal error, one of both designs is on the front.
  const std::vector<std::string> designs = lines(read(pictures + "/front.csv"));
  ASSERT_EQ(designs.size(), 7U);
  EXPECT_EQ(designs[0], "design,rate,spare,on_front");
  EXPECT_EQ(designs[1], "\"rate=10, delay=0\",10," + field(per_us(0), 3) + ",1");
  EXPECT_EQ(designs[2], "\"rate=10, delay=2 us\",10," + field(per_us(1), 3) + ",0");
  EXPECT_EQ(designs[5].back(), '1');
}

TEST_F(Explore, says_what_a_study_takes) {
  EXPECT_THAT(ended(0, explore(study("range: {from: 1, to: 500}"), {"--plan"})).out,
              AllOf(HasSubstr("rates: 1,000 points (500 of rate x 2 of delay), 3 there, 997 to run"),
                    HasSubstr("time: about "), HasSubstr("of 3 runs"), HasSubstr("memory: about ")));
}

TEST_F(Explore, plans_again_what_a_changed_study_takes_and_finds_its_mistakes) {
  const std::string right = study("values: [10, 20]");
  ASSERT_EQ(explore(right, {"--plan"}).exit_code, 0);
  std::string text = read(right);
  text.replace(text.find("slc_access_rd"), 13, "slc_acess_rd");
  EXPECT_THAT(ended(2, explore(write("study.yaml", text), {"--plan"})).err,
              AllOf(HasSubstr("no event"), HasSubstr("slc_access_rd")));
}

TEST_F(Explore, leaves_the_database_of_another_study_as_it_is) {
  ASSERT_EQ(explore(study("values: [10]")).exit_code, 0);
  const std::string points = exported();
  std::string text = read(folder / "study.yaml");
  text.replace(text.find("rates"), 5, "other");
  const Outcome other = ended(2, explore(write("other.yaml", text)));
  EXPECT_THAT(other.err, HasSubstr("'" + database() +
                                   "' is the database of the study 'rates', not of 'other' (name another file"));
  EXPECT_EQ(exported(), points);
  EXPECT_EQ(explore(folder / "study.yaml").exit_code, 0) << "the study itself goes on";
}

TEST_F(Explore, refuses_a_database_without_a_name) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", ""}, {"export", ""}, {"merge", "", database()}, {"merge", database(), ""}}) {
    std::vector<std::string> arguments = {"explore"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Outcome outcome = pmufab(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << words.front();
    EXPECT_THAT(outcome.err, HasSubstr("a word of the command is empty")) << words.front();
  }
}

TEST_F(Explore, says_what_is_wrong_with_a_study_before_anything_runs) {
  const auto mistake = [&](const std::string& text) {
    const Outcome outcome = ended(2, explore(write("study.yaml", text)));
    return outcome.err;
  };
  const std::string head = "name: s\nscenario: base.yaml\naxes:\n  a: ";
  const std::string responses = "responses: {reported: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: driver}}\n";
  EXPECT_THAT(mistake(head + "{set: platform.tegra410.ucf_pmu.widht, values: [16]}\n" + responses),
              AllOf(HasSubstr("study.yaml:4:"), HasSubstr("unknown key 'widht'"), HasSubstr("'width'")));
  EXPECT_THAT(mistake(head + "{set: seed, values: [1, x]}\n" + responses),
              AllOf(HasSubstr("study.yaml:4:"), HasSubstr("seed")));
  EXPECT_THAT(mistake("name: s\nscenario: nobase.yaml\naxes: {a: {set: seed, values: [1]}}\n" + responses),
              AllOf(HasSubstr("study.yaml:2:"), HasSubstr("nobase.yaml")));
  EXPECT_THAT(
      mistake(head +
              "{set: seed, values: [1]}\nresponses: {x: {event: nvidia_ucf_pmu_0/slc_acess_rd/, value: driver}}\n"),
      AllOf(HasSubstr("study.yaml:5:"), HasSubstr("no event"), HasSubstr("slc_access_rd")));
  EXPECT_THAT(mistake(head +
                      "{set: seed, range: {from: 1, to: 2000}}\n"
                      "  b: {set: duration, range: {from: 1 us, to: 1000 us, points: 1000}}\n" +
                      responses),
              AllOf(HasSubstr("study.yaml:4:"), HasSubstr("make 2000000 runs"), HasSubstr("sobol")));
  EXPECT_EQ(pmufab({"explore", (folder / "none.yaml").string()}).exit_code, 2);
  EXPECT_EQ(pmufab({"explore"}).exit_code, 2);
  EXPECT_EQ(pmufab({"explore", "export", base}).exit_code, 2);
}

TEST_F(Explore, runs_again_what_a_limit_or_a_replayed_file_has_spoiled) {
  EXPECT_EQ(explore(study("values: [10, 50]"), {"--limit", "simulated-time=5us"}).exit_code, 1);
  EXPECT_THAT(explore(study("values: [10, 50]")).out, HasSubstr("4 points, 4 run now, 0 without result"));
  const auto replay = [&](unsigned loads) {
    std::string trace = "kind,address,size\n";
    for (unsigned i = 0; i < loads; ++i) trace += "load,0x" + std::to_string(10000 + 100 * i) + ",8\n";
    write("trace.csv", trace + "end\n");
    return write("replay.yaml", R"(name: replay
scenario: replayed.yaml
axes: {delay: {set: host.interrupt_delay, values: [0, 2 us]}}
responses: {happened: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: expected}}
)");
  };
  write("replayed.yaml", R"(name: replayed
platform: {kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: cpu, requester: {kind: cpu}, trace: {file: trace.csv, placement: [{socket: 0, memory: cmem, size: 16 MiB}], gap: 100 ns}}
duration: 20 us
measure:
  - {name: all, events: [nvidia_ucf_pmu_0/slc_access_rd/], compare: none}
)");
  ended(0, explore(replay(5), {}, "replay.sqlite"));
  const std::string few = exported("replay.sqlite");
  EXPECT_THAT(explore(replay(50), {}, "replay.sqlite").out, HasSubstr("2 points, 2 run now"));
  EXPECT_NE(exported("replay.sqlite"), few);
}

TEST_F(Explore, ends_the_same_whichever_point_ends_first) {
  const std::string some = write("study.yaml", R"(name: s
scenario: base.yaml
axes: {event: {cases: {has: {duration: 20 us}, lacks: {"measure[0].events": [nvidia_ucf_pmu_0/cycles/]}}}}
responses: {reported: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: driver}}
)");
  for (const char* const jobs : {"1", "2"}) {
    std::filesystem::remove(database());
    const Outcome outcome = explore(some, {"--jobs", jobs});
    EXPECT_EQ(outcome.exit_code, 1) << jobs;
    EXPECT_THAT(outcome.out, HasSubstr("2 points, 2 run now, 1 without result")) << jobs;
    EXPECT_THAT(outcome.err, HasSubstr("event=lacks: bad_input")) << jobs;
  }
  // The same in parts: what one has is not a mistake of the whole.
  EXPECT_EQ(explore(some, {"--shard", "2/2"}, "b.sqlite").exit_code, 2);
  EXPECT_EQ(explore(some, {}, "b.sqlite").exit_code, 1);
}

TEST_F(Explore, does_not_write_over_what_it_reads) {
  static_cast<void>(explore(study("values: [10]")));
  const std::string before = exported();
  EXPECT_EQ(pmufab({"explore", "report", database(), "--html", database()}).exit_code, 2);
  refuses({"explore", "export", database(), "--csv", database()}, {"this command reads it"});
  EXPECT_EQ(exported(), before);
  const std::string scenario = read(base);
  EXPECT_EQ(pmufab({"run", base, "--drivers", "newest", "--json", base}).exit_code, 2);
  EXPECT_EQ(read(base), scenario);
}

TEST_F(Explore, keeps_points_whose_values_do_not_fit_together) {
  // A measure that begins after the end of the scenario.
  const Outcome outcome = ended(1, explore(write("study.yaml", R"(name: s
scenario: base.yaml
axes:
  length: {set: duration, values: [20 us, 10 us]}
  start: {set: "measure[0].start", values: [0, 15 us]}
responses: {reported: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: driver}}
)")));
  EXPECT_THAT(outcome.out, HasSubstr("4 points, 3 run now, 1 without result"));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("length=10 us, start=15 us: bad_input"), HasSubstr("never begin")));
  EXPECT_THAT(exported(), HasSubstr("3,10 us,15 us,0,"));
}

}  // namespace
}  // namespace pmufab::testing::explore_command_test
