// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json.hpp"
#include "reports/model/case_times.hpp"
#include "reports/model/evidence.hpp"
#include "reports/model/mask_picture.hpp"
#include "reports/model/tensor_picture.hpp"

namespace parity::reports {

/// One number of a curve: nothing where the file has null (that arm lacks the step), else any double,
/// including NaN and infinities (written as "nan", "inf", "-inf").
using Value = std::optional<double>;

/// Numbers of one arm, one for each step of its curve.
struct Series {
  std::string arm;
  std::vector<Value> values;
};

/// The largest permitted gap of two sides in one channel, drawn with their gap.
struct Bound {
  std::vector<std::string> arms;  ///< the first is the expected side; one arm if the other side is its golden
  bool golden = false;            ///< the other side is the golden
  bool to_reference = false;      ///< the gap is among those of the curve
  std::string words;              ///< "8 floors", "a tolerance of 1e-05"
  std::vector<Value> gap, floor, limit;  ///< one value per step of the curve
};

/// One channel of a case over its steps.
struct Curve {
  std::string channel;
  std::vector<int64_t> steps;
  std::vector<Series> series;  ///< in the order of the case's arms
  std::vector<Series> gap;     ///< |arm - reference|, for each arm but the reference
  std::vector<Value> floor;    ///< rounding noise by step; empty where it was not measured
  std::vector<Series> golden;  ///< the golden's values; empty without a golden
  std::vector<Bound> bounds;   ///< of the checks that bound this channel
};

/// The origin of a case's floors.
struct Calibration {
  std::string command;
  int64_t runs = 0;  ///< of an arm
  std::vector<std::string> kinds;
};

/// One side of a case and how its run went.
struct Arm {
  std::string name;
  std::string run;
  std::string trace;  ///< relative to results.json
  bool cached = false;
  int64_t ranks = 1;
  double seconds = 0;
  int64_t steps = 0;
  std::optional<double> tokens_per_second;
  Json config = Json::object();
  Json provenance = Json::object();
  bool complete = true;
  bool skipped = false;  ///< it could not run on this machine; neither complete nor failed
  std::string failure_kind;
  std::string failure;  ///< one sentence; empty if complete
  std::string stderr_tail;
  std::string twin;  ///< run of the float64 twin; empty without one

  bool failed() const { return !complete && !skipped; }
};

/// A key whose value differs between arms; the value is null if the arm lacks the key.
struct ConfigDifference {
  std::string key;
  std::vector<std::pair<std::string, Json>> values;  ///< arm, value
};

/// Where two sides differ most, or first.
struct Worst {
  int64_t step = 0;
  std::string tensor;          ///< tensor or channel name
  std::vector<int64_t> index;  ///< coordinates; empty for a channel
  Json expected, actual;       ///< number, "nan", "inf", "-inf"; null if that side lacks it
  std::string metric;
  Json value, limit;

  /// Returns whether values are known. Sketches measure how far two tensors differ, but no element.
  bool has_values() const { return !expected.is_null() || !actual.is_null(); }
};

/// One row of a tensor check.
struct TensorRow {
  int64_t step = 0;
  std::string phase, name;
  bool identical = false;
  Json measured = Json::object();  ///< the row's other scalars
};

/// One claim and its result.
struct Check {
  std::string id, kind, quantity;
  std::vector<std::string> arms;
  std::string against;  ///< "arm" or "golden"
  std::string relation;
  Json parameters = Json::object();
  std::string steps;
  std::string because;
  bool passed = false;
  std::string verdict;
  std::string sentence;
  Json measured = Json::object();  ///< metric -> scalar
  Json limit = Json::object();     ///< metric -> scalar; empty if bits decide
  std::optional<Worst> worst;
  std::vector<TensorRow> tensors;
  std::optional<TensorPicture> picture;
  std::optional<CheckEvidence> evidence;  ///< of float64 twins; nothing if the verdict needs none
  std::string compared;                   ///< "2 channels at steps 1-10"; "" if unknown
  std::string command;                    ///< that helps to investigate
  std::string cause;                      ///< the command that searches for it; empty if none does
  int64_t line = 0;                       ///< of the case file; 0 for a check without a line

  /// Returns the word shown for the result: the verdict, except that an arm that trained is not called
  /// different.
  std::string finding() const { return kind == "training" && passed ? "trained" : verdict; }
};

/// A complete case. Source: reports/RESULTS.md.
struct Case {
  std::string name, file, title, question, source, reference;
  std::vector<std::string> tags;
  bool passed = false;
  std::string skipped;  ///< why it was not judged on this machine; empty if it was
  std::string verdict;
  std::string sentence;
  double seconds = 0;
  CaseTimes times;
  std::vector<std::string> notes;
  std::string power;        ///< the smallest defect that its checks detect; empty if not measured
  Calibration calibration;  ///< empty command: no floors were measured
  std::vector<Arm> arms;
  std::vector<ConfigDifference> config_difference;
  std::vector<Curve> curves;
  std::vector<MaskPicture> masks;
  std::vector<Check> checks;
  std::string reproduce;

  size_t checks_failed() const;
  /// Returns whether the case failed. A skipped case neither passed nor failed.
  bool failed() const { return !passed && skipped.empty(); }
};

}  // namespace parity::reports
