// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::scenario {

/// What becomes of an interrupt on its way from a device to the CPUs.
struct InterruptFate {
  enum class Kind : std::uint8_t { arrives, lost, late, held, doubled };
  Kind kind = Kind::arrives;
  Picoseconds delay = 0;            ///< late: how much; doubled: from the first to the second
  const void* holder = nullptr;     ///< held: who will let it go
  std::function<void()> doubled{};  ///< called when it has come once more. It does not if it is still pending then
};

/// The wires and messages between devices and the interrupt controller, each cut in two.
class InterruptPaths {
 public:
  /// @param fate  asked for every interrupt of a device, by its number
  explicit InterruptPaths(std::function<InterruptFate(std::uint32_t number)> fate) : fate_(std::move(fate)) {}
  InterruptPaths& operator=(InterruptPaths&&) = delete;

  /// @return the description with the CPUs' ends of all paths in place of the devices'
  [[nodiscard]] platform::FirmwareDescription cut(platform::FirmwareDescription firmware);

  /// Call `listener` when a device drives its line, or sends a message, whatever becomes of it on the way.
  /// @param source  name of the line or message
  /// @param high    what the line is now; of a message true
  using Listener = std::function<void(std::uint32_t number, const std::string& source, bool high)>;
  void listen(Listener listener) { listener_ = std::move(listener); }

  /// Every number that a path may carry.
  [[nodiscard]] std::vector<std::uint32_t> numbers() const;

  /// Let an interrupt arrive that no device has sent. @return false if it is pending anyway
  bool pretend(std::uint32_t number);
  /// The handlers of a number that pretend() made high have been called.
  void handled(const std::function<bool(std::uint32_t number)>& is_of);
  /// Let all arrive that `holder` holds, and no others.
  void release(const void* holder);
  /// Nothing arrives any more that was held back or delayed.
  void forget();

 private:
  struct Line {
    std::uint32_t number;
    InterruptLine* real;
    std::unique_ptr<InterruptLine> shown;
    bool pretended = false;
    const void* holder = nullptr;  // null: it is not held
    std::uint64_t rises = 0;
  };
  struct Message {
    MessageInterrupt* real;
    std::unique_ptr<MessageInterrupt> shown;
  };
  struct HeldMessage {
    MessageInterrupt* shown;
    std::uint64_t address;
    std::uint32_t number;
    const void* holder;
  };
  InterruptLine* cut(platform::InterruptResource resource);
  void on_line(Line& line, bool high);
  void on_message(MessageInterrupt& shown, std::uint64_t address, std::uint32_t number);
  static void arrive(Line& line);
  static bool pretend(Line& line);
  void later(Picoseconds delay, std::function<void()> action);
  void come();

  std::function<InterruptFate(std::uint32_t)> fate_;
  Listener listener_;
  std::deque<Line> lines_;  // elements keep their addresses
  std::deque<Message> messages_;
  platform::MessageInterruptDoorbell doorbell_;
  std::vector<HeldMessage> held_;
  std::multimap<Picoseconds, std::function<void()>> delayed_;  // by when it comes
  std::unique_ptr<Alarm> alarm_;                               // for the first of these
};

}  // namespace pmufab::scenario
