// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/tensor_place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/text/wording.hpp"
#include "harness/results/write_check.hpp"

namespace parity::bisect {
namespace {

std::optional<int64_t> input_at(const trace::Trace& trace, int64_t step, const char* name, int64_t row,
                                int64_t position) {
  const trace::TensorKey key = {step, trace::Phase::input, name};
  if (!trace.has_tensor(key))
    return std::nullopt;
  const TensorView view = trace.tensor(key);
  if (view.dtype != DType::int64 || view.shape.size() != 2 || row >= view.shape[0] ||
      position >= view.shape[1])
    return std::nullopt;
  return static_cast<const int64_t*>(view.data)[row * view.shape[1] + position];
}

}  // namespace

std::optional<TensorPlace> find_place(const trace::Trace& expected, const trace::Trace& actual,
                                      const trace::TensorKey& key, double noise) {
  if (!expected.has_tensor(key) || !actual.has_tensor(key))
    return std::nullopt;
  TensorPlace place;
  place.key = key;
  place.shape = expected.tensor(key).shape;
  place.gap = measure_tensor(compare::tensor_source(expected, key), compare::tensor_source(actual, key));
  if (!place.gap.identical)
    place.factor = compare::find_factor(expected.tensor(key), actual.tensor(key), noise);
  place.picture =
      suite::picture_of(compare::tensor_source(expected, key), compare::tensor_source(actual, key));
  const bool is_activation = key.phase == trace::Phase::forward || key.phase == trace::Phase::backward;
  place.is_by_tokens = (is_activation && place.shape.size() > 2) || key.phase == trace::Phase::input;
  if (place.is_by_tokens && place.gap.worst.size() >= 2) {
    place.token = input_at(expected, key.step, "tokens", place.gap.worst[0], place.gap.worst[1]);
    place.document = input_at(expected, key.step, "document_ids", place.gap.worst[0], place.gap.worst[1]);
  }
  return place;
}

std::string TensorPlace::describe(const std::string& expected, const std::string& actual) const {
  std::string text = gap.text(expected, actual);
  if (is_by_tokens && gap.worst.size() >= 2) {
    text += fmt::format(" (row {}, position {}", gap.worst[0], gap.worst[1]);
    if (token)
      text += fmt::format(", token {}", *token);
    if (document)
      text += fmt::format(", document {}", *document);
    text += ")";
  }
  if (factor)
    text += "; " + factor_text(expected + "'s");
  return text;
}

std::string TensorPlace::factor_text(const std::string& expected) const {
  const char* each = factor->elements == 1 ? "it is" : "each is";
  return factor->value == 0 ? fmt::format("{} zero", each)
                            : fmt::format("{} {} {}", each, factor->text(), expected);
}

std::string TensorPlace::short_text() const {
  if (!gap.mismatch.empty())
    return gap.mismatch;
  const int64_t differing = factor ? factor->elements : gap.differing;  // beyond rounding
  std::string text = differing > 0 ? fmt::format("{} of {} elements", differing, element_count(shape)) : "";
  if (factor)
    text += ", " + factor_text("the expected one");
  if (!gap.worst.empty() && !(factor && factor->elements == element_count(shape)))
    text += fmt::format("{}most at [{}]", text.empty() ? "" : ", ", fmt::join(gap.worst, ", "));
  return text;
}

Json TensorPlace::to_json() const {
  return {{"shape", shape},
          {"differing", gap.differing},
          {"worst", gap.worst},
          {"expected", gap.worst_expected ? json_number(*gap.worst_expected) : Json()},
          {"actual", gap.worst_actual ? json_number(*gap.worst_actual) : Json()},
          {"factor", factor ? Json(factor->value) : Json()},
          {"token", token ? Json(*token) : Json()},
          {"document", document ? Json(*document) : Json()},
          {"measured", gap.measured()},
          {"picture", picture ? results::to_json(*picture) : Json()}};
}

}  // namespace parity::bisect
