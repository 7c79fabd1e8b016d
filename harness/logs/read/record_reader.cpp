// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/record_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace parity::logs {

bool RecordReader::next() {
  if (!lines_.next(line_))
    return false;
  if (line_.find('"') == std::string::npos) {
    split_plain();
    return true;
  }
  text_.clear();
  ends_.clear();
  bool quoted = append(false);
  while (quoted) {
    if (!lines_.next(line_))
      lines_.refuse("a quote that is never closed", "close it");
    if (text_.size() + line_.size() > longest_line)
      lines_.refuse(fmt::format("a record longer than {} bytes", longest_line), "is a quote left open?");
    text_ += '\n';
    quoted = append(true);
  }
  take_cells();
  return true;
}

bool RecordReader::split(std::string line) {
  line_ = std::move(line);
  text_.clear();
  ends_.clear();
  const bool quoted = append(false);
  take_cells();
  return !quoted;
}

void RecordReader::split_plain() {
  const std::string_view line = line_;
  cells_.clear();
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find(separator_, at), line.size());
    cells_.push_back(line.substr(at, end - at));
    at = end + 1;
  }
}

bool RecordReader::append(bool quoted) {
  for (size_t i = 0; i < line_.size(); ++i) {
    const char c = line_[i];
    const bool empty = text_.size() == (ends_.empty() ? 0 : ends_.back());
    if (quoted && c == '"' && i + 1 < line_.size() && line_[i + 1] == '"')
      text_ += line_[++i];
    else if (c == '"' && (quoted || empty))
      quoted = !quoted;
    else if (c == separator_ && !quoted)
      ends_.push_back(text_.size());
    else
      text_ += c;
  }
  return quoted;
}

void RecordReader::take_cells() {
  ends_.push_back(text_.size());
  cells_.clear();
  size_t begin = 0;
  for (const size_t end : ends_) {
    cells_.push_back(std::string_view(text_).substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace parity::logs
