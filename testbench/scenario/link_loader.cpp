#include <optional>
#include <regex>

#include <fmt/format.h>

#include "testbench/scenario/loaders.h"

namespace pmufab::scenario {
namespace {

/// @return what gateways of a product are called.
const char* gateway_word(cmn::Product product) {
  const bool newer = product == cmn::Product::cmn700 || product == cmn::Product::s3;
  return newer ? "ccg" : "cxrh";
}

/// "cmn0/ccg1": mesh 0, its gateway 1.
platform::CmnLinkSpec::End read_end(Reader& reader, const char* key, const std::vector<platform::CmnSpec>& meshes) {
  std::string text;
  reader.text(key, text, Presence::required);
  static const std::regex form("cmn([0-9]{1,3})/(ccg|cxrh)([0-9]{1,3})");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) {
    reader.fail(
        key, fmt::format("'{}' names no gateway", text),
        "mesh and gateway, counted in order of XP, port and device: cmn0/ccg0, or cxrh0 on CMN-600 and CMN-650");
  }
  const platform::CmnLinkSpec::End end{static_cast<unsigned>(std::stoul(parts[1])),
                                       static_cast<unsigned>(std::stoul(parts[3]))};
  if (end.mesh < meshes.size() && parts[2] != gateway_word(meshes[end.mesh].topology.product)) {
    reader.fail(key, fmt::format("gateways of this mesh are no {}", parts[2].str()),
                fmt::format("cmn{}/{}{}", end.mesh, gateway_word(meshes[end.mesh].topology.product), end.gateway));
  }
  return end;
}

}  // namespace

void read_link(Reader& reader, const std::vector<platform::CmnSpec>& meshes, platform::CmnLinkSpec& link) {
  link.from = read_end(reader, "from", meshes);
  link.to = read_end(reader, "to", meshes);
  cmn::LinkParameters& parameters = link.parameters;
  reader.number("latency", parameters.latency, Quantity::duration);
  reader.number("cycles_per_flit", parameters.cycles_per_flit);
  reader.number("flit_bytes", parameters.flit_bytes);
  reader.number("link_credits", parameters.link_credits);
  reader.number("rht_entries", parameters.rht_entries);
  reader.number("reqtrk_entries", parameters.reqtrk_entries);
  reader.number("write_buffers", parameters.write_buffers);
  reader.number("node_latency", parameters.node_latency);
}

}  // namespace pmufab::scenario
