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
#include "harness/suite/results/file/kept.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view twin_suffix = ":float64";

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
  const fs::path file = kept_file(case_name, out);
  std::error_code error;
  return fs::is_regular_file(file, error) ? read_file(file) : "";
}

}  // namespace

results::Case last_results(const std::string& case_name, const fs::path& out) {
  const Json kept = read_json(kept_text(case_name, out));
  if (!kept.is_object() || !kept.contains("results"))
    throw UserError("no run of " + case_name + " is in " + out.string() + near_case(case_name, out) +
                        " (a case is known there once it has run); run: parity run " + case_name,
                    ExitCode::missing);
  try {
    return results::read_case(kept["results"]);
  } catch (const UserError& problem) {
    throw UserError(kept_file(case_name, out).string() + " is damaged or of another version of parity (" +
                    problem.what() + "); run: parity run " + case_name);
  }
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
