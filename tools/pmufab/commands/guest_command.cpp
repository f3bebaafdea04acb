// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/cli.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

int prepare(const Request& request) {
  Arguments words;
  if (const std::string mirror = request.options["mirror"].as<std::string>(); !mirror.empty())
    words.insert(words.end(), {"--mirror", mirror});
  if (request.options["refresh"].as<bool>()) words.emplace_back("--refresh");
  // In a source tree the script knows where they are.
  if (is_installed()) words.insert(words.end(), {"--sources", fetched_sources().string()});
  const std::string folder = request.options["guest"].as<std::string>();
  words.push_back(folder.empty() ? guest_folder_to_fill().string() : folder);
  return run_script("guest/prepare", words) == 0 ? kPassed : kBadInput;
}

}  // namespace

Command guest_prepare_command() {
  return {
      .name = "guest prepare",
      .arguments = "[options]",
      .summary = "prepare the guest of pmufab boot: QEMU, firmware and an arm64 kernel with its drivers",
      .description =
          R"(Makes the guest from Debian's packages: QEMU, UEFI firmware, an arm64 kernel with the drivers of the PMUs as modules,
and an initial file system with perf. About 300 MB are fetched. The work needs 2 GB of disk; the guest keeps 180 MB.
If the guest is there already, nothing is done. Root is not needed.)",
      .options =
          {
              text("guest", "DIR",
                   "folder of the guest (default: $PMUFAB_GUEST, .cache/guest of the source tree, or the cache)"),
              text("mirror", "URL", "Debian mirror (default: the mirror of this machine's packages)"),
              flag("refresh", "ask the mirror again, and prepare a newer guest if it has one"),
          },
      .examples = {{"pmufab guest prepare"}},
      .exit_codes = {{"0", "the guest is there"},
                     {"2", "the guest cannot be prepared on this machine, or not now"},
                     {"3", "an internal error"}},
      .run = prepare,
  };
}

}  // namespace pmufab::cli
