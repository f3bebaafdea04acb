// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/processor_samples.h"

#include <sys/mman.h>
#include <sys/time.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <system_error>

#include "testbench/run/process/crash_report.h"

namespace pmufab::scenario {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 18;
constexpr suseconds_t kPeriod = 1000;  // microseconds; a kernel may have fewer moments to look

std::uintptr_t* samples = nullptr;
std::size_t count = 0;
std::size_t stride = 1;  // of so many moments, one is kept
std::size_t passed = 0;  // moments since the last that was kept
std::atomic_flag is_noting = ATOMIC_FLAG_INIT;

void note(int /*signal*/, siginfo_t* /*info*/, void* context) {
  if (is_noting.test_and_set()) return;  // the judge has a thread, and a driver may have some
  if (++passed >= stride) {
    passed = 0;
    if (count == kMost) {
      // Every other one goes, and from now on half as many come.
      for (std::size_t i = 0; i < kMost / 2; ++i) samples[i] = samples[2 * i];
      count = kMost / 2;
      stride *= 2;
    }
    samples[count++] = reinterpret_cast<std::uintptr_t>(process::interrupted_instruction(context));
  }
  is_noting.clear();
}

void set_timer(suseconds_t period) {
  itimerval timer{};
  timer.it_interval.tv_usec = period;
  timer.it_value.tv_usec = period;
  if (setitimer(ITIMER_PROF, &timer, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "setitimer");
}

}  // namespace

ProcessorSamples::ProcessorSamples() {
  // Shared with nobody, but not of the memory that a limit is about. Pages get memory when they are used.
  void* const memory =
      mmap(nullptr, kMost * sizeof(*samples), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  samples = static_cast<std::uintptr_t*>(memory);
  count = 0;
  stride = 1;
  passed = 0;
  struct sigaction action {};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  set_timer(kPeriod);
}

ProcessorSamples::~ProcessorSamples() {
  stop();
  munmap(samples, kMost * sizeof(*samples));
}

std::span<const std::uintptr_t> ProcessorSamples::stop() {
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
  std::signal(SIGPROF, SIG_IGN);  // one may be on its way
  return {samples, count};
}

}  // namespace pmufab::scenario
