// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Checks the layers: who may include whom, and that docs/architecture.md says so.
namespace pmufab::architecture {

/// A target of the build, as cmake/PmufabArchitecture.cmake writes it. Names are without the project's prefix: "tlm".
struct Target {
  std::string name;
  std::string type;    ///< CMake's: "STATIC_LIBRARY", "INTERFACE_LIBRARY", "MODULE_LIBRARY", "EXECUTABLE"
  std::string folder;  ///< of its files: FOLDER of pmufab_library(), or its list's. All paths are from the source tree
  std::set<std::string> sources;
  std::set<std::string> public_links;   ///< also visible to the target's users
  std::set<std::string> private_links;  ///< visible only to its own sources
};

class LinkGraph {
 public:
  /// @throws std::runtime_error for a line that is not one of a link graph
  static LinkGraph read(std::istream& text);

  [[nodiscard]] const std::map<std::string, Target>& targets() const noexcept { return targets_; }
  /// @return the target itself and what its users may include.
  [[nodiscard]] std::set<std::string> visible_through(const std::string& target) const;
  /// @return the target itself and what its sources may include.
  [[nodiscard]] std::set<std::string> visible_to_sources_of(const std::string& target) const;
  /// @return the library a file belongs to: the one that lists it, or the one whose folder it lies in. "" for files of
  ///         no library, such as those of test programs.
  [[nodiscard]] std::string library_of(const std::string& file) const;
  /// @return all targets that list the file as a source.
  [[nodiscard]] std::vector<std::string> targets_with(const std::string& file) const;

 private:
  std::map<std::string, Target> targets_;
};

/// A broken rule, as a sentence with file and line.
using Complaints = std::vector<std::string>;

/// @return true for a folder whose files belong to many programs: tests, benchmarks, fuzzing. Their headers may include
///         what the programs that include them link.
[[nodiscard]] bool is_of_programs(std::string_view file);

/// Every #include names a file of a library that its target links, or an external library that it links. A header may
/// include only what is linked publicly.
[[nodiscard]] Complaints check_includes(const std::filesystem::path& root, const LinkGraph& graph);
/// Every link of a library is needed by an #include: a public link by one in a header, a private link only by sources.
[[nodiscard]] Complaints check_links(const std::filesystem::path& root, const LinkGraph& graph);
/// Every source file is in a CMakeLists.txt of its folder or above, and a library's source in only one library.
[[nodiscard]] Complaints check_sources(const std::filesystem::path& root, const LinkGraph& graph);
/// No folder has more files than a person can choose from.
[[nodiscard]] Complaints check_folders(const std::filesystem::path& root);

/// No code but that of tests, and the judge's Backlog, starts a thread.
[[nodiscard]] Complaints check_threads(const std::filesystem::path& root);
/// No code but that of tests, and of pages, writes an element of SVG: html::Svg does.
[[nodiscard]] Complaints check_drawing(const std::filesystem::path& root);

/// Outside of a fabric's rooms, models/FABRIC and testbench/fabrics/FABRIC, no code names it: it includes none of its
/// headers and uses nothing of its namespace. The list of kinds does, and the exceptions in names_check.cpp.
/// @param fabrics  their names
[[nodiscard]] Complaints check_names(const std::filesystem::path& root, const std::set<std::string>& fabrics);

/// The arrows of a document's picture (a mermaid graph) are the links of libraries and the command, except links that
/// follow from others. The libraries of all fabrics are drawn as those of one, F: "F_judge --> F_wire". A fabric has a
/// library FABRIC_fabric. Links between two fabrics are drawn with their names.
[[nodiscard]] Complaints check_picture(const std::string& document, const LinkGraph& graph);
/// Files in a folder of a room include only folders to its left in the document's orders: "models/cmn: wire | engine |
/// .". There is at least one order.
[[nodiscard]] Complaints check_orders(const std::filesystem::path& root, const std::string& document);
/// Every path a document names in `code` exists. It names at least one.
[[nodiscard]] Complaints check_paths(const std::filesystem::path& root, const std::string& document);

/// An #include of a file.
struct Include {
  unsigned line;
  std::string name;    ///< as written
  std::string target;  ///< path of the file in the tree; "" if it is not in the tree
};
[[nodiscard]] std::vector<Include> includes_of(const std::filesystem::path& root, const std::string& file);
/// @return C and C++ files of the tree, ascending.
[[nodiscard]] std::vector<std::string> code_files(const std::filesystem::path& root);
[[nodiscard]] bool is_header(const std::string& file);
[[nodiscard]] bool is_source(const std::string& file);

}  // namespace pmufab::architecture
