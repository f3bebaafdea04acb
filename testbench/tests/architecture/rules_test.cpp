// SPDX-License-Identifier: Apache-2.0
// The checks themselves, on small trees that break one rule each.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/architecture/architecture.h"

namespace pmufab::architecture {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A tree of three libraries with a header and a source each. models/top links models/low publicly; models/apart links
/// nothing.
class Rules : public ::testing::Test {
 protected:
  Rules() {
    std::string pattern = (fs::temp_directory_path() / "pmufab-rules-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
    for (const char* const name : {"low", "top", "apart"}) {
      write(fmt::format("models/{0}/{0}.h", name), "");
      write(fmt::format("models/{0}/{0}.cpp", name), include(fmt::format("models/{0}/{0}.h", name)));
      write(fmt::format("models/{}/CMakeLists.txt", name), fmt::format("pmufab_library({0} SOURCES {0}.cpp)", name));
    }
    write("models/top/top.h", include("models/low/low.h"));
  }
  ~Rules() override { fs::remove_all(root); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  static std::string include(const std::string& file) { return "#inc" + fmt::format("lude \"{}\"\n", file); }
  static LinkGraph graph(const std::string& more = "public pmufab::low\n") {
    std::istringstream text(
        "target pmufab_low STATIC_LIBRARY models/low\nsource models/low/low.cpp\n"
        "target pmufab_apart STATIC_LIBRARY models/apart\nsource models/apart/apart.cpp\n"
        "target pmufab_top STATIC_LIBRARY models/top\nsource models/top/top.cpp\n" +
        more);
    return LinkGraph::read(text);
  }

  fs::path root;
};

TEST_F(Rules, a_tree_that_keeps_them_has_no_complaints) {
  EXPECT_THAT(check_includes(root, graph()), IsEmpty());
  EXPECT_THAT(check_links(root, graph()), IsEmpty());
  EXPECT_THAT(check_sources(root, graph()), IsEmpty());
  EXPECT_THAT(check_folders(root), IsEmpty());
  EXPECT_THAT(check_threads(root), IsEmpty());
}

TEST_F(Rules, a_library_that_is_not_linked_must_not_be_included) {
  write("models/top/top.cpp", include("models/top/top.h") + include("models/apart/apart.h"));
  EXPECT_THAT(check_includes(root, graph()),
              ElementsAre("models/top/top.cpp:2: \"models/apart/apart.h\" is of apart, which top does not link"));
}

TEST_F(Rules, nor_by_its_path_from_the_folder_or_in_angle_brackets) {
  write("models/top/top.cpp", include("../apart/apart.h") + "#inc" + "lude <models/apart/apart.h>\n");
  EXPECT_EQ(check_includes(root, graph()).size(), 2U);
}

TEST_F(Rules, a_header_must_not_include_what_is_linked_privately) {
  EXPECT_THAT(check_includes(root, graph("private pmufab::low\n")),
              ElementsAre("models/top/top.h:1: \"models/low/low.h\" is of low, which top does not link publicly"));
}

TEST_F(Rules, what_is_linked_privately_reaches_no_user) {
  write("models/top/top.h", "");
  write("models/top/top.cpp", include("models/low/low.h"));
  write("models/apart/apart.cpp", include("models/low/low.h"));
  const LinkGraph linked =
      graph("private pmufab::low\ntarget pmufab_apart STATIC_LIBRARY models/apart\npublic pmufab::top\n");
  EXPECT_THAT(check_includes(root, linked),
              ElementsAre("models/apart/apart.cpp:1: \"models/low/low.h\" is of low, which apart does not link"));
}

TEST_F(Rules, an_external_library_must_be_linked) {
  write("models/top/top.cpp", "#inc" + std::string("lude <fmt/format.h>\n"));
  EXPECT_THAT(check_includes(root, graph()),
              ElementsAre("models/top/top.cpp:1: \"fmt/format.h\" is of the library fmt, which top does not link"));
  EXPECT_THAT(check_includes(root, graph("public pmufab::low\nprivate fmt::fmt\n")), IsEmpty());
}

TEST_F(Rules, a_library_must_not_include_what_is_of_tests) {
  write("testbench/tests/rig.h", "");
  write("models/top/top.cpp", include("testbench/tests/rig.h"));
  EXPECT_THAT(
      check_includes(root, graph()),
      ElementsAre("models/top/top.cpp:1: \"testbench/tests/rig.h\" is of a file of tests, which top does not link"));
}

TEST_F(Rules, a_header_of_tests_is_held_to_what_the_program_links_that_includes_it) {
  write("testbench/tests/rig.h", include("models/apart/apart.h"));
  write("testbench/tests/a_test.cpp", include("rig.h"));
  const std::string program = "target a_test EXECUTABLE testbench/tests\nsource testbench/tests/a_test.cpp\nprivate ";
  EXPECT_THAT(
      check_includes(root, graph("public pmufab::low\n" + program + "pmufab::top\n")),
      ElementsAre(
          "testbench/tests/rig.h:1: \"models/apart/apart.h\" is of apart, which a_test does not link publicly"));
  EXPECT_THAT(check_includes(root, graph("public pmufab::low\n" + program + "pmufab::apart\n")), IsEmpty());
}

TEST_F(Rules, a_link_that_nothing_needs_must_go) {
  EXPECT_THAT(check_links(root, graph("public pmufab::low\npublic pmufab::apart\n")),
              ElementsAre("top links apart and includes nothing of it"));
  EXPECT_THAT(check_links(root, graph("public pmufab::low\nprivate fmt::fmt\n")),
              ElementsAre("top links fmt::fmt and includes nothing of it"));
}

TEST_F(Rules, a_link_that_only_sources_need_is_private) {
  write("models/top/top.h", "");
  write("models/top/top.cpp", include("models/low/low.h"));
  EXPECT_THAT(check_links(root, graph()), ElementsAre("top links low publicly, but none of its headers needs it"));
  EXPECT_THAT(check_links(root, graph("private pmufab::low\n")), IsEmpty());
}

TEST_F(Rules, a_source_that_nobody_builds_is_found) {
  write("models/top/forgotten.cpp", "");
  EXPECT_THAT(check_sources(root, graph()), ElementsAre("models/top/forgotten.cpp is in no target"));
  write("models/top/CMakeLists.txt", "if(OFF)\n pmufab_library(top SOURCES forgotten.cpp)\n");
  EXPECT_THAT(check_sources(root, graph()), IsEmpty()) << "another configuration builds it";
}

TEST_F(Rules, a_source_is_not_listed_by_a_part_of_another_name_or_in_a_comment) {
  write("models/top/forgotten.cpp", "");
  write("models/top/CMakeLists.txt", "# forgotten.cpp\nif(OFF)\n pmufab_library(top SOURCES not_forgotten.cpp)\n");
  EXPECT_THAT(check_sources(root, graph()), ElementsAre("models/top/forgotten.cpp is in no target"));
}

TEST_F(Rules, a_source_is_of_one_library) {
  EXPECT_THAT(check_sources(root, graph("public pmufab::low\nsource models/low/low.cpp\n")),
              ElementsAre("models/low/low.cpp is in low and in top"));
}

TEST_F(Rules, a_thread_is_started_by_the_judge_and_tests_alone) {
  write("testbench/tests/a_test.cpp", "std::thread other;\n");
  write("testbench/judge/backlog.cpp", "std::thread other;\n");
  write("models/low/low.h", "const unsigned processors = std::thread::hardware_concurrency();\n");
  EXPECT_THAT(check_threads(root), IsEmpty());
  write("models/low/low.cpp", "\nstd::thread other;\n");
  write("models/top/top.cpp",
        "std::jthread other;\nauto later = std::async(work);\npthread_create(&id, 0, work, 0);\n");
  EXPECT_THAT(check_threads(root), ElementsAre("models/low/low.cpp:2: std::thread starts a thread",
                                               "models/top/top.cpp:1: std::jthread starts a thread",
                                               "models/top/top.cpp:2: std::async starts a thread",
                                               "models/top/top.cpp:3: pthread_create starts a thread"));
}

TEST_F(Rules, one_room_draws) {
  write("testbench/pages/svg.cpp", "text += \"<svg \";\n");
  write("models/low/low.cpp", "if (a <text) return;\n");
  EXPECT_THAT(check_drawing(root), IsEmpty());
  write("models/low/low.cpp", "\ntext = \"<rect x=0/>\";\n");
  EXPECT_THAT(check_drawing(root), ElementsAre("models/low/low.cpp:2: <rect draws"));
}

TEST_F(Rules, a_folder_with_26_files_is_too_large) {
  for (unsigned file = 0; file < 23; ++file) write(fmt::format("models/top/file{}.h", file), "");
  EXPECT_THAT(check_folders(root), ElementsAre("models/top has 26 files, more than 25 to choose from"));
}

TEST_F(Rules, the_picture_has_the_arrows_of_the_build_and_no_others) {
  const LinkGraph chain = graph(
      "public pmufab::low\npublic pmufab::apart\ntarget pmufab_apart STATIC_LIBRARY models/apart\npublic "
      "pmufab::low\n");
  const auto picture = [](const std::string& arrows) { return "text\n```mermaid\ngraph TD\n" + arrows + "```\n"; };
  EXPECT_THAT(check_picture(picture("  top --> apart\n  apart --> low\n"), chain), IsEmpty())
      << "the arrow from top to low follows";
  EXPECT_THAT(check_picture(picture("  top --> apart\n  top --> low\n"), chain),
              ElementsAre("the picture lacks: apart --> low", "the build does not have: top --> low"));
}

TEST_F(Rules, a_fabric_is_named_in_its_rooms_alone) {
  write("testbench/fabrics/low/scenario/low_kind.h", include("models/low/low.h") + "low::Thing thing;\n");
  write("testbench/fabrics/low/tests/low_test.cpp", include("models/top/top.h"));
  write("models/apart/apart.h", "namespace flow::slow { MemoryClass::low // low::Thing\n");
  EXPECT_THAT(check_names(root, {"low"}),
              ElementsAre("models/top/top.h:1: names the fabric low, whose room it is not in"));
  write("models/apart/apart.cpp", "\nvoid take(const low::Thing& thing);\n");
  write("tools/own.cpp", "pmufab::low::Thing thing;\n");
  EXPECT_THAT(check_names(root, {"low"}),
              ElementsAre("models/apart/apart.cpp:2: names the fabric low, whose room it is not in",
                          "models/top/top.h:1: names the fabric low, whose room it is not in",
                          "tools/own.cpp:1: names the fabric low, whose room it is not in"));
}

TEST_F(Rules, the_picture_shows_all_fabrics_as_one_and_what_is_between_two) {
  std::istringstream text(
      "target a_fabric STATIC_LIBRARY testbench/fabrics/a\npublic a_judge\n"
      "target b_fabric STATIC_LIBRARY testbench/fabrics/b\npublic b_judge\n"
      "target a_judge STATIC_LIBRARY testbench/fabrics/a/judge\npublic core\n"
      "target b_judge STATIC_LIBRARY testbench/fabrics/b/judge\npublic a_judge\n"
      "target core STATIC_LIBRARY testbench/judge\n");
  const LinkGraph built = LinkGraph::read(text);
  EXPECT_THAT(check_picture("```mermaid\nF_fabric --> F_judge\nF_judge --> core\nb_judge --> a_judge\n```\n", built),
              IsEmpty());
  EXPECT_THAT(check_picture("```mermaid\nF_fabric --> F_judge\nF_fabric --> core\n```\n", built),
              ElementsAre("the picture lacks: F_judge --> core", "the picture lacks: b_judge --> a_judge",
                          "the build does not have: F_fabric --> core"));
}

TEST_F(Rules, the_order_of_a_room_is_kept) {
  const auto order = [](const std::string& lines) { return "```order\n" + lines + "```\n"; };
  EXPECT_THAT(check_orders(root, order("models: low, apart | top\n")), IsEmpty());
  EXPECT_THAT(check_orders(root, order("models: top | low, apart\n")),
              ElementsAre("models/top/top.h:1: in models, top does not know low"));
  EXPECT_THAT(check_orders(root, order("models: low, top | apart\n")),
              ElementsAre("models/top/top.h:1: in models, top does not know low"));
  EXPECT_THAT(check_orders(root, order("models: low | top\n")),
              ElementsAre("the order of models does not say where apart is"));
  EXPECT_THAT(check_orders(root, order("models: low, apart, gone | top\n")),
              ElementsAre("the order of models: there is no folder gone"));
  EXPECT_THAT(check_orders(root, "no block\n"), ElementsAre("the document gives no order"));
}

TEST_F(Rules, a_path_of_the_document_exists) {
  EXPECT_THAT(check_paths(root, "`models/top/top.h`, `models/low/`, `other/thing`, `rm -r models/x`"), IsEmpty());
  EXPECT_THAT(check_paths(root, "in `models/top/gone.h`"),
              ElementsAre("the document names models/top/gone.h, which does not exist"));
  EXPECT_THAT(check_paths(root, "models/top/top.h"), ElementsAre("the document names no path"));
}

}  // namespace
}  // namespace pmufab::architecture
