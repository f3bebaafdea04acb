// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/profile.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/host/driver_functions.h"
#include "testbench/run/process/crash_report.h"
#include "testbench/run/results/results.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

constexpr std::array<std::string_view, kProfileParts> kNames = {
    "traffic", "models", "judge", "drivers", "driver host", "scenario", "SystemC", "other libraries"};

/// Namespaces below pmufab, as mangled names have them. Those of models, and what they share, are not here.
constexpr std::array<std::pair<std::string_view, ProfilePart>, 15> kNamespaces = {{
    {"7traffic", ProfilePart::traffic},
    {"10scoreboard", ProfilePart::judge},
    {"11driver_host", ProfilePart::kernel},
    {"4perf", ProfilePart::kernel},
    {"8scenario", ProfilePart::scenario},
    {"8coverage", ProfilePart::scenario},
    {"7process", ProfilePart::scenario},
    {"6verify", ProfilePart::scenario},
    {"7explore", ProfilePart::scenario},
    {"3cli", ProfilePart::scenario},
    {"4html", ProfilePart::scenario},
    {"10interleave", ProfilePart::scenario},
    {"5shell", ProfilePart::scenario},
    {"5guest", ProfilePart::scenario},
    {"15register_server", ProfilePart::scenario},
}};

std::uintptr_t place_of_program() {
  std::uintptr_t place = 0;
  // The program comes first.
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* found) {
        *static_cast<std::uintptr_t*>(found) = info->dlpi_addr;
        return 1;
      },
      &place);
  return place;
}

ProfilePart part_of_library(std::uintptr_t instruction) {
  Dl_info where{};
  // Only drivers, and plug-ins, have been unloaded by the end of a run.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that the kernel told as a number
  if (dladdr(reinterpret_cast<const void*>(instruction), &where) == 0) return ProfilePart::drivers;
  const std::string_view name = where.dli_fname;
  if (name.ends_with("/pmufab_drivers.so")) return ProfilePart::drivers;
  return name.find("libsystemc") != std::string_view::npos ? ProfilePart::systemc : ProfilePart::libraries;
}

}  // namespace

ProfilePart part_of_symbol(std::string_view symbol) noexcept {
  // A name has its length in front. Of a template of the standard library, what it is made for counts.
  constexpr std::string_view kOurs = "6pmufab";
  constexpr std::string_view kDigits = "0123456789";
  std::size_t at = symbol.find(kOurs);
  while (at != std::string_view::npos && at != 0 && kDigits.find(symbol[at - 1]) != std::string_view::npos)
    at = symbol.find(kOurs, at + 1);
  if (at == std::string_view::npos) {
    // Boost draws the random numbers of traffic.
    return symbol.find("5boost6random") != std::string_view::npos ? ProfilePart::traffic : ProfilePart::libraries;
  }
  const std::string_view rest = symbol.substr(at + kOurs.size());
  for (const auto& [name, part] : kNamespaces) {
    if (rest.starts_with(name)) return part;
  }
  return ProfilePart::models;
}

Profile::Profile() : loaded_(place_of_program()) {
  for (const driver_host::ElfFunction& function : driver_host::elf_functions("/proc/self/exe")) {
    if (function.begin == function.end) continue;  // a mark of the compiler's
    functions_.push_back({function.begin, function.end, part_of_symbol(function.symbol)});
  }
  if (functions_.empty())
    throw InputError("--profile: this program has no symbol table",
                     "programs of packages are stripped; use one that you built");
  std::ranges::sort(functions_, [](const Function& left, const Function& right) { return left.begin < right.begin; });
}

void Profile::sort(std::span<const std::uintptr_t> instructions, ProfileSamples& samples) const {
  for (const std::uintptr_t instruction : instructions) {
    const auto after =
        std::upper_bound(functions_.begin(), functions_.end(), instruction - loaded_,
                         [](std::uintptr_t at, const Function& function) { return at < function.begin; });
    const bool is_ours = after != functions_.begin() && instruction - loaded_ < std::prev(after)->end;
    const ProfilePart part = is_ours ? std::prev(after)->part : part_of_library(instruction);
    ++samples.at(static_cast<std::size_t>(part));
  }
}

void Profile::add(const ProfileSamples& samples, double processor_seconds) {
  ++runs_;
  std::uint64_t sum = 0;
  for (std::size_t part = 0; part < kProfileParts; ++part) {
    samples_.at(part) += samples.at(part);
    sum += samples.at(part);
  }
  if (sum == 0) {
    ++silent_;
    silent_seconds_ += processor_seconds;
  } else {
    seconds_ += processor_seconds;
  }
}

void Profile::write(std::ostream& out) const {
  const auto all = std::accumulate(samples_.begin(), samples_.end(), std::uint64_t{0});
  fmt::print(out, "\nProcessor time of {}: {:.2f} s, in {}\n", counted(runs_ - silent_, "run"), seconds_,
             counted(all, "sample"));
  if (silent_ != 0)
    fmt::print(out, "{} ({:.2f} s) told nothing: too short to be seen, or killed\n", counted(silent_, "other run"),
               silent_seconds_);
  if (all == 0) return;
  for (std::size_t part = 0; part < kProfileParts; ++part) {
    const double share = static_cast<double>(samples_.at(part)) / static_cast<double>(all);
    fmt::print(out, "  {:<16} {:5.1f} %  {:9.2f} s\n", kNames.at(part), share * 100, share * seconds_);
  }
}

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
