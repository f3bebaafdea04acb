// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testbench/run/yaml/reader.h"

namespace pmufab::scenario {

/// The terms that the driver of a described PMU publishes, each with bits of its own in the words of perf_event_attr. Not a
/// public header.
class TermFormats {
 public:
  struct Term {
    std::string name_key = "name";  ///< of the description
    std::string name;
    std::string format_key = "format";  ///< of the description
    std::string format;                 ///< "config1:0-3,8"; empty: the driver does not publish it
    std::uint64_t most = 1;             ///< value that it must hold
    bool is_number = false;             ///< it is a part of an event's number
    bool has_zero = is_number;          ///< a user who gives 0 asks for something
    bool may_repeat = false;            ///< filters of different counters may have it
  };
  /// @return how many bits the term has
  /// @throws InputError if the format is none, is too narrow, or has bits of another term, or if another term has the name
  unsigned add(Reader& reader, Term term);
  /// @throws InputError if that value under `terms` cannot be given. Names that are no terms are left to others
  void check_refused(Reader& reader, const std::string& name, std::uint64_t value) const;

 private:
  std::vector<std::pair<Term, std::vector<unsigned>>> terms_;  ///< and their bits: 64 for each word
};

}  // namespace pmufab::scenario
