// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "models/cmn/part/cmn_meshes.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/platform/platform.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/map/map_picture.h"
#include "tools/pmufab/map/map_traffic.h"
#include "tools/pmufab/map/map_writers.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

namespace po = boost::program_options;
using scenario::InputError;

/// @return the indices of the meshes to show. @param name  as given; empty: all
std::vector<unsigned> chosen_meshes(const platform::PlatformSpec& platform, const std::string& name) {
  if (platform.of<platform::CmnMeshesSpec>().meshes.empty())
    throw InputError(fmt::format("platform '{}' has no meshes", platform.name),
                     "give one with meshes, such as scenarios/platforms/cmn600-small.yaml");
  std::vector<unsigned> all;
  std::vector<std::string> names;
  for (unsigned mesh = 0; mesh < platform.of<platform::CmnMeshesSpec>().meshes.size(); ++mesh) {
    all.push_back(mesh);
    names.push_back(fmt::format("cmn{}", mesh));
    if (names.back() == name) return {mesh};
  }
  if (name.empty()) return all;
  throw InputError(fmt::format("there is no mesh '{}'", name), scenario::suggest(name, names));
}

/// The output of the drivers.
struct DriverView {
  std::string version;
  bool loaded = false;
  std::vector<std::pair<std::string, std::string>> files;  ///< of debugfs
  std::vector<unsigned> probed;                            ///< meshes, in the order in which drivers probed them
  std::vector<std::string> log;
  MapLoads loads;  ///< if there was traffic, which ran before the drivers were loaded
};

DriverView view_of_driver(const scenario::PlatformDocument& document, const driver_host::DriverSet& drivers,
                          const MapTraffic& traffic) {
  DriverView view;
  view.version = drivers.kernel_version;
  scenario::Machine machine(document.spec, {}, traffic.workload(), drivers, {.echo_log = true});
  if (!traffic.empty()) machine.start_traffic();
  // A kernel may not know some meshes. It knows a mesh if it touches its registers.
  machine.platform().bus().monitor([&](const MmioBus::BusAccess& access) {
    for (unsigned mesh = 0; mesh < document.spec.of<platform::CmnMeshesSpec>().meshes.size(); ++mesh) {
      const std::uint64_t offset =
          access.address - document.spec.of<platform::CmnMeshesSpec>().meshes[mesh].topology.base;
      if (offset < machine.platform().get<platform::CmnMeshes>().mesh(mesh).layout().size() &&
          std::ranges::find(view.probed, mesh) == view.probed.end())
        view.probed.push_back(mesh);
    }
  });
  try {
    machine.run([&] {
      if (!traffic.empty()) {
        view.loads =
            watch_map_traffic(machine.platform(), traffic, [](Picoseconds time) { sc_core::wait(to_sc_time(time)); });
        machine.stop_traffic();
        for (const auto& fabric : machine.fabrics()) fabric->report_traffic(view.loads.traffic);
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
  const auto place = std::ranges::find(view.probed, mesh);
  if (place == view.probed.end()) return {};
  const auto number = place - view.probed.begin();
  return number == 0 ? "arm-cmn/map" : fmt::format("arm-cmn/map_{}", number);
}

/// Print the driver's map of a mesh and the differences in it. @return true if both agree
bool compare(const platform::PlatformSpec& spec, const DriverView& view, unsigned mesh) {
  const std::string name = file_of(view, mesh);
  const auto file = std::ranges::find_if(view.files, [&](const auto& entry) { return entry.first == name; });
  if (file == view.files.end()) {
    fmt::print("\nDIFFERS: the drivers of Linux {} show no map of cmn{}\n", view.version, mesh);
    // The kernel's errors say why, if the driver knows such a mesh.
    for (const std::string& line : view.log) {
      if (line.starts_with("<3>")) fmt::print("  {}\n", line.substr(3));
    }
    return false;
  }
  fmt::print("\n{} of the drivers of Linux {}:\n{}", name, view.version, file->second);
  const cmn::Topology& topology = spec.of<platform::CmnMeshesSpec>().meshes[mesh].topology;
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
  MapTraffic traffic;                             ///< may be empty
  std::optional<driver_host::DriverSet> drivers;  ///< whose map to compare with
  MapScale scale;
  std::string picture_file;
  std::string json_file;
};

/// @return the name of the picture of a frame: mesh.svg becomes mesh-07.svg. @param number  from 0 on
std::string frame_file(const std::string& file, std::size_t number, std::size_t frames) {
  const std::filesystem::path path(file);
  const std::string name = fmt::format("{}-{:0{}}{}", path.stem().string(), number + 1, std::to_string(frames).size(),
                                       path.extension().string());
  return (path.parent_path() / name).string();
}

/// @return the scale of the frames of a mesh, so that they can be compared: the most that one of them has, unless it is
///         fixed
MapScale scale_of_frames(const MapOrder& order, const std::vector<MapFrame>& frames, unsigned mesh) {
  MapScale scale;
  for (const MapFrame& frame : frames) {
    const MeshLoad& load = frame.loads[mesh];
    scale.link = std::max(scale.link, load.per_cycle(load.most_of_link()));
    scale.xp = std::max(scale.xp, load.per_cycle(load.most_of_xp()));
  }
  if (order.scale.link > 0) scale.link = order.scale.link;
  if (order.scale.xp > 0) scale.xp = order.scale.xp;
  return scale;
}

void write_pictures(const MapOrder& order, std::vector<MeshPicture> pictures, const std::vector<MapFrame>& frames) {
  const std::string name = order.document.spec.name;
  const std::string title =
      order.traffic.empty() ? name : fmt::format("{}: {} of {}", name, order.traffic.word(), order.traffic.scenario);
  write_file(order.picture_file, map_svg(title, pictures));
  for (MeshPicture& picture : pictures) picture.scale = scale_of_frames(order, frames, picture.index);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (MeshPicture& picture : pictures) picture.load = frames[i].loads[picture.index];
    const std::string of_frame = fmt::format("{}, {} ... {}", title, scenario::format_time(frames[i].start),
                                             scenario::format_time(frames[i].stop));
    write_file(frame_file(order.picture_file, i, frames.size()), map_svg(of_frame, pictures));
  }
}

MeshPicture picture_in(const MapOrder& order, unsigned mesh, const MapLoads& loads) {
  const cmn::Topology& topology = order.document.spec.of<platform::CmnMeshesSpec>().meshes[mesh].topology;
  MeshPicture picture =
      picture_of(topology, cmn::Layout(topology), mesh, revision_of(&order.document.effective, topology, mesh));
  if (!order.traffic.empty()) picture.load = loads.whole[mesh];
  picture.scale = order.scale;
  return picture;
}

void write_heading(const MapTraffic& traffic) {
  if (traffic.empty()) return;
  fmt::print("{} of scenario {} for {}\n\n", traffic.sent.chi.empty() ? "Flits" : "Traffic", traffic.scenario,
             scenario::format_quantity(traffic.duration, scenario::Quantity::duration));
}

int show_map(const MapOrder& order) {
  const scenario::PlatformDocument& document = order.document;
  const MapTraffic& traffic = order.traffic;
  DriverView view;
  MapLoads loads;
  if (order.drivers) {
    view = view_of_driver(document, *order.drivers, traffic);
    loads = view.loads;
  } else if (!traffic.empty()) {
    loads = run_map_traffic(document.spec, traffic);
  }

  std::vector<MeshPicture> pictures;
  bool agreed = true;
  write_heading(traffic);
  for (const unsigned mesh : order.meshes) {
    const MeshPicture& picture = pictures.emplace_back(picture_in(order, mesh, loads));
    if (mesh != order.meshes.front()) std::cout << '\n';
    write_map_text(std::cout, picture);
    write_map_frames(std::cout, picture, loads.frames);
    std::cout.flush();
    if (order.drivers) agreed = compare(document.spec, view, mesh) && agreed;
    std::fflush(stdout);
  }
  if (!traffic.sent.chi.empty()) {
    std::cout << '\n';
    write_map_traffic(std::cout, traffic, loads);
  }
  if (!order.picture_file.empty()) write_pictures(order, pictures, loads.frames);
  if (!order.json_file.empty()) write_file(order.json_file, map_json(document.spec.name, pictures, traffic, loads));
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

/// @return flits per cycle; 0: the option is not given
double scale_from(const po::variables_map& map, const char* option) {
  const std::string text = map[option].as<std::string>();
  if (text.empty()) return 0;
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  constexpr double kLeast = 1e-9;
  constexpr double kMost = 1e6;
  if (error != std::errc{} || end != text.data() + text.size() || !(rate >= kLeast && rate <= kMost))
    throw InputError(fmt::format("--{}: '{}' is not a number of flits per cycle", option, text), "for example 0.5");
  return rate;
}

/// @throws InputError for options that have no effect without others
void check_combination(const po::variables_map& map) {
  const auto is_given = [&](const char* option) { return !map[option].as<std::string>().empty(); };
  for (const char* option : {"duration", "every", "link-scale", "xp-scale"}) {
    if (is_given(option) && !is_given("traffic"))
      throw InputError(fmt::format("--{} has no effect without --traffic", option), "add --traffic SCENARIO");
  }
  for (const char* option : {"link-scale", "xp-scale"}) {
    if (is_given(option) && !is_given("svg"))
      throw InputError(fmt::format("--{} has no effect without --svg", option), "add --svg FILE");
  }
  if (!map["compare"].as<bool>() &&
      !(map["drivers"].defaulted() && map["driver-dir"].defaulted() && map["driver"].defaulted()))
    throw InputError("--driver, --drivers and --driver-dir have no effect without --compare", "add --compare");
  check_reports(map, {"svg", "json"});
}

MapTraffic traffic_of(const po::variables_map& map, const std::string& platform) {
  const std::string scenario = map["traffic"].as<std::string>();
  if (scenario.empty()) return {};
  return load_map_traffic({find_scenario(scenario), platform, values_of(map, "set"), map["duration"].as<std::string>(),
                           map["every"].as<std::string>()});
}

/// An error in writing shows before anything runs.
void check_files(const MapOrder& order) {
  if (!order.picture_file.empty()) {
    check_writable(order.picture_file);
    const MapTraffic& traffic = order.traffic;
    const std::size_t frames = traffic.every == 0 ? 0 : (traffic.duration + traffic.every - 1) / traffic.every;
    for (std::size_t i = 0; i < frames; ++i) {
      const std::string file = frame_file(order.picture_file, i, frames);
      if (file == order.json_file)
        throw InputError(fmt::format("--json: a frame goes to '{}' too", file), "name another");
      check_writable(file);
    }
  }
  if (!order.json_file.empty()) check_writable(order.json_file);
}

int run_map(const Request& request) {
  const po::variables_map& map = request.options;
  const std::vector<std::string>& words = request.words;
  if (words.empty() || words.size() > 2)
    throw InputError(words.empty() ? "no platform is given" : "there are too many words", "pmufab map PLATFORM [MESH]");
  check_combination(map);
  std::vector<std::string> overrides = values_of(map, "set");
  if (!map["traffic"].as<std::string>().empty()) std::erase_if(overrides, is_for_map_traffic);
  const std::string file = find_platform(words[0]);
  const scenario::PlatformDocument document = scenario::load_platform(file, overrides);
  const MapOrder order{document,
                       chosen_meshes(document.spec, words.size() > 1 ? words[1] : ""),
                       traffic_of(map, file),
                       map["compare"].as<bool>() ? std::optional(find_newest_driver(map, document.spec)) : std::nullopt,
                       {scale_from(map, "link-scale"), scale_from(map, "xp-scale")},
                       map["svg"].as<std::string>(),
                       map["json"].as<std::string>()};
  check_files(order);
  return order.drivers ? guarded(false, [&] { return show(order); }) : show(order);
}

Options map_options() {
  return Options{
      list("set", "PATH=VALUE", "change a value of the platform, or of the traffic; may be given several times"),
      flag("compare", "print the driver's own map too, and check that both agree"),
      text("svg", "FILE", "draw the meshes into FILE"),
      text("json", "FILE", "write the meshes and their load as JSON"),
      text("traffic", "SCENARIO", "send the traffic of this scenario, and show where it went"),
      text("duration", "TIME", "duration of the traffic, such as '100 us' (default: the scenario's)"),
      text("every", "TIME", "also show each part of the traffic that lasts so long, such as '10 us'"),
      text("link-scale", "RATE", "flits per cycle for the darkest colour of links (default: the most of a link)"),
      text("xp-scale", "RATE", "the same for crosspoints"),
  };
}

}  // namespace

Command map_command() {
  return {
      .name = "map",
      .arguments = "[options] PLATFORM [MESH]",
      .summary = "show the meshes of a platform: devices, ids, and the load of traffic",
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

--traffic sends the mesh_traffic and the chi_traffic of a scenario through PLATFORM, for --duration or the scenario's
duration. Requests of chi_traffic become CHI transactions: each flit of requests, snoops, answers and data is in the
load, also across links between meshes. Nothing else of the scenario runs, and no drivers. The same seed gives the same
picture. A file that has only mesh_traffic, chi_traffic and duration will do, too.

--every divides the time of the traffic into frames, at most 1000. Each has a line per mesh, an object in JSON, and a
picture of its own: with --svg mesh.svg, mesh-1.svg, mesh-2.svg ... beside the picture of the whole time. All frames
of a mesh have one scale of colours.

--link-scale and --xp-scale fix the scales, so that pictures of different runs can be compared. What has more than the
darkest colour stands for has the darkest colour.

--set changes a value of the platform. With --traffic, the paths mesh_traffic..., chi_traffic... and seed change the
scenario instead.)",
      .options = map_options() + driver_options("newest"),
      .words = Words::platforms,
      .examples = {{"pmufab map scenarios/platforms/cmn600-small.yaml"},
                   {"pmufab map scenarios/platforms/cmn600-small.yaml cmn0 --compare --drivers 6.12"},
                   {"pmufab map scenarios/platforms/cmn600-small.yaml --svg mesh.svg --traffic "
                    "cmn-flits"},
                   {"pmufab map scenarios/platforms/cmn600-small.yaml --traffic cmn-flits \\\n"
                    "  --set mesh_traffic[0].rate=0.3"},
                   {"pmufab map scenarios/platforms/cmn700-8x8.yaml --traffic cmn-chi --duration '50 us' \\\n"
                    "  --every '10 us' --svg mesh.svg --link-scale 1 --json mesh.json",
                    "the load of CHI transactions in steps, with a fixed scale"}},
      .exit_codes = {{"0", "the meshes were shown; with --compare, both maps agree"},
                     {"1", "the driver's map differs"},
                     {"2", "bad input"},
                     {"3", "an internal error"}},
      .run = run_map,
  };
}

}  // namespace pmufab::cli
