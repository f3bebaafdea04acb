// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/run/process/shared_memory.h"
#include "testbench/run/process/shared_text.h"

namespace pmufab::scenario {

/// Where a child process has crashed in a library that is watched (process::report_crashes_in()). Make it before the child
/// is started.
class CrashPlace {
 public:
  /// In the child: tell the parent. A process follows one place.
  void follow() const;

  /// @return "the plug-in my.so", or "the drivers"; empty: it has not crashed in such a library
  [[nodiscard]] std::string culprit() const;
  /// @return the window or process of a plug-in, in words; empty: not known
  [[nodiscard]] std::string place() const;

 private:
  struct Told {
    process::SharedText culprit;
    process::SharedText place;
  };
  process::SharedMemory<Told> told_;
  static Told* followed_;
};

}  // namespace pmufab::scenario
