// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/causality.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/laws/laws.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// Returns the number of attention layers before a module's result, from the number in its name; nothing if
/// there is no number.
std::optional<int64_t> layers_before(const std::string& name) {
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    int64_t depth = 0;
    if (std::from_chars(name.data() + dot + 1, name.data() + name.size(), depth).ec == std::errc{})
      return depth + 1;
  }
  return std::nullopt;
}

/// Returns the modules whose results both runs recorded with the batch's rows and positions, as executed.
std::vector<std::string> modules_of(const RecordedRun& run, const RecordedRun& probe, const Batch& batch) {
  std::vector<std::string> names = run.names(batch.step, Phase::forward);
  const auto order = [&](const std::string& name) {
    const trace::SketchRow* row = run.trace().find_sketch({batch.step, Phase::forward, name});
    return row == nullptr ? int64_t{0} : row->order;
  };
  std::ranges::stable_sort(names, {}, order);
  std::erase_if(names, [&](const std::string& name) {
    const TensorKey key{batch.step, Phase::forward, name};
    if (!run.has_values(key) || !probe.has_values(key))
      return true;
    const Shape shape = run.trace().tensor(key).shape;
    return shape.size() < 2 || shape[0] != batch.rows || shape[1] != batch.length ||
           probe.trace().tensor(key).shape != shape;
  });
  return names;
}

bool has_experts(const RecordedRun& run, int64_t step) {
  return std::ranges::any_of(run.names(step, Phase::forward), [](const std::string& name) {
    return name.find("expert") != std::string::npos || name.find(".moe") != std::string::npos;
  });
}

/// The results of one module in both runs, token by token.
class ModuleResults {
 public:
  ModuleResults(const RecordedRun& run, const RecordedRun& probe, const Batch& batch, const std::string& name,
                bool rounds)
      : batch_(batch), key_{batch.step, Phase::forward, name} {
    values_ = run.values(key_);
    changed_ = probe.values(key_);
    width_ = values_.size() / static_cast<size_t>(batch.rows * batch.length);
    half_ = rounds ? std::sqrt(run.roundoff(key_)) : 0;
  }

  /// Returns whether the result at a token moved. A number that is not finite has moved.
  bool moved(TokenPlace place) const {
    const size_t first = batch_.at(place.row, place.position) * width_;
    double difference = 0, size = 0;
    for (size_t i = first; i < first + width_; ++i) {
      if (values_[i] == changed_[i] && std::isfinite(values_[i]))
        continue;
      difference += std::pow(changed_[i] - values_[i], 2);
      if (!std::isfinite(difference) || half_ == 0)
        return true;
    }
    for (size_t i = first; i < first + width_; ++i)
      size += values_[i] * values_[i];
    return difference > half_ * half_ * size;
  }

 private:
  const Batch& batch_;
  TensorKey key_;
  std::vector<double> values_, changed_;
  size_t width_ = 0;
  double half_ = 0;  ///< relative size of a movement that rounding may cause
};

/// What moved behind one barrier.
struct Leak {
  std::string module;  ///< the first one
  std::vector<TokenPlace> places = {};
  std::set<std::string> modules = {};
};

std::string text_of(const std::vector<TokenPlace>& places) {
  const TokenPlace first = places.front(), last = places.back();
  if (places.size() == 1)
    return fmt::format("position {} of row {}", first.position, first.row);
  if (first.row == last.row)
    return fmt::format("{} positions between {} and {} of row {}", places.size(), first.position,
                       last.position, first.row);
  return fmt::format("{} positions of rows {} to {}", places.size(), first.row, last.row);
}

/// Returns why the results that moved should not have: "which are in another row".
std::string reason(Barrier barrier, const Visibility& visible, TokenPlace from, const Leak& leak) {
  const bool one = leak.places.size() == 1;
  const char* is = one ? "is" : "are";
  switch (barrier) {
    case Barrier::row:
      return fmt::format("{} in another row", is);
    case Barrier::later:
      return fmt::format("{} before it, so a later token is seen", one ? "comes" : "come");
    case Barrier::document:
      return fmt::format("{} in another document, so documents are not kept apart", is);
    case Barrier::window:
      return fmt::format("{} {} tokens after it, where attention.sliding_window = {} allows {}",
                         one ? "is" : "are up to", leak.places.back().position - from.position,
                         visible.window(), layers_before(leak.module).value_or(1) * (visible.window() - 1));
    case Barrier::block:
      return fmt::format("{} in another block of attention.fixed_block tokens", is);
  }
  return "";
}

/// Returns the places where two batches have other tokens.
std::vector<TokenPlace> other_tokens(const Batch& a, const Batch& b) {
  std::vector<TokenPlace> places;
  for (int64_t row = 0; row < a.rows; ++row)
    for (int64_t place = 0; place < a.length; ++place)
      if (!(a.tokens[a.at(row, place)] == b.tokens[b.at(row, place)]))
        places.push_back({row, place});
  return places;
}

/// Returns why two batches are not those of a run and its probe; "" if they are.
std::string not_a_probe(const Batch& a, const Batch& b) {
  if (a.tokens.empty() || b.tokens.empty() || a.rows != b.rows || a.length != b.length)
    return "no tokens of the same shape were recorded in the first update of both runs";
  if (const size_t count = other_tokens(a, b).size(); count != 1)
    return fmt::format("the first updates of the runs differ in {} tokens, not in one", count);
  if (a.positions != b.positions || a.documents != b.documents)
    return "the changed token also changed the positions or the documents; change another token";
  return "";
}

bool same_parameters(const RecordedRun& run, const RecordedRun& probe, int64_t step) {
  for (const std::string& name : run.names(step - 1, Phase::param)) {
    const TensorKey key{step - 1, Phase::param, name};
    const trace::SketchRow *a = run.trace().find_sketch(key), *b = probe.trace().find_sketch(key);
    if (a != nullptr && b != nullptr && a->digest != b->digest)
      return false;
  }
  return true;
}

void add_leaks(const std::map<Barrier, Leak>& leaks, const Visibility& visible, TokenPlace from, int64_t step,
               Finding& finding) {
  for (const auto& [barrier, leak] : leaks) {
    std::string more;
    if (leak.modules.size() > 1)
      more = fmt::format(
          "; {} after it moved there too",
          leak.modules.size() == 2 ? "1 module" : fmt::format("{} modules", leak.modules.size() - 1));
    finding.departures.push_back(
        {fmt::format("{} depends on the token at position {} of row {}: {} moved, which {}{}", leak.module,
                     from.position, from.row, text_of(leak.places), reason(barrier, visible, from, leak),
                     more),
         step,
         leak.module,
         {},
         {}});
  }
}

/// Compares each result behind a barrier. \return the last module whose result at the token itself moved
std::string compare_modules(const RecordedRun& run, const RecordedRun& probe, const Batch& batch,
                            TokenPlace from, Finding& finding) {
  const Visibility visible(run, batch);
  const bool rounds = has_experts(run, batch.step);
  std::map<Barrier, Leak> leaks;
  std::string last_moved;
  for (const std::string& name : modules_of(run, probe, batch)) {
    const ModuleResults results(run, probe, batch, name, rounds);
    if (results.moved(from))
      last_moved = name;
    for (TokenPlace to; to.row < batch.rows; ++to.row)
      for (to.position = 0; to.position < batch.length; ++to.position) {
        const auto barrier = visible.barrier(from, to, layers_before(name));
        if (!barrier)
          continue;
        ++finding.checked;
        if (!results.moved(to))
          continue;
        Leak& leak = leaks.try_emplace(*barrier, Leak{name}).first->second;
        leak.modules.insert(name);
        if (leak.module == name)
          leak.places.push_back(to);
      }
  }
  add_leaks(leaks, visible, from, batch.step, finding);
  if (!visible.conflict().empty())
    finding.departures.push_back({visible.conflict(), batch.step, "positions", {}, {}});
  finding.notes.push_back(visible.note());
  if (const std::string limit = visible.limit_of_probe(from); !limit.empty())
    finding.notes.push_back(limit);
  if (rounds)
    finding.notes.push_back(
        "movements below half of the digits count as rounding, since experts sum other rows");
  return last_moved;
}

}  // namespace

const Law& causality_law() {
  static const Law law{"causality",
                       "Does a token reach only results that may see it?",
                       "a probe: a run with one other token in its first update; phases input and forward",
                       {{.phase = Phase::input}, {.phase = Phase::forward}},
                       nullptr};
  return law;
}

std::optional<TokenPlace> token_to_change(const RecordedRun& run) {
  if (run.steps().empty())
    return std::nullopt;
  const Batch batch = read_batch(run, run.steps().front());
  const auto marks = {run.config_number("data.eos_id"), run.config_number("data.newline_id")};
  std::optional<TokenPlace> other;
  for (int64_t i = 0; i < batch.length && !batch.tokens.empty(); ++i) {
    const TokenPlace place{0, (batch.length / 3 + i) % batch.length};
    const double token = batch.tokens[batch.at(place.row, place.position)];
    if (std::ranges::any_of(marks, [&](const auto& mark) { return mark && *mark == token; }))
      continue;
    if (place.position + 1 < batch.length && begins_document(batch, place.row, place.position + 1))
      return place;
    other = other.value_or(place);
  }
  return other;
}

bool sums_other_rows(const RecordedRun& run) {
  if (run.steps().empty() || !has_experts(run, run.steps().front()))
    return false;
  const int64_t step = run.steps().front();
  return std::ranges::any_of(run.names(step, Phase::forward), [&](const std::string& name) {
    return run.roundoff({step, Phase::forward, name}) > 0x1p-53;
  });
}

Finding judge_causality(const RecordedRun& run, const RecordedRun& probe) {
  Finding finding;
  if (run.steps().empty() || probe.steps().empty()) {
    finding.why = "a run made no update";
    return finding;
  }
  const int64_t step = run.steps().front();
  const Batch batch = read_batch(run, step), changed = read_batch(probe, step);
  finding.why = not_a_probe(batch, changed);
  if (finding.why.empty() && !same_parameters(run, probe, step))
    finding.why = "the runs begin with other parameters";
  if (!finding.why.empty())
    return finding;
  const TokenPlace from = other_tokens(batch, changed).front();
  const std::string last_moved = compare_modules(run, probe, batch, from, finding);
  if (finding.checked == 0)
    finding.why = "no result of a module was recorded, row by row and token by token";
  else if (last_moved.empty() && finding.departures.empty()) {
    finding.checked = 0;
    finding.why = "the changed token moved nothing, not even the results at its own position";
  }
  return finding;
}

Audit audit_causality(const trace::Trace& trace, const trace::Trace& probe) {
  Audit result;
  result.trace = trace.path().string();
  const auto has_ended = [](const trace::Trace& each) { return each.complete() && !each.failure(); };
  result.ended = has_ended(trace) && has_ended(probe);
  Finding finding = judge_causality(RecordedRun(trace), RecordedRun(probe));
  if (finding.answer() == Answer::not_asked)
    finding.record = causality_law().needs;
  result.rows.push_back({&causality_law(), std::move(finding)});
  return result;
}

}  // namespace parity::laws
