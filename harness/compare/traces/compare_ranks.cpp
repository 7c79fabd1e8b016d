// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/compare_ranks.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/curves/series_difference.hpp"

namespace parity::compare {
namespace {

/// A difference between two ranks of one run, without its values.
using OwnDifference = std::tuple<int64_t, std::optional<trace::Phase>, std::string, int64_t, int64_t>;

class Comparing {
 public:
  Comparing(const trace::Trace& expected, const trace::Trace& actual, const RankQuestion& question)
      : a_(expected), b_(actual), question_(question) {}

  RankComparison run() {
    compare_own();
    if (a_.ranks() == b_.ranks() && a_.ranks() > 1) {
      compare_channels();
      compare_rows();
    }
    std::ranges::stable_sort(found_.differences, {}, &RankDifference::step);
    return std::move(found_);
  }

 private:
  std::set<OwnDifference> own_differences(const trace::Trace& trace) {
    std::set<OwnDifference> own;
    for (const trace::ReplicaDifference& each : trace.replica_differences()) {
      const bool wanted = each.phase ? question_.wants_tensor({each.step, *each.phase, each.name})
                                     : question_.wants_channel(each.name);
      if (!wanted || !question_.wants_step(each.step))
        continue;
      own.emplace(each.step, each.phase, each.name, each.rank, each.other);
      if (each.phase)
        with_own_differences_.insert({each.step, *each.phase, each.name});
    }
    return own;
  }

  /// Compares which ranks of a run differ among themselves: adds differences that only one run has.
  void compare_own() {
    const std::set<OwnDifference> first = own_differences(a_), second = own_differences(b_);
    const auto add = [&](const std::set<OwnDifference>& own, const std::set<OwnDifference>& other,
                         const char* side) {
      for (const OwnDifference& each : own) {
        const auto& [step, phase, name, rank, other_rank] = each;
        if (!other.contains(each))
          found_.differences.push_back({other_rank, step, phase, name,
                                        fmt::format("differs from rank {} in the {} only", rank, side)});
      }
    };
    add(first, second, "first");
    add(second, first, "second");
  }

  void compare_channels() {
    std::set<int64_t> ranks;
    for (const trace::Trace* trace : {&a_, &b_})
      for (const auto& [rank, channels] : trace->rank_channels())
        ranks.insert(rank);
    static const std::map<std::string, trace::Channel> none;
    for (const int64_t rank : ranks) {
      const auto of = [rank](const trace::Trace& trace) -> const std::map<std::string, trace::Channel>& {
        const auto found = trace.rank_channels().find(rank);
        return found == trace.rank_channels().end() ? none : found->second;
      };
      std::set<std::string> names;
      for (const auto* channels : {&of(a_), &of(b_)})
        for (const auto& [name, channel] : *channels)
          if (channel.kind != trace::ChannelKind::timing && question_.wants_channel(name))
            names.insert(name);
      for (const std::string& name : names)
        compare_channel(rank, name, of(a_), of(b_));
    }
  }

  void compare_channel(int64_t rank, const std::string& name, const std::map<std::string, trace::Channel>& a,
                       const std::map<std::string, trace::Channel>& b) {
    ++found_.compared;
    if (!a.contains(name) || !b.contains(name)) {
      found_.differences.push_back(
          {rank, 0, std::nullopt, name, a.contains(name) ? "only in the first" : "only in the second", true});
      return;
    }
    std::vector<int64_t> steps;
    std::ranges::set_intersection(steps_of(a_, a.at(name)), steps_of(b_, b.at(name)),
                                  std::back_inserter(steps));
    std::erase_if(steps, [this](int64_t step) { return !question_.wants_step(step); });
    const SeriesDifference difference =
        measure_series(series_of(a.at(name), steps_of(a_, a.at(name)), steps),
                       series_of(b.at(name), steps_of(b_, b.at(name)), steps), question_.policy);
    if (!difference.identical())
      found_.differences.push_back(
          {rank, difference.first ? steps.at(*difference.first) : 0, std::nullopt, name, "differs"});
  }

  /// Returns the steps of a channel. In an unfinished run, a rank may have fewer or more steps than rank 0.
  static std::vector<int64_t> steps_of(const trace::Trace& trace, const trace::Channel& channel) {
    std::vector<int64_t> steps = trace.steps();
    const size_t count = std::visit([](const auto& values) { return values.size(); }, channel.values);
    steps.resize(std::min(steps.size(), count));
    return steps;
  }

  void compare_rows() {
    for (const auto& [key, rows] : a_.rank_rows()) {
      const auto other = b_.rank_rows().find(key);
      if (other == b_.rank_rows().end() || !question_.wants_tensor(key) || !question_.wants_step(key.step) ||
          (!question_.policy.strict() && !with_own_differences_.contains(key)))
        continue;
      if (!are_laid_out_alike(rows, other->second))
        ++found_.laid_out_otherwise;
      else
        for (size_t i = 0; i < rows.size(); ++i)
          compare_row(key, rows[i], other->second[i]);
    }
  }

  static bool are_laid_out_alike(const std::vector<trace::RankRow>& a, const std::vector<trace::RankRow>& b) {
    return std::ranges::equal(a, b, [](const trace::RankRow& x, const trace::RankRow& y) {
      return x.rank == y.rank && x.layout == y.layout;
    });
  }

  void compare_row(const trace::TensorKey& key, const trace::RankRow& a, const trace::RankRow& b) {
    ++found_.compared;
    const bool has_nan = question_.policy.nan == measure::DifferencePolicy::Nan::never_equal &&
                         (a.nan_count > 0 || b.nan_count > 0);
    if (a.digest != b.digest || has_nan)
      found_.differences.push_back({a.rank, key.step, key.phase, key.name, "differs"});
  }

  const trace::Trace& a_;
  const trace::Trace& b_;
  const RankQuestion& question_;
  RankComparison found_;
  std::set<trace::TensorKey> with_own_differences_;
};

}  // namespace

std::string RankDifference::text() const {
  return fmt::format("rank {}{}: {}{} {}", rank, step > 0 ? fmt::format(", step {}", step) : "",
                     phase ? std::string(name_of(*phase)) + " " : "", escape_to_line(name), what);
}

RankComparison compare_ranks(const trace::Trace& expected, const trace::Trace& actual,
                             const RankQuestion& question) {
  return Comparing(expected, actual, question).run();
}

}  // namespace parity::compare
