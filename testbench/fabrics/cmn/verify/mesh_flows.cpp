// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/verify/mesh_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/wire/types.h"

namespace pmufab::verify {

using scenario::Value;

namespace {

// Bits 47:44 of addresses select who answers (docs/cmn-nodes.md, section 2).
constexpr unsigned kRegionShift = 44;
constexpr std::uint64_t kIo = std::uint64_t{4} << kRegionShift;
constexpr std::uint64_t kOtherMesh = std::uint64_t{8} << kRegionShift;
constexpr double kMostRate = 0.3;
constexpr double kLeastRate = 1e-6;

unsigned homes_of(const MeshPlan& plan) { return plan.count("HN-F") + plan.count("HN-S"); }

/// @return the regions that a mesh has memory for
std::vector<std::uint64_t> regions_of(const MeshPlan& plan) {
  std::vector<std::uint64_t> regions;
  if (homes_of(plan) == 0) return regions;
  if (plan.count("SN-F") > 0) regions.push_back(0);
  if (plan.count("SBSX") > 0) regions.push_back(std::uint64_t{1} << kRegionShift);
  if (plan.count("MTSX") > 0) regions.push_back(std::uint64_t{2} << kRegionShift);
  return regions;
}

class FlowMaker {
 public:
  FlowMaker(Random& random, const MeshPlan& plan, unsigned mesh, const MeshPlan* neighbour, Picoseconds window,
            MeshFlows& flows)
      : random_(random), plan_(plan), mesh_(mesh), neighbour_(neighbour), window_(window), flows_(flows) {}

  void add_all();

 private:
  enum class Target : std::uint8_t { memory, io, other_mesh };

  void add_requesters(const char* kind, const char* device);
  void add_chi(const char* kind, const std::vector<unsigned>& numbers, Target target);
  /// @param flow  number of the flow of these requesters
  [[nodiscard]] Target draw_target(bool is_rn_f, std::size_t flow);
  [[nodiscard]] Value mix(bool is_rn_f, Target target);
  [[nodiscard]] Value ranges(Target target);
  [[nodiscard]] Value range(std::uint64_t base);
  void add_flits();
  [[nodiscard]] std::vector<cmn::Channel> channels() const;
  /// @param senders  that share `count` things to do in a window
  [[nodiscard]] Value rate(std::uint64_t count, std::size_t senders);

  Random& random_;
  const MeshPlan& plan_;
  unsigned mesh_;
  const MeshPlan* neighbour_;
  Picoseconds window_;
  MeshFlows& flows_;
};

Value FlowMaker::rate(std::uint64_t count, std::size_t senders) {
  constexpr double kSecond = 1e12;
  const double cycles = static_cast<double>(window_) * static_cast<double>(plan_.topology.frequency_hz) / kSecond;
  const double each = static_cast<double>(count) / cycles / static_cast<double>(senders);
  return word(fmt::format("{:.6f}", std::clamp(each, kLeastRate, kMostRate)));
}

/// RN-Fs begin with memory and RN-Is with I/O, so that both are reached. The other mesh has its own requesters, so that
/// homes keep room for what comes from there.
FlowMaker::Target FlowMaker::draw_target(bool is_rn_f, std::size_t flow) {
  const bool has_memory = !regions_of(plan_).empty();
  const bool has_other = neighbour_ != nullptr && !regions_of(*neighbour_).empty();
  if (flow == 0) return is_rn_f && has_memory ? Target::memory : Target::io;
  if (flow == 1 && has_other && random_.chance(80)) return Target::other_mesh;
  std::vector<Target> targets{Target::io};
  if (has_memory) targets.insert(targets.end(), 2, Target::memory);
  if (has_other) targets.push_back(Target::other_mesh);
  return random_.pick(targets);
}

Value FlowMaker::mix(bool is_rn_f, Target target) {
  std::vector<std::string> operations;
  if (target == Target::io) {
    operations = {"read_no_snp", "write_no_snp_full", "write_no_snp_ptl"};
  } else if (target == Target::other_mesh) {
    // Stashes and atomics end before their entries at homes are free, so nothing would bound them.
    operations = {"read_once", "write_unique_full", "write_unique_ptl"};
    if (is_rn_f) operations.insert(operations.end(), {"load", "store", "load_shared"});
  } else {
    operations = {"read_once", "write_unique_full", "write_unique_ptl", "read_no_snp", "write_no_snp_full"};
    if (is_rn_f)
      operations.insert(operations.end(),
                        {"load", "load", "load_shared", "load_clean", "store", "store", "store_line", "clean_unique",
                         "make_unique", "clean_shared", "clean_invalid", "make_invalid", "stash_shared", "stash_unique",
                         "atomic_store", "atomic_load", "atomic_swap", "atomic_compare", "prefetch"});
  }
  if (is_rn_f && target != Target::other_mesh) operations.insert(operations.end(), {"dvm_operation", "dvm_sync"});
  // Some of them, and now and then all.
  random_.shuffle(operations);
  if (random_.chance(60)) operations.resize(static_cast<std::size_t>(random_.number(1, operations.size())));
  Value mix = Value::map();
  for (const std::string& operation : operations) {
    if (mix.find(operation) == nullptr) mix.add(operation, number(random_.number(1, 8)));
  }
  return mix;
}

Value FlowMaker::range(std::uint64_t base) {
  constexpr std::uint64_t kKib = 1024;
  Value range = Value::map();
  range.add("base", word(fmt::format("{:#x}", base + random_.number(0, 15) * 64 * kKib)));
  const std::uint64_t size = random_.pick({2, 8, 64, 512}) * kKib;
  range.add("size", word(fmt::format("{} KiB", size / kKib)));
  const char* const pattern = random_.pick({"uniform", "stream", "hot_set"});
  range.add("pattern", word(pattern));
  if (pattern != std::string_view("hot_set") && random_.chance(20)) range.add("sharing", word("private"));
  if (pattern == std::string_view("hot_set")) range.add("hot_size", word("1 KiB"));
  range.add("weight", number(random_.number(1, 4)));
  return range;
}

Value FlowMaker::ranges(Target target) {
  Value list = Value::sequence();
  if (target == Target::io) {
    list.items.push_back(range(kIo));
    return list;
  }
  const bool is_other = target == Target::other_mesh;
  for (const std::uint64_t region : regions_of(is_other ? *neighbour_ : plan_))
    list.items.push_back(range((is_other ? kOtherMesh : 0) + region));
  return list;
}

void FlowMaker::add_chi(const char* kind, const std::vector<unsigned>& numbers, Target target) {
  const bool is_rn_f = kind == std::string_view("rn_f");
  Value flow = Value::map();
  flow.add("name", word(fmt::format("{}-{}-{}", kind, mesh_, flows_.chi.size())));
  flow.add("mesh", number(mesh_));
  flow.add("requesters", word(kind));
  flow.add("numbers", list_of(numbers));
  flow.add("mix", mix(is_rn_f, target));
  flow.add("ranges", ranges(target));
  flow.add("rate", rate(random_.pick({100U, 300U, 600U}), numbers.size()));
  // What is under way to the other mesh must leave room in the homes of both.
  flow.add("outstanding",
           number(target == Target::other_mesh ? random_.number(1, 2) : random_.pick({1U, 2U, 4U, 8U, 16U})));
  flow.add("qos", list_of(random_.chance(50) ? std::vector<unsigned>{0, 9, 13, 15} : std::vector<unsigned>{15}));
  flow.add("size", number(random_.pick({4U, 8U, 16U, 32U, 64U})));
  if (random_.chance(30)) flow.add("allocate", flag(false));
  if (!is_rn_f) {
    flow.add("lpid", list_of(std::vector<unsigned>{0, 1, 2}));
    if (target == Target::io) flow.add("cancel_share", word(random_.pick({"0", "0.3"})));
  }
  flows_.chi.push_back(std::move(flow));
}

/// Divide the requesters of a kind among one to three flows; some may have nothing to do.
void FlowMaker::add_requesters(const char* kind, const char* device) {
  constexpr unsigned kMostRequesters = 24;  // that do something
  constexpr std::size_t kMostToOther = 3;
  const bool is_rn_f = kind == std::string_view("rn_f");
  std::vector<unsigned> numbers;
  for (unsigned one = 0; one < plan_.count(device); ++one) numbers.push_back(one);
  random_.shuffle(numbers);
  if (numbers.size() > kMostRequesters) numbers.resize(kMostRequesters);
  for (std::size_t flow = 0; !numbers.empty(); ++flow) {
    std::size_t count = static_cast<std::size_t>(random_.number((numbers.size() + 2) / 3, (numbers.size() + 1) / 2));
    const Target target = draw_target(is_rn_f, flow);
    if (target == Target::other_mesh) count = std::min(count, kMostToOther);
    std::vector<unsigned> chosen(numbers.end() - static_cast<std::ptrdiff_t>(count), numbers.end());
    numbers.resize(numbers.size() - count);
    std::ranges::sort(chosen);
    add_chi(kind, chosen, target);
  }
}

std::vector<cmn::Channel> FlowMaker::channels() const {
  using cmn::Channel;
  std::vector<Channel> list{Channel::req, Channel::rsp, Channel::snp, Channel::dat};
  const cmn::VirtualChannels& numbers = plan_.topology.channels;
  if (numbers.rsp == 2) list.push_back(Channel::rsp2);
  if (numbers.dat == 2) list.push_back(Channel::dat2);
  if (numbers.req == 2) list.push_back(Channel::req2);
  if (numbers.snp == 2) list.push_back(Channel::snp2);
  return list;
}

/// Flits without a protocol, on any channels.
void FlowMaker::add_flits() {
  std::size_t ports = 0;
  for (const std::vector<std::string>& words : plan_.devices)
    ports += static_cast<std::size_t>(std::ranges::count_if(words, [](const auto& w) { return w != "-"; }));
  for (const cmn::Channel channel : channels()) {
    if (!random_.chance(60)) continue;
    std::vector<const char*> patterns{"uniform", "bit_complement", "neighbour"};
    if (plan_.topology.columns == plan_.topology.rows) patterns.push_back("transpose");
    Value flow = Value::map();
    flow.add("name", word(fmt::format("flits-{}-{}", mesh_, flows_.flits.size())));
    flow.add("mesh", number(mesh_));
    flow.add("channel", word(std::string(cmn::to_string(channel))));
    flow.add("pattern", word(random_.pick(patterns)));
    flow.add("rate", rate(random_.pick({300U, 1000U, 3000U}), ports));
    std::vector<unsigned> opcodes;
    for (std::uint64_t left = random_.number(1, 4); left > 0; --left) {
      const auto opcode = static_cast<unsigned>(random_.number(1, 0x1f));
      if (std::ranges::find(opcodes, opcode) == opcodes.end()) opcodes.push_back(opcode);
    }
    flow.add("opcodes", list_of(opcodes));
    flow.add("base", word(fmt::format("{:#x}", random_.number(0, 0xffff) << 20U)));
    flow.add("size", word(random_.pick({"4 KiB", "1 MiB", "1 GiB"})));
    flows_.flits.push_back(std::move(flow));
  }
}

void FlowMaker::add_all() {
  add_flits();
  if (random_.chance(8) && !flows_.flits.empty()) return;  // nothing but flits
  add_requesters("rn_f", "RN-F");
  add_requesters("rn_i", "RN-I");
  add_requesters("rn_d", "RN-D");
}

}  // namespace

void add_flows(Random& random, const MeshPlan& plan, unsigned mesh, const MeshPlan* neighbour, Picoseconds window,
               MeshFlows& flows) {
  FlowMaker(random, plan, mesh, neighbour, window, flows).add_all();
}

}  // namespace pmufab::verify
