// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/cxl/link/link.h"
#include "models/cxl/link/message_probes.h"
#include "models/cxl/memory/back_invalidate.h"
#include "models/cxl/memory/ddr_controller.h"
#include "models/cxl/memory/hdm_map.h"

namespace pmufab::cxl {

/// The CXL.cache side of a Type 2 device, as its memory sees it.
class CacheAgent {
 public:
  /// A H2D message has arrived.
  virtual void receive_cache(const Message& message, Picoseconds now) = 0;
  /// MemRdFwd or MemWrFwd has arrived: it ends the request with the message's tag.
  /// @return true if memory must be accessed
  virtual bool forwarded(const Message& message, Picoseconds now) = 0;
  /// D2H Data sent with Message::tell has left.
  virtual void data_left(const Message& message, Picoseconds now) = 0;

 protected:
  ~CacheAgent() = default;
};

/// Called when the device's own operations on its HDM-DB memory end.
class LocalClient {
 public:
  virtual void local_done(Picoseconds now) = 0;

 protected:
  ~LocalClient() = default;
};

/// The load a device reports, by requests under way (CXL 3.1, 3.3.4); light load below these.
struct DevLoadParameters {
  unsigned optimal = 8;
  unsigned moderate = 32;  ///< overload
  unsigned severe = 56;    ///< overload
};

struct MemoryDeviceParameters {
  DdrParameters ddr{};
  Picoseconds answer_latency = 10'000;  ///< from the end of data to the answer; from arrival if there is no data
  BackInvalidateParameters back_invalidate{};
  DevLoadParameters dev_load{};
};

/// @throws SpecError for impossible parameters: the field is that of MemoryDeviceParameters ("ddr.banks"), or of its
///         back_invalidate
void check(const MemoryDeviceParameters& parameters);

/// The protocol engine of a device with memory: answers CXL.mem requests (docs/cxl-messages.md, sections 3, 4, 6).
class MemoryDevice final : public Port,
                           private DdrClient,
                           private CoherentMemory,
                           private Actor,
                           private LevelSampler::Source {
 public:
  /// Attaches itself to the lower end of the link.
  /// @param map  the device's HDM decoders; may change while nothing is under way; must outlive the device
  /// @throws SpecError for impossible parameters
  MemoryDevice(const std::string& name, Engine& engine, Link& link, const HdmMap& map,
               const MemoryDeviceParameters& parameters);

  /// Queue an operation of the device on its own HDM-DB memory. Operations begin in order; local_done() reports each
  /// end.
  void local(LocalOperation operation, std::uint64_t address, bool tee) { coherence_.local(operation, address, tee); }
  /// Set the client of local operations. There is one; it is called for all of them.
  void set_local_client(LocalClient* client) noexcept { local_client_ = client; }
  [[nodiscard]] bool has_local_client() const noexcept { return local_client_ != nullptr; }
  void set_cache_agent(CacheAgent* agent) noexcept { cache_agent_ = agent; }

  [[nodiscard]] const HdmMap& map() const noexcept { return map_; }
  [[nodiscard]] const BackInvalidate& coherence() const noexcept { return coherence_; }
  [[nodiscard]] MessageProbes& probes() noexcept { return probes_; }
  [[nodiscard]] DdrController& ddr() noexcept { return ddr_; }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  /// @return the groups of messages, of load and residency (0x30 and 0x31), and of the memory controller.
  /// @param with_cache  those of CXL.cache, too
  [[nodiscard]] std::vector<EventGroup> event_groups(bool with_cache);
  /// @return the number of requests, snoops and local operations that have not ended.
  [[nodiscard]] std::uint64_t pending() const noexcept;

  bool receive(const Message& message, Picoseconds now) override;
  void left(const Message& message, Picoseconds now) override;

 private:
  static constexpr std::uint8_t kNothing = 0xff;
  struct Transaction {
    Message request;
    std::uint8_t ndr = kNothing;
    std::uint8_t drs = kNothing;
    std::uint8_t answers = 0;  // answers that have not left
    bool coherent = false;     // the snoop filter tracks it
  };
  struct Ready {
    Picoseconds when;
    std::uint16_t ticket;
  };

  void act(Picoseconds now) override;
  void sample(Picoseconds edge) override;
  void access_done(std::uint32_t ticket, Picoseconds now) override;
  void resume(const Message& request) override;
  void access(std::uint64_t address, bool write) override;
  void local_done() override;
  void accept(const Message& request, Picoseconds now);
  void forward(const Message& message, Picoseconds now);
  std::uint16_t open(const Message& request);
  void answer(std::uint16_t ticket);
  void send(const Transaction& transaction, std::uint16_t ticket, MessageClass message_class, std::uint8_t opcode);

  Engine& engine_;
  Link& link_;
  const HdmMap& map_;
  MemoryDeviceParameters parameters_;
  unsigned actor_;
  MessageProbes probes_;
  DdrController ddr_;
  BackInvalidate coherence_;
  std::vector<Transaction> transactions_;
  std::vector<std::uint16_t> free_;
  Ring<Ready> ready_;  // answers that need no access
  Level requests_;     // M2S Req with an answer to come, and M2S RwD
  Level requests_with_data_;
  std::array<Probe, 4> dev_load_;
  std::array<Probe, 2> residency_;
  LevelSampler sampler_;
  CacheAgent* cache_agent_ = nullptr;
  LocalClient* local_client_ = nullptr;
};

}  // namespace pmufab::cxl
