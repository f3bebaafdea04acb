// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/import/machine.h"

namespace pmufab::cli {
namespace {

using platform::default_map::kSocketShift;

/// An entry of coresight_pmus: the same PMU of one or several sockets, in numbers of socket 0.
struct DraftEntry {
  PmuFacts facts;
  std::vector<unsigned> sockets;
  std::vector<std::string> places;
  std::string name{};
  std::size_t number = 0;  ///< its position
  std::string refusal{};   ///< why no platform can have it
};

/// Socket s of a platform has its registers from s x 2^44 on, and numbers that are s more than those of socket 0.
PmuFacts of_socket_0(const FoundPmu& pmu) {
  PmuFacts facts = pmu.facts;
  const std::uint64_t own = std::uint64_t{pmu.socket} << kSocketShift;
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << kSocketShift) - 1;
  const auto move = [&](std::uint64_t& address) {
    if (address >> kSocketShift != pmu.socket)
      facts.remarks.push_back(fmt::format("{} is {} here: a platform has the registers of socket {} from {} on",
                                          grouped_address(address), grouped_address(own + (address & kOffset)),
                                          pmu.socket, grouped_address(own)));
    address &= kOffset;
  };
  move(facts.base);
  if (facts.page1) move(*facts.page1);
  const auto subtract = [&](std::optional<std::uint64_t>& number, std::string_view what) {
    if (!number) return;
    if (*number < pmu.socket) {
      facts.remarks.push_back(
          fmt::format("the {} is {}, which a PMU of socket {} cannot have", what, *number, pmu.socket));
      number.reset();
    } else {
      *number -= pmu.socket;
    }
  };
  subtract(facts.instance, "instance");
  subtract(facts.id, "id");
  subtract(facts.interrupt, "interrupt");
  return facts;
}

/// @return whether a platform can have a socket of this number
bool can_be(unsigned socket) { return socket < platform::kMaximumSockets; }

std::vector<DraftEntry> entries_of(const FoundMachine& machine) {
  std::vector<DraftEntry> entries;
  std::map<std::string, unsigned> counts;
  std::map<std::uint64_t, std::vector<std::size_t>> at_base;
  for (const FoundPmu& pmu : machine.pmus) {
    PmuFacts facts = of_socket_0(pmu);
    std::vector<std::size_t>& alike = at_base[facts.base];
    const auto same = std::ranges::find_if(alike, [&](std::size_t number) {
      const DraftEntry& entry = entries[number];
      return entry.facts == facts && can_be(entry.sockets.front()) == can_be(pmu.socket) &&
             std::ranges::find(entry.sockets, pmu.socket) == entry.sockets.end();
    });
    if (same == alike.end()) {
      alike.push_back(entries.size());
      const std::string kind = facts.type.empty() ? "pmu" : facts.type == "acpi" ? facts.hid + "_" : facts.type;
      entries.push_back({.facts = std::move(facts),
                         .sockets = {pmu.socket},
                         .places = {pmu.place},
                         .name = fmt::format("{}{}", kind, counts[kind]++),
                         .number = entries.size()});
    } else {
      entries[*same].sockets.push_back(pmu.socket);
      entries[*same].places.push_back(pmu.place);
    }
  }
  return entries;
}

/// Writes the platform, with entries that turn out to be impossible as comments.
class DraftWriter {
 public:
  DraftWriter(const FoundMachine& machine, const std::string& name)
      : machine_(machine), name_(name), entries_(entries_of(machine)) {
    sockets_ = std::min(machine.sockets, platform::kMaximumSockets);
    for (const FoundPmu& pmu : machine.pmus) {
      if (pmu.facts.interrupt) ++owners_[*pmu.facts.interrupt];
    }
    for (DraftEntry& entry : entries_) {
      const auto beyond = std::ranges::find_if_not(entry.sockets, can_be);
      if (beyond != entry.sockets.end()) entry.refusal = fmt::format("a platform has no socket {}", *beyond);
    }
  }

  Draft write() {
    Draft draft;
    draft.pmus = entries_.size();
    draft.text = text(entries_);
    std::optional<scenario::InputError> error = refusal_of(draft.text);
    if (error) {
      refuse_impossible();
      draft.text = text(entries_);
      error = refusal_of(draft.text);
    }
    if (error) draft.refusal = reason_with_place(*error);
    return draft;
  }

 private:
  /// @return what an entry cannot share with another: numbers and names of firmware, pages and interrupts
  [[nodiscard]] static std::vector<std::string> claims_of(const DraftEntry& entry) {
    const PmuFacts& facts = entry.facts;
    std::vector<std::string> claims;
    for (const std::uint64_t socket : entry.sockets) {
      const auto claim = [&](std::string_view what, std::uint64_t number) {
        claims.push_back(fmt::format("{} {:#x}", what, number));
      };
      if (facts.id) claim("id", *facts.id + socket);
      claim(facts.type + facts.hid, facts.instance.value_or(0) + socket);
      if (facts.interrupt) claim("interrupt", *facts.interrupt + socket);
      constexpr unsigned kPage = 12;
      for (const std::optional<std::uint64_t>& page : {std::optional(facts.base), facts.page1}) {
        if (page) claim("page", ((socket << kSocketShift) + *page) >> kPage);
      }
    }
    return claims;
  }

  /// Turn each entry that no platform can have into a comment. It is tried alone, and with those before it that claim
  /// something of its, so that the time grows with the number of entries and not with its square.
  void refuse_impossible() {
    std::map<std::string, std::size_t> owners;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      DraftEntry& entry = entries_[index];
      if (!entry.refusal.empty()) continue;
      const std::vector<std::string> claims = claims_of(entry);
      std::set<std::size_t> tried{index};
      for (const std::string& claim : claims) {
        if (const auto owner = owners.find(claim); owner != owners.end()) tried.insert(owner->second);
      }
      std::vector<DraftEntry> few;
      for (const std::size_t number : tried) few.push_back(entries_[number]);
      if (const std::optional<scenario::InputError> error = refusal_of(text(few)))
        entry.refusal = reason_of(*error, few);
      if (!entry.refusal.empty()) continue;
      for (const std::string& claim : claims) owners.emplace(claim, index);
    }
  }

  /// @return why the entry is impossible, with names in place of positions; empty if the error is about none
  static std::string reason_of(const scenario::InputError& error, const std::vector<DraftEntry>& entries) {
    constexpr std::string_view kList = "coresight_pmus[";
    if (!error.path().starts_with(kList)) return {};
    std::string reason = fmt::format("{} {}", error.path().substr(error.path().rfind('.') + 1), error.reason());
    for (std::size_t index = 0; index < entries.size(); ++index) {
      const std::string position = fmt::format("{}{}]", kList, index);
      if (const std::size_t at = reason.find(position); at != std::string::npos)
        reason.replace(at, position.size(), entries[index].name);
    }
    return reason;
  }

  [[nodiscard]] std::string text(const std::vector<DraftEntry>& entries) const {
    std::string text = head();
    const bool is_empty = std::ranges::all_of(entries, [](const DraftEntry& entry) { return !entry.refusal.empty(); });
    if (!entries.empty()) text += is_empty ? "# coresight_pmus:\n" : "coresight_pmus:\n";
    for (const DraftEntry& entry : entries) text += entry_text(entry);
    if (!machine_.meshes.empty())
      text +=
          "# TODO: meshes. Firmware does not tell the shape of a mesh, which is in its registers: tiles and rows are\n"
          "# placeholders (docs/scenario-format.md, \"CMN meshes\").\n# meshes:\n";
    for (const FoundMesh& mesh : machine_.meshes) text += mesh_text(mesh);
    if (!machine_.others.empty() || !machine_.asides.empty())
      text += "# TODO: what is there besides, and is no entry of this file:\n";
    for (const std::string& other : machine_.others) text += fmt::format("# - {}\n", other);
    for (const std::string& aside : machine_.asides) text += fmt::format("# - {}\n", aside);
    return text;
  }

  [[nodiscard]] std::string head() const {
    scenario::Value names = scenario::Value::map();
    names.add("name", scenario::Value::of(name_, true));
    names.add("description", scenario::Value::of("Draft " + machine_.origin, true));
    std::string text = fmt::format(
        "# A draft of a platform that pmufab import has made {}.\n"
        "# TODO marks placeholders: values that firmware does not tell.\n",
        machine_.origin);
    if (!entries_.empty())
      text +=
          "#\n# TODO: sources of what happens, and the events and filters of each PMU, for example\n"
          "#   sources:\n#     - {name: request, attributes: [port, bytes]}\n"
          "# and in an entry of coresight_pmus\n"
          "#   events:\n#     - {name: requests, number: 0x1, source: request}\n"
          "#   filters:\n#     - {name: port, bits: 0-3}\n"
          "# docs/platforms/coresight-pmus.md explains them.\n";
    text += fmt::format("kind: {}\n{}", entries_.empty() && !machine_.meshes.empty() ? "cmn" : "soc",
                        scenario::to_yaml(names));
    for (const std::string& remark : machine_.remarks) text += fmt::format("# TODO: {}\n", remark);
    if (sockets_ < machine_.sockets)
      text += fmt::format("# TODO: firmware has {} sockets, and a platform {} at most\n", machine_.sockets, sockets_);
    constexpr unsigned kMostCpus = 512;
    const unsigned cpus = std::min(machine_.cpus_per_socket, kMostCpus / sockets_);
    if (cpus < machine_.cpus_per_socket)
      text +=
          fmt::format("# TODO: a socket has {} CPUs, and a platform {} at most\n", machine_.cpus_per_socket, kMostCpus);
    return text + fmt::format("sockets: {}\ncpus_per_socket: {}\n", sockets_, cpus);
  }

  [[nodiscard]] std::string entry_text(const DraftEntry& entry) const {
    std::string text;
    const auto add = [&](std::string_view line) {
      text += fmt::format("  {}{}\n", entry.refusal.empty() ? "" : "# ", line);
    };
    text += fmt::format("  # {}\n", fmt::join(entry.places, "; "));
    if (!entry.refusal.empty())
      text += fmt::format("  # TODO: no platform can have this: {}\n", printable(entry.refusal));
    for (const std::string& remark : entry.facts.remarks) text += fmt::format("  # TODO: {}\n", remark);
    add(fmt::format("- name: {}", entry.name));
    if (entry.sockets.size() < sockets_ || !can_be(entry.sockets.front()))
      add(fmt::format("  sockets: [{}]", fmt::join(entry.sockets, ", ")));
    for (const std::string& line : told(entry)) add("  " + line);
    for (const std::string& line : not_told(entry)) add("  " + line);
    return text;
  }

  /// @return the keys that firmware tells
  [[nodiscard]] std::vector<std::string> told(const DraftEntry& entry) const {
    const PmuFacts& facts = entry.facts;
    std::vector<std::string> lines{"base: " + grouped_address(facts.base)};
    if (facts.page1) lines.push_back("page1: " + grouped_address(*facts.page1));
    if (facts.interrupt) {
      const bool is_shared = std::ranges::any_of(entry.sockets, [&](unsigned socket) {
        const auto owners = owners_.find(*facts.interrupt + socket);
        return owners != owners_.end() && owners->second > 1;
      });
      lines.push_back(fmt::format("interrupt: {{number: {}, trigger: {}{}}}", *facts.interrupt,
                                  facts.is_edge ? "edge" : "level", is_shared ? ", shared: true" : ""));
    }
    if (!facts.type.empty()) lines.push_back("type: " + facts.type);
    if (!facts.hid.empty()) lines.push_back(fmt::format("hid: \"{}\"", facts.hid));
    if (facts.instance) lines.push_back(fmt::format("instance: {}", *facts.instance));
    if (facts.id) lines.push_back(fmt::format("id: {}", *facts.id));
    if (facts.cpu) lines.push_back(fmt::format("cpu: {}", *facts.cpu));
    lines.push_back(fmt::format("atomic_64bit: {}", facts.atomic_64bit));
    if (facts.implementation_id != 0) lines.push_back(fmt::format("implementation_id: {:#x}", facts.implementation_id));
    return lines;
  }

  /// @return placeholders. Those of the register layout are what a PMU would have of which nothing is said.
  [[nodiscard]] std::vector<std::string> not_told(const DraftEntry& entry) const {
    std::vector<std::string> lines;
    const PmuFacts& facts = entry.facts;
    const auto add = [&](const std::string& key, std::string_view what) {
      lines.push_back(fmt::format("{:<22} # TODO{}{}", key, what.empty() ? "" : ": ", what));
    };
    if (facts.type.empty()) add("hid: TODO0001", "type and hardware id, which name it");
    if (facts.implementation_id == 0) {
      add("pmiidr: 0x43b", "PMIIDR, at 0xe08 of the first page; this is Arm");
    } else {
      constexpr std::uint32_t kImplementer = 0xfff;
      const std::uint32_t implementer = facts.implementation_id & kImplementer;
      const std::string suffix = fmt::format("{}{}", entry.number, sockets_ > 1 ? "_{socket}" : "");
      if (implementer == 0x36b) add("perf_name: nvidia_uncore_pmu_" + suffix, "as pmufab list shows it");
      if (implementer == 0xa16) add("perf_name: ampere_mcu_pmu_" + suffix, "as pmufab list shows it");
    }
    add("layout: 32-bit", "or 64-bit");
    add("counters: 8", "PMCFGR.N + 1 (at 0xe00, bits 0 to 7)");
    add("width: 64", "PMCFGR.SIZE + 1 (bits 8 to 13)");
    add("cycle_counter: true", "PMCFGR.CC (bit 14)");
    add("clock: 1 GHz", "");
    return lines;
  }

  [[nodiscard]] std::string mesh_text(const FoundMesh& mesh) const {
    std::string text = fmt::format("#   # {}", mesh.place);
    if (mesh.size == 0) text += ": its registers are not told";
    if (mesh.size != 0)
      text += fmt::format(": registers at {} ... {}", grouped_address(mesh.base),
                          grouped_address(mesh.base + mesh.size - 1));
    if (!mesh.interrupts.empty())
      text += fmt::format(", interrupts of DTCs {} (a platform has its own numbers)", fmt::join(mesh.interrupts, ", "));
    text += '\n';
    for (const std::string& remark : mesh.remarks) text += fmt::format("#   # TODO: {}\n", remark);
    text += fmt::format("#   - product: {}\n#     firmware: {}\n", mesh.product, mesh.in_acpi ? "acpi" : "device_tree");
    if (mesh.size != 0) text += fmt::format("#     base: {}\n", grouped_address(mesh.base));
    if (mesh.root && mesh.product == "CMN-600") text += fmt::format("#     root: {}\n", grouped_address(*mesh.root));
    if (mesh.socket && !can_be(*mesh.socket))
      text += fmt::format("#     # TODO: it is of socket {}, which a platform does not have\n", *mesh.socket);
    else if (mesh.socket)
      text += fmt::format("#     socket: {}\n", *mesh.socket);
    if (mesh.proximity)
      text += fmt::format("{:<49}# TODO: the socket of proximity domain {}\n", "#     socket: 0", *mesh.proximity);
    return text +
           "#     tiles: {A: [RN-F, HN-F], D: [HN-D, SN-F]}  # TODO\n"
           "#     rows:                                      # TODO: the northernmost first\n"
           "#       - A D A\n";
  }

  const FoundMachine& machine_;
  const std::string& name_;
  std::vector<DraftEntry> entries_;
  unsigned sockets_ = 1;
  std::map<std::uint64_t, unsigned> owners_;  // of interrupts
};

}  // namespace

std::optional<scenario::InputError> refusal_of(const std::string& text) {
  try {
    scenario::Value effective = scenario::Value::map();
    static_cast<void>(scenario::read_platform(scenario::parse_text(text, "draft"), "", effective));
    return std::nullopt;
  } catch (const scenario::InputError& error) {
    return error;
  }
}

std::string reason_with_place(const scenario::InputError& error) {
  return fmt::format("{}{}{}", error.path(), error.path().empty() ? "" : ": ", error.reason());
}

std::string grouped_address(std::uint64_t address) {
  std::string text = fmt::format("{:x}", address);
  for (std::size_t at = text.size(); at > 4;) text.insert(at -= 4, "_");
  return "0x" + text;
}

Draft draft_of(const FoundMachine& machine, const std::string& name) { return DraftWriter(machine, name).write(); }

const char* mesh_product(std::string_view id) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 9> kIds = {{{"ARMHC600", "CMN-600"},
                                                                                    {"ARMHC650", "CMN-650"},
                                                                                    {"ARMHC700", "CMN-700"},
                                                                                    {"ARMHC003", "CMN-S3"},
                                                                                    {"arm,cmn-600", "CMN-600"},
                                                                                    {"arm,cmn-650", "CMN-650"},
                                                                                    {"arm,cmn-700", "CMN-700"},
                                                                                    {"arm,cmn-s3", "CMN-S3"},
                                                                                    {"arm,ci-700", "CI-700"}}};
  const auto* const found = std::ranges::find_if(kIds, [&](const auto& one) { return one.first == id; });
  return found == kIds.end() ? nullptr : found->second;
}

}  // namespace pmufab::cli
