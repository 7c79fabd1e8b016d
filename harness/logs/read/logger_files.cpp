// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/logger_files.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "harness/base/files/data_names.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/processes/python_package.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/logs/read/empty_cells.hpp"
#include "harness/logs/read/json_log.hpp"

namespace parity::logs {
namespace fs = std::filesystem;
namespace {

/// Returns whether a name is that of a file of events, "...tfevents.TIME...", or ends in .wandb or .parquet.
bool has_name_of_logger(const fs::path& file) {
  constexpr std::string_view events = "tfevents.";
  const std::string name = file.filename().string();
  const size_t at = name.find(events);
  const size_t time = at == std::string::npos ? name.size() : at + events.size();
  return name.ends_with(".wandb") || is_parquet_name(name) ||
         (time < name.size() && name[time] >= '0' && name[time] <= '9');
}

/// Returns whether a file is of a logger. One whose head is damaged still has its name.
bool is_file_of_logger(const fs::path& file) {
  const std::string head = read_head(file, 64);
  return head.find("brain.Event:") != std::string::npos || head.starts_with(":W&B") ||
         head.starts_with("PAR1") || has_name_of_logger(file);
}

bool has_trace(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "trace.h5", error) || fs::exists(folder / "trace.h5.partial", error);
}

/// Most folders between an argument and the file of a run below it; OUTPUT/runs/NAME/FILE has 2.
constexpr int deepest_file = 3;

/// Returns whether folders below hold events or .wandb files: runs of their own, which the reader names.
bool has_runs_below(const fs::path& folder) {
  std::error_code error, ignored;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() == deepest_file)
      at.disable_recursion_pending();
    if (has_name_of_logger(at->path()) && !is_parquet_name(at->path().filename().string()) &&
        at->is_regular_file(ignored))
      return true;
  }
  return false;
}

}  // namespace

bool is_of_logger(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error))
    return is_file_of_logger(path);
  if (!fs::is_directory(path, error) || has_trace(path))
    return false;
  const auto is_one = [&](const fs::directory_entry& entry) {
    return has_name_of_logger(entry.path()) && entry.is_regular_file(error);
  };
  const fs::directory_iterator entries(path, error);
  return std::any_of(begin(entries), end(entries), is_one) || has_runs_below(path);
}

Log read_by_logger(const std::string& path, const NameMap& map) {
  const TemporaryFile converted(fs::temp_directory_path() / "parity-log");
  run_python_package({.words = {"logs", fs::absolute(path).string(), "-o", converted.path().string()},
                      .problem = "cannot read " + escape_to_line(path),
                      .needs = "tensorboard wandb pyarrow",
                      .limit = std::chrono::minutes(30)});
  std::ifstream stream = open_file(converted.path());
  std::string facts;
  std::getline(stream, facts);
  const Json json = read_json(facts);
  Log log = read_json_lines(stream, path, map);
  log.format = json.at("format").get<std::string>();
  if (log.format == "Parquet")  // its nulls are the empty cells of pandas
    fill_empty_cells(log, {});
  for (const Json& note : json.at("notes"))
    log.notes.push_back(escape_to_line(note.get<std::string>(), 500));
  return log;
}

}  // namespace parity::logs
