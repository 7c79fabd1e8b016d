// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/golden_check.hpp"

#include <algorithm>
#include <list>

#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/golden/diff.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/case_file.hpp"
#include "harness/suite/find_cases.hpp"
#include "harness/suite/merge_results.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

const Json& case_in(const Json& results, const std::string& name, const fs::path& out) {
  for (const Json& item : results.at("cases"))
    if (item.at("name") == name)
      return item;
  throw UserError("the last run in " + out.string() + " has no case " + name + "; run: parity run " + name,
                  ExitCode::missing);
}

/// A file that is gone when this object is.
class Scratch {
 public:
  explicit Scratch(const fs::path& folder)
      : path_(folder / ("golden." + std::to_string(::getpid()) + ".scratch.h5")) {}
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
  for (const fs::path& file : {before, after})
    if (!fs::exists(file))
      throw UserError("there is no golden " + file.string() + "; make it with: parity golden record",
                      ExitCode::missing);
  const std::string text = golden_diff(before, after);
  return {text.empty(), text.empty() ? "identical\n" : text};
}

GoldenDiff diff_with_last_run(const std::string& wanted, const fs::path& root, const fs::path& out) {
  const std::vector<fs::path> files = find_case_files({{wanted}, {}}, root);
  if (files.size() != 1)
    throw UserError("'" + wanted + "' names " + std::to_string(files.size()) + " cases; name one");
  const Case source = read_case(files.front());
  const Json results = read_results(out);
  std::list<Trace> traces;
  std::map<std::string, ArmEvidence> evidence;
  for (const Json& arm : case_in(results, source.name, out).at("arms")) {
    const std::string name = arm.at("name");
    if (std::find(source.golden.arms.begin(), source.golden.arms.end(), name) == source.golden.arms.end())
      continue;
    traces.push_back(Trace::open(out / arm.at("trace").get<std::string>()));
    evidence[name].trace = &traces.back();
    if (!arm.at("twin").is_string())
      continue;
    traces.push_back(Trace::open(out / "runs" / arm.at("twin").get<std::string>()));
    evidence[name].twin = &traces.back();
  }
  const Scratch scratch(out);
  record_golden(scratch.path(), {source.name, "parity", "", ""}, evidence);
  return diff_files(source.golden_file, scratch.path());
}

}  // namespace parity
