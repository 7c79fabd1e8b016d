// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/repeat/soak_record.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/repeat/fault_rate.hpp"

namespace parity::repeat {
namespace {

constexpr uint64_t largest_state = 64 << 20;

std::filesystem::path state_file(const std::filesystem::path& out) {
  return out / "state.json";
}

/// Returns "12 plain, 3 under load"; "" if every repetition was plain.
std::string describe_conditions(const std::map<compare::Condition, int64_t>& clean) {
  if (clean.empty() || (clean.size() == 1 && clean.contains(compare::Condition::none)))
    return "";
  std::vector<std::string> parts;
  for (const auto& [condition, count] : clean)
    parts.push_back(condition == compare::Condition::none
                        ? fmt::format("{} plain", count)
                        : fmt::format("{} under {}", count, name_of(condition)));
  return fmt::format(" ({})", compare::list_text(parts));
}

bool is_proven(int64_t clean, const std::optional<double>& rate) {
  return clean > 0 && (!rate || excluded_rate(clean) <= *rate);
}

}  // namespace

Json SoakFinding::to_json() const {
  return {{"repetition", repetition},
          {"under", name_of(under)},
          {"verdict", verdict},
          {"sentence", sentence},
          {"recurrence", recurrence},
          {"looks_like", looks_like},
          {"step", step},
          {"quantity", quantity},
          {"rank", rank ? Json(*rank) : Json()},
          {"planted", planted},
          {"run", run},
          {"time", time}};
}

SoakFinding SoakFinding::from_json(const Json& json) {
  SoakFinding finding;
  finding.repetition = json.at("repetition").get<int64_t>();
  finding.under = parse_enum<compare::Condition>(json.at("under").get<std::string>());
  if (!json.at("rank").is_null())
    finding.rank = json.at("rank").get<int64_t>();
  finding.step = json.at("step").get<int64_t>();
  for (auto [key, text] :
       std::initializer_list<std::pair<const char*, std::string*>>{{"verdict", &finding.verdict},
                                                                   {"sentence", &finding.sentence},
                                                                   {"recurrence", &finding.recurrence},
                                                                   {"looks_like", &finding.looks_like},
                                                                   {"quantity", &finding.quantity},
                                                                   {"planted", &finding.planted},
                                                                   {"run", &finding.run},
                                                                   {"time", &finding.time}})
    *text = json.at(key).get<std::string>();
  return finding;
}

int64_t SoakRecord::clean_count() const {
  int64_t count = 0;
  for (const auto& [condition, number] : clean)
    count += number;
  return count;
}

ExitCode SoakRecord::exit_code(const std::optional<double>& rate) const {
  const auto has = [&](const char* verdict) {
    return std::ranges::find(findings, verdict, &SoakFinding::verdict) != findings.end();
  };
  if (has("different"))
    return ExitCode::differ;
  if (has("crashed"))
    return ExitCode::crashed;
  return findings.empty() && is_proven(clean_count(), rate) ? ExitCode::agree : ExitCode::missing;
}

std::string SoakRecord::sentence(const std::optional<double>& rate) const {
  const int64_t good = clean_count();
  std::string text = findings.empty()
                         ? fmt::format("{} of {} repetitions of {} have the bits of the first run{}", good,
                                       count(), target, describe_conditions(clean))
                         : fmt::format("{} of {} repetitions of {} do not have the bits of the first run",
                                       findings.size(), count(), target);
  if (!compared.empty())
    text += fmt::format(", in {}; provenance and timing channels are not compared", compared);
  if (findings.empty())
    text += "\n" + describe_excluded(good);
  if (findings.empty() && rate && !is_proven(good, rate))
    text += fmt::format("\nnot proven: a rate of {:.3g} % needs {} clean repetitions", 100 * *rate,
                        repetitions_to_exclude(*rate));
  return text;
}

Json SoakRecord::to_json(const std::optional<double>& rate) const {
  Json json = {{"schema", record_schema},
               {"target", target},
               {"identity", identity},
               {"reference", reference},
               {"repetitions", count()},
               {"clean", Json::object()},
               {"findings", Json::array()},
               {"seconds", seconds},
               {"compared", compared},
               {"excluded_rate", excluded_rate(clean_count())},
               {"confidence", confidence},
               {"rate", rate ? Json(*rate) : Json()},
               {"exit_code", static_cast<int>(exit_code(rate))}};
  for (const auto& [condition, number] : clean)
    json["clean"][std::string(name_of(condition))] = number;
  for (const SoakFinding& finding : findings)
    json["findings"].push_back(finding.to_json());
  return json;
}

void SoakRecord::save(const std::filesystem::path& out) const {
  write_file(state_file(out), json_text(to_json(std::nullopt), 1) + "\n");
}

std::optional<SoakRecord> SoakRecord::load(const std::filesystem::path& out) {
  const std::filesystem::path file = state_file(out);
  if (std::error_code error; !std::filesystem::exists(file, error))
    return std::nullopt;
  try {
    const Json json = read_json(read_file(file, largest_state));
    SoakRecord record;
    if (json.at("schema") != record_schema)
      throw UserError("it has another schema");
    record.target = json.at("target").get<std::string>();
    record.identity = json.at("identity").get<std::string>();
    record.reference = json.at("reference").get<std::string>();
    record.seconds = json.at("seconds").get<double>();
    record.compared = json.at("compared").get<std::string>();
    for (const auto& [name, number] : json.at("clean").items())
      record.clean[parse_enum<compare::Condition>(name)] = number.get<int64_t>();
    for (const Json& finding : json.at("findings"))
      record.findings.push_back(SoakFinding::from_json(finding));
    return record;
  } catch (const std::exception& error) {
    throw UserError(
        fmt::format("cannot resume from {} ({}); begin anew with --fresh", file.string(), error.what()));
  }
}

}  // namespace parity::repeat
