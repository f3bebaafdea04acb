// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/players.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/process/descriptor.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/printable.h"

namespace pmufab::fuzz {
namespace {

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::uint8_t> content) : file_(memfd_create("input", MFD_CLOEXEC)) {
    if (!file_ || write(file_.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
      throw std::system_error(errno, std::generic_category(), "memfd");
  }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", file_.get()); }

 private:
  process::Descriptor file_;
};

void load(const std::string& path, const std::filesystem::path& folder) {
  constexpr std::size_t kMost = 4;  // the others differ in values alone
  const scenario::ScenarioFile file(scenario::load_file(path), folder);
  std::vector<scenario::Variant> variants = file.variants();
  variants.resize(std::min(variants.size(), kMost));
  for (const scenario::Variant& variant : variants) {
    const std::string effective = scenario::to_yaml(file.load(variant, {}).effective);
    try {
      static_cast<void>(scenario::parse_text(effective, "effective.yaml"));
    } catch (const scenario::InputError& error) {
      throw Violation(fmt::format("the effective configuration is refused: {}", error.what()));
    }
  }
}

}  // namespace

void play_on_yaml(std::span<const std::uint8_t> input, const std::filesystem::path& folder) {
  const MemoryFile file(input);
  try {
    load(file.path(), folder);
  } catch (const scenario::InputError& error) {
    const std::string text = error.what();
    if (text != printable_lines(text)) throw Violation("a message holds a control character: " + printable_lines(text));
    if (!error.source().file) throw Violation("a message has no place: " + text);
  } catch (const Violation&) {
    throw;
  } catch (const std::exception& error) {
    throw Violation(fmt::format("an exception that is no InputError: {}", error.what()));
  }
}

}  // namespace pmufab::fuzz
