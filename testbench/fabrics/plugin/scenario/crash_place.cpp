// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/plugin/scenario/crash_place.h"

#include <array>

#include "models/plugin/part/plugin_part.h"
#include "testbench/run/process/crash_report.h"
#include "tlm/spec/printable.h"

namespace pmufab::scenario {

CrashPlace::Told* CrashPlace::followed_ = nullptr;

void CrashPlace::follow() const {
  followed_ = &*told_;
  process::tell_of_crashes([](const std::string& what, bool /*is_sound*/) {
    std::array<char, process::SharedText::kRoom> room;
    followed_->culprit.tell(what);
    followed_->place.tell(platform::plugin_place(what, room));
  });
}

std::string CrashPlace::culprit() const { return printable(told_->culprit.text()); }

std::string CrashPlace::place() const { return printable(told_->place.text()); }

}  // namespace pmufab::scenario
