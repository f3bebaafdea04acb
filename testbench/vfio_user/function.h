// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::vfio_user {

/// What a function may do to the client, a virtual machine: interrupt it, and write its memory.
class Client {
 public:
  virtual ~Client() = default;
  /// Raise an interrupt. One the client has masked is remembered; one it did not ask for is lost.
  /// @param kind  an index of <linux/vfio.h>, for example kMsiX
  virtual void interrupt(unsigned kind, unsigned vector) = 0;
  /// Write to the client's address space, as a bus master. Nothing tells when, or whether, it has arrived.
  virtual void write_memory(std::uint64_t address, std::span<const std::uint8_t> data) = 0;
};

/// A PCI function that a vfio-user server shows: regions that can be read and written, and interrupts.
///
/// Accesses come one at a time, in the order in which the client made them. What a client gets wrong is found before:
/// they lie within the region, and are not empty nor longer than kLongestData.
class Function {
 public:
  virtual ~Function() = default;

  /// @param index  a region of <linux/vfio.h>: 0 ... 5 are the BARs, kConfigRegion configuration space
  /// @return bytes; 0: there is none
  [[nodiscard]] virtual std::uint64_t region_size(unsigned index) const = 0;
  /// @return how many interrupts of this kind there are
  [[nodiscard]] virtual unsigned interrupts(unsigned kind) const = 0;

  /// @return false if this cannot be read; the client gets an error
  virtual bool read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) = 0;
  /// @return false if this cannot be written; the client gets an error unless it wants no answer
  virtual bool write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) = 0;
  virtual void reset() = 0;

  /// A client has come, or gone (nullptr). One that has gone takes no more calls.
  virtual void connected(Client* client) = 0;
};

}  // namespace pmufab::vfio_user
