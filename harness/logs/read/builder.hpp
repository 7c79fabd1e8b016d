// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/logs/channel_names.hpp"
#include "harness/logs/log.hpp"
#include "harness/logs/read/attempts.hpp"
#include "harness/logs/read/left_out.hpp"
#include "harness/logs/read/line_reader.hpp"

namespace parity::logs {

/// Collects the values of a log in the order of the file.
class Builder {
 public:
  Builder(const LineReader& place, std::string format, NameMap map)
      : place_(place), format_(std::move(format)), map_(std::move(map)) {}

  /// Returns the index of a name of the log, for add().
  /// \throws UserError for a name that no channel can have, or for too many names
  size_t column(const std::string& name);
  /// Adds a value. \throws UserError for too many values
  void add(int64_t step, size_t column, double value);
  void add(int64_t step, const std::string& name, double value) { add(step, column(name), value); }
  /// Returns whether a column measures time, speed or memory.
  bool is_timing(size_t column) const { return columns_[column].named.kind == trace::ChannelKind::timing; }
  void note(std::string text) { notes_.push_back(std::move(text)); }
  /// Returns what collects the values that are not plain numbers. finish() makes notes of them.
  LeftOut& left_out() { return left_out_; }

  /// States that the rows from here on count steps by this name.
  /// \throws UserError if other rows count by another name, unless the user mapped both to "step"
  void count_by(const std::string& name);
  const NameMap& map() const { return map_; }

  /// Returns the log. Of a repeated step, the value that came last counts, and a note says so. Where the run
  /// went back to an earlier step, values from there on that came before are left out.
  /// \throws UserError if no value was added, or two names are one channel
  Log finish();

 private:
  struct Column {
    std::string name;
    Named named;
    std::vector<int64_t> steps;
    std::vector<double> values;
    Attempts::Begins begins;
    bool ascending = true;
  };
  /// Returns the columns: those that the user named, then in the order of the table of names.
  std::vector<Column*> in_order_of_names();
  void insert(Log& log, Column& column) const;
  /// Removes the values that a resumed run has replaced. Returns their steps.
  std::vector<int64_t> drop_replaced();

  const LineReader& place_;
  std::string format_;
  NameMap map_;
  std::map<std::string, size_t> index_;
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  LeftOut left_out_;
  Attempts attempts_;
  std::string step_name_;
  size_t values_ = 0;
};

}  // namespace parity::logs
