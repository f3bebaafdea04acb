// SPDX-License-Identifier: Apache-2.0
// A whole Tegra410 platform inside a simulation of one's own: traffic from a GPU, counted by the fabric's PMU.

#include <systemc>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "software.h"
#include "tlm/transaction/fabric_extension.h"

namespace {
class Gpu : public sc_core::sc_module {
 public:
  explicit Gpu(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<Gpu, 64> socket{"socket"};
};
}  // namespace

int sc_main(int /*argc*/, char* /*argv*/[]) {
  namespace map = pmufab::platform::default_map;
  constexpr std::uint64_t kPmevcntr0 = map::kUcfPmuPage1;
  constexpr std::uint64_t kPmevtyper0 = map::kUcfPmuPage0 + 0x400, kPmevfiltr0 = map::kUcfPmuPage0 + 0xa00;
  constexpr std::uint64_t kPmcntenset = map::kUcfPmuPage0 + 0xc00, kPmcr = map::kUcfPmuPage0 + 0xe04;
  constexpr std::uint32_t kSlcAccessRead = 0x111, kLocalDevicesToLocalMemory = 0x101;

  pmufab::platform::Platform platform("platform", pmufab::platform::tegra410_platform());

  Gpu gpu("gpu");
  gpu.socket.bind(platform.get<pmufab::platform::Tegra410Part>().socket(0).requests);

  Software software("software", [&](Software& self) {
    self.write32(kPmevtyper0, kSlcAccessRead);
    self.write32(kPmevfiltr0, kLocalDevicesToLocalMemory);
    self.write32(kPmcntenset, 1);
    self.write32(kPmcr, 1);

    pmufab::FabricExtension extension;
    extension.requester = pmufab::RequesterKind::gpu;
    extension.opcode = pmufab::FabricOpcode::read_once;
    tlm::tlm_generic_payload payload;
    payload.set_extension(&extension);
    for (std::uint64_t line = 0; line < 100; ++line) {
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_address(map::kCmem + 64 * line);
      payload.set_data_length(64);
      payload.set_streaming_width(64);
      payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      sc_core::sc_time delay;
      gpu.socket->b_transport(payload, delay);
      sc_core::wait(delay);
      if (!payload.is_response_ok())
        self.expect("response to the GPU", tlm::TLM_OK_RESPONSE, payload.get_response_status());
    }
    payload.clear_extension(&extension);

    self.write32(kPmcr, 0);
    self.expect("reads counted", 100, self.read32(kPmevcntr0));
  });
  software.socket.bind(platform.bus().socket);
  sc_core::sc_start();
  return software.exit_code();
}
