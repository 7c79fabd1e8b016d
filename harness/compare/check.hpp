// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json.hpp"
#include "harness/compare/coverage.hpp"
#include "harness/compare/twin_evidence.hpp"
#include "harness/compare/verdict.hpp"
#include "harness/tensor/dtype.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity {

/// What a check claims of its quantities. Source: DESIGN.md, "Judging".
enum class Relation {
  identical,   ///< the same bits
  equivalent,  ///< the same mathematics: the gap collapses when both arms run as float64 twins
  lagged,      ///< arm b at step s + lag is arm a at step s, bit for bit
  unchanged,   ///< the quantity of one arm is what it was one step earlier, bit for bit
  distinct,    ///< another computation: the gap is beyond the floor and does not collapse
  trained,     ///< the loss of one arm fell, or its reward rose, by more than its noise
  bounded,     ///< no farther apart than measured rounding noise, or than a tolerance that fits it
  no_farther,  ///< no farther apart than a sibling pair of arms is
};

template <>
struct EnumNames<Relation> {
  static constexpr std::string_view what = "relation";
  static constexpr std::array<std::string_view, 8> names = {
      "identical", "equivalent", "lagged", "unchanged", "distinct", "trained", "bounded", "no_farther"};
};
static_assert(EnumNames<Relation>::names.size() == static_cast<size_t>(Relation::no_farther) + 1);

/// A check's window of update numbers, both ends included, as a case file names it.
struct StepWindow {
  /// How a window is named; all but `range` depend on the run.
  enum class Kind { all, warmup, after_warmup, last, range };
  Kind kind = Kind::all;  ///< how it is named
  int64_t first = 0;      ///< range only
  int64_t last = 0;       ///< range only
};

template <>
struct EnumNames<StepWindow::Kind> {
  static constexpr std::string_view what = "steps";
  static constexpr std::array<std::string_view, 5> names = {"all", "warmup", "after_warmup", "last", "range"};
};

/// What a check holds its arms against.
enum class Against { arm, golden };

template <>
struct EnumNames<Against> {
  static constexpr std::string_view what = "side";
  static constexpr std::array<std::string_view, 2> names = {"arm", "golden"};
};

/// The pair of arms whose gap measures another pair's (relation no_farther): difference in differences.
struct Sibling {
  std::vector<std::string> arms;  ///< two, the first is the reference
  std::filesystem::path golden;   ///< of the other case whose arms they are; empty: of this case
  /// How many times their gap the other may be. Megatron-LM's HSDP was 6.7 times as far from its reference as
  /// its FSDP with a defect and 1.1 times without (METRICS.md, PR #4891); 3 lies between, as factors go.
  double times = 3;
};

/// One claim of a case: quantities, arms, relation.
struct Check {
  std::vector<std::string> channels;  ///< channel names; or else:
  std::string tensor;                 ///< glob over tensor names ...
  Phase phase = Phase::param;         ///< ... at this phase
  std::vector<std::string> arms;      ///< two, the first is the reference; one where the claim is about one
  Relation relation = Relation::identical;  ///< what is claimed of the arms
  int64_t lag = 1;                          ///< lagged only
  std::optional<double> tolerance;          ///< bounded only: relative; without it the measured floor decides
  std::string tolerance_because;            ///< why the tolerance may lie far from the floor
  /// equivalent only: the narrower type that an arm computes in, whose rounding then is allowed.
  std::optional<DType> precision;
  std::optional<double> imprecision;  ///< equivalent only: times that an arm may lose more than rounding
  std::string imprecision_because;    ///< why it may
  Against against = Against::arm;     ///< golden: one arm, against what is stored of it
  std::optional<Sibling> sibling;     ///< no_farther only
  StepWindow steps;                   ///< where the claim has to hold
  std::string because;                ///< why it has to hold

  /// Returns whether the check is about tensors, not channels.
  bool of_tensors() const { return !tensor.empty(); }
  /// "lr", "loss, grad_norm" or "grad layers.*.wq.weight".
  std::string quantity() const;
  /// The arms of this case that it looks at: its own, and those of a sibling.
  std::vector<std::string> all_arms() const;
  /// Whether both arms must also run as float64 twins.
  bool needs_twins() const { return relation == Relation::equivalent || relation == Relation::distinct; }
};

/// The place where two sides differ most, or first.
struct WorstPlace {
  int64_t step = 0;                ///< update number
  std::string quantity;            ///< channel or tensor name
  std::vector<int64_t> index;      ///< coordinates; empty for a channel
  std::optional<double> expected;  ///< nothing where only sketches were compared
  std::optional<double> actual;    ///< nothing where expected has nothing
  std::string metric;              ///< what was measured there
  double value = 0;                ///< of the metric
  double limit = 0;                ///< of the metric, where it would still pass
};

/// What a check found. `passed` says whether the claim held; `verdict` what was found, claimed or not
/// (a `distinct` check passes with verdict `different`).
struct CheckResult {
  bool passed = false;                     ///< whether the claim holds
  Verdict verdict = Verdict::missing;      ///< what was found
  std::string sentence;                    ///< plain words with both values, steps and names
  Json measured = Json::object();          ///< metric name -> number
  Json limit;                              ///< metric name -> number; null where bits decide
  std::optional<WorstPlace> worst;         ///< where the arms differ most, or first
  Json tensors = Json::array();            ///< a row a tensor (results.json form), for tensor checks
  Json bounds = Json::array();             ///< of channels that a bound judges: gap, floor and limit by step
  std::optional<TwinEvidence> twins = {};  ///< what float64 twins showed; nothing where none were asked
  Coverage coverage = {};                  ///< what was asked, found and compared
};

}  // namespace parity
