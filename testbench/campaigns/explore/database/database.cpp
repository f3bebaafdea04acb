// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/database/database.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tlm/spec/named_fields.h"

namespace pmufab::explore {
namespace {

constexpr std::uint64_t kApplication = 0x706d7566;  // "pmuf"
constexpr std::uint64_t kFormat = 1;

/// Names are words of small letters, so quotes are all they need.
std::string quoted(const std::string& name) { return '"' + name + '"'; }

std::vector<std::string> measured_names(const Study& study) {
  std::vector<std::string> names;
  for (const Response& response : study.responses) {
    if (response.measured) names.push_back(quoted(response.name));
  }
  return names;
}

std::vector<std::string> computed_names(const Study& study) {
  std::vector<std::string> names;
  for (const Response& response : study.responses) {
    if (response.computed) names.push_back(quoted(response.name));
  }
  return names;
}

std::vector<std::string> axis_names(const Study& study) {
  std::vector<std::string> names;
  for (const Axis& axis : study.axes) names.push_back(quoted(axis.name));
  return names;
}

std::vector<std::string> together(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Of a result, besides what was measured.
constexpr auto kFixedColumns = std::tuple(
    NamedField{"key", &Result::key}, NamedField{"run_drivers", &Result::drivers}, NamedField{"run_seed", &Result::seed},
    NamedField{"status", &Result::status}, NamedField{"message", &Result::message},
    NamedField{"seconds", &Result::seconds}, NamedField{"processor_seconds", &Result::processor_seconds},
    NamedField{"memory_kib", &Result::memory_kib});

const std::vector<std::string>& fixed_columns() {
  static const std::vector<std::string> names =
      std::apply([](const auto&... column) { return std::vector<std::string>{column.key...}; }, kFixedColumns);
  return names;
}

/// What result_of() reads, of the table `results` as r.
std::vector<std::string> result_columns(const Study& study) {
  std::vector<std::string> columns;
  for (const std::string& name : together(fixed_columns(), measured_names(study))) columns.push_back("r." + name);
  return columns;
}

std::string insert_text(const std::string& table, const std::vector<std::string>& columns) {
  std::vector<std::string> marks(columns.size(), "?");
  return fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "),
                     fmt::join(marks, ", "));
}

/// Who may write reads so, too: SQLite then leaves no files of its own beside the database. Where nobody may write and
/// nobody does, SQLite must be told so.
Connection connect(const std::filesystem::path& file, Database::Mode mode) {
  if (mode == Database::Mode::write) return {file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (access(file.c_str(), W_OK) == 0 && access(folder.c_str(), W_OK) == 0) return {file, SQLITE_OPEN_READWRITE};
  const std::filesystem::path log = file.string() + "-wal";
  const bool is_at_rest = !std::filesystem::exists(log, error) || std::filesystem::file_size(log, error) == 0;
  if (!is_at_rest || access(folder.c_str(), W_OK) == 0) return {file, SQLITE_OPEN_READONLY};
  std::string name = "file:";
  for (const char letter : std::filesystem::absolute(file).string()) {
    const bool is_plain = letter != '?' && letter != '#' && letter != '%';
    name += is_plain ? std::string(1, letter) : fmt::format("%{:02x}", static_cast<unsigned char>(letter));
  }
  return {name + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI};
}

void read(const Statement& row, int column, std::string& text) { text = row.text(column); }
void read(const Statement& row, int column, std::uint64_t& number) { number = row.number(column); }
void read(const Statement& row, int column, double& number) { number = row.real(column).value_or(0); }

/// @return the result of a row of `results`: fixed columns, then measured values from `first` on
Result result_of(const Statement& row, const Study& study, int first) {
  Result result;
  int column = first;
  std::apply([&](const auto&... field) { (read(row, column++, result.*field.access), ...); }, kFixedColumns);
  for (const Response& response : study.responses)
    result.values.push_back(response.measured ? row.real(column++) : std::nullopt);
  return result;
}

}  // namespace

Database::Database(const std::filesystem::path& file, Mode mode)
    : connection_(connect(file, mode)), name_(file.generic_string()) {
  check_format(mode);
}

void Database::check_format(Mode mode) {
  const auto pragma = [&](const std::string& name) {
    Statement statement(connection_, "PRAGMA " + name);
    return statement.step() ? statement.number(0) : 0;
  };
  Statement tables(connection_, "SELECT count(*) FROM sqlite_master");
  static_cast<void>(tables.step());
  const bool is_new = tables.number(0) == 0;
  if (!is_new && pragma("application_id") != kApplication)
    throw DatabaseError(fmt::format("'{}' is no database of pmufab explore", name_), "name another file");
  if (!is_new && pragma("user_version") != kFormat)
    throw DatabaseError(fmt::format("'{}' is a database of another version of pmufab explore", name_),
                        "name another file, or export it with that version");
  if (is_new && mode == Mode::read)
    throw DatabaseError(fmt::format("'{}' has no study", name_), "pmufab explore STUDY fills a database");
  if (mode == Mode::read) return;
  // What a statement has written is in the file when this program is killed. A crash of the machine may take the last
  // runs, and leaves the others.
  tables.reset();
  connection_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (!is_new) return;
  Transaction together(connection_);
  connection_.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kFormat));
  connection_.run("CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
  connection_.run(fmt::format("CREATE TABLE results (key TEXT PRIMARY KEY, {})",
                              fmt::join(fixed_columns().begin() + 1, fixed_columns().end(), ", ")));
  together.commit();
}

std::set<std::string> Database::columns_of(const std::string& schema) {
  std::set<std::string> there;
  Statement columns(connection_, fmt::format("SELECT name FROM pragma_table_info('results', '{}')", schema));
  while (columns.step()) there.insert(quoted(columns.text(0)));
  return there;
}

void Database::add_columns(const Study& study) {
  const std::set<std::string> there = columns_of("main");
  for (const std::string& name : measured_names(study)) {
    if (!there.contains(name)) connection_.run(fmt::format("ALTER TABLE results ADD COLUMN {}", name));
  }
}

void Database::make_points_table(const Study& study) {
  const std::vector<std::string> own = together(axis_names(study), computed_names(study));
  const std::vector<std::string> measured = measured_names(study);
  std::string columns;
  std::string shown;
  for (const std::string& name : own) {
    columns += ", " + name;
    shown += ", p." + name;
  }
  for (const std::string& name : measured) shown += ", r." + name;
  connection_.run("DROP VIEW IF EXISTS points; DROP TABLE IF EXISTS positions");
  connection_.run(fmt::format("CREATE TABLE positions (point INTEGER PRIMARY KEY, key TEXT{})", columns));
  connection_.run(
      fmt::format("CREATE VIEW points AS SELECT p.point{}, r.run_drivers, r.run_seed, r.status, r.message, r.seconds, "
                  "r.processor_seconds, r.memory_kib, r.key FROM positions p JOIN results r USING (key)",
                  shown));
}

void Database::begin(const Study& study, const std::string& text) {
  Transaction together(connection_);
  add_columns(study);
  if (note("study") != text) {
    make_points_table(study);
    set_note("study", text);
  }
  together.commit();
  text_ = text;
}

void Database::check_study() {
  if (text_.empty() || note("study") == text_) return;
  throw DatabaseError(fmt::format("another study, or another version of it, has begun in '{}' meanwhile", name_),
                      "--db names another file for one of them");
}

std::string Database::note(const std::string& name) {
  Statement statement(connection_, "SELECT value FROM notes WHERE name = ?");
  statement.add(name);
  return statement.step() ? statement.text(0) : "";
}

void Database::set_note(const std::string& name, const std::string& value) {
  Statement(connection_, "INSERT OR REPLACE INTO notes VALUES (?, ?)").add(name).add(value).run();
}

std::string Database::study_text() {
  std::string text = note("study");
  if (text.empty())
    throw DatabaseError(fmt::format("'{}' has no study", name_), "pmufab explore STUDY fills a database");
  return text;
}

void Database::place(const Study& study, const Result& result, std::uint64_t position) {
  Transaction together(connection_);
  check_study();
  place_row(study, result, position);
  together.commit();
}

void Database::place_row(const Study& study, const Result& result, std::uint64_t position) {
  std::vector<std::optional<double>> values = result.values;
  compute(study, position, values);
  const std::vector<std::size_t> at = study.grid.values_at(position / study.grid.repeats());
  Statement insert(connection_, insert_text("positions", together({"point", "key"},
                                                                  together(axis_names(study), computed_names(study)))));
  insert.add(position).add(result.key);
  for (std::size_t i = 0; i < study.axes.size(); ++i) {
    // A number stands as a number, so that SQL compares it as one. One with a unit stands as it is written.
    const AxisValue& value = study.axes[i].values[at[i]];
    const bool is_plain =
        value.number &&
        value.label.find_first_of("abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    is_plain ? insert.add(value.number) : insert.add(value.label);
  }
  for (std::size_t i = 0; i < study.responses.size(); ++i) {
    if (study.responses[i].computed) insert.add(values[i]);
  }
  insert.run();
}

void Database::write(const Study& study, const Result& result, const std::vector<std::uint64_t>& positions) {
  Statement insert(connection_, insert_text("results", together(fixed_columns(), measured_names(study))));
  std::apply([&](const auto&... field) { (insert.add(result.*field.access), ...); }, kFixedColumns);
  for (std::size_t i = 0; i < study.responses.size(); ++i) {
    if (study.responses[i].measured) insert.add(result.values[i]);
  }
  insert.run();
  for (const std::uint64_t position : positions) place_row(study, result, position);
}

void Database::put(const Study& study, const Result& result, const std::vector<std::uint64_t>& positions) {
  Transaction together_or_not(connection_);
  check_study();
  write(study, result, positions);
  together_or_not.commit();
}

std::optional<Result> Database::find(const Study& study, const std::string& key) {
  Statement select(connection_,
                   fmt::format("SELECT {} FROM results r WHERE key = ?", fmt::join(result_columns(study), ", ")));
  select.add(key);
  if (!select.step()) return std::nullopt;
  return result_of(select, study, 0);
}

std::optional<Result> Database::at(const Study& study, std::uint64_t position) {
  // Of the study that has begun: another one's points mean something else.
  const char* const own = text_.empty() ? "" : " AND ? = (SELECT value FROM notes WHERE name = 'study')";
  Statement select(connection_, fmt::format("SELECT {} FROM positions p JOIN results r USING (key) WHERE p.point = ?{}",
                                            fmt::join(result_columns(study), ", "), own));
  select.add(position);
  if (!text_.empty()) select.add(text_);
  if (!select.step()) return std::nullopt;
  return result_of(select, study, 0);
}

std::uint64_t Database::points() {
  Statement select(connection_, "SELECT count(*) FROM positions");
  return select.step() ? select.number(0) : 0;
}

std::vector<std::string> Database::statuses() {
  Statement select(connection_, "SELECT DISTINCT r.status FROM positions p JOIN results r USING (key) ORDER BY 1");
  std::vector<std::string> statuses;
  while (select.step()) statuses.push_back(select.text(0));
  return statuses;
}

void Database::each(const Study& study, const std::function<void(std::uint64_t, const Result&)>& use) {
  Statement select(connection_,
                   fmt::format("SELECT p.point, {} FROM positions p JOIN results r USING (key) ORDER BY p.point",
                               fmt::join(result_columns(study), ", ")));
  while (select.step()) {
    const std::uint64_t position = select.number(0);
    Result result = result_of(select, study, 1);
    compute(study, position, result.values);
    use(position, result);
  }
}

CostSummary Database::costs() {
  Statement select(connection_,
                   "SELECT count(*), avg(seconds), max(memory_kib) FROM results WHERE status != 'bad_input'");
  if (!select.step()) return {};
  return {select.number(0), select.real(1).value_or(0), select.number(2)};
}

std::uint64_t Database::size() {
  Statement select(connection_, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()");
  return select.step() ? select.number(0) : 0;
}

void Database::merge(const Study& study, const std::filesystem::path& other) {
  Database source(other, Mode::read);
  if (source.study_text() != study_text())
    throw DatabaseError(fmt::format("'{}' is of another study than '{}'", other.generic_string(), name_),
                        "shards of one study have the same study file, drivers and program");
  Transaction all_or_nothing(connection_);
  source.each(study, [&](std::uint64_t position, const Result& result) {
    const std::optional<Result> own = find(study, result.key);
    if (own && own->is_final()) {
      place_row(study, *own, position);
    } else {
      write(study, result, {position});
    }
  });
  all_or_nothing.commit();
}

void Database::adopt(const std::filesystem::path& other) {
  static_cast<void>(Database(other, Mode::read).study_text());  // it is a database of a study
  Statement(connection_, "ATTACH ? AS other").add(other.string()).run();
  const std::set<std::string> theirs = columns_of("other");
  {
    Transaction together(connection_);
    const std::set<std::string> own = columns_of("main");
    for (const std::string& column : theirs) {
      if (!own.contains(column)) connection_.run(fmt::format("ALTER TABLE main.results ADD COLUMN {}", column));
    }
    const std::string columns = fmt::format("{}", fmt::join(theirs, ", "));
    connection_.run(fmt::format("INSERT OR IGNORE INTO main.results ({0}) SELECT {0} FROM other.results", columns));
    together.commit();
  }
  connection_.run("DETACH other");
}

std::optional<double> number_at(const Study& study, const std::vector<std::size_t>& values,
                                const std::vector<std::optional<double>>& responses, const std::string& name) {
  for (std::size_t i = 0; i < study.responses.size(); ++i) {
    if (study.responses[i].name == name) return responses[i];
  }
  const std::optional<std::size_t> axis = study.axis_of(name);
  return axis ? study.axes[*axis].values[values[*axis]].number : std::nullopt;
}

void compute(const Study& study, std::uint64_t position, std::vector<std::optional<double>>& responses) {
  const std::vector<std::size_t> at = study.grid.values_at(position / study.grid.repeats());
  for (std::size_t i = 0; i < study.responses.size(); ++i) {
    if (!study.responses[i].computed) continue;
    responses[i] = study.responses[i].computed->evaluate(
        [&](const std::string& name) { return number_at(study, at, responses, name); });
  }
}

}  // namespace pmufab::explore
