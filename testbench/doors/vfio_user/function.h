// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::vfio_user {

/// What a function can do to its client, a virtual machine: interrupt it, and write its memory.
class Client {
 public:
  virtual ~Client() = default;
  /// Raise an interrupt. If the client has masked it, it stays pending; if the client did not enable it, it is lost.
  /// @param kind  an index of <linux/vfio.h>, for example kMsiX
  virtual void interrupt(unsigned kind, unsigned vector) = 0;
  /// Write to the client's address space, as a bus master. There is no notice of arrival or failure.
  virtual void write_memory(std::uint64_t address, std::span<const std::uint8_t> data) = 0;
};

/// A PCI function behind a vfio-user server: regions that can be read and written, and interrupts.
///
/// Accesses come one at a time, in the order in which the client made them. The server checks them first: they lie
/// within the region, are not empty, and are not longer than kLongestData.
class Function {
 public:
  virtual ~Function() = default;

  /// @param index  a region of <linux/vfio.h>: 0 ... 5 are the BARs, kConfigRegion configuration space
  /// @return its bytes; 0: absent
  [[nodiscard]] virtual std::uint64_t region_size(unsigned index) const = 0;
  /// @return the number of interrupts of this kind
  [[nodiscard]] virtual unsigned interrupts(unsigned kind) const = 0;

  /// @return false if this cannot be read; the client then gets an error
  virtual bool read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) = 0;
  /// @return false if this cannot be written; the client then gets an error, unless it wants no answer
  virtual bool write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) = 0;
  virtual void reset() = 0;

  /// A client has connected, or disconnected (nullptr). A disconnected client takes no more calls.
  virtual void connected(Client* client) = 0;
};

}  // namespace pmufab::vfio_user
