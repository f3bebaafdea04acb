// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/verify/mesh_plan.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::verify {

using cmn::Product;
using scenario::Value;

namespace {

struct ProductWords {
  Product product;
  const char* name;
  std::vector<const char*> revisions;  // by their codes
};

const std::array<ProductWords, 5>& product_words() {
  static const std::array<ProductWords, 5> all{
      {{Product::cmn600, "CMN-600", {"r1p0", "r1p1", "r1p2", "r1p3", "r2p0", "r3p0", "r3p1", "r3p2"}},
       {Product::cmn650, "CMN-650", {"r0p0", "r1p0", "r1p1", "r2p0", "r1p2"}},
       {Product::cmn700, "CMN-700", {"r0p0", "r1p0", "r2p0", "r3p0"}},
       {Product::ci700, "CI-700", {"r0p0", "r1p0", "r2p0"}},
       {Product::s3, "CMN-S3", {"r0p0", "r0p1", "r1p0", "r2p0", "r2p1", "r2p2", "r2p5"}}}};
  return all;
}

constexpr unsigned kSmall = 12;       // crosspoints
constexpr unsigned kLarge = 60;       // crosspoints: fewer devices at each, to keep cases cheap
constexpr unsigned kPortsOfMesh = 4;  // more only in a mesh of one crosspoint
constexpr unsigned kGraviton5Columns = 10;
constexpr unsigned kGraviton5Rows = 14;

/// Makes one mesh. What does not fit together is made again.
class MeshMaker {
 public:
  MeshMaker(Random& random, const CmnDriver& driver, bool gateways, bool small)
      : random_(random), driver_(driver), gateways_(gateways), small_(small) {}

  MeshPlan make();

 private:
  void choose_product();
  void choose_size();
  [[nodiscard]] std::pair<unsigned, unsigned> draw_size();
  void choose_domains();
  [[nodiscard]] unsigned draw_domain(unsigned kind, unsigned xp, unsigned dtcs);
  void place_devices();
  [[nodiscard]] unsigned draw_ports();
  void place_controllers();
  [[nodiscard]] std::vector<std::string> wanted();
  [[nodiscard]] std::string draw_device();
  void add_cals();
  void close_devices();
  void choose_oddities();
  void fill_topology();
  void choose_numbers();
  void choose_root();
  void choose_interrupts();
  void choose_mesh_parameters();
  void choose_nodes();
  [[nodiscard]] Value home_parameters();
  [[nodiscard]] Value io_parameters(bool has_queues);
  [[nodiscard]] Value dvm_parameters();

  [[nodiscard]] bool is_large() const { return xps() > kLarge; }
  [[nodiscard]] unsigned xps() const { return plan_.topology.columns * plan_.topology.rows; }
  [[nodiscard]] std::string home() const { return uses_hn_s_ ? "HN-S" : "HN-F"; }
  [[nodiscard]] std::string gateway() {
    if (!plan_.has_ccg()) return "CXRH";
    return random_.chance(50) ? "CCG" : "CCG-RNI";
  }

  Random& random_;
  const CmnDriver& driver_;
  bool gateways_;
  bool small_;
  bool uses_hn_s_ = false;
  MeshPlan plan_;
  std::vector<unsigned> domains_;
};

MeshPlan MeshMaker::make() {
  constexpr unsigned kMostTries = 200;
  for (unsigned attempt = 0; attempt < kMostTries; ++attempt) {
    plan_ = {};
    choose_product();
    choose_size();
    choose_domains();
    place_devices();
    close_devices();
    fill_topology();
    if (gateways_ && plan_.count("HN-F") + plan_.count("HN-S") == 0) continue;  // no room beside gateway and DTCs
    try {
      cmn::check(plan_.topology);
    } catch (const SpecError&) {
      continue;  // too many nodes or DTMs
    }
    choose_interrupts();
    choose_oddities();
    choose_numbers();
    choose_root();
    choose_mesh_parameters();
    choose_nodes();
    return std::move(plan_);
  }
  throw std::logic_error("no valid mesh was found");
}

void MeshMaker::choose_product() {
  cmn::Topology& topology = plan_.topology;
  std::vector<Product> products{Product::cmn600, Product::cmn650, Product::cmn700, Product::cmn700};
  if (!gateways_) products.push_back(Product::ci700);
  if (driver_.hn_s) products.push_back(Product::s3);
  if (driver_.s3_r2) products.push_back(Product::s3);
  topology.product = random_.pick(products);
  const ProductWords& words =
      *std::ranges::find_if(product_words(), [&](const auto& one) { return one.product == topology.product; });
  std::size_t revisions = words.revisions.size();
  if (topology.product == Product::s3 && !driver_.s3_r2) revisions = kFirstS3R2;
  topology.revision = static_cast<unsigned>(random_.number(0, revisions - 1));
  plan_.product = words.name;
  plan_.revision = words.revisions[topology.revision];
  uses_hn_s_ =
      topology.product == Product::s3 || (topology.product == Product::cmn700 && driver_.hn_s && random_.chance(60));
  if (topology.product == Product::s3 && driver_.graviton5 && !gateways_ && !small_ && random_.chance(14))
    topology.variant = cmn::Variant::graviton5;
  plan_.acpi =
      topology.variant == cmn::Variant::graviton5 || (topology.product != Product::ci700 && random_.chance(50));
  topology.multiple_dtm = topology.product != Product::cmn600 && random_.chance(50);
  topology.frequency_hz = random_.pick({500, 800, 1000, 1600, 2000}) * std::uint64_t{1'000'000};
  const auto channels = [&](bool possible) { return possible && random_.chance(30) ? 2U : 1U; };
  const bool second = cmn::is_700_or_s3(topology.product);
  topology.channels.req = channels(second);
  topology.channels.snp = channels(second);
  const bool has_subs = topology.product != Product::cmn600;
  topology.channels.rsp = channels(has_subs);
  topology.channels.dat = channels(has_subs);
}

/// @return columns and rows of one of the kinds of shapes
std::pair<unsigned, unsigned> MeshMaker::draw_size() {
  const auto draw = [&](unsigned least, unsigned most) { return static_cast<unsigned>(random_.number(least, most)); };
  const unsigned kind = draw(1, 100);
  if (kind <= 9) return {1, 1};
  if (kind <= 16) return {draw(3, 9), 1};
  if (kind <= 26) return {1, draw(3, 9)};
  if (kind <= 38) return {draw(3, 6), 2};
  if (kind <= 50) return {2, draw(3, 6)};
  if (kind <= 66) return {draw(3, 4), draw(3, 4)};
  if (kind <= 78) return {draw(5, 8), draw(3, 4)};
  if (kind <= 90) return {draw(3, 4), draw(5, 8)};
  if (kind <= 96) return {draw(5, 9), draw(5, 9)};
  return {draw(11, 14), draw(10, 14)};
}

void MeshMaker::choose_size() {
  cmn::Topology& topology = plan_.topology;
  if (topology.variant == cmn::Variant::graviton5) {
    topology.columns = kGraviton5Columns;
    topology.rows = kGraviton5Rows;
    topology.limits = cmn::kLinux73Limits;
    return;
  }
  const cmn::ProductFacts& facts = cmn::facts_of(topology.product, topology.revision);
  const unsigned side = std::min<unsigned>(facts.maximum_side, driver_.longest_side);
  do {
    std::tie(topology.columns, topology.rows) = draw_size();
  } while (std::max(topology.columns, topology.rows) > side || xps() > driver_.most_crosspoints ||
           (small_ && xps() > kSmall) || (gateways_ && xps() < 3));
  if (std::max(topology.columns, topology.rows) > cmn::kLinux72Limits.side) topology.limits = cmn::kLinux73Limits;
}

/// @param kind  how domains lie in the mesh
unsigned MeshMaker::draw_domain(unsigned kind, unsigned xp, unsigned dtcs) {
  const unsigned x = xp % plan_.topology.columns;
  const unsigned y = xp / plan_.topology.columns;
  switch (kind) {
    case 0:
      return x * dtcs / plan_.topology.columns;
    case 1:
      return y * dtcs / plan_.topology.rows;
    case 2:
      return (x + y) % dtcs;
    default:
      return static_cast<unsigned>(random_.number(0, dtcs - 1));
  }
}

void MeshMaker::choose_domains() {
  cmn::Topology& topology = plan_.topology;
  domains_.assign(xps(), 0);
  topology.dtcs = 1;
  if (topology.variant == cmn::Variant::graviton5) {
    topology.dtcs = cmn::kMaximumDtcs;
    for (unsigned xp = 0; xp < xps(); ++xp)
      domains_[xp] =
          xp % kGraviton5Columns / (kGraviton5Columns / 2) + 2 * (xp / kGraviton5Columns / (kGraviton5Rows / 2));
    return;
  }
  const bool several = driver_.several_dtcs && (topology.product != Product::cmn600 || driver_.several_dtcs_600);
  if (!several || random_.chance(35)) return;
  topology.dtcs = std::min<unsigned>(random_.pick({2, 2, 3, 4, 4}), xps());
  // Numbers in any order, and each at least once.
  std::vector<unsigned> numbers(topology.dtcs);
  for (unsigned domain = 0; domain < topology.dtcs; ++domain) numbers[domain] = domain;
  random_.shuffle(numbers);
  const auto kind = static_cast<unsigned>(random_.number(0, 3));
  for (unsigned xp = 0; xp < xps(); ++xp) domains_[xp] = numbers[draw_domain(kind, xp, topology.dtcs)];
  const bool all = std::ranges::all_of(
      numbers, [&](unsigned domain) { return std::ranges::find(domains_, domain) != domains_.end(); });
  if (all) return;
  std::vector<unsigned> places(xps());
  for (unsigned xp = 0; xp < xps(); ++xp) places[xp] = xp;
  random_.shuffle(places);
  for (unsigned domain = 0; domain < topology.dtcs; ++domain) domains_[places[domain]] = domain;
}

unsigned MeshMaker::draw_ports() {
  const cmn::ProductFacts& facts = cmn::facts_of(plan_.topology.product, plan_.topology.revision);
  const unsigned most = xps() == 1 ? facts.maximum_ports : std::min<unsigned>(facts.maximum_ports, kPortsOfMesh);
  if (xps() == 1) return std::min(most, random_.pick({2U, 3U, 4U, 5U, 5U, 5U, 6U}));  // 5: a third DTM for one port
  if (is_large()) return random_.pick({0U, 1U, 1U, 2U});
  return std::min(most, random_.pick({0U, 1U, 2U, 2U, 2U, 2U, 3U, 4U}));
}

/// An HN-D in domain 0, an HN-T in each other one.
void MeshMaker::place_controllers() {
  unsigned last = 0;  // of a Graviton5, the DTCs are in the order of crosspoints
  for (unsigned domain = 0; domain < plan_.topology.dtcs; ++domain) {
    std::vector<unsigned> places;
    for (unsigned xp = 0; xp < xps(); ++xp) {
      const bool is_in_order = plan_.topology.variant == cmn::Variant::standard || xp >= last;
      if (domains_[xp] == domain && is_in_order) places.push_back(xp);
    }
    // So that those of the next quadrant, in the same rows, can come later.
    constexpr std::size_t kTwoRows = kGraviton5Columns;
    if (plan_.topology.variant == cmn::Variant::graviton5 && domain % 2 == 0) places.resize(kTwoRows);
    const unsigned xp = random_.pick(places);
    last = xp;
    std::vector<std::string>& ports = plan_.devices[xp];
    if (ports.empty()) ports.resize(1);
    ports[static_cast<std::size_t>(random_.number(0, ports.size() - 1))] = domain == 0 ? "HN-D" : "HN-T";
  }
}

/// @return devices that a mesh should have, the most important first
std::vector<std::string> MeshMaker::wanted() {
  std::vector<std::string> names;
  if (gateways_) names.push_back(gateway());
  names.push_back(home());
  names.emplace_back("SN-F");
  names.emplace_back("RN-F");
  std::vector<std::string> others{"RN-I", "RN-D", "HN-I", "SBSX", home(), "RN-F"};
  if (plan_.topology.product != Product::cmn600) others.emplace_back("HN-P");
  if (plan_.has_ccg() || plan_.topology.product == Product::ci700) others.emplace_back("MTSX");
  random_.shuffle(others);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::string MeshMaker::draw_device() {
  const auto kind = static_cast<unsigned>(random_.number(1, 100));
  if (kind <= 10) return "-";
  if (kind <= 30) return "RN-F";
  if (kind <= 50) return home();
  if (kind <= 62) return "SN-F";
  if (is_large()) return random_.pick({"RN-F", "SN-F", "-"});
  if (kind <= 72) return "RN-I";
  if (kind <= 80) return "RN-D";
  if (kind <= 86) return "HN-I";
  if (kind <= 92) return "SBSX";
  if (kind <= 95) return plan_.topology.product == Product::ci700 ? "RN-F" : gateway();
  if (plan_.topology.product == Product::cmn600) return "HN-I";
  if (plan_.topology.product == Product::cmn650 || random_.chance(50)) return "HN-P";
  return "MTSX";
}

void MeshMaker::place_devices() {
  plan_.devices.resize(xps());
  for (std::vector<std::string>& ports : plan_.devices) ports.resize(draw_ports());
  place_controllers();
  std::vector<std::string*> free;
  for (std::vector<std::string>& ports : plan_.devices) {
    for (std::string& word : ports) {
      if (word.empty()) free.push_back(&word);
    }
  }
  random_.shuffle(free);
  std::size_t next = 0;
  for (const std::string& name : wanted()) {
    if (next < free.size()) *free[next++] = name;
  }
  for (; next < free.size(); ++next) *free[next] = draw_device();
  add_cals();
}

/// Ports at the end without a device are left out: software tells the form of node ids by the ports in use.
void MeshMaker::add_cals() {
  for (std::vector<std::string>& ports : plan_.devices) {
    while (!ports.empty() && ports.back() == "-") ports.pop_back();
    const unsigned most = xps() > 1 && ports.size() > 2 ? 2 : 4;
    for (std::string& word : ports) {
      if (is_large() || word == "-" || word == "HN-D" || word == "HN-T" || !random_.chance(15)) continue;
      word += fmt::format("x{}", random_.number(2, most));
    }
    if (ports.empty()) ports.emplace_back("-");
  }
}

/// Devices whose nodes software must not touch.
void MeshMaker::close_devices() {
  if (!random_.chance(25)) return;
  for (std::vector<std::string>& ports : plan_.devices) {
    for (std::string& word : ports) {
      // Requesters and memory with CHI have no nodes, controllers are needed, and gateways are numbered for links.
      const bool is_needed = word == "-" || word.starts_with("RN-F") || word.starts_with("SN-F") || word == "HN-D" ||
                             word == "HN-T" || word.starts_with("C");
      if (is_needed || !random_.chance(20)) continue;
      word.insert(0, driver_.isolation && random_.chance(60) ? "isolated " : "external ");
    }
  }
}

void MeshMaker::fill_topology() {
  for (unsigned xp = 0; xp < xps(); ++xp) {
    cmn::Crosspoint& crosspoint = plan_.topology.crosspoints.emplace_back();
    crosspoint.dtc_domain = domains_[xp];
    for (const std::string& word : plan_.devices[xp])
      crosspoint.ports.push_back(cmn::standard_port(plan_.topology.product, word).value());
  }
}

void MeshMaker::choose_interrupts() {
  const unsigned dtcs = plan_.topology.dtcs;
  if (dtcs == 1 || random_.chance(30)) return;
  // Of few numbers, so that some share one; not always those that lie side by side.
  const std::uint64_t most = random_.pick({0, 1, 1, 2, 3});
  for (unsigned dtc = 0; dtc < dtcs; ++dtc) plan_.interrupts.push_back(static_cast<unsigned>(random_.number(0, most)));
}

/// Logical ids in any order, with gaps, up to the largest that drivers take. Those of gateways belong to links.
void MeshMaker::choose_numbers() {
  using cmn::NodeType;
  if (!random_.chance(35)) return;
  Value& lists = plan_.logical_ids.emplace(Value::map());
  for (const NodeType type : {NodeType::hn_i, NodeType::hn_f, NodeType::hn_s, NodeType::sbsx, NodeType::mtsx,
                              NodeType::hn_p, NodeType::rn_i, NodeType::rn_d}) {
    std::size_t count = 0;
    for (const cmn::Crosspoint& crosspoint : plan_.topology.crosspoints) {
      for (const cmn::Port& port : crosspoint.ports)
        count += static_cast<std::size_t>(
            std::ranges::count_if(port.nodes, [&](const auto& node) { return node.type == type; }));
    }
    if (count == 0 || random_.chance(30)) continue;
    const std::size_t all = random_.chance(50) ? count : plan_.topology.limits.logical_id + 1;
    std::vector<unsigned> numbers(all);
    for (unsigned id = 0; id < all; ++id) numbers[id] = id;
    random_.shuffle(numbers);
    numbers.resize(count);
    lists.add(std::string(cmn::to_string(type)), list_of(numbers));
  }
  if (lists.entries.empty()) plan_.logical_ids.reset();
}

/// Where firmware has put the CFG node of a CMN-600, with the crosspoints behind it.
void MeshMaker::choose_root() {
  cmn::Topology& topology = plan_.topology;
  if (topology.product != Product::cmn600 || !random_.chance(35)) return;
  constexpr std::uint32_t kSpace = 0x1000'0000;
  const std::uint32_t window = cmn::facts_of(topology.product, topology.revision).node_window;
  const std::size_t nodes = cmn::Layout(topology).nodes().size();
  topology.root = window * static_cast<std::uint32_t>(random_.number(nodes - 1 - xps(), kSpace / window - 1 - xps()));
}

void MeshMaker::choose_oddities() {
  const cmn::Topology& topology = plan_.topology;
  plan_.automotive = topology.product == Product::cmn600 && random_.chance(25);
  plan_.topology.deviations.device_isolation =
      driver_.isolation && topology.product == Product::s3 && topology.revision >= kFirstS3R2 && random_.chance(40);
  if (topology.product == Product::cmn600 || !random_.chance(15)) return;
  for (std::uint64_t left = random_.number(1, 3); left > 0; --left) {
    const auto xp = static_cast<unsigned>(random_.number(0, xps() - 1));
    constexpr std::size_t kFew = 20;  // of the children that a crosspoint has room for
    std::size_t children = topology.crosspoints[xp].nodes.size();
    for (const cmn::Port& port : topology.crosspoints[xp].ports) children += port.nodes.size();
    if (children <= kFew) plan_.empty_children.push_back(xp);
  }
}

void MeshMaker::choose_mesh_parameters() {
  plan_.is_narrow = random_.chance(40);
  plan_.cycles_need_cg_disable = random_.chance(65);
  if (!plan_.is_narrow) return;
  Value& mesh = plan_.mesh.emplace(Value::map());
  mesh.add("buffer_depth", number(random_.number(1, 3)));
  mesh.add("download_credits", number(random_.number(1, 2)));
  mesh.add("credit_delay", number(random_.number(1, 9)));
}

Value MeshMaker::home_parameters() {
  Value home = Value::map();
  home.add("slc_sets", number(random_.pick({4U, 8U, 64U})));
  home.add("slc_ways", number(random_.number(1, 4)));
  home.add("sf_sets", number(random_.pick({4U, 8U, 64U})));
  home.add("sf_ways", number(random_.number(1, 4)));
  // Requests of two meshes for each other that fill both ends' entries would wait for good.
  if (plan_.is_narrow && !gateways_) home.add("pocq_entries", number(random_.number(2, 8)));
  if (random_.chance(20)) home.add("forwarding", flag(false));
  return home;
}

/// Of HN-I, SBSX and MTSX.
Value MeshMaker::io_parameters(bool has_queues) {
  Value io = Value::map();
  if (has_queues) {
    io.add("rrt_entries", number(random_.number(2, 12)));
    io.add("rdt_entries", number(random_.number(1, 6)));
    io.add("wdb_entries", number(random_.number(1, 4)));
  } else {
    io.add("entries", number(random_.number(1, 6)));
  }
  Value& axi = io.add("axi", Value::map());
  axi.add("ar_period", number(random_.number(1, 24)));
  axi.add("aw_period", number(random_.number(1, 24)));
  axi.add("w_period", number(random_.number(1, 6)));
  axi.add("read_latency", number(random_.number(5, 60)));
  return io;
}

Value MeshMaker::dvm_parameters() {
  Value dvm = Value::map();
  dvm.add("trk_entries", number(random_.number(1, 8)));
  dvm.add("snoop_limit", number(random_.number(1, 4)));
  dvm.add("rn_d_ops", flag(random_.chance(50)));
  const cmn::SystemAddressMap addresses(plan_.topology, cmn::Layout(plan_.topology));
  std::vector<unsigned> targets;
  for (const cmn::DeviceKind kind : {cmn::DeviceKind::rn_f, cmn::DeviceKind::rn_d}) {
    for (const std::uint16_t node : addresses.nodes(kind)) targets.push_back(node);
  }
  if (targets.empty() || random_.chance(40)) return dvm;
  Value& filters = dvm.add("vmid_filters", Value::sequence());
  Value& filter = filters.items.emplace_back(Value::map());
  filter.add("node", number(random_.pick(targets)));
  filter.add("vmid", number(random_.number(0, 7)));
  return dvm;
}

void MeshMaker::choose_nodes() {
  Value& nodes = plan_.nodes.emplace(Value::map());
  Value& rn_f = nodes.add("rn_f", Value::map());
  rn_f.add("cache_sets", number(random_.pick({4U, 16U, 64U})));
  rn_f.add("cache_ways", number(random_.number(1, 4)));
  rn_f.add("outstanding", number(random_.number(4, 32)));
  nodes.add("home", home_parameters());
  nodes.add("dvm_node", dvm_parameters());
  if (!plan_.is_narrow) return;
  nodes.add("sn_f", Value::map()).add("entries", number(random_.number(1, 4)));
  nodes.add("io_home", io_parameters(true));
  nodes.add("sbsx", io_parameters(false));
  Value mtsx = io_parameters(false);
  mtsx.add("tc_sets", number(random_.number(1, 8)));
  nodes.add("mtsx", std::move(mtsx));
}

}  // namespace

MeshPlan make_mesh(Random& random, const CmnDriver& driver, bool gateways, bool small) {
  return MeshMaker(random, driver, gateways, small).make();
}

}  // namespace pmufab::verify
