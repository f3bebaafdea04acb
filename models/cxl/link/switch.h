// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/cxl/host/engine.h"
#include "models/cxl/link/link.h"
#include "models/cxl/link/message_probes.h"
#include "models/cxl/link/ring.h"
#include "models/cxl/memory/hdm_map.h"

namespace pmufab::cxl {

/// A CXL switch: one upstream port, and downstream ports selected by the upstream port's HDM decoders
/// (docs/cxl-messages.md, 1.3). CXL.cache uses downstream port 0 only.
class Switch final : private Actor {
 public:
  /// @param map              decoders of the upstream port; HdmRange::targets are downstream ports. Messages for a port
  /// that does not exist go to port 0, like those that no decoder claims
  /// @param forward_latency  from a message's arrival until it is ready to leave
  Switch(const std::string& name, Engine& engine, Link& upstream, const HdmMap& map, Picoseconds forward_latency);

  /// Add the next downstream port, at the upper end of `link`. Before the first message.
  void add_downstream(Link& link);

  [[nodiscard]] MessageProbes& upstream_probes() noexcept { return upstream_.probes; }
  [[nodiscard]] MessageProbes& downstream_probes(unsigned port) { return downstream_[port]->probes; }
  [[nodiscard]] std::uint64_t pending() const noexcept { return waiting_.size(); }

 private:
  struct SwitchPort final : public Port {
    SwitchPort(Switch& its_switch, const std::string& name, Link& its_link, const HdmMap& map, unsigned its_number)
        : owner(its_switch), link(its_link), probes(name, map), number(its_number) {}
    bool receive(const Message& message, Picoseconds now) override { return owner.receive(*this, message, now); }
    void left(const Message& message, Picoseconds now) override { owner.left(message, now); }
    Switch& owner;
    Link& link;
    MessageProbes probes;
    unsigned number;
  };
  /// The owner of a passing message's credit.
  struct Passage {
    Link* from = nullptr;
    MessageClass message_class{};
  };
  struct Waiting {
    Picoseconds when;
    Message message;
    Link* to;
  };

  bool receive(SwitchPort& port, const Message& message, Picoseconds now);
  void left(const Message& message, Picoseconds now);
  void act(Picoseconds now) override;

  std::string name_;
  Engine& engine_;
  const HdmMap& map_;
  Picoseconds forward_latency_;
  unsigned actor_;
  SwitchPort upstream_;
  std::vector<std::unique_ptr<SwitchPort>> downstream_;
  Ring<Waiting> waiting_;
  std::vector<Passage> passages_;
  std::vector<std::uint16_t> free_;
};

}  // namespace pmufab::cxl
