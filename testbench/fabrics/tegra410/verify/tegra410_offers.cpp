// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/verify/tegra410_machine.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

/// What the drivers of Linux 7.2 and 7.3 are known to count wrong is not asked for. The constraints:
///
/// | not asked for | why | shown by |
/// |---|---|---|
/// | gpu_mask without a GPU that is there | means all GPUs | known-defects/c2c-other-gpu.yaml |
/// | in_wr_req after 2^32 writes | OUT_STATUS is taken for its upper half | known-defects/c2c-overflow-of-writes.yaml |
/// | NVLink-C2C of GPU 1 alone | the instances of no GPU are read | known-defects/c2c-second-gpu-alone.yaml |
/// | a cycles event with an address filter | releases a filter it has not taken | known-defects/pcie-tgt-cycles-filter.yaml |
/// | base 0 with mask 0 | looks like a free filter | known-defects/pcie-tgt-zero-mask.yaml |
///
/// And what no driver could get right: a second wrap before the first has been handled; two requesters at one PCIE PMU.
namespace pmufab::verify::tegra410 {
namespace {

using Names = std::vector<const char*>;
using Draw = std::function<std::string(Random&)>;
using SharedMachine = std::shared_ptr<const Machine>;

const Names kUcfEvents = {"bus_cycles",    "slc_allocate",        "slc_wb",           "slc_refill_rd",
                          "slc_refill_wr", "slc_access_rd",       "slc_access_wr",    "slc_bytes_rd",
                          "slc_bytes_wr",  "slc_hit_rd",          "mem_access_rd",    "mem_access_wr",
                          "mem_bytes_rd",  "mem_bytes_wr",        "local_snoop",      "ext_snp_access",
                          "ext_snp_evict", "slc_access_dataless", "slc_access_atomic"};
const Names kUcfSources = {"src_loc_cpu", "src_loc_noncpu", "src_rem"};
const Names kUcfDestinations = {"dst_loc_cmem", "dst_loc_gmem", "dst_loc_other", "dst_rem"};
const Names kPcieRequests = {"rd_bytes", "wr_bytes", "rd_req", "wr_req"};
const Names kPcieDestinations = {"dst_loc_cmem", "dst_loc_gmem", "dst_loc_pcie_p2p", "dst_loc_pcie_cxl", "dst_rem"};
constexpr std::uint64_t kLowWord = std::uint64_t{1} << 32;  // wraps in the middle of a reading of two halves
constexpr unsigned kHalf = 32;                              // bits
constexpr unsigned kActiveEvents = 32;                      // of the CMEM and chip-to-chip drivers

/// @return ",name=1" for some of the names; none means all
std::string some_of(Random& random, const Names& names) {
  if (random.chance(40)) return {};
  std::string terms;
  const std::uint64_t bits = random.number(1, (1U << names.size()) - 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((bits >> i & 1U) != 0) terms += fmt::format(",{}=1", names[i]);
  }
  return terms;
}

std::string one_of(Random& random, const Names& names) { return fmt::format(",{}=1", random.pick(names)); }

std::vector<unsigned> cpus_of(const Machine& machine, unsigned socket) {
  std::vector<unsigned> cpus;
  for (unsigned i = 0; i < machine.cpus_per_socket; ++i) cpus.push_back(socket * machine.cpus_per_socket + i);
  return cpus;
}

/// One cycle counter, which counts nothing else.
std::function<bool(const std::vector<std::string>&, bool)> fits(unsigned event_counters) {
  return [event_counters](const std::vector<std::string>& events, bool /*is_group*/) {
    const auto cycles = std::ranges::count_if(
        events, [](const std::string& event) { return event.find("/cycles") != std::string::npos; });
    return cycles <= 1 && events.size() - static_cast<std::size_t>(cycles) <= event_counters;
  };
}

/// Events from a fresh counter, which the driver lets begin one below half its range, to its wrap.
std::uint64_t to_the_wrap(unsigned width) {
  const std::uint64_t half = std::uint64_t{1} << (width - 1);
  return width == 64 ? half : half + 1;
}

/// One of the events at a place, or two at one instant: each on counters of its own.
BulkEvent coresight_bulk(Random& random, const CoreSightShape& shape, const std::string& pmu, Names events,
                         const std::string& place) {
  random.shuffle(events);
  const auto source = [&](const char* event) { return fmt::format("{}/{}{}/", pmu, event, place); };
  BulkEvent bulk;
  bulk.source = source(events.front());
  if (events.size() > 1 && random.chance(35)) bulk.more.push_back(source(events.back()));
  // Two of them are a whole turn of 33 bits, of which the counter tells one wrap.
  const bool is_low_word = shape.width > kHalf + 1 && random.chance(40);
  bulk.count = is_low_word ? kLowWord : to_the_wrap(shape.width);
  constexpr unsigned kWidest = 63;  // perf's own counts have 64 bits
  bulk.once = !shape.interrupt || (shape.width >= kWidest && !is_low_word);
  return bulk;
}

/// Groups that do not fit, groups over PMUs, and other sockets' CPUs.
RefusedEvent refuse_coresight(Random& random, const Machine& machine, const PmuOffer& offer,
                              const CoreSightShape& shape, const std::string& plain, const std::string& foreign) {
  if (machine.sockets > 1 && random.chance(25)) {
    std::vector<unsigned> others;
    for (unsigned cpu = 0; cpu < machine.sockets * machine.cpus_per_socket; ++cpu) {
      if (std::ranges::find(offer.cpus, cpu) == offer.cpus.end()) others.push_back(cpu);
    }
    return {plain, "EINVAL", random.pick(others)};
  }
  if (random.chance(25)) return {fmt::format("{{{},{}}}", plain, foreign), "EINVAL", {}};
  if (shape.has_cycles && random.chance(30))
    return {fmt::format("{{{0}/cycles/,{1},{0}/cycles/}}", offer.pmu, plain), "EINVAL", {}};
  std::string group = plain;  // one more than the counters that are not for cycles
  for (unsigned i = 0; i < shape.event_counters(); ++i) group += "," + plain;
  return {"{" + group + "}", "EINVAL", {}};
}

std::string foreign_event(unsigned socket) { return fmt::format("nvidia_cmem_latency_pmu_{}/rd_req/", socket); }

PmuOffer coresight_offer(const SharedMachine& machine, std::string pmu, unsigned socket, const CoreSightShape& shape,
                         const Draw& cycles, const Draw& other, const std::string& plain) {
  PmuOffer offer;
  offer.pmu = std::move(pmu);
  offer.counters = shape.counters;
  offer.reads_halves = shape.width > kHalf && !shape.is_atomic;
  offer.cpus = cpus_of(*machine, socket);
  offer.event = [cycles, other, has_cycles = shape.has_cycles](Random& random) {
    return has_cycles && random.chance(12) ? cycles(random) : other(random);
  };
  offer.fits = fits(shape.event_counters());
  PmuOffer copy;
  copy.pmu = offer.pmu;
  copy.counters = offer.counters;
  copy.cpus = offer.cpus;
  offer.refused = [machine, copy, shape, plain, socket](Random& random) {
    return std::optional(refuse_coresight(random, *machine, copy, shape, plain, foreign_event(socket)));
  };
  return offer;
}

PmuOffer ucf_offer(const SharedMachine& machine, unsigned socket) {
  const std::string pmu = fmt::format("nvidia_ucf_pmu_{}", socket);
  const Draw other = [pmu](Random& random) {
    return fmt::format("{}/{}{}{}/", pmu, random.pick(kUcfEvents), some_of(random, kUcfSources),
                       some_of(random, kUcfDestinations));
  };
  const Draw cycles = [pmu](Random& random) {
    return fmt::format("{}/cycles{}{}/", pmu, some_of(random, kUcfSources), some_of(random, kUcfDestinations));
  };
  PmuOffer offer = coresight_offer(machine, pmu, socket, machine->ucf, cycles, other, pmu + "/slc_access_rd/");
  offer.bulk = [machine, pmu](Random& random) -> std::optional<BulkEvent> {
    if (!machine->ucf.has_cycles || random.chance(85)) {
      const Names events(kUcfEvents.begin() + 1, kUcfEvents.end());  // bus_cycles happens one by one
      const std::string place = one_of(random, kUcfSources) + one_of(random, kUcfDestinations);
      return coresight_bulk(random, machine->ucf, pmu, events, place);
    }
    return coresight_bulk(random, machine->ucf, pmu, {"cycles"}, "");
  };
  return offer;
}

/// Root ports: those there are, and now and then others.
std::string draw_ports(Random& random, const RootComplex& complex, const char* term) {
  if (random.chance(35)) return {};
  if (random.chance(20)) return fmt::format(",{}={:#x}", term, random.chance(30) ? 0xff : random.number(1, 0xff));
  unsigned mask = 0;
  const std::uint64_t wanted = random.number(1, complex.ports.size());
  for (std::uint64_t i = 0; i < wanted; ++i) mask |= 1U << random.pick(complex.ports).number;
  return fmt::format(",{}={:#x}", term, mask);
}

PmuOffer pcie_offer(const SharedMachine& machine, const RootComplex& complex) {
  const std::string pmu = fmt::format("nvidia_pcie_pmu_{}_rc_{}", complex.socket, complex.number);
  const std::string requester =
      complex.requester ? fmt::format(",src_bdf={:#06x},src_bdf_en=1", *complex.requester) : std::string();
  const Draw other = [pmu, requester, complex](Random& random) {
    Names events = kPcieRequests;
    events.push_back("rd_cum_outs");
    return fmt::format("{}/{}{}{}/", pmu, random.pick(events),
                       requester.empty() ? draw_ports(random, complex, "src_rp_mask") : requester,
                       some_of(random, kPcieDestinations));
  };
  const Draw cycles = [pmu, requester, complex](Random& random) {
    const bool is_plain = !requester.empty() || random.chance(50);
    return fmt::format("{}/cycles{}{}/", pmu, is_plain ? requester : draw_ports(random, complex, "src_rp_mask"),
                       some_of(random, kPcieDestinations));
  };
  PmuOffer offer = coresight_offer(machine, pmu, complex.socket, machine->pcie, cycles, other,
                                   fmt::format("{}/rd_req{}/", pmu, requester));
  offer.beside_clocks = false;  // the driver takes a group's leader for an event of its own (pcie-software-leader)
  if (!requester.empty()) {     // contradicts the group's requester, or names root ports besides
    const auto usual = offer.refused;
    offer.refused = [usual, pmu, requester](Random& random) -> std::optional<RefusedEvent> {
      if (random.chance(50)) return usual(random);
      const char* const wrong = random.pick({"src_bdf=0xfffe,src_bdf_en=1", "src_rp_mask=0x1"});
      return RefusedEvent{fmt::format("{{{0}/rd_req{1}/,{0}/wr_req,{2}/}}", pmu, requester, wrong), "EINVAL", {}};
    };
  }
  offer.bulk = [machine, pmu, complex](Random& random) -> std::optional<BulkEvent> {
    if (machine->pcie.has_cycles && random.chance(20))
      return coresight_bulk(random, machine->pcie, pmu, {"cycles"}, "");
    return coresight_bulk(random, machine->pcie, pmu, kPcieRequests,
                          fmt::format(",src_rp_mask={:#x}{}", 1U << random.pick(complex.ports).number,
                                      one_of(random, kPcieDestinations)));
  };
  return offer;
}

PmuOffer pcie_tgt_offer(const SharedMachine& machine, const RootComplex& complex) {
  const std::string pmu = fmt::format("nvidia_pcie_tgt_pmu_{}_rc_{}", complex.socket, complex.number);
  const Draw other = [pmu, complex](Random& random) {
    std::string terms = draw_ports(random, complex, "dst_rp_mask");
    if (random.chance(50)) {
      const auto& [base, mask] = random.pick(complex.addresses);
      terms += fmt::format(",dst_addr_en=1,dst_addr_base={:#x},dst_addr_mask={:#x}", base, mask);
    } else if (random.chance(10)) {  // of a filter that is off
      terms +=
          fmt::format(",dst_addr_base={:#x},dst_addr_mask={:#x}", random.pick({std::uint64_t{1}, ~std::uint64_t{0}}),
                      random.pick({std::uint64_t{1}, ~std::uint64_t{0}}));
    }
    return fmt::format("{}/{}{}/", pmu, random.pick(kPcieRequests), terms);
  };
  const Draw cycles = [pmu, complex](Random& random) {
    const char* const unused = random.chance(15) ? ",dst_addr_base=0x1000,dst_addr_mask=0xfffff000" : "";
    return fmt::format("{}/cycles{}{}/", pmu, random.chance(50) ? draw_ports(random, complex, "dst_rp_mask") : "",
                       unused);
  };
  PmuOffer offer = coresight_offer(machine, pmu, complex.socket, machine->pcie_tgt, cycles, other, pmu + "/rd_req/");
  // The driver checks a group against the filters that are in use when it is opened, and may take two filters for one
  // address. So where there are more addresses than filters, events with addresses come alone.
  const bool are_scarce = complex.addresses.size() > kAddressFilters;
  offer.fits = [counters_fit = offer.fits, are_scarce](const std::vector<std::string>& events, bool is_group) {
    const auto filters = static_cast<std::size_t>(std::ranges::count_if(
        events, [](const auto& event) { return event.find("dst_addr_en=1") != std::string::npos; }));
    if (are_scarce && (is_group ? filters > 0 : filters > kAddressFilters)) return false;
    return counters_fit(events, is_group);
  };
  offer.bulk = [machine, pmu, complex](Random& random) -> std::optional<BulkEvent> {
    if (random.chance(20)) return coresight_bulk(random, machine->pcie_tgt, pmu, {"cycles"}, "");
    return coresight_bulk(random, machine->pcie_tgt, pmu, kPcieRequests,
                          fmt::format(",dst_rp_mask={:#x}", 1U << random.pick(complex.ports).number));
  };
  return offer;
}

/// A PMU whose driver gives every event a counter: the register that counts it.
PmuOffer plain_offer(const SharedMachine& machine, std::string pmu, unsigned socket, const Draw& event,
                     const Names& numbers) {
  PmuOffer offer;
  offer.pmu = std::move(pmu);
  offer.counters = kActiveEvents;
  offer.crowds = 35;
  offer.cpus = cpus_of(*machine, socket);
  offer.event = event;
  offer.refused = [machine, pmu = offer.pmu, socket, event, numbers](Random& random) -> std::optional<RefusedEvent> {
    if (machine->sockets > 1 && random.chance(30)) {
      const unsigned other =
          (socket + 1 + static_cast<unsigned>(random.number(0, machine->sockets - 2))) % machine->sockets;
      return RefusedEvent{event(random), "EINVAL", random.pick(cpus_of(*machine, other))};
    }
    if (random.chance(40)) return RefusedEvent{fmt::format("{}/event={}/", pmu, random.pick(numbers)), "ENOENT", {}};
    std::string group = event(random);
    for (unsigned i = 0; i < kActiveEvents; ++i) group += "," + event(random);
    return RefusedEvent{"{" + group + "}", "EINVAL", {}};
  };
  return offer;
}

PmuOffer cmem_offer(const SharedMachine& machine, unsigned socket) {
  const std::string pmu = fmt::format("nvidia_cmem_latency_pmu_{}", socket);
  const auto event = [pmu](Random& random) {
    return fmt::format("{}/{}/", pmu, random.pick({"rd_req", "rd_req", "rd_cum_outs", "cycles"}));
  };
  PmuOffer offer = plain_offer(machine, pmu, socket, event, {"0x3", "0x3"});
  offer.accesses = 2 * 14;  // instances
  offer.bulk = [event, width = machine->cmem_width](Random& random) -> std::optional<BulkEvent> {
    return BulkEvent{event(random), random.chance(30) ? std::uint64_t{1} << (width - 4) : kLowWord, {}, true};
  };
  return offer;
}

struct Interface {
  const char* name;
  Names events;
  bool is_idle = false;  ///< nothing but cycles happens there
  unsigned gpus = 0;     ///< 0: it has no gpu_mask
};

PmuOffer c2c_offer(const SharedMachine& machine, unsigned socket, const Interface& interface) {
  const std::string pmu = fmt::format("nvidia_{}_pmu_{}", interface.name, socket);
  const auto event = [pmu, interface](Random& random) {
    std::string mask;
    if (interface.gpus > 0 && random.chance(50))
      mask = fmt::format(",gpu_mask={}", random.number(0, (1U << interface.gpus) - 1));
    return fmt::format("{}/{}{}/", pmu, random.pick(interface.events), mask);
  };
  PmuOffer offer = plain_offer(machine, pmu, socket, event, {"0x9", "0xa", "0xf"});
  offer.accesses = 5 * 16;  // instances
  offer.reads_halves = true;
  offer.bulk = [event, interface, width = machine->c2c_width](Random& random) -> std::optional<BulkEvent> {
    std::string source = event(random);
    // The counter of incoming writes has 32 bits; those of NV-CLink and NV-DLink have as many as there may be.
    if (source.find("in_wr_") != std::string::npos || source.find("/event=") != std::string::npos) return std::nullopt;
    if (interface.is_idle && source.find("/cycles") == std::string::npos) return std::nullopt;
    return BulkEvent{std::move(source), random.chance(20) ? std::uint64_t{1} << (width - 4) : kLowWord, {}, true};
  };
  return offer;
}

void add_c2c(const SharedMachine& machine, unsigned socket, std::vector<PmuOffer>& offers) {
  const bool is_link = machine->peer == "cpu";  // NVLink-C2C takes the place of NV-CLink
  Interface nvlink{"nvlink_c2c",
                   {"cycles", "in_rd_req", "in_rd_cum_outs", "out_rd_req", "out_rd_cum_outs"},
                   false,
                   is_link ? 0 : machine->gpus};
  if (!is_link) {
    for (const char* const writes : {"in_wr_req", "in_wr_cum_outs", "out_wr_req", "out_wr_cum_outs"})
      nvlink.events.push_back(writes);
  } else {  // numbers that the driver takes and does not list
    for (const char* const writes : {"event=0x3", "event=0x4", "event=0x7", "event=0x8"})
      nvlink.events.push_back(writes);
  }
  offers.push_back(c2c_offer(machine, socket, nvlink));
  offers.push_back(c2c_offer(machine, socket,
                             {"nvclink",
                              {"cycles", "in_rd_req", "in_rd_cum_outs", "out_rd_req", "out_rd_cum_outs"},
                              is_link || machine->sockets == 1}));
  offers.push_back(c2c_offer(machine, socket, {"nvdlink", {"cycles", "in_rd_req", "in_rd_cum_outs"}}));
}

}  // namespace

std::vector<PmuOffer> offers_of(const SharedMachine& machine) {
  std::vector<PmuOffer> offers;
  for (unsigned socket = 0; socket < machine->sockets; ++socket) {
    offers.push_back(ucf_offer(machine, socket));
    offers.push_back(cmem_offer(machine, socket));
    add_c2c(machine, socket, offers);
  }
  for (const RootComplex& complex : machine->complexes) {
    offers.push_back(pcie_offer(machine, complex));
    offers.push_back(pcie_tgt_offer(machine, complex));
  }
  return offers;
}

}  // namespace pmufab::verify::tegra410
