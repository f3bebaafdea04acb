// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Every message says what is wrong, where, and what to do. The exit code is 2.
class BadInput : public Cli {
 protected:
  static constexpr const char* kTop = R"(name: small
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
duration: 1 us
)";

  void refuses_scenario(const std::string& rest, const Texts& message) {
    refuses({"run", write("s.yaml", kTop + rest)}, message);
  }
};

TEST_F(BadInput, an_unknown_yaml_key) {
  refuses_scenario("mesure: []\n", {"s.yaml:4:1: mesure: unknown key 'mesure' (did you mean 'measure'?)"});
}

TEST_F(BadInput, a_wrong_type) {
  refuses_scenario("measure: 5\n", {"s.yaml:4:10: measure: must be a list, not a single value"});
}

TEST_F(BadInput, a_missing_key) { refuses_scenario("", {"s.yaml:1:1: the key 'measure' is missing"}); }

TEST_F(BadInput, an_impossible_topology) {
  refuses({"list", write("p.yaml", "kind: tegra410\ntegra410:\n  slc:\n    ways: 0\n")},
          {"p.yaml:4:11: tegra410.slc.ways: is 0, must be 1 ... 64"});
  refuses({"list", write("q.yaml", "kind: tegra411\n")},
          {"q.yaml:1:7: kind: 'tegra411' is not known here (did you mean 'tegra410'?)"});
}

TEST_F(BadInput, pcie_devices_below_root_ports_there_are_not) {
  const auto refuses_requester = [this](const std::string& requester, const std::string& message) {
    refuses_scenario("traffic:\n  - generators:\n      - name: device\n        requester: {kind: pcie, " + requester +
                         "}\n        targets: [{memory: cmem, size: 1 MiB}]\nmeasure: [{events: [x/y/]}]\n",
                     {message});
  };
  refuses_requester(
      "root_complex: 6",
      "s.yaml:7:47: traffic[0].generators[0].requester.root_complex: there is no root complex 6 in socket 0 "
      "(the socket has root complexes 0, 1, 2, 3, 4 and 5)");
  refuses_requester("root_complex: 1, root_port: 0",
                    "s.yaml:7:61: traffic[0].generators[0].requester.root_port: root complex 1 of socket 0 has no root "
                    "port 0 (it has root ports 1, 2, 3 and 4)");
  refuses_requester(
      "root_complex: 1, root_port: 2, bdf: \"81:00.0\"",
      "s.yaml:7:69: traffic[0].generators[0].requester.bdf: bus 81 is not below root port 2 of root complex 1 "
      "of socket 0 (that root port has buses a0 to bf)");
  refuses({"list", write("p.yaml", "kind: tegra410\ntegra410:\n  pcie_pmu:\n    counters: 1\n")},
          {"p.yaml:4:15: tegra410.pcie_pmu.counters: is 1, must be 2 ... 64"});
  refuses({"list", write("q.yaml", "kind: tegra410\ntegra410:\n  pcie_pmu:\n    widht: 32\n")},
          {"q.yaml:4:5: tegra410.pcie_pmu.widht: unknown key 'widht' (did you mean 'width'?)"});
}

TEST_F(BadInput, chip_to_chip_interfaces_that_lead_nowhere_or_to_two_places) {
  const auto refuses_part = [this](const std::string& rest, const std::string& message) {
    refuses({"list", write("p.yaml", "kind: tegra410\ntegra410:\n" + rest)}, {message});
  };
  refuses_part("  nvlink_c2c:\n    peer: gpus\n",
               "p.yaml:4:11: tegra410.nvlink_c2c.peer: 'gpus' is not known here (did you mean 'gpu'?)");
  refuses_part("  nvlink_c2c:\n    gpus: 3\n", "p.yaml:4:11: tegra410.nvlink_c2c.gpus: 3 is outside 1 ... 2");
  refuses_part(
      "  nvlink_c2c: {peer: none, gpus: 1}\n",
      "p.yaml:3:34: tegra410.nvlink_c2c.gpus: the peer is not a GPU (leave the key out, or choose 'peer: gpu')");
  refuses_part("  nvlink_c2c:\n    gpus: 1\n    gpu1_en_mask: 0x7f\n",
               "p.yaml:5:19: tegra410.nvlink_c2c.gpu1_en_mask: is for a peer that is not there: there is one GPU "
               "(choose 'gpus: 2', with a 'gpu0_en_mask' of 0 for GPU 1 alone)");
  refuses_part("  nvlink_c2c: {gpu0_en_mask: 0xff}\n",
               "p.yaml:3:30: tegra410.nvlink_c2c.gpu0_en_mask: instance 7 leads to GPU 0 (0xff) and to GPU 1 (0x3f80) "
               "(give both masks, without a bit in common)");
  refuses_part(
      "  nvlink_c2c: {gpu0_en_mask: 0x4001}\n",
      "p.yaml:3:30: tegra410.nvlink_c2c.gpu0_en_mask: 0x4001 has a bit for instance 14, there are 14 (0 ... 13)");
  refuses_part("  nvclink: {cpu_en_mask: 0x1000}\n",
               "p.yaml:3:26: tegra410.nvclink.cpu_en_mask: 0x1000 has a bit for instance 12, there are 12 (0 ... 11)");
  refuses_part("  nvdlink: {width: 65}\n", "p.yaml:3:20: tegra410.nvdlink.width: is 65, must be 8 ... 64; bits");
  refuses_part(
      "  nvlink_c2c: {gpu2_en_mask: 1}\n",
      "p.yaml:3:16: tegra410.nvlink_c2c.gpu2_en_mask: unknown key 'gpu2_en_mask' (did you mean 'gpu0_en_mask'");
}

TEST_F(BadInput, cxl_devices_that_contradict_themselves) {
  const auto refuses_device = [this](const std::string& rest, const std::string& message) {
    refuses(
        {"list", write("p.yaml", "kind: cxl\ncxl:\n  - decoders: [{base: 0x100_0000_0000, size: 256 MiB}]\n" + rest)},
        {message});
  };
  const std::string cpmus = "    cpmus: [{groups: [{group: m2s_req}]}]\n";
  // Counters are writable while frozen unless the file says otherwise.
  refuses_device("    cpmus: [{groups: [{group: m2s_req}], freeze: false}]\n",
                 "cxl[0].cpmus[0].writable_while_frozen: counters that cannot be frozen");
  refuses_device(cpmus + "    link: {latency: 2 ms}\n", "p.yaml:5:21: cxl[0].link.latency: is more than 1 ms");
  refuses_device(cpmus + "    memory: {ddr: {power_down_after: 2 s}}\n",
                 "cxl[0].memory.ddr.power_down_after: is more than 1 s");
  refuses_device(cpmus + "    memory: {ddr: {clock_period: 1 ps}}\n",
                 "p.yaml:5:34: cxl[0].memory.ddr.clock_period: is 1 ps, but no such clock is faster than 100 ps "
                 "(use for example 1 ns)");
  refuses_device(cpmus + "    link: {period: 1 ps}\n",
                 "p.yaml:5:20: cxl[0].link.period: is 1 ps, but no such clock is faster than 10 ps "
                 "(use for example 500 ps)");
  refuses_device(
      cpmus + "    memory: {ddr: {thermal_throttle: {accesses: 5, pause: 0}}}\n",
      "p.yaml:5:59: cxl[0].memory.ddr.thermal_throttle.pause: is 0, which throttles nothing (use for example "
      "200 ns, or leave out accesses)");
  refuses_device(
      cpmus + "    memory: {ddr: {power_throttle: {accesses: 5, window: 0}}}\n",
      "cxl[0].memory.ddr.power_throttle.window: is 0, which throttles nothing (use for example 1 us, or leave "
      "out accesses)");
  refuses_device("    cpmus: []\n", "p.yaml:4:12: cxl[0].cpmus: must not be empty");
  refuses({"list", write("p.yaml", "kind: cxl\ncxl:\n  - decoders: []\n" + cpmus)},
          {"p.yaml:3:15: cxl[0].decoders: must not be empty"});
  refuses({"list", write("p.yaml", "kind: cxl\ncxl:\n  - decoders: [{base: 0, size: 256 MiB}]\n" + cpmus)},
          {"p.yaml:3:23: cxl[0].decoders[0].base: 0x0 is among the platform's registers"});
}

TEST_F(BadInput, no_yaml_at_all) { refuses({"run", write("s.yaml", "name: [\n")}, {"s.yaml:", "this is not YAML"}); }

TEST_F(BadInput, an_unknown_event) {
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/slc_acess_rd/"},
          {"unknown event or term 'slc_acess_rd' for PMU 'nvidia_ucf_pmu_0'", "did you mean 'slc_access_rd'", "\\___"});
}

TEST_F(BadInput, an_unknown_pmu) {
  refuses({"stat", "-e", "nvidia_ucf_pmu_9/cycles/"},
          {"there is no PMU 'nvidia_ucf_pmu_9'", "did you mean 'nvidia_ucf_pmu_0'"});
}

TEST_F(BadInput, an_unknown_term) {
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/slc_access_rd,src_local_cpu=1/"},
          {"unknown term 'src_local_cpu'", "did you mean 'src_loc_cpu'"});
}

TEST_F(BadInput, a_value_too_large_for_its_term) {
  refuses({"stat", "-e", "nvidia_cmem_latency_pmu_0/event=9/"},
          {"value too big for format (event=config:0-1), maximum is 0x3"});
}

TEST_F(BadInput, an_unknown_event_in_a_scenario) {
  refuses_scenario("measure: [{events: [nvidia_ucf_pmu_0/slc_hit/]}]\n",
                   {"unknown event or term 'slc_hit'", "slc_hit_rd"});
}

TEST_F(BadInput, traffic_of_a_fabric_the_platform_does_not_have) {
  const std::string measure = "measure: [{events: [nvidia_ucf_pmu_0/cycles/]}]\n";
  refuses_scenario("mesh_traffic: [{name: a}]\n" + measure, {"mesh_traffic[0].mesh: there is no mesh 0"});
  refuses_scenario("chi_traffic: [{name: a, ranges: [{size: 4 KiB}]}]\n" + measure,
                   {"chi_traffic[0].mesh: there is no mesh 0"});
  refuses_scenario("cxl_traffic: [{name: a, ranges: [{base: 0, size: 4 KiB}]}]\n" + measure,
                   {"cxl_traffic[0].device: there is no CXL device 0"});
}

TEST_F(BadInput, a_cxl_switch_that_cannot_be) {
  const auto refuses_switch = [&](const std::string& second, const std::string& of_switch, const std::string& message) {
    const std::string cpmus = "          cpmus: [{groups: [{group: m2s_req}]}]\n";
    refuses({"list", write("p.yaml", "kind: cxl\ncxl:\n  - switch:\n" + of_switch +
                                         "      devices:\n"
                                         "        - decoders: [{base: 0x100_0000_0000, size: 1 GiB, ways: 2}]\n" +
                                         cpmus + "        - decoders: [{" + second + "}]\n" + cpmus)},
            {message});
  };
  const std::string field = "cxl[0].switch.devices[1].decoders";
  refuses_switch(
      "base: 0x100_0000_1000, size: 1 GiB, ways: 2", "",
      "p.yaml:7:29: " + field + "[0].base: 0x10000001000 is not a multiple of 256 MiB (use for example 0x10000000000)");
  refuses_switch("base: 0x100_0000_0000, size: 1 GiB, ways: 6", "",
                 "p.yaml:7:65: " + field + "[0].ways: 6 ways are not possible (use 1, 2, 4 or 8)");
  refuses_switch("base: 0x100_0000_0000, size: 1 GiB, ways: 2, granularity: 512 B", "",
                 "p.yaml:7:21: " + field + ": overlap those of cxl[0].switch.devices[0] (devices that share");
  refuses_switch(
      "base: 0x100_4000_0000, size: 1 GiB", "",
      "p.yaml:5:65: cxl[0].switch.devices[0].decoders[0].ways: are 2, but the devices with that decoder are 1 (give");
  refuses_switch("base: 0x100_0000_0000, size: 1 GiB, way: 2", "", "unknown key 'way' (did you mean 'ways'?)");
  refuses_switch("base: 0x100_0000_0000, size: 1 GiB, ways: 2", "      forward_latncy: 1 ns\n",
                 "did you mean 'forward_latency'?");
}

TEST_F(BadInput, cxl_traffic_that_does_nothing_or_goes_beyond_all_addresses) {
  const auto refuses_traffic = [&](const std::string& traffic, const std::string& message) {
    refuses({"stat", "--platform", shipped("platforms/cxl-typical.yaml"), "--drivers", "newest", "-e",
             "cxl_pmu_mem0.0/clock_ticks/", "--set", "cxl_traffic=[{name: a, " + traffic + "}]"},
            {message});
  };
  refuses_traffic("mix: {}, ranges: [{base: 0, size: 64}]", "mix: must not be empty (for example {read: 3, write: 1})");
  refuses_traffic("ranges: [{base: 0xffff_ffff_ffff_ffc0, size: 128}]",
                  "ranges[0]: 0x80 bytes from 0xffffffffffffffc0 reach beyond 64 bits of address");
  refuses_traffic("ranges: [{base: 0x100_0000_0001, size: 64}]",
                  "ranges[0]: 0x40 bytes from 0x10000000001 are not whole lines");
}

TEST_F(BadInput, pmus_of_cxl_ports_that_are_not_there) {
  const auto refuses_event = [&](const std::string& event, const std::string& message) {
    refuses({"stat", "--platform", shipped("platforms/cxl-switch.yaml"), "--drivers", "newest", "--duration", "1 us",
             "-e", event},
            {message});
  };
  refuses_event("cpmu_dsp0.2.0/m2s_req_memrd/", "there is no PMU 'cpmu_dsp0.2.0'");
  refuses_event("cpmu_rp1.0/s2m_ndr_cmp/", "unknown event or term 's2m_ndr_cmp' for PMU 'cpmu_rp1.0'");
  refuses_event("cpmu_rp1.0/m2s_req_memrd,hdm=1/", "unknown term 'hdm' for PMU 'cpmu_rp1.0'");
}

TEST_F(BadInput, an_event_string_that_ends_early) {
  refuses({"stat", "-e", "{nvidia_ucf_pmu_0/cycles/"}, {"this brace is not closed"});
}

TEST_F(BadInput, a_trace_that_is_garbage) {
  const std::string trace = write("garbage.trace", "this is no trace at all, it only looks like a file");
  refuses({"run", shipped("demo.yaml"), "--set", "trace=" + trace}, {"garbage.trace", "trace import"});
  refuses({"trace", "info", trace}, {"garbage.trace"});
}

TEST_F(BadInput, a_trace_that_is_not_named) {
  refuses({"run", shipped("demo.yaml")}, {"demo.yaml:18:", "no trace is named", "--set trace=", "pmufab trace import"});
}

TEST_F(BadInput, a_trace_that_was_cut) {
  const std::string lackey = write("a.lackey", "==1== Lackey\n L 1fff000708,8\n S 1fff000710,4\n==1== Exit code: 0\n");
  const std::string trace = (folder / "a.trace").string();
  ASSERT_EQ(pmufab({"trace", "import", lackey, trace}).exit_code, 0);
  std::filesystem::resize_file(trace, std::filesystem::file_size(trace) - 5);
  refuses({"trace", "info", trace}, {"a.trace"});
}

TEST_F(BadInput, a_recording_that_is_none) {
  refuses({"trace", "import", write("a.lackey", "hello\n"), (folder / "x").string()}, {"a.lackey"});
}

TEST_F(BadInput, no_drivers_were_built) {
  std::filesystem::create_directory(folder / "empty");
  refuses({"list", "--driver-dir", (folder / "empty").string()}, {"no Linux drivers in", "pmufab driver fetch"});
  refuses({"list", "--driver-dir", (folder / "nowhere").string()}, {"there is no folder", "pmufab driver fetch"});
  refuses({"list", "--drivers", "2.6"}, {"no driver set matches --drivers 2.6", "there are '"});
  if (std::filesystem::exists(PMUFAB_DRIVERS_DIR "/6.12.118"))
    refuses({"list", "--drivers", "6.12"}, {"Linux 6.12.118 lacks drivers that this platform needs", " have them"});
  refuses({"list", "--drivers", "fresh"}, {"--drivers fresh is not a driver selector"});
}

TEST_F(BadInput, drivers_that_cannot_be_loaded) {
  std::filesystem::create_directories(folder / "drivers" / "7.2.13");
  write("drivers/7.2.13/pmufab_drivers.so", "no library");
  const std::string drivers = (folder / "drivers").string();
  refuses({"list", "--driver-dir", drivers}, {"cannot load the drivers in"});
  refuses({"run", shipped("cmem-one-controller.yaml"), "--driver-dir", drivers}, {"cannot load the drivers in"});
}

TEST_F(BadInput, drivers_that_were_cut_short) {
  std::filesystem::path newest;
  for (const auto& entry : std::filesystem::directory_iterator(PMUFAB_DRIVERS_DIR)) {
    if (exists(entry.path() / "pmufab_drivers.so")) newest = entry.path();
  }
  if (newest.empty()) GTEST_SKIP() << "there are no drivers";
  std::filesystem::create_directories(folder / "drivers");
  std::filesystem::copy(newest, folder / "drivers" / newest.filename());
  const std::filesystem::path library = folder / "drivers" / newest.filename() / "pmufab_drivers.so";
  for (const std::uintmax_t size : {20U, 5000U, 100'000U}) {
    std::filesystem::resize_file(library, std::min(size, std::filesystem::file_size(library)));
    refuses({"list", shipped("platforms/cmn600-small.yaml"), "--driver-dir", (folder / "drivers").string()},
            {"cannot load the drivers in", "make them again with pmufab driver"});
    std::filesystem::copy(newest / "pmufab_drivers.so", library, std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(BadInput, errors_of_meaning_name_the_place_of_what_is_wrong) {
  const auto refuses_on = [&](const char* platform, const std::string& rest, const Texts& message) {
    refuses({"run", "--drivers", "newest",
             write("m.yaml", "name: m\nplatform: " + shipped(platform) + "\nduration: 1 us\n" + rest)},
            message);
  };
  const char* const mesh = "platforms/cmn600-small.yaml";
  const std::string cycles = "measure: [{events: [arm_cmn_0/dtc_cycles/]}]\n";
  refuses_on(mesh, "mesh_traffic:\n  - {name: a, pattern: hotspot, hot_xp: 99}\n" + cycles,
             {"m.yaml:5:41: mesh_traffic[0].hot_xp: there is no XP 99"});
  refuses_on(mesh, "mesh_traffic:\n  - {name: a, hot_xp: 4}\n" + cycles,
             {"m.yaml:5:23: mesh_traffic[0].hot_xp: belongs to the pattern hotspot, not to uniform"});
  refuses_on(mesh, "mesh_traffic:\n  - {name: a, pattern: transpose, hot_share: 0.5}\n" + cycles,
             {"mesh_traffic[0].hot_share: belongs to the pattern hotspot, not to transpose"});
  refuses_on(mesh, "mesh_traffic:\n  - {name: a, mesh: 7}\n" + cycles,
             {"m.yaml:5:21: mesh_traffic[0].mesh: there is no mesh 7"});
  refuses_on(mesh, "chi_traffic:\n  - name: a\n    lpid: [77]\n    ranges: [{size: 4 KiB}]\n" + cycles,
             {"m.yaml:6:11: chi_traffic[0].lpid: 77 is too high"});
  refuses_on("platforms/cxl-exact.yaml",
             "cxl_traffic:\n  - name: a\n    ranges:\n      - {base: 0, size: 4 KiB}\n      - {base: 3, size: 4 KiB}\n"
             "measure: [{events: [cxl_pmu_mem0.0/clock_ticks/]}]\n",
             {"m.yaml:8:9: cxl_traffic[0].ranges[1]: "});
  refuses_on("platforms/cxl-exact.yaml",
             "cxl_traffic:\n  - {name: a, mix: {local_read: 1}, ranges: [{base: 0x100_4000_0000, size: 4 KiB}]}\n"
             "measure: [{events: [cxl_pmu_mem0.0/clock_ticks/]}]\n",
             {"cxl_traffic[0].ranges: 0x1000 bytes from 0x10040000000 are not in HDM-DB memory of device 0"});
  // Devices are numbered in the same way below a switch.
  const auto refuses_local = [&](const std::string& where, const std::string& message) {
    refuses_on("platforms/cxl-switch.yaml",
               "cxl_traffic:\n  - {name: a, mix: {local_read: 1}, " + where +
                   ", size: 4 KiB}]}\nmeasure: [{events: [cxl_pmu_mem0.0/clock_ticks/]}]\n",
               {message});
  };
  refuses_local("device: 0, ranges: [{base: 0x110_0000_0000", "not in HDM-DB memory of device 0");
  refuses_local("device: 1, ranges: [{base: 0x100_0000_0000", "device 1 shares that memory with others");
  refuses_local("device: 3, ranges: [{base: 0x120_0000_0000", "not in HDM-DB memory of device 3");
}

TEST_F(BadInput, settings_that_would_do_nothing) {
  const std::string scenario = shipped("cmem-one-controller.yaml");
  refuses({"run", scenario, "--set", "seed="}, {"--set seed=: gives no value"});
  refuses({"run", scenario, "--set", "matrix.seed=5"}, {"matrix.seed: must be a list of values"});
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--set", "matrix.seed=[1, 2]"}, {"has no matrix"});
  refuses({"list", "--set", "sockets=1"}, {"none is given"});
}

TEST_F(BadInput, an_event_with_a_comma_without_quotes) {
  refuses_scenario("measure: [{events: [nvidia_ucf_pmu_0/slc_access_rd,src_rem=1/]}]\n",
                   {"quote an event that has commas"});
}

TEST_F(BadInput, platforms_of_nothing) {
  refuses({"list", shipped("platforms/cxl-exact.yaml"), "--set", "cxl=[]"}, {"cxl: must not be empty"});
  refuses({"list", shipped("platforms/cmn600-small.yaml"), "--set", "meshes=[]"}, {"meshes: must not be empty"});
}

TEST_F(BadInput, a_file_that_never_ends) { refuses({"map", "/dev/zero"}, {"/dev/zero: is larger than 16 MiB"}); }

TEST_F(BadInput, a_file_that_cannot_be_read) {
  refuses({"run", (folder / "none.yaml").string()}, {"none.yaml: cannot be read: No such file or directory"});
  refuses({"run", folder.string()}, {"there is no scenario below"});
  refuses({"trace", "info", (folder / "none.trace").string()}, {"none.trace"});
}

TEST_F(BadInput, results_that_cannot_be_written_show_before_anything_runs) {
  write("file", "");
  const Outcome outcome = ended(2, pmufab({"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest", "--out",
                                           (folder / "file").string()}));
  EXPECT_EQ(outcome.out, "") << "nothing was run";
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--out: results cannot go to"), HasSubstr("cannot write")));
  refuses(
      {"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest", "--json", (folder / "file" / "x").string()},
      {"cannot write"});
}

TEST_F(BadInput, a_number_of_jobs_that_cannot_be) {
  for (const char* jobs : {"0", "-1", "1025"}) {
    refuses({"run", write("s.yaml", kTop), "--jobs", jobs}, {"--jobs", "1 ... 1024"});
  }
}

TEST_F(BadInput, words_that_are_empty) {
  const std::string platform = shipped("platforms/cxl-exact.yaml");
  const std::string file = (folder / "x").string();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", ""},
                                                  {"shell", "", "--", "true"},
                                                  {"serve", "", "--", "true"},
                                                  {"boot", ""},
                                                  {"regs", platform, ""},
                                                  {"compare", file, ""},
                                                  {"explain", file, ""},
                                                  {"import", "acpi", ""},
                                                  {"trace", "info", ""},
                                                  {"coverage", ""}})
    refuses(command, {"a word of the command is empty (give a name, or leave the word out"});
}

TEST_F(BadInput, options_with_an_empty_value) {
  const std::string scenario = write("s.yaml", kTop);
  // As from a variable of a script that is not set: a default would hide it.
  refuses({"run", scenario, "--driver", ""}, {"the value of --driver is empty"});
  refuses({"run", scenario, "--json="}, {"--json"});
  refuses({"stat", "-e", ""}, {"the value of --event is empty"});
  refuses({"shell", "--traffic", "", "--", "true"}, {"the value of --traffic is empty"});
}

TEST_F(BadInput, unknown_commands_and_options) {
  refuses({"rnu"}, {"there is no command 'rnu' (did you mean 'run'?)"});
  refuses({"run", "--juint", "x"}, {"there is no option --juint (did you mean '--junit'?)"});
  refuses({"stat", "--set", "seed"}, {"no event is given"});
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--set", "seed"}, {"--set seed: is not an assignment"});
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "-I", "soon"}, {"-I: 'soon' is not a number"});
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "-j", "-x,"}, {"-x and -j exclude each other"});
  refuses({"regs"}, {"no platform is given"});
  refuses({"regs", shipped("platforms/tegra410-1s-small.yaml"), "socket0.ufc_pmu", "--reset"},
          {"there are no registers 'socket0.ufc_pmu'", "did you mean 'socket0.ucf_pmu'"});
}

TEST_F(BadInput, an_event_in_a_scenario_is_reported_where_it_stands_and_once) {
  const Outcome outcome = ended(
      2,
      pmufab({"run", write("s.yaml", std::string(kTop) + "measure: [{name: m, events: [nvidia_ucf_pmu_0/slc_hit/]}]\n"),
              "--drivers", "newest"}));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.yaml:4:29: measure 'm'"), HasSubstr("\\___")));
  const std::size_t first = outcome.err.find("unknown event or term");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.err.find("unknown event or term", first + 1), std::string::npos);
}

TEST_F(BadInput, further_events_in_a_scenario_are_reported_after_the_first) {
  refuses_scenario(
      "measure: [{name: a, events: ['nvidia_ucf_pmu_0/slc_hit/,nvidia_ucf_pmu_0/slc_miss/']}, {events: "
      "[nvidia_ucf_pmu_0/slc_hit/, nvidia_ucf_pmu_9/cycles/]}]\n",
      {"\\___ unknown event or term 'slc_hit'", "\nunknown event or term 'slc_miss' for PMU 'nvidia_ucf_pmu_0'\n",
       "there is no PMU 'nvidia_ucf_pmu_9'"});
}

TEST_F(BadInput, several_driver_sets_where_one_is_used) {
  const auto folders = std::filesystem::directory_iterator(PMUFAB_DRIVERS_DIR);
  const auto sets = std::count_if(begin(folders), end(folders), [](const auto& entry) { return entry.is_directory(); });
  if (sets < 2) GTEST_SKIP() << "there is one driver set";
  refuses({"list", "--drivers", "all"}, {"one driver set at a time"});
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--drivers", ">=6"}, {"one driver set at a time"});
}

TEST_F(BadInput, files_of_other_kinds_in_the_place_of_a_platform) {
  for (const char* command : {"list", "regs", "map", "shell", "boot"}) {
    refuses({command, shipped("ucf-basic.yaml")},
            {"ucf-basic.yaml:", "this is a scenario, not a platform", "pmufab run"});
    refuses({command, shipped("traffic/mixed.yaml")}, {"mixed.yaml:", "this is traffic, not a platform", "--traffic"});
  }
}

TEST_F(BadInput, a_guest_that_another_version_prepared) {
  const auto boot = [&](const std::string& version) {
    std::filesystem::create_directory(folder / "guest");
    write("guest/.complete", "");
    write("guest/VERSION", version);
    return pmufab({"boot", "--guest", (folder / "guest").string(), "--", "true"});
  };
  for (const char* protocol : {"0", "2", "10", "", "one"}) {
    const Outcome outcome = boot(std::string("Linux, QEMU\nprotocol: ") + protocol + "\nqemu: x\n");
    EXPECT_EQ(outcome.exit_code, 2) << protocol;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(std::string("it has protocol ") + protocol + ", and this pmufab 1"),
                                   HasSubstr("pmufab guest prepare --refresh --guest /")));
  }
  // The folder lacks something, so these are refused.
  for (const char* version : {"Linux, QEMU\nprotocol: 1\n", "Linux, QEMU\n"}) {
    for (const char* part : {"qemu", "firmware", "kernel", "initrd"}) {
      const Outcome outcome = boot(version);
      EXPECT_EQ(outcome.exit_code, 2) << version;
      EXPECT_THAT(outcome.err, AllOf(HasSubstr(std::string("has no ") + part),
                                     HasSubstr("pmufab guest prepare --refresh --guest /")));
      write(std::string("guest/") + part, "");  // an empty file counts as missing
      EXPECT_THAT(boot(version).err, HasSubstr(std::string("has no ") + part));
      write(std::string("guest/") + part, "x");
    }
    for (const char* part : {"qemu", "firmware", "kernel", "initrd"}) std::filesystem::remove(folder / "guest" / part);
  }
}

TEST_F(BadInput, negative_numbers) {
  const std::string scenario = shipped("cmem-one-controller.yaml");
  refuses({"run", scenario, "--timeout", "-1"}, {"--timeout"});
  refuses({"trace", "import", write("a.lackey", "==1== Lackey\n"), (folder / "x").string(), "--limit", "-1"},
          {"--limit"});
  for (const char* option : {"--runs", "--seed", "--failures"})
    refuses({"verify", option, "-5"}, {std::string(option) + ": '-5' is not possible"});
  // This holds whatever else is missing, for example a guest.
  for (const char* option : {"--cpus", "--memory", "--timeout"}) {
    refuses({"boot", option, "-1", "--", "true"}, {std::string(option) + " -1 is not from "});
    refuses({"boot", option, "99999999999999999999", "--", "true"}, {option});
  }
}

TEST_F(BadInput, two_results_in_one_place) {
  const std::string scenario = shipped("cmem-one-controller.yaml");
  const std::string file = (folder / "r").string();
  refuses({"run", scenario, "--json", file, "--csv", file}, {"another report goes to"});
  refuses({"run", scenario, scenario, "--out", file}, {"two runs would write to the folder"});
}

}  // namespace
}  // namespace pmufab::testing
