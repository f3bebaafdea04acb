// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/spec/spec_error.h"

namespace pmufab::platform {

struct PlatformSpec;
class PlatformPart;
using PlatformParts = std::vector<std::unique_ptr<PlatformPart>>;

/// What a part wants to have for itself on a platform. validate() compares it with what other parts want.
struct PartClaims {
  /// A range of addresses.
  struct Window {
    enum class Kind : std::uint8_t {
      registers,
      memory,   ///< the part itself compares it with other memory
      reserve,  ///< for registers: memory must leave it alone
    };
    std::string name;  ///< for messages: "registers of cmn0"
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    /// The key that places it, for messages. Empty: its place is fixed, and others must give way.
    std::string field{};
    Kind kind = Kind::registers;
  };
  /// A wired interrupt. Claims with the same owner share it.
  struct Interrupt {
    std::uint32_t number = 0;
    std::string owner;
    std::string field;
  };
  /// In the ACPI namespace: no two have the same identity.
  struct Device {
    std::string hid;
    std::string uid;   ///< of a CoreSight node: its instance
    std::string what;  ///< for messages: "the CoreSight node at 0x34000000"
    std::string field{};
  };
  /// A PCI segment.
  struct Segment {
    unsigned number = 0;
    std::string owner;       ///< for messages: "the CXL components"
    std::string field{};     ///< as that of a window
    std::string suggestion;  ///< for those who wanted it, too
  };
  std::vector<Window> windows{};
  std::vector<Interrupt> interrupts{};
  std::vector<Device> devices{};
  std::vector<Segment> segments{};
  /// Who wrote it could not see the platform's file: of two that want one thing, this is the mistaken one.
  bool gives_way = false;
};

/// What a platform has of one kind of fabric: plain data. Each kind derives from it.
class PartSpec {
 public:
  virtual ~PartSpec() = default;
  /// @param platform  that it is of
  /// @throws SpecError for the first thing that makes it impossible
  virtual void check(const PlatformSpec& platform) const = 0;
  [[nodiscard]] virtual PartClaims claims(const PlatformSpec& /*platform*/) const { return {}; }
  /// Make the hardware, if there is anything to make. @param parts  those made before, to which it is added
  virtual void make(const PlatformSpec& platform, PlatformParts& parts) const = 0;

 protected:
  PartSpec() = default;
  PartSpec(const PartSpec&) = default;
  PartSpec& operator=(const PartSpec&) = default;
};

inline constexpr unsigned kMaximumSockets = 4;

/// The content of a platform: plain data, made by hand or from a configuration file, checked by validate().
///
/// A platform is a set of sockets with CPUs, and parts: one for each kind of fabric that it has, at least one.
struct PlatformSpec {
  std::string name = "platform";
  unsigned sockets = 2;           ///< 1 ... kMaximumSockets
  unsigned cpus_per_socket = 88;  ///< parts may want a multiple of something
  /// In the order in which they are made. Described PMUs come after what they may count.
  std::vector<std::shared_ptr<const PartSpec>> parts{};

  /// @return the part of that class; nullptr if there is none.
  template <typename Spec>
  [[nodiscard]] const Spec* part() const {
    for (const auto& part : parts) {
      if (const auto* const found = dynamic_cast<const Spec*>(part.get())) return found;
    }
    return nullptr;
  }
  template <typename Spec>
  [[nodiscard]] bool has() const {
    return part<Spec>() != nullptr;
  }
  /// @return the part of that class, or one that has nothing.
  template <typename Spec>
  [[nodiscard]] const Spec& of() const {
    static const Spec none;
    const Spec* const found = part<Spec>();
    return found == nullptr ? none : *found;
  }
  /// @return the part of that class, to change it; a new one if there is none. Valid until the platform is copied.
  template <typename Spec>
  [[nodiscard]] Spec& edit() {
    for (auto& part : parts) {
      const auto* const found = dynamic_cast<const Spec*>(part.get());
      if (found == nullptr) continue;
      if (part.use_count() > 1) part = std::make_shared<Spec>(*found);
      return const_cast<Spec&>(static_cast<const Spec&>(*part));  // this platform's alone, and made by it
    }
    auto made = std::make_shared<Spec>();
    parts.push_back(made);
    return *made;
  }
};

/// Default places that fabrics share. Socket s owns the 16 TiB from s << kSocketShift; offsets are relative to that.
namespace default_map {
inline constexpr unsigned kSocketShift = 44;
inline constexpr std::uint64_t kSocketMemory = 0x80'0000'0000;     ///< 512 GiB for CPUs, unless a part places its own
inline constexpr std::uint64_t kPcieEcamOfSegment = 0x1000'0000;   ///< 256 MiB each
inline constexpr std::uint64_t kMessageDoorbell = 0x30'0000'0040;  ///< target of message-signalled interrupts
}  // namespace default_map

/// @return the address of an offset in what a socket owns.
[[nodiscard]] constexpr std::uint64_t address_in(unsigned socket, std::uint64_t offset) noexcept {
  return (std::uint64_t{socket} << default_map::kSocketShift) + offset;
}

/// @throws SpecError for the first thing that makes the platform impossible
void validate(const PlatformSpec& spec);

/// For checks of parts. @param hint  of what to do. @throws SpecError if a value is out of its range
void check_between(const std::string& field, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                   const std::string& hint = {});

}  // namespace pmufab::platform
