// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "models/platform/platform.h"
#include "testbench/doors/guest/acpi/acpi_tables.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/firmware/device_tree.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

using scenario::InputError;

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& signature) {
  std::string name = signature;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folder / (name + ".aml");
}

void write_acpi(const platform::FirmwareDescription& firmware, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  // What another platform had, this one may not have.
  std::set<std::string> absent(guest::kPlatformTables.begin(), guest::kPlatformTables.end());
  for (const guest::AcpiTable& table : guest::make_platform_tables(firmware)) {
    write_file(file_of(folder, table.signature), table.bytes);
    absent.erase(table.signature);
  }
  for (const std::string& signature : absent) std::filesystem::remove(file_of(folder, signature), error);
}

int run_firmware(const Request& request) {
  if (request.words.size() != 1)
    throw InputError(request.words.empty() ? "no platform is given" : "there is more than one platform",
                     "pmufab firmware PLATFORM --acpi DIR");
  const std::string acpi = request.options["acpi"].as<std::string>();
  const std::string tree = request.options["dts"].as<std::string>();
  if (acpi.empty() && tree.empty())
    throw InputError("it is not said what to write", "--acpi DIR for tables, --dts FILE for a device tree");
  const scenario::PlatformDocument document =
      scenario::load_platform(find_platform(request.words[0]), values_of(request.options, "set"));
  const platform::Platform platform("platform", document.spec);
  if (!acpi.empty()) write_acpi(platform.firmware(), acpi);
  if (!tree.empty()) {
    const std::string text = to_device_tree(platform.firmware(), document.name);
    if (tree == "-") {
      std::cout << text << std::flush;
    } else {
      write_file(tree, text);
    }
  }
  return kPassed;
}

}  // namespace

Command firmware_command() {
  return {
      .name = "firmware",
      .arguments = "[options] PLATFORM",
      .summary = "write a platform's ACPI tables or device tree",
      .description =
          R"(Writes what firmware tells an operating system about a platform, with the platform's own addresses and interrupts.

With --acpi, DIR gets a file for each table, such as dsdt.aml and apmt.aml: DSDT (processors, PCI host bridges, devices),
PPTT, SRAT if there are several nodes, MCFG, CEDT (the CXL host bridge and its windows) and APMT, each only if the
platform has something to say in it. Memory, interrupt controllers, timers and the memory windows of host bridges are no
part of a platform, and no table describes them.

With --dts, FILE gets the source of a device tree. It has the meshes, and the CoreSight PMUs that need nothing of ACPI.
A comment in it lists what has no binding. FILE - is standard output.)",
      .options = Options{text("acpi", "DIR", "write ACPI tables to this folder"),
                         text("dts", "FILE", "write the source of a device tree"),
                         list("set", "PATH=VALUE", "change a value of the platform")},
      .words = Words::platforms,
      .examples = {{"pmufab firmware scenarios/platforms/cmn700-small.yaml --acpi tables"},
                   {"pmufab firmware scenarios/platforms/cmn600-small.yaml --dts -"}},
      .exit_codes = usual_exit_codes(),
      .run = run_firmware,
  };
}

}  // namespace pmufab::cli
