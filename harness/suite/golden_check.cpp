// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/golden_check.hpp"

#include <algorithm>
#include <optional>

#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/golden/diff.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/case_file.hpp"
#include "harness/suite/find_cases.hpp"
#include "harness/suite/last_results.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

/// A file that is gone when this object is.
class Scratch {
 public:
  Scratch(const fs::path& folder, const std::string& name)
      : path_(folder / ("golden." + name + "." + std::to_string(::getpid()) + ".h5")) {}
  ~Scratch() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

std::vector<Case> only_goldens(std::vector<Case> cases) {
  std::erase_if(cases, [](const Case& item) { return item.golden.arms.empty(); });
  for (Case& item : cases) {
    item.checks.clear();
    item.check_places.clear();
    const auto unused = [&](const Arm& arm) {
      return std::find(item.golden.arms.begin(), item.golden.arms.end(), arm.name) == item.golden.arms.end();
    };
    // A command may read the trace of an arm that the golden leaves out.
    if (std::none_of(item.arms.begin(), item.arms.end(), [](const Arm& arm) { return arm.is_command(); }))
      std::erase_if(item.arms, unused);
    if (std::none_of(item.arms.begin(), item.arms.end(),
                     [&](const Arm& a) { return a.name == item.reference; }))
      item.reference = item.arms.front().name;
  }
  return cases;
}

GoldenDiff diff_files(const fs::path& before, const fs::path& after) {
  const bool identical = read_golden(before).stored_digest == read_golden(after).stored_digest;
  return {identical, golden_diff(before, after)};
}

GoldenDiff diff_with_last_run(const std::string& wanted, const fs::path& root, const fs::path& out) {
  const std::vector<fs::path> files = find_case_files({{wanted}, {}}, root);
  if (files.size() != 1)
    throw UserError("'" + wanted + "' names " + std::to_string(files.size()) + " cases; name one");
  const Case source = read_case(files.front());
  Golden stored = read_golden(source.golden_file);
  Golden now{{source.name, "parity", "", ""}, "", {}};
  const Json results = last_results(source.name, out);
  for (const Json& arm : results.at("arms")) {
    const std::string name = arm.at("name");
    if (std::find(source.golden.arms.begin(), source.golden.arms.end(), name) == source.golden.arms.end())
      continue;
    const Trace trace = Trace::open(out / arm.at("trace").get<std::string>());
    std::optional<Trace> twin;
    if (arm.at("twin").is_string())
      twin = Trace::open(out / "runs" / arm.at("twin").get<std::string>());
    now.arms[name] = content_of({&trace, twin ? &*twin : nullptr, false, 0});
    // Comparing needs no twin while bits agree; where the run has none, the stored one is left out too.
    if (const auto old = stored.arms.find(name); !twin && old != stored.arms.end())
      old->second.twin.reset();
    else if (old != stored.arms.end() && !old->second.twin)
      now.arms[name].twin.reset();
  }
  const Scratch before(out, "stored");
  const Scratch after(out, "now");
  write_golden(before.path(), stored);
  write_golden(after.path(), now);
  return diff_files(before.path(), after.path());
}

}  // namespace parity
