// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/tracing/story.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/tracing/tracing.h"

namespace pmufab::cli {
namespace {

using scenario::Json;
using Log = std::vector<Json>;

bool is_access(const Json& line) { return line.at("kind") == "read" || line.at("kind") == "write"; }

bool is_event(const Json& line, const char* what) {
  return line.at("kind") == "event" && line.value("what", "") == what;
}

bool is_marked(const Json& line) { return line.value("is_asked", false); }

/// The end of a call.
bool is_end(const Json& line) { return line.at("kind") == "call" && !line.value("begin", true); }

// ---- Which lines tell most

/// An interrupt that no handler took says most, with everything since it was delivered.
constexpr unsigned kNotHandled = 6;
constexpr unsigned kChange = 3;  // an access that changes something
constexpr unsigned kLeast = 1;

/// How much a line says about a count: the most important ones are shown.
unsigned weight_of(const Json& line) {
  const std::string kind = line.at("kind");
  if (kind == "note" || kind == "kernel") return 5;
  if (kind == "call" && line.contains("error")) return 5;
  if (kind == "interrupt") return line.at("what") == "raised" ? 4 : 2;
  if (kind == "event" && line.value("what", "") != "read") return is_marked(line) ? 4 : kLeast;
  if (kind == "write" && line.at("register") == "") return 4;  // it goes where nothing is
  if (kind == "write") return line.at("changed").empty() ? 2 : kChange;
  if (kind == "read") return line.at("changed").empty() ? kLeast : kChange;
  return is_marked(line) && is_end(line) ? 3 : 0;
}

/// What is the same in lines that come again and again, such as accesses of all nodes of a mesh.
std::string likeness(const Json& line) {
  if (line.at("kind") == "kernel") return line.at("text");
  const std::string name = line.at("register");
  return fmt::format("{} {} {} {}", line.at("kind").get<std::string>(), name.substr(0, name.find('[')),
                     line.value("value", ""), line.at("function").get<std::string>());
}

/// A register and who accesses it how, whatever its value.
std::string sort_of(const Json& line) {
  if (!is_access(line)) return {};
  const std::string name = line.at("register");
  return fmt::format("{} {} {}", line.at("kind").get<std::string>(), name.substr(0, name.find('[')),
                     line.at("function").get<std::string>());
}

struct Weighed {
  unsigned weight;
  std::size_t index;
  bool is_new = true;  // no later line is of the same sort
};

/// @return the lines between both ends of a part, the most telling first, and of these the latest of each sort
std::vector<Weighed> weigh(const Log& log, const StoryPart& part) {
  std::vector<Weighed> order;
  std::size_t delivered = 0;     // in `order`
  std::set<std::string> before;  // in this call
  std::set<std::string> said;    // by the kernel
  bool is_added = false;         // the driver sets the event up
  bool is_handled = false;       // or handles an interrupt
  for (std::size_t i = part.first + 1; i < part.last; ++i) {
    const std::string what = log[i].value("what", "");
    if (what == "delivered") delivered = order.size();
    unsigned weight = weight_of(log[i]);
    const std::string call = log[i].value("call", "");
    if (log[i].at("kind") == "call" && call == "add" && is_marked(log[i])) is_added = log[i].value("begin", false);
    if (log[i].at("kind") == "call" && call == "interrupt") is_handled = log[i].value("begin", false);
    if (is_access(log[i]) && (is_handled || (is_added && weight == kChange))) ++weight;
    if (log[i].at("kind") == "kernel" && !said.insert(likeness(log[i])).second) weight = kLeast;
    if (log[i].value("begin", false)) before.clear();
    if (is_access(log[i]) && !before.insert(likeness(log[i])).second) weight = std::min(weight, kLeast);
    order.push_back({.weight = weight, .index = i});
    if (what != "not handled") continue;
    for (std::size_t j = delivered; j < order.size(); ++j) order[j].weight = kNotHandled;
  }
  std::erase_if(order, [](const Weighed& one) { return one.weight == 0; });
  std::set<std::string> sorts;
  for (auto one = order.rbegin(); one != order.rend(); ++one)
    one->is_new =
        !is_access(log[one->index]) || sorts.insert(fmt::format("{} {}", one->weight, sort_of(log[one->index]))).second;
  std::ranges::sort(order, [](const Weighed& one, const Weighed& other) {
    return std::tuple(one.weight, one.is_new, one.index) > std::tuple(other.weight, other.is_new, other.index);
  });
  return order;
}

/// Whether the count at the end of a part is too low. What ends otherwise may be.
bool is_too_low(const Json& last) {
  if (!last.contains("count") || !last.contains("expected")) return true;
  return last.at("count").get<std::uint64_t>() < last.at("expected").at("low").get<std::uint64_t>();
}

/// @return lines that are shown whatever else there is: the last call of an interrupt handler, and the last access in the
///         call that gives the wrong count. For a count that is too low, also the last read that gave 0; for another one,
///         0 is added to nothing, and such reads are passed over.
std::set<std::size_t> always_shown(const Log& log, const StoryPart& part) {
  std::optional<std::size_t> handler;
  std::optional<std::size_t> zero;
  std::optional<std::size_t> deciding;
  const bool is_low = is_too_low(log[part.last]);
  for (std::size_t i = part.first + 1; i < part.last; ++i) {
    const Json& line = log[i];
    const bool is_begin = line.at("kind") == "call" && line.value("begin", false);
    if (is_begin && line.value("call", "") == "interrupt") handler = i;
    if (is_begin) deciding.reset();
    if (!is_access(line)) continue;
    const bool has_value = line.at("kind") == "read" && line.at("ok").get<bool>();
    const bool is_zero = has_value && std::stoull(line.at("value").get<std::string>(), nullptr, 0) == 0;
    if (is_zero && is_low) zero = i;
    if (!is_zero || is_low) deciding = i;
  }
  std::set<std::size_t> shown;
  for (const auto& one : {handler, zero, is_end(log[part.last]) ? deciding : std::nullopt}) {
    if (one) shown.insert(*one);
  }
  return shown;
}

// ---- What was set before

/// Setting and clearing bits by two registers leaves nothing in them.
bool is_one_of_two(const std::string& name) {
  const std::string plain = name.substr(0, name.find('['));
  return plain.ends_with("SET") || plain.ends_with("CLR");
}

/// @return the latest writes before a part that have left something in a register which nobody writes in the part: by
/// firmware anywhere, by the driver where it accesses something in the part
std::vector<std::size_t> still_set(const Log& log, const StoryPart& part) {
  constexpr std::size_t kMost = 4;
  std::map<std::string, std::size_t> latest;  // by address
  for (std::size_t i = 0; i < part.first; ++i) {
    if (log[i].at("kind") == "write" && log[i].at("ok").get<bool>()) latest[log[i].at("address")] = i;
  }
  std::set<std::string> instances;
  for (std::size_t i = part.first; i <= part.last; ++i) {
    if (!is_access(log[i])) continue;
    instances.insert(log[i].at("instance").get<std::string>());
    if (log[i].at("kind") == "write") latest.erase(log[i].at("address").get<std::string>());
  }
  std::map<std::string, std::size_t> kinds;  // of writes that are alike, the latest
  for (const auto& [address, index] : latest) {
    const Json& line = log[index];
    const bool is_firmware = line.at("function") == "" && line.at("phase") == "loading";
    if (std::stoull(line.at("value").get<std::string>(), nullptr, 0) == 0) continue;
    const bool is_near = line.at("phase") == "running" && instances.contains(line.at("instance"));
    if (!is_firmware && (!is_near || is_one_of_two(line.at("register")))) continue;
    std::size_t& one = kinds[likeness(line)];
    one = std::max(one, index);
  }
  std::vector<std::size_t> indices;
  for (const auto& [kind, index] : kinds) indices.push_back(index);
  std::sort(indices.rbegin(), indices.rend());
  indices.resize(std::min(indices.size(), kMost));
  return indices;
}

// ---- Words

std::string line_text(const Json& line) {
  std::string text = scenario::to_text(line);
  if (!line.contains("kept")) return text;
  const char* gap = "  (still set: ";
  for (const Json& field : line.at("kept")) {
    text += fmt::format("{}{} {}", gap, field.at("field").get<std::string>(), field.at("value").get<std::string>());
    gap = ", ";
  }
  return text + ")";
}

/// The lines up to the first that `is_end` takes, from the opening of the event before it.
template <typename Predicate>
StoryPart part_up_to(const Log& log, Predicate is_end) {
  StoryPart part;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (is_event(log[i], "opened")) part.first = i;
    if (!is_end(log[i])) continue;
    part.last = i;
    part.is_wrong = true;
    break;
  }
  return part;
}

/// What a reader may miss, because there is no line for it.
std::vector<std::string> missing(const Log& log, const StoryPart& part) {
  std::vector<std::string> texts;
  const Json& last = log[part.last];
  std::map<std::uint32_t, std::uint64_t> raised;  // when, by number of the interrupt
  bool has_read = false;
  for (std::size_t i = part.first; i < part.last; ++i) {
    const Json& line = log[i];
    if (line.at("kind") == "read") has_read = true;
    if (line.at("kind") != "interrupt") continue;
    if (line.at("what") == "raised") raised.emplace(line.at("number"), line.at("time_ps"));
    if (line.at("what") == "delivered") raised.erase(line.at("number").get<std::uint32_t>());
  }
  if (is_end(last) && last.contains("count") && !has_read)
    texts.emplace_back("         # the driver has read no register in all this time");
  constexpr double kMicrosecond = 1e6;
  for (const auto& [number, when] : raised)
    texts.push_back(fmt::format("         # interrupt {}, raised at {:.6f}, still waits for its handler", number,
                                static_cast<double>(when) / kMicrosecond));
  return texts;
}

}  // namespace

bool mark_event(Log& log, const std::string& text) {
  std::set<int> events;  // that are open
  bool is_any = false;
  for (Json& line : log) {
    const bool is_opening = is_event(line, "opened");
    const bool is_written = line.value("written", "") == text;
    if (is_opening && is_written) events.insert(line.at("event").get<int>());
    if (is_opening && !is_written) events.erase(line.at("event").get<int>());
    if (!events.contains(line.value("event", 0)) && !(is_event(line, "refused") && is_written)) continue;
    line["is_asked"] = is_any = true;
  }
  return is_any;
}

StoryPart part_of_count(const Log& log, bool is_refused) {
  StoryPart part;
  std::map<int, std::size_t> openings;  // by the event's number
  std::size_t begun = 0;                // the latest call for the event
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Json& line = log[i];
    const bool is_opening = is_event(line, "opened");
    const bool is_end_here = is_refused && is_event(line, "refused");
    if (is_opening) openings[line.at("event")] = i;
    if (!is_marked(line)) continue;
    if ((is_opening || is_end_here) && !part.has_right) {
      const auto leader = openings.find(line.value("leader", 0));
      part.first = leader == openings.end() ? i : leader->second;
    }
    if (line.value("begin", false)) begun = i;
    const bool is_judged = line.at("kind") == "call" && line.contains("expected");
    if (is_judged || !part.has_right) part.last = i;
    if (is_judged || is_end_here) part.is_wrong = is_end_here || !line.at("expected").at("ok").get<bool>();
    if (part.is_wrong) break;
    if (!is_judged) continue;
    part.first = begun;  // what goes wrong may happen behind the access that reads the counter
    part.has_right = true;
  }
  return part;
}

StoryPart part_of_refusal(const Log& log) {
  StoryPart part;
  std::map<int, int> leaders;  // by the event's number
  int leader = 0;              // of the marked event
  bool is_refused = false;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Json& line = log[i];
    const int event = line.value("event", 0);
    if (is_event(line, "opened")) leaders[event] = line.value("leader", event);
    if (is_event(line, "opened") && is_marked(line)) {
      leader = leaders[event];
      part.first = i;
      while (part.first > 0 && log[part.first].value("event", 0) != leader) --part.first;
    }
    if (leader == 0 || event == 0 || leaders[event] != leader) continue;
    is_refused = is_refused || (line.at("kind") == "call" && line.contains("error"));
    if (!is_refused) continue;
    part.is_wrong = true;
    part.last = i;
    if (is_event(line, "closed") && is_marked(line)) break;
  }
  return part;
}

StoryPart part_of_access(const Log& log, const std::set<std::string>& addresses, const std::string& function) {
  return part_up_to(log, [&](const Json& line) {
    if (!is_access(line) || !addresses.contains(line.at("address"))) return false;
    const std::string caller = line.at("function");
    return !caller.empty() && caller.starts_with(function);
  });
}

StoryPart part_of_warning(const Log& log) {
  return part_up_to(log, [](const Json& line) { return line.at("kind") == "kernel"; });
}

StoryPart part_of_message(const Log& log, const std::string& text) {
  return part_up_to(log, [&](const Json& line) {
    if (line.at("kind") != "kernel") return false;
    const std::string message = line.at("text");
    return text.find(message.substr(message.find('>') + 1)) != std::string::npos;  // without its level
  });
}

std::vector<std::string> tell(const Log& log, const StoryPart& part, std::size_t most) {
  const std::vector<std::string> ends = missing(log, part);
  const std::vector<std::size_t> before = still_set(log, part);
  const std::set<std::size_t> always = always_shown(log, part);
  const std::vector<Weighed> order = weigh(log, part);
  most -= std::min(most, ends.size());
  for (std::size_t wanted = most;; --wanted) {
    std::set<std::size_t> shown = {part.first, part.last};
    shown.insert(before.begin(), before.end());
    shown.insert(always.begin(), always.end());
    for (const Weighed& one : order) {
      if (shown.size() < wanted) shown.insert(one.index);
    }
    std::vector<std::string> lines;
    std::size_t next = *shown.begin();
    for (const std::size_t index : shown) {
      if (index == next + 1) lines.push_back(line_text(log[next]));
      if (index > next + 1) lines.push_back(fmt::format("  ... {}", scenario::counted(index - next, "line")));
      lines.push_back(line_text(log[index]));
      next = index + 1;
    }
    if (lines.size() > most && wanted > 2) continue;
    lines.insert(lines.end(), ends.begin(), ends.end());
    return lines;
  }
}

}  // namespace pmufab::cli
