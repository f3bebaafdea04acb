// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/import/machine.h"
#include "tools/pmufab/import/register_file.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

using scenario::InputError;

std::string some(std::uint64_t number, const char* one, const char* more) {
  return fmt::format("{} {}", number, number == 1 ? one : more);
}

/// @param contents  what is in it, for the user
void put_draft(const Draft& draft, const Request& request, const std::string& contents) {
  const std::string file = request.options["output"].as<std::string>();
  if (file == "-") {
    std::cout << draft.text << std::flush;
  } else {
    write_file(file, draft.text);
    fmt::print("{}: {}\n", file, contents);
    std::fflush(stdout);  // before what follows on standard error
  }
  if (!draft.refusal.empty())
    complain("pmufab: the draft does not load before it is edited: {}\n", printable(draft.refusal));
}

int write_draft(const FoundMachine& machine, const Request& request) {
  if (machine.pmus.empty() && machine.meshes.empty() && machine.others.empty())
    throw InputError(fmt::format("'{}' tells of no PMU that pmufab knows", request.words.front()),
                     "CoreSight PMUs are in the table APMT; CMN meshes in the DSDT or an SSDT, or in a device tree");
  const Draft draft = draft_of(machine, request.options["name"].as<std::string>());
  put_draft(draft, request,
            fmt::format("{} in {}, {}", some(machine.pmus.size(), "CoreSight PMU", "CoreSight PMUs"),
                        some(draft.pmus, "entry", "entries"), some(machine.meshes.size(), "mesh", "meshes")));
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

int run_import_registers(const Request& request, RegisterFile (*read)(const std::filesystem::path&)) {
  if (request.words.size() != 1)
    throw InputError(request.words.empty() ? "no file is given" : "there is more than one file",
                     "give one: a file that includes others must be made one first");
  const RegisterDraft draft = draft_of(read(request.words.front()), values_of(request.options, "block"),
                                       request.options["name"].as<std::string>());
  put_draft(draft, request,
            fmt::format("{} of {}", some(draft.registers, "register", "registers"), some(draft.pmus, "PMU", "PMUs")));
  return kPassed;
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

namespace {

/// @param name    of the command
/// @param form    what the file is
/// @param blocks  what becomes PMUs
Command register_command(const char* name, const std::string& form, const std::string& blocks, const char* known,
                         const std::vector<Example>& examples, RegisterFile (*read)(const std::filesystem::path&)) {
  return {
      .name = name,
      .arguments = "[options] FILE",
      .summary = "write a draft of described PMUs from the registers of a chip in " + form,
      .description = fmt::format(R"(Reads {}, and writes a platform with PMUs by description: each {} is one.
Registers have their names, offsets, widths, arrays and fields, and what software sees of these: their reset values, which are
read only (constant) and which write only (command). What fields do for counters (roles) is not in such files: a comment TODO
guesses it by name. Perf's name, the device, the numbers of counters and their bits are placeholders, and events are to be
described. The draft loads when each counter has a register.

{})",
                                 form, blocks, known),
      .options = draft_options() + Options{list("block", "NAME", "a block that becomes a PMU, in place of all")},
      .words = Words::files,
      .examples = examples,
      .exit_codes = import_exit_codes(),
      .run = [read](const Request& request) { return run_import_registers(request, read); },
  };
}

}  // namespace

Command import_rdl_command() {
  return register_command(
      "import rdl", "SystemRDL 2.0", "addrmap that has registers",
      R"(Components, instances, arrays, default and dynamic properties are known. What is not, such as parameters, expressions and
mem, is refused with its line. Run preprocessors (Perl, `include) first.)",
      {{"pmufab import rdl pmu.rdl -o my-chip.yaml"}, {"pmufab list my-chip.yaml"}}, read_systemrdl);
}

Command import_svd_command() {
  return register_command(
      "import svd", "CMSIS-SVD", "peripheral",
      R"(Clusters, arrays and derivedFrom are known. An element that CMSIS-SVD 1.3 does not have is refused with its line.)",
      {{"pmufab import svd chip.svd --block PMU0 -o my-chip.yaml"}, {"pmufab list my-chip.yaml"}}, read_svd);
}

}  // namespace pmufab::cli
