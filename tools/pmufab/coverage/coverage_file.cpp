// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/coverage/coverage_file.h"

#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

constexpr const char* kExclusions = "scenarios/coverage-excluded.txt";

}  // namespace

CoverageFile::CoverageFile(std::filesystem::path file) : file_(std::move(file)) {
  if (is_wanted()) check_writable(file_);
}

void CoverageFile::add(const coverage::Json& run, const std::string& name) {
  if (!run.is_null()) coverage_.merge(coverage::Coverage::from_json(run, name));
}

void CoverageFile::write() const {
  if (is_wanted()) write_file(file_, to_text(coverage_));
}

coverage::Exclusions find_exclusions(const std::string& file) {
  return coverage::Exclusions::read(file.empty() ? data_folder() / kExclusions : std::filesystem::path(file));
}

}  // namespace pmufab::cli
