// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/host/driver_host.h"
#include "testbench/run/session/machine.h"

namespace pmufab::scenario {

/// The drivers' calls and the platform's reports are nobody's business for a while.
class Unjudged {
 public:
  explicit Unjudged(Machine& machine) : machine_(machine) { machine_.set_judging(false); }
  ~Unjudged() { machine_.set_judging(true); }
  Unjudged& operator=(Unjudged&&) = delete;

 private:
  Machine& machine_;
};

/// What the kernel warns of from now on.
class NewWarnings {
 public:
  explicit NewWarnings(const driver_host::DriverHost& host)
      : host_(host), count_(host.warnings()), texts_(host.warning_texts().size()) {}

  /// @return the first new text; empty: there was no warning
  [[nodiscard]] std::string first() const {
    if (host_.warnings() == count_) return {};
    const std::vector<std::string>& all = host_.warning_texts();
    return texts_ < all.size() ? all[texts_] : std::string("the kernel warned as before");
  }

 private:
  const driver_host::DriverHost& host_;
  std::uint64_t count_;
  std::size_t texts_;
};

}  // namespace pmufab::scenario
