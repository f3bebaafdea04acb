// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/program_options.hpp>

#include "testbench/fabrics/plugin/scenario/plugin_probe.h"
#include "testbench/run/session/scenario_spec.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/end_signals.h"

namespace pmufab::cli {

/// A simulator in a process that ends with its parent.
class Simulator {
 public:
  enum class State : std::uint8_t {
    ready,    ///< it serves
    failed,   ///< it has printed why it does not, and has ended
    stopped,  ///< a signal came before it served
  };
  Simulator(EndSignals& signals, pid_t pid, int stop, State state, scenario::CrashPlace crash)
      : signals_(signals), pid_(pid), stop_(stop), state_(state), crash_(std::move(crash)) {}
  Simulator(Simulator&& other) noexcept
      : signals_(other.signals_),
        pid_(std::exchange(other.pid_, -1)),
        stop_(std::exchange(other.stop_, -1)),
        state_(other.state_),
        crash_(std::move(other.crash_)) {}
  ~Simulator() {
    if (pid_ > 0) static_cast<void>(end(true));
  }
  Simulator& operator=(Simulator&&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] State state() const noexcept { return state_; }

  struct End {
    int status;           ///< from waitpid()
    bool stopped;         ///< by a signal, now or before
    bool killed;          ///< because it did not end soon after that
    std::string place{};  ///< where in a plug-in it has crashed; empty: not known
  };
  /// Ask it to end, and wait for it. Once a signal has come, it has five seconds to end, and is killed at the next one
  /// that comes a second later.
  /// @param stopped  a signal has come
  [[nodiscard]] End end(bool stopped);

 private:
  EndSignals& signals_;
  pid_t pid_;
  int stop_;  // data in it, or its end, asks the simulator to end
  State state_;
  scenario::CrashPlace crash_;
};

/// Start a simulator in its own session, so that it does not get the terminal's signals. It keeps those of `signals`
/// waiting, and ends when it is told to.
/// @param folder  removed by the simulator if its parent is killed
/// @param work    gets a file descriptor that tells it to end, and a function to call when it serves; returns an exit
///                code
[[nodiscard]] Simulator start_simulator(
    const std::filesystem::path& folder, EndSignals& signals,
    const std::function<int(int stop, const std::function<void()>& on_ready)>& work);

/// If the simulator died and has not printed why, print it. @param ended  its journal has an end
/// @return an exit code if it did not finish
[[nodiscard]] std::optional<int> check_simulator(const Simulator::End& end, bool ended);

/// Say that a signal has ended the program before its time.
void print_stopped();

/// @return --traffic, --seed and --set
[[nodiscard]] Options platform_options();
/// @return the scenario of those options and the platform. It measures nothing, because other programs do.
[[nodiscard]] scenario::ScenarioSpec scenario_of(const boost::program_options::variables_map& map,
                                                 const std::string& platform, const std::string& name);

/// @param option  whose value it is, for the message
/// @throws scenario::InputError unless it is a number from 1e-9 to 1000
[[nodiscard]] double time_scale_of(const std::string& text, const char* option = "--time-scale");

}  // namespace pmufab::cli
