// SPDX-License-Identifier: Apache-2.0
// The judge derives from the description what is below root ports, and the places of registers. The platform must have
// built it so.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cxl/part/cxl_part.h"
#include "models/cxl/part/cxl_spec.h"
#include "models/platform/platform.h"
#include "testbench/fabrics/cxl/scenario/judge_spec.h"

namespace pmufab::scenario::test::cxl_judge_spec_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kBase = std::uint64_t{1} << 40;

platform::CxlDeviceSpec device(unsigned cpmus, std::uint64_t base, Picoseconds latency) {
  platform::CxlCpmuSpec reads;
  reads.groups = {{.group = 0x20}};
  platform::CxlDeviceSpec spec;
  spec.decoders = {{.base = base, .size = 256 * kMiB}};
  spec.cpmus.assign(cpmus, reads);
  spec.port.cpmus = {reads};
  spec.link.latency = latency;
  return spec;
}

/// A device with a large mailbox, a switch with two devices, a device.
platform::PlatformSpec hierarchy() {
  platform::PlatformSpec spec;
  spec.sockets = 1;
  spec.cpus_per_socket = 1;
  platform::CxlDeviceSpec first = device(2, kBase, 1'000);
  first.registers.payload_size_log2 = 16;
  first.locator = {cxl::BlockId::cpmu,      cxl::BlockId::device, cxl::BlockId::empty, cxl::BlockId::vendor_specific,
                   cxl::BlockId::component, cxl::BlockId::cpmu};
  platform::CxlDeviceSpec branch = device(0, 0, 2'000);
  branch.decoders.clear();
  branch.below.emplace().cpmus = branch.port.cpmus;
  branch.below->devices = {device(1, kBase + 256 * kMiB, 3'000), device(0, kBase + 512 * kMiB, 4'000)};
  spec.edit<platform::CxlSpec>().devices = {first, branch, device(1, kBase + 768 * kMiB, 5'000)};
  return spec;
}

TEST(CxlJudgeSpec, components_links_and_registers_are_what_the_platform_builds) {
  const platform::PlatformSpec described = hierarchy();
  const scoreboard::CxlJudgeSpec judged = cxl_judge_spec(described);
  platform::Platform built("platform", described);
  const platform::CxlPart& part = built.get<platform::CxlPart>();
  ASSERT_EQ(judged.components.size(), part.components().size());
  std::size_t blocks = 0;
  for (unsigned index = 0; index < part.components().size(); ++index) {
    const platform::CxlPart::Component& component = part.components()[index];
    SCOPED_TRACE(component.name);
    EXPECT_EQ(judged.components[index].name, component.name);
    EXPECT_EQ(judged.components[index].ddr.has_value(), component.kind == platform::CxlPart::Kind::device);
    for (unsigned cpmu = 0; cpmu < component.cpmus.size(); ++cpmu) {
      // A device has two PMUs: the reference software's and the driver's.
      const std::size_t pmus = component.kind == platform::CxlPart::Kind::device ? 2 : 1;
      for (std::size_t pmu = 0; pmu < pmus; ++pmu) {
        ASSERT_LT(blocks, judged.pmus.size());
        EXPECT_EQ(judged.pmus[blocks].component, index);
        EXPECT_EQ(judged.pmus[blocks].address, platform::CxlPart::cpmu_address(component, cpmu));
        ++blocks;
      }
    }
  }
  EXPECT_EQ(blocks, judged.pmus.size());
  ASSERT_EQ(judged.links.size(), part.wires().size());
  for (std::size_t link = 0; link < judged.links.size(); ++link) {
    const platform::CxlPart::Wire& wire = part.wires()[link];
    EXPECT_EQ(judged.links[link].name, wire.link->name());
    EXPECT_EQ(judged.links[link].upper, wire.upper);
    EXPECT_EQ(judged.links[link].lower, wire.lower);
    EXPECT_EQ(judged.links[link].latency, wire.link->parameters().latency);
  }
}

TEST(CxlJudgeSpec, pmus_are_named_by_what_they_count_for) {
  std::vector<std::string> names;
  for (const scoreboard::CxlPmuSpec& pmu : cxl_judge_spec(hierarchy()).pmus) names.push_back(pmu.name);
  const std::vector<std::string> expected = {"cpmu_rp0.0",     "cpmu_mem0.0",    "cxl_pmu_mem0.0", "cpmu_mem0.1",
                                             "cxl_pmu_mem0.1", "cpmu_rp1.0",     "cpmu_usp0.0",    "cpmu_dsp0.0.0",
                                             "cpmu_mem1.0",    "cxl_pmu_mem1.0", "cpmu_dsp0.1.0",  "cpmu_rp2.0",
                                             "cpmu_mem3.0",    "cxl_pmu_mem3.0"};
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace pmufab::scenario::test::cxl_judge_spec_test
