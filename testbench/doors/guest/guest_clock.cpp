// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/guest_clock.h"

#include <sys/socket.h>

#include <cerrno>

#include "testbench/run/process/local_socket.h"

namespace pmufab::guest {

InstructionClock::InstructionClock(const std::filesystem::path& socket)
    : listener_(process::listen_at(socket, SOCK_STREAM)) {}

void InstructionClock::add_to(std::vector<pollfd>& files) const {
  files.push_back({machine_ ? machine_.get() : listener_.get(), POLLIN, 0});
}

void InstructionClock::serve(const pollfd& file) {
  if (file.revents == 0) return;
  if (!machine_) {
    if (file.fd == listener_.get())
      machine_ = process::Descriptor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return;
  }
  if (file.fd != machine_.get()) return;
  std::uint64_t time = 0;
  const ssize_t size = recv(machine_.get(), &time, sizeof(time), MSG_WAITALL);
  if (size < 0 && errno == EINTR) return;
  if (size != sizeof(time)) {
    // The machine is off.
    machine_.reset();
    halted_ = false;
    return;
  }
  now_ = Duration(time);
  halted_ = true;
}

void InstructionClock::go_on() {
  const auto until = static_cast<std::uint64_t>((now_ + kQuantum).count());
  halted_ = false;
  // One that has gone is found out by the next poll.
  static_cast<void>(send(machine_.get(), &until, sizeof(until), MSG_NOSIGNAL));
}

}  // namespace pmufab::guest
