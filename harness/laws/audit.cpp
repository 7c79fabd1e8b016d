// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/audit.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {
namespace {

constexpr std::array table = {
    Law{"grad_norm", "Is grad_norm the norm of the gradients?",
        "channel grad_norm; phase grad of all parameters", ask_grad_norm},
    Law{"clip", "Does one factor scale all gradients, and is it the one that clipping defines?",
        "phases grad and grad_clipped; channel grad_norm", ask_clip},
    Law{"reduction", "Is the reduced gradient the sum or mean of the ranks' gradients, each once?",
        "phases grad_local and grad on every rank", ask_reduction},
    Law{"update", "Does the optimizer's formula give the parameters and the state after the update?",
        "phase param of two successive steps, phases optim and grad_clipped; channel lr", ask_update},
    Law{"schedule", "Do lr and weight_decay follow one schedule, and is it the one that the config names?",
        "the channel lr of at least 4 updates", ask_schedule},
    Law{"replicas", "Do ranks hold the same values wherever they must?", "the files of at least 2 ranks",
        ask_replicas},
    Law{"loss", "Is the loss the cross entropy of the logits, divided as the run says?",
        "channel loss; phase forward of the logits and phase input of labels", ask_loss},
    Law{"data", "Does each update read new tokens, with the next tokens as labels?",
        "channel batch_digest; phase input with tokens, labels and positions", ask_data},
};

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

void check_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Law& law : all_laws())
    known.emplace_back(law.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw UserError("cannot ask the law '" + name + "' (there is none of that name)" +
                      suggestion(name, known));
}

}  // namespace

std::span<const Law> all_laws() {
  return table;
}

int64_t Audit::count(Answer answer) const {
  return std::ranges::count_if(rows, [&](const Row& row) { return row.finding.answer() == answer; });
}

ExitCode Audit::exit_code() const {
  if (count(Answer::departs) > 0)
    return ExitCode::differ;
  if (count(Answer::holds) == 0)
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
  if (hold == 0)
    return "undecided: no law could be asked";
  return fmt::format("lawful: {}{}{}", hold == 1 ? "1 law holds" : fmt::format("{} laws hold", hold), rest,
                     ended ? "" : "; the run did not end well");
}

Json Audit::to_json() const {
  Json list = Json::array();
  for (const Row& row : rows)
    list.push_back(laws::to_json(row));
  return {{"schema", audit_schema},
          {"trace", trace},
          {"ended", ended},
          {"verdict", verdict()},
          {"faults", faults},
          {"laws", list},
          {"lawful", exit_code() == ExitCode::agree}};
}

Audit audit(const trace::Trace& trace, const std::vector<std::string>& names) {
  check_names(names);
  Audit result;
  result.trace = trace.path().string();
  result.ended = trace.complete() && !trace.failure();
  for (const trace::FaultReport& report : trace.faults())
    result.faults.push_back(report.fault.text());
  const RecordedRun run(trace);
  for (const Law& law : all_laws()) {
    if (!names.empty() && std::ranges::find(names, law.name) == names.end())
      continue;
    Finding finding = law.ask(run);
    if (finding.answer() == Answer::not_asked && finding.record.empty())
      finding.record = law.needs;
    result.rows.push_back({&law, std::move(finding)});
  }
  return result;
}

}  // namespace parity::laws
