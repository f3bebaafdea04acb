// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cmn/wire/flit_fields.h"
#include "testbench/fabrics/cmn/judge/cmn_addresses.h"
#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"
#include "testbench/fabrics/cmn/judge/nodes/node_counts.h"
#include "testbench/judge/recycled_list.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// Lines have 64 bytes.
inline constexpr unsigned kLineShift = 6;

/// The mesh around a reference node.
class ReferenceSurroundings {
 public:
  virtual ~ReferenceSurroundings() = default;
  [[nodiscard]] virtual const CmnJudgeSpec& spec() const = 0;
  /// Maps addresses to nodes.
  [[nodiscard]] virtual const CmnAddresses& addresses() const = 0;
  /// @return the time at which a cycle begins.
  [[nodiscard]] virtual Picoseconds time_of(cmn::Cycle cycle) const = 0;
  /// @return the first cycle that begins at or after an instant.
  [[nodiscard]] virtual cmn::Cycle cycle_from(Picoseconds when) const = 0;
  /// Call the node's wake() in a later cycle.
  virtual void wake_at(cmn::Cycle when, unsigned node) = 0;
  /// @return the device with the node id; none if there is nothing.
  [[nodiscard]] virtual cmn::DeviceType device_at(std::uint16_t node_id) const = 0;
  /// Report that the model does something the rules do not allow.
  virtual void fail(const std::string& kind, const std::string& text) = 0;
};

/// A node computed independently from docs/cmn-nodes.md, from flits alone, and written as plainly as possible.
///
/// Calls come in order, cycle by cycle: wake(), if requested for the cycle; what arrives; settle(); what the node has
/// sent. The node declares what it must send beforehand (expect()), and every flit it sends must match one of these.
class ReferenceNode {
 public:
  ReferenceNode(const CmnNode& node, unsigned number, ReferenceSurroundings& around)
      : node_(node), number_(number), around_(around) {}
  virtual ~ReferenceNode() = default;
  ReferenceNode(const ReferenceNode&) = delete;
  ReferenceNode& operator=(const ReferenceNode&) = delete;

  virtual void wake(cmn::Cycle /*now*/) {}
  virtual void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) = 0;
  /// All arrivals of this cycle have been reported. Called in every cycle in which any node of the mesh wakes or
  /// receives a flit.
  virtual void settle(cmn::Cycle /*now*/) {}
  /// A flit with the node's id has entered the mesh. @return false if the node was not to send it
  bool sent(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit);
  /// A flit is on its way to the node, so let memory bring what arrive() will read. Changes nothing.
  /// @param leaves_mesh  it leaves the mesh, and arrives soon; otherwise it enters
  virtual void prepare([[maybe_unused]] cmn::Channel channel, [[maybe_unused]] const cmn::FlitFields& flit,
                       [[maybe_unused]] bool leaves_mesh) {}
  /// A cycle in which the first flit of the channel is ready but does not enter the mesh.
  virtual void held(cmn::Channel /*channel*/) {}
  /// Traffic has ended: nothing may remain to be sent.
  virtual void finish();

  /// Count occurrences at the source of a type, if the node has one.
  void fire(cmn::NodeType type, unsigned id, NodeCounts::Codes codes, NodeCounts::Codes second, std::uint64_t amount) {
    for (NodeCounts& source : sources_) {
      if (source.type() == type) source.fire(id, codes, second, amount);
    }
  }

  [[nodiscard]] const CmnNode& node() const { return node_; }
  /// @return the event sources of the node, in the order of their construction.
  [[nodiscard]] const std::list<NodeCounts>& sources() const { return sources_; }

 protected:
  using Then = std::function<void(cmn::Cycle now, const cmn::FlitFields& flit)>;
  /// A flit to be sent. An absent member may have any value.
  struct Message {
    cmn::Channel channel = cmn::Channel::req;
    std::uint8_t opcode = 0;
    std::optional<std::uint16_t> target{};
    std::optional<std::uint16_t> txnid{};
    std::optional<std::uint16_t> dbid{};
    std::optional<std::uint64_t> line{};     ///< address / 64
    std::optional<std::uint64_t> address{};  ///< all bits of it
    std::optional<std::uint8_t> dataid{};
    std::optional<std::uint8_t> resp{};
    std::optional<std::uint8_t> allowretry{};
    std::optional<std::uint8_t> pcrdtype{};
  };
  void expect(const Message& message, Then then = {}) { awaited_.push_back({message, std::move(then)}); }
  /// Expect a message of 64 bytes in two DAT flits, or of one flit.
  /// @param then  called when the last has been sent
  void expect_data(Message message, bool two, Then then = {});
  /// Expect a response to a request, with its TxnID.
  void expect_response(const cmn::FlitFields& request, std::uint8_t opcode, std::optional<std::uint16_t> dbid = {},
                       std::uint8_t pcrdtype = 0);
  void expect_grant(std::uint16_t target, std::uint8_t pcrdtype = 0);

  NodeCounts& add_source(cmn::NodeType type) {
    return sources_.emplace_back(type, node_.node_id, around_.spec().occupancy_width);
  }
  /// An unexpected flit, which the node may send on its own initiative. @return false if it may not
  virtual bool begins(cmn::Cycle /*now*/, cmn::Channel /*channel*/, const cmn::FlitFields& /*flit*/) { return false; }
  /// A flit that the node had to send, or may send, has entered the mesh. Called before the effects of that.
  virtual void has_sent(cmn::Cycle /*now*/, cmn::Channel /*channel*/, const cmn::FlitFields& /*flit*/) {}
  void wake_at(cmn::Cycle when) { around_.wake_at(when, number_); }
  [[nodiscard]] ReferenceSurroundings& around() const { return around_; }
  void fail(const std::string& kind, const std::string& text) const;

 private:
  struct Awaited {
    Message message{};
    Then then{};
  };
  [[nodiscard]] static bool fits(const Message& message, cmn::Channel channel, const cmn::FlitFields& flit);

  CmnNode node_;
  unsigned number_;
  ReferenceSurroundings& around_;
  std::list<NodeCounts> sources_;
  RecycledList<Awaited> awaited_;
};

/// @return the flit in words: "CompData to 0x48, TxnID 0x3, address 0x1000".
[[nodiscard]] std::string describe_flit(cmn::Channel channel, const cmn::FlitFields& flit);

/// Room for requests (rule 1.6): entries, and reservations for requests that were retried.
class ReferenceRoom {
 public:
  explicit ReferenceRoom(unsigned entries) : entries_(entries) {}

  enum class Admission : std::uint8_t { admitted, retried, unasked };
  /// @return unasked for a request with AllowRetry = 0 whose sender has no reservation
  Admission admit(const cmn::FlitFields& request);
  /// Free an entry. @return the sender that must get a PCrdGrant, if any
  [[nodiscard]] std::optional<std::uint16_t> release();
  [[nodiscard]] bool is_idle() const { return used_ == 0 && waiting_.empty() && reservations_.empty(); }
  [[nodiscard]] unsigned used() const { return used_; }

 private:
  unsigned entries_;
  unsigned used_ = 0;
  std::list<std::uint16_t> waiting_;                // senders of retried requests, the oldest first
  std::map<std::uint16_t, unsigned> reservations_;  // by sender
};

/// Numbers in use. Allocation takes the lowest free one.
class LowestFree {
 public:
  unsigned take() {
    const auto word = std::find_if(taken_.begin(), taken_.end(), [](std::uint64_t bits) { return ~bits != 0; });
    const auto index = static_cast<std::size_t>(word - taken_.begin());
    if (word == taken_.end()) taken_.push_back(0);
    const auto bit = static_cast<unsigned>(std::countr_one(taken_[index]));
    taken_[index] |= std::uint64_t{1} << bit;
    return static_cast<unsigned>(index) * kBits + bit;
  }
  /// @param number  in use
  void free(unsigned number) { taken_[number / kBits] &= ~(std::uint64_t{1} << number % kBits); }

 private:
  static constexpr unsigned kBits = 64;
  std::vector<std::uint64_t> taken_;  // a bit for each
};

/// Tracks whether all data of a message has arrived.
class DataArrival {
 public:
  /// @param two  64 bytes: two flits
  explicit DataArrival(bool two = true) : missing_(two ? 2 : 1) {}
  /// @return true if this flit is the last
  bool take() { return missing_ != 0 && --missing_ == 0; }
  [[nodiscard]] bool complete() const { return missing_ == 0; }

 private:
  unsigned missing_;
};

/// Devices that snoops go to, and memory that answers homes.
/// @{
[[nodiscard]] bool is_rn_f_device(cmn::DeviceType device);
[[nodiscard]] bool is_sn_f_device(cmn::DeviceType device);
/// @}

/// Sizes above 5 (32 bytes) take two flits.
[[nodiscard]] constexpr bool has_two_flits(const cmn::FlitFields& request) { return request.size > 5; }

}  // namespace pmufab::scoreboard
