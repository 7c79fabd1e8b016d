// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/base/error.hpp"
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

/// Whether the file is there, as it was recorded, and holds just this.
bool holds_already(const std::filesystem::path& file, const GoldenContent& content) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return false;
  try {
    const Golden before = read_golden(file);
    return before.intact() && content_digest(with_twins_of(content, before.arms)) == before.stored_digest;
  } catch (const UserError&) {  // damaged: to be replaced
    return false;
  }
}

}  // namespace

bool record_golden(const std::filesystem::path& file, const GoldenOrigin& origin,
                   const std::map<std::string, ArmEvidence>& arms) {
  Golden golden{origin, "", {}};
  for (const auto& [name, evidence] : arms) {
    if (evidence.crashed || !evidence.trace || !evidence.trace->complete())
      throw UserError("cannot record a golden of " + name + " (its run did not finish); mend the run first",
                      ExitCode::crashed);
    golden.arms.emplace(name, content_of(evidence));
  }
  if (golden.arms.empty())
    throw UserError("cannot record " + file.string() + " (the case keeps no arm); name arms under [golden]");
  if (holds_already(file, golden.arms))
    return false;
  write_golden(file, golden);
  return true;
}

}  // namespace parity
