// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/regs/register_print.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "testbench/run/results/results.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/session.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

using nlohmann::ordered_json;
using scenario::InputError;
using scenario::Quantity;

Picoseconds time_of(const std::string& text, const char* option) {
  try {
    return scenario::parse_quantity(text, Quantity::duration);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: '{}' {}", option, text, error.what()), "for example 10us");
  }
}

/// The instants at which registers are looked at: one, or two to compare.
std::vector<Picoseconds> times_of(const boost::program_options::variables_map& options) {
  const std::string at = options["at"].as<std::string>();
  const std::string diff = options["diff"].as<std::string>();
  if (!at.empty() && !diff.empty()) throw InputError("--at and --diff exclude each other");
  if (!at.empty()) return {time_of(at, "--at")};
  const std::size_t comma = diff.find(',');
  if (comma == std::string::npos) throw InputError("--diff needs two times", "--diff 10us,20us");
  std::vector<Picoseconds> times{time_of(diff.substr(0, comma), "--diff"), time_of(diff.substr(comma + 1), "--diff")};
  if (times[0] >= times[1]) throw InputError("--diff: the second time must be later than the first");
  return times;
}

scenario::ScenarioSpec only_run_of(const std::string& name, const std::vector<std::string>& overrides) {
  const scenario::ScenarioFile file(find_scenario(name));
  const std::vector<scenario::Variant> variants = file.variants(overrides);
  if (variants.size() != 1)
    throw InputError(fmt::format("{} has a matrix of {} runs", name, variants.size()),
                     "choose one with --set: " + variants.front().name);
  return file.load(variants.front(), overrides);
}

std::uint64_t value_in(const ordered_json& text) { return std::stoull(text.get<std::string>(), nullptr, 16); }

/// A register whose value has changed, with the fields that have.
ordered_json change_of(const std::string& bank, const ordered_json& page, const ordered_json& entry, std::size_t index,
                       std::uint64_t after) {
  const std::uint64_t before = value_in(entry.at("values")[index]);
  const std::uint64_t address = value_in(page.at("base")) + entry.at("offset").get<std::uint64_t>() +
                                index * entry.at("stride").get<std::uint64_t>();
  std::string name = entry.at("name");
  if (entry.at("count").get<std::uint64_t>() > 1) name += fmt::format("[{}]", index);
  ordered_json fields = ordered_json::array();
  for (const ordered_json& field : entry.at("fields")) {
    const auto width = field.at("width").get<unsigned>();
    const std::uint64_t mask = low_bits(width);
    const std::uint64_t from = before >> field.at("lsb").get<unsigned>() & mask;
    const std::uint64_t to = after >> field.at("lsb").get<unsigned>() & mask;
    if (from != to)
      fields.push_back(
          {{"name", field.at("name")}, {"before", fmt::format("{:#x}", from)}, {"after", fmt::format("{:#x}", to)}});
  }
  const auto shown = [width = entry.at("width").get<unsigned>()](std::uint64_t value) {
    return fmt::format("{:#0{}x}", value, 2 + width / 4);
  };
  return {{"bank", bank},
          {"register", name},
          {"address", fmt::format("{:#x}", address)},
          {"before", shown(before)},
          {"after", shown(after)},
          {"fields", std::move(fields)}};
}

/// @param first, second  to_json() of the same banks
ordered_json changes(const ordered_json& first, const ordered_json& second) {
  ordered_json all = ordered_json::array();
  for (const auto& [bank, pages] : first.items()) {
    for (std::size_t page = 0; page < pages.size(); ++page) {
      const ordered_json& registers = pages[page].at("registers");
      for (std::size_t place = 0; place < registers.size(); ++place) {
        const ordered_json& later = second.at(bank)[page].at("registers")[place].at("values");
        for (std::size_t index = 0; index < later.size(); ++index) {
          if (registers[place].at("values")[index] != later[index])
            all.push_back(change_of(bank, pages[page], registers[place], index, value_in(later[index])));
        }
      }
    }
  }
  return all;
}

void print_changes(const ordered_json& all) {
  for (const ordered_json& one : all) {
    fmt::print(std::cout, "{}  {} {}: {} -> {}\n", one.at("address").get<std::string>(),
               one.at("bank").get<std::string>(), one.at("register").get<std::string>(),
               one.at("before").get<std::string>(), one.at("after").get<std::string>());
    for (const ordered_json& field : one.at("fields"))
      fmt::print(std::cout, "    {}: {} -> {}\n", field.at("name").get<std::string>(),
                 field.at("before").get<std::string>(), field.at("after").get<std::string>());
  }
}

/// Looks at registers while a scenario runs.
class Observer {
 public:
  Observer(std::vector<Picoseconds> times, std::string bank, Form form)
      : times_(std::move(times)), bank_(std::move(bank)), form_(form) {}

  [[nodiscard]] const std::vector<Picoseconds>& times() const noexcept { return times_; }
  [[nodiscard]] bool is_done() const noexcept { return seen_ == times_.size(); }

  /// Within a process of the simulation, which no exception may leave.
  void look(const scenario::Machine& machine) {
    try {
      show(chosen_banks(machine.platform().registers(), bank_));
      ++seen_;
    } catch (...) {
      error_ = std::current_exception();
      seen_ = times_.size();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void show(const std::vector<platform::NamedRegisters>& banks) {
    if (times_.size() == 1) {
      // The banks say simulated time, in which loading has its share.
      if (form_ == Form::text)
        fmt::print(std::cout, "{} after the drivers were loaded\n", scenario::format_time(times_.front()));
      print_registers(banks, form_, {});
    } else if (seen_ == 0) {
      first_ = to_json(banks);
    } else {
      const ordered_json all = changes(first_, to_json(banks));
      if (form_ == Form::json) {
        std::cout << all.dump(2) << '\n';
      } else {
        print_changes(all);
      }
      std::cout.flush();
    }
  }

  std::vector<Picoseconds> times_;
  std::string bank_;
  Form form_;
  std::size_t seen_ = 0;
  std::exception_ptr error_;
  ordered_json first_;
};

/// A file that has no name in any folder, so that nothing is left when a signal ends the program.
class MemoryFile {
 public:
  /// @throws std::system_error  there is no memory for it
  MemoryFile() : file_(memfd_create("journal", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "a journal cannot be made");
  }
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile() { close(file_); }

  /// A path that this process and its children can open.
  [[nodiscard]] std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_;
};

/// Print why a run could not go on. @return true if it could not
bool print_errors(const std::filesystem::path& journal) {
  bool failed = false;
  scenario::read_records(journal, [&](const std::string& record, const scenario::Json& content) {
    if (record != "error") return;
    failed = true;
    complain("pmufab: {}\n", content.at("message").get<std::string>());
  });
  return failed;
}

}  // namespace

int show_registers_at(const Request& request) {
  const std::vector<Picoseconds> times = times_of(request.options);
  const Form form = wanted_form(request.options);
  if (request.options["reset"].as<bool>()) throw InputError("--reset shows no scenario", "leave it out");
  if (times.size() > 1 && form != Form::text && form != Form::json)
    throw InputError("--diff prints text or JSON", "leave out the other forms");
  if (is_export(form)) throw InputError("this form shows no values", "leave out --at");
  const std::vector<std::string> overrides = values_of(request.options, "set");
  const scenario::ScenarioSpec spec = only_run_of(request.words[0], overrides);
  const driver_host::DriverSet drivers = find_newest_driver(request.options, spec.platform);
  const MemoryFile memory;
  const std::filesystem::path file = memory.path();
  return guarded(false, [&] {
    Observer observer(times, request.words.size() > 1 ? request.words[1] : "", form);
    scenario::SessionOptions options;
    options.echo_log = true;
    options.looks = observer.times();
    options.on_look = [&](const scenario::Machine& machine) { observer.look(machine); };
    options.interrupted = [&] { return observer.is_done(); };
    scenario::Journal journal(file);
    const int code = scenario::run_session(spec, drivers, journal, options);
    observer.rethrow();
    if (code != kPassed && print_errors(file)) return code;
    if (observer.is_done()) return kPassed;
    complain("pmufab: {} ends before {}\n", spec.name, scenario::format_quantity(times.back(), Quantity::duration));
    return kBadInput;
  });
}

}  // namespace pmufab::cli
