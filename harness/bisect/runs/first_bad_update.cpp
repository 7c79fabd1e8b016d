// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/first_bad_update.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/bisect/traces/first_step.hpp"
#include "harness/trace/format/restart_names.hpp"

namespace parity::bisect {
namespace {

constexpr int64_t most_checkpoints = 10;      // up to the update
constexpr double no_amplification = 0x1p-23;  // smaller relative errors count as this (METRICS.md M11)

trace::Capture state_at_every_step() {
  trace::CaptureRule rule;
  rule.phases = {trace::Phase::optim, trace::Phase::param};
  trace::Capture capture;
  capture.sketches.push_back(rule);
  return capture;
}

bool has_state(const trace::Trace& trace) {
  return std::ranges::any_of(trace.rank_rows(), [](const auto& entry) {
    return entry.first.phase == trace::Phase::optim || entry.first.phase == trace::Phase::param;
  });
}

int64_t distance_of_checkpoints(int64_t updates) {
  return std::max<int64_t>(1, (updates + most_checkpoints - 1) / most_checkpoints);
}

}  // namespace

FirstBadUpdate::FirstBadUpdate(RunProbe& probe, int64_t visible, std::optional<SideTraces> values)
    : probe_(probe),
      before_(std::move(values)),
      is_alone_(before_.has_value()),
      visible_(visible),
      step_(visible) {
  if (is_alone_)
    probe_.report("step", fmt::format("update {}, from the values that {} has before it", visible,
                                      probe_.sides().expected));
  else
    find_step();
  find_tensor();
}

/// Runs both sides with their state at each update, up to `last` and with checkpoints. If they cannot stop
/// and resume, they run to their end.
void FirstBadUpdate::run_before(const std::string& suffix, int64_t last) {
  from_checkpoint_ = probe_.runs().can_resume_from_checkpoint();
  SideRuns::Span span = {.stop_after = probe_.runs().can_stop_early() ? last : 0};
  if (from_checkpoint_)
    span.checkpoint_every = every_ = distance_of_checkpoints(last);
  before_.emplace(probe_.run(suffix, span, state_at_every_step()));
}

/// Finds the first update up to `last` after which the states differ.
bool FirstBadUpdate::find_other_state(int64_t last) {
  std::optional<int64_t> least;
  for (const trace::Phase phase : {trace::Phase::optim, trace::Phase::param})
    if (const auto step =
            first_step_of(before_->expected_trace(), before_->actual_trace(), phase, probe_.beyond());
        step && *step <= last && (!least || *step < *least))
      least = step;
  if (least)
    step_ = std::max<int64_t>(*least, 1);
  return least.has_value();
}

/// Finds the first update after which the states differ. This is `visible_`, or earlier if the change did not
/// show at once.
void FirstBadUpdate::find_step() {
  if (visible_ == 1)
    return probe_.report("step", "update 1");
  run_before("before", visible_ - 1);
  if (find_other_state(visible_ - 1))
    return probe_.report(
        "step",
        fmt::format("parameters or optimizer state first differ after update {}, {} before a channel does",
                    step_,
                    visible_ - step_ == 1 ? "one update" : fmt::format("{} updates", visible_ - step_)),
        probe_.compare_command(*before_, fmt::format(" --step {}", step_)));
  if (!has_state(before_->expected_trace()) || !has_state(before_->actual_trace())) {
    probe_.note(
        fmt::format("both sides recorded no parameter or optimizer state before update {}, so an earlier "
                    "update may already differ",
                    step_));
    return probe_.report("step", fmt::format("update {}", step_));
  }
  probe_.report("step", fmt::format("update {}: parameters and optimizer state before it {}", step_,
                                    probe_.beyond() > 0 ? "agree up to rounding" : "are bitwise identical"));
}

void FirstBadUpdate::search_later() {
  if (first_ || !has_tensors() || is_alone_)
    return;
  run_before("later", probe_.runs().steps());
  if (!find_other_state(std::numeric_limits<int64_t>::max()))
    return probe_.report(
        "tensor", fmt::format("none of the {} tensors of update {} differs, and no state after any update",
                              path_.stations.size(), visible_));
  probe_.report("step", fmt::format("the state first differs after update {}; no tensor of update {} differs",
                                    step_, visible_));
  find_tensor();
}

SideRuns::Span FirstBadUpdate::span_of_update(int64_t ahead) const {
  SideRuns::Span span = {.stop_after = probe_.runs().can_stop_early() ? step_ : 0};
  if (before_ && from_checkpoint_ && step_ > 1) {
    const int64_t last = before_->runs.planned.source.arms.front().span.stop_after;
    const int64_t wanted = step_ - 1 - ahead;
    const int64_t start = wanted == last ? last : wanted / every_ * every_;
    if (start > 0) {
      span.from = &*before_;
      span.start_step = start;
    }
  }
  return span;
}

SideTraces FirstBadUpdate::run_again(const std::string& suffix, const trace::Capture& capture) {
  return probe_.run(suffix, span_of_update(), capture);
}

SideTraces FirstBadUpdate::run_fed(const trace::Capture& kept, const trace::Capture& compared) {
  return probe_.run_fed("fed", span_of_update(1), kept, compared);
}

SideTraces FirstBadUpdate::run_with_state_before(const std::string& suffix, const trace::Capture& capture) {
  return probe_.run(suffix, span_of_update(1), capture);
}

void FirstBadUpdate::move_to(int64_t step) {
  step_ = step;
  from_checkpoint_ = probe_.runs().can_resume_from_checkpoint() && step > 1;
  if (from_checkpoint_) {
    every_ = distance_of_checkpoints(step - 1);
    before_.emplace(probe_.run("before-later", {.stop_after = step - 1, .checkpoint_every = every_}, {}));
  }
  trace::Capture all;
  all.sketches.push_back(everything());
  tensors_.emplace(run_again("tensors-later", all));
  path_ = compare_path(tensors_->expected_trace(), tensors_->actual_trace(), step);
}

SideTraces FirstBadUpdate::run_shaken(const std::string& suffix, const trace::Capture& capture,
                                      const std::vector<trace::Fault>& shakes) {
  return probe_.run_shaken(suffix, span_of_update(), capture, shakes);
}

trace::CaptureRule FirstBadUpdate::everything() const {
  trace::CaptureRule rule;
  rule.steps = step_ == 1 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{step_};
  return rule;
}

void FirstBadUpdate::find_tensor() {
  trace::Capture all;
  all.sketches.push_back(everything());
  if (!probe_.runs().can_stop_early()) {  // a side may restart: what it had before
    all.sketches.push_back({{step_ - 1}, {trace::Phase::optim, trace::Phase::param}, {}});
    all.sketches.push_back({{step_ - 1}, {trace::Phase::input}, {std::string(trace::saved_prefix) + "*"}});
  }
  tensors_.emplace(run_again("tensors", all));
  take_first();
  if (!first_ && before_ && from_checkpoint_ && step_ > 1 &&
      !is_alone_) {  // the checkpoint does not carry the cause
    from_checkpoint_ = false;
    SideTraces whole = run_again("tensors-from-start", all);
    tensors_.emplace(std::move(whole));
    take_first();
    if (first_)
      probe_.note(
          fmt::format("the difference does not reproduce from a checkpoint before update {} (state outside "
                      "the checkpoint "
                      "carries it), so both sides ran from the first update",
                      step_));
  }
  if (first_)
    print_tensor();
  if (const std::string lone = path_.lone_phase_text(probe_.sides().expected, probe_.sides().actual);
      !lone.empty())
    probe_.note(lone);
  if (!path_.split_on_both.empty())
    probe_.note(
        fmt::format("ranks of both sides differ among themselves, first in {}; `parity audit` of either "
                    "names them",
                    describe(path_.split_on_both.front())));
}

void FirstBadUpdate::take_first() {
  for (const int64_t step : everything().steps) {
    path_ = compare_path(tensors_->expected_trace(), tensors_->actual_trace(), step);
    if (const TensorStation* found = path_.first_difference(probe_.beyond())) {
      const TensorStation* last = path_.before(*found);
      first_ = *found;
      last_equal_ = last ? std::optional(last->key) : std::nullopt;
      return;
    }
  }
}

void FirstBadUpdate::take_station(const TensorStation& station) {
  first_ = station;
  last_equal_.reset();
}

void FirstBadUpdate::print_tensor() {
  const trace::TensorKey& key = first_->key;
  Json details = {{"step", key.step},
                  {"phase", name_of(key.phase)},
                  {"name", key.name},
                  {"ranks", first_->ranks},
                  {"path", path_.to_json()}};
  if (first_->changed)
    details["saved"] = {{"side", first_->changed->of_expected ? "expected" : "actual"},
                        {"step", first_->changed->saved.step},
                        {"phase", name_of(first_->changed->saved.phase)},
                        {"name", first_->changed->saved.name}};
  if (first_->split)
    details["replicas"] = first_->split->to_json();
  std::string answer = fmt::format("{} is the first tensor that differs{}{}; {} of {} differ", describe(key),
                                   probe_.describe_excess(), describe_rank(),
                                   path_.differing(probe_.beyond()), path_.stations.size());
  if (first_->split)
    answer += "; " + first_->split->text(probe_.sides().expected, probe_.sides().actual);
  if (const TensorStation* grown = path_.amplifier(no_amplification); grown && grown->key != key) {
    details["amplifier"] = {{"phase", name_of(grown->key.phase)}, {"name", grown->key.name}};
    answer += fmt::format("; the error grows most at {} {}", name_of(grown->key.phase), grown->key.name);
  }
  probe_.report("tensor", answer, probe_.compare_command(*tensors_, key), details);
}

std::string FirstBadUpdate::describe_rank() const {
  const auto differing = static_cast<int64_t>(first_->ranks.size());
  if (differing == 0 || differing == tensors_->expected_trace().ranks())
    return "";
  return fmt::format(", on rank{} {}", differing == 1 ? "" : "s", fmt::join(first_->ranks, ", "));
}

}  // namespace parity::bisect
