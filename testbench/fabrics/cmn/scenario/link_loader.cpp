// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/scenario/cmn_loader.h"

namespace pmufab::scenario {
namespace {

/// @return what gateways of a product are called.
const char* gateway_word(cmn::Product product) {
  const bool newer = product == cmn::Product::cmn700 || product == cmn::Product::s3;
  return newer ? "ccg" : "cxrh";
}

/// Take a word, then a number of one to three digits, off the front of `text`.
std::optional<unsigned> take_numbered(std::string_view& text, std::string_view word) {
  constexpr std::size_t kMostDigits = 3;
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  unsigned number = 0;
  const std::string_view digits = text.substr(0, kMostDigits);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - digits.data()));
  return number;
}

/// "cmn0/ccg1": mesh 0, its gateway 1.
platform::CmnLinkSpec::End read_end(Reader& reader, const char* key, const std::vector<platform::CmnSpec>& meshes) {
  std::string text;
  reader.text(key, text, Presence::required);
  std::string_view rest = text;
  const std::optional<unsigned> mesh = take_numbered(rest, "cmn");
  const std::string_view word = rest.starts_with("/cxrh") ? "cxrh" : "ccg";
  const std::optional<unsigned> gateway =
      mesh && rest.starts_with('/') ? take_numbered(rest, fmt::format("/{}", word)) : std::nullopt;
  if (!gateway || !rest.empty()) {
    reader.fail(
        key, fmt::format("'{}' names no gateway", text),
        "write cmn0/ccg0, or cmn0/cxrh0 on CMN-600 and CMN-650; gateways count in order of XP, port and device");
  }
  const platform::CmnLinkSpec::End end{*mesh, *gateway};
  if (end.mesh < meshes.size() && word != gateway_word(meshes[end.mesh].topology.product)) {
    reader.fail(
        key, fmt::format("the gateways of this mesh are not called {}", word),
        fmt::format("write cmn{}/{}{}", end.mesh, gateway_word(meshes[end.mesh].topology.product), end.gateway));
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
