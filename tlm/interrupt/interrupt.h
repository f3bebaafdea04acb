// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <systemc>

namespace pmufab {

/// How a line signals: by its level, or by its rising edge.
enum class InterruptTrigger : std::uint8_t { level, edge };

/// One wired interrupt from a device to an interrupt controller.
///
/// The device drives the level. The listener is called for each change, in the same delta cycle, at simulated time
/// sc_time_stamp(). Drive the line from a process or an event callback at the instant of the change, not ahead of time.
/// Level sources stay high until the device drops them; an edge is the change from low to high.
class InterruptLine {
 public:
  using Listener = std::function<void(bool high)>;

  explicit InterruptLine(std::string name, InterruptTrigger trigger = InterruptTrigger::level)
      : name_(std::move(name)), trigger_(trigger) {}
  InterruptLine& operator=(InterruptLine&&) = delete;

  /// Drive the line. Driving it to its present level does nothing.
  void drive(bool high);
  /// Set the one listener. It is called at once if the line is high.
  void listen(Listener listener);

  [[nodiscard]] bool is_high() const noexcept { return high_; }
  [[nodiscard]] InterruptTrigger trigger() const noexcept { return trigger_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// @return the number of changes from low to high since construction.
  [[nodiscard]] std::uint64_t rising_edges() const noexcept { return rising_edges_; }

 private:
  std::string name_;
  InterruptTrigger trigger_;
  bool high_ = false;
  std::uint64_t rising_edges_ = 0;
  Listener listener_;
};

/// A message-signalled interrupt: the device writes `data` to `address`. Delivered as one call, at sc_time_stamp().
class MessageInterrupt {
 public:
  using Listener = std::function<void(std::uint64_t address, std::uint32_t data)>;

  explicit MessageInterrupt(std::string name) : name_(std::move(name)) {}
  MessageInterrupt& operator=(MessageInterrupt&&) = delete;

  /// Send one message. Without a listener the message is lost, but still counted as sent.
  void send(std::uint64_t address, std::uint32_t data);
  void listen(Listener listener) { listener_ = std::move(listener); }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

 private:
  std::string name_;
  std::uint64_t sent_ = 0;
  Listener listener_;
};

}  // namespace pmufab
