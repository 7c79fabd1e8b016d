// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/last.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/results/read_case.hpp"
#include "harness/results/write_case.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view twin_suffix = ":float64";

fs::path file_of(const std::string& case_name, const fs::path& out) {
  return out / "cases" / (case_name + ".json");
}

const results::Arm& arm_in(const results::Case& item, const std::string& name) {
  if (const results::Arm* arm = item.find_arm(name))
    return *arm;
  std::vector<std::string> known;
  for (const results::Arm& arm : item.arms)
    known.push_back(arm.name);
  throw UserError("case " + item.name + " has no arm '" + name + "'" + suggestion(name, known));
}

/// Returns the names of the cases whose results are kept in a folder.
std::vector<std::string> kept_names(const fs::path& out) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = out / "cases";
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".json")
      names.push_back(at->path().lexically_relative(folder).replace_extension().generic_string());
  std::ranges::sort(names);
  return names;
}

/// Returns " (did you mean 'lr/warmup_index'?)" if a case with a near name has run.
std::string near_case(const std::string& case_name, const fs::path& out) {
  const std::string near = nearest(case_name, kept_names(out));
  return near.empty() ? "" : " (did you mean " + parity::quoted(near) + "?)";
}

/// Requires that words without an arm, which name no file, are no case and not like one.
void refuse_case_without_arm(const std::string& words, const fs::path& out) {
  const std::vector<std::string> names = kept_names(out);
  const bool known = std::ranges::find(names, words) != names.end();
  const std::string name = known ? words : nearest(words, names);
  if (name.empty())
    return;
  std::vector<std::string> arms;
  for (const results::Arm& arm : last_results(name, out).arms)
    arms.push_back(name + ":" + arm.name);
  throw UserError(fmt::format("cannot read {} ({}); name a run of the case: {}", parity::quoted(words),
                              known ? "it is a case, not one run" : "no such file", fmt::join(arms, ", ")),
                  ExitCode::missing);
}

/// Returns the text of a case's file; "" if there is none.
std::string kept_text(const std::string& case_name, const fs::path& out) {
  const fs::path file = file_of(case_name, out);
  std::error_code error;
  return fs::is_regular_file(file, error) ? read_file(file) : "";
}

// {"seal": "...", "results": {...}}: the digest is of the results as they are written, which are read once.
std::string sealed(const std::string& results) {
  return fmt::format("{{\"seal\":\"{}\",\"results\":{}}}\n", content_hash(results), results);
}

/// Returns the results in a case's file; "" if they do not have the digest that is beside them.
std::string_view unsealed(std::string_view text) {
  constexpr std::string_view before = "\"results\":", after = "}\n";
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos || !text.ends_with(after))
    return {};
  const std::string_view results =
      text.substr(begin + before.size(), text.size() - begin - before.size() - after.size());
  return sealed(std::string(results)) == text ? results : std::string_view();
}

}  // namespace

void keep_results(const results::Case& item, const fs::path& out) {
  write_file(file_of(item.name, out), sealed(json_text(results::to_json(item))));
}

results::Case last_results(const std::string& case_name, const fs::path& out) {
  const Json kept = read_json(kept_text(case_name, out));
  if (!kept.is_object() || !kept.contains("results"))
    throw UserError("no run of " + case_name + " is in " + out.string() + near_case(case_name, out) +
                        " (a case is known there once it has run); run: parity run " + case_name,
                    ExitCode::missing);
  try {
    return results::read_case(kept["results"]);
  } catch (const UserError& problem) {
    throw UserError(file_of(case_name, out).string() + " is damaged or of another version of parity (" +
                    problem.what() + "); run: parity run " + case_name);
  }
}

std::optional<results::Case> sealed_results(const std::string& case_name, const fs::path& out) try {
  const std::string text = kept_text(case_name, out);
  const Json kept = read_json(unsealed(text));
  return kept.is_object() ? std::optional(results::read_case(kept)) : std::nullopt;
} catch (const UserError&) {
  return std::nullopt;  // damaged
}

fs::path find_trace(const std::string& words, const fs::path& out) {
  std::error_code error;
  std::string name = words;
  const bool twin = name.ends_with(twin_suffix);
  if (twin)
    name.resize(name.size() - twin_suffix.size());
  const size_t colon = name.find(':');
  if (fs::exists(words, error))
    return words;
  if (colon == std::string::npos) {
    refuse_case_without_arm(words, out);
    return words;
  }
  const results::Case item = last_results(name.substr(0, colon), out);
  const results::Arm& arm = arm_in(item, name.substr(colon + 1));
  if (!twin)
    return out / arm.trace;
  if (arm.twin.empty())
    throw UserError(name +
                        " had no float64 twin in its last run (golden verify runs none, stored evidence may "
                        "replace it, and not every check needs one); " +
                        "run it with --evidence again, or name it without " + std::string(twin_suffix),
                    ExitCode::missing);
  return out / "runs" / arm.twin;
}

}  // namespace parity::suite
