// SPDX-License-Identifier: Apache-2.0
// Tables and trees here are written by hand, after Arm DEN0117, ACPI 6.5 and the bindings of Linux.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Little-endian numbers.
struct Bytes {
  std::string text;
  Bytes& add(std::uint64_t value, int size) {
    for (int index = 0; index < size; ++index) text += static_cast<char>(value >> 8 * index);
    return *this;
  }
};

std::string table(const std::string& signature, const std::string& body) {
  Bytes bytes{signature};
  bytes.add(36 + body.size(), 4).add(0, 1).add(0, 1);
  std::string whole = bytes.text + "NOBODYANYTABLE" + Bytes{}.add(1, 4).add(0, 4).add(1, 4).text + body;
  unsigned char sum = 0;
  for (const char byte : whole) sum = static_cast<unsigned char>(sum + static_cast<unsigned char>(byte));
  whole[9] = static_cast<char>(-sum);
  return whole;
}

/// A node of the APMT.
struct Node {
  unsigned flags = 6;  // container, 64-bit atomic
  unsigned type = 0;
  std::uint32_t id = 0;
  std::uint64_t primary = 0;
  std::uint32_t secondary = 0;
  std::uint64_t base0 = 0x2000'0000;
  std::uint64_t base1 = 0;
  std::uint32_t interrupt = 0;
  std::uint32_t mode = 0;
  std::uint32_t affinity = 0;
  std::uint32_t implementation = 0;

  [[nodiscard]] std::string bytes(unsigned size = 56) const {
    Bytes all;
    all.add(size, 2)
        .add(flags, 1)
        .add(type, 1)
        .add(id, 4)
        .add(primary, 8)
        .add(secondary, 4)
        .add(base0, 8)
        .add(base1, 8);
    return all.add(interrupt, 4).add(0, 4).add(mode, 4).add(affinity, 4).add(implementation, 4).text;
  }
};

std::string apmt(const std::vector<Node>& nodes) {
  std::string body;
  for (const Node& node : nodes) body += node.bytes();
  return table("APMT", body);
}

/// Packages with container ids 0x10, 0x11 ..., each with clusters (0x20, ...) of two processors (0x30, ...).
std::string pptt(unsigned packages, unsigned clusters = 1) {
  std::string body;
  const auto node = [&](unsigned flags, std::size_t parent, unsigned id) {
    const std::size_t at = 36 + body.size();
    body += Bytes{}.add(0, 1).add(20, 1).add(0, 2).add(flags, 4).add(parent, 4).add(id, 4).add(0, 4).text;
    return at;
  };
  for (unsigned package = 0; package < packages; ++package) {
    const std::size_t top = node(3, 0, 0x10 + package);
    for (unsigned number = package * clusters; number < (package + 1) * clusters; ++number) {
      const std::size_t cluster = node(2, top, 0x20 + number);
      body += Bytes{}.add(1, 1).add(8, 1).add(0, 6).text;  // a structure of another type: a cache
      for (unsigned processor = 0; processor < 2; ++processor) node(10, cluster, 0x30 + 2 * number + processor);
    }
  }
  return table("PPTT", body);
}

class Import : public Cli {
 protected:
  /// @return the draft from tables with these contents
  std::string draft_of(const std::vector<std::string>& tables) {
    std::vector<std::string> arguments = {"import", "acpi"};
    for (std::size_t index = 0; index < tables.size(); ++index)
      arguments.push_back(write("table" + std::to_string(index), tables[index]));
    const Outcome outcome = ended(0, pmufab(arguments));
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  void refuses_input(const std::string& content, const std::string& message, const std::string& command = "acpi",
                     const std::string& line = {}) {
    refuses({"import", command, write("input", content)},
            {"/input" + (line.empty() ? line : ":" + line) + ": " + message, " ("});
  }
  /// @return the names of PMUs that the newest driver publishes of a draft
  std::string listed(const std::string& draft) {
    const Outcome outcome = pmufab({"list", write("draft.yaml", draft)});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err << draft;
    return outcome.out;
  }
};

TEST_F(Import, each_fact_of_an_apmt_node_becomes_a_key) {
  const std::string draft =
      draft_of({apmt({{.flags = 7,
                       .type = 3,
                       .id = 5,
                       .primary = 0x3130'3030'454d'4341,  // "ACME0001"
                       .secondary = 2,
                       .base1 = 0x2001'0000,
                       .interrupt = 77,
                       .mode = 1,
                       .implementation = 0x1234'043b},
                      {.flags = 2, .id = 6, .primary = 9, .base0 = 0x2002'0000, .interrupt = 78}})});
  EXPECT_THAT(draft, HasSubstr(R"(
  - name: ACME0001_0
    base: 0x2000_0000
    page1: 0x2001_0000
    interrupt: {number: 77, trigger: edge}
    type: acpi
    hid: "ACME0001"
    instance: 2
    id: 5
    atomic_64bit: true
    implementation_id: 0x1234043b
    layout: 32-bit         # TODO)"));
  EXPECT_THAT(draft, HasSubstr(R"(
  - name: mc0
    base: 0x2002_0000
    interrupt: {number: 78, trigger: level}
    type: mc
    instance: 9
    id: 6
    atomic_64bit: false
    pmiidr: 0x43b          # TODO)"));
  EXPECT_THAT(listed(draft), AllOf(HasSubstr("\narm_cspmu_acpi_ACME0001_2:\n"), HasSubstr("\narm_cspmu_mc_6:\n")));
}

TEST_F(Import, a_driver_counts_on_a_draft) {
  const std::string draft = write("draft.yaml", draft_of({apmt({{.type = 4, .secondary = 3}})}));
  EXPECT_THAT(
      ended(0, pmufab({"stat", "--platform", draft, "-e", "arm_cspmu_cache_3/cycles/", "--duration", "10 us"})).out,
      AllOf(HasSubstr("PASSED"), HasSubstr("arm_cspmu_cache_3/cycles/")));
}

TEST_F(Import, sockets_and_cpus_are_those_of_the_pptt) {
  constexpr std::uint64_t kSocket1 = std::uint64_t{1} << 44;
  const std::string draft =
      draft_of({pptt(2), apmt({{.type = 4, .affinity = 0x10},
                               {.type = 4, .id = 1, .secondary = 1, .base0 = kSocket1 + 0x2000'0000, .affinity = 0x11},
                               {.flags = 0, .id = 9, .base0 = kSocket1 + 0x2001'0000, .affinity = 0x33},
                               {.type = 1, .id = 3, .primary = 3, .base0 = 0x2002'0000, .affinity = 0x20},
                               {.type = 2, .id = 4, .base0 = 0x2003'0000, .affinity = 0x77}})});
  EXPECT_THAT(draft, HasSubstr("\nsockets: 2\ncpus_per_socket: 2\n"));
  EXPECT_THAT(draft, HasSubstr(R"(
  # node 0 of table1; node 1 of table1
  - name: cache0
    base: 0x2000_0000
    type: cache
    instance: 0
    id: 0
)"));
  EXPECT_THAT(draft, HasSubstr("- name: mc0\n    sockets: [1]\n    base: 0x2001_0000\n"));
  EXPECT_THAT(draft, HasSubstr("    id: 8\n    cpu: 1\n"));
  EXPECT_THAT(draft, HasSubstr("# TODO: the instance is 0, which a PMU of socket 1 cannot have\n"));
  EXPECT_THAT(draft, HasSubstr("# node 3 of table1\n  - name: smmu0\n    sockets: [0]\n"));
  EXPECT_THAT(draft, HasSubstr("# TODO: it belongs to processor container 119, which is in no table\n"));
  EXPECT_THAT(listed(draft), AllOf(HasSubstr("\narm_cspmu_cache_0:\n"), HasSubstr("\narm_cspmu_cache_1:\n"),
                                   HasSubstr("\narm_cspmu_mc_9:\n")));
}

TEST_F(Import, a_pmu_of_a_cluster_is_told) {
  const std::string draft =
      draft_of({pptt(2, 3), apmt({{.type = 4, .affinity = 0x10},
                                  {.id = 1, .base0 = 0x2001'0000, .affinity = 0x21},
                                  {.flags = 0, .id = 2, .base0 = 0x2002'0000, .affinity = 0x33}})});
  EXPECT_THAT(draft, HasSubstr("\n  # node 0 of table1\n  - name: cache0\n"));
  EXPECT_THAT(draft, HasSubstr("\n  # node 1 of table1\n"
                               "  # TODO: it belongs to 2 of the 6 CPUs of its socket, here to all\n  - name: mc0\n"));
  EXPECT_THAT(draft, HasSubstr("\n  # node 2 of table1\n  - name: mc1\n"));
}

TEST_F(Import, registers_of_a_socket_that_are_elsewhere_are_told) {
  const std::string draft =
      draft_of({pptt(2), apmt({{.type = 4, .secondary = 5, .base0 = 0x4000'2000'0000, .affinity = 0x11}})});
  EXPECT_THAT(draft, HasSubstr("# TODO: 0x4000_2000_0000 is 0x1000_2000_0000 here: a platform has the registers of "
                               "socket 1 from 0x1000_0000_0000 on\n"));
  EXPECT_THAT(listed(draft), HasSubstr("\narm_cspmu_cache_5:\n"));
}

TEST_F(Import, a_pmu_of_unknown_processors_is_of_the_socket_of_its_address) {
  const std::string draft =
      draft_of({pptt(2), apmt({{.id = 4, .primary = 7, .base0 = 0x1000'2000'0000, .affinity = 0x99}})});
  EXPECT_THAT(draft, HasSubstr("  # TODO: it belongs to processor container 153, which is in no table\n"
                               "  - name: mc0\n    sockets: [1]\n    base: 0x2000_0000\n"));
}

TEST_F(Import, sockets_that_a_platform_has_keep_a_pmu_that_further_sockets_have_too) {
  std::vector<Node> nodes;
  for (unsigned socket = 0; socket < 8; ++socket)
    nodes.push_back({.id = socket,
                     .primary = socket,
                     .base0 = (std::uint64_t{socket} << 44) + 0x2000'0000,
                     .affinity = 0x10 + socket});
  const std::string draft = draft_of({pptt(8), apmt(nodes)});
  EXPECT_THAT(draft, HasSubstr("\n# TODO: firmware has 8 sockets, and a platform 4 at most\nsockets: 4\n"));
  EXPECT_THAT(draft, HasSubstr("\n  # node 0 of table1; node 1 of table1; node 2 of table1; node 3 of table1\n"
                               "  - name: mc0\n    base: 0x2000_0000\n"));
  EXPECT_THAT(draft, HasSubstr("node 7 of table1\n  # TODO: no platform can have this: a platform has no socket 4\n"
                               "  # - name: mc1\n  #   sockets: [4, 5, 6, 7]\n"));
  EXPECT_THAT(listed(draft), AllOf(HasSubstr("\narm_cspmu_mc_3:\n"), Not(HasSubstr("arm_cspmu_mc_4"))));
}

TEST_F(Import, a_draft_with_many_impossible_entries_is_written_and_told) {
  std::vector<Node> nodes(80);
  for (std::uint32_t number = 0; number < nodes.size(); ++number) nodes[number].id = number;
  const Outcome outcome = ended(0, pmufab({"import", "acpi", write("APMT", apmt(nodes))}));
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              HasSubstr("node 79 of APMT\n  # TODO: no platform can have this: base [0x20000000, 0x20000fff] covers "
                        "the registers socket0.mc0 at [0x20000000, 0x20000fff]\n"));
}

TEST_F(Import, the_time_grows_with_the_nodes_and_not_with_their_square) {
  constexpr std::uint32_t kNodes = 4000;
  std::vector<Node> nodes(kNodes);
  for (std::uint32_t number = 0; number < kNodes; ++number) {
    nodes[number].id = number / 2;  // each number twice
    nodes[number].primary = number;
    nodes[number].base0 = 0x2000'0000 + 0x1000 * std::uint64_t{number};
  }
  const std::string table = write("APMT", apmt(nodes));
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = pmufab({"import", "acpi", table});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              HasSubstr("node 3999 of APMT\n  # TODO: no platform can have this: id 1999 is that of mc3998\n"));
  // Reading the whole draft once for each of 2,000 entries takes minutes.
  EXPECT_LT(time.count(), 60) << "seconds";
}

TEST_F(Import, what_no_platform_can_have_is_a_comment_with_the_reason) {
  const std::string draft = draft_of({apmt({{},
                                            {.id = 1},
                                            {.id = 2, .primary = 1, .base0 = 0x2001'0010},
                                            {.type = 9, .id = 3, .base0 = 0x2002'0000},
                                            {.type = 3, .id = 4, .primary = 0x0a, .base0 = 0x2003'0000},
                                            {.id = 5, .base0 = 0x2004'0000, .interrupt = 9000, .mode = 2}})});
  EXPECT_THAT(draft, HasSubstr("# TODO: no platform can have this: base [0x20000000, 0x20000fff] covers the registers "
                               "socket0.mc0 at"));
  EXPECT_THAT(draft, HasSubstr("# TODO: no platform can have this: base 0x20010010 is not a multiple of a page"));
  EXPECT_THAT(draft, HasSubstr("\n# - node 3 of table0: a CoreSight PMU at 0x20020000 of type 9"));
  EXPECT_THAT(draft, HasSubstr("\n# - node 4 of table0: a CoreSight PMU at 0x20030000 of an ACPI device, with "
                               "0x000000000000000a in place of a hardware id"));
  EXPECT_THAT(draft, HasSubstr("numbers from 8192 on are those of messages\n  # TODO: the interrupt is not wired"));
  EXPECT_THAT(listed(draft), AllOf(HasSubstr("\narm_cspmu_mc_0:\n"), Not(HasSubstr("arm_cspmu_mc_1"))));
}

TEST_F(Import, pmus_with_one_interrupt_share_it) {
  const std::string draft = draft_of({apmt({{.interrupt = 50}, {.id = 1, .base0 = 0x2001'0000, .interrupt = 50}})});
  EXPECT_THAT(draft, HasSubstr("interrupt: {number: 50, trigger: level, shared: true}"));
}

TEST_F(Import, a_back_end_of_linux_names_its_pmus) {
  const std::string draft = draft_of({apmt({{.implementation = 0x1030'036b}})});
  EXPECT_THAT(draft, HasSubstr("perf_name: nvidia_uncore_pmu_0 # TODO"));
  EXPECT_THAT(listed(draft), HasSubstr("\nnvidia_pcie_pmu_0:\n"));
}

TEST_F(Import, a_draft_has_the_name_that_is_given) {
  const std::string draft = (folder / "draft.yaml").string();
  const Outcome outcome =
      ended(0, pmufab({"import", "acpi", write("APMT", apmt({{}})), "--name", "a: 'b' \"c\"", "--output", draft}));
  EXPECT_EQ(outcome.out, draft + ": 1 CoreSight PMU in 1 entry, 0 meshes\n");
  EXPECT_THAT(listed(read(draft)), HasSubstr("on platform a: 'b' \"c\":"));
}

TEST_F(Import, tables_that_are_damaged_are_refused) {
  const std::string good = apmt({{}, {.id = 1}});
  refuses_input(good.substr(0, 20), "has 20 bytes, and the header of an ACPI table has 36");
  refuses_input(good.substr(0, 100), "header: the table APMT has 148 bytes, and the file 100");
  refuses_input(good + "x", "header: the table APMT has 148 bytes, and the file 149");
  std::string changed = good;
  changed[60] = static_cast<char>(changed[60] + 3);
  refuses_input(changed, "header: the checksum of the table APMT is wrong: its bytes add up to 0x03, not 0");
  refuses_input("XSDT" + good.substr(4), "the signature 'XSDT' is none of a table that pmufab reads");
  refuses_input(table("APMT", Node{}.bytes() + Node{}.bytes(48)),
                "node 1, at byte 0x5c: its length is 48, and 56 bytes are left");
  refuses_input(table("APMT", Node{}.bytes().substr(0, 55)),
                "node 0, at byte 0x24: its length is 56, and 55 bytes are left");
  refuses_input(table("APMT", Node{}.bytes(0)), "node 0, at byte 0x24: its length is 0");
  refuses_input(table("APMT", Node{}.bytes() + "\x38"), "node 1, at byte 0x5c: its length is 0, and 1 bytes are left");
  refuses_input(table("PPTT", std::string("\0\x14\0\0", 4)),
                "byte 0x24: a structure of 20 bytes does not fit into the table");
  const std::string circle = Bytes{}.add(0, 1).add(20, 1).add(0, 6).add(56, 4).add(0, 8).text +
                             Bytes{}.add(0, 1).add(20, 1).add(0, 6).add(36, 4).add(0, 8).text +
                             Bytes{}.add(0, 1).add(20, 1).add(0, 6).add(36, 4).add(0, 8).text;
  refuses_input(table("PPTT", circle), "byte 0x4c: the parents of a processor go round in a circle");
}

/// As acpidump prints a table.
std::string dumped(const std::string& table) {
  std::string text = table.substr(0, 4) + " @ 0x0000000000000000\n";
  constexpr std::size_t kLine = 16;
  for (std::size_t at = 0; at < table.size(); at += kLine) {
    const std::string bytes = table.substr(at, kLine);
    std::string hex;
    std::string letters;
    for (const char byte : bytes) {
      hex += fmt::format(" {:02X}", static_cast<unsigned char>(byte));
      letters += byte >= ' ' && byte <= '~' ? byte : '.';
    }
    text += fmt::format("    {:04X}:{:<48}  {}\n", at, hex, letters);
  }
  return text + "\n";
}

TEST_F(Import, what_acpidump_prints_is_read) {
  // The letters beside the last bytes look like bytes.
  const std::string nodes = apmt({{}, {.id = 1, .primary = 1, .base0 = 0x20'2020'2000}});
  const std::string all = dumped(table("FACP", "anything")) + dumped(nodes) + dumped(pptt(2));
  const Outcome outcome = pmufab({"import", "acpi", write("dump.txt", all)});
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("from the ACPI tables APMT, PPTT.\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nsockets: 2\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  # node 1 of dump.txt\n"));
  EXPECT_THAT(outcome.out, HasSubstr("base: 0x20_2020_2000"));
  std::filesystem::create_directory(folder / "dumps");
  std::string carriage_returns;
  for (const char c : all) carriage_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  write("dumps/my-machine", carriage_returns);
  const Outcome of_folder = pmufab({"import", "acpi", (folder / "dumps").string()});
  EXPECT_EQ(of_folder.err, "");
  EXPECT_THAT(of_folder.out, HasSubstr("  # node 1 of my-machine\n"));
  EXPECT_EQ(draft_of({"$ sudo acpidump\n\n" + all}), draft_of({"\xef\xbb\xbf" + all})) << "what is above is no table";
  std::string wide = "\xff\xfe";
  for (const char c : carriage_returns) wide += std::string{c, '\0'};
  EXPECT_EQ(draft_of({wide}), draft_of({all}));
  refuses_input(dumped(table("FACP", "anything")), "the text has no table APMT, PPTT, DSDT or SSDT");
  refuses_input(dumped(nodes.substr(0, 100)), "header: the table APMT has 148 bytes, and the file 100");
  std::string missing = dumped(nodes);
  missing.erase(missing.find("    0020"), missing.find("    0030") - missing.find("    0020"));
  refuses_input(missing, "is no line of acpidump with the bytes from 0x20 on of the table APMT", "acpi", "4:1");
}

TEST_F(Import, tables_that_were_loaded_later_are_read_too) {
  std::filesystem::create_directories(folder / "tables" / "dynamic");
  write("tables/FACP", table("FACP", "anything"));
  write("tables/dynamic/APMT", apmt({{.type = 4, .secondary = 3}}));
  prints(0, {"import", "acpi", (folder / "tables").string()}, {"  - name: cache0\n"});
}

TEST_F(Import, a_folder_must_have_tables) {
  std::filesystem::create_directory(folder / "tables");
  const auto said = [&] { return pmufab({"import", "acpi", (folder / "tables").string()}).err; };
  EXPECT_THAT(said(), HasSubstr("tables: the folder has no table APMT, PPTT, DSDT or SSDT"));
  write("tables/FACP", table("FACP", "anything"));
  write("tables/notes", "x");
  write("tables/apmt.dsl", "a text");
  EXPECT_THAT(said(), HasSubstr("tables: the folder has no table APMT, PPTT, DSDT or SSDT"));
  write("tables/APMT", "APXT and so on, to the length of a header");
  EXPECT_THAT(said(), HasSubstr("tables/APMT: the signature 'APXT' is none of a table that pmufab reads"));
  write("tables/APMT", apmt({{}}));
  EXPECT_EQ(said(), "");
}

TEST_F(Import, what_is_not_there_is_told) {
  EXPECT_THAT(pmufab({"import", "acpi"}).err, HasSubstr("no table is given"));
  EXPECT_THAT(pmufab({"import", "device-tree"}).err, HasSubstr("no device tree is given"));
  EXPECT_THAT(pmufab({"import", "acpi", "nowhere"}).err, HasSubstr("nowhere: cannot be read: No such file"));
  EXPECT_THAT(pmufab({"import", "device-tree", "nowhere"}).err, HasSubstr("nowhere: cannot be read: No such file"));
  EXPECT_THAT(pmufab({"import", "acpi", write("PPTT", pptt(1))}).err, HasSubstr("tells of no PMU that pmufab knows"));
  std::filesystem::create_directory(folder / "programs");
  std::filesystem::create_symlink("/usr/bin/timeout", folder / "programs/timeout");
  const std::map<std::string, std::string> nothing = {{"PATH", (folder / "programs").string()}};
  const std::string dsdt = write("DSDT", table("DSDT", ""));
  EXPECT_THAT(
      finish(start({"import", "acpi", dsdt}, nothing)).err,
      HasSubstr("DSDT: there is no command iasl, which reads this table (install it (Debian's package acpica-tools)"));
  const std::string tree = write("tree.dts", "/dts-v1/; / {};");
  EXPECT_THAT(finish(start({"import", "device-tree", tree}, nothing)).err,
              HasSubstr("tree.dts: there is no command dtc, which reads device trees (install it (Debian's package "
                        "device-tree-compiler)"));
  constexpr auto kExecutable = std::filesystem::perms::owner_all;
  std::filesystem::permissions(write("programs/dtc", "#!/bin/sh\nexit 124\n"), kExecutable);  // as of a time-out
  EXPECT_THAT(finish(start({"import", "device-tree", tree}, nothing)).err,
              HasSubstr("tree.dts: dtc does not end within a minute (give a blob"));
}

constexpr const char* kTree = R"(/dts-v1/;
/ {
  model = "a board\nof ours";
  #address-cells = <2>;
  #size-cells = <2>;
  interrupt-parent = <&gic>;
  gic: interrupt-controller { compatible = "arm,gic-v3"; interrupt-controller; #interrupt-cells = <3>; };
  memory@80000000 { device_type = "memory"; reg = <0 0x80000000 0 0x40000000>; };
  cpus {
    #address-cells = <1>;
    #size-cells = <0>;
    cpu0: cpu@0 { device_type = "cpu"; reg = <0>; };
    cpu1: cpu@1 { device_type = "cpu"; reg = <1>; };
  };
  soc {
    compatible = "simple-bus";
    #address-cells = <1>;
    #size-cells = <1>;
    ranges = <0x1000 0 0x30000000 0x100000>;
    pmu@2000 { compatible = "arm,coresight-pmu"; reg = <0x2000 0x1000>, <0x3000 0x1000>; interrupts = <0 8 1>;
               cpus = <&cpu1>; reg-io-width = <8>; };
    pmu@4000 { compatible = "arm,coresight-pmu"; reg = <0x4000 0x1000>; interrupts = <1 9 4>;
               cpus = <&cpu0>, <&cpu1>; };
    pmu@900000 { compatible = "arm,coresight-pmu"; reg = <0x900000 0x1000>; };
    mesh@5000 { compatible = "arm,ci-700"; reg = <0x5000 0x1000>; interrupts = <0 100 4>, <0 101 4>; };
  };
};
)";

TEST_F(Import, a_device_tree_tells_addresses_interrupts_and_cpus) {
  const Outcome outcome = pmufab({"import", "device-tree", write("board.dts", kTree)});
  if (outcome.err.find("no command dtc") != std::string::npos) GTEST_SKIP() << "dtc is missing";
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("from the device tree of a board\\x0aof ours.\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nsockets: 1\ncpus_per_socket: 2\n"));
  EXPECT_THAT(outcome.out, HasSubstr(R"(
  # /soc/pmu@2000
  - name: pmu0
    base: 0x3000_1000
    page1: 0x3000_2000
    interrupt: {number: 40, trigger: edge}
    cpu: 1
    atomic_64bit: true
    hid: TODO0001          # TODO)"));
  EXPECT_THAT(outcome.out, HasSubstr(R"(
  # /soc/pmu@4000
  - name: pmu1
    base: 0x3000_3000
    interrupt: {number: 25, trigger: level}
    atomic_64bit: false
)"));
  EXPECT_THAT(outcome.out, HasSubstr("# - /soc/pmu@900000: a CoreSight PMU whose registers no address leads to\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("#   # /soc/mesh@5000: registers at 0x3000_4000 ... 0x3000_4fff, interrupts of DTCs "
                        "132, 133 (a platform has its own numbers)\n#   - product: CI-700\n"));
  EXPECT_THAT(outcome.out, HasSubstr("memory, 0x40000000 bytes from 0x80000000 on"));
  EXPECT_THAT(listed(outcome.out), HasSubstr("\narm_cspmu_acpi_TODO0001_1:\n"));
}

/// Tests of whole trees, which dtc reads.
class ImportTree : public Import {
 protected:
  void SetUp() override {
    Import::SetUp();
    if (std::system("dtc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "dtc is missing";
  }
  std::string draft_of_tree(const std::string& source) {
    const Outcome outcome = ended(0, pmufab({"import", "device-tree", write("tree.dts", source)}));
    return outcome.out;
  }
};

TEST_F(ImportTree, a_bus_without_addresses_leads_nowhere) {
  const std::string draft = draft_of_tree(R"(/dts-v1/;
/ {
  #address-cells = <0>;
  #size-cells = <0>;
  p {
    #address-cells = <0>;
    #size-cells = <0>;
    ranges = <0 0>;
    b {
      #address-cells = <1>;
      #size-cells = <1>;
      ranges = <0x0 0x10000>;
      pmu@1000 { compatible = "arm,coresight-pmu"; reg = <0x1000 0x1000>; };
    };
  };
};
)");
  EXPECT_THAT(draft, HasSubstr("# - /p/b/pmu@1000: a CoreSight PMU whose registers no address leads to\n"));
}

TEST_F(ImportTree, a_page_that_no_bus_leads_to_is_not_taken_for_another) {
  const std::string draft = draft_of_tree(R"(/dts-v1/;
/ { #address-cells = <2>; #size-cells = <2>;
  soc { #address-cells = <1>; #size-cells = <1>; ranges = <0x1000 0 0x20000000 0x1000>;
    pmu@900000 { compatible = "arm,coresight-pmu"; reg = <0x900000 0x1000>, <0x1000 0x1000>; };
    pmu@1000 { compatible = "arm,coresight-pmu"; reg = <0x1000 0x1000>, <0x900000 0x1000>; };
  };
};
)");
  EXPECT_THAT(draft, HasSubstr("# - /soc/pmu@900000: a CoreSight PMU whose registers no address leads to\n"));
  EXPECT_THAT(draft, HasSubstr("  # /soc/pmu@1000\n  # TODO: no address leads to its second page\n"
                               "  - name: pmu0\n    base: 0x2000_0000\n    atomic_64bit"));
}

TEST_F(ImportTree, a_tree_of_memory_and_cpus_alone_is_refused) {
  refuses({"import", "device-tree", write("tree.dts", R"(/dts-v1/;
/ {
  #address-cells = <2>; #size-cells = <2>;
  memory@80000000 { device_type = "memory"; reg = <0 0x80000000 0 0x1000>; };
  cpus { #address-cells = <1>; #size-cells = <0>; cpu@0 { device_type = "cpu"; reg = <0>; status = "fail"; }; };
};
)")},
          {"tree.dts' tells of no PMU that pmufab knows"});
}

TEST_F(ImportTree, what_is_disabled_is_a_comment) {
  const std::string draft = draft_of_tree(R"(/dts-v1/;
/ {
  #address-cells = <2>; #size-cells = <2>;
  cpus { #address-cells = <1>; #size-cells = <0>;
    cpu@0 { device_type = "cpu"; reg = <0>; status = "okay"; };
    cpu@1 { device_type = "cpu"; reg = <1>; status = "disabled"; };
    cpu@2 { device_type = "cpu"; reg = <2>; status = "disabled"; enable-method = "psci"; };
    cpu@3 { device_type = "cpu"; reg = <3>; status = "fail"; enable-method = "psci"; };
  };
  pmu@20000000 { compatible = "arm,coresight-pmu"; reg = <0 0x20000000 0 0x1000>; status = "disabled"; };
  pmu@28000000 { compatible = "arm,coresight-pmu"; reg = <0 0x28000000 0 0x1000>; status = "ok"; };
  soc { status = "reserved"; ranges; #address-cells = <2>; #size-cells = <2>;
    mesh@40000000 { compatible = "arm,cmn-700"; reg = <0 0x40000000 0 0x4000000>; };
  };
};
)");
  EXPECT_THAT(draft, HasSubstr("\ncpus_per_socket: 2\n"));
  EXPECT_THAT(draft, HasSubstr("\n# - /pmu@20000000: a CoreSight PMU whose status is 'disabled'\n"
                               "# - /soc/mesh@40000000: a mesh CMN-700 whose status is 'reserved'\n"
                               "# - /cpus/cpu@1: a CPU whose status is 'disabled'\n"
                               "# - /cpus/cpu@3: a CPU whose status is 'fail'\n"));
  EXPECT_THAT(draft, HasSubstr("\n  # /pmu@28000000\n  - name: pmu0\n"));
  EXPECT_THAT(draft, Not(HasSubstr("product")));
}

TEST_F(ImportTree, the_socket_of_a_numa_node_is_its_position) {
  const std::string draft = draft_of_tree(R"(/dts-v1/;
/ {
  #address-cells = <2>; #size-cells = <2>;
  cpus { #address-cells = <1>; #size-cells = <0>;
    cpu@0 { device_type = "cpu"; reg = <0>; numa-node-id = <0>; };
    c1: cpu@1 { device_type = "cpu"; reg = <1>; numa-node-id = <2>; };
  };
  pmu@20000000 { compatible = "arm,coresight-pmu"; reg = <0 0x20000000 0 0x1000>; cpus = <&c1>; };
  mesh@40000000 { compatible = "arm,cmn-700"; reg = <0 0x40000000 0 0x4000000>; numa-node-id = <2>; };
  mesh@50000000 { compatible = "arm,ci-700"; reg = <0 0x50000000 0 0x4000000>; numa-node-id = <1>; };
};
)");
  EXPECT_THAT(draft, HasSubstr("  - name: pmu0\n    sockets: [1]\n"));
  EXPECT_THAT(draft, HasSubstr("\n#     base: 0x4000_0000\n#     socket: 1\n#     tiles"));
  EXPECT_THAT(draft, HasSubstr("\n#     base: 0x5000_0000\n#     tiles"));
}

TEST_F(Import, a_folder_is_a_device_tree) {
  const std::filesystem::path root = folder / "device-tree";
  std::filesystem::create_directories(root / "pmu@20000000");
  write("device-tree/#address-cells", std::string("\0\0\0\1", 4));
  write("device-tree/#size-cells", std::string("\0\0\0\1", 4));
  write("device-tree/pmu@20000000/compatible", std::string("arm,coresight-pmu\0", 18));
  write("device-tree/pmu@20000000/reg", std::string("\x20\0\0\0\0\0\x10\0", 8));
  const Outcome outcome = pmufab({"import", "device-tree", root.string()});
  if (outcome.err.find("no command dtc") != std::string::npos) GTEST_SKIP() << "dtc is missing";
  EXPECT_THAT(outcome.out, HasSubstr("  # /pmu@20000000\n  - name: pmu0\n    base: 0x2000_0000\n")) << outcome.err;
}

TEST_F(Import, trees_that_are_damaged_are_refused) {
  if (std::system("dtc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "dtc is missing";
  refuses_input("/dts-v1/; / { x", "dtc does not understand the tree: ", "device-tree");
  refuses_input("", "dtc does not understand the tree: ", "device-tree");
  refuses({"import", "device-tree", write("macros", "/dts-v1/;\n#include <gic.h>\n/ { };\n")},
          {"it needs the C preprocessor first: cpp "});
}

TEST_F(ImportTree, labels_and_included_files_are_read) {
  write("gic.dtsi", R"(/ { gic: controller { compatible = "arm,gic-v3"; #interrupt-cells = <3>; }; };)");
  const std::string draft = draft_of_tree(R"(/dts-v1/;
    /include/ "gic.dtsi"
    / { #address-cells = <1>; #size-cells = <1>; interrupt-parent = <&gic>;
        pmu: pmu@1000 { compatible = "arm,coresight-pmu"; reg = <0x1000 0x1000>; }; };
    &pmu { interrupts = <0 8 4>; };
  )");
  EXPECT_THAT(draft, HasSubstr("    base: 0x1000\n    interrupt: {number: 40, trigger: level}\n"));
}

TEST_F(ImportTree, blobs_that_are_damaged_are_refused) {
  const std::string source = write("tree.dts", "/dts-v1/; / { pmu@0 { compatible = \"arm,coresight-pmu\"; }; };");
  const std::string file = (folder / "tree.dtb").string();
  ASSERT_EQ(std::system(("dtc -q -O dtb -o " + file + " " + source).c_str()), 0);
  std::ifstream stream(file, std::ios::binary);
  const std::string blob(std::istreambuf_iterator<char>(stream), {});
  for (std::size_t size = 4; size < blob.size(); ++size)
    refuses_input(blob.substr(0, size), "the blob is damaged: FDT_ERR_", "device-tree");
  const auto changed = [&](std::size_t at, char value) {
    std::string other = blob;
    other.at(at) = value;
    return other;
  };
  refuses_input(changed(23, 1), "the blob is damaged: FDT_ERR_BADVERSION", "device-tree");
  refuses_input(changed(blob.find(std::string("\0\0\0\x03", 4)) + 3, 7), "the blob is damaged: FDT_ERR_BADSTRUCTURE",
                "device-tree");
}

TEST_F(ImportTree, interrupts_of_other_controllers_and_through_a_nexus_are_read_or_told) {
  const std::string draft = draft_of_tree(R"(/dts-v1/; / {
    #address-cells = <1>; #size-cells = <1>; interrupt-parent = <&board>;
    gic: interrupt-controller@1 { compatible = "arm,gic-v3"; reg = <1 1>; #interrupt-cells = <3>; #address-cells = <2>;
                                  interrupt-controller; };
    other: combiner { #interrupt-cells = <1>; interrupt-controller; };
    board: board { #interrupt-cells = <1>; #address-cells = <1>; interrupt-map-mask = <0xff0000 0xf>;
                   interrupt-map = <0x10000 2 &other 7>, <0x20000 2 &gic 0 0 0 37 4>, <0x30000 2 &board 0x40000 3>,
                                   <0x40000 3 &gic 9 9 3 1 1>, <0x50000 1 &board 0x50000 1>; };
    pmu@1000 { compatible = "arm,coresight-pmu"; reg = <0x1000 0x1000>;
               interrupts-extended = <&gic 0 60 4>, <&gic 2 5 1>; interrupts = <9>; };
    pmu@10000 { compatible = "arm,coresight-pmu"; reg = <0x10000 0x1000>; interrupts = <2>; };
    pmu@20000 { compatible = "arm,coresight-pmu"; reg = <0x21000 0x1000>; interrupts = <0x12>; };
    pmu@30000 { compatible = "arm,coresight-pmu"; reg = <0x30000 0x1000>; interrupts = <2>; };
    pmu@50000 { compatible = "arm,coresight-pmu"; reg = <0x50000 0x1000>; interrupts = <1>; };
    pmu@60000 { compatible = "arm,coresight-pmu"; reg = <0x60000 0x1000>; interrupts = <1>; };
    pmu@70000 { compatible = "arm,coresight-pmu"; reg = <0x70000 0x1000>; interrupts-extended = <&gic 0 1>; };
    pmu@80000 { compatible = "arm,coresight-pmu"; reg = <0x80000 0x1000>, <0x81000 0x1000>, <0x82000 0x1000>;
                interrupts-extended = <&gic 7 1 4>; };
    mesh@5000000 { compatible = "arm,cmn-700"; reg = <0x5000000 0x1000>, <0x6000000 0x1000>; numa-node-id = <5>;
                   interrupts-extended = <&gic 0 100 4>, <&other 1>, <&gic 0 101 4>; };
  };)");
  EXPECT_THAT(draft, HasSubstr("  # /pmu@1000\n  # TODO: it has interrupt 4101, too\n  - name: pmu0\n    base: 0x1000\n"
                               "    interrupt: {number: 92, trigger: level}\n"));
  EXPECT_THAT(draft, HasSubstr("  # /pmu@10000\n  # TODO: its interrupt <7> of /combiner is none of a GIC"));
  EXPECT_THAT(draft, HasSubstr("base: 0x2_1000\n    interrupt: {number: 69, trigger: level}\n"));
  EXPECT_THAT(draft, HasSubstr("base: 0x3_0000\n    interrupt: {number: 1057, trigger: edge}\n"));
  EXPECT_THAT(draft, HasSubstr("  # /pmu@50000\n  # TODO: its interrupt <1> of /board goes round in a circle"));
  EXPECT_THAT(draft, HasSubstr("  # /pmu@60000\n  # TODO: its interrupt <1> of /board leads nowhere"));
  EXPECT_THAT(draft, HasSubstr("  # /pmu@70000\n  # TODO: its last interrupt is cut off\n"));
  EXPECT_THAT(draft, HasSubstr("  # /pmu@80000\n  # TODO: it has 3 pages, here the first two\n"
                               "  # TODO: its interrupt <7 1 4> of /interrupt-controller@1 is of a kind"));
  EXPECT_THAT(draft, HasSubstr("interrupts of DTCs 132, 133 (a platform has its own numbers)\n"
                               "#   # TODO: it has registers of 0x1000 bytes at 0x6000000, too\n"
                               "#   # TODO: its interrupt <1> of /combiner is none of a GIC"));
  EXPECT_THAT(draft, HasSubstr("#   # TODO: it is of NUMA node 5, which has no CPUs\n#   - product: CMN-700\n"));
}

constexpr const char* kNamespace = R"(DefinitionBlock ("", "SSDT", 2, "NOBODY", "TABLE", 1)
{
  Scope (\_SB)
  {
    Device (ABCD)
    {
      Name (_HID, "ACME0002")
      Name (_CRS, ResourceTemplate () { Memory32Fixed (ReadWrite, 0x10000000, 0x1000) })
      Device (CMN0)
      {
        Name (_HID, "ARMHC600")
        Name (_UID, One)
        Name (_PXM, Zero)
        Name (RBUF, ResourceTemplate ()
        {
          QWordMemory (ResourceConsumer, PosDecode, MinFixed, MaxFixed, NonCacheable, ReadWrite,
            0, 0x140000000, 0x143FFFFFF, 0, 0x4000000)
          QWordMemory (ResourceConsumer, PosDecode, MinFixed, MaxFixed, NonCacheable, ReadWrite,
            0, 0x140800000, 0x14080FFFF, 0, 0x10000)
          Interrupt (ResourceConsumer, Level, ActiveHigh, Exclusive) { 300 }
          Interrupt (ResourceConsumer, Level, ActiveHigh, Exclusive) { 301 }
        })
        Method (_CRS, 0, Serialized) { Return (RBUF) }
      }
    }
    Device (CI70)
    {
      Name (_HID, "PRP0001")
      Name (_CRS, ResourceTemplate () { Memory32Fixed (ReadWrite, 0x50000000, 0x4000000) })
      Name (_DSD, Package () { ToUUID ("daffd814-6eba-4d8c-8a91-bc9bbf4aa301"),
        Package () { Package () { "compatible", "arm,ci-700" } } })
    }
    Device (CXL0)
    {
      Name (_HID, "ACPI0016")
      Name (_UID, 7)
      Name (_SEG, 3)
      Name (_BBN, 0x20)
    }
  }
}
)";

/// Tests of an SSDT, which iasl makes and reads.
class ImportNamespace : public Import {
 protected:
  void SetUp() override {
    Import::SetUp();
    if (std::system("iasl -v >/dev/null 2>&1") != 0) GTEST_SKIP() << "iasl is missing";
  }
  /// @param devices  in ASL, below the bus of the system
  std::string draft_of_namespace(const std::string& devices, const std::vector<std::string>& tables = {}) {
    const std::string source = write("ssdt.asl",
                                     "DefinitionBlock (\"\", \"SSDT\", 2, \"NOBODY\", \"TABLE\", 1)\n"
                                     "{ Scope (\\_SB) {" +
                                         devices + "} }\n");
    const std::string table = (folder / "SSDT").string();
    EXPECT_EQ(std::system(("iasl -p " + table + " " + source + " >/dev/null 2>&1").c_str()), 0);
    std::vector<std::string> arguments = {"import", "acpi", table + ".aml"};
    for (std::size_t index = 0; index < tables.size(); ++index)
      arguments.push_back(write("table" + std::to_string(index), tables[index]));
    const Outcome outcome = ended(0, pmufab(arguments));
    return outcome.out;
  }
};

TEST_F(Import, devices_of_the_namespace_are_comments) {
  const std::string source = write("ssdt.asl", kNamespace);
  const std::string table = (folder / "SSDT4").string();
  if (std::system(("iasl -p " + table + " " + source + " >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "iasl is missing";
  const Outcome outcome = ended(0, pmufab({"import", "acpi", table + ".aml"}));
  EXPECT_EQ(outcome.err, "pmufab: the draft does not load before it is edited: the key 'meshes' is missing\n");
  EXPECT_THAT(outcome.out, HasSubstr(R"(
#   # ARMHC600 CMN0 of SSDT4.aml: registers at 0x1_4000_0000 ... 0x1_43ff_ffff, interrupts of DTCs 300, 301 (a platform has its own numbers)
#   - product: CMN-600
#     firmware: acpi
#     base: 0x1_4000_0000
#     root: 0x80_0000
#     socket: 0                                  # TODO: the socket of proximity domain 0
)"));
  EXPECT_THAT(outcome.out, HasSubstr("#   - product: CI-700\n#     firmware: device_tree\n#     base: 0x5000_0000\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("# - ACPI0016 7, device CXL0 of SSDT4.aml, segment 3, bus 0x20: CXL host bridge."));
  EXPECT_THAT(outcome.out, HasSubstr("# - ACME0002 without _UID, device ABCD of SSDT4.aml, registers at 0x10000000 ... "
                                     "0x10000fff: a device that pmufab does not know\n"));
}

TEST_F(ImportNamespace, further_resources_and_unknown_devices_are_told) {
  const std::string draft = draft_of_namespace(R"(
  Device (CMN0) { Name (_HID, "ARMHC700") Name (_CRS, ResourceTemplate () {
      Memory32Fixed (ReadWrite, 0x40000000, 0x10000000)
      Memory32Fixed (ReadWrite, 0x40000000, 0x4000)
      Memory32 (ReadWrite, 0x50000000, 0x50004000, 0x1000, 0x4000)
      IRQ (Level, ActiveLow, Exclusive, ) {7} }) }
  Device (CMN1) { Name (_HID, "ACME0600") Name (_CID, Package () { "ACME0001", "ARMHC600" })
    Name (_CRS, ResourceTemplate () {
      Memory32Fixed (ReadWrite, 0x60D00000, 0x4000)
      Memory32Fixed (ReadWrite, 0x60000000, 0x4000000)
      Memory32Fixed (ReadWrite, 0x70000000, 0x1000) }) }
  Device (CI70) { Name (_HID, "ARMHC701") Name (_CID, "ACME0003") Name (_UID, 4)
    Name (_CRS, ResourceTemplate () { Memory32Fixed (ReadWrite, 0x60000000, 0x4000000) }) }
  Device (COM0) { Name (_HID, "ARMH0011") Name (_CRS, ResourceTemplate () {
      Memory32Fixed (ReadWrite, 0x1000, 0x1000) }) }
  Device (COM1) { Name (_HID, "ARMH0011") Name (_CRS, ResourceTemplate () {
      Memory32Fixed (ReadWrite, 0x2000, 0x1000) }) }
  Device (BTN0) { Name (_HID, "PNP0C0C") })");
  EXPECT_THAT(draft, HasSubstr("interrupts of DTCs 7 (a platform has its own numbers)\n"
                               "#   # TODO: it has a memory resource at 0x40000000 ... 0x40003fff, too\n"
                               "#   # TODO: it has a memory resource at 0x50000000 ... 0x50003fff, too\n"
                               "#   - product: CMN-700\n"));
  EXPECT_THAT(draft, HasSubstr("ACME0600 CMN1 of SSDT.aml: registers at 0x6000_0000 ... 0x63ff_ffff\n"
                               "#   # TODO: it has a memory resource at 0x70000000 ... 0x70000fff, too\n"
                               "#   - product: CMN-600\n"));
  EXPECT_THAT(draft, HasSubstr("#     root: 0xd0_0000\n"));
  EXPECT_THAT(draft,
              HasSubstr("# - ARMHC701 4, device CI70 of SSDT.aml, registers at 0x60000000 ... 0x63ffffff: a device "
                        "that pmufab does not know\n"));
  EXPECT_THAT(draft, HasSubstr("device COM0 of SSDT.aml, registers at 0x1000 ... 0x1fff: the first of 2 devices that "
                               "pmufab does not know\n"));
  EXPECT_THAT(draft, Not(HasSubstr("PNP0C0C")));
}

TEST_F(ImportNamespace, what_is_not_present_is_a_comment) {
  const std::string draft = draft_of_namespace(R"(
  Device (CMN0) { Name (_HID, "ARMHC700") Name (_STA, Zero)
    Name (_CRS, ResourceTemplate () { Memory32Fixed (ReadWrite, 0x60000000, 0x4000000) }) }
  Device (CMN1) { Name (_HID, "ARMHC700") Name (_STA, 0x0F) }
  Device (BOX0) {
    Name (_ADR, Zero)
    Device (CXL0) { Name (_HID, "ACPI0016") }
    Name (_STA, Zero)
  }
  Device (BOX1) {
    Name (_ADR, One)
    Name (_STA, 8)
    Device (CXL1) { Name (_HID, "ACPI0016") }
  })");
  EXPECT_THAT(draft, HasSubstr("\n# - ARMHC700 without _UID, device CMN0 of SSDT.aml, registers at 0x60000000 ... "
                               "0x63ffffff: not present, as _STA says\n"));
  EXPECT_THAT(draft, HasSubstr("#   # ARMHC700 CMN1 of SSDT.aml: its registers are not told\n"));
  EXPECT_THAT(draft, Not(HasSubstr("base: 0x6000_0000")));
  EXPECT_THAT(draft, HasSubstr("device CXL0 of SSDT.aml: not present, as _STA says\n"));
  EXPECT_THAT(draft, HasSubstr("device CXL1 of SSDT.aml: CXL host bridge."));
}

TEST_F(ImportNamespace, the_windows_of_a_cmn600_may_be_in_any_order) {
  const std::string draft = draft_of_namespace(R"(
  Device (CMN0) { Name (_HID, "ARMHC600") Name (_CRS, ResourceTemplate () {
      Memory32Fixed (ReadWrite, 0x40800000, 0x10000)
      Memory32Fixed (ReadWrite, 0x40000000, 0x4000000) }) })");
  EXPECT_THAT(draft, HasSubstr("registers at 0x4000_0000 ... 0x43ff_ffff"));
  EXPECT_THAT(draft, HasSubstr("\n#     base: 0x4000_0000\n#     root: 0x80_0000\n"));
}

TEST_F(ImportNamespace, the_first_compatible_string_of_several_counts) {
  const std::string draft = draft_of_namespace(R"(
  Device (CMN0) { Name (_HID, "PRP0001")
    Name (_CRS, ResourceTemplate () { Memory32Fixed (ReadWrite, 0x50000000, 0x4000000) })
    Name (_DSD, Package () { ToUUID ("daffd814-6eba-4d8c-8a91-bc9bbf4aa301"), Package () {
        Package () { "label", "compatible-with-none" },
        Package () { "compatible", Package () { "arm,cmn-700", "arm,ci-700" } } } }) })");
  EXPECT_THAT(draft, HasSubstr("#   - product: CMN-700\n#     firmware: device_tree\n#     base: 0x5000_0000\n"));
}

}  // namespace
}  // namespace pmufab::testing
