// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <set>

#include <fmt/format.h>

#include "testbench/traffic/checks.h"
#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/target_window.h"

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kMaximumPage = std::uint64_t{1} << 30;
constexpr std::uint32_t kMaximumOutstanding = 65536;

struct Context {
  const std::vector<MemoryRange>& map;
  unsigned sockets;
};

void check_requester(const RequesterSpec& requester, Path path, const std::string& field, const Context& context) {
  check(requester.socket < context.sockets, field + ".socket", fmt::format("there is no socket {}", requester.socket),
        fmt::format("the platform has sockets 0 ... {}", context.sockets - 1));
  check(requester.qos <= 15, field + ".qos", fmt::format("{} is more than 15", requester.qos));
  check(path != Path::cached || requester.kind == RequesterKind::cpu, field + ".kind",
        fmt::format("a {} has no private cache to go through", to_string(requester.kind)),
        "use the path direct, or the requester cpu");
  if (requester.kind != RequesterKind::pcie) {
    check(requester.bdf == 0, field + ".bdf", "only pcie requesters have one");
    check(requester.root_complex == 0, field + ".root_complex", "only pcie requesters have one");
    check(requester.root_port == 0, field + ".root_port", "only pcie requesters have one");
  }
}

template <typename Share>
void check_weights(const std::vector<Share>& shares, const std::string& field, const char* what) {
  check(!shares.empty(), field, fmt::format("there is no {}", what), "give at least one");
  for (const Share& share : shares) {
    if (share.weight != 0) return;
  }
  throw SpecError(field, "every weight is 0", "give at least one a weight of 1");
}

std::vector<Window> check_targets(const std::vector<Target>& targets, const std::string& field,
                                  const Context& context) {
  check_weights(targets, field, "memory to go to");
  std::vector<Window> windows;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    TargetProblem problem;
    const auto window = resolve(targets[i], context.map, &problem);
    check(window.has_value(), fmt::format("{}[{}].{}", field, i, problem.member), problem.reason, problem.suggestion);
    windows.push_back(*window);
  }
  return windows;
}

void check_mix(const std::vector<OperationShare>& mix, Path path, const std::string& field) {
  check_weights(mix, field, "operation");
  if (path == Path::direct) return;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    const Operation operation = mix[i].operation;
    check(operation == Operation::read || operation == Operation::write, fmt::format("{}[{}].operation", field, i),
          fmt::format("{} cannot go through a private cache", to_string(operation)),
          "use read and write, or the path direct");
  }
}

void check_sizes(const std::vector<SizeShare>& sizes, const std::string& field) {
  check_weights(sizes, field, "size");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    check(sizes[i].bytes >= 1 && sizes[i].bytes <= kLineBytes, fmt::format("{}[{}].bytes", field, i),
          fmt::format("{} is not within 1 ... 64", sizes[i].bytes), "a request stays within a line of 64 bytes");
  }
}

void check_requester_pattern(const PatternSpec& pattern, const std::vector<Window>& windows,
                             const GeneratorSpec& generator, const std::string& field, const Context& context) {
  check_pattern(pattern, windows, field);
  if (pattern.kind == PatternKind::pointer_chase) {
    check(generator.outstanding <= 1, field + ".kind",
          fmt::format("a pointer chase has one request in flight, not {}", generator.outstanding),
          "leave outstanding out, and use several generators for several chains");
  } else if (pattern.kind == PatternKind::producer_consumer) {
    check(pattern.consumer.has_value(), field + ".consumer", "is missing: nothing reads the produced lines",
          "name the requester that reads them");
    check_requester(*pattern.consumer, generator.path, field + ".consumer", context);
  }
}

void check_start(const GeneratorSpec& generator, const std::string& field) {
  check(generator.start == 0 || generator.phases.empty(), field + ".start", "the phases say when to start",
        "set phases[0].start");
}

void check_phases(const GeneratorSpec& generator, const std::vector<Window>& windows, const std::string& field,
                  const Context& context) {
  for (std::size_t i = 0; i < generator.phases.size(); ++i) {
    const PhaseSpec& phase = generator.phases[i];
    const std::string here = fmt::format("{}.phases[{}]", field, i);
    check(phase.duration || phase.count || i + 1 == generator.phases.size(), here,
          "a phase before the last needs an end", "give it a duration or a count");
    check(!phase.duration || *phase.duration > 0, here + ".duration", "must not be 0");
    check(!phase.count || *phase.count > 0, here + ".count", "must not be 0");
    const std::vector<Window> own =
        phase.targets.empty() ? windows : check_targets(phase.targets, here + ".targets", context);
    if (!phase.mix.empty()) check_mix(phase.mix, generator.path, here + ".mix");
    if (!phase.sizes.empty()) check_sizes(phase.sizes, here + ".sizes");
    if (phase.pacing) check_pacing(*phase.pacing, here + ".pacing");
    check_burst(phase.burst, here + ".burst");
    // The generator's own pattern must also fit a phase's targets.
    if (phase.pattern) {
      check_requester_pattern(*phase.pattern, own, generator, here + ".pattern", context);
    } else if (!phase.targets.empty()) {
      check_requester_pattern(generator.pattern, own, generator, here + ".pattern", context);
    }
  }
}

void check_trace(const GeneratorSpec& generator, const std::string& field, const Context& context) {
  const TraceSpec& trace = *generator.trace;
  check(generator.targets.empty(), field + ".targets", "a trace brings its own addresses", "use trace.placement");
  check(generator.phases.empty(), field + ".phases", "a trace has no phases", "use trace.limit and trace.repeat");
  const std::string here = field + ".trace";
  check(!trace.file.empty(), here + ".file", "no file is named");
  check(std::has_single_bit(trace.page_size) && trace.page_size >= kLineBytes && trace.page_size <= kMaximumPage,
        here + ".page_size", fmt::format("{} is not a power of two within 64 ... 2^30", trace.page_size));
  check(trace.gap >= 1, here + ".gap", "0 lets no time pass", "use 1 ps or more");
  check(trace.repeat >= 1, here + ".repeat", "0 passes replay nothing");
  const std::vector<Window> windows = check_targets(trace.placement, here + ".placement", context);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::uint64_t cut = (trace.page_size - windows[i].base % trace.page_size) % trace.page_size;
    check(windows[i].size >= cut && windows[i].size - cut >= trace.page_size, fmt::format("{}.placement[{}]", here, i),
          fmt::format("no aligned page of {} bytes fits", trace.page_size));
  }
}

void check_generator(const GeneratorSpec& generator, const std::string& field, const Context& context) {
  check(!generator.name.empty(), field + ".name", "a generator needs a name");
  check_requester(generator.requester, generator.path, field + ".requester", context);
  check(generator.outstanding <= kMaximumOutstanding, field + ".outstanding",
        fmt::format("{} is more than {}", generator.outstanding, kMaximumOutstanding), "use 0 for no limit");
  if (generator.trace) {
    check_trace(generator, field, context);
    return;
  }
  const std::vector<Window> windows = check_targets(generator.targets, field + ".targets", context);
  check_mix(generator.mix, generator.path, field + ".mix");
  check_sizes(generator.sizes, field + ".sizes");
  check_requester_pattern(generator.pattern, windows, generator, field + ".pattern", context);
  check_pacing(generator.pacing, field + ".pacing");
  check_burst(generator.burst, field + ".burst");
  check_start(generator, field);
  check_phases(generator, windows, field, context);
}

}  // namespace

void validate(const TrafficSpec& spec, const std::vector<MemoryRange>& map, unsigned sockets) {
  const Context context{map, sockets};
  std::set<std::string> names;
  for (std::size_t i = 0; i < spec.generators.size(); ++i) {
    const std::string field = fmt::format("generators[{}]", i);
    check_generator(spec.generators[i], field, context);
    check(names.insert(spec.generators[i].name).second, field + ".name",
          fmt::format("\"{}\" is the name of an earlier generator", spec.generators[i].name), "choose another");
  }
}

}  // namespace pmufab::traffic
