// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/engine/mesh_parameters.h"

#include <cstddef>
#include <string>

namespace pmufab::cmn {
namespace {

void check_range(const std::string& field, unsigned value, unsigned least, unsigned most) {
  if (value >= least && value <= most) return;
  throw SpecError(field,
                  std::to_string(value) + " is outside of " + std::to_string(least) + " ... " + std::to_string(most));
}

}  // namespace

MeshParameters MeshParameters::booksim2(unsigned columns, unsigned rows) {
  MeshParameters parameters;
  parameters.columns = columns;
  parameters.rows = rows;
  parameters.channels = {Channel::req};
  parameters.ports.assign(std::size_t{columns} * rows, 1);
  parameters.router_delay = 2;
  parameters.link_delay = 1;
  parameters.credit_delay = 3;
  return parameters;
}

void validate(const MeshParameters& parameters) {
  check_range("columns", parameters.columns, 1, kMaximumSide);
  check_range("rows", parameters.rows, 1, kMaximumSide);
  if (parameters.channels.empty()) throw SpecError("channels", "there is none", "a mesh needs at least one");
  unsigned seen = 0;
  for (std::size_t i = 0; i < parameters.channels.size(); ++i) {
    const Channel channel = parameters.channels[i];
    const std::string field = "channels[" + std::to_string(i) + "]";
    check_range(field, static_cast<unsigned>(channel), 0, kChannels - 1);
    if (channel == Channel::pub) throw SpecError(field, "PUB moves no flits", "leave it out");
    if ((seen >> static_cast<unsigned>(channel) & 1) != 0)
      throw SpecError(field, std::string(to_string(channel)) + " is there already", "name each channel once");
    seen |= 1U << static_cast<unsigned>(channel);
  }
  if (!parameters.ports.empty() && parameters.ports.size() != parameters.xps())
    throw SpecError(
        "ports", std::to_string(parameters.ports.size()) + " entries for " + std::to_string(parameters.xps()) + " XPs",
        "give one for each XP, or none");
  for (std::size_t xp = 0; xp < parameters.ports.size(); ++xp)
    check_range("ports[" + std::to_string(xp) + "]", parameters.ports[xp], 0, kMaximumPorts);
  check_range("buffer_depth", parameters.buffer_depth, 1, MeshParameters::kMaximumBuffer);
  check_range("download_credits", parameters.download_credits, 1, MeshParameters::kMaximumBuffer);
  check_range("router_delay", parameters.router_delay, 0, MeshParameters::kMaximumDelay);
  check_range("link_delay", parameters.link_delay, 1, MeshParameters::kMaximumDelay);
  check_range("credit_delay", parameters.credit_delay, 1, MeshParameters::kMaximumDelay);
}

}  // namespace pmufab::cmn
