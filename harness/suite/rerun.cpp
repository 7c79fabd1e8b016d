// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/rerun.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/suite/cases/read/setting.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/file/merge.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

fs::path place_in_suite(const fs::path& file) {
  std::error_code error;
  return fs::weakly_canonical(file, error);
}

bool held(const results::Case& item) {
  const CaseOutcome outcome = outcome_of(item);
  return outcome.passed && !outcome.skipped && outcome.code == ExitCode::agree;
}

const LastCase* find_in(const std::vector<LastCase>& cases, const Case& item) {
  const auto found = std::ranges::find_if(cases, [&](const LastCase& each) { return each.is(item); });
  return found == cases.end() ? nullptr : &*found;
}

bool is_newer(const fs::path& file, fs::file_time_type time) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(file, error);
  return error || written > time;
}

/// Returns when a run began whose results were just written.
fs::file_time_type began_before(const fs::path& results, double seconds) {
  std::error_code error;
  const fs::file_time_type ended = fs::last_write_time(results, error);
  const auto took = std::chrono::ceil<fs::file_time_type::duration>(std::chrono::duration<double>(seconds));
  return error ? fs::file_time_type::min() : ended - took;
}

Case changed(Case item, const std::vector<std::string>& settings) {
  std::vector<Case> one = {std::move(item)};
  apply_settings(one, settings);
  return std::move(one.front());
}

}  // namespace

bool LastCase::is(const Case& item) const {
  return file.empty() ? name == item.name : place_in_suite(file) == place_in_suite(item.file);
}

LastRun last_run(const fs::path& out) try {
  LastRun last;
  const JsonItems last_suite = read_results(out);
  std::vector<std::string> settings;
  for (size_t i = 0; i < last_suite.size(); ++i) {
    const results::Case item = read_case_results(last_suite, i, out);
    settings = item.settings;
    if (!item.file.empty())  // else it reports on all goldens, which every suite checks again
      (held(item) ? last.held : last.open).push_back({item.name, item.file, settings});
  }
  for (const std::string& name : last_suite.rest().value("unfinished", std::vector<std::string>()))
    last.open.push_back({name, "", settings});
  const auto words = last_suite.rest().value("command", std::vector<std::string>());
  last.proved = std::ranges::find(words, "--prove") != words.end();
  last.began = began_before(out / "results.json", number_or(last_suite.rest(), "seconds", 0));
  last.missing_shards = last_suite.rest().value("missing_shards", std::vector<int64_t>());
  return last;
} catch (const Json::exception& error) {
  throw UserError(
      fmt::format("cannot read the results in {} ({}); run the suite again", out.string(), error.what()));
}

std::vector<Case> not_held(std::vector<Case> cases, const LastRun& last,
                           const std::vector<std::string>& settings) {
  std::vector<Case> chosen;
  for (Case& item : cases) {
    if (const LastCase* open = find_in(last.open, item)) {
      chosen.push_back(changed(std::move(item), open->settings));
      continue;
    }
    const LastCase* before = find_in(last.held, item);
    if (before == nullptr || before->settings != settings || is_newer(item.file, last.began))
      chosen.push_back(std::move(item));
  }
  return chosen;
}

}  // namespace parity::suite
