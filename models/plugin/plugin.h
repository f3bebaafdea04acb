// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Distributions build SystemC as C++17, and put that into the name of a symbol which every library refers to. So code in
// a newer language must say so, too, before it includes SystemC.
#ifndef SC_CPLUSPLUS
#define SC_CPLUSPLUS 201703L
#endif
#include <systemc>
#include <tlm>

/// The interface of plug-ins: shared libraries that bring parts of a platform. It needs SystemC and TLM-2.0, and
/// nothing else of pmufab: a plug-in is compiled with this header and linked with SystemC alone.
/// docs/platforms/plug-ins.md walks through it.
namespace pmufab::plugin {

/// The version of everything in this header. pmufab refuses plug-ins that were compiled with another one.
inline constexpr std::uint32_t kInterfaceVersion = 1;

/// The attributes that a source may have.
inline constexpr unsigned kMostAttributes = 8;

/// Something that happens at a source.
struct Occurrence {
  /// Values, in the order in which the source was declared.
  std::array<std::uint64_t, kMostAttributes> attributes{};
  sc_core::sc_time duration = sc_core::SC_ZERO_TIME;  ///< it is outstanding for so long
  std::uint64_t repeat = 1;                           ///< it happens so many times at once
};

/// What PMUs count, on one socket. Described PMUs of the platform name it as `source`. Everything happens now, at
/// sc_time_stamp(): call it from a process, or while an access is served.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// The truth: something has crossed the boundary of the fabric. The scoreboard hears this, and nothing else.
  virtual void witness(const Occurrence& occurrence) = 0;
  /// What the fabric's event wires say. The PMUs count this, and nothing else.
  virtual void signal(const Occurrence& occurrence) = 0;
  /// Both, for a fabric whose event wires are right.
  void happen(const Occurrence& occurrence) {
    witness(occurrence);
    signal(occurrence);
  }
};

/// A wired interrupt.
class Interrupt {
 public:
  Interrupt() = default;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  virtual ~Interrupt() = default;

  /// Drive the line, now. An edge is the change from low to high.
  virtual void drive(bool high) = 0;
};

enum class Trigger : std::uint8_t { level, edge };

/// A register in a window, for dumps and traces. Its value is read by debug transport (transport_dbg) of the window's
/// target; without that the reset value is shown.
struct Register {
  std::string name;
  std::uint32_t offset = 0;  ///< from the window's base, a multiple of its bytes
  unsigned bits = 32;        ///< 32 or 64
  bool writable = true;      ///< by software
  std::uint64_t reset = 0;
  std::string meaning{};  ///< in a few words
};

/// A range of physical addresses that leads to a target. The target sees addresses from 0 on.
struct Window {
  std::string name;  ///< within the plug-in
  std::uint64_t base = 0;
  std::uint64_t size = 0;  ///< bytes
  std::vector<Register> registers{};
};

/// A range of physical addresses, as firmware tells it.
struct MemoryRange {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

/// A device that firmware describes to software, in the ACPI namespace.
struct Device {
  std::string hid;  ///< hardware id: "ACME0002"
  std::string uid = "0";
  std::vector<MemoryRange> memory{};
  std::vector<std::uint32_t> interrupts{};  ///< numbers that Host::interrupt() has given
  std::map<std::string, std::uint32_t> properties{};
  std::optional<unsigned> node{};  ///< the socket it is near
};

/// A CoreSight PMU whose registers are the plug-in's own: a node of the ACPI APMT table.
struct CoreSightNode {
  std::string hid;             ///< eight characters: Linux calls it arm_cspmu_acpi_<hid>_<instance>
  std::uint32_t instance = 0;  ///< among the nodes with this hid
  unsigned socket = 0;
  std::uint64_t base = 0;                    ///< of page 0, 4 KiB
  std::optional<std::uint64_t> page1{};      ///< counters on a page of their own
  std::optional<std::uint32_t> interrupt{};  ///< a number that Host::interrupt() has given
  bool atomic_64bit = true;                  ///< counters can be read in one access
  std::uint32_t implementation_id = 0;       ///< that firmware gives in place of PMIIDR, if not 0
};

/// pmufab, as the function that makes the plug-in sees it. It lives as long as the plug-in. What is impossible throws
/// std::invalid_argument: let it pass.
///
/// The function is called twice: in a process that finds out what the plug-in has, and in that which simulates. It must
/// declare the same both times, and act by nothing but what this interface tells it.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  [[nodiscard]] virtual unsigned sockets() const = 0;
  [[nodiscard]] virtual unsigned cpus_per_socket() const = 0;

  /// @return a value of the platform's `plugin_parameters`, or what it is without one. A parameter that the plug-in
  ///         does not ask for is refused.
  [[nodiscard]] virtual std::string text(const std::string& name, const std::string& otherwise) = 0;
  /// The same of a whole number from `least` to `most`: 100, 0x2000_0000.
  [[nodiscard]] virtual std::uint64_t number(const std::string& name, std::uint64_t otherwise, std::uint64_t least = 0,
                                             std::uint64_t most = ~std::uint64_t{0}) = 0;

  /// Lead accesses in a range of addresses to a target: of any module, bound to nothing else.
  virtual void map(const Window& window, tlm::tlm_base_target_socket_b<32>& target) = 0;
  virtual void map(const Window& window, tlm::tlm_base_target_socket_b<64>& target) = 0;
  /// @param number  GSIV, which nothing else on the platform has
  virtual Interrupt& interrupt(std::uint32_t number, Trigger trigger) = 0;
  virtual void device(const Device& device) = 0;
  virtual void coresight_node(const CoreSightNode& node) = 0;

  /// Declare a source, which each socket has, or ask for it again.
  /// @param attributes  at most kMostAttributes names
  /// @return that of a socket
  virtual Source& source(const std::string& name, const std::vector<std::string>& attributes, unsigned socket = 0) = 0;
};

/// What a plug-in has made. Its modules are its members, or below.
class Plugin {
 public:
  Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  virtual ~Plugin() = default;

  /// @return whether it lets things happen of its own. A scenario on it needs a duration.
  [[nodiscard]] virtual bool has_traffic() const { return false; }
  /// Let traffic begin now, from a process. @param seed  of all that is random: same seed, same traffic
  virtual void start_traffic([[maybe_unused]] std::uint64_t seed) {}
  /// Let it end now.
  virtual void stop_traffic() {}
  /// Warm reset: registers and interrupt lines get their reset values.
  virtual void reset() {}
};

/// What a plug-in's library says of itself. The order of the first four members is that of all versions.
struct Descriptor {
  std::uint32_t interface_version;  ///< kInterfaceVersion
  std::uint32_t unused;
  const char* systemc;  ///< kSystemC: the version it was compiled with
  const char* abi;      ///< kAbi
  const char* name;     ///< of the plug-in
  /// Keys of the platform that the library is by itself, as a platform file has them, without `plugin`: described PMUs
  /// that count its sources, for example. Null: none.
  const char* platform;
  /// Makes the plug-in, during elaboration. Modules it makes belong to the platform. May throw.
  Plugin* (*make)(Host& host);
};

#define PMUFAB_PLUGIN_TEXT(x) #x
#define PMUFAB_PLUGIN_VALUE(x) PMUFAB_PLUGIN_TEXT(x)
/// The version of SystemC in use here.
inline constexpr const char* kSystemC = PMUFAB_PLUGIN_VALUE(SC_VERSION_MAJOR) "." PMUFAB_PLUGIN_VALUE(
    SC_VERSION_MINOR) "." PMUFAB_PLUGIN_VALUE(SC_VERSION_PATCH);
/// What decides how objects of the standard library and of SystemC look in memory.
#if defined(_GLIBCXX_DEBUG)
inline constexpr const char* kAbi = "libstdc++ (debug mode), SystemC of C++ " PMUFAB_PLUGIN_VALUE(SC_CPLUSPLUS);
#elif defined(_LIBCPP_VERSION)
inline constexpr const char* kAbi = "libc++, SystemC of C++ " PMUFAB_PLUGIN_VALUE(SC_CPLUSPLUS);
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* kAbi = "libstdc++ (C++11), SystemC of C++ " PMUFAB_PLUGIN_VALUE(SC_CPLUSPLUS);
#else
inline constexpr const char* kAbi = "libstdc++ (before C++11), SystemC of C++ " PMUFAB_PLUGIN_VALUE(SC_CPLUSPLUS);
#endif

/// The one function that a plug-in's library exports.
inline constexpr const char* kSymbol = "pmufab_plugin";
using Entry = const Descriptor* (*)();

}  // namespace pmufab::plugin

/// Make a shared library a plug-in; once, outside of namespaces.
/// @param NAME      text
/// @param PLATFORM  text or nullptr: Descriptor::platform
/// @param MAKE      a function: pmufab::plugin::Plugin* (pmufab::plugin::Host&)
#define PMUFAB_PLUGIN(NAME, PLATFORM, MAKE)                                                                          \
  extern "C" __attribute__((visibility("default"))) const pmufab::plugin::Descriptor* pmufab_plugin() {              \
    static const pmufab::plugin::Descriptor descriptor = {                                                           \
        pmufab::plugin::kInterfaceVersion, 0, pmufab::plugin::kSystemC, pmufab::plugin::kAbi, NAME, PLATFORM, MAKE}; \
    return &descriptor;                                                                                              \
  }
