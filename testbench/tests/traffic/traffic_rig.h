// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <unistd.h>
#include <systemc>
#include <tlm>

#include "testbench/fabrics/tegra410/traffic/traffic_issuer.h"
#include "testbench/traffic/producers/producer.h"

namespace pmufab::traffic {

inline constexpr std::uint64_t kCmem0 = 0x80'0000'0000;
inline constexpr std::uint64_t kGmem0 = 0x200'0000'0000;
inline constexpr std::uint64_t kCmem1 = 0x1080'0000'0000;
inline constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 32;

/// Two sockets with CMEM, the first with GMEM, 4 GiB each.
inline std::vector<MemoryRange> two_sockets() {
  return {{kCmem0, kMemoryBytes, 0, MemoryClass::cmem},
          {kGmem0, kMemoryBytes, 0, MemoryClass::gmem},
          {kCmem1, kMemoryBytes, 1, MemoryClass::cmem}};
}

/// A target of `size` bytes at the start of socket 0's CMEM.
inline Target cmem(std::uint64_t size) {
  Target target;
  target.size = size;
  return target;
}

/// `count` reads of `pattern`, one each nanosecond.
inline GeneratorSpec generator(PatternKind pattern, std::uint64_t count, std::uint64_t target_size = 1 << 20) {
  GeneratorSpec spec;
  spec.name = "g";
  spec.targets = {cmem(target_size)};
  spec.pattern.kind = pattern;
  spec.pacing.requests_per_us = 1000;
  spec.phases.resize(1);
  spec.phases[0].count = count;
  return spec;
}

/// @return all requests that `spec` plans, generator by generator, up to `limit` each.
inline std::vector<Request> plan_of(const TrafficSpec& spec, std::size_t limit = 10'000'000) {
  std::vector<Request> all;
  for (const auto& producer : make_producers(spec, two_sockets(), 2)) {
    RequestSequence sequence(*producer);
    Request request{};
    for (std::size_t i = 0; i < limit && sequence.next(request); ++i) all.push_back(request);
  }
  return all;
}
inline std::vector<Request> plan_of(const GeneratorSpec& spec, std::size_t limit = 10'000'000) {
  TrafficSpec scenario;
  scenario.generators = {spec};
  return plan_of(scenario, limit);
}

/// A folder for the files of one test. It is removed at the end.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pmufab-traffic-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TestFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// @return the path of a new file with this content.
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A fabric that records requests, and answers after a latency that may depend on the request.
struct RecordingTarget : sc_core::sc_module {
  struct Seen {
    Picoseconds when;
    Picoseconds end;
    std::uint64_t address;
    std::uint32_t length;
    tlm::tlm_command command;
    FabricExtension extension;
  };

  explicit RecordingTarget(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &RecordingTarget::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    FabricExtension* extension = nullptr;
    payload.get_extension(extension);
    const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp() + delay);
    const Picoseconds taken = latency(when, payload.get_address());
    seen.push_back(
        {when, when + taken, payload.get_address(), payload.get_data_length(), payload.get_command(), *extension});
    delay += to_sc_time(taken);
    payload.set_response_status(payload.get_address() == bad_address ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                                     : tlm::TLM_OK_RESPONSE);
    if (on_request) on_request(when);
  }

  tlm_utils::simple_target_socket<RecordingTarget, 64> socket;
  std::function<Picoseconds(Picoseconds, std::uint64_t)> latency = [](Picoseconds, std::uint64_t) { return 0; };
  std::function<void(Picoseconds)> on_request;
  std::uint64_t bad_address = ~std::uint64_t{0};
  std::vector<Seen> seen;
};

}  // namespace pmufab::traffic
