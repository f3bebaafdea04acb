// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace pmufab::process {

/// From now on, if this process crashes, print the functions of a library on the stack to standard error, with file and
/// line. The process still dies of the signal. An existing handler (a sanitizer's) stays. Of several libraries, that of
/// the innermost function counts.
/// @param library  loaded, or about to be
/// @param what     for people: "the plug-in my.so"
void report_crashes_in(const std::filesystem::path& library, const std::string& what = "the drivers");

/// Call a function when this process has crashed in such a library.
/// @param tell  what: of the library. is_sound: the heap is most likely in order, so the function may allocate; it is not
///              after abort()
void tell_of_crashes(void (*tell)(const std::string& what, bool is_sound));

/// @return `what` of the library whose function is the innermost on the stack; empty: there is none. May be called from
///         a signal's handler.
[[nodiscard]] std::string library_on_stack();

/// @param context  what a signal's handler gets
/// @return where the process was when the signal came; null on processors of which it is not known
[[nodiscard]] const void* interrupted_instruction(const void* context);

}  // namespace pmufab::process
