// SPDX-License-Identifier: Apache-2.0
// This tree: its includes, the build's link graph, and docs/architecture.md.
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/architecture/architecture.h"

namespace pmufab::architecture {
namespace {

const std::filesystem::path kTree = PMUFAB_SOURCE_DIR;

LinkGraph graph() {
  std::ifstream text(PMUFAB_LINK_GRAPH);
  LinkGraph built = LinkGraph::read(text);
  // Whoever looks at nothing finds no mistake.
  EXPECT_GT(built.targets().size(), 30U);
  EXPECT_GT(code_files(kTree).size(), 500U);
  return built;
}

std::string document() {
  std::ifstream text(kTree / "docs/architecture.md");
  return {std::istreambuf_iterator<char>(text), {}};
}

/// One complaint per line.
std::string lines(const Complaints& complaints) {
  std::string text;
  for (const std::string& complaint : complaints) text += complaint + "\n";
  return text;
}

TEST(Architecture, every_include_is_allowed_by_the_link_graph) { EXPECT_EQ(lines(check_includes(kTree, graph())), ""); }

TEST(Architecture, every_link_is_needed_and_public_only_if_a_header_needs_it) {
  EXPECT_EQ(lines(check_links(kTree, graph())), "");
}

TEST(Architecture, every_source_file_belongs_to_a_target) { EXPECT_EQ(lines(check_sources(kTree, graph())), ""); }

TEST(Architecture, nothing_but_the_judge_and_tests_starts_a_thread) { EXPECT_EQ(lines(check_threads(kTree)), ""); }

TEST(Architecture, one_room_draws) { EXPECT_EQ(lines(check_drawing(kTree)), ""); }

TEST(Architecture, the_picture_shows_the_link_graph) { EXPECT_EQ(lines(check_picture(document(), graph())), ""); }

TEST(Architecture, folders_of_a_room_keep_their_order) { EXPECT_EQ(lines(check_orders(kTree, document())), ""); }

TEST(Architecture, every_path_the_document_names_exists) { EXPECT_EQ(lines(check_paths(kTree, document())), ""); }

TEST(Architecture, no_folder_is_too_large_to_choose_from) {
  ASSERT_TRUE(std::filesystem::is_directory(kTree / "models"));
  EXPECT_EQ(lines(check_folders(kTree)), "");
}

TEST(Architecture, no_judge_sees_a_model_and_the_driver_host_sees_none_either) {
  const LinkGraph built = graph();
  unsigned judges = 0;
  for (const auto& [target, details] : built.targets()) {
    if (target.ends_with("_judge")) ++judges;
    if (!target.ends_with("_judge") && target != "scoreboard" && target != "driver_host") continue;
    EXPECT_TRUE(built.visible_to_sources_of(target).contains("tlm")) << target << " sees nothing";
    for (const std::string& seen : built.visible_to_sources_of(target)) {
      const auto found = built.targets().find(seen);
      if (found == built.targets().end() || !found->second.folder.starts_with("models/")) continue;
      EXPECT_TRUE(found->second.folder.ends_with("/wire")) << target << " sees " << seen;
    }
  }
  EXPECT_GE(judges, 5U);
}

TEST(Architecture, only_its_rooms_and_the_list_of_kinds_name_a_fabric) {
  const LinkGraph built = graph();
  std::set<std::string> fabrics;
  for (const auto& [name, target] : built.targets()) {
    if (name.ends_with("_judge")) fabrics.insert(name.substr(0, name.find('_')));
  }
  ASSERT_GE(fabrics.size(), 5U);
  EXPECT_EQ(lines(check_names(kTree, fabrics)), "");
}

TEST(Architecture, the_guest_and_the_shell_do_not_see_each_other) {
  const LinkGraph built = graph();
  ASSERT_TRUE(built.targets().contains("guest"));
  ASSERT_TRUE(built.targets().contains("shell"));
  EXPECT_FALSE(built.visible_to_sources_of("guest").contains("shell"));
  EXPECT_FALSE(built.visible_to_sources_of("shell").contains("guest"));
}

TEST(Architecture, the_support_of_tests_is_linked_by_tests_alone) {
  const LinkGraph built = graph();
  ASSERT_TRUE(built.targets().contains("testing"));
  for (const auto& [name, target] : built.targets()) {
    if (is_of_programs(target.folder + "/")) continue;
    EXPECT_FALSE(built.visible_to_sources_of(name).contains("testing")) << name;
  }
}

}  // namespace
}  // namespace pmufab::architecture
