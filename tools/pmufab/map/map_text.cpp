// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/map_writers.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/run/results/results.h"

namespace pmufab::cli {
namespace {

using scenario::with_separators;

constexpr std::size_t kNarrowest = 16;  // of the contents of a box
constexpr std::size_t kMargin = 6;      // left of the boxes: "y=13"

/// Add names to `lines`, as many to a line as fit.
void add_names(std::vector<std::string>& lines, const std::vector<std::string>& names) {
  constexpr std::string_view kIndent = "  ";
  std::string line;
  for (const std::string& name : names) {
    if (!line.empty() && line.size() + 1 + name.size() > kNarrowest) lines.push_back(std::exchange(line, {}));
    line += (line.empty() ? std::string(kIndent) : " ") + name;
  }
  if (!line.empty()) lines.push_back(line);
}

/// The contents of an XP's box, without its frame.
std::vector<std::string> lines_of(const MeshPicture& mesh, const MeshPicture::Xp& xp) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{:<8}{:>#8x}", fmt::format("XP {}", xp.index), xp.node_id));
  if (xp.logical_id != xp.index) lines.push_back(fmt::format("logical id {}", xp.logical_id));
  lines.push_back(fmt::format("DTC {}  {}", xp.domain, xp.dtm_text()));
  for (std::size_t port = 0; port < xp.ports.size(); ++port) {
    const MeshPicture::Port& shown = xp.ports[port];
    if (shown.devices.empty()) lines.push_back(fmt::format("p{} -", port));
    for (const MeshPicture::Device& device : shown.devices) {
      const bool first = &device == &shown.devices.front();
      const std::string name =
          first ? fmt::format("p{} {}", port, cmn::to_string(shown.type)) : fmt::format("  device {}", device.number);
      lines.push_back(fmt::format("{:<11}{:>#5x}", name, device.node_id));
      add_names(lines, device.nodes);
    }
  }
  add_names(lines, xp.nodes);
  if (mesh.has_load()) lines.push_back(fmt::format("flits {:>10}", with_separators(mesh.load.xps[xp.index].flits())));
  return lines;
}

void write_links(std::ostream& out, unsigned columns, std::size_t width) {
  std::string line(kMargin, ' ');
  for (unsigned x = 0; x < columns; ++x) {
    std::string piece(width + 7, ' ');  // frame, blanks and the gap to the next box
    piece[(width + 4) / 2] = '|';
    line += piece;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print(out, "{}\n", line);
}

void write_row(std::ostream& out, const MeshPicture& mesh, unsigned y, std::size_t width) {
  std::vector<std::vector<std::string>> boxes;
  std::size_t height = 0;
  for (unsigned x = 0; x < mesh.columns; ++x) {
    boxes.push_back(lines_of(mesh, mesh.at(x, y)));
    // Counts stand on the last line of each box of the row.
    height = std::max(height, boxes.back().size());
  }
  for (std::vector<std::string>& box : boxes) {
    const std::size_t missing = height - box.size();
    box.insert(mesh.has_load() ? box.end() - 1 : box.end(), missing, "");
  }
  const std::string edge = fmt::format("+{:-<{}}+", "", width + 2);
  const auto frame = [&] {
    std::string line(kMargin, ' ');
    for (unsigned x = 0; x < mesh.columns; ++x) line += edge + (x + 1 < mesh.columns ? "   " : "");
    fmt::print(out, "{}\n", line);
  };
  frame();
  for (std::size_t i = 0; i < height; ++i) {
    std::string line = fmt::format("{:<{}}", i == 0 ? fmt::format("y={}", y) : "", kMargin);
    for (unsigned x = 0; x < mesh.columns; ++x) {
      const char* const gap = x + 1 == mesh.columns ? "" : i == 0 ? "---" : "   ";
      line += fmt::format("| {:<{}} |{}", boxes[x][i], width, gap);
    }
    fmt::print(out, "{}\n", line);
  }
  frame();
}

/// The link of a mesh with most flits, with its numbers; "" if there are no links.
std::string busiest_link(const MeshPicture& mesh, const MeshLoad& load) {
  const Link* busiest = nullptr;
  const std::vector<Link> links = links_of(mesh.columns, mesh.rows);
  for (const Link& link : links) {
    if (busiest == nullptr || load.valid(link.from, link.interface) > load.valid(busiest->from, busiest->interface))
      busiest = &link;
  }
  if (busiest == nullptr) return {};
  const std::uint64_t flits = load.valid(busiest->from, busiest->interface);
  return fmt::format("XP {} {} to XP {}, {} flits, {:.3f} per cycle", busiest->from, direction_of(busiest->interface),
                     busiest->to, with_separators(flits), load.per_cycle(flits));
}

void write_load(std::ostream& out, const MeshPicture& mesh) {
  fmt::print(out, "{} flits transmitted by all crosspoints in {} cycles\n", with_separators(mesh.load.flits()),
             with_separators(mesh.load.cycles));
  const std::string busiest = busiest_link(mesh, mesh.load);
  if (!busiest.empty()) fmt::print(out, "busiest link: {}\n", busiest);
}

}  // namespace

void write_map_text(std::ostream& out, const MeshPicture& mesh) {
  std::size_t width = kNarrowest;
  for (const MeshPicture::Xp& xp : mesh.xps) {
    for (const std::string& line : lines_of(mesh, xp)) width = std::max(width, line.size());
  }
  fmt::print(out, "{}: {}\n", mesh.name, mesh.title);
  std::string heads(kMargin, ' ');
  for (unsigned x = 0; x < mesh.columns; ++x) heads += fmt::format("{:^{}}   ", fmt::format("x={}", x), width + 4);
  heads.erase(heads.find_last_not_of(' ') + 1);
  fmt::print(out, "{}\n", heads);
  for (unsigned y = mesh.rows; y-- > 0;) {
    write_row(out, mesh, y, width);
    if (y > 0) write_links(out, mesh.columns, width);
  }
  if (mesh.has_load()) write_load(out, mesh);
}

void write_map_frames(std::ostream& out, const MeshPicture& mesh, const std::vector<MapFrame>& frames) {
  if (frames.empty()) return;
  fmt::print(out, "  {:>12}  {:>12}  {:>16}  {:>9}  busiest link\n", "from", "to", "flits", "per cycle");
  for (const MapFrame& frame : frames) {
    const MeshLoad& load = frame.loads.at(mesh.index);
    fmt::print(out, "  {:>12}  {:>12}  {:>16}  {:>9.3f}  {}\n", scenario::format_time(frame.start),
               scenario::format_time(frame.stop), with_separators(load.flits()), load.per_cycle(load.flits()),
               busiest_link(mesh, load));
  }
}

void write_map_traffic(std::ostream& out, const MapTraffic& traffic, const MapLoads& loads) {
  for (const scenario::Json& one : loads.traffic) {
    const std::string name = one.value("name", "");
    const bool is_chi = std::ranges::any_of(traffic.sent.chi, [&](const auto& spec) { return spec.name == name; });
    if (!is_chi) continue;
    fmt::print(out, "{}: {} operations begun, {} ended, {:.1f} cycles on average\n", name,
               with_separators(one.value("issued", std::uint64_t{0})),
               with_separators(one.value("completed", std::uint64_t{0})), one.value("mean_latency_cycles", 0.0));
  }
  for (const MapMeshLink& link : loads.links)
    fmt::print(out, "link {} - {}: {} CXS flits there, {} back\n", link.from, link.to, with_separators(link.there),
               with_separators(link.back));
}

}  // namespace pmufab::cli
