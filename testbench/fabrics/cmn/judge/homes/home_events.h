// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cmn/wire/flit_fields.h"

namespace pmufab::scoreboard {

/// Ids of home nodes' events (arm-cmn). HN-S have several names for some; those for this mesh's lines have no suffix
/// here.
namespace home_event {
inline constexpr unsigned kCacheMiss = 0x01;
inline constexpr unsigned kSlcSfCacheAccess = 0x02;
inline constexpr unsigned kCacheFill = 0x03;
inline constexpr unsigned kPocqRetry = 0x04;
inline constexpr unsigned kPocqReqsRecvd = 0x05;
inline constexpr unsigned kSfHit = 0x06;
inline constexpr unsigned kSfEvictions = 0x07;
inline constexpr unsigned kDirSnoopsSent = 0x08;
inline constexpr unsigned kBrdSnoopsSent = 0x09;
inline constexpr unsigned kSlcEviction = 0x0a;
inline constexpr unsigned kSlcFillInvalidWay = 0x0b;
inline constexpr unsigned kMcRetries = 0x0c;
inline constexpr unsigned kMcReqs = 0x0d;
inline constexpr unsigned kQosHhRetry = 0x0e;
inline constexpr unsigned kQosPocqOccupancy = 0x0f;
inline constexpr unsigned kPocqAddrhaz = 0x10;
inline constexpr unsigned kPocqAtomicAddrhaz = 0x11;
inline constexpr unsigned kTxdatStall = 0x14;
inline constexpr unsigned kTxrspStall = 0x15;
inline constexpr unsigned kSeqHit = 0x17;
inline constexpr unsigned kSnpSent = 0x18;
inline constexpr unsigned kSfbiDirSnpSent = 0x19;
inline constexpr unsigned kSfbiBrdSnpSent = 0x1a;
inline constexpr unsigned kIntvDirty = 0x1c;
inline constexpr unsigned kStashSnpSent = 0x1d;
inline constexpr unsigned kStashDataPull = 0x1e;
inline constexpr unsigned kSnpFwded = 0x1f;
inline constexpr unsigned kSfEvictSharedLine = 0x25;
inline constexpr unsigned kPocqClassOccup = 0x26;
inline constexpr unsigned kPocqClassRetry = 0x27;
inline constexpr unsigned kClassMcReqs = 0x28;
inline constexpr unsigned kSnpIntvCln = 0x2d;
inline constexpr unsigned kMcRetriesRemote = 0x3a;         // HN-S
inline constexpr unsigned kMcReqsRemote = 0x3b;            // HN-S
inline constexpr unsigned kClassMcReqsRemote = 0x3c;       // HN-S
inline constexpr unsigned kReadOnceHazardDetected = 0x3d;  // HN-S of S3 r2
}  // namespace home_event

/// Section 3, rule 8: 0 QoS 15, 1 QoS 12-14, 2 QoS 8-11, 3 QoS 0-7.
[[nodiscard]] constexpr unsigned qos_class(const cmn::FlitFields& request) {
  if (request.qos == 15) return 0;
  if (request.qos >= 12) return 1;
  return request.qos >= 8 ? 2 : 3;
}

}  // namespace pmufab::scoreboard
