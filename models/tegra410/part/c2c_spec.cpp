// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/part/c2c_spec.h"

#include <bit>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::platform {

namespace {

void check_width(const std::string& field, unsigned width) {
  if (width < 8 || width > 64) throw SpecError(field, fmt::format("is {}, must be 8 ... 64; bits", width));
}

void check_mask(const std::string& field, std::uint32_t mask, unsigned instances) {
  if (mask >> instances != 0) {
    throw SpecError(field, fmt::format("{:#x} has a bit for instance {}, there are {} (0 ... {})", mask,
                                       std::bit_width(mask) - 1, instances, instances - 1));
  }
}

void check_nvlink_c2c(const tegra410::NvlinkC2cParameters& nvlink) {
  using tegra410::NvlinkPeer;
  const std::string field = "tegra410.nvlink_c2c.";
  if (nvlink.gpus < 1 || nvlink.gpus > tegra410::kMaximumGpus)
    throw SpecError(field + "gpus", fmt::format("is {}, must be 1 or 2; 'peer: none' has no GPU", nvlink.gpus));
  const auto check = [&](const char* name, const std::optional<std::uint32_t>& mask, bool has_peer, const char* why,
                         const char* suggestion) {
    if (!mask) return;
    if (!has_peer) throw SpecError(field + name, fmt::format("is for a peer that is not there: {}", why), suggestion);
    check_mask(field + name, *mask, tegra410::kNvlinkC2cInstances);
  };
  const bool gpu = nvlink.peer == NvlinkPeer::gpu;
  check("gpu0_en_mask", nvlink.gpu0_en_mask, gpu, "the peer is not a GPU", "choose 'peer: gpu'");
  check("gpu1_en_mask", nvlink.gpu1_en_mask, gpu && nvlink.gpus > 1, gpu ? "there is one GPU" : "the peer is not a GPU",
        gpu ? "choose 'gpus: 2', with a 'gpu0_en_mask' of 0 for GPU 1 alone" : "choose 'peer: gpu'");
  check("cpu_en_mask", nvlink.cpu_en_mask, nvlink.peer == NvlinkPeer::cpu, "the peer is not a CPU",
        "choose 'peer: cpu'");
  if (const std::uint32_t both = nvlink.gpu_mask(0) & nvlink.gpu_mask(1); both != 0) {
    tegra410::NvlinkC2cParameters usual;
    usual.peer = nvlink.peer;
    usual.gpus = nvlink.gpus;
    const bool second_is_unusual = nvlink.gpu_mask(1) != usual.gpu_mask(1);
    throw SpecError(field + (second_is_unusual ? "gpu1_en_mask" : "gpu0_en_mask"),
                    fmt::format("instance {} leads to GPU 0 ({:#x}) and to GPU 1 ({:#x})", std::countr_zero(both),
                                nvlink.gpu_mask(0), nvlink.gpu_mask(1)),
                    "give both masks, without a bit in common");
  }
}

}  // namespace

void check_c2c(const tegra410::Parameters& parameters) {
  check_nvlink_c2c(parameters.nvlink_c2c);
  check_mask("tegra410.nvclink.cpu_en_mask", parameters.nvclink.cpu_en_mask, tegra410::kNvclinkInstances);
  check_width("tegra410.nvlink_c2c.width", parameters.nvlink_c2c.width);
  check_width("tegra410.nvclink.width", parameters.nvclink.width);
  check_width("tegra410.nvdlink.width", parameters.nvdlink.width);
}

}  // namespace pmufab::platform
