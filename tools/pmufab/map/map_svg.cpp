// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/map_writers.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "testbench/pages/svg.h"
#include "testbench/run/results/results.h"

namespace pmufab::cli {
namespace {

using cmn::Interface;
using scenario::with_separators;

// Pixels.
constexpr unsigned kEdge = 24;        // around everything
constexpr unsigned kHeadHeight = 30;  // title of a mesh
constexpr unsigned kXpWidth = 168;
constexpr unsigned kXpHeight = 46;
constexpr unsigned kPortWidth = 72;  // two of them below an XP, with the links to the south between them
constexpr unsigned kPortHeight = 34;
constexpr unsigned kPortGap = 6;
constexpr unsigned kGap = 44;  // between neighbours, where the links are visible
constexpr unsigned kLegendHeight = 62;
constexpr unsigned kLaneOffset = 5;          // of the two directions of a link from its middle
constexpr unsigned kNarrowestPicture = 660;  // of a mesh: its title must fit
constexpr unsigned kSteps = 8;               // of a colour scale

/// @return the number of flits for the darkest colour. @param rate  of a fixed scale; 0: there is none
std::uint64_t darkest(double rate, cmn::Cycle cycles, std::uint64_t most) {
  if (rate <= 0) return most;
  return std::max(std::uint64_t{1}, static_cast<std::uint64_t>(std::llround(rate * static_cast<double>(cycles))));
}

/// A colour between almost white and dark red, in whole numbers, so that it is the same on every machine.
std::string colour(std::uint64_t value, std::uint64_t most) {
  constexpr unsigned kFrom[] = {0xff, 0xf4, 0xe0};
  constexpr unsigned kTo[] = {0xb0, 0x10, 0x10};
  value = std::min(value, most);
  const auto share =
      static_cast<int>(most == 0 ? 0 : static_cast<std::uint64_t>(static_cast<long double>(value) * 256 / most));
  const auto mix = [&](std::size_t i) {
    return static_cast<int>(kFrom[i]) + (static_cast<int>(kTo[i]) - static_cast<int>(kFrom[i])) * share / 256;
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

const char* ink(std::uint64_t value, std::uint64_t most) { return most != 0 && value > most / 2 ? "#fff" : "#222"; }

class MeshDrawing {
 public:
  MeshDrawing(const MeshPicture& mesh, html::Svg& svg) : mesh_(mesh), svg_(svg) {
    for (const MeshPicture::Xp& xp : mesh.xps) ports_ = std::max(ports_, static_cast<unsigned>(xp.ports.size()));
    if (mesh.has_load()) {
      most_of_xp_ = darkest(mesh.scale.xp, mesh.load.cycles, mesh.load.most_of_xp());
      most_of_link_ = darkest(mesh.scale.link, mesh.load.cycles, mesh.load.most_of_link());
    }
  }

  [[nodiscard]] unsigned width() const noexcept {
    return std::max(mesh_.columns * kXpWidth + (mesh_.columns - 1) * kGap, kNarrowestPicture);
  }
  [[nodiscard]] unsigned height() const noexcept {
    return kHeadHeight + mesh_.rows * tile_height() + (mesh_.rows - 1) * kGap + (mesh_.has_load() ? kLegendHeight : 0U);
  }

  /// @param top  where the mesh begins
  void draw(unsigned top) {
    svg_.begin_group(
        {{"class", "mesh"}, {"data-mesh", mesh_.name}, {"transform", fmt::format("translate({},{})", kEdge, top)}});
    svg_.text(0, 14, fmt::format("{}: {}", mesh_.name, mesh_.title), {{"class", "head"}});
    for (const Link& link : links_of(mesh_.columns, mesh_.rows)) draw(link);
    for (const MeshPicture::Xp& xp : mesh_.xps) draw(xp);
    if (mesh_.has_load()) draw_legend();
    svg_.end_group();
  }

 private:
  [[nodiscard]] unsigned tile_height() const noexcept {
    return kXpHeight + (ports_ + 1) / 2 * (kPortHeight + kPortGap);
  }
  [[nodiscard]] unsigned left_of(unsigned xp) const noexcept { return xp % mesh_.columns * (kXpWidth + kGap); }
  [[nodiscard]] unsigned top_of(unsigned xp) const noexcept {
    return kHeadHeight + (mesh_.rows - 1 - xp / mesh_.columns) * (tile_height() + kGap);
  }

  /// One direction of a link. Traffic keeps to the right.
  void draw(const Link& link) {
    const unsigned x = left_of(link.from);
    const unsigned y = top_of(link.from);
    unsigned x1 = 0;
    unsigned y1 = 0;
    unsigned x2 = 0;
    unsigned y2 = 0;
    switch (link.interface) {
      case Interface::east:
        x1 = x + kXpWidth;
        x2 = x1 + kGap;
        y1 = y2 = y + kXpHeight / 2 + kLaneOffset;
        break;
      case Interface::west:
        x1 = x;
        x2 = x - kGap;
        y1 = y2 = y + kXpHeight / 2 - kLaneOffset;
        break;
      case Interface::north:
        x1 = x2 = x + kXpWidth / 2 + kLaneOffset;
        y1 = y;
        y2 = top_of(link.to) + kXpHeight;
        break;
      default:
        x1 = x2 = x + kXpWidth / 2 - kLaneOffset;
        y1 = y + kXpHeight;
        y2 = top_of(link.to);
        break;
    }
    std::string text = fmt::format("XP {} {} to XP {}", link.from, direction_of(link.interface), link.to);
    std::string stroke = "#888";
    unsigned thickness = 2;
    if (mesh_.has_load()) {
      const std::uint64_t flits = mesh_.load.valid(link.from, link.interface);
      text += fmt::format(": {} flits, {:.3f} per cycle, {} stalls", flits, mesh_.load.per_cycle(flits),
                          mesh_.load.xps[link.from].stall.at(static_cast<unsigned>(link.interface)));
      stroke = colour(flits, most_of_link_);
      thickness =
          most_of_link_ == 0
              ? 2
              : 2 + static_cast<unsigned>(5 * static_cast<long double>(std::min(flits, most_of_link_)) / most_of_link_);
      // A pale link would vanish on white paper.
      svg_.line(x1, y1, x2, y2, {{"class", "rim"}, {"stroke-width", thickness + 2}});
    }
    svg_.line(x1, y1, x2, y2, {{"class", "link"}, {"stroke", stroke}, {"stroke-width", thickness}}, text);
  }

  void draw(const MeshPicture::Xp& xp) {
    const unsigned x = left_of(xp.index);
    const unsigned y = top_of(xp.index);
    std::string text = fmt::format("XP {}, node id {:#x}, logical id {}, DTC {}, {}", xp.index, xp.node_id,
                                   xp.logical_id, xp.domain, xp.dtm_text());
    if (!xp.nodes.empty()) text += fmt::format(", {}", fmt::join(xp.nodes, " "));
    std::uint64_t flits = 0;
    std::string fill = "#eef3f8";
    if (mesh_.has_load()) {
      const MeshLoad::Xp& load = mesh_.load.xps[xp.index];
      flits = load.flits();
      fill = colour(flits, most_of_xp_);
      text += fmt::format(": {} flits, {:.3f} per cycle, {} stalls", flits, mesh_.load.per_cycle(flits), load.stalls());
    }
    const char* const text_colour = ink(flits, most_of_xp_);
    svg_.begin_group({{"class", "xp"}, {"data-xp", xp.index}}, text);
    svg_.rect(x, y, kXpWidth, kXpHeight, {{"rx", 5}, {"fill", fill}, {"stroke", "#345"}});
    svg_.text(x + 8, y + 18, fmt::format("XP {}  {:#x}", xp.index, xp.node_id),
              {{"class", "name"}, {"fill", text_colour}});
    svg_.text(x + 8, y + 36, fmt::format("DTC {}  {}", xp.domain, xp.dtm_text()), {{"fill", text_colour}});
    if (mesh_.has_load())
      svg_.text(x + kXpWidth - 8, y + 18, with_separators(flits), {{"fill", text_colour}, {"text-anchor", "end"}});
    svg_.end_group();
    for (unsigned port = 0; port < xp.ports.size(); ++port) draw(xp, port, x, y);
  }

  void draw(const MeshPicture::Xp& xp, unsigned port, unsigned xp_left, unsigned xp_top) {
    const MeshPicture::Port& shown = xp.ports[port];
    const unsigned x = xp_left + (port % 2 == 0 ? 0 : kXpWidth - kPortWidth);
    const unsigned y = xp_top + kXpHeight + port / 2 * (kPortHeight + kPortGap) + kPortGap;
    std::string nodes;
    std::string text = fmt::format("XP {} port {}: {}", xp.index, port, cmn::to_string(shown.type));
    for (const MeshPicture::Device& device : shown.devices) {
      text += fmt::format(", {:#x}", device.node_id);
      for (const std::string& node : device.nodes) text += " " + node;
      if (nodes.empty() && !device.nodes.empty()) nodes = device.nodes.front();
    }
    std::size_t all = 0;
    for (const MeshPicture::Device& device : shown.devices) all += device.nodes.size();
    if (all > 1) nodes += fmt::format(" +{}", all - 1);
    if (mesh_.has_load()) {
      const auto interface = static_cast<Interface>(static_cast<unsigned>(Interface::port0) + port);
      const std::uint64_t flits = mesh_.load.valid(xp.index, interface);
      text += fmt::format(": {} flits down, {:.3f} per cycle, {} stalls", flits, mesh_.load.per_cycle(flits),
                          mesh_.load.xps[xp.index].stall.at(static_cast<unsigned>(interface)));
    }
    svg_.begin_group({{"class", "port"}}, text);
    svg_.line(x + kPortWidth / 2, y - kPortGap, x + kPortWidth / 2, y, {{"stroke", "#345"}});
    svg_.rect(x, y, kPortWidth, kPortHeight, {{"rx", 3}, {"fill", "#fff"}, {"stroke", "#789"}});
    svg_.text(x + 5, y + 14, shown.devices.empty() ? "-" : cmn::to_string(shown.type));
    svg_.text(x + 5, y + 28, nodes, {{"class", "small"}});
    svg_.end_group();
  }

  void draw_legend() {
    const unsigned y = height() - kLegendHeight + 24;
    const auto scale = [&](unsigned x, const char* what, std::uint64_t most, bool is_fixed) {
      constexpr unsigned kStep = 22;
      svg_.text(x, y - 4, what, {{"class", "small"}});
      for (unsigned step = 0; step <= kSteps; ++step)
        svg_.rect(x + step * kStep, y, kStep, 12, {{"fill", colour(step, kSteps)}});
      svg_.text(x, y + 25, "0", {{"class", "small"}});
      svg_.text(x + (kSteps + 1) * kStep, y + 25, with_separators(most) + (is_fixed ? " or more" : ""),
                {{"class", "small"}, {"text-anchor", "end"}});
    };
    svg_.begin_group({{"class", "legend"}});
    scale(0, "flits transmitted by a crosspoint", most_of_xp_, mesh_.scale.xp > 0);
    scale(260, fmt::format("flits on a link, in {} cycles", with_separators(mesh_.load.cycles)).c_str(), most_of_link_,
          mesh_.scale.link > 0);
    svg_.end_group();
  }

  const MeshPicture& mesh_;
  html::Svg& svg_;
  unsigned ports_ = 0;  // of the XP with most
  std::uint64_t most_of_xp_ = 0;
  std::uint64_t most_of_link_ = 0;
};

}  // namespace

std::string map_svg_element(const std::string& title, const std::vector<MeshPicture>& meshes) {
  html::Svg svg;
  unsigned width = 0;
  unsigned top = kEdge;
  for (const MeshPicture& mesh : meshes) {
    MeshDrawing drawing(mesh, svg);
    drawing.draw(top);
    width = std::max(width, drawing.width());
    top += drawing.height() + kEdge;
  }
  width += 2 * kEdge;
  return svg.picture(width, top, title, {},
                     ".mesh text{font:12px sans-serif;white-space:pre}.mesh .head{font-size:14px;font-weight:bold}"
                     ".mesh .name{font-weight:bold}.mesh .small{font-size:10px}.mesh .rim{stroke:#bbb}");
}

std::string map_svg(const std::string& title, const std::vector<MeshPicture>& meshes) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + map_svg_element(title, meshes);
}

}  // namespace pmufab::cli
