// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/tests/judge/identities.h"

#include <fmt/format.h>

namespace pmufab::scoreboard::test {
namespace {

class Checker {
 public:
  explicit Checker(std::string place) : place_(std::move(place)) {}

  void equal(std::uint64_t left, std::uint64_t right, const char* identity) {
    if (left != right)
      violated_.push_back(fmt::format("{}: {} does not hold: {} and {}", place_, identity, left, right));
  }
  void at_most(std::uint64_t left, std::uint64_t right, const char* identity) {
    if (left > right)
      violated_.push_back(fmt::format("{}: {} does not hold: {} and {}", place_, identity, left, right));
  }
  [[nodiscard]] const std::vector<std::string>& violated() const noexcept { return violated_; }

 private:
  std::string place_;
  std::vector<std::string> violated_;
};

// Identities of one source and destination at one UCF. All events of a request have the same source and destination,
// except that a write-back has the destination of the written line.
void check_cell(Checker& check, const UcfCounts& counts, std::uint32_t source, std::uint32_t destination) {
  const auto count = [&](UcfEvent event) { return counts(event, source, destination); };
  const std::uint64_t reads = count(UcfEvent::slc_access_rd);
  const std::uint64_t writes = count(UcfEvent::slc_access_wr);
  const std::uint64_t refills = count(UcfEvent::slc_refill_rd) + count(UcfEvent::slc_refill_wr);

  check.equal(reads + count(UcfEvent::slc_refill_wr), count(UcfEvent::slc_hit_rd) + count(UcfEvent::mem_access_rd),
              "slc_access_rd + slc_refill_wr = slc_hit_rd + mem_access_rd (each read hits or goes to memory)");
  check.at_most(reads, count(UcfEvent::slc_bytes_rd), "slc_access_rd <= slc_bytes_rd");
  check.at_most(count(UcfEvent::slc_bytes_rd), 64 * reads, "slc_bytes_rd <= 64 slc_access_rd");
  check.at_most(writes, count(UcfEvent::slc_bytes_wr), "slc_access_wr <= slc_bytes_wr");
  check.at_most(count(UcfEvent::slc_bytes_wr), 64 * writes, "slc_bytes_wr <= 64 slc_access_wr");
  check.at_most(refills, count(UcfEvent::mem_access_rd), "slc_refill_rd + slc_refill_wr <= mem_access_rd");
  check.at_most(count(UcfEvent::slc_refill_wr), writes + count(UcfEvent::slc_access_atomic),
                "slc_refill_wr <= slc_access_wr + slc_access_atomic");
  check.at_most(refills, count(UcfEvent::slc_allocate), "slc_refill_rd + slc_refill_wr <= slc_allocate");
  check.at_most(count(UcfEvent::slc_allocate), refills + writes,
                "slc_allocate <= slc_refill_rd + slc_refill_wr + slc_access_wr");
  check.at_most(64 * refills, count(UcfEvent::mem_bytes_rd), "64 (slc_refill_rd + slc_refill_wr) <= mem_bytes_rd");
  check.at_most(count(UcfEvent::mem_bytes_rd), 64 * count(UcfEvent::mem_access_rd), "mem_bytes_rd <= 64 mem_access_rd");
  check.at_most(count(UcfEvent::slc_wb), count(UcfEvent::mem_access_wr), "slc_wb <= mem_access_wr");
  check.at_most(count(UcfEvent::mem_access_wr), count(UcfEvent::slc_wb) + writes + count(UcfEvent::slc_access_atomic),
                "mem_access_wr <= slc_wb + slc_access_wr + slc_access_atomic");
  check.at_most(64 * count(UcfEvent::slc_wb), count(UcfEvent::mem_bytes_wr), "64 slc_wb <= mem_bytes_wr");
  check.at_most(count(UcfEvent::mem_bytes_wr), 64 * count(UcfEvent::mem_access_wr), "mem_bytes_wr <= 64 mem_access_wr");
}

void check_ucf(Checker& check, const UcfCounts& counts) {
  const std::uint32_t remote_source = 1U << static_cast<unsigned>(Source::rem);
  const std::uint32_t remote_destination = 1U << static_cast<unsigned>(Destination::rem);
  for (std::uint32_t source = 1; source <= kAllSources; source <<= 1U) {
    for (std::uint32_t destination = 1; destination <= kAllDestinations; destination <<= 1U) {
      check_cell(check, counts, source, destination);
    }
    // Lines of another socket's memory are not kept here.
    check.equal(counts(UcfEvent::slc_hit_rd, source, remote_destination) +
                    counts(UcfEvent::slc_allocate, source, remote_destination) +
                    counts(UcfEvent::slc_wb, source, remote_destination),
                0, "slc_hit_rd, slc_allocate and slc_wb to rem = 0");
    check.equal(counts(UcfEvent::mem_bytes_rd, source, remote_destination),
                counts(UcfEvent::slc_bytes_rd, source, remote_destination), "mem_bytes_rd = slc_bytes_rd to rem");
    // A write-back needs a line to leave: an allocation or a clean-up by the same kind of source.
    check.at_most(counts(UcfEvent::slc_wb, source, kAllDestinations),
                  counts(UcfEvent::slc_allocate, source, kAllDestinations) +
                      counts(UcfEvent::slc_access_dataless, source, kAllDestinations),
                  "slc_wb <= slc_allocate + slc_access_dataless");
  }
  for (std::uint32_t sources = 1; sources <= kAllSources; ++sources) {
    if ((sources & remote_source) != 0) continue;
    check.equal(counts(UcfEvent::ext_snp_access, sources, kAllDestinations) +
                    counts(UcfEvent::ext_snp_evict, sources, kAllDestinations),
                0, "snoops from outside have a remote source");
  }
}

void check_link(Checker& check, const std::vector<UcfCounts>& ucfs) {
  struct Pair {
    UcfEvent event;
    const char* identity;
  };
  constexpr Pair kSent[] = {
      {UcfEvent::slc_access_rd, "slc_access_rd local to rem, all sockets = from rem, all sockets"},
      {UcfEvent::slc_access_wr, "slc_access_wr local to rem, all sockets = from rem, all sockets"},
      {UcfEvent::slc_bytes_rd, "slc_bytes_rd local to rem, all sockets = from rem, all sockets"},
      {UcfEvent::slc_bytes_wr, "slc_bytes_wr local to rem, all sockets = from rem, all sockets"},
      {UcfEvent::slc_access_dataless, "slc_access_dataless local to rem, all sockets = from rem, all sockets"},
      {UcfEvent::slc_access_atomic, "slc_access_atomic local to rem, all sockets = from rem, all sockets"},
  };
  const std::uint32_t remote_source = 1U << static_cast<unsigned>(Source::rem);
  const std::uint32_t remote_destination = 1U << static_cast<unsigned>(Destination::rem);
  for (const Pair& pair : kSent) {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (const UcfCounts& counts : ucfs) {
      sent += counts(pair.event, kAllSources & ~remote_source, remote_destination);
      received += counts(pair.event, remote_source, kAllDestinations & ~remote_destination);
    }
    check.equal(sent, received, pair.identity);
  }
}

}  // namespace

std::vector<std::string> violated_identities(const std::vector<UcfCounts>& ucfs) {
  std::vector<std::string> violated;
  for (std::size_t socket = 0; socket < ucfs.size(); ++socket) {
    Checker check(fmt::format("socket {}", socket));
    check_ucf(check, ucfs[socket]);
    violated.insert(violated.end(), check.violated().begin(), check.violated().end());
  }
  Checker link("link");
  check_link(link, ucfs);
  violated.insert(violated.end(), link.violated().begin(), link.violated().end());
  return violated;
}

UcfCounts counts_of(const UcfTally& tally) {
  return [&tally](UcfEvent event, std::uint32_t sources, std::uint32_t destinations) {
    return tally[event].sum(sources, destinations);
  };
}

}  // namespace pmufab::scoreboard::test
