// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/platform/platform.h"
#include "testbench/scenario/fabrics/cmn/cmn_fabric.h"
#include "testbench/scenario/fabrics/cmn/cmn_workload.h"
#include "testbench/scenario/report/results.h"
#include "testbench/scenario/run/machine.h"
#include "testbench/scenario/yaml/input_error.h"
#include "testbench/scenario/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/map/map_driver.h"
#include "tools/pmufab/map/map_picture.h"
#include "tools/pmufab/map/map_svg.h"
#include "tools/pmufab/map/map_text.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

namespace po = boost::program_options;
using scenario::InputError;

/// The traffic of a scenario that can be run without drivers.
struct FlitTraffic {
  std::string scenario;
  std::uint64_t seed = 1;
  std::vector<traffic::FlitFlowSpec> flows;
  Picoseconds duration = 0;
  std::shared_ptr<const scenario::Value> written = {};
};

/// @return true if a --set is for the scenario and not for the platform.
bool is_for_traffic(const std::string& text) { return text.starts_with("mesh_traffic") || text.starts_with("seed="); }

/// @return text in single quotes, for YAML.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

FlitTraffic load_traffic(const po::variables_map& map, const std::string& platform) {
  const std::string file = map["traffic"].as<std::string>();
  std::vector<std::string> overrides = {"platform=" + quoted(platform)};
  for (const std::string& text : values_of(map, "set"))
    overrides.push_back(is_for_traffic(text) ? text : "platform." + text);
  const std::string duration = map["duration"].as<std::string>();
  if (!duration.empty()) overrides.push_back("duration=" + quoted(duration));
  const scenario::ScenarioSpec spec = scenario::ScenarioFile{find_scenario(file)}.load({}, overrides);
  const auto& workload = spec.workload.of<scenario::CmnWorkload>();
  if (workload.flits.empty())
    throw InputError(fmt::format("scenario '{}' sends no flits into meshes", spec.name),
                     "give one with mesh_traffic, such as cmn-flits");
  if (!spec.duration)
    throw InputError(fmt::format("scenario '{}' does not say how long it sends flits", spec.name),
                     "add --duration '60 us'");
  return {spec.name, spec.seed, workload.flits, *spec.duration, spec.written};
}

/// @return the indices of the meshes to show. @param name  as given; empty: all
std::vector<unsigned> chosen_meshes(const platform::PlatformSpec& platform, const std::string& name) {
  if (platform.cmn.empty())
    throw InputError(fmt::format("platform '{}' has no meshes", platform.name),
                     "give one with meshes, such as scenarios/platforms/cmn600-small.yaml");
  std::vector<unsigned> all;
  std::vector<std::string> names;
  for (unsigned mesh = 0; mesh < platform.cmn.size(); ++mesh) {
    all.push_back(mesh);
    names.push_back(fmt::format("cmn{}", mesh));
    if (names.back() == name) return {mesh};
  }
  if (name.empty()) return all;
  throw InputError(fmt::format("there is no mesh '{}'", name), scenario::suggest(name, names));
}

/// Cycles of a mesh in a run: the clock edges before its end.
cmn::Cycle cycles_of(const cmn::Mesh& mesh, Picoseconds duration) { return mesh.clock().edges_before(duration); }

std::vector<MeshLoad> loads_of(platform::Platform& platform, Picoseconds duration) {
  std::vector<MeshLoad> loads;
  for (std::size_t mesh = 0; mesh < platform.meshes(); ++mesh)
    loads.push_back(scenario::load_of(platform.mesh(mesh).engine(), cycles_of(platform.mesh(mesh), duration)));
  return loads;
}

/// The end of a run of flits. A clock edge exactly at the end no longer belongs to it.
sc_core::sc_time end_of(Picoseconds duration) { return to_sc_time(duration - 1); }

scenario::Workload workload_of(const FlitTraffic& traffic) {
  scenario::Workload workload;
  workload.seed = traffic.seed;
  workload.of<scenario::CmnWorkload>().flits = traffic.flows;
  return workload;
}

/// Binds the bus if no software runs.
struct NoSoftware : sc_core::sc_module {
  explicit NoSoftware(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<NoSoftware, 64> socket;
};

/// Let the flits flow on a platform without drivers.
std::vector<MeshLoad> run_flits(const platform::PlatformSpec& spec, const FlitTraffic& traffic) {
  platform::Platform platform("platform", spec);
  NoSoftware master("master");
  master.socket.bind(platform.bus().socket);
  const auto flows = scenario::make_flows(platform, workload_of(traffic));
  for (const auto& flow : flows) flow->start(0);
  sc_core::sc_start(end_of(traffic.duration));
  return loads_of(platform, traffic.duration);
}

/// The output of the drivers.
struct DriverView {
  std::string version;
  bool loaded = false;
  std::vector<std::pair<std::string, std::string>> files;  ///< of debugfs
  std::vector<unsigned> probed;                            ///< meshes, in the order in which drivers probed them
  std::vector<std::string> log;
  std::vector<MeshLoad> loads;  ///< if there was traffic, which ran before the drivers were loaded
};

DriverView view_of_driver(const scenario::PlatformDocument& document, const driver_host::DriverSet& drivers,
                          const FlitTraffic& traffic) {
  DriverView view;
  view.version = drivers.kernel_version;
  scenario::Machine machine(document.spec, {}, workload_of(traffic), drivers, {.echo_log = true});
  if (!traffic.flows.empty()) machine.start_traffic();
  // A kernel may not know some meshes. It knows a mesh if it touches its registers.
  machine.platform().bus().monitor([&](const MmioBus::BusAccess& access) {
    for (unsigned mesh = 0; mesh < document.spec.cmn.size(); ++mesh) {
      const std::uint64_t offset = access.address - document.spec.cmn[mesh].topology.base;
      if (offset < machine.platform().mesh(mesh).layout().size() &&
          std::find(view.probed.begin(), view.probed.end(), mesh) == view.probed.end())
        view.probed.push_back(mesh);
    }
  });
  try {
    machine.run([&] {
      if (!traffic.flows.empty()) {
        sc_core::wait(end_of(traffic.duration));
        view.loads = loads_of(machine.platform(), traffic.duration);
        machine.stop_traffic();
      }
      view.loaded = machine.host().load() >= 0;
      view.files = machine.host().debugfs();
    });
  } catch (const std::exception&) {
    // If the kernel died, that is the driver's failure. Its log says why.
    if (!machine.host().panicked()) throw;
    view.loaded = false;
    view.files.clear();
  }
  view.log = machine.host().log();
  return view;
}

/// @return the file with the driver's map of a mesh: "map", "map_1", ... in the order of probing; empty: none.
std::string file_of(const DriverView& view, unsigned mesh) {
  const auto place = std::find(view.probed.begin(), view.probed.end(), mesh);
  if (place == view.probed.end()) return {};
  const auto number = place - view.probed.begin();
  return number == 0 ? "arm-cmn/map" : fmt::format("arm-cmn/map_{}", number);
}

/// Print the driver's map of a mesh and the differences in it. @return true if both agree
bool compare(const platform::PlatformSpec& spec, const DriverView& view, unsigned mesh) {
  const std::string name = file_of(view, mesh);
  const auto file =
      std::find_if(view.files.begin(), view.files.end(), [&](const auto& entry) { return entry.first == name; });
  if (file == view.files.end()) {
    fmt::print("\nDIFFERS: the drivers of Linux {} show no map of cmn{}\n", view.version, mesh);
    // The kernel's errors say why, if the driver knows such a mesh.
    for (const std::string& line : view.log) {
      if (line.starts_with("<3>")) fmt::print("  {}\n", line.substr(3));
    }
    return false;
  }
  fmt::print("\n{} of the drivers of Linux {}:\n{}", name, view.version, file->second);
  const cmn::Topology& topology = spec.cmn[mesh].topology;
  const MapComparison comparison = compare_with_driver(topology, cmn::Layout(topology), file->second);
  for (const std::string& line : comparison.unknown) fmt::print("note: {}\n", line);
  for (const std::string& line : comparison.differences) fmt::print("DIFFERS: {}\n", line);
  if (comparison.differences.empty()) fmt::print("cmn{}: the driver's map agrees\n", mesh);
  return comparison.differences.empty();
}

/// The request in the options.
struct MapOrder {
  const scenario::PlatformDocument& document;
  std::vector<unsigned> meshes;
  FlitTraffic traffic;                            ///< without flows: no traffic
  std::optional<driver_host::DriverSet> drivers;  ///< whose map to compare with
  std::string picture_file;
};

int show_map(const MapOrder& order) {
  const scenario::PlatformDocument& document = order.document;
  const FlitTraffic& traffic = order.traffic;
  const bool with_traffic = !traffic.flows.empty();
  DriverView view;
  std::vector<MeshLoad> loads;
  if (order.drivers) {
    view = view_of_driver(document, *order.drivers, traffic);
    loads = view.loads;
  } else if (with_traffic) {
    loads = run_flits(document.spec, traffic);
  }

  std::vector<MeshPicture> pictures;
  bool agreed = true;
  if (with_traffic)
    fmt::print("Flits of scenario {} for {}\n\n", traffic.scenario,
               scenario::format_quantity(traffic.duration, scenario::Quantity::duration));
  for (const unsigned mesh : order.meshes) {
    const cmn::Topology& topology = document.spec.cmn[mesh].topology;
    MeshPicture& picture = pictures.emplace_back(
        picture_of(topology, cmn::Layout(topology), mesh, revision_of(&document.effective, topology, mesh)));
    if (with_traffic) picture.load = loads[mesh];
    if (mesh != order.meshes.front()) std::cout << '\n';
    write_map_text(std::cout, picture);
    std::cout.flush();
    if (order.drivers) agreed = compare(document.spec, view, mesh) && agreed;
    std::fflush(stdout);
  }
  if (!order.picture_file.empty()) {
    const std::string title =
        with_traffic ? fmt::format("{}: flits of {}", document.spec.name, traffic.scenario) : document.spec.name;
    write_file(order.picture_file, map_svg(title, pictures));
  }
  if (order.drivers && !view.loaded) {
    for (const std::string& line : view.log) complain("{}\n", line);
    complain("pmufab: loading the drivers failed; above is the kernel log\n");
    return kCheckFailed;
  }
  return agreed ? kPassed : kCheckFailed;
}

int show(const MapOrder& order) {
  try {
    return show_map(order);
  } catch (const InputError& error) {
    throw scenario::with_place(error, order.traffic.written);
  }
}

int run_map(const Request& request) {
  const po::variables_map& map = request.options;
  const std::vector<std::string>& words = request.words;
  if (words.empty() || words.size() > 2)
    throw InputError(words.empty() ? "no platform is given" : "there are too many words", "pmufab map PLATFORM [MESH]");
  const bool with_traffic = !map["traffic"].as<std::string>().empty();
  if (!with_traffic && !map["duration"].as<std::string>().empty())
    throw InputError("--duration has no effect without --traffic", "add --traffic SCENARIO");

  const bool with_driver = map["compare"].as<bool>();
  if (!with_driver && !(map["drivers"].defaulted() && map["driver-dir"].defaulted() && map["driver"].defaulted()))
    throw InputError("--driver, --drivers and --driver-dir have no effect without --compare", "add --compare");

  std::vector<std::string> overrides = values_of(map, "set");
  if (with_traffic) std::erase_if(overrides, is_for_traffic);
  const scenario::PlatformDocument document = scenario::load_platform(words[0], overrides);
  const std::vector<unsigned> meshes = chosen_meshes(document.spec, words.size() > 1 ? words[1] : "");
  const FlitTraffic traffic = with_traffic ? load_traffic(map, words[0]) : FlitTraffic{};

  std::optional<driver_host::DriverSet> drivers;
  if (with_driver) drivers = find_newest_driver(map, document.spec);
  const MapOrder order{document, meshes, traffic, std::move(drivers), map["svg"].as<std::string>()};
  // An error in writing a picture shows before anything runs.
  if (!order.picture_file.empty()) check_writable(order.picture_file);
  return with_driver ? guarded(false, [&] { return show(order); }) : show(order);
}

}  // namespace

Command map_command() {
  return {
      .name = "map",
      .arguments = "[options] PLATFORM [MESH]",
      .summary = "show the meshes of a platform: devices, ids, and the load of flits",
      .description = R"(Draws each crosspoint (XP) as a box in its place. y grows to the north. A box shows:

  XP 4         0x8   its index, which is its logical id, and its node id (nodeid= of an event with bynodeid=1)
  DTC 0  DTM 4       the trace controller of its domain, and the monitor(s) that count its events
  p1 HN-F      0xc   port 1, the device there, the node id of its first device
    hnf2             the nodes with registers behind it, each with its logical id; (hnf2): software must not touch it
  flits    189,056   with --traffic: flits it transmitted, to neighbours and down to devices, on all channels

MESH is cmn0, cmn1, ...; without it every mesh is shown.

--compare loads the drivers on the platform, prints the map in their debugfs, and compares both maps: crosspoints,
domains, devices and logical ids. A device that the driver cannot name ("????") is noted. It does not count as a
difference.

--traffic sends the mesh_traffic of a scenario through PLATFORM, for --duration or the scenario's duration. Nothing
else of the scenario runs, and no drivers. The same seed gives the same picture.

--set changes a value of the platform. With --traffic, the paths mesh_traffic... and seed change the scenario instead.)",
      .options =
          Options{
              list("set", "PATH=VALUE",
                   "change a value of the platform, or of the traffic; may be given several times"),
              flag("compare", "print the driver's own map too, and check that both agree"),
              text("svg", "FILE", "draw the meshes into FILE"),
              text("traffic", "SCENARIO", "send the flits of this scenario, and show where they went"),
              text("duration", "TIME", "duration of the traffic, such as '100 us' (default: the scenario's)"),
          } +
          driver_options("newest"),
      .words = Words::platforms,
      .examples = {{"pmufab map scenarios/platforms/cmn600-small.yaml"},
                   {"pmufab map scenarios/platforms/cmn600-small.yaml cmn0 --compare --drivers 6.12"},
                   {"pmufab map scenarios/platforms/cmn600-small.yaml --svg mesh.svg --traffic "
                    "cmn-flits"},
                   {"pmufab map scenarios/platforms/cmn600-small.yaml --traffic cmn-flits \\\n"
                    "  --set mesh_traffic[0].rate=0.3"}},
      .exit_codes = {{"0", "the meshes were shown; with --compare, both maps agree"},
                     {"1", "the driver's map differs"},
                     {"2", "bad input"},
                     {"3", "an internal error"}},
      .run = run_map,
  };
}

}  // namespace pmufab::cli
