// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/run/yaml/reader.h"
#include "testbench/traffic/producers/traffic_spec.h"

/// The parts of traffic that several kinds of fabric have. Not a public header.
namespace pmufab::scenario {

/// @return the words of an enumeration that has a to_string(), from its first value to `last`.
template <typename Enum>
Words<Enum> words_up_to(Enum last) {
  Words<Enum> words;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
    words.emplace_back(to_string(static_cast<Enum>(i)), static_cast<Enum>(i));
  return words;
}

void read_requester(Reader& reader, traffic::RequesterSpec& requester);
void read_pattern(Reader& reader, traffic::PatternSpec& pattern);
void read_pacing(Reader& reader, traffic::PacingSpec& pacing);
void read_burst(Reader& reader, traffic::BurstSpec& burst);

}  // namespace pmufab::scenario
