// SPDX-License-Identifier: Apache-2.0
// Bindings: Documentation/devicetree/bindings/perf/ of Linux, arm,cmn.yaml and arm,coresight-pmu.yaml.
#include "tools/pmufab/firmware/device_tree.h"
#include "tlm/spec/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace pmufab::cli {
namespace {

using platform::AcpiDevice;
using platform::ApmtNode;
using platform::Cpu;
using platform::FirmwareDescription;
using platform::InterruptResource;
using platform::MemoryResource;

/// A node's binding cannot say something.
struct NoBinding : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string cells(std::uint64_t value) { return fmt::format("{:#x} {:#x}", value >> 32, value & 0xffff'ffffU); }

std::string reg_property(const std::vector<MemoryResource>& ranges) {
  std::string text;
  for (const MemoryResource& range : ranges)
    text += fmt::format("{}<{} {}>", text.empty() ? "" : ", ", cells(range.base), cells(range.size));
  return fmt::format("\t\treg = {};\n", text);
}

/// In the cells of a GIC (arm,gic-v3.yaml): 0 for an SPI, its number from 0 on, and how it signals.
std::string interrupts_property(const std::vector<InterruptResource>& wires) {
  constexpr std::uint32_t kFirstShared = 32;
  constexpr std::uint32_t kSharedEnd = 1020;
  constexpr unsigned kRisingEdge = 1;
  constexpr unsigned kHigh = 4;
  std::string text;
  for (const InterruptResource& wire : wires) {
    if (wire.number < kFirstShared || wire.number >= kSharedEnd)
      throw NoBinding(fmt::format("interrupt {} is no shared peripheral interrupt", wire.number));
    const bool is_edge = wire.line != nullptr && wire.line->trigger() == InterruptTrigger::edge;
    text +=
        fmt::format("{}<0 {} {}>", text.empty() ? "" : ", ", wire.number - kFirstShared, is_edge ? kRisingEdge : kHigh);
  }
  return text.empty() ? "" : fmt::format("\t\tinterrupts = {};\n", text);
}

/// @param compatible  names, separated by spaces
std::string pmu_node(std::uint64_t address, std::string compatible, const std::string& properties) {
  constexpr std::string_view kNext = "\", \"";
  for (std::size_t at = 0; (at = compatible.find(' ', at)) != std::string::npos; at += kNext.size())
    compatible.replace(at, 1, kNext);
  return fmt::format("\n\tpmu@{:x} {{\n\t\tcompatible = \"{}\";\n{}\t}};\n", address, compatible, properties);
}

std::string device_node(const AcpiDevice& device, bool tells_node) {
  AcpiDevice::TreeForm form{device.compatible, device.memory, device.properties};
  if (!device.hid.empty()) {
    if (!device.in_tree) throw NoBinding("there is no binding");
    form = *device.in_tree;
  }
  std::string text = reg_property(form.memory) + interrupts_property(device.interrupts);
  for (const auto& [name, value] : form.properties) text += fmt::format("\t\t{} = <{:#x}>;\n", name, value);
  for (const auto& [name, value] : device.properties_u64) text += fmt::format("\t\t{} = <{}>;\n", name, cells(value));
  if (tells_node && device.node) text += fmt::format("\t\tnuma-node-id = <{}>;\n", *device.node);
  return pmu_node(form.memory.at(0).base, form.compatible, text);
}

std::string apmt_node(const ApmtNode& node, const std::vector<Cpu>& cpus) {
  constexpr std::uint64_t kPage = 0x1000;
  if (node.type == ApmtNode::Type::acpi_device)
    throw NoBinding("the binding arm,coresight-pmu has no place for its device in the ACPI namespace");
  if (node.implementation_id != 0)
    throw NoBinding("the binding arm,coresight-pmu has no place for an implementation id");
  std::vector<MemoryResource> pages{{node.base0, kPage}};
  if (node.base1) pages.push_back({*node.base1, kPage});
  std::string text = reg_property(pages);
  if (node.overflow_interrupt) text += interrupts_property({*node.overflow_interrupt});
  std::string near;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const std::uint32_t uid = node.affinity_is_container ? cpus[i].container_uid : cpus[i].uid;
    if (uid == node.processor_affinity) near += fmt::format("{}<&cpu{}>", near.empty() ? "" : ", ", i);
  }
  if (!near.empty()) text += fmt::format("\t\tcpus = {};\n", near);
  text += fmt::format("\t\treg-io-width = <{}>;\n", node.atomic_64bit ? 8 : 4);
  return pmu_node(node.base0, "arm,coresight-pmu", text);
}

std::string cpu_tree_nodes(const std::vector<Cpu>& cpus, bool tells_node) {
  std::string text = "\n\tcpus {\n\t\t#address-cells = <2>;\n\t\t#size-cells = <0>;\n";
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    text += fmt::format(
        "\n\t\tcpu{}: cpu@{:x} {{\n\t\t\tdevice_type = \"cpu\";\n\t\t\tcompatible = \"arm,armv8\";\n\t\t\treg = "
        "<{}>;\n",
        i, cpus[i].uid, cells(cpus[i].uid));
    if (tells_node) text += fmt::format("\t\t\tnuma-node-id = <{}>;\n", cpus[i].node);
    text += "\t\t};\n";
  }
  return text + "\t};\n";
}

/// The nodes of PMUs, and why others have none.
struct Nodes {
  std::string written;
  std::string left_out;

  template <typename Make>
  void add(const std::string& name, Make&& make) {
    try {
      written += std::forward<Make>(make)();
    } catch (const NoBinding& reason) {
      left_out += fmt::format(" *   {}: {}\n", name, reason.what());
    }
  }
};

}  // namespace

std::string to_device_tree(const FirmwareDescription& firmware, const std::string& given) {
  std::string name;  // in a comment and in a string
  for (const char c : printable(given)) name += c == '"' || c == '\\' || c == '*' || c == '/' ? '_' : c;
  const bool tells_node = std::ranges::any_of(firmware.cpus, [](const Cpu& cpu) { return cpu.node != 0; });
  Nodes nodes;
  for (const ApmtNode& node : firmware.apmt)
    nodes.add(fmt::format("CoreSight PMU at {:#x}", node.base0), [&] { return apmt_node(node, firmware.cpus); });
  for (const AcpiDevice& device : firmware.devices) {
    nodes.add(fmt::format("{} {}", device.hid.empty() ? device.compatible : device.hid, device.uid),
              [&] { return device_node(device, tells_node); });
  }
  for (const platform::PciSegment& segment : firmware.pci_segments) {
    nodes.left_out += fmt::format(
        " *   PCI host bridge of segment {}, bus {:#x}: the binding needs memory windows, which the description does "
        "not "
        "have\n",
        segment.number, segment.first_bus);
  }
  std::string text = fmt::format(
      "/*\n * The platform {}, as pmufab describes it. The number of a processor (reg) is its ACPI UID. The registers "
      "of\n"
      " * the interrupt controller are no part of the platform.\n",
      name);
  if (!nodes.left_out.empty()) text += " * Left out:\n" + nodes.left_out;
  text += fmt::format(
      " */\n/dts-v1/;\n\n/ {{\n\tmodel = \"pmufab {}\";\n\t#address-cells = <2>;\n\t#size-cells = <2>;\n"
      "\tinterrupt-parent = <&gic>;\n",
      name);
  text +=
      "\n\tgic: interrupt-controller {\n\t\tcompatible = \"arm,gic-v3\";\n\t\t#address-cells = <0>;\n"
      "\t\t#interrupt-cells = <3>;\n\t\tinterrupt-controller;\n\t};\n";
  if (!firmware.cpus.empty()) text += cpu_tree_nodes(firmware.cpus, tells_node);
  return text + nodes.written + "};\n";
}

}  // namespace pmufab::cli
