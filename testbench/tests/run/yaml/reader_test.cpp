// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/reader.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmufab::scenario::reader_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

enum class Colour : std::uint8_t { red, green };
const Words<Colour> kColours = {{"red", Colour::red}, {"green", Colour::green}};

/// The message of the InputError `action` throws.
std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

struct Settings {
  std::string name;
  unsigned ways = 16;
  bool on = false;
  double rate = 0.5;
  Colour colour = Colour::green;
  std::vector<Colour> colours = {Colour::red};
  std::uint64_t delay = 1000;
  std::vector<unsigned> items;
};

Settings read(const std::string& yaml, Value& effective) {
  Settings settings;
  const Value document = parse_text(yaml, "test.yaml");
  Reader reader(document, "", effective);
  reader.text("name", settings.name, Presence::required);
  reader.object("cache", [&](Reader& cache) {
    cache.number("ways", settings.ways, Quantity::count, 1, 64);
    cache.number("delay", settings.delay, Quantity::duration);
  });
  reader.flag("on", settings.on);
  reader.real("rate", settings.rate, 0, 1);
  reader.choice("colour", settings.colour, kColours);
  reader.choices("colours", settings.colours, kColours);
  reader.list("items",
              [&](Reader& item, std::size_t) { item.number("size", settings.items.emplace_back(), Quantity::bytes); });
  reader.finish();
  return settings;
}

Settings read(const std::string& yaml) {
  Value effective;
  return read(yaml, effective);
}

TEST(Reader, values_reach_their_variables_and_absent_ones_keep_defaults) {
  const Settings settings =
      read("name: x\ncache: {ways: 4}\non: true\ncolour: red\ncolours: []\nitems: [{size: 1 KiB}, {}]\n");
  EXPECT_EQ(settings.name, "x");
  EXPECT_EQ(settings.ways, 4U);
  EXPECT_EQ(settings.delay, 1000U);
  EXPECT_TRUE(settings.on);
  EXPECT_EQ(settings.colour, Colour::red);
  EXPECT_TRUE(settings.colours.empty());
  EXPECT_EQ(settings.items, (std::vector<unsigned>{1024, 0}));
}

TEST(Reader, the_effective_configuration_holds_every_default_and_reads_back_to_itself) {
  Value effective;
  static_cast<void>(read("name: 'yes'\nitems: [{size: 64}]\n", effective));
  const std::string once = to_yaml(effective);
  EXPECT_THAT(once, AllOf(HasSubstr("name: \"yes\""), HasSubstr("ways: 16"), HasSubstr("delay: 1 ns"),
                          HasSubstr("on: false"), HasSubstr("rate: 0.5"), HasSubstr("colour: green")));
  Value again;
  static_cast<void>(read(once, again));
  EXPECT_EQ(to_yaml(again), once);
}

TEST(Reader, an_unknown_key_is_named_with_its_place_and_the_nearest_known_one) {
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncache:\n  weys: 4\n")); }),
            "test.yaml:3:3: cache.weys: unknown key 'weys' (did you mean 'ways'?)");
  EXPECT_EQ(error_of([] { static_cast<void>(read("nmae: x\n")); }),
            "test.yaml:1:1: nmae: unknown key 'nmae' (did you mean 'name'?)");
  EXPECT_THAT(error_of([] { static_cast<void>(read("name: x\ncache: {zzzzzz: 1}\n")); }),
              HasSubstr("(known keys are 'ways', 'delay')"));
}

TEST(Reader, a_missing_key_is_named) {
  EXPECT_EQ(error_of([] { static_cast<void>(read("on: true\n")); }), "test.yaml:1:1: the key 'name' is missing");
}

TEST(Reader, a_wrong_type_is_named_with_its_place) {
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncache: [1]\n")); }),
            "test.yaml:2:8: cache: must be a map of keys, not a list");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncache: {ways: many}\n")); }),
            "test.yaml:2:15: cache.ways: 'many' is not a number (for example 8 or 0x1f)");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\non: 1\n")); }),
            "test.yaml:2:5: on: must be true or false, not '1'");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: {a: 1}\n")); }),
            "test.yaml:1:7: name: must be text, not a map");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\nitems: 3\n")); }),
            "test.yaml:2:8: items: must be a list, not a single value");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\nitems: [{size: 1}, {size: null}, {size: x}]\n")); }),
            "test.yaml:2:41: items[2].size: 'x' is not a number (for example 64 MiB)");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\nrate: fast\n")); }),
            "test.yaml:2:7: rate: 'fast' is not a number");
}

TEST(Reader, a_value_out_of_range_is_refused_with_the_range) {
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncache: {ways: 65}\n")); }),
            "test.yaml:2:15: cache.ways: 65 is outside 1 ... 64");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\nrate: 1.5\n")); }),
            "test.yaml:2:7: rate: 1.5 is outside 0 ... 1");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncache: {delay: 5}\n")); }),
            "test.yaml:2:16: cache.delay: '5' has no unit (for example 50 us)");
}

TEST(Reader, an_unknown_word_is_refused_with_the_known_ones) {
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncolour: gren\n")); }),
            "test.yaml:2:9: colour: 'gren' is not known here (did you mean 'green'?)");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncolour: mauve\n")); }),
            "test.yaml:2:9: colour: 'mauve' is not known here (one of 'red', 'green')");
  EXPECT_EQ(error_of([] { static_cast<void>(read("name: x\ncolours: [red, red]\n")); }),
            "test.yaml:2:16: colours: 'red' is given twice");
}

TEST(Document, broken_yaml_is_refused_at_its_place) {
  EXPECT_THAT(error_of([] { static_cast<void>(parse_text("a: [1, 2\nb: 3\n", "test.yaml")); }),
              AllOf(HasSubstr("test.yaml:"), HasSubstr("this is not YAML")));
  EXPECT_EQ(error_of([] { static_cast<void>(parse_text("a: 1\nb: 2\na: 3\n", "test.yaml")); }),
            "test.yaml:3:1: the key 'a' is given twice (remove one of them)");
  EXPECT_THAT(error_of([] { static_cast<void>(parse_text("a: 1\n---\nb: 1\n", "test.yaml")); }),
              HasSubstr("a second document begins here"));
}

TEST(Document, a_value_that_is_not_there_is_refused_and_a_written_null_is_the_default) {
  const auto refused = [](const std::string& yaml, const std::string& message) {
    EXPECT_THAT(error_of([&] { static_cast<void>(parse_text(yaml, "test.yaml")); }), HasSubstr(message)) << yaml;
  };
  refused("a:\nb: 1\n", "test.yaml:1:1: the key 'a' has no value (give one, or remove the key");
  refused("b: 1\na:", "test.yaml:2:1: the key 'a' has no value");
  refused("a:   # nothing\n", "test.yaml:1:1: the key 'a' has no value");
  refused("a: {b: , c: 1}\n", "test.yaml:1:5: the key 'b' has no value");
  refused("a: {b}\n", "test.yaml:1:5: the key 'b' has no value");
  refused(
      "\xef\xbb\xbf"
      "a:\nnull_count: 1\n",
      "the key 'a' has no value");
  refused("a:\n  -\n  - 1\n", "an element of this list is empty");
  for (const char* yaml : {"a: null\n", "a: ~\n", "b: µ\na: null # why\n", "a: {b: null, c: ~}\n", "a: [null, ~]\n",
                           "\xef\xbb\xbf"
                           "a: null\n",
                           "a: &x null\n", "a: ''\n", "a: null"})
    EXPECT_NO_THROW(static_cast<void>(parse_text(yaml, "test.yaml"))) << yaml;
  EXPECT_EQ(parse_text("a: null\n", "test.yaml").find("a")->kind, Value::Kind::null);
}

TEST(Document, aliases_cannot_blow_it_up) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += fmt::format("a{}: &a{} [", i, i);
    for (int n = 0; n < 10; ++n) bomb += fmt::format("{}*a{}", n == 0 ? "" : ", ", i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(error_of([&] { static_cast<void>(parse_text(bomb, "bomb.yaml")); }),
              HasSubstr("the document is too large"));
}

// Before its nodes are made: half a KiB of memory each.
TEST(Document, of_too_many_values_is_refused_where_they_are_too_many) {
  std::string text = "a:\n";
  for (int line = 0; line < 1'000; ++line) {
    text += "  - [";
    for (int value = 0; value < 1'000; ++value) text += "1,";
    text += "1]\n";
  }
  EXPECT_THAT(error_of([&] { static_cast<void>(parse_text(text, "large.yaml")); }),
              ::testing::MatchesRegex("large.yaml:99[0-9]:[0-9]+: the document is too large .*"));
}

TEST(Document, that_is_empty_has_a_place) {
  const Value nothing = parse_text("# only a comment\n", "empty.yaml");
  EXPECT_EQ(nothing.kind, Value::Kind::null);
  EXPECT_EQ(nothing.source.line, 1);
}

// Each key was compared with all before it: a million took hours.
TEST(Document, of_many_keys_is_read_in_a_time_that_grows_with_their_number) {
  const auto time_of = [](unsigned keys) {
    std::string text;
    for (unsigned i = 0; i < keys; ++i) text += "a_key_of_some_length_" + std::to_string(i) + ": 1\n";
    const std::clock_t begin = std::clock();
    EXPECT_EQ(parse_text(text, "many.yaml").entries.size(), keys);
    return static_cast<double>(std::clock() - begin);
  };
  constexpr unsigned kFew = 5000;
  constexpr unsigned kTimes = 8;
  EXPECT_LT(time_of(kTimes * kFew), 3 * kTimes * time_of(kFew));
}

TEST(Document, unreadable_files_are_named_with_the_reason) {
  EXPECT_EQ(error_of([] { static_cast<void>(load_file("no/such/file.yaml")); }),
            "no/such/file.yaml: cannot be read: No such file or directory");
  EXPECT_EQ(error_of([] { static_cast<void>(load_file("/")); }), "/: is a folder, not a file");
}

TEST(Document, a_file_that_is_not_utf8_is_refused_at_the_byte) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("pmufab-{}.yaml", getpid());
  const auto error_with = [&](const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << "name: x\ndescription: ab" << bytes << "\n";
    std::string error = error_of([&] { static_cast<void>(load_file(file)); });
    std::filesystem::remove(file);
    return error;
  };
  for (const char* good : {"", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(error_with(good), "no error");
  // Latin-1, a lone continuation, overlong forms, a surrogate, beyond the last character, cut short.
  for (const char* bad : {"\xe9", "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xff", "\xe2\x82"})
    EXPECT_THAT(error_with(bad), HasSubstr(":2:16: this byte is not UTF-8"));
}

TEST(Override, replaces_values_adds_keys_and_appends_to_lists) {
  Value document = parse_text("a: {b: 1}\nlist: [{x: 1}, {x: 2}]\n", "test.yaml");
  for (const char* text : {"a.b=7", "a.c.d=new", "list[1].x=9", "list[2].x=3"}) apply(parse_override(text), document);
  EXPECT_EQ(document.find("a")->find("b")->scalar, "7");
  EXPECT_EQ(document.find("a")->find("c")->find("d")->scalar, "new");
  EXPECT_EQ(document.find("list")->items[1].find("x")->scalar, "9");
  EXPECT_EQ(document.find("list")->items.at(2).find("x")->scalar, "3");
}

TEST(Override, mistakes_name_the_option) {
  Value document = parse_text("a: 1\nlist: []\n", "test.yaml");
  EXPECT_EQ(error_of([] { static_cast<void>(parse_override("seed")); }),
            "--set seed: is not an assignment (write --set path=value, for example --set seed=7)");
  EXPECT_THAT(error_of([] { static_cast<void>(parse_override("a..b=1")); }), HasSubstr("is not a path"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_override("seed=")); }),
              AllOf(HasSubstr("--set seed=: gives no value"), HasSubstr("seed=null")));
  EXPECT_EQ(parse_override("seed=''").value.kind, Value::Kind::scalar);
  EXPECT_THAT(error_of([&] { apply(parse_override("a.b=1"), document); }),
              HasSubstr("--set a.b=1: a: is a single value"));
  EXPECT_THAT(error_of([&] { apply(parse_override("list[3]=1"), document); }), HasSubstr("there is no [3]"));
}

TEST(Override, a_bad_value_is_reported_under_the_option_and_the_key) {
  Value document = parse_text("name: x\n", "test.yaml");
  apply(parse_override("cache.ways=lots"), document);
  Value effective;
  unsigned ways = 1;
  const std::string message = error_of([&] {
    Reader reader(document, "", effective);
    reader.object("cache", [&](Reader& cache) { cache.number("ways", ways); });
  });
  EXPECT_THAT(message, HasSubstr("--set cache.ways=lots: cache.ways: 'lots' is not a number"));
}

TEST(NearMatches, find_swapped_missing_and_partial_names) {
  const std::vector<std::string> names = {"slc_access_rd", "slc_access_wr", "slc_hit_rd", "cycles"};
  EXPECT_EQ(near_matches("slc_acess_rd", names).front(), "slc_access_rd");
  EXPECT_EQ(near_matches("cylces", names).front(), "cycles");
  EXPECT_EQ(near_matches("hit_rd", names).front(), "slc_hit_rd");
  EXPECT_EQ(near_matches("SLC-Hit-Rd", names).front(), "slc_hit_rd");
  EXPECT_TRUE(near_matches("bandwidth", names).empty());
  EXPECT_TRUE(near_matches(std::string(1'000'000, 'c') + "cycles", names).empty()) << "and at once";
  EXPECT_EQ(did_you_mean("slc_access_r", names), "did you mean 'slc_access_rd' or 'slc_access_wr'?");
}

TEST(Reader, durations_end_below_what_64_bits_hold) {
  EXPECT_EQ(read("name: x\ncache: {delay: 10000000 s}\n").delay, 10'000'000'000'000'000'000U);
  for (const char* delay : {"10000001 s", "18446744073709551615 ps"}) {
    EXPECT_THAT(error_of([&] { read(fmt::format("name: x\ncache: {{delay: {}}}\n", delay)); }),
                AllOf(HasSubstr("test.yaml:2:16"), HasSubstr("cache.delay"), HasSubstr("0 ... 10000000 s")));
  }
}

}  // namespace
}  // namespace pmufab::scenario::reader_test
