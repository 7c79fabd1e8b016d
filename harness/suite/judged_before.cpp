// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judged_before.hpp"

#include "harness/base/error.hpp"
#include "harness/suite/goldens/stored_power.hpp"
#include "harness/suite/plan/run_files.hpp"
#include "harness/suite/results/orders.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

std::string judging_program(ContentHashes& hashes) {
  return hashes.of_program(fs::read_symlink("/proc/self/exe"));
}

std::string judged_from(const PlannedCase& planned, const std::map<std::string, RunResult>& runs,
                        const RunStore& store, ContentHashes& hashes, const fs::path& out,
                        golden::DriftMode drift, const std::string& program) {
  Json traces = Json::object();
  for (const PlannedArm& arm : planned.arms) {
    std::vector<std::string> ids = {arm.run};
    for (const std::string& twin : {arm.twin, arm.exact})
      if (!twin.empty())
        ids.push_back(twin);
    for (const PlannedRepetition& each : arm.repetitions)
      ids.push_back(each.id);
    for (const std::string& id : ids) {
      if (!runs.at(id).complete())
        return "";
      traces[id] = state_of_run(store.folder(id));
    }
  }
  const Case& source = planned.source;
  Json siblings = Json::object();
  for (const compare::Check& check : source.checks)
    if (check.sibling && fs::exists(check.sibling->golden))
      siblings[check.sibling->golden.generic_string()] = hashes.of_file(check.sibling->golden);
  const auto power = stored_power(source, out);
  const fs::path orders = orders_file(source, out);
  const Json all = {{"program", program},
                    {"here", fs::current_path().string()},  // sentences name paths from there
                    {"file", source.file.generic_string()},
                    {"place", fs::absolute(source.file).lexically_normal().generic_string()},
                    {"case", hashes.of_file(source.file)},
                    {"checks", source.checks.size()},
                    {"golden_arms", source.golden.arms},
                    {"settings", source.settings},
                    {"golden", fs::exists(source.golden_file) ? hashes.of_file(source.golden_file) : ""},
                    {"siblings", siblings},
                    {"drift", name_of(drift)},
                    {"power", power ? power->sentence : ""},
                    {"orders", source.problem && fs::exists(orders) ? hashes.of_file(orders) : ""},
                    {"traces", traces},
                    {"out", out.generic_string()}};
  return content_hash(all.dump());
}

std::optional<KeptCase> judged_before(const std::string& case_name, const std::string& from,
                                      const fs::path& out) {
  if (from.empty())
    return std::nullopt;
  auto before = kept_case(case_name, out);
  return before && before->judged_from == from ? std::move(before) : std::nullopt;
}

}  // namespace parity::suite
