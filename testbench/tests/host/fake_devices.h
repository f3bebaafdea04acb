// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "tlm/interrupt/interrupt.h"

/// Devices that are just good enough for a driver to probe and count. They are not models: tests of the driver host set
/// their counters and interrupts.
namespace pmufab::driver_host::testing {

/// A window of registers.
class FakeDevice {
 public:
  virtual ~FakeDevice() = default;
  virtual std::uint64_t read(std::uint64_t offset, unsigned size) = 0;
  virtual void write(std::uint64_t offset, unsigned size, std::uint64_t value) = 0;
};

/// The bus. An access outside of all windows is an address error. It records every access.
class FakeBus : public sc_core::sc_module {
 public:
  struct Access {
    std::uint64_t address;
    unsigned size;
    bool is_write;
    std::uint64_t value;
    std::uint64_t when;  ///< picoseconds
    bool operator==(const Access&) const = default;
  };

  explicit FakeBus(const sc_core::sc_module_name& name);
  void map(std::uint64_t base, std::uint64_t size, FakeDevice& device);
  /// @return the accesses in [base, base + size) since the last clear().
  [[nodiscard]] std::vector<Access> accesses(std::uint64_t base, std::uint64_t size) const;
  void clear() { log_.clear(); }

  tlm_utils::simple_target_socket<FakeBus, 64> socket;
  /// Called before each access takes effect.
  std::function<void(const Access&)> before;

 private:
  struct Window {
    std::uint64_t base;
    std::uint64_t size;
    FakeDevice* device;
  };
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  std::vector<Window> windows_;
  std::vector<Access> log_;
};

/// A CoreSight PMU with 32-bit register layout and 64-bit counters, 7 and a cycle counter.
class FakeCoresightPmu : public FakeDevice {
 public:
  static constexpr unsigned kCounters = 7;  // besides the cycle counter
  static constexpr unsigned kCycles = 31;

  FakeCoresightPmu(std::uint32_t pmiidr, InterruptLine* line, unsigned counter_bits = 64)
      : pmiidr_(pmiidr), line_(line), counter_bits_(counter_bits) {}

  std::uint64_t read(std::uint64_t offset, unsigned size) override;
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;

  /// Add to a running counter. It wraps and overflows like hardware.
  void count(unsigned counter, std::uint64_t amount);
  /// Set overflow bits without counting.
  void raise(std::uint32_t overflow);
  [[nodiscard]] bool runs(unsigned counter) const { return enabled_ && ((enables_ >> counter) & 1U) != 0; }
  [[nodiscard]] std::uint32_t event_type(unsigned counter) const { return types_.at(counter); }
  [[nodiscard]] std::uint32_t filter(unsigned counter) const { return filters_.at(counter); }
  [[nodiscard]] std::uint32_t enables() const { return enables_; }
  [[nodiscard]] bool enabled() const { return enabled_; }
  [[nodiscard]] std::uint32_t overflow() const { return overflow_; }
  /// The overflow bits cannot be cleared: a broken device.
  bool stuck = false;

 private:
  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - counter_bits_); }
  void update_line();

  std::uint32_t pmiidr_;
  InterruptLine* line_;
  unsigned counter_bits_;
  bool enabled_ = false;
  std::uint32_t enables_ = 0;
  std::uint32_t interrupt_enables_ = 0;
  std::uint32_t overflow_ = 0;
  std::array<std::uint64_t, 32> counters_{};
  std::array<std::uint32_t, 32> types_{};
  std::array<std::uint32_t, 32> filters_{};
};

/// One instance or the broadcast window of a CMEM latency PMU.
class FakeCmem {
 public:
  static constexpr unsigned kInstances = 14;

  FakeCmem();
  [[nodiscard]] FakeDevice& instance(unsigned index) { return instances_.at(index); }
  [[nodiscard]] FakeDevice& broadcast() { return broadcast_; }

  /// Increments for the counters of every instance and memory controller while the PMU runs.
  void count(std::uint64_t cycles, std::uint64_t requests, std::uint64_t outstanding);
  [[nodiscard]] bool runs() const { return control_ == 1 && clock_; }
  std::uint64_t status = 0;  ///< overflow bits of all instances

 private:
  struct Instance : FakeDevice {
    explicit Instance(FakeCmem* pmu_in) : pmu(pmu_in) {}
    std::uint64_t read(std::uint64_t offset, unsigned size) override;
    void write(std::uint64_t, unsigned, std::uint64_t) override {}
    FakeCmem* pmu;
  };
  struct Broadcast : FakeDevice {
    explicit Broadcast(FakeCmem* pmu_in) : pmu(pmu_in) {}
    std::uint64_t read(std::uint64_t, unsigned) override { return 0; }
    void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;
    FakeCmem* pmu;
  };

  std::vector<Instance> instances_;
  Broadcast broadcast_{this};
  std::uint64_t control_ = 0;
  bool clock_ = false;
  std::uint64_t cycles_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t outstanding_ = 0;
};

}  // namespace pmufab::driver_host::testing
