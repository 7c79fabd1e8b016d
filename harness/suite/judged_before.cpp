// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judged_before.hpp"

#include <algorithm>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/suite/last_results.hpp"
#include "harness/suite/stored_power.hpp"
#include "harness/trace/probe.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

/// The files of a trace: rank 0's and those that the other ranks left beside it.
Json state_of_trace(const fs::path& folder) {
  std::vector<std::string> states;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".h5")
      states.push_back(entry.path().filename().string() + " " + file_state(entry.path()));
  std::sort(states.begin(), states.end());
  return states;
}

}  // namespace

std::string judged_from(const PlannedCase& planned, const std::map<std::string, RunResult>& runs,
                        const RunStore& store, ContentHashes& hashes, const fs::path& out, DriftMode drift) {
  Json traces = Json::object();
  for (const PlannedArm& arm : planned.arms)
    for (const std::string& id : {arm.run, arm.twin}) {
      if (id.empty())
        continue;
      if (!runs.at(id).complete())
        return "";
      traces[id] = state_of_trace(store.folder(id));
    }
  const Case& source = planned.source;
  Json siblings = Json::object();
  for (const Check& check : source.checks)
    if (check.sibling && fs::exists(check.sibling->golden))
      siblings[check.sibling->golden.generic_string()] = hashes.of_file(check.sibling->golden);
  const Json all = {{"program", hashes.of_program(fs::read_symlink("/proc/self/exe"))},
                    {"file", source.file.generic_string()},
                    {"case", hashes.of_file(source.file)},
                    {"checks", source.checks.size()},
                    {"golden_arms", source.golden.arms},
                    {"settings", source.settings},
                    {"golden", fs::exists(source.golden_file) ? hashes.of_file(source.golden_file) : ""},
                    {"siblings", siblings},
                    {"drift", name_of(drift)},
                    {"power", stored_power(source, out)},
                    {"traces", traces},
                    {"out", out.generic_string()}};
  return content_hash(all.dump());
}

std::optional<Json> judged_before(const std::string& case_name, const std::string& from,
                                  const fs::path& out) {
  if (from.empty())
    return std::nullopt;
  try {
    Json results = last_results(case_name, out);
    if (results.value("judged_from", Json()) == from)
      return results;
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;  // none, or one that was damaged: the case is judged
  }
}

}  // namespace parity
