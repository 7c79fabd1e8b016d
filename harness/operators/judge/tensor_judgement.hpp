// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/operators/judge/accuracy.hpp"
#include "harness/operators/judge/values.hpp"

namespace parity::operators {

/// What a claim about one tensor at one point is judged from. Values are not owned; unused ones are null.
struct TensorSides {
  DType dtype = DType::float32;   ///< of the point's inputs
  std::string name_a, name_b;     ///< of the arms; for a claim about one arm both are its name
  const Values* a = nullptr;      ///< the expected side; null for `accurate`
  const Values* b = nullptr;      ///< the side that a negative control replaces
  const Values* a64 = nullptr;    ///< of the float64 twins
  const Values* b64 = nullptr;    ///< of the float64 twins
  const Values* exact = nullptr;  ///< of the exact reference
  const Values* plain = nullptr;  ///< of the plain implementation in the same dtype
};

/// The result of a claim about one tensor at one point.
struct TensorJudgement {
  bool passed = false;
  compare::Verdict verdict = compare::Verdict::missing;
  std::string text = {};  ///< clause with the evidence: "the gap is 3e-07 in float32 and ..."
  double severity = 0;    ///< orders judgements of one verdict; the largest leads the sentence
  Json measured = Json::object();
  Json limit = Json::object();
  std::optional<size_t> element = {};    ///< where the sides differ most
  std::optional<UlpErrors> errors = {};  ///< against the exact result, or else the expected side
};

}  // namespace parity::operators
