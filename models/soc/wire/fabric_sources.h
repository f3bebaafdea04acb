// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/soc/wire/description.h"

/// The sources that are fabrics: their names, and the places of their attributes in an Occurrence. Plain data: models and
/// judges fill occurrences in by it, each on its own. docs/platforms/coresight-pmus.md says what the values mean.
namespace pmufab::soc {

/// Attributes of the UCF's events, "ucf.slc_access_rd" and so on.
namespace ucf_source {
enum Attribute : unsigned { source, destination };
inline constexpr std::string_view kAttributes[] = {"source", "destination"};
}  // namespace ucf_source

/// Attributes of "pcie.request": reads and writes of PCIe devices.
namespace pcie_source {
enum Attribute : unsigned { socket, root_complex, root_port, bdf, write, bytes, destination };
inline constexpr std::string_view kAttributes[] = {"socket", "root_complex", "root_port",  "bdf",
                                                   "write",  "bytes",        "destination"};
}  // namespace pcie_source

/// Attributes of "pcie_tgt.request": reads and writes of BARs and CXL memory.
namespace pcie_tgt_source {
enum Attribute : unsigned { socket, root_complex, root_port, cxl, write, bytes, address };
inline constexpr std::string_view kAttributes[] = {"socket", "root_complex", "root_port", "cxl",
                                                   "write",  "bytes",        "address"};
inline constexpr std::uint64_t kNoRootPort = 8;  ///< that of CXL memory
}  // namespace pcie_tgt_source

/// Attributes of "cxl.message".
namespace cxl_message_source {
enum Attribute : unsigned { component, group, opcode, decoder };
inline constexpr std::string_view kAttributes[] = {"component", "group", "opcode", "decoder"};
inline constexpr std::uint64_t kNoDecoder = 63;
}  // namespace cxl_message_source

/// Attributes of "cxl.ddr_command".
namespace cxl_ddr_source {
enum Attribute : unsigned { component, command, channel, rank, bank_group, bank };
inline constexpr std::string_view kAttributes[] = {"component", "command", "channel", "rank", "bank_group", "bank"};
}  // namespace cxl_ddr_source

/// Attributes of "cmn.flit".
namespace cmn_flit_source {
enum Attribute : unsigned { mesh, xp, port, download, channel, opcode, source, target };
inline constexpr std::string_view kAttributes[] = {"mesh",    "xp",     "port",   "download",
                                                   "channel", "opcode", "source", "target"};
}  // namespace cmn_flit_source

/// Attributes of "cmn.home_event".
namespace cmn_home_source {
enum Attribute : unsigned { mesh, node, event };
inline constexpr std::string_view kAttributes[] = {"mesh", "node", "event"};
inline constexpr unsigned kEvents = 13;  ///< 1 ... 13, from cache_miss to mc_reqs
}  // namespace cmn_home_source

/// A source that a fabric is.
struct FabricSource {
  Cause cause;
  std::string_view name;  ///< of Cause::ucf, what the event's name is appended to
  std::span<const std::string_view> attributes;
  std::string_view meaning;  ///< in a few words
  bool lasts = false;        ///< its occurrences have a duration
};

/// @return all of them.
[[nodiscard]] inline std::span<const FabricSource> fabric_sources() noexcept {
  static constexpr FabricSource kSources[] = {
      {Cause::ucf, "ucf.", ucf_source::kAttributes, "what the UCF's event of that name counts"},
      {Cause::pcie, "pcie.request", pcie_source::kAttributes, "reads and writes of PCIe devices", true},
      {Cause::pcie_tgt, "pcie_tgt.request", pcie_tgt_source::kAttributes, "reads and writes of BARs and CXL memory"},
      {Cause::cxl_message, "cxl.message", cxl_message_source::kAttributes,
       "messages that a component sends or receives"},
      {Cause::cxl_ddr, "cxl.ddr_command", cxl_ddr_source::kAttributes, "commands of the memory of CXL devices"},
      {Cause::cmn_flit, "cmn.flit", cmn_flit_source::kAttributes, "flits that enter or leave at device ports"},
      {Cause::cmn_home, "cmn.home_event", cmn_home_source::kAttributes, "requests and cache events of HN-F and HN-S"},
  };
  return kSources;
}

/// @return the description of a source that a fabric is. @param event  for Cause::ucf: the event's name
[[nodiscard]] inline SourceDescription describe(const FabricSource& source, std::string_view event = {}) {
  return {std::string(source.name) + std::string(event),
          {source.attributes.begin(), source.attributes.end()},
          source.cause,
          std::string(event)};
}

/// @return whether occurrences at the source have a duration, so that events can count outstanding ones.
[[nodiscard]] inline bool lasts(const SourceDescription& source) noexcept {
  for (const FabricSource& fabric : fabric_sources()) {
    if (fabric.cause == source.cause) return fabric.lasts;
  }
  return true;
}

/// @return whether the judge of described PMUs hears what happens at the source itself, and at no other judge.
[[nodiscard]] inline bool is_heard_itself(const SourceDescription& source) noexcept {
  return source.cause == Cause::streams || source.cause == Cause::plugin;
}

/// @return whether its events can count a sum: what happens there is known one by one, with all attributes.
[[nodiscard]] inline bool can_be_summed(const SourceDescription& source) noexcept {
  return source.cause == Cause::streams || source.cause == Cause::pcie || source.cause == Cause::pcie_tgt ||
         source.cause == Cause::plugin;
}

}  // namespace pmufab::soc
