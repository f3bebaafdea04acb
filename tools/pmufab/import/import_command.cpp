// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/import/machine.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

using scenario::InputError;

int write_draft(const FoundMachine& machine, const Request& request) {
  if (machine.pmus.empty() && machine.meshes.empty() && machine.others.empty())
    throw InputError(fmt::format("'{}' tells of no PMU that pmufab knows", request.words.front()),
                     "CoreSight PMUs are in the table APMT; CMN meshes in the DSDT or an SSDT, or in a device tree");
  const Draft draft = draft_of(machine, request.options["name"].as<std::string>());
  const std::string file = request.options["output"].as<std::string>();
  if (file == "-") {
    std::cout << draft.text << std::flush;
  } else {
    write_file(file, draft.text);
    const auto some = [](std::size_t number, const char* one, const char* more) {
      return fmt::format("{} {}", number, number == 1 ? one : more);
    };
    fmt::print("{}: {} in {}, {}\n", file, some(machine.pmus.size(), "CoreSight PMU", "CoreSight PMUs"),
               some(draft.pmus, "entry", "entries"), some(machine.meshes.size(), "mesh", "meshes"));
  }
  if (!draft.refusal.empty())
    complain("pmufab: the draft does not load before it is edited: {}\n", printable(draft.refusal));
  return kPassed;
}

int run_import_acpi(const Request& request) {
  if (request.words.empty()) throw InputError("no table is given", "pmufab import acpi /sys/firmware/acpi/tables");
  const ScratchFolder scratch;
  return write_draft(machine_from_acpi(request.words, scratch.path()), request);
}

int run_import_tree(const Request& request) {
  if (request.words.size() != 1)
    throw InputError(request.words.empty() ? "no device tree is given" : "there is more than one device tree",
                     "pmufab import device-tree /proc/device-tree");
  const ScratchFolder scratch;
  return write_draft(machine_from_tree(request.words.front(), scratch.path()), request);
}

Options draft_options() {
  return {text("output,o", "FILE", "the platform file to write; -: standard output", "-"),
          text("name", "NAME", "the name of the platform", "imported")};
}

std::vector<ExitCode> import_exit_codes() {
  return {{"0", "the draft is written, also if it does not load before it is edited"},
          {"2", "bad input, or output that could not be written"},
          {"3", "an internal error"}};
}

}  // namespace

Command import_acpi_command() {
  return {
      .name = "import acpi",
      .arguments = "[options] FILE|DIR...",
      .summary = "write a draft of a platform from the ACPI tables of a machine",
      .description =
          R"(Reads ACPI tables, binary ones or as acpidump prints them, and writes a platform with what they tell of PMUs. A value
that they do not tell is a placeholder with a comment TODO. Give files, or a folder such as /sys/firmware/acpi/tables, of
which root must make a copy that you may read.

  APMT         each CoreSight PMU: type, instance, id, pages, interrupt, CPUs, implementation id
  PPTT         sockets and CPUs
  DSDT, SSDT   CMN meshes, NVIDIA's PMUs and CXL host bridges, as comments. iasl (Debian's package acpica-tools) reads
               these tables

PMUs of several sockets become one entry where the format of platforms allows that. The draft loads at once if an APMT
tells of a PMU that a platform can have: pmufab list DRAFT shows its PMUs.)",
      .options = draft_options(),
      .words = Words::files,
      .examples = {{"sudo cp -r /sys/firmware/acpi/tables . && sudo chown -R $USER tables"},
                   {"pmufab import acpi tables -o my-machine.yaml"},
                   {"pmufab list my-machine.yaml"}},
      .exit_codes = import_exit_codes(),
      .run = run_import_acpi,
  };
}

Command import_tree_command() {
  return {
      .name = "import device-tree",
      .arguments = "[options] FILE|DIR",
      .summary = "write a draft of a platform from the device tree of a machine",
      .description =
          R"(Reads a device tree, and writes a platform with what it tells of PMUs: CoreSight PMUs (arm,coresight-pmu) with
pages, interrupt and CPUs; CMN meshes (arm,cmn-600, arm,cmn-650, arm,cmn-700, arm,cmn-s3, arm,ci-700) as comments;
the numbers of NUMA nodes and CPUs. A value that it does not tell is a placeholder with a comment TODO.

FILE is source (.dts) or a blob (.dtb), DIR a folder such as /proc/device-tree. dtc (Debian's package
device-tree-compiler) reads source and folders.)",
      .options = draft_options(),
      .words = Words::files,
      .examples = {{"pmufab import device-tree /proc/device-tree -o my-machine.yaml"}, {"pmufab list my-machine.yaml"}},
      .exit_codes = import_exit_codes(),
      .run = run_import_tree,
  };
}

}  // namespace pmufab::cli
