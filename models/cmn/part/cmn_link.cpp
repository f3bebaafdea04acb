// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/part/cmn_link.h"

namespace pmufab::platform {

CmnLink::CmnLink(const CmnLinkSpec& spec, cmn::Mesh& from, cmn::Mesh& to)
    : from_(from, cmn::gateways_of(from.layout()).at(spec.from.gateway), spec.parameters),
      to_(to, cmn::gateways_of(to.layout()).at(spec.to.gateway), spec.parameters) {
  cmn::Gateway::connect(from_, to_);
}

}  // namespace pmufab::platform
