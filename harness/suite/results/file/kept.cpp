// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/kept.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/results/read_case.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

// {"seal":"DIGEST","head":{...},"results":{...}}: the digest is of all bytes after it. Inside a string of the
// head, quotes are escaped, so the first `,"results":` ends the head.
constexpr std::string_view seal_begin = "{\"seal\":\"", seal_end = "\",\"head\":";
constexpr std::string_view results_begin = ",\"results\":", file_end = "}\n";

Json outcome_json(const CaseOutcome& outcome) {
  return {{"passed", outcome.passed},
          {"skipped", outcome.skipped},
          {"code", static_cast<int>(outcome.code)},
          {"checks_failed", outcome.checks_failed},
          {"by_verdict", outcome.by_verdict},
          {"checks_on_twins", outcome.checks_on_twins},
          {"checks_on_stored_evidence", outcome.checks_on_stored_evidence},
          {"runs", outcome.runs}};
}

CaseOutcome read_outcome(const Json& json) {
  CaseOutcome outcome;
  outcome.passed = json.at("passed").get<bool>();
  outcome.skipped = json.at("skipped").get<bool>();
  outcome.code = static_cast<ExitCode>(json.at("code").get<int>());
  outcome.checks_failed = json.at("checks_failed").get<int64_t>();
  outcome.by_verdict = json.at("by_verdict").get<std::map<std::string, int64_t>>();
  outcome.checks_on_twins = json.at("checks_on_twins").get<int64_t>();
  outcome.checks_on_stored_evidence = json.at("checks_on_stored_evidence").get<int64_t>();
  outcome.runs = json.at("runs").get<std::vector<std::string>>();
  return outcome;
}

/// Returns the text of a file after its seal; "" if the seal is not that of the text.
std::string_view unsealed(std::string_view text) {
  if (!text.starts_with(seal_begin))
    return {};
  text.remove_prefix(seal_begin.size());
  const size_t end = text.find('"');
  if (end == std::string_view::npos)
    return {};
  const std::string_view content = text.substr(end);
  return content_hash(content) == text.substr(0, end) ? content : std::string_view();
}

}  // namespace

fs::path kept_file(const std::string& case_name, const fs::path& out) {
  return out / "cases" / (case_name + ".json");
}

void keep_results(const results::Case& item, const CaseText& text, const fs::path& out) {
  results::Case cached = item;
  for (results::Arm& arm : cached.arms)
    arm.cached = true;
  const ResultsRow row = row_of(cached);
  const std::string head = json_text({{"judged_from", item.judged_from},
                                      {"row", row.key},
                                      {"outcome", outcome_json(outcome_of(item))},
                                      {"form", text.form},
                                      {"text", text.text}});
  std::string content;
  for (const std::string_view piece :
       {seal_end, std::string_view(head), results_begin, std::string_view(row.text), file_end})
    content += piece;
  NewFile file(kept_file(item.name, out));
  file.write(fmt::format("{}{}", seal_begin, content_hash(content)));
  file.write(content);
  file.finish();
}

std::optional<KeptCase> kept_case(const std::string& case_name, const fs::path& out) try {
  const fs::path file = kept_file(case_name, out);
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return std::nullopt;
  const std::string whole = read_file(file);
  std::string_view text = unsealed(whole);
  const size_t middle = text.find(results_begin);
  if (!text.starts_with(seal_end) || !text.ends_with(file_end) || middle == std::string_view::npos)
    return std::nullopt;
  const Json head = parse_json(std::string(text.substr(seal_end.size(), middle - seal_end.size())));
  text.remove_prefix(middle + results_begin.size());
  text.remove_suffix(file_end.size());
  return KeptCase{head.at("judged_from").get<std::string>(),
                  {head.at("row").get<std::string>(), std::string(text)},
                  read_outcome(head.at("outcome")),
                  {head.at("form").get<std::string>(), head.at("text").get<std::string>()}};
} catch (const UserError&) {
  return std::nullopt;  // damaged
} catch (const Json::exception&) {
  return std::nullopt;  // sealed by another version
}

results::Case results_of(const KeptCase& kept) {
  return results::read_case(read_json(kept.row.text));
}

}  // namespace parity::suite
