// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/qemu_command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/doors/guest/guest_clock.h"
#include "testbench/doors/guest/guest_session.h"

namespace pmufab::guest {
namespace {

using nlohmann::json;

/// Tells the simulator what perf is about to count, for -M from which events perf computes which metric, and when perf
/// has ended. The formulas depend on the PMUs, so perf is asked for them once for the same PMUs. Signals are passed on to
/// perf. A shell takes none while it runs a command, so perf runs in the background. There it would have no input and
/// would ignore SIGINT and SIGQUIT; the wrapper restores both. Ctrl-C reaches perf twice, which changes nothing.
constexpr const char* kPerfWrapper = R"sh(#!/bin/bash
port=
for name in /sys/class/virtio-ports/*/name; do
  if read -r said <"$name" && [ "$said" = pmufab.perf ]; then
    port=${name%/name}
    port=/dev/${port##*/}
  fi
done
[ -n "$port" ] || exec /usr/bin/perf "$@"
perf=
signal=
pass() {
  signal=$1
  [ -z "$perf" ] || kill -s "$1" "$perf" 2>/dev/null
}
trap 'pass INT' INT
trap 'pass TERM' TERM
# Files that perf may print to, and a file that is older.
files=() next=
for word; do
  [ -z "$next" ] || files+=("$word")
  next=
  case $word in
    -o | -[!-]*o | --output) next=true ;;
    -o*) files+=("${word#-o}") ;;
    --output=*) files+=("${word#*=}") ;;
  esac
done
[ "${#files[@]}" = 0 ] || : >"/tmp/.perf.$$"
for word; do
  case $word in
    -M* | -[!-]*M* | --metric*)
      known=/pmufab/metrics
      pmus=(/sys/bus/event_source/devices/*)
      if ! { read -r of <"$known.of" && [ "$of" = "${pmus[*]}" ]; } 2>/dev/null; then
        /usr/bin/perf list -j metric 2>/dev/null >"$known.$$"
        mv "$known.$$" "$known"
        echo "${pmus[*]}" >"$known.of"
      fi
      { printf 'metrics\0'; cat "$known"; printf '\0'; } >"$port"
      break ;;
  esac
done
{ printf 'begin\0%d\0' "$#"; [ "$#" = 0 ] || printf '%s\0' "$@"; } >"$port"
(trap - INT QUIT; exec /usr/bin/perf "$@") <&0 &
perf=$!
[ -z "$signal" ] || kill -s "$signal" "$perf"
# Waiting ends with a signal, too.
while signal=; wait "$perf"; status=$?; [ -n "$signal" ]; do :; done 2>/dev/null
for file in "${files[@]}"; do
  [ -f "$file" ] && [ "$file" -nt "/tmp/.perf.$$" ] && printf 'printed\0%s\0%s\0' "$file" "$(<"$file")" >"$port"
done 2>/dev/null
[ "${#files[@]}" = 0 ] || rm -f "/tmp/.perf.$$"
printf 'end\0' >"$port"
exit "$status"
)sh";

/// Wraps the command if boots must be the same: brings up the other CPUs before it, and ends simulated time after it.
constexpr const char* kSameEveryTime = R"sh(if [ -e /sys/devices/system/cpu/cpu1 ]; then
  devmem $(({1:#x} + 8)) 32 1
  while [ "$(devmem $(({1:#x} + 8)) 32)" != 0x00000000 ]; do :; done
  for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do echo 1 >"$cpu"; done
fi
{0}
status=$?
devmem $(({1:#x} + 8)) 32 2
exit "$status"
)sh";

/// An Arm v8.2 CPU, which takes half of the processor time that `max` takes: pointer authentication, SVE, SME and system
/// registers of later architectures are much work for an emulator. With the id of `max`, perf finds no events and metrics
/// of a CPU that is not there, and Linux works around no errata. Boots by instructions keep `max`: it is not shown that
/// they would be the same with the other CPU.
constexpr const char* kCpu = "neoverse-n1,midr=0x000f0510";
constexpr const char* kCpuByInstructions = "max,pauth-impdef=on";

/// The kernel's command line. Self-tests of the kernel's cryptography would take a quarter of a boot.
std::string kernel_arguments(bool is_deterministic) {
  std::string line = "console=ttyAMA0 panic=-1 cryptomgr.notests=1";
  // nohlt: a CPU that waits for interrupts executes nothing, so time would jump to its next timer without the
  // simulator's knowledge. maxcpus=1: QEMU's CPUs take turns at no fixed moments while devices are mapped.
  if (is_deterministic) line += " nohlt maxcpus=1";
  return line;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      text += R"('\'')";
    } else {
      text += letter;
    }
  }
  return text + "'";
}

/// @return a path as QEMU's lists of options take it: each comma twice.
std::string in_list(const std::filesystem::path& path) {
  std::string text;
  for (const char letter : path.string()) text += letter == ',' ? std::string(",,") : std::string(1, letter);
  return text;
}

}  // namespace

std::string boot_archive(std::uint64_t aperture, const std::vector<std::string>& command, bool is_deterministic) {
  Archive archive;
  archive.add_folder("pmufab");
  archive.add_file("pmufab/aperture", fmt::format("APERTURE_BASE={:#x}\n", aperture));
  archive.add_folder("usr/local");
  archive.add_folder("usr/local/bin");
  archive.add_program("usr/local/bin/perf", kPerfWrapper);
  if (!command.empty()) {
    std::string line;
    for (const std::string& word : command) line += quoted(word) + " ";
    archive.add_file("pmufab/command", is_deterministic ? fmt::format(kSameEveryTime, line, aperture) : line + "\n");
  }
  return archive.finish();
}

// NOLINTNEXTLINE(readability-function-size): the arguments of one command, in their order
std::vector<std::string> qemu_command(const QemuOptions& options) {
  const std::filesystem::path& session = options.session;
  const bool is_deterministic = !options.clock_plugin.empty();
  // A full pipe would delay the guest, so a deterministic machine writes to a file.
  const std::string output = is_deterministic ? in_list(session / kOutputName) : "/dev/stdout";
  std::vector<std::string> command{
      options.guest / "qemu",
      "-nodefaults",
      "-no-user-config",
      "-no-reboot",
      "-display",
      "none",
      "-M",
      "virt,gic-version=2,acpi=off",
      "-cpu",
      is_deterministic ? kCpuByInstructions : kCpu,
      "-accel",
      is_deterministic ? "tcg,thread=single" : "tcg,thread=multi",
      "-smp",
      std::to_string(options.cpus),
      "-m",
      fmt::format("{}M", options.memory >> 20),
      "-bios",
      options.guest / "firmware",
      "-kernel",
      options.guest / "kernel",
      "-initrd",
      options.initrd,
      "-append",
      kernel_arguments(is_deterministic),
      "-fw_cfg",
      fmt::format("name={},file={}", AcpiBlobs::kTablesFile, in_list(session / kTablesName)),
      "-fw_cfg",
      fmt::format("name={},file={}", AcpiBlobs::kRsdpFile, in_list(session / kRsdpName)),
      "-fw_cfg",
      fmt::format("name={},file={}", AcpiBlobs::kLoaderFile, in_list(session / kLoaderName)),
      "-chardev",
      options.interactive ? std::string("stdio,id=console,signal=off")
                          : fmt::format("file,id=console,path={}", in_list(session / kConsoleName)),
      "-serial",
      "chardev:console",
      "-chardev",
      options.interactive ? std::string("null,id=output") : fmt::format("file,id=output,path={}", output),
      "-chardev",
      fmt::format("file,id=status,path={}", in_list(session / kStatusName)),
      "-chardev",
      fmt::format("socket,id=perf,path={}", in_list(session / kPerfName)),
      "-device",
      is_deterministic ? "virtio-serial-pci,ioeventfd=off" : "virtio-serial-pci",
      "-device",
      "virtserialport,chardev=output,name=pmufab.output",
      "-device",
      "virtserialport,chardev=status,name=pmufab.status",
      "-device",
      "virtserialport,chardev=perf,name=pmufab.perf"};
  const auto add_function = [&](const std::string& socket, const std::string& bus, const std::string& place) {
    json device{{"driver", "vfio-user-pci"},
                {"bus", bus},
                {"socket", {{"type", "unix"}, {"path", (session / socket).string()}}},
                // Milliseconds. A longer stall ends the connection for good.
                {"x-msg-timeout", 60000}};
    if (is_deterministic) device["x-no-posted-writes"] = true;
    if (!place.empty()) {
      device["addr"] = place;
      device["multifunction"] = true;
    }
    command.insert(command.end(), {"-device", device.dump()});
  };
  // The root bus has 31 slots: the platform's functions share some.
  constexpr unsigned kFirstSlot = 16;
  unsigned on_root_bus = 0;
  // As the platform numbers its root ports: decoders of the host bridge name them so.
  unsigned port_number = 0;
  for (std::size_t i = 0; i < options.below_ports.size(); ++i) {
    const std::string socket = fmt::format("{}{}", kPciName, i);
    if (options.below_ports[i]) {
      const std::string port = fmt::format("port{}", i);
      command.insert(command.end(),
                     {"-device", fmt::format("cxl-rp,id={},chassis={},port={}", port, i + 1, port_number++)});
      add_function(socket, port, {});
    } else {
      add_function(socket, "pcie.0", fmt::format("{:x}.{}", kFirstSlot + on_root_bus / 8, on_root_bus % 8));
      ++on_root_bus;
    }
  }
  add_function(kSocName, "pcie.0", {});
  if (!is_deterministic) return command;
  constexpr unsigned kShift = InstructionClock::kShift;
  const std::string plugin =
      fmt::format("file={},socket={},shift={}", in_list(options.clock_plugin), in_list(session / kClockName), kShift);
  const std::string count = fmt::format("shift={},sleep=off", kShift);
  command.insert(command.end(),
                 {"-icount", count, "-plugin", plugin, "-seed", "1", "-rtc", "clock=vm,base=2026-01-01"});
  return command;
}

}  // namespace pmufab::guest
