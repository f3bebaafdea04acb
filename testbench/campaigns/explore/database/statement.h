// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::explore {

/// A database cannot be read or written.
class DatabaseError : public scenario::InputError {
 public:
  using InputError::InputError;
};

/// An open SQLite file.
class Connection {
 public:
  /// @param flags  of sqlite3_open_v2()
  /// @throws DatabaseError
  Connection(const std::filesystem::path& file, int flags);

  /// Do one or several statements without parameters. @throws DatabaseError
  void run(const std::string& statements);
  [[nodiscard]] sqlite3* get() const noexcept { return handle_.get(); }
  /// @throws DatabaseError with what SQLite says. @param what  could not be done
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A statement with parameters, which are given one after the other, and columns, which are numbered from 0.
class Statement {
 public:
  /// @throws DatabaseError
  Statement(Connection& connection, const std::string& text);

  /// Give the next parameter.
  Statement& add(const std::string& text);
  Statement& add(std::uint64_t number);
  /// A whole number if it is one, so that it reads as one.
  Statement& add(const std::optional<double>& number);
  Statement& add(double number) { return add(std::optional(number)); }
  /// @return true if there is a row, which is there until the next call. @throws DatabaseError
  bool step();
  /// Do it, and make it ready for other values. @throws DatabaseError
  void run();
  /// Make it ready for other values.
  void reset();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] std::optional<double> real(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  Connection& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int parameters_ = 0;  // that were given
};

/// Several statements that happen together or not at all.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) { connection_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction& operator=(Transaction&&) = delete;
  /// @throws DatabaseError
  void commit();

 private:
  Connection& connection_;
  bool is_open_ = true;
};

}  // namespace pmufab::explore
