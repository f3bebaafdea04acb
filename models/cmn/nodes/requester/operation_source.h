// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// What a requester is asked to do. Which kinds a requester takes is its own matter; others it refuses when it is made.
enum class OperationKind : std::uint8_t {
  load,               ///< cached; a miss is ReadNotSharedDirty
  load_shared,        ///< cached; a miss is ReadShared
  load_clean,         ///< cached; a miss is ReadClean
  store,              ///< cached; a miss is ReadUnique, of a shared line CleanUnique
  store_line,         ///< cached, all of the line; a miss or a shared line is MakeUnique
  clean_unique,       ///< a shared line becomes the only one
  make_unique,        ///< as store_line
  read_once,          ///< ReadOnce
  read_no_snp,        ///< ReadNoSnp; of I/O addresses too
  write_no_snp_full,  ///< WriteNoSnpFull; of I/O addresses too
  write_no_snp_ptl,   ///< WriteNoSnpPtl; of I/O addresses too
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

/// One thing to do.
struct Operation {
  OperationKind kind = OperationKind::load;
  std::uint8_t qos = 0;       ///< 0 ... 15
  bool allocate = true;       ///< MemAttr bit 3
  std::uint8_t size = 6;      ///< 2^size bytes, of those that may be less than a line: 0 ... 6
  std::uint8_t variant = 0;   ///< of atomic_store and atomic_load: ADD, CLR, EOR, SET, SMAX, SMIN, UMAX, UMIN
  std::uint8_t lpid = 0;      ///< 0 ... 31; of an RN-I or RN-D it also says the AXI port: lpid mod 3
  bool cancel = false;        ///< of write_no_snp_ptl of an RN-I or RN-D: WriteDataCancel instead of the data
  bool has_target = false;    ///< of stashes: StashTgtValid
  std::uint16_t target = 0;   ///< of stashes: StashNID
  std::uint64_t address = 0;  ///< of dvm_*: a payload
  std::uint32_t tag = 0;      ///< the source's own
};

/// Gives one requester what it is to do. The requester asks while it has room; it may hold one operation back until
/// another that is in its way is done.
class OperationSource {
 public:
  virtual ~OperationSource() = default;
  /// Take the operation to begin in cycle `now`. @return false: there is none now
  virtual bool next(Cycle now, Operation& operation) = 0;
  /// @return the first cycle from `now` on in which next() may give one without completed() being called before;
  ///         kNoCycle: none
  [[nodiscard]] virtual Cycle ready(Cycle now) const = 0;
  /// An operation has been done.
  /// @param began  the cycle in which next() gave it
  virtual void completed(const Operation& operation, Cycle began, Cycle now) = 0;
};

}  // namespace pmufab::cmn
