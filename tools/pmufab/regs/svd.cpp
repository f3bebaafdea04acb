// SPDX-License-Identifier: Apache-2.0
// Registers as CMSIS-SVD 1.3 (Arm), which debuggers read. The order of elements is that of its schema.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/report/report.h"
#include "tools/pmufab/regs/register_map.h"

namespace pmufab::cli {
namespace {

std::string svd_element(std::string_view name, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>", name, scenario::xml_text(text));
}

void add_svd_field(std::string& out, const MapField& field) {
  const bool is_writable =
      field.access == "rw" || field.access == "w1c" || field.access == "w0c" || field.access == "w1s";
  std::string meaning = field.meaning;
  if (field.access == "unimplemented") meaning += meaning.empty() ? "not modelled" : " (not modelled)";
  out += "            <field>" + svd_element("name", field.name);
  if (!meaning.empty()) out += svd_element("description", meaning);
  out += fmt::format("<bitOffset>{}</bitOffset><bitWidth>{}</bitWidth>", field.lsb, field.width);
  out += svd_element("access", is_writable ? "read-write" : field.access == "wo" ? "write-only" : "read-only");
  if (field.access == "w1c") out += svd_element("modifiedWriteValues", "oneToClear");
  if (field.access == "w0c") out += svd_element("modifiedWriteValues", "zeroToClear");
  if (field.access == "rc") out += svd_element("readAction", "clear");
  if (field.access == "w1s") out += svd_element("modifiedWriteValues", "oneToSet");
  out += "</field>\n";
}

void add_svd_register(std::string& out, const nlohmann::ordered_json& entry, const MapElement& one) {
  out += "        <register>\n          ";
  if (one.count > 1) out += fmt::format("<dim>{}</dim><dimIncrement>{:#x}</dimIncrement>", one.count, one.width / 8);
  out += svd_element("name", one.count > 1 ? one.name + "[%s]" : one.name);
  if (const std::string source = entry.at("source"); !source.empty()) out += svd_element("description", source);
  out += fmt::format(
      "<addressOffset>{:#x}</addressOffset><size>{}</size><resetValue>{:#x}</resetValue>\n          <fields>\n",
      one.offset, one.width, one.reset);
  for (const MapField& field : fields_of(entry)) add_svd_field(out, field);
  out += "          </fields>\n        </register>\n";
}

}  // namespace

std::string to_svd(const RegisterMap& map, const std::string& name) {
  std::string out = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<device schemaVersion=\"1.3\">\n";
  out += "  " + svd_element("name", identifier(name)) + svd_element("version", scenario::version()) +
         svd_element("description", fmt::format("The registers of the platform {}, as pmufab models them", name));
  out += "\n  <addressUnitBits>8</addressUnitBits><width>64</width>\n  <peripherals>\n";
  std::vector<std::string> first(map.layouts.size());  // the peripheral that has the registers
  for (const RegisterMap::Instance& one : map.instances) {
    std::string& original = first[one.layout];
    const RegisterMap::Layout& layout = map.layouts[one.layout];
    out += original.empty() ? "    <peripheral>\n" : fmt::format("    <peripheral derivedFrom=\"{}\">\n", original);
    out += "      " + svd_element("name", one.name) + svd_element("description", one.bank) +
           fmt::format("<baseAddress>{:#x}</baseAddress>\n", one.base);
    if (original.empty()) {
      out += fmt::format(
          "      <addressBlock><offset>0</offset><size>{:#x}</size><usage>registers</usage></addressBlock>\n"
          "      <registers>\n",
          layout.size);
      for (const nlohmann::ordered_json& entry : layout.registers) {
        for (const MapElement& each : elements_of(entry)) add_svd_register(out, entry, each);
      }
      out += "      </registers>\n";
      original = one.name;
    }
    out += "    </peripheral>\n";
  }
  return out + "  </peripherals>\n</device>\n";
}

}  // namespace pmufab::cli
