// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"

#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"

#include <gtest/gtest.h>

namespace pmufab::testing {

namespace {

std::uint64_t place(unsigned socket, std::uint64_t offset, std::uint64_t line) {
  return (std::uint64_t{socket} << 44) + offset + line * 64;
}

tlm::tlm_command command_of(FabricOpcode opcode) {
  switch (opcode) {
    case FabricOpcode::read_shared:
    case FabricOpcode::read_unique:
    case FabricOpcode::read_once:
      return tlm::TLM_READ_COMMAND;
    case FabricOpcode::evict:
    case FabricOpcode::clean_unique:
    case FabricOpcode::clean_invalid:
      return tlm::TLM_IGNORE_COMMAND;
    default:
      return tlm::TLM_WRITE_COMMAND;
  }
}

constexpr const char* kSourceNames[] = {"noncpu", "cpu", "rem"};
constexpr const char* kDestinationNames[] = {"cmem", "gmem", "cxl", "rem"};

}  // namespace

platform::PlatformSpec small_spec(unsigned sockets) {
  platform::PlatformSpec spec = platform::tegra410_platform();
  spec.sockets = sockets;
  spec.cpus_per_socket = 4;
  spec.edit<platform::Tegra410Spec>().clusters = 4;
  spec.edit<platform::Tegra410Spec>().private_cache.size = 256;
  spec.edit<platform::Tegra410Spec>().private_cache.ways = 2;
  spec.edit<platform::Tegra410Spec>().slc.slices = 2;
  spec.edit<platform::Tegra410Spec>().slc.sets = 2;
  spec.edit<platform::Tegra410Spec>().slc.ways = 2;
  auto& complexes = spec.edit<platform::Tegra410Spec>().pcie.root_complexes.emplace();
  for (unsigned socket = 0; socket < sockets; ++socket)
    complexes.push_back({.socket = socket, .number = 0, .root_ports = {{.number = 0, .bus = 0, .devices = {}}}});
  return spec;
}

std::uint64_t cmem(unsigned socket, std::uint64_t line) { return place(socket, 0x80'0000'0000, line); }
std::uint64_t gmem(unsigned socket, std::uint64_t line) { return place(socket, 0x200'0000'0000, line); }
std::uint64_t cxl(unsigned socket, std::uint64_t line) { return place(socket, 0x400'0000'0000, line); }

Rig::Rig(const platform::PlatformSpec& spec, const sc_core::sc_module_name& name)
    : sc_core::sc_module(name), platform("platform", spec), cpu("cpu") {
  cpu.socket.bind(platform.bus().socket);
  cpu.wait_for_delay = false;
  for (unsigned socket = 0; socket < platform.sockets(); ++socket) {
    ports_.push_back(std::make_unique<Ports>());
    ports_.back()->cpu_access.bind(platform.get<platform::Tegra410Part>().socket(socket).cpu_access);
    ports_.back()->requests.bind(platform.get<platform::Tegra410Part>().socket(socket).requests);
    for (unsigned event = 0; event < tegra410::kUcfEventCount; ++event) {
      const auto which = static_cast<tegra410::UcfEvent>(event);
      Probe& probe = platform.get<platform::Tegra410Part>().socket(socket).ucf().probe(which);
      logs_.push_back(std::make_unique<ProbeLog>(
          probe, [this, socket, &probe](std::uint64_t amount, unsigned qualifier, Picoseconds) {
            heard(socket, probe.name(), amount, qualifier);
          }));
    }
  }
}

Rig::~Rig() = default;

void Rig::heard(unsigned socket, const std::string& name, std::uint64_t amount, unsigned qualifier) {
  const std::string event = name.substr(name.rfind('.') + 1);
  EXPECT_EQ(name.substr(0, 8), "socket" + std::to_string(socket) + ".");
  ASSERT_LT(qualifier, 12U);
  counts_[std::to_string(socket) + " " + event + " " + kSourceNames[qualifier / 4] + ">" +
          kDestinationNames[qualifier % 4]] += amount;
}

Rig::Counts Rig::take() {
  Counts taken;
  taken.swap(counts_);
  std::erase_if(taken, [](const auto& entry) { return entry.second == 0; });
  return taken;
}

Rig::Answer Rig::transport(tlm::tlm_generic_payload& payload, unsigned socket, bool cpu_access, Picoseconds delay) {
  sc_core::sc_time time = to_sc_time(delay);
  const sc_core::sc_time arrival = sc_core::sc_time_stamp() + time;
  Ports& ports = *ports_.at(socket);
  if (cpu_access) {
    ports.cpu_access->b_transport(payload, time);
  } else {
    ports.requests->b_transport(payload, time);
  }
  return {payload.get_response_status(), to_picoseconds(sc_core::sc_time_stamp() + time - arrival)};
}

Rig::Answer Rig::send(const Ask& ask) {
  tlm::tlm_generic_payload payload;
  FabricExtension extension;
  extension.opcode = ask.opcode;
  extension.requester = ask.kind;
  extension.socket = static_cast<std::uint8_t>(ask.socket);
  extension.requester_id = static_cast<std::uint16_t>(ask.cluster);
  extension.root_complex = static_cast<std::uint8_t>(ask.root_complex);
  extension.root_port = static_cast<std::uint8_t>(ask.root_port);
  extension.bdf = ask.bdf;
  payload.set_command(command_of(ask.opcode));
  payload.set_address(ask.address);
  payload.set_data_length(ask.length);
  payload.set_streaming_width(ask.length);
  payload.set_extension(&extension);
  const Answer answer = transport(payload, ask.socket, false, ask.delay);
  payload.clear_extension(&extension);
  return answer;
}

Picoseconds Rig::request(const Ask& ask) {
  const Answer answer = send(ask);
  EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE) << to_string(ask.opcode);
  return answer.latency;
}

Picoseconds Rig::access(unsigned socket, unsigned cluster, std::uint64_t address, tlm::tlm_command command) {
  tlm::tlm_generic_payload payload;
  FabricExtension extension;
  extension.requester = RequesterKind::cpu;
  extension.socket = static_cast<std::uint8_t>(socket);
  extension.requester_id = static_cast<std::uint16_t>(cluster);
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  payload.set_extension(&extension);
  const Answer answer = transport(payload, socket, true);
  payload.clear_extension(&extension);
  EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
  return answer.latency;
}

Picoseconds Rig::load(unsigned socket, unsigned cluster, std::uint64_t address) {
  return access(socket, cluster, address, tlm::TLM_READ_COMMAND);
}

Picoseconds Rig::store(unsigned socket, unsigned cluster, std::uint64_t address) {
  return access(socket, cluster, address, tlm::TLM_WRITE_COMMAND);
}

UcfPmuRegisters::UcfPmuRegisters(Rig& rig, unsigned socket)
    : rig_(rig),
      pages_{(std::uint64_t{socket} << 44) + 0x1000'0000, (std::uint64_t{socket} << 44) + 0x1000'1000},
      wide_(rig.platform.spec().of<platform::Tegra410Spec>().ucf_pmu.width > 32) {
  if (!rig.platform.spec().of<platform::Tegra410Spec>().ucf_pmu.dual_page) pages_[1] = pages_[0];
}

void UcfPmuRegisters::program(unsigned counter, std::uint32_t event, std::uint32_t filter) {
  put(0, 0x400 + 4 * counter, event);
  put(0, 0xa00 + 4 * counter, filter);
}

std::uint64_t UcfPmuRegisters::counter(unsigned counter) {
  if (!wide_) return get(1, 4 * counter);
  return get(1, 8 * counter) | std::uint64_t{get(1, 8 * counter + 4)} << 32;
}

void UcfPmuRegisters::set_counter(unsigned counter, std::uint64_t value) {
  if (!wide_) return put(1, 4 * counter, static_cast<std::uint32_t>(value));
  put(1, 8 * counter, static_cast<std::uint32_t>(value));
  put(1, 8 * counter + 4, static_cast<std::uint32_t>(value >> 32));
}

std::uint32_t UcfPmuRegisters::get(unsigned page, std::uint32_t offset) {
  return rig_.cpu.get32(pages_[page] + offset);
}

void UcfPmuRegisters::put(unsigned page, std::uint32_t offset, std::uint32_t value) {
  rig_.cpu.put32(pages_[page] + offset, value);
}

}  // namespace pmufab::testing
