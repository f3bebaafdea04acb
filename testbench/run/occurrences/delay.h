// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "testbench/run/yaml/reader.h"
#include "testbench/traffic/random_stream.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {

/// How long something takes: each time the same, or by chance.
struct DelaySpec {
  enum class Kind : std::uint8_t {
    constant,
    uniform,
    exponential,
    bursty,     ///< mostly `time`; in bursts of several in a row, `burst`
    empirical,  ///< as often as in a table
  };
  struct Weighted {
    Picoseconds time = 0;
    std::uint64_t weight = 1;
  };
  Kind kind = Kind::constant;
  Picoseconds time = 0;  ///< constant; exponential: the mean; bursty: outside of bursts
  Picoseconds from = 0;  ///< uniform
  Picoseconds to = 0;
  Picoseconds burst = 0;          ///< bursty: in bursts
  double share = 0.1;             ///< bursty: how many of all are in bursts
  double length = 10;             ///< bursty: how many in a row, on average
  std::vector<Weighted> table{};  ///< empirical

  [[nodiscard]] bool is_zero() const noexcept { return kind == Kind::constant && time == 0; }
  [[nodiscard]] double mean() const noexcept;
};

/// What a delay may be.
struct DelayLimits {
  Picoseconds most = 0;          ///< for each time that is written
  std::filesystem::path base{};  ///< folder that files of tables are in
};

/// Read a time, or a map such as `{kind: uniform, from: 1 us, to: 5 us}`. A table in a file becomes one in the effective
/// configuration.
void read_delay(Reader& reader, std::string_view key, DelaySpec& out, const DelayLimits& limits,
                Presence presence = Presence::optional);

/// Draws delays, the same ones on every machine.
class Delay {
 public:
  Delay(DelaySpec spec, std::uint64_t seed);
  [[nodiscard]] Picoseconds draw();

 private:
  DelaySpec spec_;
  traffic::RandomStream random_;
  std::vector<std::uint64_t> ends_;  // empirical: sums of weights
  bool is_in_burst_ = false;
};

}  // namespace pmufab::scenario
