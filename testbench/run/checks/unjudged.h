// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/run/session/machine.h"

namespace pmufab::scenario {

/// The drivers' calls and the platform's reports are nobody's business for a while.
class Unjudged {
 public:
  explicit Unjudged(Machine& machine) : machine_(machine) { machine_.set_judging(false); }
  ~Unjudged() { machine_.set_judging(true); }
  Unjudged(const Unjudged&) = delete;
  Unjudged& operator=(const Unjudged&) = delete;

 private:
  Machine& machine_;
};

}  // namespace pmufab::scenario
