#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cxl/engine.h"
#include "models/cxl/event_group.h"
#include "models/cxl/ring.h"
#include "tlm/probe/probe.h"

namespace pmufab::cxl {

/// How rows are left behind.
enum class PagePolicy : std::uint8_t { open, closed };

enum class RefreshMode : std::uint8_t { none, all_banks, same_bank };

/// Times between DDR commands, in picoseconds. The defaults are about those of DDR5-4800.
struct DdrTiming {
  Picoseconds act_to_cas = 15'000;           ///< tRCD
  Picoseconds act_to_pre = 32'000;           ///< tRAS
  Picoseconds act_to_act = 3'333;            ///< tRRD, of one rank
  Picoseconds pre_to_act = 15'000;           ///< tRP
  Picoseconds read_to_pre = 7'500;           ///< tRTP
  Picoseconds write_to_pre = 50'000;         ///< from the CAS: write latency, burst and tWR
  Picoseconds cas_to_cas = 3'333;            ///< tCCD, of one kind
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

struct DdrParameters {
  DdrShape shape{2, 1, 8, 4};      ///< all numbers powers of two
  std::uint64_t row_bytes = 8192;  ///< of a bank; a power of two, 64 or more
  PagePolicy page_policy = PagePolicy::open;
  RefreshMode refresh_mode = RefreshMode::all_banks;
  unsigned rfm_after = 0;                       ///< ACTs of a bank after which RFM comes first; 0: never
  Picoseconds power_down_after = 500'000;       ///< idle; 0: never
  Picoseconds self_refresh_after = 20'000'000;  ///< without an access; 0: never
  DdrTiming timing{};
};

/// Of any time in DdrParameters: 1 s, beyond which it is a slip of units.
inline constexpr Picoseconds kMostDdrTime = 1'000'000'000'000;

/// @throws SpecError for parameters that cannot be: the field is that of DdrParameters, or of its shape or timing
void check(const DdrParameters& parameters);

class DdrChannel;

/// Told when accesses are over.
class DdrClient {
 public:
  virtual void access_done(std::uint32_t ticket, Picoseconds now) = 0;

 protected:
  ~DdrClient() = default;
};

/// Sees the accesses that enter a controller. Called in simulation order, before anything is published.
class DdrObserver {
 public:
  virtual ~DdrObserver() = default;
  /// @param device_address  device physical address
  virtual void on_access(Picoseconds when, bool write, std::uint64_t device_address) = 0;
};

/// A memory controller with its DDR (docs/cxl-messages.md, section 6): computes when the commands of an access come,
/// and publishes each at its time. Event group 0x8000.
class DdrController {
 public:
  static constexpr std::uint32_t kNoTicket = ~0U;

  /// @param name       prefix of the probes' names
  /// @param delay      from the end of an access's data to access_done()
  /// @param alignment  access_done() comes at multiples of it
  /// @throws SpecError for parameters that cannot be
  DdrController(const std::string& name, Engine& engine, const DdrParameters& parameters, DdrClient& client,
                Picoseconds delay, Picoseconds alignment);
  ~DdrController();
  DdrController(const DdrController&) = delete;
  DdrController& operator=(const DdrController&) = delete;

  /// An access to a line enters now.
  /// @param ticket  comes back with access_done(); kNoTicket: nobody wants to know
  void access(std::uint64_t device_address, bool write, std::uint32_t ticket);

  [[nodiscard]] EventGroup event_group();
  [[nodiscard]] const DdrParameters& parameters() const noexcept { return parameters_; }
  void set_observer(DdrObserver* observer) noexcept { observer_ = observer; }
  /// @return accesses that are not over.
  [[nodiscard]] std::uint64_t pending() const noexcept;

 private:
  friend class DdrChannel;
  Engine& engine_;
  DdrParameters parameters_;
  DdrClient& client_;
  Picoseconds delay_;
  Picoseconds alignment_;
  std::array<unsigned, 5> shifts_{};  // widths of channel, bank group, column, bank, rank
  std::vector<std::unique_ptr<DdrChannel>> channels_;
  DdrObserver* observer_ = nullptr;
};

}  // namespace pmufab::cxl
