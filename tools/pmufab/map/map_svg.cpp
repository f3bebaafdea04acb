// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/map_svg.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "testbench/run/report/report.h"
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
  MeshDrawing(const MeshPicture& mesh, std::string& out) : mesh_(mesh), out_(out) {
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
    add("<g class=\"mesh\" data-mesh=\"{}\" transform=\"translate({},{})\">\n", mesh_.name, kEdge, top);
    add("<text class=\"head\" x=\"0\" y=\"14\">{}: {}</text>\n", mesh_.name, scenario::xml_text(mesh_.title));
    for (const Link& link : links_of(mesh_.columns, mesh_.rows)) draw(link);
    for (const MeshPicture::Xp& xp : mesh_.xps) draw(xp);
    if (mesh_.has_load()) draw_legend();
    add("</g>\n");
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }
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
      add("<line class=\"rim\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke-width=\"{}\"/>\n", x1, y1, x2, y2,
          thickness + 2);
    }
    add("<line class=\"link\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\">"
        "<title>{}</title></line>\n",
        x1, y1, x2, y2, stroke, thickness, text);
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
    add("<g class=\"xp\" data-xp=\"{}\"><title>{}</title>\n", xp.index, scenario::xml_text(text));
    add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\" stroke=\"#345\"/>\n", x, y, kXpWidth,
        kXpHeight, fill);
    add("<text class=\"name\" x=\"{}\" y=\"{}\" fill=\"{}\">XP {}  {:#x}</text>\n", x + 8, y + 18, text_colour,
        xp.index, xp.node_id);
    add("<text x=\"{}\" y=\"{}\" fill=\"{}\">DTC {}  {}</text>\n", x + 8, y + 36, text_colour, xp.domain,
        xp.dtm_text());
    if (mesh_.has_load())
      add("<text x=\"{}\" y=\"{}\" fill=\"{}\" text-anchor=\"end\">{}</text>\n", x + kXpWidth - 8, y + 18, text_colour,
          with_separators(flits));
    add("</g>\n");
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
    add("<g class=\"port\"><title>{}</title>\n", scenario::xml_text(text));
    add("<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" stroke=\"#345\"/>\n", x + kPortWidth / 2, y - kPortGap, y);
    add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#fff\" stroke=\"#789\"/>\n", x, y,
        kPortWidth, kPortHeight);
    add("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 5, y + 14,
        shown.devices.empty() ? "-" : std::string(cmn::to_string(shown.type)));
    add("<text class=\"small\" x=\"{}\" y=\"{}\">{}</text>\n</g>\n", x + 5, y + 28, scenario::xml_text(nodes));
  }

  void draw_legend() {
    const unsigned y = height() - kLegendHeight + 24;
    const auto scale = [&](unsigned x, const char* what, std::uint64_t most, bool is_fixed) {
      constexpr unsigned kStep = 22;
      add("<text class=\"small\" x=\"{}\" y=\"{}\">{}</text>\n", x, y - 4, what);
      for (unsigned step = 0; step <= kSteps; ++step)
        add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\" fill=\"{}\"/>\n", x + step * kStep, y, kStep,
            colour(step, kSteps));
      add("<text class=\"small\" x=\"{}\" y=\"{}\">0</text>\n", x, y + 25);
      add("<text class=\"small\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", x + (kSteps + 1) * kStep, y + 25,
          with_separators(most) + (is_fixed ? " or more" : ""));
    };
    add("<g class=\"legend\">\n");
    scale(0, "flits transmitted by a crosspoint", most_of_xp_, mesh_.scale.xp > 0);
    scale(260, fmt::format("flits on a link, in {} cycles", with_separators(mesh_.load.cycles)).c_str(), most_of_link_,
          mesh_.scale.link > 0);
    add("</g>\n");
  }

  const MeshPicture& mesh_;
  std::string& out_;
  unsigned ports_ = 0;  // of the XP with most
  std::uint64_t most_of_xp_ = 0;
  std::uint64_t most_of_link_ = 0;
};

}  // namespace

std::string map_svg_element(const std::string& title, const std::vector<MeshPicture>& meshes) {
  std::string body;
  unsigned width = 0;
  unsigned top = kEdge;
  for (const MeshPicture& mesh : meshes) {
    MeshDrawing drawing(mesh, body);
    drawing.draw(top);
    width = std::max(width, drawing.width());
    top += drawing.height() + kEdge;
  }
  width += 2 * kEdge;
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{0}" height="{1}" viewBox="0 0 {0} {1}">
<title>{2}</title>
<style>.mesh text{{font:12px sans-serif;white-space:pre}}.mesh .head{{font-size:14px;font-weight:bold}}.mesh .name{{font-weight:bold}}.mesh .small{{font-size:10px}}.mesh .rim{{stroke:#bbb}}</style>
<rect width="{0}" height="{1}" fill="#fff"/>
{3}</svg>
)",
      width, top, scenario::xml_text(title), body);
}

std::string map_svg(const std::string& title, const std::vector<MeshPicture>& meshes) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + map_svg_element(title, meshes);
}

}  // namespace pmufab::cli
