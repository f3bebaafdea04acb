// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/cxl/link/link.h"
#include "models/cxl/link/messages.h"
#include "models/cxl/link/ring.h"
#include "models/cxl/memory/line_table.h"

namespace pmufab::cxl {

/// The device's own operations on its HDM-DB memory.
enum class LocalOperation : std::uint8_t { read, load, store };

/// The part of the device that BackInvalidate calls.
class CoherentMemory {
 public:
  /// Continue with a request that was held.
  virtual void resume(const Message& request) = 0;
  /// Access the line's memory; no transaction waits for it.
  virtual void access(std::uint64_t address, bool write) = 0;
  /// A local operation has ended: it had begun, and its snoop has been answered.
  virtual void local_done() = 0;

 protected:
  ~CoherentMemory() = default;
};

struct BackInvalidateParameters {
  std::size_t filter_lines = 4096;  ///< lines in the snoop filter; at least 1
  std::size_t device_lines = 256;   ///< lines in the device's own cache; at least 1
  bool block_snoops = true;
};

/// The device's side of coherence of HDM-DB memory: snoop filter, back-invalidate snoops, the device's own cache and
/// operations (docs/cxl-messages.md, section 4).
class BackInvalidate {
 public:
  /// @param link  carries BISnp up
  BackInvalidate(Link& link, CoherentMemory& memory, const BackInvalidateParameters& parameters);

  /// @return true if a Req to the line must be held().
  [[nodiscard]] bool is_busy(std::uint64_t address) const noexcept {
    if (snoops_ == 0) [[likely]]
      return false;
    const LineTable::Index index = filter_.find(address);
    return index != LineTable::kNone && filter_[index].busy;
  }
  void hold(const Message& request) { held_.push(request); }
  /// A request other than MemSpecRd is accepted. @return the opcode of its NDR, without TEE
  std::uint8_t accept(const Message& request);
  /// The NDR of an accepted request has left.
  void served(std::uint64_t address);
  /// A BIRsp has arrived.
  void answered(const Message& answer);

  /// Queue a local operation of the device.
  void local(LocalOperation operation, std::uint64_t address, bool tee);
  /// @return the state of a line in the snoop filter, which is the most the host may hold: invalid, shared, or
  ///         exclusive for A.
  [[nodiscard]] LineState filter_state(std::uint64_t address) const noexcept { return filter_.state(address); }
  /// @return the state of a line in the device's own cache.
  [[nodiscard]] LineState own_state(std::uint64_t address) const noexcept { return device_.state(address); }
  [[nodiscard]] std::size_t pending() const noexcept { return held_.size() + local_.size() + snoops_; }

 private:
  struct Local {
    std::uint64_t address;
    LocalOperation operation;
    bool tee;
  };

  void set_state(LineTable::Index index, LineState state);
  void forget_if_unused(LineTable::Index index);
  void make_room(bool tee);
  [[nodiscard]] bool can_snoop(std::uint64_t address, std::uint8_t kind) const noexcept;
  void snoop(std::uint8_t kind, std::uint64_t address, bool tee);
  void run_local();
  bool begin(const Local& local);
  void cache(std::uint64_t address, LineState state);
  void give_up(std::uint64_t address, bool shared);

  Link& link_;
  CoherentMemory& memory_;
  BackInvalidateParameters parameters_;
  LineTable filter_;  // exclusive stands for the specification's A
  LineTable device_;
  std::size_t tracked_ = 0;  // lines of the filter with a state
  std::size_t snoops_ = 0;   // lines being snooped
  Ring<Message> held_;
  Ring<Local> local_;
  bool snooped_ = false;  // for the first of local_
};

}  // namespace pmufab::cxl
