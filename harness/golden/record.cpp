// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "harness/base/error.hpp"
#include "harness/golden/diff.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity {
namespace {

/// The twins of `before` where `content` was recorded without: a golden that knows more and agrees in all the
/// rest needs no new one.
GoldenContent with_twins_of(GoldenContent content, const GoldenContent& before) {
  for (auto& [name, arm] : content)
    if (const auto old = before.find(name); !arm.twin && old != before.end())
      arm.twin = old->second.twin;
  return content;
}

/// What would be stored.
GoldenContent contents_of(const std::filesystem::path& file, const std::map<std::string, ArmEvidence>& arms) {
  GoldenContent contents;
  for (const auto& [name, evidence] : arms) {
    if (evidence.crashed || !evidence.trace || !evidence.trace->complete())
      throw UserError("cannot record a golden of " + name + " (its run did not finish); mend the run first",
                      ExitCode::crashed);
    if (!evidence.trace->faults().empty())
      throw UserError("cannot record a golden of " + name + " (a fault was put into its run: " +
                      evidence.trace->faults().front().fault.words() + "); record the run as it is");
    contents.emplace(name, content_of(evidence));
  }
  if (contents.empty())
    throw UserError("cannot record " + file.string() + " (the case keeps no arm); name arms under [golden]");
  return contents;
}

Recording recording_of(const std::filesystem::path& file, const std::optional<Golden>& before,
                       const GoldenContent& content) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return Recording::first;
  if (!before || !before->intact())
    return Recording::changed;
  const GoldenContent whole = with_twins_of(content, before->arms);
  if (content_digest(whole) == before->stored_digest)
    return Recording::unchanged;
  return same_values(before->arms, whole) ? Recording::other_config : Recording::changed;
}

}  // namespace

Recording recording_of(const std::filesystem::path& file, const std::map<std::string, ArmEvidence>& arms) {
  return recording_of(file, stored_golden(file).golden, contents_of(file, arms));
}

Recording record_golden(const std::filesystem::path& file, const GoldenOrigin& origin,
                        const std::map<std::string, ArmEvidence>& arms, const std::string& reason,
                        Rewrite rewrite) {
  const std::optional<Golden> before = stored_golden(file).golden;
  Golden golden;
  golden.origin = origin;
  golden.arms = contents_of(file, arms);
  golden.history = before ? before->history : GoldenHistory();
  const Recording recording = recording_of(file, before, golden.arms);
  if (recording == Recording::changed)
    golden.history.push_back({reason, origin.commit, content_digest(golden.arms)});
  if (recording == Recording::unchanged || recording == Recording::other_config)
    golden.arms = with_twins_of(std::move(golden.arms), before->arms);
  if (recording != Recording::unchanged || rewrite == Rewrite::always)
    write_golden(file, golden);
  return recording;
}

}  // namespace parity
