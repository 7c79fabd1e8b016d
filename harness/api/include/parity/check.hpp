// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor_view.hpp"
#include "trace.hpp"
#include "verdict.hpp"

namespace parity::api {

/// What a check claims of its quantities.
enum class Relation {
  identical,       ///< same bits
  equivalent,      ///< same mathematics: the gap collapses when both arms run as float64 twins
  lagged,          ///< the second arm at step s + lag has the bits of the first at step s
  unchanged,       ///< the quantity of one arm has the same bits as one step earlier
  distinct,        ///< another computation: the gap exceeds the floor and does not collapse
  trained,         ///< the loss of one arm fell by more than its noise
  bounded,         ///< no farther apart than measured rounding noise, or than a tolerance that fits it
  no_farther,      ///< no farther apart than a sibling pair of arms
  lawful,          ///< the laws of training hold in the run of one arm
  accurate,        ///< of operator cases only: outputs as near the exact result as claimed
  invariant,       ///< of operator cases only: rows whose bits do not depend on what surrounds them
  repeats,         ///< two or more runs of one thing have the same bits
  same_function,   ///< the exact twins of two arms have equal residues
  other_function,  ///< they have different residues
};

/// Returns the name of a relation in case files: "no_farther".
std::string_view name_of(Relation relation);
/// Returns the relation of a name. \throws Error if there is none
Relation relation_named(std::string_view name);

/// The steps at which a check must hold.
struct StepWindow {
  /// How the window is named.
  enum class Kind {
    all,           ///< every step
    warmup,        ///< up to the arm's warmup_steps
    after_warmup,  ///< after them
    last,          ///< the last step
    range,         ///< from `first` to `last`
  };
  Kind kind = Kind::all;  ///< how the window is named
  int64_t first = 0;      ///< first step of a range
  int64_t last = 0;       ///< last step of a range, included
};

/// One claim: quantities, arms and the relation between them. It is about channels or about tensors. A claim
/// of relation lawful or repeats is about a run as a whole and names neither.
struct Check {
  std::vector<std::string> channels = {};  ///< names of channels; empty for a check of tensors
  std::string tensor = {};                 ///< glob over tensor names; "" for a check of channels
  Phase phase = Phase::param;              ///< phase of the tensors
  /// Two, the first is the reference; one for unchanged, trained and lawful; for repeats the runs of one
  /// thing, at least two.
  std::vector<std::string> arms = {};
  Relation relation = Relation::identical;  ///< what is claimed
  StepWindow steps = {};                    ///< where the claim must hold
  int64_t lag = 1;                          ///< for lagged [steps]

  /// For bounded: the tolerated relative gap. If it is not set, the measured floors of the arms decide.
  std::optional<double> tolerance = {};
  std::string tolerance_because = {};  ///< why the tolerance may be far from the floors
  /// For equivalent: the narrower dtype that an arm computes in, whose rounding is then allowed.
  std::optional<DType> precision = {};
  std::optional<double> imprecision =
      {};  ///< for equivalent: how many times more than rounding an arm may lose
  std::string imprecision_because = {};   ///< why an arm may lose that
  std::vector<std::string> sibling = {};  ///< for no_farther: the pair of arms whose gap is the measure
  double sibling_times = 3;               ///< how many times that gap the pair's may be
  std::vector<std::string> laws = {};     ///< for lawful: names of laws that must be asked
  std::vector<std::string> departs = {};  ///< for lawful: names of laws that must depart
};

/// Where two sides differ most, or first.
struct WorstPlace {
  int64_t step = 0;                     ///< update number; 0 is the initial state
  std::string quantity = {};            ///< name of the channel or tensor
  std::vector<int64_t> index = {};      ///< coordinates; empty for a channel
  std::optional<double> expected = {};  ///< the reference's value; not set if only sketches were compared
  std::optional<double> actual = {};    ///< the other value
  std::string metric = {};              ///< name of the metric
  double value = 0;                     ///< value of the metric
  double limit = 0;                     ///< largest value that still passes
};

/// What was found for one tensor.
struct TensorRow {
  TensorKey key = {};                    ///< the tensor
  double relative_l2 = 0;                ///< ||a - e||_2 / ||e||_2
  std::optional<uint64_t> max_ulp = {};  ///< largest distance [steps of the dtype]; not set if it is unknown
  bool identical = false;                ///< same bits
  bool estimated = false;                ///< estimated from sketches
};

/// What was found for a channel of a bounded check: one value per step in each list.
struct BoundRow {
  std::string channel = {};         ///< its name
  std::vector<int64_t> steps = {};  ///< update numbers
  std::vector<double> gap = {};     ///< |a - e|
  std::vector<double> floor = {};   ///< measured rounding noise
  std::vector<double> limit = {};   ///< largest gap that passes
};

/// The result of a check. `passed` states whether the claim holds, `verdict` what was found.
struct CheckResult {
  bool passed = false;                 ///< whether the claim holds
  Verdict verdict = Verdict::missing;  ///< what was found
  std::string sentence = {};           ///< the result in words, with values, steps and names
  /// The likely cause, from the shape of the difference: "lr of b lags a's by 1 step". "" if none is known.
  std::string looks_like = {};
  std::map<std::string, double> measured = {};  ///< metrics by name
  std::map<std::string, double> limit = {};     ///< limits by the metric's name; empty if bits decide
  std::optional<WorstPlace> worst = {};         ///< where the arms differ most, or first
  std::vector<TensorRow> tensors = {};          ///< for a check of tensors
  std::vector<BoundRow> bounds = {};            ///< for a bounded check of channels
  std::string coverage = {};                    ///< what was compared: "2 channels at steps 1-10"
};

}  // namespace parity::api
