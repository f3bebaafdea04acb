// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/scenario/cmn_loader.h"

namespace pmufab::scenario {
namespace {

using cmn::Product;
using cmn::Topology;

const Words<Product>& products() {
  static const Words<Product> words = {{"CMN-600", Product::cmn600},
                                       {"CMN-650", Product::cmn650},
                                       {"CMN-700", Product::cmn700},
                                       {"CI-700", Product::ci700},
                                       {"CMN-S3", Product::s3}};
  return words;
}

/// Revisions by their code in the peripheral id.
const std::vector<std::string>& revisions(Product product) {
  static const std::map<Product, std::vector<std::string>> all = {
      {Product::cmn600, {"r1p0", "r1p1", "r1p2", "r1p3", "r2p0", "r3p0", "r3p1", "r3p2"}},
      {Product::cmn650, {"r0p0", "r1p0", "r1p1", "r2p0", "r1p2"}},
      {Product::cmn700, {"r0p0", "r1p0", "r2p0", "r3p0"}},
      {Product::ci700, {"r0p0", "r1p0", "r2p0"}},
      {Product::s3, {"r0p0", "r0p1", "r1p0", "r2p0", "r2p1", "r2p2", "r2p5"}}};
  return all.at(product);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

std::vector<cmn::Port> ports_of(Reader& tiles, const std::string& tile, const std::vector<std::string>& devices,
                                Product product) {
  std::vector<cmn::Port> ports;
  for (const std::string& device : devices) {
    const std::optional<cmn::Port> port = cmn::standard_port(product, device);
    if (!port) {
      std::vector<std::string> names;
      for (const std::string_view name : cmn::standard_port_names()) names.emplace_back(name);
      tiles.fail(tile, fmt::format("there is no device '{}'", device),
                 fmt::format("use one of {}; '-' is an empty port, 'x2' behind a name means two devices at a CAL, "
                             "'@1' that the first of them is device 1, and 'external' or 'isolated' before it that "
                             "software must not touch them",
                             quoted_list(names)));
    }
    ports.push_back(*port);
  }
  return ports;
}

using Tiles = std::map<std::string, std::vector<cmn::Port>>;

Tiles read_tiles(Reader& reader, Product product) {
  Tiles tiles;
  const Value* const value = reader.take("tiles");
  if (value == nullptr || value->kind != Value::Kind::map || value->entries.empty())
    reader.fail("tiles", "must be a map of lists of devices", "for example tiles: {A: [RN-F, HN-F], D: [HN-D, SN-F]}");
  Value effective = Value::map();
  Reader lists(*value, reader.path_of("tiles"), effective);
  for (const Value::Entry& entry : value->entries) {
    std::vector<std::string> devices;
    lists.texts(entry.key, devices);
    tiles.emplace(entry.key, ports_of(lists, entry.key, devices, product));
  }
  lists.finish();
  reader.put("tiles", std::move(effective));
  return tiles;
}

/// The rows of a picture, the last one first: y grows to the north.
std::vector<std::vector<std::string>> read_picture(Reader& reader, std::string_view key, std::size_t columns,
                                                   std::size_t rows) {
  std::vector<std::string> lines;
  reader.texts(key, lines);
  std::vector<std::vector<std::string>> picture;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) picture.push_back(words_of(*line));
  const std::size_t width = columns != 0 ? columns : picture.empty() ? 0 : picture.front().size();
  for (const std::vector<std::string>& row : picture) {
    if (row.size() != width || width == 0)
      reader.fail(key, fmt::format("has rows of {} and of {} crosspoints", width, row.size()),
                  "every row has one word for each column");
  }
  if (rows != 0 && !picture.empty() && picture.size() != rows)
    reader.fail(key, fmt::format("has {} rows, but the mesh has {}", picture.size(), rows));
  return picture;
}

/// An HN-S stands where other configurations of the part have an HN-F: a mesh has homes of one kind.
void check_homes(Reader& reader, const Topology& topology) {
  bool hn_f = false;
  bool hn_s = false;
  for (const cmn::Crosspoint& crosspoint : topology.crosspoints) {
    for (const cmn::Port& port : crosspoint.ports) {
      hn_f = hn_f || port.device == cmn::DeviceType::hn_f;
      hn_s = hn_s || port.device == cmn::DeviceType::hn_s;
    }
  }
  if (hn_f && hn_s)
    reader.fail("rows", "has HN-F and HN-S in one mesh", "a mesh has homes of one kind; make all of them the same");
}

void read_crosspoints(Reader& reader, Topology& topology) {
  const Tiles tiles = read_tiles(reader, topology.product);
  if (!reader.has("rows")) reader.fail("rows", "is missing", "one line per row of crosspoints, the northernmost first");
  const auto picture = read_picture(reader, "rows", 0, 0);
  if (picture.empty()) reader.fail("rows", "holds no row");
  topology.rows = static_cast<unsigned>(picture.size());
  topology.columns = static_cast<unsigned>(picture.front().size());
  for (const auto& row : picture) {
    for (const std::string& word : row) {
      const auto tile = tiles.find(word);
      if (tile == tiles.end()) {
        std::vector<std::string> names;
        for (const auto& entry : tiles) names.push_back(entry.first);
        reader.fail("rows", fmt::format("there is no tile '{}'", word), "tiles are " + quoted_list(names));
      }
      topology.crosspoints.push_back({.dtc_domain = 0, .ports = tile->second, .nodes = {}});
    }
  }
  check_homes(reader, topology);
  const auto domains = read_picture(reader, "domains", topology.columns, topology.rows);
  for (std::size_t y = 0; y < domains.size(); ++y) {
    for (std::size_t x = 0; x < domains[y].size(); ++x) {
      const std::string& word = domains[y][x];
      if (word.size() != 1 || word[0] < '0' || word[0] > '3')
        reader.fail("domains", fmt::format("'{}' is not a DTC domain", word), "use 0 ... 3");
      topology.crosspoints[y * topology.columns + x].dtc_domain = static_cast<unsigned>(word[0] - '0');
    }
  }
  topology.dtcs = 0;
  for (const cmn::Crosspoint& crosspoint : topology.crosspoints) {
    for (const cmn::Port& port : crosspoint.ports) {
      topology.dtcs += static_cast<unsigned>(
          std::ranges::count_if(port.nodes, [](const cmn::Node& node) { return node.type == cmn::NodeType::dtc; }));
    }
  }
}

/// Types of nodes whose logical ids a file may give. That of a DTC is its domain.
constexpr std::array kNumbered = {cmn::NodeType::dvm,  cmn::NodeType::hn_i, cmn::NodeType::hn_f,    cmn::NodeType::hn_s,
                                  cmn::NodeType::sbsx, cmn::NodeType::mtsx, cmn::NodeType::hn_p,    cmn::NodeType::rn_i,
                                  cmn::NodeType::rn_d, cmn::NodeType::cxra, cmn::NodeType::cxha,    cmn::NodeType::ccra,
                                  cmn::NodeType::ccha, cmn::NodeType::ccla, cmn::NodeType::ccla_rni};

/// Give the nodes of a type, in order of crosspoint, port and device, the logical ids of a list.
void number_nodes(Reader& reader, cmn::NodeType type, Topology& topology) {
  const std::string_view key = cmn::to_string(type);
  if (!reader.has(key)) return;
  std::vector<std::string> numbers;
  reader.texts(key, numbers);
  std::vector<cmn::Node*> nodes;
  for (cmn::Crosspoint& crosspoint : topology.crosspoints) {
    for (cmn::Port& port : crosspoint.ports) {
      for (cmn::Node& node : port.nodes) {
        if (node.type == type) nodes.push_back(&node);
      }
    }
  }
  if (numbers.size() != nodes.size())
    reader.fail(key, fmt::format("has {} logical ids, but the mesh has {} such nodes", numbers.size(), nodes.size()),
                "one for each, in order of crosspoint (y * columns + x), port and device");
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::uint64_t number = 0;
    try {
      number = parse_quantity(numbers[i], Quantity::count);
    } catch (const std::invalid_argument&) {
      number = ~std::uint64_t{0};
    }
    if (number > topology.limits.logical_id)
      reader.fail(key, fmt::format("'{}' is not a logical id", numbers[i]),
                  fmt::format("drivers take 0 ... {}", topology.limits.logical_id));
    if (!seen.insert(number).second)
      reader.fail(key, fmt::format("{} is there twice", number), "each node has its own");
    nodes[i]->logical_id = static_cast<std::uint16_t>(number);
  }
}

/// Offset of the root node, and logical ids.
void read_own_numbers(Reader& reader, Topology& topology) {
  if (reader.has("root")) reader.number("root", topology.root.emplace(), Quantity::address, 0, 0x0fff'c000);
  // Skip the key if it is not there, as each of its lists has as many numbers as there are nodes.
  if (!reader.has("logical_ids")) return;
  reader.object("logical_ids", [&](Reader& lists) {
    for (const cmn::NodeType type : kNumbered) number_nodes(lists, type, topology);
  });
}

/// What parts have now and then, and software must bear.
void read_oddities(Reader& reader, Topology& topology) {
  constexpr std::uint16_t kAutomotive = 0x438;
  bool automotive = false;
  reader.flag("automotive", automotive);
  if (automotive && topology.product != Product::cmn600)
    reader.fail("automotive", "only a CMN-600 has this variant", "leave it out");
  if (automotive) topology.deviations.part_number = kAutomotive;
  reader.flag("device_isolation", topology.deviations.device_isolation);
  std::vector<std::string> crosspoints;
  reader.texts("empty_children", crosspoints);
  for (const std::string& text : crosspoints) {
    try {
      const std::uint64_t xp = parse_quantity(text, Quantity::count);
      if (xp >= topology.crosspoints.size()) throw std::invalid_argument("beyond the mesh");
      topology.deviations.child_pointers.push_back({.xp = static_cast<unsigned>(xp), .value = 0});
    } catch (const std::invalid_argument&) {
      reader.fail("empty_children", fmt::format("'{}' is not a crosspoint of the mesh", text),
                  fmt::format("use y * columns + x, 0 ... {}", topology.crosspoints.size() - 1));
    }
  }
  if (!crosspoints.empty() && topology.product == Product::cmn600)
    reader.fail("empty_children", "a child pointer of 0 leads to a node on CMN-600", "leave it out");
}

void read_mesh_pmu(Reader& pmu, cmn::PmuParameters& parameters) {
  pmu.number("local_width", parameters.local_width, Quantity::count, 8, 16);
  pmu.number("global_width", parameters.global_width, Quantity::count, 8, 32);
  pmu.number("cycle_width", parameters.cycle_width, Quantity::count, 8, 40);
  pmu.flag("cycles_need_cg_disable", parameters.cycles_need_cg_disable);
  pmu.number("carry_latency", parameters.carry.latency, Quantity::duration);
  pmu.number("carries_per_cycle", parameters.carry.per_cycle);
  pmu.number("carry_queue", parameters.carry.queue_room);
  if (parameters.carry.queue_room > 0 && parameters.carry.per_cycle == 0)
    pmu.fail("carry_queue", "without a limit of carries_per_cycle no carry waits in a queue",
             "add carries_per_cycle: 1, or remove carry_queue");
}

}  // namespace

void read_cmn(Reader& reader, std::size_t index, platform::CmnSpec& spec) {
  constexpr std::uint64_t kFirstBase = 0x5000'0000;
  constexpr std::uint64_t kStride = 0x4000'0000;
  Topology& topology = spec.topology;
  topology.base = kFirstBase + index * kStride;
  topology.limits = cmn::kLinux72Limits;
  reader.choice("product", topology.product, products());
  const std::vector<std::string>& names = revisions(topology.product);
  Words<unsigned> words;
  for (unsigned code = 0; code < names.size(); ++code) words.emplace_back(names[code], code);
  topology.revision = static_cast<unsigned>(names.size()) - 1;
  reader.choice("revision", topology.revision, words);
  reader.choice("variant", topology.variant,
                {{"standard", cmn::Variant::standard}, {"graviton5", cmn::Variant::graviton5}});
  // No older driver has its firmware id.
  if (topology.variant == cmn::Variant::graviton5) topology.limits = cmn::kLinux73Limits;
  reader.number("clock", topology.frequency_hz, Quantity::frequency, 1, 1'000'000'000'000);
  reader.number("base", topology.base, Quantity::address);
  reader.choice(
      "firmware", spec.firmware,
      {{"device_tree", platform::CmnSpec::Firmware::device_tree}, {"acpi", platform::CmnSpec::Firmware::acpi}});
  reader.flag("multiple_dtm", topology.multiple_dtm);
  reader.object("channels", [&](Reader& channels) {
    channels.number("req", topology.channels.req);
    channels.number("rsp", topology.channels.rsp);
    channels.number("snp", topology.channels.snp);
    channels.number("dat", topology.channels.dat);
  });
  reader.choice("limits", topology.limits, {{"linux-7.2", cmn::kLinux72Limits}, {"linux-7.3", cmn::kLinux73Limits}});
  std::vector<std::string> interrupts;
  reader.texts("interrupts", interrupts);
  for (const std::string& text : interrupts) {
    if (text.size() != 1 || text[0] < '0' || text[0] > '3')
      reader.fail("interrupts", fmt::format("'{}' is not an interrupt of a mesh", text),
                  "use 0 ... 3 for each DTC; DTCs with the same number share it");
    spec.interrupts.push_back(static_cast<unsigned>(text[0] - '0'));
  }
  if (reader.has("socket")) reader.number("socket", spec.socket.emplace(), Quantity::count, 0);
  reader.object("mesh", [&](Reader& mesh) {
    using cmn::MeshParameters;
    mesh.number("buffer_depth", spec.mesh.buffer_depth, Quantity::count, 1, MeshParameters::kMaximumBuffer);
    mesh.number("router_delay", spec.mesh.router_delay, Quantity::count, 0, MeshParameters::kMaximumDelay);
    mesh.number("link_delay", spec.mesh.link_delay, Quantity::count, 1, MeshParameters::kMaximumDelay);
    mesh.number("download_credits", spec.mesh.download_credits, Quantity::count, 1, MeshParameters::kMaximumBuffer);
    mesh.number("credit_delay", spec.mesh.credit_delay, Quantity::count, 1, MeshParameters::kMaximumDelay);
  });
  reader.object("nodes", [&](Reader& nodes) { read_nodes(nodes, spec.nodes); });
  reader.object("pmu", [&](Reader& pmu) { read_mesh_pmu(pmu, spec.mesh.pmu); });
  read_crosspoints(reader, topology);
  read_own_numbers(reader, topology);
  read_oddities(reader, topology);
}

void read_flit_flow(Reader& reader, traffic::FlitFlowSpec& flow) {
  reader.text("name", flow.name, Presence::required);
  reader.number("mesh", flow.mesh);
  Words<cmn::Channel> channels;
  for (unsigned channel = 0; channel < cmn::kChannels; ++channel) {
    const auto value = static_cast<cmn::Channel>(channel);
    if (value != cmn::Channel::pub) channels.emplace_back(cmn::to_string(value), value);
  }
  reader.choice("channel", flow.channel, channels);
  Words<traffic::MeshPattern> patterns;
  for (const traffic::MeshPattern pattern :
       {traffic::MeshPattern::uniform, traffic::MeshPattern::hotspot, traffic::MeshPattern::transpose,
        traffic::MeshPattern::bit_complement, traffic::MeshPattern::neighbour})
    patterns.emplace_back(traffic::to_string(pattern), pattern);
  reader.choice("pattern", flow.pattern, patterns);
  reader.real("rate", flow.rate, traffic::GeometricGaps::kSmallestProbability, 1);
  for (const char* const key : {"hot_xp", "hot_share"}) {
    if (flow.pattern != traffic::MeshPattern::hotspot && reader.has(key))
      reader.fail(key, fmt::format("belongs to the pattern hotspot, not to {}", traffic::to_string(flow.pattern)),
                  "add pattern: hotspot, or leave it out");
  }
  // Only there, so that the effective configuration can be read again.
  if (flow.pattern == traffic::MeshPattern::hotspot) {
    reader.number("hot_xp", flow.hot_xp);
    reader.real("hot_share", flow.hot_share, 0, 1);
  }
  std::vector<std::string> opcodes;
  reader.texts("opcodes", opcodes);
  for (const std::string& text : opcodes) {
    std::uint64_t opcode = 0;
    try {
      opcode = parse_quantity(text, Quantity::count);
    } catch (const std::invalid_argument&) {
      // 0 is refused below
    }
    if (opcode == 0 || opcode > 0x7f)
      reader.fail("opcodes", fmt::format("'{}' is not a CHI opcode", text), "use 1 ... 0x7f");
    flow.opcodes.push_back(static_cast<std::uint32_t>(opcode));
  }
  reader.number("base", flow.base, Quantity::address);
  reader.number("size", flow.size, Quantity::bytes, 64);
  reader.number("start", flow.start, Quantity::duration);
  if (reader.has("duration")) reader.number("duration", flow.duration.emplace(), Quantity::duration, 1);
  if (reader.has("count")) reader.number("count", flow.count.emplace(), Quantity::count, 1);
  if (reader.has("seed")) reader.number("seed", flow.seed.emplace());
}

}  // namespace pmufab::scenario
