// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/database/statement.h"

#include <cmath>

#include <fmt/format.h>

#include "testbench/run/yaml/input_file.h"

namespace pmufab::explore {

Connection::Connection(const std::filesystem::path& file, int flags) : name_(file.generic_string()) {
  constexpr int kPatience = 60'000;  // milliseconds to wait for another program that writes
  sqlite3* handle = nullptr;
  const int error = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (error != SQLITE_OK) fail("cannot be opened");
  scenario::note_input(file);
  sqlite3_busy_timeout(handle, kPatience);
}

void Connection::run(const std::string& statements) {
  if (sqlite3_exec(get(), statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("cannot be used");
}

void Connection::fail(const std::string& what) const {
  const int code = sqlite3_errcode(get());
  const std::string suggestion = code == SQLITE_NOTADB     ? "it is no database of pmufab explore"
                                 : code == SQLITE_CANTOPEN ? "is its folder there, and may you write to it?"
                                                           : "";
  throw DatabaseError(fmt::format("the database '{}' {}: {}", name_, what, sqlite3_errmsg(get())), suggestion);
}

Statement::Statement(Connection& connection, const std::string& text) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  const int error = sqlite3_prepare_v2(connection.get(), text.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (error != SQLITE_OK) connection.fail("cannot be used");
}

Statement& Statement::add(const std::string& text) {
  sqlite3_bind_text64(statement_.get(), ++parameters_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::add(std::uint64_t number) {
  sqlite3_bind_int64(statement_.get(), ++parameters_, static_cast<sqlite3_int64>(number));
  return *this;
}

Statement& Statement::add(const std::optional<double>& number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: whole numbers up to it are exact
  ++parameters_;
  if (!number) {
    sqlite3_bind_null(statement_.get(), parameters_);
  } else if (*number == std::floor(*number) && std::abs(*number) <= kExact) {
    sqlite3_bind_int64(statement_.get(), parameters_, static_cast<sqlite3_int64>(*number));
  } else {
    sqlite3_bind_double(statement_.get(), parameters_, *number);
  }
  return *this;
}

bool Statement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) connection_.fail("cannot be used");
  return false;
}

void Statement::run() {
  while (step()) continue;
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  parameters_ = 0;
}

std::string Statement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr ? std::string()
                         : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

std::optional<double> Statement::real(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_double(statement_.get(), column);
}

Transaction::~Transaction() {
  if (is_open_) sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.run("COMMIT");
  is_open_ = false;
}

}  // namespace pmufab::explore
