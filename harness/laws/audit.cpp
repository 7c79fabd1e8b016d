// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/audit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "harness/laws/laws.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {
namespace {

Json to_json(const Departure& departure) {
  Json json = {{"sentence", departure.sentence}, {"tensor", departure.tensor}};
  json["step"] = departure.step ? Json(*departure.step) : Json();
  json["rank"] = departure.rank ? Json(*departure.rank) : Json();
  json["factor"] = departure.factor ? Json(*departure.factor) : Json();
  return json;
}

Json to_json(const Audit::Row& row) {
  Json departures = Json::array();
  for (const Departure& each : row.finding.departures)
    departures.push_back(to_json(each));
  return {{"law", row.law->name},
          {"question", row.law->question},
          {"answer", name_of(row.finding.answer())},
          {"checked", row.finding.checked},
          {"largest_error_over_bound", row.finding.largest},
          {"departures", departures},
          {"notes", row.finding.notes},
          {"why", row.finding.why},
          {"record", row.finding.record}};
}

/// Returns a clause about a number that is not finite in a channel that laws read; "" if there is none. Such
/// a number agrees with nothing, but a law may find it right: NaN is the norm of NaN.
std::string non_finite_channel(const trace::Trace& trace) {
  for (const char* name : {"loss", "lr", "grad_norm"}) {
    const auto channel = trace.channels().find(name);
    if (channel == trace.channels().end())
      continue;
    const std::vector<double> values = channel->second.as_double();
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        return fmt::format("{} is {} at step {}", name, values[i], trace.steps().at(i));
  }
  return "";
}

}  // namespace

int64_t Audit::count(Answer answer) const {
  return std::ranges::count_if(rows, [&](const Row& row) { return row.finding.answer() == answer; });
}

ExitCode Audit::exit_code() const {
  if (count(Answer::departs) > 0 || !not_finite.empty())
    return ExitCode::differ;
  if (count(Answer::holds) == 0 || !undecided.empty())
    return ExitCode::missing;
  return ended ? ExitCode::agree : ExitCode::crashed;
}

std::string Audit::verdict() const {
  const int64_t hold = count(Answer::holds), depart = count(Answer::departs),
                silent = count(Answer::not_asked);
  std::string rest = silent == 0 ? "" : fmt::format(", {} not asked", silent);
  if (depart > 0)
    return fmt::format("unlawful: {} of {} laws that were asked {}{}", depart, hold + depart,
                       depart == 1 ? "departs" : "depart", rest);
  if (!not_finite.empty())
    return fmt::format("unlawful: {}, which no law allows{}", not_finite, rest);
  if (hold == 0)
    return "undecided: no law could be asked";
  if (!undecided.empty())
    return fmt::format("undecided: law {} could not be asked{}", undecided, rest);
  return fmt::format("lawful: {}{}{}", hold == 1 ? "1 law holds" : fmt::format("{} laws hold", hold), rest,
                     ended ? "" : "; the run did not end well");
}

Json Audit::to_json() const {
  Json list = Json::array();
  for (const Row& row : rows)
    list.push_back(laws::to_json(row));
  Json json = {{"schema", audit_schema}, {"trace", trace},
               {"ended", ended},         {"not_finite", not_finite},
               {"verdict", verdict()},   {"faults", faults},
               {"laws", list},           {"lawful", exit_code() == ExitCode::agree}};
  if (!before.empty())
    json["before"] = before;
  return json;
}

Audit audit(const trace::Trace& trace, const std::vector<std::string>& names, const trace::Trace* before) {
  for (const std::string& name : names)
    static_cast<void>(law_of(name));
  Audit result;
  result.trace = trace.path().string();
  result.ended = trace.complete() && !trace.failure();
  result.not_finite = non_finite_channel(trace);
  for (const trace::FaultReport& report : trace.faults())
    result.faults.push_back(report.fault.text());
  std::optional<RecordedRun> continued;
  if (before != nullptr) {
    result.before = before->path().string();
    continued.emplace(*before);
  }
  const RecordedRun run(trace, continued ? &*continued : nullptr);
  for (const Law& law : all_laws()) {
    if (!names.empty() && std::ranges::find(names, law.name) == names.end())
      continue;
    Finding finding = law.ask(run);
    if (finding.answer() == Answer::not_asked && finding.record.empty())
      finding.record = law.needs;
    const bool named = !names.empty() || (before != nullptr && law.name == "restart");
    if (named && finding.answer() == Answer::not_asked && result.undecided.empty())
      result.undecided = law.name;
    result.rows.push_back({&law, std::move(finding)});
  }
  return result;
}

}  // namespace parity::laws
