// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search_run.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/process.hpp"
#include "harness/bisect/first_step.hpp"
#include "harness/bisect/guilty_operator.hpp"
#include "harness/bisect/tensor_path.hpp"
#include "harness/bisect/tensor_place.hpp"
#include "harness/trace/rank_files.hpp"

namespace parity {
namespace {

constexpr int64_t most_checkpoints = 10;  // on the way to the differing step
// Of one tensor, by another order of float32 sums: 64 units of 2^-23, about what a layer of a small model
// makes.
constexpr double most_rounding = 64 * 0x1p-23;
// What rounding may leave in float64 where it left that in float32: 2^20 times less (DESIGN.md, Judging).
constexpr double collapsed = 0x1p-33;

CaptureRule everything_at(int64_t step) {
  CaptureRule rule;
  rule.steps = step == 1 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{step};
  return rule;
}

CaptureRule state_at_every_step() {
  CaptureRule rule;
  rule.phases = {Phase::optim, Phase::param};
  return rule;
}

std::string words_of(const TensorKey& key) {
  return fmt::format("{} {} at step {}", name_of(key.phase), key.name, key.step);
}

}  // namespace

/// One search, stage by stage.
class RunSearch {
 public:
  RunSearch(const Sides& sides, const SuiteOptions& options, Progress& progress)
      : sides_(sides), options_(options), progress_(progress), runs_(sides, options, progress) {
    record_.kind = "run";
    record_.subject = fmt::format("{}: {} against {}", sides.source.name, sides.actual, sides.expected);
  }

  SearchRecord search() {
    tell_config();
    const std::optional<int64_t> visible = find_visible_step();
    if (!visible)
      return std::move(record_);
    find_step(*visible);
    find_tensor();
    if (!first_)
      find_later_step(*visible);
    if (!first_)
      return without_tensor(*visible);
    if (is_of_roundings_size() && !config_.empty() && runs_.can_widen() && search_in_float64())
      return std::move(record_);
    find_operator();
    find_element();
    conclude();
    return std::move(record_);
  }

 private:
  /// Whether the first difference may be nothing but another order of sums.
  bool is_of_roundings_size() const {
    const bool is_computed = first_->key.phase != Phase::input && first_->key.step > 0;
    return is_computed && first_->relative && *first_->relative <= most_rounding;
  }

  /// What is left in float64, where rounding all but disappears, is another computation: looked for in the
  /// same way, and told in place of where the bits part.
  /// \return whether there is something
  bool search_in_float64() {
    RunSearch wide(sides_, options_, progress_);
    wide.runs_.widen();
    wide.beyond_ = collapsed;
    wide.record_.stages = record_.stages;
    wide.suffix_ = "float64-";
    wide.config_ = config_;
    const std::optional<int64_t> visible = wide.find_visible_step();
    if (!visible) {
      record_.stages.push_back(wide.record_.stages.back());
      rounding_ = "in float64 nothing of it remains, so it is rounding";
      return false;
    }
    wide.find_step(*visible);
    wide.find_tensor();
    if (!wide.first_)
      return false;
    wide.find_element();
    wide.conclude();
    wide.record_.sentence =
        fmt::format("beyond rounding, {} (in float64; in float32 the bits part at {} already, by {:.1e})",
                    wide.record_.sentence, words_of(first_->key), *first_->relative);
    record_ = std::move(wide.record_);
    return true;
  }

  SideTraces run(const std::string& suffix, const SideRuns::Span& span, const Capture& capture,
                 SideTraces (SideRuns::*how)(const std::string&, const SideRuns::Span&,
                                             const Capture&) = &SideRuns::run) {
    progress_.note(fmt::format("{}: {}", sides_.source.name, suffix));
    SideTraces traces = (runs_.*how)("bisect-" + suffix_ + suffix, span, capture);
    executed_ += traces.executed;
    cached_ += 2 - traces.executed;
    seconds_ += traces.seconds;
    return traces;
  }

  /// Ends a stage: what ran since the last one is its effort.
  void tell(const std::string& name, const std::string& answer, const std::string& command = "",
            Json details = Json::object()) {
    record_.stages.push_back(
        {suffix_ + name, answer, command, executed_, cached_, seconds_, std::move(details)});
    executed_ = cached_ = 0;
    seconds_ = 0;
  }

  /// Looks at two traces of this search again.
  std::string compare_command(const SideTraces& traces, const std::string& more) const {
    const RunStore store(options_.out);
    const auto folder = [&](const std::string& arm) {
      return store.folder(traces.runs.planned.arm(arm).run).string();
    };
    return "parity compare " + shell_quote({folder(traces.expected), folder(traces.actual)}) + more;
  }

  void tell_config() {
    config_ = runs_.config_differences();
    if (config_.empty())
      return;
    std::vector<std::string> keys;
    Json details = Json::array();
    for (const ConfigDifference& difference : config_) {
      keys.push_back(fmt::format("{} ({} against {})", difference.key, difference.expected.dump(),
                                 difference.actual.dump()));
      details.push_back(
          {{"key", difference.key}, {"expected", difference.expected}, {"actual", difference.actual}});
    }
    constexpr size_t most = 4;
    const size_t more = keys.size() > most ? keys.size() - most : 0;
    keys.resize(keys.size() - more);
    tell("config",
         fmt::format("the configs differ in {}{}", fmt::join(keys, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : ""),
         "", {{"keys", details}});
  }

  /// \return the first step at which something that was recorded differs
  std::optional<int64_t> find_visible_step() {
    whole_.emplace(run("whole", {}, {}, &SideRuns::run_as_far_as_possible));
    const Trace &a = whole_->expected_trace(), &b = whole_->actual_trace();
    std::vector<ChannelStation> first = first_channels(a, b, beyond_);
    if (!first.empty()) {
      const ChannelStation& one = channel_to_name(first);
      tell("curve",
           fmt::format("{} is the first channel that differs{}, at step {} of {}: {} against {}{}",
                       one.channel, beyond_words(), one.step, runs_.steps(), one.expected, one.actual,
                       also_words(first, one)),
           compare_command(*whole_, fmt::format(" --step {}", one.step)), curve_details());
      return one.step;
    }
    for (const std::string& channel : lone_channels(a, b))
      record_.notes.push_back(channel + " is recorded by one side only");
    if (!whole_->failed_expected.empty() || !whole_->failed_actual.empty()) {
      tell_end();
      return std::nullopt;
    }
    // The curves agree: a weight that no batch has used yet may still be another.
    Capture last;
    last.sketches.push_back({{runs_.steps()}, {Phase::param}, {}});
    const SideTraces ends = run("ends", {}, last);
    if (first_step_of(ends.expected_trace(), ends.actual_trace(), Phase::param, beyond_)) {
      tell("curve", "no channel differs, but the parameters after the last update do",
           compare_command(ends, " --phase param"));
      return runs_.steps();
    }
    if (beyond_ > 0) {
      tell("curve",
           fmt::format(
               "no channel differs by more than {:.0e} of its value, nor a parameter after the last update",
               beyond_));
      return std::nullopt;
    }
    record_.differs = false;
    record_.sentence = fmt::format(
        "{} and {} do not differ: every channel and the parameters after update {} have the same bits",
        sides_.expected, sides_.actual, runs_.steps());
    tell("curve", "no channel differs, and no parameter after the last update");
    return std::nullopt;
  }

  /// Sides that agree as far as both came, of which one did not come to its end.
  void tell_end() {
    const int64_t a = whole_->expected_trace().last_step(), b = whole_->actual_trace().last_step();
    const std::string& failure =
        b < a || whole_->failed_expected.empty() ? whole_->failed_actual : whole_->failed_expected;
    record_.sentence =
        a == b
            ? fmt::format("both sides end after update {}, and agree bit for bit until then: {}", a, failure)
            : fmt::format(
                  "{} ends after update {}, {} after update {}, and they agree bit for bit until then: {}",
                  sides_.expected, a, sides_.actual, b, failure);
    record_.differs = a != b;
    tell("curve", fmt::format("no channel differs up to update {}", std::min(a, b)));
  }

  std::string beyond_words() const { return beyond_ > 0 ? fmt::format(" by more than {:.0e}", beyond_) : ""; }

  /// Of the channels of one step the one that says most of the cause.
  static const ChannelStation& channel_to_name(const std::vector<ChannelStation>& first) {
    for (const char* name : {"batch_digest", "position_digest", "mask_digest", "valid_tokens", "lr",
                             "weight_decay", "routing_digest", "loss", "grad_norm"})
      if (const auto found = std::ranges::find(first, name, &ChannelStation::channel); found != first.end())
        return *found;
    return first.front();
  }

  static std::string also_words(const std::vector<ChannelStation>& first, const ChannelStation& named) {
    std::vector<std::string> others;
    for (const ChannelStation& station : first)
      if (station.channel != named.channel)
        others.push_back(station.channel);
    return others.empty() ? "" : fmt::format("; with it {}", fmt::join(others, ", "));
  }

  /// Loss and gradient norm of both sides, for drawing how the difference grows.
  Json curve_details() const {
    Json details = Json::object();
    for (const char* name : {"loss", "grad_norm"}) {
      const auto &a = whole_->expected_trace().channels(), &b = whole_->actual_trace().channels();
      if (a.contains(name) && b.contains(name))
        details[name] = {{"expected", a.at(name).as_double()}, {"actual", b.at(name).as_double()}};
    }
    details["steps"] = whole_->expected_trace().steps();
    return details;
  }

  bool has_same_state_until(const SideTraces& traces, int64_t& first) const {
    std::optional<int64_t> least;
    for (const Phase phase : {Phase::optim, Phase::param})
      if (const auto step = first_step_of(traces.expected_trace(), traces.actual_trace(), phase, beyond_);
          step && (!least || *step < *least))
        least = step;
    if (least)
      first = *least;
    return !least.has_value();
  }

  /// The first update that ends with another state: at `visible` at the latest, earlier where a change was
  /// not used at once.
  void find_step(int64_t visible) {
    step_ = visible;
    if (!runs_.can_start_on_the_way() || visible == 1) {
      tell("step", fmt::format("update {}", step_));
      return;
    }
    Capture state;
    state.sketches.push_back(state_at_every_step());
    every_ = std::max<int64_t>(1, (visible - 1 + most_checkpoints - 1) / most_checkpoints);
    before_.emplace(run("before", {.stop_after = visible - 1, .checkpoint_every = every_}, state));
    if (has_same_state_until(*before_, step_)) {
      tell("step", fmt::format("update {}: before it parameters and optimizer state {}", step_,
                               beyond_ > 0 ? "agree up to rounding" : "have the same bits"));
      return;
    }
    step_ = std::max<int64_t>(step_, 1);
    tell("step",
         fmt::format("update {} leaves another state, {} before a channel shows it", step_,
                     visible - step_ == 1 ? "one update" : fmt::format("{} updates", visible - step_)),
         compare_command(*before_, fmt::format(" --step {}", step_)));
  }

  /// The update runs again, from the last checkpoint before it.
  SideTraces run_step(const std::string& suffix, const Capture& capture, bool from_checkpoint) {
    SideRuns::Span span = {.stop_after = runs_.can_start_on_the_way() ? step_ : 0};
    if (before_ && from_checkpoint && step_ > 1) {
      const int64_t last = before_->runs.planned.source.arms.front().span.stop_after;
      const int64_t start = step_ - 1 == last ? last : (step_ - 1) / every_ * every_;
      if (start > 0) {
        span.from = &*before_;
        span.start_step = start;
      }
    }
    return run(suffix, span, capture);
  }

  void find_tensor() {
    Capture all;
    all.sketches.push_back(everything_at(step_));
    tensors_.emplace(run_step("tensors", all, from_checkpoint_));
    take_first();
    if (!first_ && before_) {  // what made it is not in the checkpoint
      from_checkpoint_ = false;
      record_.notes.push_back(
          fmt::format("the difference does not come back from a checkpoint before update {}: something that "
                      "no checkpoint holds "
                      "carries it; the update was looked at in runs from the beginning",
                      step_));
      tensors_.emplace(run_step("tensors-from-start", all, false));
      take_first();
    }
    if (!first_)
      return;
    const TensorStation* grown = path_.amplifier(1e-7);
    Json details = {{"step", first_->key.step},
                    {"phase", name_of(first_->key.phase)},
                    {"name", first_->key.name},
                    {"ranks", first_->ranks},
                    {"path", path_.to_json()}};
    if (grown)
      details["amplifier"] = {{"phase", name_of(grown->key.phase)}, {"name", grown->key.name}};
    tell("tensor",
         fmt::format("{} is the first of {} tensors that differs{}{}; {} of them do", words_of(first_->key),
                     path_.stations.size(), beyond_words(), rank_words(), path_.differing(beyond_)) +
             (grown && grown->key != first_->key
                  ? fmt::format("; the error grows most at {} {}", name_of(grown->key.phase), grown->key.name)
                  : ""),
         compare_command(*tensors_, fmt::format(" --step {} --phase {} --tensor {}", first_->key.step,
                                                name_of(first_->key.phase), shell_quote({first_->key.name}))),
         details);
  }

  /// A channel may be computed otherwise from the same tensors, as a norm over parts is: then the search goes
  /// on at the first update that leaves another state.
  void find_later_step(int64_t visible) {
    if (path_.stations.empty() || !runs_.can_start_on_the_way())
      return;
    Capture state;
    state.sketches.push_back(state_at_every_step());
    every_ = std::max<int64_t>(1, (runs_.steps() + most_checkpoints - 1) / most_checkpoints);
    before_.emplace(run("later", {.stop_after = runs_.steps(), .checkpoint_every = every_}, state));
    if (has_same_state_until(*before_, step_)) {
      tell("tensor",
           fmt::format("none of the {} tensors of update {} differs, nor the state after any update",
                       path_.stations.size(), visible));
      return;
    }
    tell("step",
         fmt::format("update {} is the first that leaves another state; no tensor of update {} differs",
                     step_, visible));
    from_checkpoint_ = true;
    find_tensor();
  }

  void take_first() {
    for (const int64_t step : step_ == 1 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{step_}) {
      path_ = compare_path(tensors_->expected_trace(), tensors_->actual_trace(), step);
      if (const TensorStation* found = path_.first_difference(beyond_)) {
        const TensorStation* last = path_.before(*found);
        first_ = *found;
        last_equal_ = last ? std::optional(last->key) : std::nullopt;
        return;
      }
    }
  }

  std::string rank_words() const {
    const int64_t ranks = tensors_->expected_trace().ranks();
    if (ranks == 1 || first_->ranks.empty() || static_cast<int64_t>(first_->ranks.size()) == ranks)
      return "";
    return fmt::format(", on rank{} {}", first_->ranks.size() == 1 ? "" : "s",
                       fmt::join(first_->ranks, ", "));
  }

  void find_operator() {
    const std::optional<CaptureRule> wanted = operators_to_watch(first_->key, last_equal_);
    if (!wanted)
      return;
    if (first_->ranks.empty()) {
      record_.notes.push_back(
          "the sides lay their tensors out over other ranks, so operators cannot be paired");
      return;
    }
    Capture capture;
    capture.operators.push_back(*wanted);
    capture.sketches.push_back(everything_at(step_));
    const SideTraces watched = run_step("operators", capture, from_checkpoint_);
    guilty_ = find_guilty_operator(watched.expected_trace(), watched.actual_trace(), first_->key,
                                   first_->ranks.empty() ? 0 : first_->ranks.front());
    if (!guilty_) {
      record_.notes.push_back("the sides cut their work into other pieces, so operators cannot be paired");
      return;
    }
    tell("operator", guilty_->words(),
         guilty_->key ? compare_command(watched, fmt::format(" --step {} --tensor {}", step_,
                                                             shell_quote({guilty_->key->name})))
                      : "",
         guilty_->to_json());
  }

  void find_element() {
    Capture capture;
    capture.tensors.push_back({{first_->key.step}, {first_->key.phase}, {first_->key.name}});
    capture.tensors.push_back({{step_}, {Phase::input}, {"tokens", "document_ids"}});
    const SideTraces kept = run_step("elements", capture, from_checkpoint_);
    place_ = find_place(kept.expected_trace(), kept.actual_trace(), first_->key);
    if (place_ && place_->gap.identical)  // of replicas the lowest rank's stands for all
      place_ = find_place_on_rank(kept);
    if (place_)
      tell("element", place_->words(sides_.expected, sides_.actual),
           compare_command(kept, fmt::format(" --step {} --phase {} --tensor {} --profile", first_->key.step,
                                             name_of(first_->key.phase), shell_quote({first_->key.name}))),
           place_->to_json());
  }

  /// What the first rank that differs has by itself; nothing where it holds a part only.
  std::optional<TensorPlace> find_place_on_rank(const SideTraces& kept) const {
    if (first_->ranks.empty())
      return std::nullopt;
    const RunStore store(options_.out);
    const auto own = [&](const std::string& arm) {
      const std::filesystem::path file = store.trace(kept.runs.planned.arm(arm).run);
      return Trace::open(rank_path(file, first_->ranks.front()));
    };
    const Trace expected = own(kept.expected), actual = own(kept.actual);
    return find_place(expected, actual, first_->key);
  }

  SearchRecord without_tensor(int64_t visible) {
    if (!path_.stations.empty()) {
      record_.sentence = fmt::format(
          "channels of {} and {} differ from step {} on, and no tensor does: they are computed otherwise "
          "from "
          "the same numbers",
          sides_.expected, sides_.actual, visible);
      return std::move(record_);
    }
    record_.sentence = fmt::format(
        "{} and {} differ from step {} on, and no tensor that both recorded does (their traces lack it); "
        "record "
        "tensors of that step: phases forward, backward, grad, optim and param",
        sides_.expected, sides_.actual, visible);
    return std::move(record_);
  }

  void conclude() {
    std::string text =
        fmt::format("{} is the first tensor that differs{}", words_of(first_->key), rank_words());
    if (first_->key.step == 0)
      text += ": the sides begin with other weights";
    else if (first_->key.phase == Phase::input)
      text += ": the sides read other data, before any computation";
    else if (const std::string rate = changed_rate(); !rate.empty())
      text += ": " + rate;
    else if (guilty_)
      text += ": " + guilty_->words();
    if (place_ && !place_->short_words().empty())
      text += "; " + place_->short_words();
    if (!rounding_.empty())
      text += "; " + rounding_;
    record_.sentence = text;
  }

  /// Where gradients agree and the optimizer got other numbers.
  std::string changed_rate() const {
    if (first_->key.phase != Phase::optim && first_->key.phase != Phase::param)
      return "";
    const std::vector<ChannelStation> channels =
        first_channels(tensors_->expected_trace(), tensors_->actual_trace());
    for (const ChannelStation& station : channels)
      if (station.step == step_ && (station.channel == "lr" || station.channel == "weight_decay"))
        return fmt::format("{} of update {} is {} against {}", station.channel, step_, station.expected,
                           station.actual);
    return "";
  }

  const Sides& sides_;
  const SuiteOptions& options_;
  Progress& progress_;
  SideRuns runs_;
  SearchRecord record_;
  double beyond_ = 0;  ///< relative: what counts as a difference; 0: other bits
  std::string suffix_;
  std::string rounding_;
  int64_t executed_ = 0, cached_ = 0;
  double seconds_ = 0;

  std::vector<ConfigDifference> config_;
  std::optional<SideTraces> whole_, before_, tensors_;
  int64_t step_ = 1, every_ = 1;
  bool from_checkpoint_ = true;
  TensorPath path_;
  std::optional<TensorStation> first_;
  std::optional<TensorKey> last_equal_;
  std::optional<GuiltyOperator> guilty_;
  std::optional<TensorPlace> place_;
};

SearchRecord search_run(const Sides& sides, const SuiteOptions& options, Progress& progress) {
  if (sides.expected == sides.actual)
    throw UserError("both sides are " + sides.expected +
                    " (an arm does not differ from itself); name two arms");
  return RunSearch(sides, options, progress).search();
}

}  // namespace parity
