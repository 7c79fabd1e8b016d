// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/measure_power.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::power {
namespace {

std::vector<trace::FaultKind> kinds_of(const PowerQuestion& question, bool has_ranks) {
  std::vector<trace::FaultKind> kinds = question.kinds;
  if (kinds.empty())
    for (const trace::FaultKindRow& row : trace::fault_kinds())
      if (row.kind != trace::FaultKind::bit_flip &&                        // it has no size: any bit may flip
          (row.kind != trace::FaultKind::dropped_reduction || has_ranks))  // a single rank has no reduction
        kinds.push_back(row.kind);
  return kinds;
}

std::vector<trace::Phase> phases_of(trace::FaultKind kind) {
  if (kind == trace::FaultKind::dropped_reduction)
    return {trace::Phase::grad};
  return {trace::Phase::grad, trace::Phase::param};
}

void require_arm(const suite::Case& source, const std::string& arm) {
  std::vector<std::string> known;
  for (const suite::Arm& each : source.arms)
    known.push_back(each.name);
  if (std::find(known.begin(), known.end(), arm) == known.end())
    throw UserError(fmt::format("case {} has no arm '{}'{}", source.name, arm, suggestion(arm, known)));
  if (source.arm(arm).is_command())
    throw UserError(
        fmt::format("cannot inject faults into arm '{}' of {} (it is a command); name an arm of parity-train",
                    arm, source.name));
}

/// Returns the smallest faults that a half of the gate detects, for each measured phase: "grad x (1 + 3e-07),
/// param x (1 + 1e-07)". It has "none of grad" if no size is detected.
std::string describe_smallest(const std::vector<FaultPower>& faults, bool of_golden) {
  std::vector<std::string> words;
  for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param}) {
    const FaultPower* best = nullptr;
    double size = 0;
    bool measured = false;
    for (const FaultPower& fault : faults) {
      const HalfPower* half = of_golden ? (fault.golden ? &*fault.golden : nullptr) : &fault.arms;
      if (fault.phase != phase || !row_of(fault.kind).sized || !half)
        continue;
      measured = true;
      if (!half->size || (best && *half->size >= size))
        continue;
      best = &fault;
      size = *half->size;
    }
    if (best)
      words.push_back(fmt::format("{} x (1 {} {})", name_of(phase),
                                  best->kind == trace::FaultKind::perturb ? "+-" : "+",
                                  compare::size_text(size)));
    else if (measured)
      words.push_back(fmt::format("none of {}", name_of(phase)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

void refuse_operators(const suite::Case& source) {
  if (source.problem)
    throw UserError(fmt::format(
        "cannot inject faults into {} (its arms are functions); its checks answer negative controls "
        "in each run, see the report of parity run",
        source.name));
}

}  // namespace

bool Power::is_clean() const {
  return no_ops.all().hits == 0 && std::all_of(faults.begin(), faults.end(), [](const FaultPower& fault) {
           return fault.named.hits == fault.named.trials;
         });
}

std::string Power::sentence() const {
  const bool has_golden = std::any_of(faults.begin(), faults.end(),
                                      [](const FaultPower& fault) { return fault.golden.has_value(); });
  const bool has_sizes = std::any_of(faults.begin(), faults.end(),
                                     [](const FaultPower& fault) { return row_of(fault.kind).sized; });
  std::string text;
  if (has_sizes)
    text = fmt::format("smallest fault detected at {:.0f} % of {}: {}{}; ", 100 * wanted_power,
                       compare::count_text(static_cast<size_t>(question.samples), "place"),
                       describe_smallest(faults, false),
                       has_golden ? "; by the golden: " + describe_smallest(faults, true) : "");
  const Tally all = no_ops.all();
  if (all.trials == 0)
    return text + "false alarms were not asked";
  return text + fmt::format("{} false alarm{} in {}", all.hits, all.hits == 1 ? "" : "s",
                            compare::count_text(static_cast<size_t>(all.trials), "no-op pair"));
}

Json Power::to_json() const {
  Json rows = Json::array();
  for (const FaultPower& fault : faults)
    rows.push_back(fault.to_json());
  return {{"schema", "parity.power/1"},
          {"case", case_name},
          {"arm", arm},
          {"samples", question.samples},
          {"seed", question.seed},
          {"wanted_power", wanted_power},
          {"confidence", confidence},
          {"faults", rows},
          {"no_ops", no_ops.to_json()},
          {"broken", broken},
          {"clean", is_clean()},
          {"sentence", sentence()}};
}

std::string arm_to_fault(const suite::Case& source) {
  refuse_operators(source);
  const auto is_compared = [&](const std::string& arm) {
    return std::any_of(source.checks.begin(), source.checks.end(), [&](const compare::Check& check) {
      return check.arms.size() == 2 &&
             std::find(check.arms.begin(), check.arms.end(), arm) != check.arms.end();
    });
  };
  const auto has_golden = [&](const std::string& arm) {
    return std::find(source.golden.arms.begin(), source.golden.arms.end(), arm) != source.golden.arms.end();
  };
  const suite::Arm* best = nullptr;
  int most = -1;
  for (const suite::Arm& arm : source.arms) {
    const int good = 4 * is_compared(arm.name) + 2 * has_golden(arm.name) + (arm.name != source.reference);
    if (arm.is_command() || good <= most)
      continue;
    best = &arm;
    most = good;
  }
  if (!best)
    throw UserError(fmt::format(
        "cannot inject faults into {} (every arm is a command); choose a case with an arm of parity-train",
        source.name));
  return best->name;
}

Power measure_power(const suite::Case& source, const PowerQuestion& question,
                    const suite::RunSettings& options, Progress& progress, const PowerListener& listener) {
  refuse_operators(source);
  Power power;
  power.case_name = source.name;
  power.question = question;
  power.arm = question.arm.empty() ? arm_to_fault(source) : question.arm;
  require_arm(source, power.arm);
  FaultTrials trials(source, power.arm, options, progress);
  power.broken = trials.broken();
  const bool has_golden = !trials.source().golden.arms.empty() && std::filesystem::exists(source.golden_file);
  for (const trace::FaultKind kind : kinds_of(question, trials.has_ranks()))
    for (const trace::Phase phase : phases_of(kind)) {
      power.faults.push_back(
          fault_power({kind, phase, question.samples, question.seed}, trials.healthy(), has_golden,
                      [&](const std::vector<trace::Fault>& faults) { return trials.run(faults); }));
      if (listener)
        listener(power.faults.back());
    }
  power.no_ops = false_alarms(source, power.arm, question.no_op_pairs, question.seed, options, progress);
  return power;
}

}  // namespace parity::power
