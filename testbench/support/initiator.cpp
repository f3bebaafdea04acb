// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/initiator.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace pmufab::testing {

Initiator::Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}

AccessResult Initiator::transport(Access& access) {
  tlm::tlm_generic_payload payload;
  const auto length = static_cast<unsigned>(access.data.size());
  payload.set_command(access.command);
  payload.set_address(access.address);
  payload.set_data_ptr(access.data.data());
  payload.set_data_length(length);
  payload.set_streaming_width(access.streaming_width != 0 ? access.streaming_width : length);
  if (!access.byte_enables.empty()) {
    payload.set_byte_enable_ptr(access.byte_enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(access.byte_enables.size()));
  }
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = to_sc_time(access.delay);
  socket->b_transport(payload, delay);

  AccessResult result{payload.get_response_status(), 0, to_picoseconds(delay), payload.is_dmi_allowed()};
  if (access.command == tlm::TLM_READ_COMMAND && length != 0)
    std::memcpy(&result.data, access.data.data(), std::min<std::size_t>(length, sizeof result.data));
  if (wait_for_delay && delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  return result;
}

AccessResult Initiator::read(std::uint64_t address, unsigned length) {
  Access access{.command = tlm::TLM_READ_COMMAND, .address = address, .data = std::vector<std::uint8_t>(length)};
  return transport(access);
}

AccessResult Initiator::write(std::uint64_t address, std::uint64_t data, unsigned length) {
  Access access{.command = tlm::TLM_WRITE_COMMAND, .address = address, .data = std::vector<std::uint8_t>(length)};
  if (length != 0) std::memcpy(access.data.data(), &data, std::min<std::size_t>(length, sizeof data));
  return transport(access);
}

std::uint32_t Initiator::get32(std::uint64_t address) {
  const AccessResult result = read32(address);
  EXPECT_EQ(result.status, tlm::TLM_OK_RESPONSE) << "4-byte read at 0x" << std::hex << address;
  return static_cast<std::uint32_t>(result.data);
}

std::uint64_t Initiator::get64(std::uint64_t address) {
  const AccessResult result = read64(address);
  EXPECT_EQ(result.status, tlm::TLM_OK_RESPONSE) << "8-byte read at 0x" << std::hex << address;
  return result.data;
}

void Initiator::put32(std::uint64_t address, std::uint32_t data) {
  EXPECT_EQ(write32(address, data).status, tlm::TLM_OK_RESPONSE) << "4-byte write at 0x" << std::hex << address;
}

void Initiator::put64(std::uint64_t address, std::uint64_t data) {
  EXPECT_EQ(write64(address, data).status, tlm::TLM_OK_RESPONSE) << "8-byte write at 0x" << std::hex << address;
}

namespace {
unsigned debug(tlm_utils::simple_initiator_socket<Initiator, 64>& socket, tlm::tlm_command command,
               std::uint64_t address, std::uint8_t* data, unsigned length) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(length);
  return socket->transport_dbg(payload);
}
}  // namespace

unsigned Initiator::debug_read(std::uint64_t address, std::uint64_t& data, unsigned length) {
  std::vector<std::uint8_t> bytes(length);
  const unsigned moved = debug(socket, tlm::TLM_READ_COMMAND, address, bytes.data(), length);
  data = 0;
  if (length != 0) std::memcpy(&data, bytes.data(), std::min<std::size_t>(length, sizeof data));
  return moved;
}

unsigned Initiator::debug_write(std::uint64_t address, std::uint64_t data, unsigned length) {
  std::vector<std::uint8_t> bytes(length);
  if (length != 0) std::memcpy(bytes.data(), &data, std::min<std::size_t>(length, sizeof data));
  return debug(socket, tlm::TLM_WRITE_COMMAND, address, bytes.data(), length);
}

bool Initiator::dmi(std::uint64_t address, tlm::tlm_command command) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  tlm::tlm_dmi dmi;
  return socket->get_direct_mem_ptr(payload, dmi);
}

}  // namespace pmufab::testing
