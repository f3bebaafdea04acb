// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "tools/pmufab/cli.h"
#include "tools/pmufab/driver/cache.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

constexpr double kMegabyte = 1e6;

std::string date_of(std::filesystem::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(system));
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(seconds));
}

int run_cache(const Request& request) {
  const std::filesystem::path cache = cache_folder();
  const bool clears = request.options["clear"].as<bool>();
  std::uintmax_t bytes = 0;
  std::uint64_t number = 0;
  for (const CachedDrivers& one : cached_drivers(cache)) {
    const std::uintmax_t size = size_of(one.folder);
    const std::string name = one.folder.filename().string();
    if (clears && !remove_cached(one.folder)) {
      fmt::print("{} stays: it is in use, or cannot be removed\n", name);
      continue;
    }
    ++number;
    bytes += size;
    if (!clears) fmt::print("{}  {:>7.1f} MB  {}\n", date_of(one.used), static_cast<double>(size) / kMegabyte, name);
  }
  fmt::print("{}: {} of built drivers, {:.1f} MB{}\n", cache.generic_string(), scenario::counted(number, "folder"),
             static_cast<double>(bytes) / kMegabyte, clears ? ", removed" : "");
  return kPassed;
}

}  // namespace

Command driver_cache_command() {
  return {
      .name = "driver cache",
      .arguments = "[options]",
      .summary = "list the drivers that are kept so that only changes are compiled, or remove them",
      .description =
          R"(pmufab driver build keeps what it has compiled, a folder for each set of files and options. Each build removes those
that were used longest ago, beyond 40 folders or 512 MiB, and none that another build works in. The libraries that it
has written elsewhere need none of them. pmufab driver cache prints when each was last used, its size and its name,
the latest first. Driver sets of pmufab driver fetch are not among them.)",
      .options = {flag("clear", "remove them all, but those in use")},
      .words = Words::none,
      .examples = {{"pmufab driver cache"}, {"pmufab driver cache --clear"}},
      .exit_codes = {{"0", "they are listed, or removed"}, {"2", "bad input"}, {"3", "an internal error"}},
      .run = run_cache,
  };
}

}  // namespace pmufab::cli
