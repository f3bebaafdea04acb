// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/event_attributes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace pmufab::shell {
namespace {

// What this machine's <linux/perf_event.h> may not know: places in struct perf_event_attr, and its bits in Linux 7.3.
constexpr std::size_t kBitsAt = 40;
constexpr unsigned kFirstReservedBit = 40;  // __reserved_1, behind defer_output
constexpr std::size_t kReserved2At = 110;
constexpr std::size_t kAuxActionAt = 116;
constexpr unsigned kFirstReservedAuxBit = 3;  // __reserved_3, behind aux_resume
constexpr std::uint64_t kSampleTypes = (std::uint64_t{1} << 25) - 1;
constexpr std::uint64_t kReadFormats = (std::uint64_t{1} << 5) - 1;
constexpr std::uint64_t kBranchTypes = (std::uint64_t{1} << 20) - 1;
constexpr std::uint64_t kFlags =
    PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC;
constexpr std::uint64_t kMostSamplesPerSecond = 100'000;  // kernel.perf_event_max_sample_rate

template <typename Word>
Word word_at(std::span<const std::uint8_t> bytes, std::size_t place) {
  Word word = 0;
  std::memcpy(&word, bytes.data() + place, sizeof(word));
  return word;
}

bool has_reserved_bits(std::span<const std::uint8_t> bytes) {
  return word_at<std::uint64_t>(bytes, kBitsAt) >> kFirstReservedBit != 0 ||
         word_at<std::uint16_t>(bytes, kReserved2At) != 0 ||
         word_at<std::uint32_t>(bytes, kAuxActionAt) >> kFirstReservedAuxBit != 0;
}

bool has_wrong_samples(const perf_event_attr& attributes) {
  const std::uint64_t types = attributes.sample_type;
  if ((types & ~kSampleTypes) != 0 || (attributes.read_format & ~kReadFormats) != 0) return true;
  const std::uint64_t branches = attributes.branch_sample_type;
  if ((types & PERF_SAMPLE_BRANCH_STACK) != 0 &&
      ((branches & ~kBranchTypes) != 0 || (branches & ~std::uint64_t{PERF_SAMPLE_BRANCH_PLM_ALL}) == 0))
    return true;
  const std::uint32_t stack = attributes.sample_stack_user;
  if ((types & PERF_SAMPLE_STACK_USER) != 0 &&
      (stack >= std::numeric_limits<std::uint16_t>::max() || stack % sizeof(std::uint64_t) != 0))
    return true;
  return (types & PERF_SAMPLE_WEIGHT) != 0 && (types & PERF_SAMPLE_WEIGHT_STRUCT) != 0;
}

bool contradicts_itself(const perf_event_attr& attributes) {
  if (attributes.inherit == 0 && attributes.inherit_thread != 0) return true;
  if (attributes.remove_on_exec != 0 && attributes.enable_on_exec != 0) return true;
  if (attributes.sigtrap != 0 && attributes.remove_on_exec == 0) return true;
  return attributes.freq != 0 ? attributes.sample_freq > kMostSamplesPerSecond : attributes.sample_period >> 63 != 0;
}

}  // namespace

int check_open_flags(std::uint64_t flags) { return (flags & ~kFlags) == 0 ? 0 : -EINVAL; }

int take_attributes(std::span<const std::uint8_t> bytes, perf_event_attr& attributes) {
  if (bytes.size() < PERF_ATTR_SIZE_VER0) return -E2BIG;
  const std::size_t known = std::min(bytes.size(), kAttributesSize);
  if (std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(known), bytes.end(), [](auto byte) { return byte != 0; }))
    return -E2BIG;
  std::uint8_t whole[kAttributesSize] = {};
  std::copy_n(bytes.begin(), known, whole);
  attributes = {};
  std::memcpy(&attributes, whole, std::min(sizeof(attributes), sizeof(whole)));
  return has_reserved_bits(whole) || has_wrong_samples(attributes) || contradicts_itself(attributes) ? -EINVAL : 0;
}

}  // namespace pmufab::shell
