// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/traffic/traffic_rig.h"
#include "testbench/traffic/trace_format.h"

namespace pmufab::traffic {
namespace {

using ::testing::HasSubstr;

std::vector<TraceRecord> read_all(const std::filesystem::path& file, std::size_t at_a_time = 3) {
  TraceReader reader(file);
  std::vector<TraceRecord> all;
  std::vector<TraceRecord> some(at_a_time);
  while (const std::size_t count = reader.read(some)) all.insert(all.end(), some.data(), some.data() + count);
  return all;
}

void write_all(const std::filesystem::path& file, const std::vector<TraceRecord>& records) {
  TraceWriter writer(file);
  for (const TraceRecord& record : records) writer.write(record);
  writer.finish();
}

/// @return the error message of reading `file`, or an empty string.
std::string error_of(const std::filesystem::path& file) {
  try {
    read_all(file);
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

const std::vector<TraceRecord> kRecords = {{0x0, 1, AccessKind::fetch},
                                           {0x1fff000708, 8, AccessKind::load},
                                           {~std::uint64_t{0}, 1, AccessKind::store},
                                           {0x8000'0000'0000'0000, 65536, AccessKind::modify},
                                           {0x40, 64, AccessKind::load}};

class TraceFile : public ::testing::TestWithParam<const char*> {
 protected:
  TestFolder folder;
  std::filesystem::path file = folder / (std::string("t") + GetParam());
};
INSTANTIATE_TEST_SUITE_P(Forms, TraceFile, ::testing::Values(".pmutrace", ".csv"),
                         [](const auto& test) { return std::string(test.param + 1); });

TEST_P(TraceFile, gives_back_what_was_written) {
  write_all(file, kRecords);
  EXPECT_EQ(read_all(file), kRecords);
}

TEST_P(TraceFile, holds_more_than_one_buffer) {
  std::vector<TraceRecord> records;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    records.push_back(
        {i * 0x9e3779b97f4a7c15ULL >> 1, static_cast<std::uint32_t>(i % 64 + 1), static_cast<AccessKind>(i % 4)});
  }
  write_all(file, records);
  EXPECT_EQ(read_all(file, 5000), records);
  EXPECT_EQ(read_all(file, 7), records);
}

TEST_P(TraceFile, may_be_empty) {
  write_all(file, {});
  EXPECT_TRUE(read_all(file).empty());
}

TEST_P(TraceFile, can_be_read_again) {
  write_all(file, kRecords);
  TraceReader reader(file);
  std::vector<TraceRecord> records(10);
  for (unsigned round = 0; round < 3; ++round) {
    ASSERT_EQ(reader.read(records), kRecords.size());
    EXPECT_TRUE(std::equal(kRecords.begin(), kRecords.end(), records.begin()));
    EXPECT_EQ(reader.read(records), 0U);
    EXPECT_EQ(reader.read(records), 0U);
    reader.rewind();
  }
  reader.read({records.data(), 2});
  reader.rewind();
  EXPECT_EQ(reader.read(records), kRecords.size());
}

TEST_P(TraceFile, truncated_anywhere_is_an_error) {
  write_all(file, kRecords);
  const std::string whole = content_of(file);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of(folder.write("cut", whole.substr(0, size))), "") << "cut to " << size << " bytes";
  }
  EXPECT_EQ(error_of(folder.write("cut", whole)), "");
}

TEST_P(TraceFile, with_more_after_its_end_is_an_error) {
  write_all(file, kRecords);
  for (const char* tail : {"x", "\n", "load,0x10,4\n", "0123456789abcdef"}) {
    EXPECT_NE(error_of(folder.write("long", content_of(file) + tail)), "") << tail;
  }
}

TEST_P(TraceFile, changed_anywhere_is_an_error_or_other_records_but_never_more) {
  write_all(file, kRecords);
  const std::string whole = content_of(file);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const char byte : {'\0', '\x01', '\x7f', '\xff', '\n', ','}) {
      std::string changed = whole;
      if (changed[place] == byte) continue;
      changed[place] = byte;
      const auto other = folder.write("changed", changed);
      EXPECT_TRUE(!error_of(other).empty() || read_all(other).size() == kRecords.size()) << place;
    }
  }
}

TEST_P(TraceFile, never_finished_is_an_error) {
  {
    TraceWriter writer(file);
    for (unsigned i = 0; i < 200'000; ++i) writer.write({i, 1, AccessKind::load});
  }
  EXPECT_NE(error_of(file), "");
}

TEST_P(TraceFile, takes_no_record_that_cannot_be) {
  TraceWriter writer(file);
  EXPECT_THROW(writer.write({0, 0, AccessKind::load}), TraceError);
  EXPECT_THROW(writer.write({0, 65537, AccessKind::load}), TraceError);
  EXPECT_THROW(writer.write({~std::uint64_t{0}, 2, AccessKind::load}), TraceError);
  EXPECT_EQ(writer.count(), 0U);
}

TEST(TraceErrors, name_the_byte) {
  const TestFolder folder;
  write_all(folder / "t.pmutrace", kRecords);
  const std::string whole = content_of(folder / "t.pmutrace");
  const auto changed = [&](std::size_t place, char byte) {
    std::string text = whole;
    text[place] = byte;
    return error_of(folder.write("changed", text));
  };
  EXPECT_THAT(changed(0, 'X'), HasSubstr("byte 0: neither a .pmutrace file"));
  EXPECT_THAT(changed(8, 3), HasSubstr("byte 8: format version 3"));
  EXPECT_THAT(changed(8, 2), HasSubstr("byte 12: records of 16 bytes, not 24"));
  EXPECT_THAT(changed(12, 17), HasSubstr("byte 12: records of 17 bytes"));
  EXPECT_THAT(changed(16, 6), HasSubstr("byte 112: the file ends in record 5 of 6"));
  EXPECT_THAT(changed(16, 4), HasSubstr("byte 96: there is more after the 4 records"));
  EXPECT_THAT(changed(24, 1), HasSubstr("byte 24: reserved"));
  EXPECT_THAT(changed(32 + 2 * 16 + 12, 4), HasSubstr("byte 76: there is no access kind 4"));
  EXPECT_THAT(changed(32 + 15, 1), HasSubstr("byte 45: reserved"));
  EXPECT_THAT(changed(32 + 8, 0), HasSubstr("byte 32: size 0 is not within"));
  EXPECT_THAT(changed(32 + 2 * 16 + 8, 2), HasSubstr("byte 64: 2 bytes at 0xffffffffffffffff run past"));
  EXPECT_THAT(error_of(folder.write("cut", whole.substr(0, 20))), HasSubstr("byte 20: the header ends after 20 of 32"));
  EXPECT_THAT(error_of(folder.write("none", "")), HasSubstr("byte 0: the file is empty"));
}

TEST(TraceErrors, name_the_line) {
  const TestFolder folder;
  const auto error = [&](const std::string& body) {
    return error_of(folder.write("t.csv", "kind,address,size\n" + body));
  };
  EXPECT_EQ(error("load,0x10,4\nend\n"), "");
  EXPECT_THAT(error("load,0x10,4\n"), HasSubstr("line 2: nothing follows"));
  EXPECT_THAT(error("load,0x10,4\nend"), HasSubstr("line 3: the file ends within the line"));
  EXPECT_THAT(error("load,0x10,4\n\nend\n"), HasSubstr("line 3: expected \"kind,address,size\""));
  EXPECT_THAT(error("read,0x10,4\nend\n"), HasSubstr("line 2: the kind"));
  EXPECT_THAT(error("load,16,4\nend\n"), HasSubstr("line 2: the address"));
  EXPECT_THAT(error("load,0x,4\nend\n"), HasSubstr("line 2: the address"));
  EXPECT_THAT(error("load,0x1g,4\nend\n"), HasSubstr("line 2: the address"));
  EXPECT_THAT(error("load,0x11112222333344445,4\nend\n"), HasSubstr("line 2: the address"));
  EXPECT_THAT(error("load,0x10,\nend\n"), HasSubstr("line 2: the size"));
  EXPECT_THAT(error("load,0x10,4 \nend\n"), HasSubstr("line 2: the size"));
  EXPECT_THAT(error("load,0x10,4,5\nend\n"), HasSubstr("line 2: the size"));
  EXPECT_THAT(error("load,0x10,-4\nend\n"), HasSubstr("line 2: the size"));
  EXPECT_THAT(error("load,0x10,0\nend\n"), HasSubstr("line 2: size 0"));
  EXPECT_THAT(error("load,0x10,4\r\nend\n"), HasSubstr("line 2: the size"));
  EXPECT_THAT(error("load,0x10,4\nend\nload,0x10,4\n"), HasSubstr("more after \"end\""));
  EXPECT_THAT(error(std::string(200'000, 'x')), HasSubstr("line 2: far too long"));
  EXPECT_THAT(error_of(folder.write("t.csv", "kind,address,size\r\nend\n")), HasSubstr("carriage return"));
  EXPECT_THAT(error_of(folder.write("t.csv", "kind,address,size,more\nend\n")), HasSubstr("line 1"));
}

TEST(TraceErrors, name_a_file_that_cannot_be_opened) {
  const TestFolder folder;
  EXPECT_THAT(error_of(folder / "absent"), HasSubstr("absent: cannot be read: No such file"));
  EXPECT_THAT(error_of(folder / ""), HasSubstr("is not a regular file"));
  EXPECT_THROW(TraceWriter(folder / "no" / "such" / "folder.csv"), TraceError);
}

TEST(TraceErrors, tell_of_a_full_disk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  TraceWriter writer("/dev/full");
  writer.write({0, 1, AccessKind::load});
  EXPECT_THROW(writer.finish(), TraceError);
}

TEST(TraceFormat, is_the_one_of_the_readme) {
  const TestFolder folder;
  write_all(folder / "t.pmutrace", {{0x1122334455667788, 0x40, AccessKind::store}});
  const std::array<unsigned char, 48> expected = {
      'P',  'M',  'U',  'T',  'R',  'A',  'C',  'E',  1,    0, 0, 0, 16, 0, 0, 0,   // header
      1,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0,  0, 0, 0,   //
      0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x40, 0, 0, 0, 2,  0, 0, 0};  // record
  EXPECT_EQ(content_of(folder / "t.pmutrace"), std::string(expected.begin(), expected.end()));
  write_all(folder / "t.csv", {{0x1122334455667788, 0x40, AccessKind::store}});
  EXPECT_EQ(content_of(folder / "t.csv"), "kind,address,size\nstore,0x1122334455667788,64\nend\n");
}

const std::vector<std::string> kNames = {"read", "local_load", "cache_rd_own"};
const std::vector<TraceOperation> kOperations = {{0, 0x40, 0, 0, false, false},
                                                 {2'500, ~std::uint64_t{63}, 1, 2, true, false},
                                                 {2'500, 0x1'0000'0000'0000, 65535, 1, false, true},
                                                 {1'000'000'000'000, 0, 0, 0, true, false},
                                                 {1'000'000'000'000, 0, 0, 2, true, true}};

struct Operations {
  std::vector<TraceOperation> all;
  std::vector<std::string> names;
};

Operations read_operations(const std::filesystem::path& file) {
  TraceReader reader(file, TraceContents::operations);
  Operations operations;
  std::vector<TraceOperation> some(2);
  while (const std::size_t count = reader.read(some))
    operations.all.insert(operations.all.end(), some.data(), some.data() + count);
  operations.names = reader.names();
  return operations;
}

void write_operations(const std::filesystem::path& file) {
  TraceWriter writer(file, kNames);
  for (const TraceOperation& operation : kOperations) writer.write(operation);
  writer.finish();
}

std::string error_in_operations(const std::filesystem::path& file) {
  try {
    static_cast<void>(read_operations(file));
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

TEST_P(TraceFile, gives_back_operations_that_were_written) {
  write_operations(file);
  const Operations read = read_operations(file);
  ASSERT_EQ(read.all.size(), kOperations.size());
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    TraceOperation expected = kOperations[i];
    // Names that the file does not list come in another order.
    EXPECT_EQ(read.names[read.all[i].operation], kNames[expected.operation]);
    expected.operation = read.all[i].operation;
    EXPECT_EQ(read.all[i], expected) << i;
  }
  EXPECT_THROW(TraceReader(file, TraceContents::accesses), TraceError);
  write_all(file, kRecords);
  EXPECT_THAT(error_in_operations(file), HasSubstr("holds memory accesses, not operations"));
}

TEST_P(TraceFile, of_operations_that_is_truncated_or_damaged_is_an_error_or_other_operations) {
  write_operations(file);
  const std::string whole = content_of(file);
  for (std::size_t length = 0; length < whole.size(); length += 5)
    EXPECT_NE(error_in_operations(folder.write(file.filename(), whole.substr(0, length))), "") << length;
  EXPECT_NE(error_in_operations(folder.write(file.filename(), whole + whole[0])), "");
  for (std::size_t place = 0; place < whole.size(); place += 3) {
    std::string text = whole;
    text[place] = static_cast<char>(text[place] ^ 5);
    if (!error_in_operations(folder.write(file.filename(), text)).empty()) continue;
    EXPECT_EQ(read_operations(file).all.size(), kOperations.size()) << place;
  }
}

TEST_P(TraceFile, takes_no_operation_that_cannot_be) {
  TraceWriter writer(file, kNames);
  writer.write(TraceOperation{.when = 10});
  EXPECT_THROW(writer.write(TraceOperation{.when = 9}), TraceError);
  EXPECT_THROW(writer.write(TraceOperation{.when = 10, .operation = 3}), TraceError);
  EXPECT_THROW(writer.write(TraceOperation{.when = 11, .joined = true}), TraceError);
  EXPECT_NE(error_in_operations(file), "");  // not finished
}

TEST(TraceErrors, name_the_place_of_operations) {
  const TestFolder folder;
  write_operations(folder / "t.pmutrace");
  const std::string whole = content_of(folder / "t.pmutrace");
  const std::size_t first = 32 + std::string("read\nlocal_load\ncache_rd_own\n").size();
  const auto changed = [&](std::size_t place, char byte) {
    std::string text = whole;
    text[place] = byte;
    return error_in_operations(folder.write("changed", text));
  };
  EXPECT_THAT(changed(24, 0), HasSubstr("byte 24: names of 0 bytes"));
  EXPECT_THAT(changed(24, 10), HasSubstr("byte 37: this is not the name"));
  EXPECT_THAT(changed(34, 'A'), HasSubstr("byte 32: this is not the name"));
  EXPECT_THAT(changed(first + 18, 3), HasSubstr(fmt::format("byte {}: operation 3 of 3 names", first + 18)));
  EXPECT_THAT(changed(first + 20, 4), HasSubstr(fmt::format("byte {}: there are no flags 0x4", first + 20)));
  EXPECT_THAT(changed(first + 23, 1), HasSubstr(fmt::format("byte {}: reserved", first + 21)));
  EXPECT_THAT(changed(first + 2, 1), HasSubstr(fmt::format("byte {}: 2500 ps is before", first + 24)));
  EXPECT_THAT(changed(first + 48, 1), HasSubstr(fmt::format("byte {}: 2305 ps is before", first + 48)));

  const auto error = [&](const std::string& body, const std::string& more = "") {
    return error_in_operations(folder.write("t.csv", "time,device,operation,address" + more + "\n" + body));
  };
  EXPECT_EQ(error("0,0,read,0x40\nend\n"), "");
  EXPECT_EQ(error("0,0,read,0x40,tee+joined\nend\n", ",flags"), "");
  EXPECT_THAT(error("0,0,read,0x40\n"), HasSubstr("line 2: nothing follows"));
  EXPECT_THAT(error("0,0,read,0x40\n0,0,re"), HasSubstr("line 3: the file ends within"));
  EXPECT_THAT(error("0,0,read\nend\n"), HasSubstr("line 2: expected \"time,device"));
  EXPECT_THAT(error("0,0,read,0x40,tee,1\nend\n"), HasSubstr("line 2: expected"));
  EXPECT_THAT(error("1.5,0,read,0x40\nend\n"), HasSubstr("line 2: the time"));
  EXPECT_THAT(error("0,65536,read,0x40\nend\n"), HasSubstr("line 2: the device"));
  EXPECT_THAT(error("0,0,,0x40\nend\n"), HasSubstr("line 2: there is no name"));
  EXPECT_THAT(error("0,0,read,64\nend\n"), HasSubstr("line 2: the address"));
  EXPECT_THAT(error("0,0,read,0x40,late\nend\n"), HasSubstr("line 2: the flags"));
  EXPECT_THAT(error("7,0,read,0x40\n5,0,read,0x40\nend\n"), HasSubstr("line 3: 5 ps is before the operation"));
  EXPECT_THAT(error("end\n", ",more"), HasSubstr("line 1: the header must read"));
}

TEST(TraceFormat, of_operations_is_the_one_of_the_readme) {
  const TestFolder folder;
  const auto write = [&](const std::string& name) {
    TraceWriter writer(folder / name, {"read", "load"});
    writer.write(TraceOperation{0x1122334455667788, 0x99aabbccddeeff00, 0x0102, 1, true, false});
    writer.finish();
    return content_of(folder / name);
  };
  const std::array<unsigned char, 66> expected = {
      'P',  'M',  'U',  'T',  'R',  'A',  'C',  'E',  2,    0,    0,    0,    24,   0,    0,    0,     // header
      1,    0,    0,    0,    0,    0,    0,    0,    10,   0,    0,    0,    0,    0,    0,    0,     //
      'r',  'e',  'a',  'd',  '\n', 'l',  'o',  'a',  'd',  '\n',                                      // names
      0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99,  // record
      0x02, 0x01, 1,    0,    1,    0,    0,    0};
  EXPECT_EQ(write("t.pmutrace"), std::string(expected.begin(), expected.end()));
  EXPECT_EQ(write("t.csv"),
            "time,device,operation,address,flags\n1234605616436508552,258,load,0x99aabbccddeeff00,tee\nend\n");
}

}  // namespace
}  // namespace pmufab::traffic
