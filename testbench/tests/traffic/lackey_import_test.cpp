// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/traffic/traffic_rig.h"
#include "testbench/traffic/lackey_import.h"

namespace pmufab::traffic {
namespace {

using ::testing::HasSubstr;

const std::string kText =
    "==77== Lackey, an example Valgrind tool\n"
    "==77== Command: ./a.out\n"
    "==77== \n"
    "I  04222d4c,3\n"
    " L 1fff000708,8\n"
    "--77-- a remark of valgrind's own\n"
    "I  04222d4f,15\n"
    " S 1ffeffffc0,64\n"
    " M 0421c7cc,4\n"
    "**77** a word of the program to valgrind\n"
    "==77== \n"
    "==77== Exit code:       0\n";

std::vector<TraceRecord> records_of(const std::filesystem::path& file) {
  TraceReader reader(file);
  std::vector<TraceRecord> all(2'000'000);
  all.resize(reader.read(all));
  std::vector<TraceRecord> more(4096);
  while (const std::size_t count = reader.read(more)) all.insert(all.end(), more.data(), more.data() + count);
  return all;
}

TEST(LackeyImport, keeps_data_accesses_in_order) {
  const TestFolder folder;
  const auto statistics = import_lackey(folder.write("in", kText), folder / "out.pmutrace");
  EXPECT_THAT(records_of(folder / "out.pmutrace"),
              ::testing::ElementsAre(TraceRecord{0x1fff000708, 8, AccessKind::load},
                                     TraceRecord{0x1ffeffffc0, 64, AccessKind::store},
                                     TraceRecord{0x421c7cc, 4, AccessKind::modify}));
  EXPECT_EQ(statistics.lines, 12U);
  EXPECT_EQ(statistics.fetches, 2U);
  EXPECT_EQ(statistics.loads, 1U);
  EXPECT_EQ(statistics.stores, 1U);
  EXPECT_EQ(statistics.modifies, 1U);
  EXPECT_EQ(statistics.records, 3U);
  EXPECT_EQ(statistics.data_bytes, 8U + 64 + 2 * 4);
  EXPECT_TRUE(statistics.complete);
}

TEST(LackeyImport, keeps_instruction_fetches_when_told_to) {
  const TestFolder folder;
  ImportOptions options;
  options.keep_instructions = true;
  const auto statistics = import_lackey(folder.write("in", kText), folder / "out.csv", options);
  EXPECT_EQ(statistics.records, 5U);
  EXPECT_THAT(content_of(folder / "out.csv"), HasSubstr("size\nfetch,0x4222d4c,3\nload,0x1fff000708,8\nfetch"));
}

TEST(LackeyImport, stops_at_its_limit) {
  const TestFolder folder;
  ImportOptions options;
  options.limit = 2;
  const auto statistics = import_lackey(folder.write("in", kText), folder / "out.pmutrace", options);
  EXPECT_EQ(statistics.records, 2U);
  EXPECT_FALSE(statistics.complete);
  EXPECT_EQ(records_of(folder / "out.pmutrace").size(), 2U);
}

TEST(LackeyImport, reads_pipes) {
  const TestFolder folder;
  std::istringstream stream(kText);
  TraceWriter writer(folder / "out.pmutrace");
  EXPECT_EQ(import_lackey(stream, "standard input", writer).records, 3U);
  writer.finish();
  EXPECT_EQ(records_of(folder / "out.pmutrace").size(), 3U);
}

/// @return the error message of importing `text`, or an empty string.
std::string error_of(const TestFolder& folder, const std::string& text) {
  try {
    import_lackey(folder.write("in", text), folder / "out.pmutrace");
  } catch (const TraceError& error) {
    EXPECT_FALSE(std::filesystem::exists(folder / "out.pmutrace")) << "a damaged import leaves no trace behind";
    return error.what();
  }
  return {};
}

TEST(LackeyImport, names_the_line_that_is_wrong) {
  const TestFolder folder;
  for (const char* line : {"hello",
                           "",
                           " L",
                           " L 1fff000708",
                           " L 1fff000708,",
                           " L ,8",
                           " L 1fff00070x,8",
                           " L 1fff000708,8x",
                           " L 1fff000708,-8",
                           " L 1fff000708,0",
                           " L 1fff000708,65537",
                           " L 1fff000708 ,8",
                           "L 1fff000708,8",
                           " X 1fff000708,8",
                           " I 04222d4c,3",
                           "I 04222d4c,3",
                           "==77 ==",
                           "== 77==",
                           "====",
                           " L 0x10,8",
                           " L 11112222333344445,8",
                           " L ffffffffffffffff,2",
                           " L 1fff000708,8\r",
                           "I  04222d4c,3 L 1fff000708,8"}) {
    const std::string error = error_of(folder, kText + line + "\nI  04222d4c,3\n");
    EXPECT_THAT(error, HasSubstr("line 13: \"")) << "accepted: " << line;
  }
  EXPECT_THAT(error_of(folder, std::string("\x01\x02\xff\0rubbish", 11) + "\n"), HasSubstr("line 1: \"????rubbish\""));
  EXPECT_THAT(error_of(folder, std::string(100'000, ' ')), HasSubstr("line 1: far too long"));
  EXPECT_THAT(error_of(folder, ""), HasSubstr("the file is empty"));
}

TEST(LackeyImport, truncated_within_any_line_is_an_error) {
  const TestFolder folder;
  for (std::size_t size = 1; size < kText.size(); ++size) {
    const std::string error = error_of(folder, kText.substr(0, size));
    if (kText[size - 1] == '\n') {
      EXPECT_EQ(error, "") << "whole lines are fine";
    } else {
      EXPECT_THAT(error, HasSubstr("the file ends within the line")) << size;
    }
  }
}

TEST(LackeyImport, tells_whether_the_recording_is_whole) {
  const TestFolder folder;
  const std::string cut = kText.substr(0, kText.find("**77**"));
  EXPECT_FALSE(import_lackey(folder.write("in", cut), folder / "out").complete);
}

TEST(LackeyImport, refuses_files_it_cannot_read_or_would_overwrite) {
  const TestFolder folder;
  EXPECT_THROW(import_lackey(folder / "absent", folder / "out"), TraceError);
  EXPECT_THROW(import_lackey(folder / "", folder / "out"), TraceError);
  const auto in = folder.write("in", kText);
  EXPECT_THROW(import_lackey(in, in), TraceError);
  EXPECT_EQ(content_of(in), kText);
}

TEST(LackeyImport, reports_progress_up_to_the_end) {
  const TestFolder folder;
  std::string text;
  for (unsigned i = 0; i < 200'000; ++i) text += " L 1fff000708,8\n";
  std::vector<double> shares;
  ImportOptions options;
  options.progress = [&](double share) { shares.push_back(share); };
  import_lackey(folder.write("in", text), folder / "out", options);
  EXPECT_GE(shares.size(), 3U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1.0);
}

TEST(LackeyImport, takes_what_valgrind_writes) {
  if (std::system("command -v valgrind >/dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind is not installed";
  const TestFolder folder;
  const std::string log = (folder / "log").string();
  ASSERT_EQ(std::system(("valgrind --tool=lackey --trace-mem=yes --log-file=" + log + " /bin/true").c_str()), 0);
  ImportOptions options;
  options.keep_instructions = true;
  const auto statistics = import_lackey(log, folder / "out.pmutrace", options);
  EXPECT_TRUE(statistics.complete);

  // Count the lines again, another way.
  std::ifstream stream(log);
  std::uint64_t fetches = 0;
  std::uint64_t others = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("I  ")) ++fetches;
    if (line.starts_with(" ")) ++others;
    // Lackey reports the number of instructions the program executed. Each of them was fetched.
    if (const auto place = line.find("guest instrs:"); place != std::string::npos) {
      std::string digits;
      for (const char character : line.substr(place)) {
        if (character >= '0' && character <= '9') digits += character;
      }
      EXPECT_EQ(statistics.fetches, std::stoull(digits));
    }
  }
  EXPECT_EQ(statistics.fetches, fetches);
  EXPECT_EQ(statistics.loads + statistics.stores + statistics.modifies, others);
  EXPECT_GT(others, 10'000U);
  EXPECT_EQ(records_of(folder / "out.pmutrace").size(), fetches + others);
}

}  // namespace
}  // namespace pmufab::traffic
