// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/platform/platform_part.h"
#include "models/platform/platform_spec.h"
#include "testbench/tests/toy_fabric/toy_wire.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::toy {

/// The hardware of the toy: a belt that carries packets, and a PMU with one 32-bit counter for them.
class Belt : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kSize = 0x1000;

  /// @param loses_every  a fault: the PMU misses each packet whose number is a multiple of this; 0: none
  Belt(const sc_core::sc_module_name& name, std::uint64_t loses_every);

  /// A packet passes now.
  void pass();
  /// @param observer  called for each packet; not owned
  void set_observer(PacketObserver* observer) noexcept { observer_ = observer; }
  void reset();
  [[nodiscard]] const RegisterBank& bank() const noexcept { return bank_; }

  tlm_utils::simple_target_socket<Belt, 64> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank_.b_transport(payload, delay); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return bank_.transport_dbg(payload); }

  std::uint64_t loses_every_;
  RegisterBank bank_;
  RegisterId control_;
  PacketObserver* observer_ = nullptr;
  std::uint64_t passed_ = 0;
  std::uint32_t counted_ = 0;
};

/// The belt of a platform, and its place.
class ToyPart final : public platform::PlatformPart {
 public:
  explicit ToyPart(std::uint64_t loses_every) : belt_("toy", loses_every) {}

  void map(MmioBus& bus) override;
  void describe(platform::FirmwareDescription& firmware) override;
  void reset() override { belt_.reset(); }
  void add_registers(std::vector<platform::NamedRegisters>& banks) const override;

  [[nodiscard]] Belt& belt() noexcept { return belt_; }

 private:
  Belt belt_;
};

/// A platform's description of the toy.
struct ToySpec final : platform::PartSpec {
  std::uint64_t loses_every = 0;

  void check(const platform::PlatformSpec& platform) const override;
  void make(const platform::PlatformSpec& platform, platform::PlatformParts& parts) const override;
};

}  // namespace pmufab::toy
