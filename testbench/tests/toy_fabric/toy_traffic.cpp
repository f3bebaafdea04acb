// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/toy_fabric/toy_traffic.h"

#include <utility>

namespace pmufab::toy {

PacketSource::PacketSource(const sc_core::sc_module_name& name, Belt& belt, std::vector<PacketsSpec> specs)
    : sc_core::sc_module(name), belt_(belt), specs_(std::move(specs)), sent_(specs_.size()) {
  SC_HAS_PROCESS(PacketSource);
  SC_THREAD(send);
}

void PacketSource::send() {
  wait(start_);
  for (std::size_t index = 0; index < specs_.size(); ++index) {
    wait(to_sc_time(specs_[index].start));
    for (std::uint64_t& sent = sent_[index]; sent < specs_[index].count; ++sent) {
      wait(to_sc_time(specs_[index].period));
      if (stopped_) return;
      belt_.pass();
    }
  }
  done_ = true;
  done_event_.notify();
}

void PacketSource::report(const std::function<void(const std::string& name, std::uint64_t sent)>& tell) const {
  for (std::size_t index = 0; index < specs_.size(); ++index) tell(specs_[index].name, sent_[index]);
}

}  // namespace pmufab::toy
