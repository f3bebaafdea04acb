// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/home/home_node.h"
#include "models/cmn/wire/chi.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {

/// How an RN-F of a test answers a snoop.
enum class SnoopReply : std::uint8_t {
  none,       ///< SnpResp: the RN-F does not have the line
  dirty,      ///< SnpRespData with PassDirty
  forwarded,  ///< CompData to the requester, SnpRespFwded
  pull,       ///< SnpResp with DataPull
  later,      ///< nothing yet: the test calls HomePeer::answer()
};

/// The parts of a test's request besides opcode and address.
struct RequestOptions {
  std::uint8_t qos = 0;
  std::uint8_t size = 6;
  bool allocate = false;
  std::optional<bool> ack{};  ///< ExpCompAck; absent: as usual for the opcode
  std::uint8_t lpid = 0;
  std::uint8_t data_resp = 0;  ///< Resp of write data
  std::optional<std::uint16_t> stash_target{};
};

/// A scripted device at one node id: a requester that plays its part of each transaction, and answers snoops as
/// configured.
class HomePeer final : public cmn::MeshDevice {
 public:
  /// A request and its results.
  struct Transaction {
    cmn::FlitFields request;
    std::uint8_t data_resp = 0;
    std::vector<std::uint8_t> responses;  ///< opcodes of RSP
    unsigned data_flits = 0;
    std::uint8_t resp = 0;        ///< of the last Comp or CompData
    std::uint16_t data_from = 0;  ///< node id
    bool done = false;
    cmn::Cycle done_at = 0;
  };
  struct Seen {
    cmn::Cycle cycle;
    cmn::Channel channel;
    cmn::FlitFields fields;
  };

  HomePeer(cmn::Mesh& mesh, std::uint16_t node_id, std::uint16_t home);

  void run(cmn::Cycle now) override;

  /// Send a request. @return its TxnID, the index in transactions
  std::uint16_t request(std::uint8_t opcode, std::uint64_t address, const RequestOptions& options = {});
  /// Answer a snoop that was left open.
  void answer(const cmn::FlitFields& snoop, SnoopReply reply);
  void send(cmn::Channel channel, const cmn::FlitFields& fields) { mesh_.post(number_, channel, fields, 0); }
  [[nodiscard]] const Transaction& operator[](std::uint16_t txnid) const { return transactions.at(txnid); }
  /// @return the snoops that arrived, by opcode.
  [[nodiscard]] unsigned snoops(std::uint8_t opcode) const;
  [[nodiscard]] bool idle() const;

  std::uint16_t node_id;
  SnoopReply reply = SnoopReply::none;  ///< to snoops from now on
  std::vector<Seen> seen;
  std::deque<Transaction> transactions;
  unsigned retries = 0;

 private:
  void take_snoop(const cmn::FlitFields& snoop);
  void take_response(const cmn::FlitFields& flit, cmn::Cycle now);
  void take_data(const cmn::FlitFields& flit, cmn::Cycle now);
  void send_write_data(Transaction& transaction, const cmn::FlitFields& response);
  void acknowledge(std::uint16_t to, std::uint16_t dbid);
  void send_again();

  cmn::Mesh& mesh_;
  unsigned number_;
  std::uint16_t home_;
  std::deque<std::uint16_t> refused_;
  unsigned credits_ = 0;
};

/// Memory of a test. It answers everything, or refuses requests first.
class HomeMemory final : public cmn::MeshDevice {
 public:
  HomeMemory(cmn::Mesh& mesh, std::uint16_t node_id);
  void run(cmn::Cycle now) override;

  std::uint16_t node_id;
  unsigned refuses = 0;       ///< number of requests that get RetryAck and then PCrdGrant
  bool grants_first = false;  ///< PCrdGrant before RetryAck
  bool silent = false;        ///< the test calls answer()
  std::vector<cmn::FlitFields> requests;
  unsigned data_flits = 0;  ///< of writes
  void answer(const cmn::FlitFields& request);

 private:
  cmn::Mesh& mesh_;
  unsigned number_;
};

/// Number of times an event happens.
struct ExpectedCount {
  unsigned event;  ///< its number
  std::int64_t count;
  std::optional<unsigned> code{};  ///< those that this code of the event's filter lets pass
};

/// What happens in a scenario. Other counts follow from these by docs/cmn-nodes.md: snp_sent is the sum of all kinds of
/// snoops, each line taken back from the snoop filter is an eviction of it.
struct HomeCounts {
  std::int64_t requests = 0;
  std::optional<std::int64_t> look_ups{};  ///< absent: one for each request
  std::int64_t misses = 0;
  std::int64_t fills = 0;
  std::int64_t replacing = 0;  ///< of the fills, those in place of another line
  std::int64_t memory = 0;     ///< requests to it
  std::int64_t sf_hits = 0;
  std::int64_t directed = 0;   ///< snoops for a request to one RN-F
  std::int64_t broadcast = 0;  ///< to several
  std::int64_t forwarding = 0;
  std::int64_t taken_from_one = 0;  ///< lines that leave the snoop filter for another
  std::int64_t taken_from_many = 0;
  std::vector<ExpectedCount> others{};
};

/// A small mesh with one home, scripted devices around it, and software at its PMU.
///
/// Four RN-Fs, an RN-I, a gateway, an SN-F. The home's sets are lines mod sets.
class HomeBench {
 public:
  explicit HomeBench(const std::string& name, const cmn::HomeParameters& parameters = {});

  /// Run until everything under way has ended.
  void settle();
  [[nodiscard]] cmn::Cycle cycle() const { return mesh.clock().edges_before(now()); }
  void pass(cmn::Cycle cycles) { advance(cycles * mesh.clock().time_of_edge(1)); }
  /// Send a request, and run until it has ended.
  const HomePeer::Transaction& perform(HomePeer& peer, std::uint8_t opcode, std::uint64_t address,
                                       const RequestOptions& options = {});
  /// The same by an RN-F.
  const HomePeer::Transaction& perform(unsigned rn_f, std::uint8_t opcode, std::uint64_t address,
                                       const RequestOptions& options = {}) {
    return perform(rnf(rn_f), opcode, address, options);
  }
  HomePeer& rnf(unsigned index) { return *rn_fs.at(index); }
  /// @return the RN-Fs that the snoop filter has for a line
  [[nodiscard]] std::vector<unsigned> sharers(std::uint64_t address) const;
  [[nodiscard]] std::uint16_t home_id() const { return addresses.nodes(cmn::DeviceKind::home)[0]; }
  [[nodiscard]] bool is_unique(std::uint64_t address) const { return home->tracked(address).unique; }
  [[nodiscard]] cmn::HomeNode::SlcState slc(std::uint64_t address) const { return home->slc_state(address); }

  /// Compare what the home has told its PMU of. Events that `counts` does not name must not have happened, except
  /// occupancies and events of QoS classes.
  void expect(const HomeCounts& counts) const;

  std::vector<cmn::Pmu::NodeOccurrence> heard;  ///< of the home
  cmn::Mesh mesh;
  Initiator cpu;
  CmnDriver driver{cpu};
  cmn::SystemAddressMap addresses;
  std::unique_ptr<cmn::HomeNode> home;
  std::vector<std::unique_ptr<HomePeer>> rn_fs;
  std::unique_ptr<HomePeer> rni;
  std::unique_ptr<HomePeer> gateway;
  std::unique_ptr<HomeMemory> memory;
};

/// A line for tests.
inline constexpr std::uint64_t kLine = 0x4'1000;

/// Bring kLine into RN-Fs 0 and 1, shared, and clean into the SLC. It takes an access that misses (request, access,
/// miss, fill of a free way, memory), and one that hits in both, with a forwarding snoop.
void share(HomeBench& bench);

/// Let memory answer its requests, and run until all has ended.
void release(HomeBench& bench);

}  // namespace pmufab::testing
