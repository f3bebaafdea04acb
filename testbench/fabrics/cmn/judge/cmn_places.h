// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/cmn/wire/node_types.h"
#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"

namespace pmufab::scoreboard {

/// The nodes of a crosspoint, as the description of a platform lists them.
struct CmnCrosspointNodes {
  struct Node {
    cmn::NodeType type = cmn::NodeType::hn_f;
    unsigned device = 0;                        ///< number behind the port
    std::optional<std::uint16_t> logical_id{};  ///< absent: the next free one of its type
    bool closed = false;                        ///< external or isolated
  };
  unsigned dtc_domain = 0;
  std::vector<std::vector<Node>> ports;
  std::vector<Node> others;  ///< nodes without a port
};

/// Fill in `nodes`, `domains` and `dtcs` of a specification whose columns, rows, layout and ports in use are set. Node ids are
/// those that software decodes; logical ids and register windows follow docs/cmn-mesh.md.
/// @param crosspoints  y * columns + x; a DTC is in domain 0, and each domain has one
/// @param base         physical address of the mesh's registers
void place_nodes(std::span<const CmnCrosspointNodes> crosspoints, std::uint64_t base, CmnJudgeSpec& spec);

}  // namespace pmufab::scoreboard
