// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/end_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace pmufab::cli {
namespace {

bool is_ignored(int number) {
  struct sigaction now {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

EndSignals::EndSignals() : keys_are_ignored_(is_ignored(SIGINT)) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGQUIT, SIGTERM}) sigaddset(&set, number);
  if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = process::Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_) throw std::system_error(errno, std::generic_category(), "signalfd");
}

std::optional<EndSignals::Signal> EndSignals::take() {
  signalfd_siginfo info{};
  while (read(descriptor_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    const auto number = static_cast<int>(info.ssi_signo);
    const bool by_key = info.ssi_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT);
    if (!by_key || !keys_are_ignored_) return Signal{number, by_key};
  }
  return std::nullopt;
}

void EndSignals::let_go() {
  for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kEndSignals) sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace pmufab::cli
