// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/read_log.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/logs/read/json_log.hpp"
#include "harness/logs/read/line_reader.hpp"
#include "harness/logs/read/logger_files.hpp"
#include "harness/logs/read/table_log.hpp"
#include "harness/logs/read/text_log.hpp"

namespace parity::logs {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr size_t most_of_stdin = 1U << 30U;

/// Returns whether a line begins a JSON object; Python's {'loss': ...} does not.
bool begins_object(std::string_view line) {
  const size_t next = line.find_first_not_of(" \t", 1);
  return line.front() == '{' && (next == std::string_view::npos || line[next] != '\'');
}

/// Returns whether a text begins a JSON list of objects; "[rank0]: ..." and "[2026-11-28 ..." do not.
bool begins_list(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos || text[begin] != '[')
    return false;
  const size_t next = text.find_first_not_of(blanks, begin + 1);
  return next == std::string_view::npos || text[next] == '{' || text[next] == ']';
}

/// Returns the kind of a log by its first line that is not empty.
std::string recognise(const fs::path& path, const std::string& file, const NameMap& map) {
  constexpr size_t head = 4096;
  if (begins_list(read_head(path, head)))
    return "json";
  std::ifstream stream = open_file(path);
  LineReader lines(stream, file);
  std::string line;
  while (lines.next(line)) {
    if (lines.number() == 1 && line.starts_with(byte_order_mark))
      line.erase(0, byte_order_mark.size());
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos)
      continue;
    if (begins_object(line.substr(begin))) {
      const bool whole = line.back() == '}' && line.find("\"log_history\"") == std::string::npos;
      return whole ? "jsonl" : "trainer_state";
    }
    return is_table_header(line, map) ? "csv" : "text";
  }
  throw UserError("cannot read " + escape_to_line(file) +
                  " (the file is empty); give a log with at least one step");
}

/// Copies the standard input to a file, since a log is read twice.
void keep_stdin(const fs::path& file) {
  std::ofstream out(file, std::ios::binary);
  std::array<char, 65536> block{};
  size_t total = 0;
  while (std::cin.read(block.data(), block.size()) || std::cin.gcount() > 0) {
    total += static_cast<size_t>(std::cin.gcount());
    if (total > most_of_stdin)
      throw UserError("cannot read the standard input (longer than 1 GiB); write it to a file");
    if (!out.write(block.data(), std::cin.gcount()))
      throw_cannot_write(file);
  }
}

Log read_file_as(const fs::path& path, const std::string& name, const ReadOptions& options) {
  std::string kind = options.kind.empty() && !options.pattern.empty() ? "text" : options.kind;
  if (kind.empty())
    kind = recognise(path, name, options.map);
  std::ifstream stream = open_file(path);
  if (kind == "jsonl")
    return read_json_lines(stream, name, options.map);
  if (kind == "json")
    return read_json_list(stream, name, options.map);
  if (kind == "csv" || kind == "tsv")
    return read_table(stream, name, options.map);
  if (kind == "trainer_state")
    return read_trainer_state(stream, name, options.map);
  if (kind == "text")
    return read_text(stream, name, options.pattern, options.map);
  throw UserError("cannot read a log as '" + escape_to_line(kind) + "' (no such kind)" +
                  suggestion(kind, {"jsonl", "json", "csv", "tsv", "trainer_state", "text"}));
}

}  // namespace

bool is_log(const std::string& path) {
  std::error_code error;
  if (path == "-")
    return true;
  const bool trace_name = path.ends_with(".h5") || path.ends_with(".partial");
  if (trace_name)
    return false;
  if (is_of_logger(path))
    return true;
  if (!fs::is_regular_file(path, error))
    return false;
  return read_head(path, hdf5_signature.size()) != hdf5_signature;
}

Log read_log(const std::string& path, const ReadOptions& options) {
  if (path != "-" && options.kind.empty() && is_of_logger(path))
    return read_by_logger(path, options.map);
  if (path != "-")
    return read_file_as(path, path, options);
  const TemporaryFile kept(fs::temp_directory_path() / "parity-stdin");
  keep_stdin(kept.path());
  return read_file_as(kept.path(), "-", options);
}

}  // namespace parity::logs
