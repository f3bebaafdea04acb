// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/doors/vfio_user/function.h"
#include "testbench/doors/vfio_user/protocol.h"
#include "testbench/run/process/descriptor.h"

namespace pmufab::vfio_user {

using process::Descriptor;

/// A session with one client, from its first message on, without the socket. It takes whole messages, and puts what is
/// to be sent into output().
///
/// A message that cannot be done is answered with an errno, unless the client wants no answer: EINVAL if it makes no
/// sense, ENOTSUP if this server does not support it. It changes nothing. A message that makes the rest unreliable,
/// such as a missing version at the beginning, ends the session.
class Session final : public Client {
 public:
  explicit Session(Function& function);
  ~Session() override;
  Session& operator=(Session&&) = delete;

  /// @param payload      the bytes after the header
  /// @param descriptors  received with it
  /// @return false if the session is over; error() says why
  bool handle(const Header& header, std::span<const std::uint8_t> payload, std::vector<Descriptor> descriptors);
  /// @return why this header ends the session; nothing if its message may be read
  [[nodiscard]] static std::optional<std::string> reject(const Header& header);

  void interrupt(unsigned kind, unsigned vector) override;
  void write_memory(std::uint64_t address, std::span<const std::uint8_t> data) override;

  /// Bytes to send. The sender removes them.
  [[nodiscard]] std::vector<std::uint8_t>& output() noexcept { return output_; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

  /// @return the client's present number of memory ranges.
  [[nodiscard]] std::size_t dma_maps() const noexcept { return maps_.size(); }
  /// @return the number of writes to the client's memory that are not answered yet.
  [[nodiscard]] std::uint64_t unanswered_writes() const noexcept { return unanswered_; }
  /// @return the number of writes to the client's memory that were refused.
  [[nodiscard]] std::uint64_t refused_writes() const noexcept { return refused_writes_; }

 private:
  struct Vector {
    Descriptor event;
    bool masked = false;
    bool pending = false;
  };
  using Payload = std::span<const std::uint8_t>;

  /// @return an errno, or 0. Bytes appended to output_ are the payload of the answer.
  int perform(Command command, Payload payload, std::vector<Descriptor>& descriptors);
  int map(Payload payload);
  int unmap(Payload payload);
  int tell_device(Payload payload);
  int tell_region(Payload payload);
  int tell_interrupts(Payload payload);
  int set_interrupts(Payload payload, std::vector<Descriptor>& descriptors);
  int read_region(Payload payload);
  int write_region(Payload payload);
  int write_many(Payload payload);
  [[nodiscard]] bool is_inside(const RegionAccess& access) const;
  bool agree(const Header& header, Payload payload);
  void answer(const Header& header, std::size_t begin, int error);
  void fire(Vector& vector);
  template <typename T>
  void append(const T& value);

  Function& function_;
  bool agreed_ = false;
  std::array<std::vector<Vector>, kIrqKinds> vectors_;
  std::map<std::uint64_t, std::uint64_t> maps_;  // size by address
  std::vector<std::uint8_t> output_;
  bool answering_ = false;               // an answer is being built at the end of output_
  std::vector<std::uint8_t> postponed_;  // output that waits until it is complete
  std::uint16_t next_id_ = 0;
  std::uint64_t unanswered_ = 0;  // writes to the client's memory
  std::uint64_t refused_writes_ = 0;
  std::string error_;
};

}  // namespace pmufab::vfio_user
