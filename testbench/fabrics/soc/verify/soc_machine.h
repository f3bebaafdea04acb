// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/soc/wire/description.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify::soc {

/// A source: attributes 0, 1, ... are called "a0", "a1", ...; the last one is summed.
struct Source {
  std::string name;
  std::vector<std::uint64_t> largest;  ///< of each attribute, what traffic draws at most
};

struct Event {
  enum class Kind : std::uint8_t { occurrences, sum, outstanding, cycles };
  std::uint64_t number = 0;
  Kind kind = Kind::occurrences;
  unsigned source = 0;
  bool can_wrap = true;   ///< of occurrences: very many at once wrap no other counter more than once
  unsigned counters = 0;  ///< how many can count it alone; 0: all can
  unsigned first = 0;     ///< the first of these
  std::string terms{};    ///< "event=0x1,source=0x2"; empty: the number is that of the term event
};

/// A range of bits of PMEVFILTR or PMEVFILT2R.
struct Filter {
  bool is_second = false;
  unsigned first = 0;
  unsigned width = 1;
  bool has_enable = false;  ///< the bit above it lets it act
};

/// A filter of a PMU with a register map, as its driver publishes it.
struct Term {
  std::string name;
  unsigned width = 1;
  bool is_shared = false;                      ///< all counters have it: an event with it is alone
  std::string care;                            ///< the term beside it; empty: there is none
  unsigned care_width = 0;                     ///< of bits that matter
  bool is_span = false;                        ///< or it is the greatest value
  std::uint64_t greatest = ~std::uint64_t{0};  ///< that the driver takes
};

/// A described PMU, of every socket.
struct Pmu {
  std::vector<std::string> perf_names;  ///< by socket
  bool is_64bit = false;
  unsigned counters = 8;
  unsigned width = 64;
  bool is_atomic = false;  ///< counters of more than 32 bits take accesses of 64 bits
  bool has_cycles = true;  ///< as events: the driver leaves out the cycle counter of the 64-bit layout
  unsigned event_counters = 7;
  bool interrupt = true;
  bool is_unserved = false;  ///< another PMU, with which it shares the line, has got the interrupt, or its driver loses
                             ///< events then: it must not wrap
  /// That no other PMU counts: what wraps a wide counter would wrap a narrow one again and again.
  std::vector<unsigned> sources;
  std::vector<Event> events;
  std::vector<Filter> filters;
  bool is_mapped = false;    ///< it has a register map, and no filters but those of `terms`
  bool is_one_each = false;  ///< each event has a counter of its own
  bool takes_groups = true;
  bool refuses_groups = true;
  bool reading_loses = false;
  bool one_event = false;
  bool keeps_cpu = false;  ///< its driver counts on its first CPU alone
  bool is_still = false;   ///< its driver loses what happens while it handles a wrap: nothing does
  bool has_twins = false;  ///< equal events of a group share a counter
  std::string needs;       ///< ",port=1": terms that each event has
  std::vector<Term> terms;
  std::vector<pmufab::soc::RefusedTerms> refused;
};

struct Machine {
  unsigned sockets = 1;
  unsigned cpus_per_socket = 4;
  bool is_slow = false;       ///< counters are narrow: clocks, traffic and interrupts have to leave time
  bool has_layout64 = false;  ///< the driver knows the 64-bit layout
  bool has_second_filter = false;
  bool shares_line = false;     ///< the first PMU's interrupt line is that of others, too
  bool has_first_node = false;  ///< the first PMU is that of a memory controller
  std::vector<Source> sources;
  std::vector<Pmu> pmus;
};

/// Draw a machine, and describe it: the map under the key `platform`.
[[nodiscard]] Machine draw_machine(Random& random, std::string_view kernel, scenario::Value& platform);

/// Traffic at all of its sources: the list under the key `soc_traffic`.
[[nodiscard]] scenario::Value draw_traffic(Random& random, const Machine& machine);

}  // namespace pmufab::verify::soc
