// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "models/dwc/root_port.h"
#include "models/dwc/wire/link.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::traffic {

/// The states of the link of one root port, one after the other, again and again.
struct LinkStatesSpec {
  struct Stay {
    dwc::LinkState state = dwc::LinkState::l0;
    Picoseconds duration = 0;  ///< above 0
  };
  unsigned port = 0;      ///< index in the platform's list
  Picoseconds start = 0;  ///< after the start of traffic
  std::vector<Stay> stays;
};

/// Lets a link enter the states of a specification, until it is stopped.
class LinkStates : public sc_core::sc_module {
 public:
  /// @param port  outlives this object
  LinkStates(const sc_core::sc_module_name& name, dwc::RootPort& port, LinkStatesSpec spec);

  /// Begin now. Once.
  void start() { wake_.notify(to_sc_time(spec_.start)); }
  /// The link stays in the state in which it is.
  void stop();

 private:
  void step();

  dwc::RootPort& port_;
  LinkStatesSpec spec_;
  std::size_t next_ = 0;
  bool stopped_ = false;
  sc_core::sc_event wake_;
};

}  // namespace pmufab::traffic
