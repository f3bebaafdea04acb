// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/program_options.hpp>

#include "testbench/scenario/run/scenario_spec.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {

/// A simulator in a process that ends with its parent.
class Simulator {
 public:
  Simulator(pid_t pid, int stop, bool ready) : pid_(pid), stop_(stop), ready_(ready) {}
  Simulator(Simulator&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), stop_(std::exchange(other.stop_, -1)), ready_(other.ready_) {}
  ~Simulator() {
    if (pid_ > 0) end();
  }
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  Simulator& operator=(Simulator&&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// @return true if it serves; otherwise it has printed why not, and has ended.
  [[nodiscard]] bool ready() const noexcept { return ready_; }
  /// Ask it to end, and wait for it. @return what waitpid() says
  int end();

 private:
  pid_t pid_;
  int stop_;  // data in it, or its end, asks the simulator to end
  bool ready_;
};

/// Start a simulator in its own session, so that it does not get the terminal's signals.
/// @param folder  removed by the simulator if its parent is killed
/// @param work    gets a file descriptor that tells it to end, and a function to call when it serves; returns an exit
///                code
[[nodiscard]] Simulator start_simulator(
    const std::filesystem::path& folder,
    const std::function<int(int stop, const std::function<void()>& on_ready)>& work);

/// If the simulator died and has not printed why, print it. @param ended  its journal has an end
/// @return an exit code if it did not finish
[[nodiscard]] std::optional<int> check_simulator(int status, bool ended);

/// @return --traffic, --seed and --set
[[nodiscard]] Options platform_options();
/// @return the scenario of those options and the platform. It measures nothing, because other programs do.
[[nodiscard]] scenario::ScenarioSpec scenario_of(const boost::program_options::variables_map& map,
                                                 const std::string& platform, const std::string& name);

/// @throws scenario::InputError unless it is a number from 1e-9 to 1000
[[nodiscard]] double time_scale_of(const std::string& text);

}  // namespace pmufab::cli
