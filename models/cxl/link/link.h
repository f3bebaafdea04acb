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

/// What is attached to an end of a link.
class Port {
 public:
  /// A message has arrived.
  /// @return false if its credit is kept until Link::release()
  virtual bool receive(const Message& message, Picoseconds now) = 0;
  /// A message sent from here with Message::tell leaves.
  virtual void left(const Message& /*message*/, Picoseconds /*now*/) {}

 protected:
  ~Port() = default;
};

/// Sees the wires of a link. Called in simulation order; the event of a message has not been published yet.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  /// A message leaves one end or arrives at the other.
  /// @param end  where it is: it leaves if that is the end messages of its class start from
  virtual void on_message(Picoseconds when, const Link& link, LinkEnd end, const Message& message) = 0;
};

/// What a class of messages may do.
struct LinkLane {
  unsigned per_clock = 2;  ///< messages that may leave at an edge; at least 1
  unsigned credits = 64;   ///< 1 ... kMostCredits
};

/// Tags have 16 bits.
inline constexpr unsigned kMostCredits = 4096;
/// Of period and latency: 1 ms, beyond which it is a slip of units.
inline constexpr Picoseconds kMostLinkTime = 1'000'000'000;

struct LinkParameters {
  Picoseconds period = 500;      ///< between edges at which messages leave
  Picoseconds latency = 20'000;  ///< from one end to the other; of credits, too
  std::array<LinkLane, kMessageClasses> lanes{};
};

/// @throws SpecError for parameters that cannot be: the field is "period", "latency", or of lanes "credits" or
///         "per_clock"
void check(const LinkParameters& parameters);

/// Moves CXL messages between two ports (docs/cxl-messages.md, section 2).
class Link final : private Actor {
 public:
  /// @param name    for observers and reports
  /// @param engine  must outlive the link
  /// @throws SpecError for parameters that cannot be
  Link(std::string name, Engine& engine, const LinkParameters& parameters);

  /// Attach what is at an end, before the first message. What is attached must outlive the last one.
  /// @param probes  count what leaves and arrives at this end; nullptr: nobody does
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
    // Asked again and again for the same instant, and dividing takes its time.
    if (when != asked_edge_of_) {
      asked_edge_of_ = when;
      answered_edge_ = (when + parameters_.period - 1) / parameters_.period * parameters_.period;
    }
    return answered_edge_;
  }
  /// @return messages that have not arrived.
  [[nodiscard]] std::uint64_t pending() const noexcept;

 private:
  struct Lane {
    unsigned credits = 0;
    unsigned used = 0;  // at last_edge
    Picoseconds last_edge = 0;
    Ring<Picoseconds> returns;  // when credits come back
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
  void observe(LinkEnd end, const Message& message, Picoseconds now);
  void wake(Picoseconds when) {
    if (when < engine_.time(actor_)) engine_.set(actor_, when);
  }

  std::string name_;
  Engine& engine_;
  LinkParameters parameters_;
  unsigned actor_;
  std::array<Lane, kMessageClasses> lanes_;
  unsigned waiting_ = 0;  // lanes with messages that could not leave yet
  std::array<Direction, 2> directions_{{{LinkEnd::upper, LinkEnd::lower, {}}, {LinkEnd::lower, LinkEnd::upper, {}}}};
  std::array<Port*, 2> ports_{};
  std::array<MessageProbes*, 2> probes_{};
  LinkObserver* observer_ = nullptr;
  mutable Picoseconds asked_edge_of_ = 0;
  mutable Picoseconds answered_edge_ = 0;
};

}  // namespace pmufab::cxl
