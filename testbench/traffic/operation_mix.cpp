// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/operation_mix.h"

#include <algorithm>

namespace pmufab::traffic {
namespace {

constexpr std::uint32_t kFullLine = 64;
constexpr std::uint32_t kLargestAtomic = 8;

bool reads(Operation operation) noexcept {
  switch (operation) {
    case Operation::read:
    case Operation::read_shared:
    case Operation::read_unique:
    case Operation::read_once:
      return true;
    default:
      return false;
  }
}

}  // namespace

OperationMix::Action OperationMix::action_of(Operation operation, RequesterKind requester, Path path) noexcept {
  switch (operation) {
    case Operation::read:
      if (path == Path::cached) return {FabricOpcode::read_shared, Length::open, false};
      if (requester == RequesterKind::cpu) return {FabricOpcode::read_shared, Length::line, false};
      return {FabricOpcode::read_once, Length::open, false};
    case Operation::write:
      return {FabricOpcode::write_unique_ptl, Length::open, path == Path::direct};
    case Operation::write_partial:
    case Operation::write_unique_ptl:
      return {FabricOpcode::write_unique_ptl, Length::open, false};
    case Operation::atomic:
    case Operation::atomic_store:
      return {FabricOpcode::atomic_store, Length::atomic, false};
    case Operation::read_shared:
      return {FabricOpcode::read_shared, Length::line, false};
    case Operation::read_unique:
      return {FabricOpcode::read_unique, Length::line, false};
    case Operation::read_once:
      return {FabricOpcode::read_once, Length::open, false};
    case Operation::write_unique_full:
      return {FabricOpcode::write_unique_full, Length::line, false};
    case Operation::write_back_full:
      return {FabricOpcode::write_back_full, Length::line, false};
    case Operation::evict:
      return {FabricOpcode::evict, Length::none, false};
    case Operation::clean_unique:
      return {FabricOpcode::clean_unique, Length::none, false};
    case Operation::dataless:
    case Operation::clean_invalid:
      break;
  }
  return {FabricOpcode::clean_invalid, Length::none, false};
}

OperationMix::OperationMix(const std::vector<OperationShare>& mix, const std::vector<SizeShare>& sizes,
                           RequesterKind requester, Path path, Part part) {
  for (const OperationShare& share : mix) {
    if (part != Part::all && reads(share.operation) != (part == Part::reading)) continue;
    actions_.add(action_of(share.operation, requester, path), share.weight);
  }
  if (actions_.empty())
    actions_.add(action_of(part == Part::changing ? Operation::write : Operation::read, requester, path), 1);
  for (const SizeShare& share : sizes) sizes_.add(share.bytes, share.weight);
}

OperationMix::Drawn OperationMix::draw(RandomStream& random) const {
  const Action& action = actions_.choose(random);
  switch (action.length) {
    case Length::none:
      return {action.opcode, 0};
    case Length::line:
      return {action.opcode, kFullLine};
    case Length::atomic:
      return {action.opcode, std::min(sizes_.choose(random), kLargestAtomic)};
    case Length::open:
      break;
  }
  const std::uint32_t length = sizes_.choose(random);
  if (action.full_when_line && length == kFullLine) return {FabricOpcode::write_unique_full, length};
  return {action.opcode, length};
}

}  // namespace pmufab::traffic
