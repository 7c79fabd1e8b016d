// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/earlier.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/utc.hpp"
#include "harness/suite/results/file/merge.hpp"
#include "harness/suite/results/file/writer.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// The rows of a results.json.
struct Rows {
  std::set<std::string> keys;
  std::string started;
};

std::set<std::string> rows_of_cases(const JsonItems& cases, const fs::path& folder) {
  std::set<std::string> keys;
  for (size_t i = 0; i < cases.size(); ++i)
    if (const results::Case item = read_case_results(cases, i, folder); !item.file.empty())
      keys.insert(row_key(item));
  return keys;
}

/// Returns the rows of a folder's results; none if they are missing or damaged.
std::optional<Rows> rows_in(const fs::path& folder) try {
  const JsonItems cases = read_results(folder);
  const Json rows = cases.rest().value("rows", Json());
  return Rows{rows.is_array() ? rows.get<std::set<std::string>>() : rows_of_cases(cases, folder),
              text_or(cases.rest(), "started")};
} catch (const UserError&) {
  return std::nullopt;
} catch (const Json::exception&) {
  return std::nullopt;
}

bool all_in(const std::set<std::string>& keys, const std::set<std::string>& newer) {
  return std::ranges::includes(newer, keys);
}

/// Returns a folder below OUT/earlier that does not exist yet, with the time as its name.
fs::path new_folder(const fs::path& out, const std::string& started) {
  std::string name = started.empty() ? utc_of_file(out / "results.json") : started;
  for (char& each : name)
    if (std::isalnum(static_cast<unsigned char>(each)) == 0)
      each = '-';
  fs::path folder = out / "earlier" / name;
  for (int again = 2; fs::exists(folder); ++again)
    folder = out / "earlier" / fmt::format("{}.{}", name, again);
  return folder;
}

std::vector<fs::path> kept_reports(const fs::path& out) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator at(out / "earlier", error), end; !error && at != end; at.increment(error))
    folders.push_back(at->path());
  std::ranges::sort(folders, std::greater());  // newest first
  return folders;
}

/// Copies a folder's results to another. \return whether they could be read
bool copied(const fs::path& out, const fs::path& folder) try {
  merge_results({out}, folder);
  return true;
} catch (const UserError&) {
  fs::remove_all(folder);
  return false;
}

/// Removes each kept report whose rows are all in newer ones.
void drop_replaced(const fs::path& out, std::set<std::string> newer) {
  for (const fs::path& folder : kept_reports(out)) {
    const std::optional<Rows> rows = rows_in(folder);
    if (!rows)
      continue;
    if (all_in(rows->keys, newer))
      fs::remove_all(folder);
    newer.insert(rows->keys.begin(), rows->keys.end());
  }
}

}  // namespace

std::optional<EarlierReport> keep_earlier_report(const std::set<std::string>& next, const fs::path& out) {
  const std::optional<Rows> rows = rows_in(out);
  std::optional<EarlierReport> kept;
  if (rows && !all_in(rows->keys, next)) {
    const fs::path folder = new_folder(out, rows->started);
    if (copied(out, folder))
      kept = EarlierReport{folder, rows->keys.size(), rows->started};
  }
  drop_replaced(out, next);
  return kept;
}

}  // namespace parity::suite
