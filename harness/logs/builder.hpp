// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/logs/channel_names.hpp"
#include "harness/logs/line_reader.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// Collects the values of a log in the order of the file.
class Builder {
 public:
  Builder(const LineReader& place, std::string format, NameMap map)
      : place_(place), format_(std::move(format)), map_(std::move(map)) {}

  /// Adds a value. The name is the log's. \throws UserError for a name that no channel can have, for too many
  /// channels or values
  void add(int64_t step, const std::string& name, double value);
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// Returns the log. Of a repeated step, the value that came last counts, and a note says so.
  /// \throws UserError if no value was added, a mapped name is absent, or two names are one channel
  Log finish();

 private:
  struct Column {
    Named named;
    std::vector<std::pair<int64_t, double>> rows;
  };
  Column& column(const std::string& name);
  /// Returns the columns: those that the user named, then in the order of the table of names.
  std::vector<std::pair<std::string, Column*>> in_order_of_names();

  const LineReader& place_;
  std::string format_;
  NameMap map_;
  std::map<std::string, Column> columns_;
  std::vector<std::string> notes_;
  size_t values_ = 0;
};

}  // namespace parity::logs
