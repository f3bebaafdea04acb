// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/process/descriptor.h"
#include "testbench/vfio_user/function.h"
#include "testbench/vfio_user/protocol.h"

namespace pmufab::vfio_user {

using process::Descriptor;

/// A conversation with one client, from its first message on, without the socket: takes whole messages, and leaves what
/// is to be sent in output().
///
/// A message that cannot be done is answered with an errno (EINVAL for what makes no sense, ENOTSUP for what this
/// server does not do), unless the client wants no answer; it changes nothing. One after which nothing can be believed,
/// such as no version at the beginning, ends the conversation.
class Session final : public Client {
 public:
  explicit Session(Function& function);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// @param payload      what follows the header
  /// @param descriptors  that came with it
  /// @return false if the conversation is over; error() says why
  bool handle(const Header& header, std::span<const std::uint8_t> payload, std::vector<Descriptor> descriptors);
  /// @return why this header ends the conversation; nothing if its message may be read
  [[nodiscard]] static std::optional<std::string> reject(const Header& header);

  void interrupt(unsigned kind, unsigned vector) override;
  void write_memory(std::uint64_t address, std::span<const std::uint8_t> data) override;

  /// Bytes to be sent; whoever sends them takes them out.
  [[nodiscard]] std::vector<std::uint8_t>& output() noexcept { return output_; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

  /// Client ranges of memory at present.
  [[nodiscard]] std::size_t dma_maps() const noexcept { return maps_.size(); }
  /// Writes of the client's memory that it has not answered yet.
  [[nodiscard]] std::uint64_t unanswered_writes() const noexcept { return unanswered_; }
  /// Writes of the client's memory that were refused.
  [[nodiscard]] std::uint64_t refused_writes() const noexcept { return refused_writes_; }

 private:
  struct Vector {
    Descriptor event;
    bool masked = false;
    bool pending = false;
  };
  using Payload = std::span<const std::uint8_t>;

  /// @return an errno, or 0. What it appended to output_ is the payload of the answer.
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
  bool answering_ = false;               // an answer is being put together at the end of output_
  std::vector<std::uint8_t> postponed_;  // until it is complete
  std::uint16_t next_id_ = 0;
  std::uint64_t unanswered_ = 0;  // writes of the client's memory
  std::uint64_t refused_writes_ = 0;
  std::string error_;
};

}  // namespace pmufab::vfio_user
