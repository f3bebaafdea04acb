// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "testbench/run/process/descriptor.h"

namespace pmufab::cli {

/// The signals that ask a program to end.
inline constexpr std::array kEndSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/// Signals that ask the program to end: SIGINT, SIGQUIT, SIGTERM, and SIGHUP unless that is ignored, as under nohup.
/// From the construction to the end of the program they wait here instead of ending it. Children inherit that.
class EndSignals {
 public:
  struct Signal {
    int number;
    bool by_key;  ///< the terminal sent it, to every process of its foreground group
  };

  /// @throws std::system_error
  EndSignals();

  /// @return a file descriptor that can be read when a signal has come
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }
  /// @return the next signal; nothing if none has come
  [[nodiscard]] std::optional<Signal> take();

  /// In a child that becomes a program of the user: all signals end it again.
  static void let_go();

 private:
  /// Ignored when the program was started, as by a shell that starts it in the background: a key is not meant for it.
  bool keys_are_ignored_;
  process::Descriptor descriptor_;
};

}  // namespace pmufab::cli
