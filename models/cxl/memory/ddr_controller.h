// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cxl/cpmu/event_group.h"
#include "models/cxl/cpmu/level_sampler.h"
#include "models/cxl/host/engine.h"
#include "models/cxl/link/ring.h"
#include "tlm/probe/probe.h"

namespace pmufab::cxl {

/// How rows are left after an access.
enum class PagePolicy : std::uint8_t { open, closed };

enum class RefreshMode : std::uint8_t { none, all_banks, same_bank };

/// Times between DDR commands, in picoseconds. The defaults approximate DDR5-4800.
struct DdrTiming {
  Picoseconds act_to_cas = 15'000;           ///< tRCD
  Picoseconds act_to_pre = 32'000;           ///< tRAS
  Picoseconds act_to_act = 3'333;            ///< tRRD, within a rank
  Picoseconds pre_to_act = 15'000;           ///< tRP
  Picoseconds read_to_pre = 7'500;           ///< tRTP
  Picoseconds write_to_pre = 50'000;         ///< from the CAS: write latency, burst and tWR
  Picoseconds cas_to_cas = 3'333;            ///< tCCD, between CAS of one kind
  Picoseconds read_to_write = 10'000;        ///< from CAS to CAS
  Picoseconds write_to_read = 25'000;        ///< from CAS to CAS
  Picoseconds cas_latency = 20'000;          ///< from CAS to the end of its data
  Picoseconds refresh_interval = 3'900'000;  ///< tREFI
  Picoseconds refresh = 295'000;             ///< tRFC, all banks
  Picoseconds refresh_same_bank = 130'000;   ///< tRFCsb
  Picoseconds refresh_management = 130'000;  ///< tRFM
  Picoseconds power_down_exit = 7'500;       ///< tXP
  Picoseconds self_refresh_exit = 305'000;   ///< tXS
};

/// Errors of the DDR interface: every n-th command of a channel fails, and is repeated. 0: none fails.
struct DdrRetries {
  unsigned read_crc_every = 0;   ///< for reads
  unsigned write_crc_every = 0;  ///< for writes
  unsigned parity_every = 0;     ///< for reads and writes: parity of command and address
  unsigned ecc_every = 0;        ///< for reads
  Picoseconds delay = 50'000;    ///< from the CAS that failed to the next one
  [[nodiscard]] bool any() const noexcept { return (read_crc_every | write_crc_every | parity_every | ecc_every) != 0; }
};

/// Throttling for heat or power: when a controller holds accesses back after too many in too short a time.
struct DdrThrottle {
  unsigned accesses = 0;  ///< accesses within `window` of the first; 0: never
  Picoseconds window = 1'000'000;
  Picoseconds pause = 200'000;  ///< time without commands for accesses
};

struct DdrParameters {
  DdrShape shape{2, 1, 8, 4};      ///< all powers of two
  std::uint64_t row_bytes = 8192;  ///< per bank; a power of two, 64 or more
  PagePolicy page_policy = PagePolicy::open;
  RefreshMode refresh_mode = RefreshMode::all_banks;
  unsigned rfm_after = 0;                       ///< ACTs of a bank before RFM; 0: never
  Picoseconds power_down_after = 500'000;       ///< idle; 0: never
  Picoseconds self_refresh_after = 20'000'000;  ///< without an access; 0: never
  DdrTiming timing{};
  Picoseconds clock_period = 1'000;  ///< of the clock of events that count clocks
  bool separate_queues = true;       ///< for reads and writes; if false, one for both
  DdrRetries retries{};
  DdrThrottle thermal{};
  DdrThrottle power{};
};

/// For every time in DdrParameters: 1 s. A larger value is a mistake of units.
inline constexpr Picoseconds kMostDdrTime = 1'000'000'000'000;

/// @throws SpecError for impossible parameters: the field is that of DdrParameters, or of its shape or timing
void check(const DdrParameters& parameters);

class DdrChannel;

/// Called when accesses end.
class DdrClient {
 public:
  virtual void access_done(std::uint32_t ticket, Picoseconds now) = 0;

 protected:
  ~DdrClient() = default;
};

/// Observes the accesses that enter a controller. Called in simulation order, before anything is published.
class DdrObserver {
 public:
  virtual ~DdrObserver() = default;
  /// @param device_address  device physical address
  virtual void on_access(Picoseconds when, bool write, std::uint64_t device_address) = 0;
};

/// A memory controller with its DDR (docs/cxl-messages.md, section 6): computes when the commands of an access come,
/// and publishes each at its time. Event groups 0x8000 ... 0x8004.
class DdrController final : private LevelSampler::Source {
 public:
  static constexpr std::uint32_t kNoTicket = ~0U;

  /// @param name       prefix of the probes' names
  /// @param delay      from the end of an access's data to access_done()
  /// @param alignment  access_done() comes at multiples of it
  /// @throws SpecError for impossible parameters
  DdrController(const std::string& name, Engine& engine, const DdrParameters& parameters, DdrClient& client,
                Picoseconds delay, Picoseconds alignment);
  ~DdrController();
  DdrController& operator=(DdrController&&) = delete;

  /// An access to a line enters now.
  /// @param ticket  returned by access_done(); with kNoTicket there is no call
  void access(std::uint64_t device_address, bool write, std::uint32_t ticket);

  /// @return the group of commands, 0x8000.
  [[nodiscard]] EventGroup event_group();
  /// @return that group, and those of queues, retries and throttling, 0x8001 ... 0x8004.
  [[nodiscard]] std::vector<EventGroup> event_groups();
  [[nodiscard]] const DdrParameters& parameters() const noexcept { return parameters_; }
  void set_observer(DdrObserver* observer) noexcept { observer_ = observer; }
  /// @return the number of accesses that have not ended.
  [[nodiscard]] std::uint64_t pending() const noexcept;
  /// The load of a channel so far, for reports.
  struct Load {
    Picoseconds busy = 0;    ///< time of the data bus that accesses take, those that wait included
    Picoseconds waited = 0;  ///< time in which an access waited for its CAS, or will wait
  };
  /// @return by channel
  [[nodiscard]] std::vector<Load> loads() const;

 private:
  friend class DdrChannel;
  /// One cause of throttling, and its time: after `since`, to `until`.
  struct Throttling {
    DdrThrottle rule;
    Probe probe;
    unsigned accesses = 0;
    Picoseconds first = 0;
    Picoseconds since = 0;
    Picoseconds until = 0;
    Picoseconds last_until = kNever;  // end of the throttling before
  };

  void sample(Picoseconds edge) override;
  static void enter(Throttling& throttling, Picoseconds now);
  Engine& engine_;
  DdrParameters parameters_;
  DdrClient& client_;
  Picoseconds delay_;
  Picoseconds alignment_;
  std::array<unsigned, 5> shifts_{};  // widths of channel, bank group, column, bank, rank
  std::vector<std::unique_ptr<DdrChannel>> channels_;
  std::array<Throttling, 2> throttlings_;  // thermal, power
  Picoseconds held_until_ = 0;             // end of throttling for either cause
  LevelSampler sampler_;
  DdrObserver* observer_ = nullptr;
};

}  // namespace pmufab::cxl
