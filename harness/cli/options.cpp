// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/nearest.hpp"
#include "harness/base/say.hpp"
#include "harness/suite/cases/file.hpp"
#include "harness/suite/cases/names.hpp"
#include "harness/suite/goldens/unused_goldens.hpp"
#include "harness/suite/plan/machine.hpp"
#include "harness/suite/runs/cache.hpp"
#include "parity/build_facts.hpp"

namespace parity::cli {
namespace fs = std::filesystem;

fs::path find_trainer(const std::string& given) {
  if (!given.empty())
    return given;
  if (const char* variable = std::getenv("PARITY_TRAINER"); variable && *variable)
    return variable;
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / "parity-train";
}

namespace {

[[noreturn]] void complain_about_tags(const CaseFilter& filter, const std::vector<std::string>& known) {
  for (const std::string& tag : filter.tags)
    if (std::find(known.begin(), known.end(), tag) == known.end())
      throw UserError(fmt::format("no case has the tag '{}'{}", tag, suggestion(tag, known)));
  throw UserError(fmt::format("no case matches --tag and --not-tag; known tags{}; see: parity list",
                              suggestion("", known).substr(7)));
}

}  // namespace

void add_trainer_option(CLI::App& app, std::string& trainer) {
  app.add_option("--trainer", trainer,
                 "Path of parity-train (default: $PARITY_TRAINER, else parity-train next to parity)")
      ->type_name("PATH");
}

void add_drift_option(CLI::App& app, std::string& drift) {
  app.add_option("--drift", drift,
                 "How to treat rounding differences caused by a different machine or library: notice or fail")
      ->type_name("DRIFT")
      ->capture_default_str();
}

void add_golden_size_option(CLI::App& app, std::string& limit) {
  app.add_option("--max-total-size", limit,
                 "Largest total size of all goldens (K, M, G, T); checked if all cases are selected")
      ->type_name("SIZE")
      ->capture_default_str();
}

ConfigSchema trainer_schema(const std::string& given) {
  fs::path file = find_trainer(given);
  file += ".schema.json";
  return ConfigSchema::load(file);
}

void CaseOptions::add_to(CLI::App& app) {
  app.add_option("CASE", filter.what, "Case files, folders, names or globs over names (default: all)");
  app.add_option("--tag", filter.tags, "Select only cases with this tag; may be repeated")
      ->type_name("TAG")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--not-tag", filter.without_tags, "Leave out cases with this tag; may be repeated")
      ->type_name("TAG")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--cases", root, "Folder of the cases")->type_name("DIR")->capture_default_str();
}

std::vector<Case> CaseOptions::read() const {
  std::vector<Case> cases;
  std::set<std::string> tags;
  for (const fs::path& file : find_case_files(filter, root)) {
    Case item = read_case(file);
    tags.insert(item.tags.begin(), item.tags.end());
    if (has_wanted_tag(filter, item.tags))
      cases.push_back(std::move(item));
  }
  if (cases.empty())
    complain_about_tags(filter, {tags.begin(), tags.end()});
  make_names_unique(cases);
  return cases;
}

std::vector<fs::path> CaseOptions::unused_goldens() const {
  return filter.everything() ? parity::unused_goldens(root) : std::vector<fs::path>();
}

std::optional<GoldenSizes> CaseOptions::golden_sizes(const std::string& limit) const {
  const uint64_t bytes = parse_bytes(limit);
  if (!filter.everything())
    return std::nullopt;
  return parity::golden_sizes(root, bytes);
}

std::vector<Case> CaseOptions::read_to_run() const {
  std::vector<Case> cases;
  std::vector<std::string> left_out;
  for (Case& item : read()) {
    if (is_left_out(filter, item.tags))
      left_out.push_back(item.name);
    else
      cases.push_back(std::move(item));
  }
  if (cases.empty())
    throw UserError(fmt::format(
        "cannot select cases (all of them, such as {}, have the tag slow); name them, or add --tag slow",
        left_out.front()));
  if (!left_out.empty())
    say("left out: {} (tag slow; name it, or add --tag slow)\n", fmt::join(left_out, ", "));
  return cases;
}

void RunOptions::add_to(CLI::App& app) {
  app.add_option("--out", out, "Folder for results, report and runs")
      ->type_name("DIR")
      ->capture_default_str();
  add_trainer_option(app, trainer);
  app.add_option("-j,--jobs", jobs, "Number of core slots; a run takes ranks x threads (default: all cores)")
      ->type_name("N");
  app.add_flag("--no-cache", no_cache, "Run everything again, without cached runs");
  app.add_option("--cache-size", cache_size,
                 "Largest size of OUT/runs (K, M, G, T); the least recently used runs are dropped")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_flag("--keep-traces", keep_traces,
               "Never drop runs of these cases (default: runs of passed cases are dropped last)");
  app.add_flag("--json", json, "Print the results as JSON");
}

SuiteOptions RunOptions::suite_options() const {
  if (jobs && *jobs < 1)
    throw UserError(fmt::format("invalid --jobs {} (a run needs a core); omit it to use every core", *jobs));
  SuiteOptions options;
  options.out = fs::path(out).lexically_normal();
  options.trainer = find_trainer(trainer);
  options.jobs = jobs.value_or(core_count());
  options.use_cache = !no_cache;
  options.cache_bytes = parse_bytes(cache_size);
  options.keep_traces = keep_traces;
  options.producer = producer();
  options.command = own_command_line();
  return options;
}

std::vector<std::string> own_command_line() {
  const std::string raw = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (size_t begin = 0; begin < raw.size();) {
    const size_t end = std::min(raw.find('\0', begin), raw.size());
    words.push_back(raw.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!words.empty())
    words[0] = fs::path(words[0]).filename().string();
  return words;
}

Json producer() {
  return {{"name", "parity"},
          {"version", build_facts::version},
          {"commit", build_facts::commit},
          {"dirty", build_facts::dirty}};
}

}  // namespace parity::cli
