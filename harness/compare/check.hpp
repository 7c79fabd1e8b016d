// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json.hpp"
#include "harness/compare/verdict.hpp"
#include "harness/trace/phase.hpp"

namespace parity {

/// What a check claims of its quantities. Source: DESIGN.md, "Judging".
enum class Relation {
  identical,   ///< the same bits
  equivalent,  ///< the same mathematics: the gap collapses when both arms run as float64 twins
  lagged,      ///< arm b at step s + lag is arm a at step s, bit for bit
  unchanged,   ///< the quantity of one arm is what it was one step earlier, bit for bit
  distinct,    ///< another computation: the gap is beyond the floor and does not collapse
  trained,     ///< the loss of one arm fell by more than its noise
};

template <>
struct EnumNames<Relation> {
  static constexpr std::string_view what = "relation";
  static constexpr std::array<std::string_view, 6> names = {"identical", "equivalent", "lagged",
                                                            "unchanged", "distinct",   "trained"};
};
static_assert(EnumNames<Relation>::names.size() == static_cast<size_t>(Relation::trained) + 1);

/// A check's window of update numbers, both ends included, as a case file names it.
struct StepWindow {
  enum class Kind { all, warmup, after_warmup, last, range };
  Kind kind = Kind::all;
  int64_t first = 0;  ///< range only
  int64_t last = 0;
};

template <>
struct EnumNames<StepWindow::Kind> {
  static constexpr std::string_view what = "steps";
  static constexpr std::array<std::string_view, 5> names = {"all", "warmup", "after_warmup", "last", "range"};
};

/// One claim of a case: quantities, arms, relation.
struct Check {
  std::vector<std::string> channels;  ///< channel names; or else:
  std::string tensor;                 ///< glob over tensor names ...
  Phase phase = Phase::param;         ///< ... at this phase
  std::vector<std::string> arms;      ///< two, the first is the reference; one for unchanged and trained
  Relation relation = Relation::identical;
  int64_t lag = 1;  ///< lagged only
  StepWindow steps;
  std::string because;

  bool of_tensors() const { return !tensor.empty(); }
  /// "lr", "loss, grad_norm" or "grad layers.*.wq.weight".
  std::string quantity() const;
  /// Whether both arms must also run as float64 twins.
  bool needs_twins() const { return relation == Relation::equivalent || relation == Relation::distinct; }
};

/// The place where two sides differ most, or first.
struct WorstPlace {
  int64_t step = 0;
  std::string quantity;            ///< channel or tensor name
  std::vector<int64_t> index;      ///< coordinates; empty for a channel
  std::optional<double> expected;  ///< nothing where only sketches were compared
  std::optional<double> actual;
  std::string metric;  ///< what was measured there
  double value = 0;
  double limit = 0;
};

/// What a check found. `passed` says whether the claim held; `verdict` what was found, claimed or not
/// (a `distinct` check passes with verdict `different`).
struct CheckResult {
  bool passed = false;
  Verdict verdict = Verdict::missing;
  std::string sentence;            ///< plain words with both values, steps and names
  Json measured = Json::object();  ///< metric name -> number
  Json limit;                      ///< metric name -> number; null where bits decide
  std::optional<WorstPlace> worst;
  Json tensors = Json::array();  ///< a row a tensor (results.json form), for tensor checks
};

}  // namespace parity
