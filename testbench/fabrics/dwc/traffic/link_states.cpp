// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/traffic/link_states.h"

#include <utility>

namespace pmufab::traffic {

LinkStates::LinkStates(const sc_core::sc_module_name& name, dwc::RootPort& port, LinkStatesSpec spec)
    : sc_core::sc_module(name), port_(port), spec_(std::move(spec)) {
  SC_HAS_PROCESS(LinkStates);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void LinkStates::stop() {
  stopped_ = true;
  wake_.cancel();
}

void LinkStates::step() {
  if (stopped_) return;
  const LinkStatesSpec::Stay& stay = spec_.stays[next_];
  next_ = (next_ + 1) % spec_.stays.size();
  port_.enter(stay.state, simulated_time());
  wake_.notify(to_sc_time(stay.duration));
}

}  // namespace pmufab::traffic
