// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/facade/result.hpp"

#include "harness/api/facade/inside.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::facade {
namespace {

/// Returns the numbers of an object, also those that are not finite; other members are left out.
std::map<std::string, double> numbers_of(const Json& json) {
  std::map<std::string, double> numbers;
  if (json.is_object())
    for (const auto& [name, value] : json.items())
      if (value.is_number() || value == "nan" || value == "inf" || value == "-inf")
        numbers[name] = number_of(value);
  return numbers;
}

api::TensorRow outer_tensor(const results::TensorRow& row) {
  api::TensorRow outside;
  outside.key = {row.step, same<api::Phase>(parse_enum<trace::Phase>(row.phase)), row.name};
  outside.relative_l2 = number_of(row.measured.at("relative_l2"));
  outside.identical = row.identical;
  outside.estimated = row.measured.value("estimated", false);
  if (const auto found = row.measured.find("max_ulp"); found != row.measured.end() && found->is_number())
    outside.max_ulp = found->get<uint64_t>();
  return outside;
}

}  // namespace

static_assert(static_cast<size_t>(api::Verdict::crashed) + 1 == EnumNames<compare::Verdict>::names.size(),
              "add the verdict to harness/api/include/parity/verdict.hpp, and name the last one here");
static_assert(static_cast<size_t>(api::Relation::other_function) + 1 ==
                  EnumNames<compare::Relation>::names.size(),
              "add the relation to harness/api/include/parity/check.hpp, and name the last one here");

api::CheckResult outer_result(const compare::CheckResult& result) {
  api::CheckResult outside;
  outside.passed = result.passed;
  outside.verdict = same<api::Verdict>(result.verdict);
  outside.sentence = result.sentence;
  outside.looks_like = result.looks_like;
  outside.measured = numbers_of(result.measured);
  outside.limit = numbers_of(result.limit);
  if (const auto& worst = result.worst)
    outside.worst = api::WorstPlace{worst->step,   worst->quantity, worst->index, worst->expected,
                                    worst->actual, worst->metric,   worst->value, worst->limit};
  for (const results::TensorRow& row : result.tensors)
    outside.tensors.push_back(outer_tensor(row));
  for (const results::MeasuredBound& row : result.bounds)
    outside.bounds.push_back({row.channel, row.steps, row.gap, row.floor, row.limit});
  outside.coverage = result.coverage.text();
  return outside;
}

}  // namespace parity::facade
