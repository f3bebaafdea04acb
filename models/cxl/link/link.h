// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/cxl/host/engine.h"
#include "models/cxl/link/message_probes.h"
#include "models/cxl/link/messages.h"
#include "models/cxl/link/ring.h"

namespace pmufab::cxl {

class Link;

/// The two ends of a link.
enum class LinkEnd : std::uint8_t { upper, lower };

/// A component attached to an end of a link.
class Port {
 public:
  /// A message has arrived.
  /// @return false if its credit is held until Link::release()
  virtual bool receive(const Message& message, Picoseconds now) = 0;
  /// A message sent from here with Message::tell leaves.
  virtual void left(const Message& /*message*/, Picoseconds /*now*/) {}

 protected:
  ~Port() = default;
};

/// Observes the wires of a link. Called in simulation order, before the event of the message is published.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  /// A message leaves one end or arrives at the other.
  /// @param end  where it is. The message leaves if messages of its class start from that end
  virtual void on_message(Picoseconds when, const Link& link, LinkEnd end, const Message& message) = 0;
};

/// Limits of one class of messages.
struct LinkLane {
  unsigned per_clock = 2;  ///< messages that may leave at an edge; at least 1
  unsigned credits = 64;   ///< 1 ... kMostCredits
};

/// Tags have 16 bits.
inline constexpr unsigned kMostCredits = 4096;
/// For period and latency: 1 ms. A larger value is a mistake of units.
inline constexpr Picoseconds kMostLinkTime = 1'000'000'000;

struct LinkParameters {
  Picoseconds period = 500;      ///< between edges at which messages leave
  Picoseconds latency = 20'000;  ///< from one end to the other, also for credits
  std::array<LinkLane, kMessageClasses> lanes{};
};

/// @throws SpecError for impossible parameters: the field is "period", "latency", or for lanes "credits" or "per_clock"
void check(const LinkParameters& parameters);

/// Moves CXL messages between two ports (docs/cxl-messages.md, section 2).
class Link final : private Actor {
 public:
  /// @param name    for observers and reports
  /// @param engine  must outlive the link
  /// @throws SpecError for impossible parameters
  Link(std::string name, Engine& engine, const LinkParameters& parameters);

  /// Attach a port to an end, before the first message. It must outlive the last one.
  /// @param probes  count what leaves and arrives at this end; may be nullptr
  void attach(LinkEnd end, Port& port, MessageProbes* probes);

  /// Send a message, ready now, in the direction of its class.
  void send(const Message& message);
  /// The receiver has room for one more message of the class.
  void release(MessageClass message_class);

  void set_observer(LinkObserver* observer) noexcept { observer_ = observer; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const LinkParameters& parameters() const noexcept { return parameters_; }
  /// @return the first edge not before `when`.
  [[nodiscard]] Picoseconds edge(Picoseconds when) const noexcept {
    // The same instant is requested repeatedly, and the division is slow.
    if (when != asked_edge_of_) {
      asked_edge_of_ = when;
      answered_edge_ = (when + parameters_.period - 1) / parameters_.period * parameters_.period;
    }
    return answered_edge_;
  }
  /// @return the number of messages that have not arrived.
  [[nodiscard]] std::uint64_t pending() const noexcept;

  /// @name Loads, for reports
  /// @{
  struct Load {
    std::uint64_t messages = 0;  ///< that have left
    Picoseconds waited = 0;      ///< time in which one waited for a credit, or for an edge with room
  };
  /// @return the load of a class so far
  [[nodiscard]] Load load(MessageClass message_class) const noexcept;
  /// @return the time so far in which a request of an end, or data that its requests carry, waited to leave.
  [[nodiscard]] Picoseconds requests_waited(LinkEnd from) const noexcept {
    return requests_wait_[static_cast<unsigned>(from)].until(engine_.now());
  }
  /// @}

 private:
  /// For how long something has been so.
  struct Span {
    Picoseconds sum = 0;
    Picoseconds since = 0;
    bool on = false;
    void set(bool now_on, Picoseconds now) noexcept {
      if (now_on == on) return;
      if (on) sum += now - since;
      since = now;
      on = now_on;
    }
    [[nodiscard]] Picoseconds until(Picoseconds now) const noexcept { return on ? sum + (now - since) : sum; }
  };
  struct Lane {
    unsigned credits = 0;
    unsigned used = 0;  // at last_edge
    Picoseconds last_edge = 0;
    std::uint64_t messages = 0;
    Span waits;
    Ring<Picoseconds> returns;  // times at which credits return
    Ring<Message> waiting;
  };
  struct Flight {
    Picoseconds arrival;
    Message message;
  };
  struct Direction {
    LinkEnd from;
    LinkEnd to;
    Ring<Flight> flights;
  };

  void act(Picoseconds now) override;
  [[nodiscard]] Picoseconds departure(Lane& lane, Picoseconds now, MessageClass message_class) const noexcept;
  void depart(Lane& lane, const Message& message, Picoseconds now);
  void note_waiting(Picoseconds now) noexcept;
  void observe(LinkEnd end, const Message& message, Picoseconds now);
  void wake(Picoseconds when) {
    if (when < engine_.time(actor_)) engine_.set(actor_, when);
  }

  std::string name_;
  Engine& engine_;
  LinkParameters parameters_;
  unsigned actor_;
  std::array<Lane, kMessageClasses> lanes_;
  unsigned waiting_ = 0;  // the lanes with waiting messages, a bit for each
  std::array<Span, 2> requests_wait_{};
  std::array<Direction, 2> directions_{{{LinkEnd::upper, LinkEnd::lower, {}}, {LinkEnd::lower, LinkEnd::upper, {}}}};
  std::array<Port*, 2> ports_{};
  std::array<MessageProbes*, 2> probes_{};
  LinkObserver* observer_ = nullptr;
  mutable Picoseconds asked_edge_of_ = 0;
  mutable Picoseconds answered_edge_ = 0;
};

}  // namespace pmufab::cxl
