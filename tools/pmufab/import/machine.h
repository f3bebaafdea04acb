// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/yaml/input_error.h"

/// What firmware tells of a real machine: plain data. The readers of ACPI tables and device trees make it, draft_of()
/// writes it as a platform.
namespace pmufab::cli {

/// What firmware tells of a CoreSight PMU.
struct PmuFacts {
  std::string type;                         ///< as the key `type` of a platform; empty: not told
  std::string hid{};                        ///< for type acpi: eight letters and digits
  std::optional<std::uint64_t> instance{};  ///< nothing: not told
  std::optional<std::uint64_t> id{};        ///< of its node in the APMT
  std::uint64_t base = 0;
  std::optional<std::uint64_t> page1{};
  std::optional<std::uint64_t> interrupt{};
  bool is_edge = false;
  std::optional<unsigned> cpu{};  ///< of its socket: the only one that it belongs to
  bool atomic_64bit = false;
  std::uint32_t implementation_id = 0;  ///< 0: not told
  std::vector<std::string> remarks{};   ///< what no key can say, each a line

  [[nodiscard]] bool operator==(const PmuFacts&) const = default;
};

struct FoundPmu {
  std::string place;  ///< where firmware tells of it: "node 2 of apmt.aml"
  unsigned socket = 0;
  PmuFacts facts{};
};

/// A CMN mesh. Firmware tells its registers, and not its shape.
struct FoundMesh {
  std::string place;
  std::string product;  ///< as the key `product` of a mesh
  bool in_acpi = false;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> root{};       ///< offset of the root node, of CMN-600
  std::vector<std::uint64_t> interrupts{};   ///< of its DTCs
  std::optional<unsigned> socket{};          ///< nothing: not told
  std::optional<std::uint64_t> proximity{};  ///< proximity domain (_PXM), from which a socket does not follow
  std::vector<std::string> remarks{};        ///< what no key can say, each a line
};

/// @param id  a hardware id of ACPI, or a compatible string of a device tree
/// @return the product of a mesh that has it; null if it is none
[[nodiscard]] const char* mesh_product(std::string_view id);

struct FoundMachine {
  std::string origin;  ///< a sentence
  unsigned sockets = 1;
  unsigned cpus_per_socket = 1;
  std::vector<std::string> remarks{};  ///< on sockets and CPUs, each a line
  std::vector<FoundPmu> pmus{};
  std::vector<FoundMesh> meshes{};
  std::vector<std::string> others{};  ///< PMUs, meshes and their like that cannot become an entry, each a line
  std::vector<std::string> asides{};  ///< memory, and CPUs that are not there, each a line
};

/// @param paths    of binary ACPI tables, or of folders with such
/// @param scratch  a folder for files of iasl
/// @return what the tables tell: PMUs of the APMT, processors of the PPTT, devices of DSDT and SSDTs
/// @throws scenario::InputError if a table is not right, or if iasl is needed and not there
[[nodiscard]] FoundMachine machine_from_acpi(const std::vector<std::string>& paths,
                                             const std::filesystem::path& scratch);

/// @param path     of a device tree: source, a blob, or a folder
/// @param scratch  a folder for files of dtc
/// @return what it tells: CPUs, CoreSight PMUs (arm,coresight-pmu.yaml of Linux) and CMN meshes (arm,cmn.yaml)
/// @throws scenario::InputError if it cannot be read, or if dtc is not there
[[nodiscard]] FoundMachine machine_from_tree(const std::string& path, const std::filesystem::path& scratch);

/// A platform file as text.
struct Draft {
  std::string text;
  std::size_t pmus = 0;   ///< entries of CoreSight PMUs. One of several sockets is one entry
  std::string refusal{};  ///< why it does not load as it is; empty: it does
};

/// @return why a platform cannot be loaded; nothing: it can
[[nodiscard]] std::optional<scenario::InputError> refusal_of(const std::string& text);
/// @return "coresight_pmus[0].base: ...", without the place in the text
[[nodiscard]] std::string reason_with_place(const scenario::InputError& error);
/// @return "0x2000_0000"
[[nodiscard]] std::string grouped_address(std::uint64_t address);

/// @return a platform with what firmware tells. What it does not tell is a placeholder with a comment TODO, or a
/// comment if there can be no placeholder. An entry that no platform can have is a comment with the reason.
/// @param name  the platform's
[[nodiscard]] Draft draft_of(const FoundMachine& machine, const std::string& name);

}  // namespace pmufab::cli
