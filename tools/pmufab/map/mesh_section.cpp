// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/mesh_section.h"

#include <vector>

#include <fmt/format.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/scenario/mesh_load.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/map/map_picture.h"
#include "tools/pmufab/map/map_svg.h"

namespace pmufab::cli {

std::string mesh_section(const scenario::ScenarioSpec& spec, const scenario::RunResult& run) {
  const std::vector<scenario::MeshLoad> loads = scenario::mesh_loads_from_json(run.load);
  std::vector<MeshPicture> pictures;
  for (unsigned mesh = 0; mesh < spec.platform.of<platform::CmnMeshesSpec>().meshes.size(); ++mesh) {
    const cmn::Topology& topology = spec.platform.of<platform::CmnMeshesSpec>().meshes[mesh].topology;
    const scenario::Value* const platform = spec.effective.find("platform");
    MeshPicture& picture =
        pictures.emplace_back(picture_of(topology, cmn::Layout(topology), mesh, revision_of(platform, topology, mesh)));
    if (mesh < loads.size()) picture.load = loads[mesh];
  }
  if (pictures.empty()) return {};
  return fmt::format("<p class=\"soft\">{}</p>\n{}",
                     loads.empty() ? "No load of flits was recorded."
                                   : "Flits from the beginning of the traffic until its last transactions had ended.",
                     map_svg_element(printable(spec.platform_name), pictures));
}

}  // namespace pmufab::cli
