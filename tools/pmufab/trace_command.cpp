#include <array>
#include <filesystem>
#include <span>
#include <system_error>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "testbench/scenario/input_error.h"
#include "testbench/scenario/results.h"
#include "testbench/traffic/lackey_import.h"
#include "testbench/traffic/trace_format.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

namespace po = boost::program_options;
using scenario::InputError;
using scenario::with_separators;
using traffic::AccessKind;

constexpr const char* kMore =
    R"(pmufab trace import LACKEY OUT   turn the output of valgrind's lackey tool into a trace (OUT ending in .csv: as text)
pmufab trace info TRACE          count what is in a trace

Example: record a program, then replay it with a scenario whose traffic has a trace:
  valgrind --tool=lackey --trace-mem=yes --log-file=sort.lackey sort input.txt >/dev/null
  pmufab trace import sort.lackey sort.trace
  pmufab trace info sort.trace
  pmufab run scenarios/demo.yaml --set trace=sort.trace
)";

int import(const std::string& in, const std::string& out, const po::variables_map& map) {
  ProgressBar bar;
  traffic::ImportOptions options;
  options.keep_instructions = map["keep-instructions"].as<bool>();
  options.limit = map["limit"].as<std::uint64_t>();
  if (options.limit >> 63 != 0) throw InputError("--limit: must not be negative");  // as which it arrives here
  options.progress = [&](double fraction) { bar.show(fraction, "importing"); };
  std::error_code ignored;
  if (std::filesystem::equivalent(in, out, ignored)) throw InputError(fmt::format("'{}' is input and output", in));
  OutputFile file(out);
  const traffic::ImportStatistics statistics = traffic::import_lackey(in, file.temporary(), options);
  file.commit();
  bar.clear();
  fmt::print("{} lines; {} accesses written ({} loads, {} stores, {} modifies seen), {} bytes touched\n",
             with_separators(statistics.lines), with_separators(statistics.records), with_separators(statistics.loads),
             with_separators(statistics.stores), with_separators(statistics.modifies),
             with_separators(statistics.data_bytes));
  if (!statistics.complete && options.limit == 0)
    complain("pmufab: {} has no closing report of valgrind: the recording may have been cut off\n", in);
  return kPassed;
}

int info(const std::string& file) {
  traffic::TraceReader reader{std::filesystem::path(file)};
  std::array<std::uint64_t, 4> kinds{};
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::unordered_set<std::uint64_t> lines;
  std::unordered_set<std::uint64_t> pages;
  std::vector<traffic::TraceRecord> buffer(4096);
  for (std::size_t count = reader.read(buffer); count > 0; count = reader.read(buffer)) {
    for (const traffic::TraceRecord& record : std::span(buffer).first(count)) {
      ++records;
      ++kinds.at(static_cast<std::size_t>(record.kind));
      bytes += record.size;
      lines.insert(record.address / 64);
      pages.insert(record.address / 4096);
    }
  }
  fmt::print("{:>14}  accesses\n", with_separators(records));
  for (const AccessKind kind : {AccessKind::load, AccessKind::store, AccessKind::modify, AccessKind::fetch})
    fmt::print("{:>14}    {}\n", with_separators(kinds.at(static_cast<std::size_t>(kind))), traffic::to_string(kind));
  fmt::print("{:>14}  bytes\n{:>14}  lines of 64 bytes an access begins in\n{:>14}  pages of 4 KiB\n",
             with_separators(bytes), with_separators(lines.size()), with_separators(pages.size()));
  return kPassed;
}

}  // namespace

int trace_command(const Arguments& arguments) {
  po::options_description options("Options of import");
  options.add_options()("output,o", po::value<std::string>()->default_value("")->value_name("OUT"),
                        "the trace to write, if it is not the second word")("keep-instructions", po::bool_switch(),
                                                                            "keep instruction fetches")(
      "limit", po::value<std::uint64_t>()->default_value(0)->value_name("N"), "stop after N accesses (0: never)");
  const auto parsed =
      parse(arguments, options, "words",
            {"pmufab trace [options] import|info FILE...", "Work with recorded memory accesses.", kMore});
  if (!parsed) return kPassed;
  std::vector<std::string> words = values_of(*parsed, "words");
  const std::string usage = "see pmufab trace --help";
  if (words.empty()) throw InputError("pmufab trace does what?", "import or info; " + usage);
  const std::string output = (*parsed)["output"].as<std::string>();
  if (!output.empty()) words.push_back(output);
  try {
    if (words[0] == "import") {
      if (words.size() != 3) throw InputError("pmufab trace import needs an input and an output", usage);
      return import(words[1], words[2], *parsed);
    }
    if (words[0] == "info") {
      if (words.size() != 2) throw InputError("pmufab trace info needs a trace", usage);
      return info(words[1]);
    }
  } catch (const traffic::TraceError& error) {
    throw InputError(error.what());
  }
  std::string suggestion = scenario::did_you_mean(words[0], {"import", "info"});
  throw InputError(fmt::format("there is no 'trace {}'", words[0]), suggestion.empty() ? usage : suggestion);
}

}  // namespace pmufab::cli
