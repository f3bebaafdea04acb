// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/part/cmn_spec.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/tests/tools/cli_fixture.h"
#include "tools/pmufab/map/map_writers.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// The text behind each `mark`, up to the first character that is not part of a number with separators.
std::vector<std::uint64_t> numbers_behind(const std::string& text, const std::string& mark) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    at += mark.size();
    while (at < text.size() && text[at] == ' ') ++at;
    std::string digits;
    for (; at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == ','); ++at) {
      if (text[at] != ',') digits += text[at];
    }
    if (!digits.empty()) numbers.push_back(std::stoull(digits));
  }
  return numbers;
}

/// True for a single element with well nested content. Knows the parts of XML that our SVG uses.
::testing::AssertionResult is_well_formed(const std::string& text) {
  std::vector<std::string> open;
  std::size_t at = text.starts_with("<?xml") ? text.find("?>") + 2 : 0;
  bool had_root = false;
  while (at < text.size()) {
    if (text[at] == '&') {
      const std::string entity = text.substr(at, text.find(';', at) - at + 1);
      if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;" && entity != "&quot;")
        return ::testing::AssertionFailure() << "strange entity at " << at;
    }
    if (text[at] != '<') {
      if (open.empty() && std::isspace(static_cast<unsigned char>(text[at])) == 0)
        return ::testing::AssertionFailure() << "text outside of the root at " << at;
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "unfinished tag at " << at;
    std::string tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.find('<') != std::string::npos) return ::testing::AssertionFailure() << "'<' in tag " << tag;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return ::testing::AssertionFailure() << "unexpected " << tag;
      open.pop_back();
      continue;
    }
    if (open.empty() && had_root) return ::testing::AssertionFailure() << "a second root " << tag;
    had_root = true;
    const bool empty = tag.ends_with('/');
    if (empty) tag.pop_back();
    if (std::count(tag.begin(), tag.end(), '"') != 2 * std::count(tag.begin(), tag.end(), '='))
      return ::testing::AssertionFailure() << "attributes of " << tag;
    if (!empty) open.push_back(tag.substr(0, tag.find(' ')));
  }
  if (!open.empty() || !had_root) return ::testing::AssertionFailure() << "something is not closed";
  return ::testing::AssertionSuccess();
}

class Map : public Cli {
 protected:
  static std::string small() { return shipped("platforms/cmn600-small.yaml"); }

  /// The text between the frames of boxes, by place "x,y": the lines of each box, without surrounding blanks.
  static std::map<std::string, std::vector<std::string>> boxes(const std::string& text) {
    std::map<std::string, std::vector<std::string>> result;
    std::istringstream stream(text);
    std::string row;
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("y=")) row = line.substr(2, line.find(' ') - 2);
      // Lines of boxes hold "| text |" for each column. Lines of links have no frames.
      if (occurrences(line, "| ") < 1 || !line.ends_with(" |")) continue;
      std::size_t at = line.find("| ");
      for (unsigned x = 0; at != std::string::npos; ++x) {
        const std::size_t end = line.find(" |", at + 1);
        std::string cell = line.substr(at + 2, end - at - 2);
        cell.erase(cell.find_last_not_of(' ') + 1);
        cell.erase(0, cell.find_first_not_of(' '));
        if (!cell.empty()) result[std::to_string(x) + "," + row].push_back(cell);
        at = line.find("| ", end + 2);
      }
    }
    return result;
  }

  static std::vector<std::string> kernels() {
    std::vector<std::string> versions;
    for (const driver_host::DriverSet& set : driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR))
      versions.push_back(set.kernel_version);
    return versions;
  }
};

TEST_F(Map, every_device_is_in_its_place) {
  const Outcome outcome = ended(0, pmufab({"map", small()}));
  EXPECT_THAT(outcome.out, HasSubstr("cmn0: CMN-600 r3p1, 4 x 2 crosspoints, 1 DTC, 2 GHz, registers at 0x50000000\n"));
  // North up: y = 1 is above y = 0.
  EXPECT_LT(outcome.out.find("y=1 "), outcome.out.find("y=0 "));
  const auto box = boxes(outcome.out);
  ASSERT_EQ(box.size(), 8U);
  // Node ids have x in bits [6:5], y in [4:3] and the port in [2]: two bits of coordinates for four columns, and two
  // bits of device. Logical ids count in order of XP and port.
  EXPECT_THAT(box.at("0,0"), ElementsAre("XP 0         0x0", "DTC 0  DTM 0", "p0 HN-D      0x0", "dn0 dtc0 hni0",
                                         "p1 SBSX      0x4", "sbsx0"));
  EXPECT_THAT(box.at("2,1"),
              ElementsAre("XP 6        0x48", "DTC 0  DTM 6", "p0 RN-F     0x48", "p1 HN-F     0x4c", "hnf3"));
  EXPECT_THAT(box.at("3,1"),
              ElementsAre("XP 7        0x68", "DTC 0  DTM 7", "p0 RN-D     0x68", "rnd0 rnsam2", "p1 SN-F     0x6c"));
}

TEST_F(Map, several_devices_behind_a_port_and_several_monitors_show) {
  const std::string platform = write("p.yaml", R"(kind: cmn
cpus_per_socket: 4
meshes:
  - product: CMN-700
    multiple_dtm: true
    tiles: {D: [HN-D, HN-Fx2, "-", RN-I], R: [RN-F]}
    rows: [D R R]
  - product: CMN-650
    tiles: {D: [HN-D, SN-F]}
    rows: [D]
)");
  const Outcome all = pmufab({"map", platform});
  EXPECT_THAT(all.out, AllOf(HasSubstr("cmn0: CMN-700"), HasSubstr("cmn1: CMN-650")));
  const Outcome first = pmufab({"map", platform, "cmn0"});
  EXPECT_THAT(first.out, Not(HasSubstr("cmn1")));
  EXPECT_THAT(boxes(first.out).at("0,0"),
              ElementsAre("XP 0         0x0", "DTC 0  DTMs 0-1", "p0 HN-D      0x0", "dn0 dtc0 hni0",
                          "p1 HN-F      0x2", "hnf0 mpam_s0", "mpam_ns0", "device 1   0x3", "hnf1 mpam_s1", "mpam_ns1",
                          "p2 -", "p3 RN-I      0x6", "rni0 rnsam0"));
  EXPECT_THAT(boxes(first.out).at("1,0"), ElementsAre("XP 1        0x20", "DTC 0  DTM 2", "p0 RN-F     0x20"));
}

TEST_F(Map, every_driver_agrees) {
  ASSERT_FALSE(kernels().empty());
  for (const std::string& kernel : kernels()) {
    const Outcome outcome = pmufab({"map", small(), "--compare", "--drivers", kernel});
    EXPECT_EQ(outcome.exit_code, 0) << kernel << '\n' << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("arm-cmn/map of the drivers of Linux " + kernel), HasSubstr("| XP #7  |"),
                                   HasSubstr("cmn0: the driver's map agrees"), Not(HasSubstr("DIFFERS"))));
  }
}

TEST_F(Map, the_newest_driver_agrees_on_every_shipped_mesh) {
  unsigned meshes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shipped("platforms"))) {
    if (!entry.is_regular_file() || read(entry.path()).find("\nmeshes:") == std::string::npos) continue;
    ++meshes;
    const Outcome outcome = pmufab({"map", entry.path().string(), "--compare"});
    EXPECT_EQ(outcome.exit_code, 0) << entry.path() << '\n' << outcome.out << outcome.err;
  }
  EXPECT_GE(meshes, 1U);
}

TEST_F(Map, every_driver_agrees_on_a_mesh_of_many_kinds) {
  const std::string platform = write("p.yaml", R"(kind: cmn
cpus_per_socket: 4
meshes:
  - product: CMN-700
    firmware: acpi
    multiple_dtm: true
    tiles:
      A: [RN-F, HN-Fx2, RN-I, CCG]
      B: [HN-P, SN-F]
      D: [HN-D, RN-Dx2, "-", SBSX]
      T: [HN-T, MTSX]
      E: ["-"]
    rows: [A B E, D A T]
    domains: [0 0 1, 0 1 1]
)");
  for (const std::string& kernel : kernels()) {
    const Outcome outcome = pmufab({"map", platform, "--compare", "--drivers", kernel});
    EXPECT_EQ(outcome.exit_code, 0) << kernel << '\n' << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("cmn0: the driver's map agrees"));
  }
}

TEST_F(Map, meshes_keep_their_maps_if_a_driver_does_not_know_one) {
  const std::string platform = write("p.yaml", R"(kind: cmn
cpus_per_socket: 4
meshes:
  - {product: CMN-S3, firmware: acpi, tiles: {D: [HN-D, HN-S]}, rows: [D]}
  - {product: CMN-650, tiles: {D: [HN-D, HN-F], A: [RN-F, HN-I]}, rows: [D A A]}
)");
  for (const std::string& kernel : kernels()) {
    const Outcome outcome = pmufab({"map", platform, "--compare", "--drivers", kernel});
    EXPECT_THAT(outcome.out, HasSubstr("cmn1: the driver's map agrees")) << kernel;
    const bool knows = outcome.out.find("cmn0: the driver's map agrees") != std::string::npos;
    EXPECT_EQ(outcome.exit_code, knows ? 0 : 1);
    if (!knows) {
      EXPECT_THAT(outcome.out, HasSubstr("show no map of cmn0"));
    }
  }
}

/// Three crosspoints in a row, as a driver's map shows them.
constexpr const char* kRowOfThree = R"(     X    0        1        2
Y P D+--------+--------+--------+
0    | XP #0  | XP #1  | XP #2  |
     | DTC 0  | DTC 0  | DTC 0  |
     |........|........|........|
  0  |  HN-D  | RN-F_E |        |
    0|   #0   |        |        |
    1|        |        |        |
  1  |        |  HN-F  | RN-F_E |
    0|        |   #0   |        |
    1|        |   #1   |        |
-----+--------+--------+--------+
)";

TEST_F(Map, each_kind_of_difference_from_the_driver_is_found) {
  const std::string file = write("p.yaml", R"(kind: cmn
cpus_per_socket: 4
meshes:
  - {product: CMN-700, tiles: {D: [HN-D], H: [RN-F, HN-Fx2], R: ["-", RN-F]}, rows: [D H R]}
)");
  const cmn::Topology topology =
      scenario::load_platform(file, {}).spec.of<platform::CmnMeshesSpec>().meshes.at(0).topology;
  const cmn::Layout layout(topology);
  EXPECT_THAT(cli::compare_with_driver(topology, layout, kRowOfThree).differences, ::testing::IsEmpty());
  const auto differences = [&](const std::string& what, const std::string& by) {
    std::string text = kRowOfThree;
    text.replace(text.find(what), what.size(), by);
    return cli::compare_with_driver(topology, layout, text).differences;
  };
  EXPECT_THAT(differences("XP #1", "XP #4"), ElementsAre("XP 1: the driver shows 'XP #4', the mesh has 'XP #1'"));
  EXPECT_THAT(differences("DTC 0", "DTC 1"), ElementsAre("XP 0: the driver shows 'DTC 1', the mesh has 'DTC 0'"));
  EXPECT_THAT(differences(" HN-F ", " HN-S "),
              ElementsAre("XP 1 port 1: the driver shows 'HN-S', the mesh has 'HN-F'"));
  EXPECT_THAT(differences("#1   |        |\n-", "#2   |        |\n-"),
              ElementsAre("XP 1 port 1 device 1: the driver shows '#2', the mesh has '#1'"));
  EXPECT_THAT(differences("  1  |        |", "  1  |  HN-I  |"),
              ElementsAre("XP 0 port 1: the driver shows 'HN-I', the mesh has nothing"));
  EXPECT_THAT(differences("RN-F_E |\n", "       |\n"),
              ElementsAre("XP 2 port 1: the driver shows nothing, the mesh has 'RN-F_E'"));
  EXPECT_THAT(differences("0    |", "1    |"), ::testing::Contains(HasSubstr("XP 0: the driver shows nothing")));
  EXPECT_THAT(differences("  0  |", "  x  |"), ::testing::Contains(HasSubstr("line 6 of the driver's map")));
  EXPECT_THAT(cli::compare_with_driver(topology, layout, "").differences, ::testing::SizeIs(4));
  // A kernel that does not know the device is reported, but is no difference.
  std::string text = kRowOfThree;
  text.replace(text.find(" HN-F "), 6, " ???? ");
  const cli::MapComparison older = cli::compare_with_driver(topology, layout, text);
  EXPECT_THAT(older.differences, ::testing::IsEmpty());
  EXPECT_THAT(older.unknown, ElementsAre("XP 1 port 1: the driver does not know 'HN-F'"));
}

TEST_F(Map, a_picture_is_well_formed_and_has_every_part) {
  const std::string platform = write("p.yaml", R"(kind: cmn
name: 'a <b> & "c"'
cpus_per_socket: 4
meshes:
  - {product: CMN-700, tiles: {D: [HN-D, HN-F, RN-F], A: [RN-F, "-"]}, rows: [A A A A, A D A A, A A A A]}
)");
  const std::string file = (folder / "mesh.svg").string();
  ended(0, pmufab({"map", platform, "--svg", file}));
  const std::string svg = read(file);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, HasSubstr("<title>a &lt;b&gt; &amp; &quot;c&quot;</title>"));
  EXPECT_EQ(occurrences(svg, "<g class=\"xp\""), 12U);
  EXPECT_EQ(occurrences(svg, "<g class=\"port\""), 11U * 2 + 3);
  // 4 x 3: in each of three rows three links to the east and back, in each of four columns two to the north and back.
  EXPECT_EQ(occurrences(svg, "<line class=\"link\""), 2U * 3 * 3 + 2U * 2 * 4);
  EXPECT_EQ(occurrences(svg, "class=\"legend\""), 0U);
}

// By hand: every port of a row of four sends ten flits to the next XP in x; the last XP sends to the first.
constexpr const char* kRing = R"(name: ring
duration: 20 us
mesh_traffic:
  - {name: ring, channel: req, pattern: neighbour, rate: 0.1, count: 10}
measure:
  - {events: [arm_cmn_0/dtc_cycles/]}
)";

TEST_F(Map, counts_follow_from_the_routes) {
  const std::string file = (folder / "mesh.svg").string();
  const Outcome outcome = pmufab({"map", small(), "--traffic", write("ring.yaml", kRing), "--svg", file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // Two ports of each XP, ten flits each: 20 to the neighbour's device, and 20 from XP 3 past 2 and 1 to 0.
  const std::vector<std::uint64_t> flits = {40, 60, 60, 40, 40, 60, 60, 40};
  EXPECT_EQ(numbers_behind(outcome.out, "| flits "), flits);
  EXPECT_EQ(numbers_behind(outcome.out, "registers at 0x50000000").size(), 0U);
  EXPECT_THAT(outcome.out, HasSubstr("\n400 flits transmitted by all crosspoints in 40,000 cycles\n"));
  const std::string svg = read(file);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, HasSubstr("class=\"legend\""));
  for (std::size_t xp = 0; xp < flits.size(); ++xp) {
    const std::size_t group = svg.find("data-xp=\"" + std::to_string(xp) + "\"");
    EXPECT_EQ(numbers_behind(svg.substr(group, svg.find("</title>", group) - group), ": ").front(), flits[xp]);
  }
  for (const char* link : {"XP 0 east to XP 1: 20 flits", "XP 2 east to XP 3: 20 flits", "XP 3 west to XP 2: 20 flits",
                           "XP 1 west to XP 0: 20 flits", "XP 1 north to XP 5: 0 flits"})
    EXPECT_THAT(svg, HasSubstr(link));
}

TEST_F(Map, traffic_can_be_changed_in_passing) {
  const std::string scenario = write("ring.yaml", kRing);
  EXPECT_THAT(pmufab({"map", small(), "--traffic", scenario, "--set", "mesh_traffic[0].count=5"}).out,
              HasSubstr("\n200 flits transmitted"));
  const std::string platform = pmufab({"map", small(), "--traffic", scenario, "--set", "meshes[0].clock=1 GHz"}).out;
  EXPECT_THAT(platform, AllOf(HasSubstr("1 GHz"), HasSubstr("\n400 flits"), HasSubstr("in 20,000 cycles")));
}

TEST_F(Map, pictures_repeat_and_drivers_do_not_change_them) {
  const auto draw = [&](const std::string& name, const std::vector<std::string>& more) {
    const std::string file = (folder / name).string();
    EXPECT_EQ(pmufab(with({"map", small(), "--traffic", shipped("cmn-flits.yaml"), "--duration", "2 us", "--svg", file},
                          more))
                  .exit_code,
              0);
    return read(file);
  };
  const std::string first = draw("a.svg", {});
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(draw("b.svg", {}), first);
  EXPECT_EQ(draw("c.svg", {"--compare"}), first);
  EXPECT_NE(draw("d.svg", {"--set", "seed=2"}), first);
}

TEST_F(Map, help_teaches_and_wrong_input_is_told) {
  EXPECT_THAT(pmufab({"--help"}).out, HasSubstr("map PLATFORM"));
  prints(0, {"map", "--help"}, {"Usage: pmufab map", "Examples:", "Exit codes:"});
  const auto refuses = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const Outcome outcome = pmufab(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  };
  refuses({"map"}, "no platform is given");
  refuses({"map", small(), "cmn0", "more"}, "too many words");
  refuses({"map", shipped("platforms/tegra410-1s-small.yaml")}, "has no meshes");
  refuses({"map", small(), "cmn1"}, "there is no mesh 'cmn1' (did you mean 'cmn0'?)");
  refuses({"map", small(), "--svg", small() + "/x.svg"}, "x.svg");
  refuses({"map", small(), "--duration", "1 us"}, "--duration has no effect without --traffic");
  refuses({"map", small(), "--traffic", shipped("cmn-cycles.yaml")}, "sends no flits into meshes");
  refuses({"map", small(), "--traffic", shipped("cmn-flits.yaml"), "--set", "mesh_traffic[0].mesh=1"},
          "mesh_traffic[0].mesh: there is no mesh 1");
  refuses({"map", small(), "--traffic", shipped("cmn-flits.yaml"), "--duration", "soon"}, "duration");
  refuses({"map", small(), "--set", "meshes[0].clok=1 GHz"}, "clok");
  refuses({"map", small(), "--drivers", "6.1"}, "have no effect without --compare (add --compare)");
  refuses({"map", small(), "--drivers", "9.9", "--compare"}, "no driver set matches --drivers 9.9");
}

}  // namespace
}  // namespace pmufab::testing
