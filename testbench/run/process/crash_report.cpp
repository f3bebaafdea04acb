// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/crash_report.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace pmufab::process {
namespace {

constexpr std::size_t kMostFrames = 64;
constexpr std::size_t kToldFrames = 4;
constexpr std::size_t kDigits = 2 * sizeof(std::uintptr_t) + 3;  // "0x", and the terminator

/// A crash handler must not allocate: everything it needs is made before.
struct Library {
  std::string path;
  std::string what;
};
std::vector<Library> libraries;
std::array<char, 1 << 16> stack;
void (*tell_parent)(const std::string& what, bool is_sound) = nullptr;

void say(std::string_view text) { static_cast<void>(!write(STDERR_FILENO, text.data(), text.size())); }

/// @return where a function called through a bad pointer would have returned to; null if unknown.
void* caller_of(const void* context) {
#if defined(__x86_64__)
  return *reinterpret_cast<void* const*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.regs[30]);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

/// @return the library, of those that are looked for, that has an address; null: none has
const Library* library_of(const Dl_info& where) {
  for (const Library& library : libraries) {
    if (library.path == where.dli_fname) return &library;
  }
  return nullptr;
}

/// Print what the command finds out about places in a library, or the places if there is no such command.
void print_places(const Library& library, const char* const* command, const char* const* offsets, std::size_t count) {
  say("pmufab: ");
  say(library.what);
  say(" crashed in these functions, or in functions they called (innermost first):\n");
  const pid_t child = _Fork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(*command, const_cast<char* const*>(command));
    for (std::size_t i = 0; i < count; ++i) {
      say(library.path);
      say(" at ");
      say(offsets[i]);
      say(" (install the package binutils: its addr2line shows function and line)\n");
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void write_hexadecimal(std::uintptr_t value, char* text) {
  text += kDigits - 1;
  *text = '\0';
  for (std::size_t i = 0; i < kDigits - 3; ++i, value >>= 4) *--text = "0123456789abcdef"[value & 0xfU];
  *--text = 'x';
  *--text = '0';
}

void on_crash(int signal, siginfo_t* /*info*/, void* context) {
  std::array<void*, kMostFrames> frames{};
  int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Dl_info there{};
  if (signal == SIGSEGV && dladdr(interrupted_instruction(context), &there) == 0) {
    // Nothing can be unwound from an address without code.
    frames.front() = caller_of(context);
    count = 1;
  }
  std::array<std::array<char, kDigits>, kToldFrames> offsets;
  std::array<const char*, kToldFrames + 4> command{"addr2line", "-fpise"};
  const Library* library = nullptr;
  std::size_t told = 0;
  for (int i = 0; i < count && told < kToldFrames; ++i) {
    const void* const frame = frames.at(static_cast<std::size_t>(i));
    Dl_info where{};
    if (dladdr(frame, &where) == 0) continue;
    const Library* const its = library_of(where);
    if (its == nullptr || (library != nullptr && its != library)) continue;
    library = its;
    command[2] = its->path.c_str();
    const auto offset = reinterpret_cast<std::uintptr_t>(frame) - reinterpret_cast<std::uintptr_t>(where.dli_fbase);
    // Callers are known by their return addresses, which may be on the line after the call.
    write_hexadecimal(frame == interrupted_instruction(context) ? offset : offset - 1, offsets.at(told).data());
    command.at(3 + told) = offsets.at(told).data();
    ++told;
  }
  if (told > 0) {
    print_places(*library, command.data(), command.data() + 3, told);
  } else {
    say("pmufab: it did not crash in a function of a driver; a driver from pmufab driver build --sanitize may say "
        "where\n");
  }
  if (library != nullptr && tell_parent != nullptr) tell_parent(library->what, signal != SIGABRT);
  raise(signal);  // the process dies of it when this handler, the only one, has returned
}

}  // namespace

void tell_of_crashes(void (*tell)(const std::string& what, bool is_sound)) { tell_parent = tell; }

const void* interrupted_instruction(const void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

std::string library_on_stack() {
  std::array<void*, kMostFrames> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < count; ++i) {
    Dl_info where{};
    if (dladdr(frames.at(static_cast<std::size_t>(i)), &where) == 0) continue;
    if (const Library* const its = library_of(where); its != nullptr) return its->what;
  }
  return {};
}

void report_crashes_in(const std::filesystem::path& library, const std::string& what) {
  libraries.push_back({std::filesystem::absolute(library).string(), what});
  // The first call loads what later calls need.
  std::array<void*, 1> nothing{};
  static_cast<void>(backtrace(nothing.data(), 1));
  stack_t own{};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  // The driver may have overflowed its stack. A sanitizer has set an alternative one already.
  stack_t there{};
  if (sigaltstack(nullptr, &there) == 0 && (there.ss_flags & SS_DISABLE) != 0) sigaltstack(&own, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace pmufab::process
