// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/compare/twins/collapse.hpp"
#include "harness/golden/diff.hpp"
#include "harness/golden/evidence_binding.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity::golden {
namespace {

/// Returns whether an arm has its stored values, and a twin that only rounds otherwise, in another
/// environment.
bool has_twin_of_another_environment(const GoldenArm& before, const GoldenArm& after) {
  const double limit = compare::CollapseRule().multiple * 0x1p-53;  // what judges two twins of one run
  const auto is_rounding = [&](const GoldenDifference& row) {
    return is_in_twin(row) && row.relative_l2 && *row.relative_l2 <= limit;
  };
  return before.fingerprint != after.fingerprint && before.twin && after.twin &&
         before.twin->steps == after.twin->steps &&
         std::ranges::all_of(golden_differences({{"", before}}, {{"", after}}), is_rounding);
}

/// Puts the twins of `before` in place of missing ones, and of those that only round otherwise in another
/// environment. A golden that agrees in everything else need not be replaced.
GoldenContent with_twins_of(GoldenContent content, const GoldenContent& before) {
  for (auto& [name, arm] : content)
    if (const auto old = before.find(name);
        old != before.end() && (!arm.twin || has_twin_of_another_environment(old->second, arm)))
      arm.twin = old->second.twin;
  return content;
}

/// Returns the first value that is not finite: "loss of its float64 twin is nan at step 3"; "" if all are.
std::string non_finite_value(const GoldenChannels& run, const std::string& whose) {
  for (const auto& [name, channel] : run.channels)
    if (const auto* values = std::get_if<std::vector<double>>(&channel.values))
      for (size_t i = 0; i < values->size(); ++i)
        if (!std::isfinite((*values)[i]))
          return fmt::format("{}{} is {} at step {}", name, whose, (*values)[i], run.steps.at(i));
  return "";
}

std::string non_finite_value(const GoldenArm& arm) {
  std::string text = non_finite_value(arm.run, "");
  if (text.empty() && arm.twin)
    text = non_finite_value(*arm.twin, " of its float64 twin");
  for (const trace::SketchRow& row : arm.sketches)
    if (text.empty() && row.nan_count + row.inf_count > 0)
      text = fmt::format("{} at step {} has {} NaN and {} infinite elements", compare::quantity_of(row.key),
                         row.key.step, row.nan_count, row.inf_count);
  return text;
}

/// Returns the content that a recording stores.
GoldenContent contents_of(const std::filesystem::path& file,
                          const std::map<std::string, compare::ArmEvidence>& arms) {
  GoldenContent contents;
  for (const auto& [name, evidence] : arms) {
    if (!evidence.ended_well())
      throw UserError(
          fmt::format("cannot record a golden of {} (its run did not finish); fix the run first", name),
          ExitCode::crashed);
    if (!evidence.trace->faults().empty())
      throw UserError(
          fmt::format("cannot record a golden of {} (a fault was injected into its run: {}); record the run "
                      "without faults",
                      name, evidence.trace->faults().front().fault.text()));
    const GoldenArm& arm = contents.emplace(name, content_of(evidence)).first->second;
    if (const std::string problem = non_finite_value(arm); !problem.empty())
      throw UserError(
          fmt::format("cannot record a golden of {} ({}, and no later run can reproduce a value that is not "
                      "finite); fix the run first",
                      name, problem));
  }
  if (contents.empty())
    throw UserError(
        fmt::format("cannot record {} (the case stores no arm); list arms under [golden]", file.string()));
  return contents;
}

/// Returns the content of a file, even if it is damaged, so that its history survives. Returns nothing if it
/// cannot be read.
std::optional<Golden> readable_golden(const std::filesystem::path& file) {
  try {
    return read_golden(file);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// Returns whether two recordings of the same arms store the same given keys.
bool same_given_keys(const GoldenContent& before, const GoldenContent& after) {
  return std::ranges::all_of(after, [&](const auto& arm) {
    const auto old = before.find(arm.first);
    return old != before.end() && old->second.given == arm.second.given;
  });
}

Recording recording_of(const std::filesystem::path& file, const std::optional<Golden>& before,
                       const GoldenContent& content) {
  std::error_code error;
  if (!std::filesystem::exists(file, error) || (before && before->intact() && before->arms.empty()))
    return Recording::first;
  if (!before || !before->intact())
    return Recording::changed;
  const GoldenContent whole = with_twins_of(content, before->arms);
  if (content_digest(whole) == before->stored_digest)
    return same_given_keys(before->arms, whole) ? Recording::unchanged : Recording::other_config;
  return same_values(before->arms, whole) ? Recording::other_config : Recording::changed;
}

/// Returns the file's current content, even if it is damaged; nothing if the file is missing or cannot be
/// parsed. A failed read is not damage: treating it as such would lose the golden's history and floors.
/// \throws UserError if the bytes cannot be read
std::optional<Golden> golden_before(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return std::nullopt;
  if (auto before = readable_golden(file))
    return before;
  read_file(file);
  return readable_golden(file);
}

bool same_arm(const GoldenArm& before, const GoldenArm& after) {
  return same_values({{"", before}}, {{"", after}});
}

/// Keeps what a recording does not change: floors, and all that is stored of arms with unchanged values.
void keep_unchanged(Golden& golden, const Golden& before, Recording recording) {
  golden.floors = before.floors;
  golden.variants = before.variants;
  for (auto& [name, arm] : golden.arms) {
    const auto old = before.arms.find(name);
    const bool holds = old != before.arms.end() && same_arm(old->second, arm);
    if (holds && recording == Recording::changed)
      arm = old->second;
    for (GoldenContent& variant : golden.variants)
      if (!holds)
        variant.erase(name);  // belongs to values that the golden no longer has
  }
  std::erase_if(golden.variants, [](const GoldenContent& variant) { return variant.empty(); });
}

/// Renews the evidence of a golden that is about to be written. \return whether it changed
bool renew_evidence(Golden& golden, const GoldenEvidence& before,
                    std::map<std::string, compare::ArmEvidence> arms, const EvidenceToKeep& evidence) {
  golden.stored_digest = content_digest(golden.arms);
  arms.insert(evidence.other_arms.begin(), evidence.other_arms.end());
  golden.evidence = renewed_evidence(before, golden, arms, evidence.fresh);
  return golden.evidence.records != before.records;
}

}  // namespace

Recording recording_of(const std::filesystem::path& file,
                       const std::map<std::string, compare::ArmEvidence>& arms) {
  return recording_of(file, readable_golden(file), contents_of(file, arms));
}

Recording record_golden(const std::filesystem::path& file, const GoldenOrigin& origin,
                        const std::map<std::string, compare::ArmEvidence>& arms, const std::string& reason,
                        Rewrite rewrite, const EvidenceToKeep& evidence) {
  const std::optional<Golden> before = golden_before(file);
  const bool intact = before && before->intact();
  Golden golden;
  golden.origin = origin;
  golden.arms = contents_of(file, arms);
  golden.history = before ? before->history : GoldenHistory();
  const Recording recording = recording_of(file, before, golden.arms);
  if (intact)
    keep_unchanged(golden, *before, recording);
  if (recording == Recording::changed)
    golden.history.push_back({reason, origin.commit, content_digest(golden.arms)});
  if (recording == Recording::unchanged || recording == Recording::other_config)
    golden.arms = with_twins_of(std::move(golden.arms), before->arms);
  const bool news = renew_evidence(golden, intact ? before->evidence : GoldenEvidence(), arms, evidence);
  if (recording == Recording::unchanged && rewrite != Rewrite::always && news) {
    golden.origin = before->origin;  // origin of the values, which are unchanged
    golden.arms = before->arms;
    write_golden(file, golden);
    return Recording::evidence;
  }
  if (recording != Recording::unchanged || rewrite == Rewrite::always)
    write_golden(file, golden);
  return recording;
}

bool record_evidence(const std::filesystem::path& file,
                     const std::map<std::string, compare::ArmEvidence>& arms,
                     const EvidenceToKeep& evidence) {
  Golden golden = read_intact_golden(file);
  const bool news = renew_evidence(golden, GoldenEvidence(golden.evidence), arms, evidence);
  if (news)
    write_golden(file, golden);
  return news;
}

void record_variant(const std::filesystem::path& file, const GoldenOrigin& origin,
                    const std::map<std::string, compare::ArmEvidence>& arms, const std::string& reason) {
  Golden golden = read_intact_golden(file);
  for (auto& [name, arm] : contents_of(file, arms)) {
    arm.twin.reset();  // the golden's own twin decides on drift
    const auto same = [&, &label = name, &now = arm](const GoldenContent& variant) {
      return variant.contains(label) && variant.at(label).fingerprint == now.fingerprint;
    };
    for (GoldenContent& variant : golden.variants)
      if (same(variant))
        variant.erase(name);
    const auto place =
        std::find_if(golden.variants.begin(), golden.variants.end(), [&, &now = arm](const auto& variant) {
          return variant.empty() || variant.begin()->second.fingerprint == now.fingerprint;
        });
    (place == golden.variants.end() ? golden.variants.emplace_back() : *place)[name] = std::move(arm);
  }
  std::erase_if(golden.variants, [](const GoldenContent& variant) { return variant.empty(); });
  golden.history.push_back({reason, origin.commit, golden.stored_digest});
  write_golden(file, golden);
}

void record_floors(const std::filesystem::path& file, const GoldenOrigin& origin,
                   const compare::Floors& floors) {
  std::error_code error;
  Golden golden;
  golden.origin = origin;
  if (std::filesystem::exists(file, error))
    golden = read_intact_golden(file);
  golden.floors = floors;
  write_golden(file, golden);
}

}  // namespace parity::golden
