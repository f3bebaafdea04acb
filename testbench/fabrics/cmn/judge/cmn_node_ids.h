// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cmn/wire/types.h"
#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"

namespace pmufab::scoreboard {

/// A device port of a mesh.
struct CmnPlace {
  unsigned xp;
  cmn::Interface port;
  bool operator==(const CmnPlace&) const = default;
};

[[nodiscard]] constexpr cmn::Interface port_interface(unsigned port) {
  return static_cast<cmn::Interface>(static_cast<unsigned>(cmn::Interface::port0) + port);
}
[[nodiscard]] constexpr bool is_port(cmn::Interface interface) { return interface >= cmn::Interface::port0; }

/// The node ids of a mesh: x, y, then port and device, with widths that depend on its size and on the XP.
class CmnNodeIds {
 public:
  explicit CmnNodeIds(const CmnJudgeSpec& spec);

  /// @return nothing for an id outside the mesh
  [[nodiscard]] const std::optional<CmnPlace>& place(std::uint64_t id) const {
    return id < places_.size() ? places_[id] : nowhere_;
  }
  [[nodiscard]] std::uint16_t xp_id(unsigned xp) const {
    return static_cast<std::uint16_t>((xp % columns_) << (bits_ + 3U) | (xp / columns_) << 3U);
  }
  /// @param device  number behind the port
  [[nodiscard]] std::uint16_t device_id(unsigned xp, unsigned port, unsigned device) const {
    const unsigned shift = columns_ * rows_ != 1 && ports_in_use_[xp] > 2 ? 1 : 2;
    return static_cast<std::uint16_t>(xp_id(xp) | port << shift | device);
  }

 private:
  [[nodiscard]] std::optional<CmnPlace> find(std::uint64_t id) const;

  unsigned columns_;
  unsigned rows_;
  std::vector<unsigned> ports_in_use_;
  unsigned bits_;                                // per coordinate
  std::vector<std::optional<CmnPlace>> places_;  // by id
  std::optional<CmnPlace> nowhere_{};
};

}  // namespace pmufab::scoreboard
