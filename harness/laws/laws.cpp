// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

std::vector<Law> make_table() {
  return {
      {"grad_norm",
       "Is grad_norm the norm of the gradients?",
       "channel grad_norm; phase grad of all parameters",
       {{.phase = Phase::grad, .values = false}},
       ask_grad_norm},
      {"clip",
       "Does one factor scale all gradients, and is it the one that clipping defines?",
       "phases grad and grad_clipped; channel grad_norm",
       {{.phase = Phase::grad}, {.phase = Phase::grad_clipped}},
       ask_clip},
      {"reduction",
       "Is a gradient the sum or mean of the micro-batches' and of the ranks' gradients, each once?",
       "phases grad_local and grad on every rank, and micro_batches in the capture",
       {{.phase = Phase::grad_local}, {.phase = Phase::grad}},
       ask_reduction,
       /*micro_batches=*/true},
      {"update",
       "Does the optimizer's formula give the parameters and the state after the update?",
       "phase param of two successive steps, phases optim and grad_clipped; channel lr",
       {{.phase = Phase::grad_clipped},
        {.phase = Phase::optim, .before = true},
        {.phase = Phase::param, .before = true}},
       ask_update},
      {"schedule",
       "Do lr and weight_decay follow one schedule, and is it the one that the config names?",
       "the channel lr of at least 4 updates",
       {},
       ask_schedule},
      {"restart",
       "Does a run that resumes begin with the state that the run before had?",
       "phases param and optim of the last update before, and what was loaded after (input loaded/*)",
       {{.phase = Phase::input, .names = {"loaded/*"}},
        {.phase = Phase::input, .names = {"saved/*"}, .before = true, .itself = false},
        {.phase = Phase::optim, .before = true, .itself = false},
        {.phase = Phase::param, .before = true, .itself = false}},
       ask_restart},
      {"replicas",
       "Do ranks hold the same values wherever they must?",
       "the files of at least 2 ranks",
       {{.phase = Phase::grad, .values = false}, {.phase = Phase::param, .values = false}},
       ask_replicas},
      {"loss",
       "Is the loss the cross entropy of the logits, divided as the run says?",
       "channel loss; phase forward of the logits and phase input of labels",
       {{.phase = Phase::input}, {.phase = Phase::forward, .names = logit_names()}},
       ask_loss},
      {"data",
       "Does each update read new tokens, with the next tokens as labels?",
       "channel batch_digest; phase input with tokens, labels and positions",
       {{.phase = Phase::input}},
       ask_data},
      {"generator",
       "Are a policy's tokens written by the weights of the version that they are stamped with?",
       "channels gap_weights and version_lag (rl.bill = true)",
       {},
       ask_generator},
  };
}

bool is_meant(const LawTensors& wanted, const trace::TensorKey& key) {
  return key.phase == wanted.phase && key.name.find('@') == std::string::npos &&
         std::ranges::any_of(wanted.names,
                             [&](const std::string& glob) { return glob_match(glob, key.name); });
}

/// Returns the steps at which a run recorded tensors of one kind.
std::set<int64_t> steps_of(const LawTensors& wanted, const trace::Trace& trace) {
  std::set<int64_t> steps;
  const auto add = [&](const trace::TensorKey& key) {
    if (is_meant(wanted, key))
      steps.insert(key.step);
  };
  for (const trace::TensorKey& key : trace.tensors())
    add(key);
  if (!wanted.values)
    for (const trace::SketchRow& row : trace.sketches())
      add(row.key);
  if (wanted.phase == Phase::grad_local)  // terms of a sum are in no joined tensor
    for (const auto& [key, rows] : trace.rank_rows())
      add(key);
  return steps;
}

/// Returns whether the steps hold what a law reads at an update.
bool hold(const std::set<int64_t>& steps, const LawTensors& wanted, int64_t update) {
  const bool begins = update == 1 && wanted.phase == Phase::optim;  // a state of zeros need not be recorded
  return (!wanted.itself || steps.contains(update)) &&
         (!wanted.before || begins || steps.contains(update - 1));
}

}  // namespace

std::span<const Law> all_laws() {
  static const std::vector<Law> table = make_table();
  return table;
}

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const Law& law : all_laws())
    names.emplace_back(law.name);
  return names;
}

const Law& law_of(std::string_view name) {
  const auto found = std::ranges::find(all_laws(), name, &Law::name);
  if (found == all_laws().end())
    throw UserError(fmt::format("cannot ask the law '{}' (there is none of that name){}", name,
                                suggestion(std::string(name), law_names())));
  return *found;
}

std::vector<int64_t> updates_with_tensors(const Law& law, const trace::Trace& trace) {
  std::vector<int64_t> updates = trace.steps();
  for (const LawTensors& wanted : law.tensors)
    if (const std::set<int64_t> steps = steps_of(wanted, trace); !steps.empty())
      std::erase_if(updates, [&](int64_t update) { return !hold(steps, wanted, update); });
  return updates;
}

std::string Departure::text() const {
  if (!step || sentence.find(fmt::format("step {}", *step)) != std::string::npos ||
      sentence.find(fmt::format("update {}", *step)) != std::string::npos)
    return sentence;
  return fmt::format("{} (step {})", sentence, *step);
}

}  // namespace parity::laws
