// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/law_search.hpp"

#include <fmt/format.h>

#include "harness/base/processes/process.hpp"

namespace parity::bisect {
namespace {

using trace::Phase;

constexpr int64_t most_lawful_bytes = int64_t{4} << 30;  // of the tensors of one update, kept in a file

/// Returns the capture rules for what laws recompute.
std::vector<trace::CaptureRule> lawful_tensors(int64_t step) {
  return {{{step - 1}, {Phase::grad, Phase::optim, Phase::param}, {}},
          {{step},
           {Phase::input, Phase::grad_local, Phase::grad, Phase::grad_clipped, Phase::optim, Phase::param},
           {}},
          {{step}, {Phase::forward}, {"output", "lm_head", "logits", "model"}}};
}

int64_t bytes_of(const trace::Trace& trace, const std::vector<trace::CaptureRule>& rules) {
  int64_t bytes = 0;
  for (const trace::SketchRow& row : trace.sketches())
    for (const trace::CaptureRule& rule : rules)
      if (rule.covers(row.key.step, row.key.phase, row.key.name))
        bytes += element_count(row.shape) * static_cast<int64_t>(size_of(row.dtype));
  return bytes;
}

}  // namespace

LawComparison ask_laws(RunProbe& probe, FirstBadUpdate& update) {
  if (probe.runs().are_exact())  // laws are about values
    return {};
  const std::vector<trace::CaptureRule> rules = lawful_tensors(update.step());
  trace::Capture capture;
  const int64_t bytes = bytes_of(update.traces().expected_trace(), rules);
  if (bytes > most_lawful_bytes)
    probe.note(fmt::format("laws were asked about statistics only: the tensors of update {} have {:.1f} GiB",
                           update.step(), static_cast<double>(bytes) / (int64_t{1} << 30)));
  (bytes > most_lawful_bytes ? capture.sketches : capture.tensors) = rules;
  const SideTraces traces = update.run_with_state_before("laws", capture);
  const SideTraces whole = probe.run_as_far_as_possible("whole");
  LawComparison found = compare_laws(traces.expected_trace(), traces.actual_trace(), update.step());
  found.fill_from(compare_laws(whole.expected_trace(), whole.actual_trace(), update.step()));
  const std::string side = !found.first() || !found.first()->of_expected ? traces.actual : traces.expected;
  probe.report("law", found.text(probe.sides().expected, probe.sides().actual),
               "parity audit " + shell_quote({probe.trace_of(traces, side).parent_path().string()}),
               found.to_json());
  return found;
}

bool do_laws_recompute(const TensorStation& first) {
  return first.key.step > 0 && first.key.phase >= Phase::backward;
}

}  // namespace parity::bisect
