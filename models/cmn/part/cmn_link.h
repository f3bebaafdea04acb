// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cmn/nodes/gateway/gateway.h"
#include "models/cmn/part/cmn_spec.h"

namespace pmufab::platform {

/// A link between two meshes of a platform, with the gateways at its ends.
class CmnLink {
 public:
  /// @param from, to  the meshes that spec names; they must outlive the link
  CmnLink(const CmnLinkSpec& spec, cmn::Mesh& from, cmn::Mesh& to);

  /// @return requests on their way through one of the gateways.
  [[nodiscard]] unsigned pending() const noexcept { return from_.pending() + to_.pending(); }
  /// @return the CXS flits that have left one end.
  /// @{
  [[nodiscard]] std::uint64_t sent_by_from() const noexcept { return from_.sent_flits(); }
  [[nodiscard]] std::uint64_t sent_by_to() const noexcept { return to_.sent_flits(); }
  /// @}

 private:
  cmn::Gateway from_;
  cmn::Gateway to_;
};

}  // namespace pmufab::platform
