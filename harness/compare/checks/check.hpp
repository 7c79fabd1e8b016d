// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"
#include "harness/compare/checks/condition.hpp"
#include "harness/compare/checks/coverage.hpp"
#include "harness/compare/checks/twin_evidence.hpp"
#include "harness/compare/checks/verdict.hpp"
#include "harness/results/check.hpp"
#include "harness/results/operator_errors.hpp"
#include "harness/tensor/dtype.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::compare {

/// What a check claims of its quantities. Source: cases/README.md, "Keys of a check".
enum class Relation {
  identical,  ///< same bits
  /// Same mathematics: the gap collapses when both arms run as float64 twins.
  equivalent,
  /// Arm b at step s + lag has the bits of arm a at step s.
  lagged,
  /// The quantity of one arm has the same bits as one step earlier.
  unchanged,
  /// Another computation: the gap exceeds the floor and does not collapse.
  distinct,
  /// The loss of one arm fell, or its reward rose, by more than its noise.
  trained,
  /// The arms are no farther apart than measured rounding noise, or than a tolerance that fits it.
  bounded,
  /// The arms are no farther apart than those of a sibling pair.
  no_farther,
  /// The laws of training hold in the run of one arm.
  lawful,
  /// The outputs of one operator are as near the exact result as claimed.
  accurate,
  /// The bits of an operator's rows do not depend on what surrounds them.
  invariant,
  /// Repetitions of the run of one arm have its bits.
  repeats,
  /// The exact twins of both arms have equal residues in every gradient, parameter and moment.
  same_function,
  /// Negative control: the exact twins differ.
  other_function,
};

constexpr auto enum_names(Relation) {
  return named<Relation::other_function>(
      "relation",
      {"identical", "equivalent", "lagged", "unchanged", "distinct", "trained", "bounded", "no_farther",
       "lawful", "accurate", "invariant", "repeats", "same_function", "other_function"});
}

/// A check's window of update numbers, both ends included, as a case file names it.
struct StepWindow {
  /// How the window is named. All but `range` depend on the run.
  enum class Kind { all, warmup, after_warmup, last, range };
  Kind kind = Kind::all;  ///< how the window is named
  int64_t first = 0;      ///< range only
  int64_t last = 0;       ///< range only
};

constexpr auto enum_names(StepWindow::Kind) {
  return named<StepWindow::Kind::range>("steps", {"all", "warmup", "after_warmup", "last", "range"});
}

/// The updates that exact twins train if a check of theirs names none: the first starts from zero moments,
/// the second does not.
inline constexpr StepWindow two_updates = {StepWindow::Kind::range, 1, 2};

/// What a check compares its arms with.
enum class Against { arm, golden };

constexpr auto enum_names(Against) {
  return named<Against::golden>("side", {"arm", "golden"});
}

/// The pair of arms whose gap measures another pair's (relation no_farther): difference in differences.
struct Sibling {
  std::vector<std::string> arms;  ///< two; the first is the reference
  /// Golden of the other case that has these arms; empty if they are this case's.
  std::filesystem::path golden;
  /// How many times the sibling's gap the pair's gap may be. Megatron-LM's HSDP was 6.7 times as far from its
  /// reference as its FSDP with a defect and 1.1 times without (METRICS.md, PR #4891). 3 lies between the two
  /// on a logarithmic scale.
  double times = 3;
  bool each = false;  ///< each tensor by itself, not all tensors of the glob together
  bool rejected =
      false;  ///< the opposite claim: the pair's gap is larger than that, in one quantity at least
};

/// What a claim of an operator case has besides the keys of any check.
struct OperatorClaim {
  std::vector<trace::Phase> phases = {trace::Phase::forward, trace::Phase::grad};  ///< outputs, gradients
  std::string axis = {};                    ///< for `invariant`: what the rows must not depend on
  std::string exact = {};                   ///< arm that is the exact reference; "" if the case has none
  std::optional<double> ulp = {};           ///< for `accurate`: the largest error allowed
  std::optional<double> ulp_at_least = {};  ///< for `accurate`: an error that must be seen, a known loss
  /// For `accurate`: how many times the plain implementation's mean error is allowed.
  std::optional<double> times = {};
};

/// One claim of a case: quantities, arms and the relation between them. A claim about laws has no quantity.
struct Check {
  std::vector<std::string> channels;         ///< channel names; or else:
  std::string tensor;                        ///< glob over tensor names ...
  trace::Phase phase = trace::Phase::param;  ///< ... at this phase
  /// Two arms, of which the first is the reference; one if the claim is about a single arm.
  std::vector<std::string> arms;
  Relation relation = Relation::identical;  ///< what is claimed
  int64_t lag = 1;                          ///< lagged only
  /// For `bounded`: the tolerated relative gap. If not set, the measured floor decides.
  std::optional<double> tolerance;
  std::string tolerance_because;  ///< why the tolerance may be far from the floor
  /// For `equivalent`: the narrower dtype that an arm computes in, whose rounding is then allowed.
  std::optional<DType> precision;
  /// For `equivalent`: factor by which an arm may lose more than rounding.
  std::optional<double> imprecision;
  std::string imprecision_because;  ///< why an arm may lose more than rounding
  /// With `golden`, one arm is compared with what is stored of it.
  Against against = Against::arm;
  std::optional<Sibling> sibling;  ///< for `no_farther`
  /// For `lawful`: the laws that must be asked. Every other law must hold if the trace allows to ask it.
  std::vector<std::string> laws;
  std::vector<std::string> departs;  ///< for `lawful`: the laws that must depart
  /// For `lawful`: the arm whose run this arm's run continues, for the law `restart`; "": none.
  std::string before = {};
  std::optional<OperatorClaim> of_operator = {};  ///< set in an operator case
  /// For `repeats`: how often the arm runs, its own run included; at least 2.
  int64_t times = 3;
  Condition under = Condition::none;  ///< for `repeats`: of every run but the arm's own
  StepWindow steps;                   ///< where the claim must hold
  bool derived = false;               ///< added to those of the case, to prove them
  std::string because;                ///< why the claim must hold

  /// Returns whether the check is about tensors, not channels.
  bool of_tensors() const { return !tensor.empty(); }
  /// Returns the quantity as text: "lr", "loss, grad_norm" or "grad layers.*.wq.weight"; "run" for a check of
  /// the run as a whole, "run under load" for one of repetitions under a condition,
  /// "function" for one of exact twins.
  std::string quantity() const;
  /// Returns the laws that must be asked, each once: `laws` and `departs`.
  std::vector<std::string> named_laws() const;
  /// Returns what the check covers.
  CoveredKind covers() const {
    return relation == Relation::lawful    ? CoveredKind::laws
           : relation == Relation::repeats ? CoveredKind::run
           : of_exact_twins()              ? CoveredKind::tensors
           : of_tensors()                  ? CoveredKind::tensors
                                           : CoveredKind::channels;
  }
  /// Returns the arms of this case that the check uses: its own, those of a sibling, and `before`.
  std::vector<std::string> all_arms() const;
  /// Returns whether both arms must also run as float64 twins.
  bool needs_twins() const { return relation == Relation::equivalent || relation == Relation::distinct; }
  /// Returns whether the check is about the exact twins of its arms, and not about the arms' own runs.
  bool of_exact_twins() const {
    return relation == Relation::same_function || relation == Relation::other_function;
  }
};

/// Where two sides differ most, or first.
struct WorstPlace {
  int64_t step = 0;                  ///< update number; 0 is the initial state
  std::string point = {};            ///< of an operator case: the point of the sweep, in words
  std::string quantity;              ///< channel or tensor name
  std::vector<int64_t> index;        ///< coordinates; empty for a channel
  std::optional<int64_t> rank = {};  ///< set if the difference is of one rank
  std::optional<double> expected;    ///< not set if only sketches were compared
  std::optional<double> actual;      ///< not set if `expected` is not
  std::string metric;                ///< name of the metric
  double value = 0;                  ///< value of the metric
  /// Largest value that still passes. 0 if bits or float64 twins decide.
  double limit = 0;
};

/// The result of a check. `passed` states whether the claim holds; `verdict` states what was found, whether
/// or not it was claimed. A `distinct` check passes with verdict `different`.
struct CheckResult {
  bool passed = false;                 ///< whether the claim holds
  Verdict verdict = Verdict::missing;  ///< what was found
  /// Describes the result in one sentence: quantity, verdict, arms, where, evidence.
  std::string sentence;
  /// The likely cause, from the shape of the difference: "lr of b lags a's by 1 step". "" if none is known.
  std::string looks_like;
  std::vector<std::string> more = {};  ///< what was found besides the sentence, a sentence each
  Json measured = Json::object();      ///< metric name -> number
  Json limit;                          ///< metric name -> number; null if bits decide
  /// Where the arms differ most, or first; not set if no place was found.
  std::optional<WorstPlace> worst;
  /// One row per tensor and step, for tensor checks.
  std::vector<results::TensorRow> tensors;
  /// Gap, floor and limit by step, for channels that a bound judges.
  std::vector<results::MeasuredBound> bounds;
  /// What float64 twins showed; not set if the check asks for none.
  std::optional<TwinEvidence> twins = {};
  std::optional<results::OperatorErrors> errors = {};  ///< of a check of an operator
  Coverage coverage = {};                              ///< what was asked, found and compared
};

}  // namespace parity::compare
