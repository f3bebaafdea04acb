// SPDX-License-Identifier: Apache-2.0
// What is kept of a child's output.

#include "testbench/run/process/captured_output.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "testbench/run/process/child_process.h"
#include "testbench/run/process/resource_limits.h"
#include "testbench/run/process/shared_memory.h"

namespace pmufab::process {
namespace {

TEST(BoundedText, that_fits_is_kept_as_it_is) {
  BoundedText text(8);
  for (const char* part : {"a\n", "b\n", "", "c\nd\n"}) text.add(part);
  EXPECT_EQ(text.text(), "a\nb\nc\nd\n");
}

TEST(BoundedText, that_is_longer_keeps_whole_lines_of_both_ends_and_counts_the_others) {
  BoundedText text(8);
  for (int i = 0; i < 1000; ++i) text.add(std::to_string(i % 10) + "\n");
  const std::string kept = text.text();
  EXPECT_TRUE(kept.starts_with("0\n1\n[...] ")) << kept;
  EXPECT_TRUE(kept.ends_with(" left out\n6\n7\n8\n9\n") || kept.ends_with(" left out\n8\n9\n") ||
              kept.ends_with(" left out\n9\n"))
      << kept;
  const auto lines = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n')) - 1;
  EXPECT_NE(kept.find("[...] " + std::to_string(1000 - lines) + " lines (" + std::to_string(2000 - 2 * lines) +
                      " bytes) left out\n"),
            std::string::npos)
      << kept;
}

TEST(CapturedOutput, of_a_child_that_writes_without_end_does_not_grow) {
  CapturedOutput output(1000);
  const pid_t child = start_child([&] {
    output.redirect(true, false);
    for (int i = 0; i < 100'000; ++i) std::printf("line %d\n", i);
    std::fflush(stdout);
    return 0;
  });
  output.begin();
  while (output.descriptor() >= 0) output.read();
  wait_for(child);
  const std::string kept = output.finish();
  EXPECT_TRUE(kept.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(kept.ends_with("line 99998\nline 99999\n"));
  EXPECT_LT(kept.size(), 2000U);
}

TEST(ResourceLimits, are_those_of_the_child_only) {
  const SharedMemory<rlim_t> files;
  const pid_t child = start_child([&] {
    limit_resources({.memory = 0, .files = 20, .processor_seconds = 0});
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    *files = limit.rlim_max;
    return 0;
  });
  wait_for(child);
  EXPECT_EQ(*files, 20U);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_GT(limit.rlim_cur, 20U);
}

}  // namespace
}  // namespace pmufab::process
