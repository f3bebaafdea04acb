#include "models/platform/c2c_spec.h"

#include <bit>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::platform {

namespace {

[[noreturn]] void fail(std::string field, std::string reason) { throw SpecError(std::move(field), std::move(reason)); }

void check_width(const std::string& field, unsigned width) {
  if (width < 8 || width > 64) fail(field, fmt::format("is {}, must be 8 ... 64; bits", width));
}

void check_mask(const std::string& field, std::uint32_t mask, unsigned instances) {
  if (mask >> instances != 0) {
    fail(field, fmt::format("{:#x} has a bit for instance {}, there are {} (0 ... {})", mask, std::bit_width(mask) - 1,
                            instances, instances - 1));
  }
}

void check_nvlink_c2c(const tegra410::NvlinkC2cParameters& nvlink) {
  using tegra410::NvlinkPeer;
  const std::string field = "tegra410.nvlink_c2c.";
  if (nvlink.gpus < 1 || nvlink.gpus > tegra410::kMaximumGpus)
    fail(field + "gpus", fmt::format("is {}, must be 1 or 2; 'peer: none' has no GPU", nvlink.gpus));
  const auto check = [&](const char* name, const std::optional<std::uint32_t>& mask, bool has_peer,
                         std::string_view missing) {
    if (!mask) return;
    if (!has_peer) fail(field + name, fmt::format("there is no such peer: {}", missing));
    check_mask(field + name, *mask, tegra410::kNvlinkC2cInstances);
  };
  const bool gpu = nvlink.peer == NvlinkPeer::gpu;
  check("gpu0_en_mask", nvlink.gpu0_en_mask, gpu, "peer is not gpu");
  check("gpu1_en_mask", nvlink.gpu1_en_mask, gpu && nvlink.gpus > 1, gpu ? "gpus is 1" : "peer is not gpu");
  check("cpu_en_mask", nvlink.cpu_en_mask, nvlink.peer == NvlinkPeer::cpu, "peer is not cpu");
  if (const std::uint32_t both = nvlink.gpu_mask(0) & nvlink.gpu_mask(1); both != 0) {
    fail(field + (nvlink.gpu1_en_mask ? "gpu1_en_mask" : "gpu0_en_mask"),
         fmt::format("instance {} leads to GPU 0 ({:#x}) and to GPU 1 ({:#x})", std::countr_zero(both),
                     nvlink.gpu_mask(0), nvlink.gpu_mask(1)));
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
