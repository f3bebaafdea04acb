// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"

namespace pmufab::scenario {
namespace {

/// A mask of instances that lead to a peer.
void read_mask(Reader& reader, std::string_view key, std::uint32_t usual, std::optional<std::uint32_t>& mask) {
  if (usual == 0 && !reader.has(key)) return;
  std::uint32_t value = usual;
  reader.number(key, value, Quantity::address);
  mask = value;
}

void read_nvlink_c2c(Reader& reader, tegra410::NvlinkC2cParameters& nvlink) {
  using tegra410::NvlinkPeer;
  reader.choice("peer", nvlink.peer, {{"gpu", NvlinkPeer::gpu}, {"cpu", NvlinkPeer::cpu}, {"none", NvlinkPeer::none}});
  if (nvlink.peer == NvlinkPeer::gpu) {
    reader.number("gpus", nvlink.gpus, Quantity::count, 1, tegra410::kMaximumGpus);
  } else if (reader.has("gpus")) {
    reader.fail("gpus", "the peer is not a GPU", "leave the key out, or choose 'peer: gpu'");
  }
  const tegra410::NvlinkC2cParameters usual = nvlink;
  read_mask(reader, "gpu0_en_mask", usual.gpu_mask(0), nvlink.gpu0_en_mask);
  read_mask(reader, "gpu1_en_mask", usual.gpu_mask(1), nvlink.gpu1_en_mask);
  read_mask(reader, "cpu_en_mask", usual.cpu_mask(), nvlink.cpu_en_mask);
  reader.number("width", nvlink.width);
}

}  // namespace

void read_c2c(Reader& reader, tegra410::Parameters& parameters) {
  reader.number("c2c_clock", parameters.c2c_clock_hz, Quantity::frequency);
  reader.object("nvlink_c2c", [&](Reader& nvlink) { read_nvlink_c2c(nvlink, parameters.nvlink_c2c); });
  reader.object("nvclink", [&](Reader& nvclink) {
    nvclink.number("cpu_en_mask", parameters.nvclink.cpu_en_mask, Quantity::address);
    nvclink.number("width", parameters.nvclink.width);
  });
  reader.object("nvdlink", [&](Reader& nvdlink) { nvdlink.number("width", parameters.nvdlink.width); });
}

}  // namespace pmufab::scenario
