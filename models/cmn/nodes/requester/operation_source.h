// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// The kinds of operations for requesters. Each requester supports some of them; the others are refused at
/// construction.
enum class OperationKind : std::uint8_t {
  load,               ///< cached; a miss is ReadNotSharedDirty
  load_shared,        ///< cached; a miss is ReadShared
  load_clean,         ///< cached; a miss is ReadClean
  store,              ///< cached; a miss is ReadUnique, of a shared line CleanUnique
  store_line,         ///< cached, all of the line; a miss or a shared line is MakeUnique
  clean_unique,       ///< a shared line becomes the only one
  make_unique,        ///< as store_line
  read_once,          ///< ReadOnce
  read_no_snp,        ///< ReadNoSnp; also of I/O addresses
  write_no_snp_full,  ///< WriteNoSnpFull; also of I/O addresses
  write_no_snp_ptl,   ///< WriteNoSnpPtl; also of I/O addresses
  write_unique_full,  ///< WriteUniqueFull
  write_unique_ptl,   ///< WriteUniquePtl
  clean_shared,       ///< CleanShared
  clean_invalid,      ///< CleanInvalid
  make_invalid,       ///< MakeInvalid
  stash_shared,       ///< StashOnceShared
  stash_unique,       ///< StashOnceUnique
  atomic_store,       ///< AtomicStore
  atomic_load,        ///< AtomicLoad
  atomic_swap,        ///< AtomicSwap
  atomic_compare,     ///< AtomicCompare
  prefetch,           ///< PrefetchTgt
  dvm_operation,      ///< DVMOp, no synchronisation
  dvm_sync,           ///< DVMOp, synchronisation
};
inline constexpr unsigned kOperationKinds = 25;

/// One operation.
struct Operation {
  OperationKind kind = OperationKind::load;
  std::uint8_t qos = 0;       ///< 0 ... 15
  bool allocate = true;       ///< MemAttr bit 3
  std::uint8_t size = 6;      ///< 2^size bytes, 0 ... 6; for operations that may be smaller than a line
  std::uint8_t variant = 0;   ///< for atomic_store and atomic_load: ADD, CLR, EOR, SET, SMAX, SMIN, UMAX, UMIN
  std::uint8_t lpid = 0;      ///< 0 ... 31; an RN-I or RN-D uses AXI port lpid mod 3
  bool cancel = false;        ///< for write_no_snp_ptl of an RN-I or RN-D: WriteDataCancel instead of the data
  bool has_target = false;    ///< for stashes: StashTgtValid
  std::uint16_t target = 0;   ///< for stashes: StashNID
  std::uint64_t address = 0;  ///< for dvm_*: the payload
  std::uint32_t tag = 0;      ///< for the source's use
};

/// Gives one requester its operations. The requester calls it while it has room; it may hold one operation back until
/// another that blocks it is done.
class OperationSource {
 public:
  virtual ~OperationSource() = default;
  /// Get the operation to begin in cycle `now`. @return false if there is none now
  virtual bool next(Cycle now, Operation& operation) = 0;
  /// @return the first cycle from `now` on in which next() may give one, if completed() is not called before; kNoCycle:
  ///         none
  [[nodiscard]] virtual Cycle ready(Cycle now) const = 0;
  /// The operation that next() gave in this cycle cannot begin yet: it waits for its line, an entry of the requester's
  /// table, or a place in its cache.
  virtual void held(Cycle /*now*/) {}
  /// It begins in this cycle.
  virtual void released(Cycle /*now*/) {}
  /// From this cycle on the requester's table has no room. It calls next() in the first cycle in which it has.
  virtual void full(Cycle /*now*/) {}
  /// An operation has ended.
  /// @param began  the cycle in which next() gave it
  virtual void completed(const Operation& operation, Cycle began, Cycle now) = 0;
};

}  // namespace pmufab::cmn
