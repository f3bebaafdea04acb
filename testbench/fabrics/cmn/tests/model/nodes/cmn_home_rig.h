// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
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
  none,             ///< SnpResp: the RN-F does not have the line
  clean,            ///< SnpRespData without PassDirty
  dirty,            ///< SnpRespData with PassDirty
  forwarded,        ///< CompData to the requester, SnpRespFwded
  forwarded_dirty,  ///< CompData to the requester, SnpRespDataFwded with PassDirty
  pull,             ///< SnpResp with DataPull
  later,            ///< nothing yet: the test calls HomePeer::answer()
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
  bool acknowledges = true;             ///< CompAck
  bool gives_data = true;               ///< write data
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

/// The parameters of a HomeBench.
struct HomeSetup {
  cmn::Product product = cmn::Product::cmn700;
  unsigned revision = 3;
  cmn::NodeType home = cmn::NodeType::hn_f;
  cmn::HomeParameters parameters{};
  bool two_channels = false;
};

/// A small mesh with one home, scripted devices around it, and software at its PMU.
///
/// Four RN-Fs, an RN-I, a gateway, an SN-F. The home's sets are lines mod sets.
class HomeBench {
 public:
  HomeBench(const std::string& name, const HomeSetup& setup);

  /// Run until everything under way has ended.
  void settle();
  [[nodiscard]] cmn::Cycle cycle() const { return mesh.clock().edges_before(now()); }
  void pass(cmn::Cycle cycles) { advance(cycles * mesh.clock().time_of_edge(1)); }
  /// Send a request, and run until it has ended.
  const HomePeer::Transaction& perform(HomePeer& peer, std::uint8_t opcode, std::uint64_t address,
                                       const RequestOptions& options = {});
  HomePeer& rnf(unsigned index) { return *rn_fs.at(index); }

  cmn::Mesh mesh;
  Initiator cpu;
  CmnDriver driver{cpu};
  cmn::SystemAddressMap addresses;
  std::unique_ptr<cmn::HomeNode> home;
  std::vector<std::unique_ptr<HomePeer>> rn_fs;
  std::unique_ptr<HomePeer> rni;
  std::unique_ptr<HomePeer> gateway;
  std::unique_ptr<HomeMemory> memory;
  std::vector<unsigned> home_nodes;  ///< the driver's
};

/// A line for tests.
inline constexpr std::uint64_t kLine = 0x4'1000;

/// @return the node ids of some RN-Fs.
[[nodiscard]] std::vector<std::uint16_t> ids(HomeBench& bench, std::initializer_list<unsigned> rn_fs);
/// Bring kLine into RN-Fs 0 and 1, shared, and clean into the SLC. It takes an access that misses (request, access,
/// miss, fill of a free way, memory), and one that hits in both, with a forwarding snoop.
void share(HomeBench& bench);

/// Let memory answer its requests, and run until all has ended.
void release(HomeBench& bench);

/// Number of times an event happens, with the filters in the high half of the event select.
struct ExpectedCount {
  cmn::HomeEvent event;
  std::uint64_t count;
  std::uint32_t filter = 0;
};

/// Plays a scenario on one bench after the other, until the PMU has counted each event.
class HomeCounting {
 public:
  using Scenario = std::function<void(HomeBench&)>;
  /// Make the benches. Call this before the simulation starts. Events that `expected` does not name must not happen,
  /// except occupancies and events of QoS classes.
  HomeCounting(const HomeSetup& setup, std::vector<ExpectedCount> expected, bool only_these = false);
  /// Call this within the story.
  void check(const Scenario& scenario);

 private:
  HomeSetup setup_;
  std::vector<std::vector<ExpectedCount>> groups_;  // one per bench
  std::vector<std::unique_ptr<HomeBench>> benches_;
};

/// @return the name of an event.
[[nodiscard]] std::string name_of(cmn::HomeEvent event);

}  // namespace pmufab::testing
