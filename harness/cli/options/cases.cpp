// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options/cases.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/suite/cases/names.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/goldens/unused_goldens.hpp"
#include "harness/suite/runs/cache.hpp"

namespace parity::cli {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_tags(const suite::CaseFilter& filter, const std::vector<std::string>& known) {
  for (const std::string& tag : filter.tags)
    if (std::find(known.begin(), known.end(), tag) == known.end())
      throw UserError(fmt::format("no case has the tag '{}'{}", tag, suggestion(tag, known)));
  throw UserError(fmt::format("no case matches --tag and --not-tag; known tags{}; see: parity list",
                              suggestion("", known).substr(7)));
}

/// Returns up to three names, or how many there are.
std::string few_or_count(const std::vector<std::string>& names) {
  return names.size() <= 3 ? fmt::format("{}", fmt::join(names, ", "))
                           : fmt::format("{} cases", names.size());
}

/// Names the slow cases that a folder or glob selected, since nobody named them.
void say_slow(const suite::CaseFilter& filter, const std::vector<suite::Case>& cases) {
  if (cases.size() <= filter.what.size() || std::ranges::find(filter.tags, "slow") != filter.tags.end())
    return;
  std::vector<std::string> names;
  for (const suite::Case& item : cases)
    if (std::ranges::find(item.tags, "slow") != item.tags.end())
      names.push_back(item.name);
  if (!names.empty())
    say("includes {} with the tag slow; leave {} out with --not-tag slow\n", few_or_count(names),
        names.size() == 1 ? "it" : "them");
}

/// Gives the cases that have a virtual environment another one.
void use_venv(std::vector<suite::Case>& cases, const std::string& venv) {
  const fs::path python = (fs::absolute(venv) / "bin" / "python").lexically_normal();
  if (!fs::exists(python))
    throw UserError(fmt::format("cannot use --venv {} (there is no {}); make one with: python3 -m venv {}",
                                venv, python.string(), venv));
  size_t changed = 0;
  for (suite::Case& item : cases)
    if (!item.python.interpreter.empty()) {
      item.python.interpreter = python;
      ++changed;
    }
  if (changed == 0)
    throw UserError(
        "cannot use --venv (no selected case has a table [python]); select one that does, or leave it out");
}

}  // namespace

void CaseOptions::add_to(CLI::App& app) {
  app.add_option("CASE", filter.what, "Case files, folders, names or globs over names (default: all)");
  add_repeated(app, "--tag", filter.tags, "Select only cases with this tag; may be repeated", "TAG");
  add_repeated(app, "--not-tag", filter.without_tags, "Leave out cases with this tag; may be repeated",
               "TAG");
  app.add_option("--cases", root, "Folder of the cases")->type_name("DIR")->capture_default_str();
}

void CaseOptions::add_venv_to(CLI::App& app) {
  app.add_option(
         "--venv", venv,
         "Virtual environment for the cases that have a table [python], in place of their own: another "
         "version of a library against the same goldens")
      ->type_name("DIR");
}

std::vector<suite::Case> CaseOptions::read() const {
  std::vector<suite::Case> cases;
  std::set<std::string> tags;
  for (const fs::path& file : find_case_files(filter, root)) {
    suite::Case item = suite::read_case(file);
    tags.insert(item.tags.begin(), item.tags.end());
    if (has_wanted_tag(filter, item.tags))
      cases.push_back(std::move(item));
  }
  if (cases.empty())
    refuse_tags(filter, {tags.begin(), tags.end()});
  make_names_unique(cases);
  return cases;
}

std::vector<fs::path> CaseOptions::unused_goldens() const {
  return filter.everything() ? suite::unused_goldens(root) : std::vector<fs::path>();
}

std::optional<suite::GoldenSizes> CaseOptions::golden_sizes(const std::string& limit) const {
  const uint64_t bytes = suite::parse_bytes(limit);
  if (!filter.everything())
    return std::nullopt;
  return suite::golden_sizes(root, bytes);
}

std::vector<suite::Case> CaseOptions::read_to_run() const {
  std::vector<suite::Case> cases;
  std::map<std::string, std::vector<std::string>> left_out;  // by the tag that nobody asked for
  for (suite::Case& item : read()) {
    if (const std::optional<std::string> tag = unasked_tag(filter, item.tags))
      left_out[*tag].push_back(item.name);
    else
      cases.push_back(std::move(item));
  }
  if (cases.empty()) {
    const auto& [tag, names] = *left_out.begin();
    throw UserError(fmt::format("cannot select cases ({} has the tag {}); name it, or add --tag {}",
                                names.front(), tag, tag));
  }
  say_slow(filter, cases);
  if (!venv.empty())
    use_venv(cases, venv);
  for (const auto& [tag, names] : left_out)
    say("left out: {} (tag {}; {}, or add --tag {})\n", few_or_count(names), tag,
        names.size() == 1 ? "name it" : "name them", tag);
  return cases;
}

void add_golden_size_option(CLI::App& app, std::string& limit) {
  app.add_option("--max-total-size", limit,
                 "Largest total size of all goldens (K, M, G, T); checked if all cases are selected")
      ->type_name("SIZE")
      ->capture_default_str();
}

}  // namespace parity::cli
