// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/goldens/review.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/golden/diff.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/cases/read/paths.hpp"
#include "harness/suite/goldens/check.hpp"
#include "harness/suite/goldens/git.hpp"
#include "harness/suite/goldens/unused_goldens.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// A golden file in the revision and in the working tree; empty if it does not exist there.
struct Sides {
  fs::path before;
  fs::path after;
};

std::string name_of_golden(const fs::path& below) {
  return fs::path(below).replace_extension("").generic_string();
}

/// Returns every golden of the commit and of the working tree, by case name.
std::map<std::string, Sides> all_goldens(const Git& git, const std::string& commit, const fs::path& folder) {
  std::map<std::string, Sides> goldens;
  for (const std::string& file : git.files(commit, folder.filename()))
    if (file.ends_with(".h5"))
      goldens[name_of_golden(fs::path(file).lexically_relative(folder.filename()))].before = file;
  std::error_code error;
  if (fs::is_directory(folder, error))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == ".h5")
        goldens[name_of_golden(entry.path().lexically_relative(folder))].after = entry.path();
  return goldens;
}

/// Returns the names of the goldens to review.
std::set<std::string> wanted_names(const std::map<std::string, Sides>& goldens,
                                   const std::vector<std::string>& names, const fs::path& folder) {
  std::set<std::string> wanted;
  std::vector<std::string> known;
  for (const auto& entry : goldens)
    known.push_back(entry.first);
  if (names.empty())
    return {known.begin(), known.end()};
  for (const std::string& asked : names) {
    const std::string name =
        asked.ends_with(".toml") ? name_of_golden(golden_file_of(asked).lexically_relative(folder)) : asked;
    const size_t before = wanted.size();
    for (const std::string& candidate : known)
      if (glob_match(name, candidate) || candidate.starts_with(name + "/"))
        wanted.insert(candidate);
    if (wanted.size() == before)
      throw UserError(fmt::format("no golden belongs to a case '{}'{}", asked, suggestion(asked, known)));
  }
  return wanted;
}

std::string state_of(const ReviewedGolden& golden) {
  if (!golden.before || !golden.after)
    return golden.after ? "added" : "removed";
  return same_values(golden.before->arms, golden.after->arms) ? "same values" : "changed";
}

std::string counts(const GoldenReview& review) {
  std::map<std::string, size_t> numbers;
  for (const ReviewedGolden& golden : review.goldens)
    ++numbers[state_of(golden)];
  std::string text;
  for (const char* state : {"changed", "added", "removed"})
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", numbers[state], state);
  return text + fmt::format(", {} with the same values", review.unchanged + numbers["same values"]);
}

}  // namespace

bool GoldenReview::identical() const {
  return std::all_of(goldens.begin(), goldens.end(),
                     [](const ReviewedGolden& golden) { return state_of(golden) == "same values"; });
}

bool is_revision(const std::string& word, const fs::path& root) {
  return Git(golden_folder(root).parent_path()).commit_of(word).has_value();
}

GoldenReview review_goldens(const std::string& revision, const fs::path& root,
                            const std::vector<std::string>& names) {
  const fs::path folder = golden_folder(root);
  const Git git(folder.parent_path());
  const auto commit = git.commit_of(revision);
  if (!commit)
    throw UserError(
        fmt::format("unknown revision '{}' (not in a git repository around {}); name a commit, a branch or a "
                    "tag, such as HEAD~1",
                    revision, folder.parent_path().string()));
  GoldenReview review{revision, *commit, {}, 0};
  const std::map<std::string, Sides> goldens = all_goldens(git, *commit, folder);
  for (const std::string& name : wanted_names(goldens, names, folder)) {
    Sides sides = goldens.at(name);
    if (!sides.before.empty())
      sides.before = git.extract(*commit, sides.before);
    if (!sides.before.empty() && !sides.after.empty() && read_file(sides.before) == read_file(sides.after)) {
      ++review.unchanged;
      continue;
    }
    ReviewedGolden golden{name, {}, {}};
    if (!sides.before.empty())
      golden.before = golden::read_intact_golden(sides.before);
    if (!sides.after.empty())
      golden.after = golden::read_intact_golden(sides.after);
    review.goldens.push_back(std::move(golden));
  }
  return review;
}

std::string review_text(const GoldenReview& review) {
  std::string text = fmt::format("Goldens of the working tree against {} ({}): {}\n", review.revision,
                                 review.commit.substr(0, 12), counts(review));
  for (const ReviewedGolden& golden : review.goldens) {
    text += fmt::format("\n## {}: {}\n", golden.name, state_of(golden));
    if (golden.before && golden.after)
      text += "\n" + diff_goldens(golden.name, *golden.before, *golden.after).text;
  }
  return text;
}

Json review_json(const GoldenReview& review) {
  Json json = {{"revision", review.revision},
               {"commit", review.commit},
               {"identical", review.identical()},
               {"unchanged", review.unchanged},
               {"goldens", Json::array()}};
  for (const ReviewedGolden& golden : review.goldens) {
    Json entry = {{"name", golden.name}};
    if (golden.before && golden.after)
      entry = diff_goldens(golden.name, *golden.before, *golden.after).json;
    entry["state"] = state_of(golden);
    json["goldens"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace parity::suite
