// SPDX-License-Identifier: Apache-2.0
#include "testbench/process/processor_samples.h"

#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <system_error>

namespace pmufab::process {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr suseconds_t kPeriod = 1000;  // microseconds; a kernel may have fewer moments to look

std::uintptr_t* samples = nullptr;
volatile std::size_t count = 0;

void note(int /*signal*/, siginfo_t* /*info*/, void* context) {
  if (count == kMost) return;
  const auto* const state = static_cast<const ucontext_t*>(context);
  samples[count] = static_cast<std::uintptr_t>(state->uc_mcontext.gregs[REG_RIP]);
  count = count + 1;
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
  // Pages get memory when they are used.
  void* const memory = mmap(nullptr, kMost * sizeof(*samples), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  samples = static_cast<std::uintptr_t*>(memory);
  count = 0;
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
  return {samples, count};
}

}  // namespace pmufab::process
