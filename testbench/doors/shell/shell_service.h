// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <linux/perf_event.h>

#include "testbench/perf/types.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// What a shell's server asks on behalf of programs: perf's events, and configuration space. Members that can fail
/// return a negative Linux errno. They are called from a SystemC thread process, and may take simulated time.
class ShellService {
 public:
  using Handle = perf::EventHandle;
  virtual ~ShellService() = default;

  /// perf_event_open. @param leader  0: none. @return a handle, or -errno
  virtual Handle open(const perf_event_attr& attributes, pid_t pid, int cpu, Handle leader, std::uint64_t flags) = 0;
  /// @return what read(2) gives (nothing is its end: a pinned event that did not fit), or -errno in `error`
  virtual std::vector<std::uint64_t> read(Handle handle, std::uint64_t room, int& error) = 0;
  /// ioctl(2). @param value  what PERF_EVENT_IOC_ID returns
  virtual int control(Handle handle, std::uint64_t request, std::uint64_t argument, std::uint64_t& value) = 0;
  virtual void close(Handle handle) = 0;

  /// Simulated time at which a PMU that has more events than counters rotates them next; nothing if there is none.
  [[nodiscard]] virtual std::optional<Picoseconds> next_rotation() const = 0;
  /// Rotate the events of all PMUs whose time has come.
  virtual void rotate() = 0;

  /// As pread(2) and pwrite(2) of a PCI function's `config`. @param function  segment << 16 | bus << 8 | device << 3 |
  /// function
  virtual std::vector<std::uint8_t> read_config(std::uint32_t function, std::uint64_t offset, std::uint64_t size) = 0;
  virtual int write_config(std::uint32_t function, std::uint64_t offset, const std::uint8_t* data,
                           std::size_t size) = 0;
};

}  // namespace pmufab::shell
