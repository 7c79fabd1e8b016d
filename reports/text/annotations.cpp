// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/annotations.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "reports/model/checks/label.hpp"
#include "reports/model/suite/outcome.hpp"
#include "reports/model/suite/overview.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

constexpr size_t most = 10;
constexpr size_t longest = 1500;

/// Returns text for a workflow command, which ends at the end of its line and escapes with %.
std::string escaped_command(const std::string& text, std::string_view also = "") {
  std::string result;
  for (const char byte : text)
    if (byte == '%')
      result += "%25";
    else if (byte == '\n')
      result += "%0A";
    else if (byte == '\r')
      result += "%0D";
    else if (also.find(byte) != std::string_view::npos)
      result += byte == ':' ? "%3A" : "%2C";
    else
      result += byte;
  return result;
}

std::string property(const std::string& text) {
  return escaped_command(text, ":,");
}

/// Returns the case file relative to the workspace, or unchanged if it is outside. A relative name starts at
/// the current folder, which may be below the workspace.
std::string file_of(const CaseLine& item, const std::string& workspace) {
  const fs::path file(one_line(item.file));
  if (workspace.empty())
    return file.generic_string();
  const fs::path inside = fs::absolute(file).lexically_normal().lexically_relative(workspace);
  return inside.empty() || inside.native().starts_with("..") ? file.generic_string()
                                                             : inside.generic_string();
}

/// \param level  "error", "warning" for a skipped case, "notice" for drift, which is not an error
std::string annotation(const std::string& level, const CaseLine& item, int64_t line, const std::string& title,
                       const std::string& message, const std::string& workspace) {
  std::string command = "::" + level + " ";
  if (!item.file.empty())
    command += "file=" + property(file_of(item, workspace)) +
               ",line=" + std::to_string(std::max<int64_t>(line, 1)) + ",";
  return command + "title=" + property(shorten(title, 200)) + "::" + escaped_command(message) + "\n";
}

std::string message_of(const Check& check) {
  std::string text = shorten(check.sentence, longest);
  if (!check.finding.next.empty())
    text += "\nNext: " + one_line(check.finding.next);
  if (!check.finding.cause.empty())
    text += "\nTo find the cause: " + one_line(check.finding.cause);
  return text;
}

/// Returns one warning per skipped case; GitHub counts warnings separately from errors.
std::string warnings(const Results& results, const std::string& workspace) {
  std::string text;
  size_t shown = 0;
  for (const CaseLine& item : results.cases)
    if (!item.skipped.empty() && shown++ < most)
      text +=
          annotation("warning", item, 1, item.name + ": skipped", shorten(item.skipped, longest), workspace);
  return text;
}

/// Returns one notice per case whose goldens hold except for the rounding of another environment.
std::string notices(const Results& results, const std::string& workspace) {
  std::string text;
  size_t shown = 0;
  for (const CaseLine& item : results.cases) {
    const auto drifts = [](const ListedCheck& listed) {
      return listed.check.passed && listed.check.verdict == "drift";
    };
    const auto first = std::ranges::find_if(item.listed, drifts);
    if (first == item.listed.end() || shown++ >= most)
      continue;
    const auto all = static_cast<size_t>(std::ranges::count_if(item.listed, drifts));
    text += annotation("notice", item, 1,
                       item.name + ": " + count(all, "stored quantity", "stored quantities") + " drifted",
                       shorten(first->check.sentence, longest), workspace);
  }
  return text;
}

}  // namespace

std::string annotations(const Results& results, const std::string& workspace) {
  std::vector<std::string> all;
  for (const CaseLine& item : results.cases)
    for (const LostArm& arm : item.lost_arms)
      all.push_back(annotation("error", item, 1,
                               item.name + ": arm " + arm.name + " " + std::string(parity::name_of(arm.kind)),
                               shorten(arm.failure, longest), workspace));
  for (const Finding& failure : failures(results))
    all.push_back(annotation("error", *failure.item, failure.check->line,
                             failure.item->name + ": " + claim(*failure.check), message_of(*failure.check),
                             workspace));
  std::string text;
  if (const std::string mixed = mixed_label(results); !mixed.empty())
    text = "::warning title=Mixed results::" + escaped_command(mixed) + "\n";
  const size_t shown = all.size() > most ? most - 1 : all.size();
  for (size_t i = 0; i < shown; ++i)
    text += all[i];
  if (all.size() > shown)
    text += "::error title=" + property(outcome(results)) + "::and " +
            count(all.size() - shown, "more failure") + "; the job summary and index.html list them all\n";
  return text + warnings(results, workspace) + notices(results, workspace);
}

}  // namespace parity::reports
