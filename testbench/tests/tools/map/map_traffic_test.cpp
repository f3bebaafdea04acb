// SPDX-License-Identifier: Apache-2.0
// pmufab map with CHI traffic: loads, frames, scales and JSON.
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <nlohmann/json.hpp>

#include "models/cmn/part/cmn_meshes.h"
#include "models/cmn/wire/mesh_observer.h"
#include "models/platform/platform.h"
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::map_traffic_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// By hand, on cmn600-small. RN-F 2 is at XP 4, in the corner of the north and the west. Line 0 belongs to home 0, whose
// memory is SN-F 0 at port 0 of XP 2. A prefetch is one flit of REQ to the memory, which never answers. It goes in x
// first: from XP 4 to 5 and 6, then south to XP 2.
constexpr const char* kPrefetches = R"(chi_traffic:
  - {name: ahead, mix: {prefetch: 1}, numbers: [2], ranges: [{base: 0, size: 64}], outstanding: 1, count: 10}
duration: 20 us
)";

class MapTraffic : public Cli {
 protected:
  static std::string small() { return shipped("platforms/cmn600-small.yaml"); }

  /// Draw; `options` follow the platform. @return what --json has
  Json draw(const std::string& platform, std::vector<std::string> options) {
    const std::string file = (folder / "mesh.json").string();
    options.insert(options.begin(), {"map", platform});
    options.insert(options.end(), {"--json", file});
    outcome = pmufab(options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(std::ifstream(file), nullptr, false);
  }
  static std::uint64_t sum(const Json& list, const char* key) {
    std::uint64_t all = 0;
    for (const Json& one : list) all += one.at(key).get<std::uint64_t>();
    return all;
  }
  Outcome outcome;
};

TEST_F(MapTraffic, loads_of_links_come_from_chi_transactions) {
  const Json json = draw(small(), {"--traffic", write("ahead.yaml", kPrefetches)});
  ASSERT_TRUE(json.is_object()) << outcome.out;
  EXPECT_EQ(json["scenario"], "ahead");
  const Json& load = json["meshes"][0]["load"];
  std::vector<std::string> used;
  for (const Json& link : load["links"]) {
    if (link["flits"] == 0U) continue;
    used.push_back(link["from"].dump() + link["direction"].get<std::string>());
    EXPECT_EQ(link["flits"], 10U);
    EXPECT_EQ(link["channels"]["req"], 10U);
    EXPECT_EQ(link["channels"]["dat"], 0U);
    EXPECT_DOUBLE_EQ(link["flits_per_cycle"].get<double>(), 10.0 / 40'000);
  }
  EXPECT_THAT(used, ::testing::ElementsAre("4east", "5east", "6south"));
  for (const Json& port : load["ports"])
    EXPECT_EQ(port["flits"], port["crosspoint"] == 2 && port["port"] == 0 ? 10U : 0U) << port;
  EXPECT_EQ(load["cycles"], 40'000U);
  EXPECT_EQ(load["flits"], 40U);
  EXPECT_EQ(json["traffic"][0]["issued"], 10U);
  EXPECT_EQ(json["traffic"][0]["completed"], 10U);
  EXPECT_THAT(outcome.out, HasSubstr("Traffic of scenario ahead for 20 us\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n40 flits transmitted by all crosspoints in 40,000 cycles\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nahead: 10 operations begun, 10 ended, 0.0 cycles on average\n"));
}

/// Counts what leaves crosspoints, on their wires.
class Watcher : public cmn::MeshObserver {
 public:
  std::map<std::pair<unsigned, cmn::Interface>, std::uint64_t> flits;
  void on_upload(Picoseconds, unsigned, unsigned, cmn::Channel, std::uint32_t, const cmn::FlitFields&) override {}
  void on_cycle(Picoseconds, std::span<const cmn::MeshPulse> pulses) override {
    for (const cmn::MeshPulse& pulse : pulses) {
      if (pulse.event == cmn::FlitEvent::valid) ++flits[{pulse.xp, pulse.interface}];
    }
  }
};

struct Master : sc_core::sc_module {
  explicit Master(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<Master, 64> socket;
};

TEST_F(MapTraffic, loads_are_what_crosses_the_wires) {
  const std::string traffic = shipped("cmn-chi.yaml");
  const Json json = draw(small(), {"--traffic", traffic, "--duration", "5 us"});
  const scenario::ScenarioSpec spec =
      scenario::ScenarioFile{std::filesystem::path(traffic)}.load({}, {"duration=5 us"});
  platform::Platform platform("platform", spec.platform);
  Master master("master");
  master.socket.bind(platform.bus().socket);
  Watcher watcher;
  platform.get<platform::CmnMeshes>().mesh(0).set_observer(&watcher);
  const traffic::ChiTrafficSpec& cpus = spec.workload.of<scenario::CmnWorkload>().chi.at(0);
  traffic::ChiTraffic operations(platform.get<platform::CmnMeshes>().mesh(0),
                                 platform.get<platform::CmnMeshes>().nodes(0), cpus, "chi_traffic[0]", spec.seed);
  operations.start(0);
  sc_core::sc_event end;  // meshes work ahead up to the next event
  end.notify(5, sc_core::SC_US);
  sc_core::sc_start(5, sc_core::SC_US);
  platform.get<platform::CmnMeshes>().mesh(0).set_observer(nullptr);

  const std::map<std::string, cmn::Interface> directions = {{"east", cmn::Interface::east},
                                                            {"west", cmn::Interface::west},
                                                            {"north", cmn::Interface::north},
                                                            {"south", cmn::Interface::south}};
  const Json& load = json["meshes"][0]["load"];
  std::uint64_t all = 0;
  for (const Json& link : load["links"]) {
    const std::uint64_t seen =
        watcher.flits[{link["from"].get<unsigned>(), directions.at(link["direction"].get<std::string>())}];
    EXPECT_EQ(link["flits"], seen) << link;
    all += seen;
    std::uint64_t by_channel = 0;
    for (const auto& [channel, flits] : link["channels"].items()) by_channel += flits.get<std::uint64_t>();
    EXPECT_EQ(by_channel, seen) << link;
  }
  for (const Json& port : load["ports"]) {
    const auto interface =
        static_cast<cmn::Interface>(static_cast<unsigned>(cmn::Interface::port0) + port["port"].get<unsigned>());
    const std::uint64_t seen = watcher.flits[{port["crosspoint"].get<unsigned>(), interface}];
    EXPECT_EQ(port["flits"], seen) << port;
    all += seen;
  }
  EXPECT_GT(all, 10'000U);
  EXPECT_EQ(load["flits"], all);
  EXPECT_EQ(json["traffic"][0]["issued"], operations.begun());
  EXPECT_EQ(json["traffic"][0]["completed"], operations.completed());
}

TEST_F(MapTraffic, frames_add_up_and_have_pictures_on_one_scale) {
  const std::string svg = (folder / "mesh.svg").string();
  const Json json =
      draw(small(), {"--traffic", shipped("cmn-chi.yaml"), "--duration", "10 us", "--every", "3 us", "--svg", svg});
  const Json& mesh = json["meshes"][0];
  const Json& frames = mesh["frames"];
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[0]["start_ps"], 0U);
  EXPECT_EQ(frames[3]["start_ps"], 9'000'000U);
  EXPECT_EQ(frames[3]["stop_ps"], 10'000'000U);  // the rest
  EXPECT_EQ(frames[0]["cycles"], 6000U);
  EXPECT_EQ(sum(frames, "cycles"), mesh["load"]["cycles"].get<std::uint64_t>());
  EXPECT_EQ(sum(frames, "flits"), mesh["load"]["flits"].get<std::uint64_t>());
  std::uint64_t most = 0;  // of a link in a frame of 3 us
  for (std::size_t link = 0; link < mesh["load"]["links"].size(); ++link) {
    std::uint64_t flits = 0;
    for (const Json& frame : frames) flits += frame["links"][link]["flits"].get<std::uint64_t>();
    EXPECT_EQ(flits, mesh["load"]["links"][link]["flits"]);
    for (std::size_t i = 0; i < 3; ++i) most = std::max(most, frames[i]["links"][link]["flits"].get<std::uint64_t>());
  }
  // A line for each frame, and the whole time as without frames.
  EXPECT_THAT(outcome.out, ContainsRegex("\n +from +to +flits +per cycle +busiest link\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\n +9.000 us +10.000 us +[0-9,]+ +[0-9.]+  XP [0-9]+ [a-z]+ to XP"));
  const std::string whole = read(folder / "mesh.svg");
  draw(small(), {"--traffic", shipped("cmn-chi.yaml"), "--duration", "10 us", "--svg", svg});
  EXPECT_EQ(whole, read(folder / "mesh.svg"));
  for (const char* const number : {"1", "2", "3", "4"})
    EXPECT_THAT(read(folder / ("mesh-" + std::string(number) + ".svg")), HasSubstr("flits on a link, in "));
  EXPECT_FALSE(std::filesystem::exists(folder / "mesh-5.svg"));
  // Frames of equal length have the same number below the darkest colour: the most of all frames.
  std::vector<std::string> darkest;
  for (const char* const number : {"1", "2", "3"}) {
    const std::string picture = read(folder / ("mesh-" + std::string(number) + ".svg"));
    const std::size_t end = picture.rfind(" or more</text>");
    ASSERT_NE(end, std::string::npos);
    const std::size_t begin = picture.rfind('>', end) + 1;
    darkest.push_back(picture.substr(begin, end - begin));
    std::erase(darkest.back(), ',');
  }
  EXPECT_EQ(darkest[1], darkest[0]);
  EXPECT_EQ(darkest[2], darkest[0]);
  EXPECT_GE(std::stoull(darkest[0]), most);
}

TEST_F(MapTraffic, a_fixed_scale_does_not_depend_on_the_load) {
  const auto link_of = [&](const std::string& count, const std::string& scale) {
    const std::string svg = (folder / "scaled.svg").string();
    draw(small(), {"--traffic", write("ahead.yaml", kPrefetches), "--set", "chi_traffic[0].count=" + count,
                   "--link-scale", scale, "--xp-scale", "4", "--svg", svg});
    const std::string picture = read(folder / "scaled.svg");
    const std::size_t title = picture.find("XP 4 east to XP 5: ");
    return picture.substr(picture.rfind("<line class=\"link\"", title), 200);
  };
  // 20 flits in 40,000 cycles are the darkest colour of 0.0005 per cycle, and half of 0.001.
  EXPECT_THAT(link_of("20", "0.0005"), HasSubstr("stroke=\"#b01010\""));
  EXPECT_THAT(link_of("40", "0.0005"), HasSubstr("stroke=\"#b01010\""));
  EXPECT_THAT(link_of("20", "0.001"), AllOf(HasSubstr("stroke=\"#d88278\""), HasSubstr("stroke-width=\"4\"")));
  EXPECT_THAT(link_of("10", "0.0005"), HasSubstr("stroke=\"#d88278\""));
  EXPECT_THAT(read(folder / "scaled.svg"), AllOf(HasSubstr(">20 or more<"), HasSubstr(">160,000 or more<")));
}

TEST_F(MapTraffic, io_nodes_and_links_between_meshes_have_loads) {
  const Json json = draw(shipped("platforms/cmn600-linked.yaml"), {"--traffic", shipped("cmn-remote-600.yaml")});
  ASSERT_EQ(json["meshes"].size(), 2U) << outcome.err;
  for (const Json& mesh : json["meshes"]) EXPECT_GT(mesh["load"]["flits"].get<std::uint64_t>(), 1000U);
  const Json& link = json["mesh_links"][0];
  EXPECT_EQ(link["from"], "cmn0/cxrh0");
  EXPECT_EQ(link["to"], "cmn1/cxrh0");
  EXPECT_GT(link["flits_there"].get<std::uint64_t>(), 100U);
  EXPECT_GT(link["flits_back"].get<std::uint64_t>(), 100U);
  EXPECT_THAT(outcome.out, ContainsRegex("\nlink cmn0/cxrh0 - cmn1/cxrh0: [0-9,]+ CXS flits there, [0-9,]+ back\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\nio: [0-9,]+ operations begun, "));
  // Without a way to the other mesh, nothing crosses it.
  const Json one = draw(shipped("platforms/cmn600-linked.yaml"), {"cmn0", "--traffic", write("a.yaml", kPrefetches)});
  EXPECT_EQ(one["mesh_links"][0]["flits_there"], 0U);
  ASSERT_EQ(one["meshes"].size(), 1U);
  EXPECT_EQ(one["meshes"][0]["name"], "cmn0");
}

TEST_F(MapTraffic, drivers_change_nothing) {
  const std::vector<std::string> options = {"--traffic", shipped("cmn-io.yaml"), "--duration", "4 us", "--every",
                                            "1 us"};
  const std::string platform = shipped("platforms/cmn600-small.yaml");
  const Json alone = draw(platform, options);
  std::vector<std::string> with = options;
  with.emplace_back("--compare");
  EXPECT_EQ(draw(platform, with), alone);
  EXPECT_THAT(outcome.out, HasSubstr("cmn0: the driver's map agrees"));
}

TEST_F(MapTraffic, without_traffic_json_has_the_meshes) {
  const Json json = draw(small(), {});
  EXPECT_FALSE(json.contains("traffic"));
  const Json& xp = json["meshes"][0]["crosspoints"][6];
  EXPECT_EQ(xp["node_id"], 0x48);
  EXPECT_EQ(xp["x"], 2);
  EXPECT_EQ(xp["y"], 1);
  EXPECT_EQ(xp["ports"][1]["type"], "HN-F");
  EXPECT_EQ(xp["ports"][1]["devices"][0]["node_id"], 0x4c);
  EXPECT_EQ(xp["ports"][1]["devices"][0]["nodes"][0], "hnf3");
  EXPECT_FALSE(json["meshes"][0].contains("load"));
}

TEST_F(MapTraffic, wrong_input_is_told) {
  const auto refuses = [&](std::vector<std::string> options, const std::string& message) {
    options.insert(options.begin(), {"map", small()});
    const Outcome result = pmufab(options);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  };
  const std::string chi = shipped("cmn-chi.yaml");
  refuses({"--traffic", write("none.yaml", "duration: 1 us\n")},
          "scenario 'none' sends no flits into meshes, and has no CHI operations");
  refuses({"--traffic", chi, "--set", "chi_traffic[0].mesh=3"}, "chi_traffic[0].mesh: there is no mesh 3");
  refuses({"--traffic", chi, "--set", "chi_traffic[0].requesters=rn_x"}, "chi_traffic[0].requesters");
  refuses({"--traffic", write("raw.yaml", "chi_traffic: [{name: a}]\n"), "--duration", "1 us"},
          "chi_traffic[0].ranges: there is nowhere to go");
  refuses({"--traffic", write("open.yaml", kPrefetches), "--set", "chi_traffic[0].cuont=1"}, "cuont");
  refuses({"--every", "1 us"}, "--every has no effect without --traffic");
  refuses({"--link-scale", "1"}, "--link-scale has no effect without --traffic");
  refuses({"--traffic", chi, "--xp-scale", "1"}, "--xp-scale has no effect without --svg");
  const std::string svg = (folder / "x.svg").string();
  for (const char* const bad : {"0", "-1", "much", "1 flit", "inf", "nan"})
    refuses({"--traffic", chi, "--svg", svg, "--link-scale", bad}, "is not a number of flits per cycle");
  refuses({"--traffic", chi, "--every", "often"}, "--every: 'often'");
  refuses({"--traffic", chi, "--every", "0"}, "--every: 0 is too short");
  refuses({"--traffic", chi, "--every", "1 ns"}, "there are 1000 frames at most");
  refuses({"--traffic", chi, "--every", "100 ps", "--duration", "1 ns"}, "use 500 ps or more");
  refuses({"--traffic", chi, "--every", "1 ms"}, "--every: 1 ms is longer than the traffic, which lasts for 60 us");
  refuses({"--traffic", chi, "--svg", svg, "--json", svg}, "another report goes to");
  refuses({"--traffic", chi, "--every", "30 us", "--svg", svg, "--json", (folder / "x-2.svg").string()},
          "--json: a frame goes to");
  refuses({"--json", small() + "/x.json"}, "x.json");
  EXPECT_FALSE(std::filesystem::exists(svg));
}

}  // namespace
}  // namespace pmufab::testing::map_traffic_test
