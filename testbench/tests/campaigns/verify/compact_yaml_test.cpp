// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/document.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>

namespace pmufab::scenario {
namespace {

TEST(CompactYaml, what_fits_into_a_line_is_written_in_one) {
  const Value document = parse_text("name: a\nhost: {access_latency: 1 ns}\nlist:\n  - at: 1\n    do: x\n", "t");
  EXPECT_EQ(to_compact_yaml(document), "name: a\nhost: {access_latency: 1 ns}\nlist: [{at: 1, do: x}]\n");
}

TEST(CompactYaml, it_reads_as_what_was_written) {
  const std::string event = "{a_pmu/event,mask=0x1/,b_pmu/other/}";
  Value document = Value::map();
  document.add("name", Value::of("side 1: \"quoted\", with [everything]", true));
  document.add("plain", Value::of("a b"));
  document.add("nothing", Value{});
  document.add("empty", Value::sequence());
  Value& list = document.add("measure", Value::sequence());
  for (int i = 0; i < 9; ++i) {
    Value& item = list.items.emplace_back(Value::map());
    Value& events = item.add("events", Value::sequence());
    for (int repeat = 0; repeat <= i; ++repeat) events.items.push_back(Value::of(event, true));
    item.add("deep", Value::map()).add("key: odd", Value::of("x"));
  }
  const std::string text = to_compact_yaml(document);
  EXPECT_EQ(to_yaml(parse_text(text, "t")), to_yaml(parse_text(to_yaml(document), "u")));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 70) << text;
}

}  // namespace
}  // namespace pmufab::scenario
