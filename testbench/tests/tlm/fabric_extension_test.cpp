// SPDX-License-Identifier: Apache-2.0
#include "tlm/transaction/fabric_extension.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace pmufab {
namespace {

FabricExtension sample() {
  FabricExtension extension;
  extension.requester = RequesterKind::pcie;
  extension.opcode = FabricOpcode::write_unique_ptl;
  extension.socket = 1;
  extension.root_port = 3;
  extension.root_complex = 5;
  extension.qos = 15;
  extension.requester_id = 0x1234;
  extension.bdf = 0xabcd;
  return extension;
}

void expect_sample(const FabricExtension& extension) {
  EXPECT_EQ(extension.requester, RequesterKind::pcie);
  EXPECT_EQ(extension.opcode, FabricOpcode::write_unique_ptl);
  EXPECT_EQ(extension.socket, 1);
  EXPECT_EQ(extension.root_port, 3);
  EXPECT_EQ(extension.root_complex, 5);
  EXPECT_EQ(extension.qos, 15);
  EXPECT_EQ(extension.requester_id, 0x1234);
  EXPECT_EQ(extension.bdf, 0xabcd);
}

TEST(FabricExtension, travels_on_a_payload_and_survives_a_deep_copy) {
  FabricExtension extension = sample();
  tlm::tlm_generic_payload payload;
  EXPECT_EQ(payload.get_extension<FabricExtension>(), nullptr);
  payload.set_extension(&extension);
  expect_sample(*payload.get_extension<FabricExtension>());

  tlm::tlm_generic_payload copy;
  copy.deep_copy_from(payload);
  FabricExtension* const copied = copy.get_extension<FabricExtension>();
  ASSERT_NE(copied, nullptr);
  EXPECT_NE(copied, &extension);
  expect_sample(*copied);
  copy.clear_extension(copied);
  delete copied;
  payload.clear_extension(&extension);
}

TEST(FabricExtension, copies_every_field) {
  FabricExtension target;
  target.copy_from(sample());
  expect_sample(target);
}

TEST(FabricExtension, starts_as_a_cpu_read_of_socket_0) {
  const FabricExtension extension;
  EXPECT_EQ(extension.requester, RequesterKind::cpu);
  EXPECT_EQ(extension.opcode, FabricOpcode::read_once);
  EXPECT_EQ(extension.socket, 0);
}

TEST(FabricNames, are_those_of_chi_and_differ) {
  EXPECT_EQ(to_string(FabricOpcode::read_shared), "ReadShared");
  EXPECT_EQ(to_string(FabricOpcode::read_unique), "ReadUnique");
  EXPECT_EQ(to_string(FabricOpcode::read_once), "ReadOnce");
  EXPECT_EQ(to_string(FabricOpcode::write_unique_full), "WriteUniqueFull");
  EXPECT_EQ(to_string(FabricOpcode::write_unique_ptl), "WriteUniquePtl");
  EXPECT_EQ(to_string(FabricOpcode::write_back_full), "WriteBackFull");
  EXPECT_EQ(to_string(FabricOpcode::evict), "Evict");
  EXPECT_EQ(to_string(FabricOpcode::clean_unique), "CleanUnique");
  EXPECT_EQ(to_string(FabricOpcode::clean_invalid), "CleanInvalid");
  EXPECT_EQ(to_string(FabricOpcode::atomic_store), "AtomicStore");
  std::set<std::string_view> names;
  for (unsigned i = 0; i < kFabricOpcodeCount; ++i) names.insert(to_string(static_cast<FabricOpcode>(i)));
  EXPECT_EQ(names.size(), kFabricOpcodeCount);
  EXPECT_EQ(to_string(RequesterKind::cpu), "cpu");
  EXPECT_EQ(to_string(RequesterKind::gpu), "gpu");
  EXPECT_EQ(to_string(RequesterKind::pcie), "pcie");
}

}  // namespace
}  // namespace pmufab
