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

std::vector<double> list_of(const Json& row, const char* key) {
  std::vector<double> list;
  if (const auto found = row.find(key); found != row.end())
    for (const Json& value : *found)
      list.push_back(number_of(value));
  return list;
}

api::TensorRow outer_tensor(const Json& row) {
  api::TensorRow outside;
  outside.key = {row.at("step").get<int64_t>(),
                 same<api::Phase>(parse_enum<parity::Phase>(row.at("phase").get<std::string>())),
                 row.at("name").get<std::string>()};
  outside.relative_l2 = number_of(row.at("relative_l2"));
  outside.identical = row.at("identical").get<bool>();
  outside.estimated = row.at("estimated").get<bool>();
  if (const auto found = row.find("max_ulp"); found != row.end() && found->is_number())
    outside.max_ulp = found->get<uint64_t>();
  return outside;
}

api::BoundRow outer_bound(const Json& row) {
  api::BoundRow outside;
  outside.channel = row.at("channel").get<std::string>();
  if (row.contains("steps"))
    outside.steps = row.at("steps").get<std::vector<int64_t>>();
  outside.gap = list_of(row, "gap");
  outside.floor = list_of(row, "floor");
  outside.limit = list_of(row, "limit");
  return outside;
}

}  // namespace

static_assert(static_cast<int>(api::Verdict::crashed) == static_cast<int>(parity::Verdict::crashed));
static_assert(static_cast<int>(api::Relation::no_farther) == static_cast<int>(parity::Relation::no_farther));

api::CheckResult outer_result(const parity::CheckResult& result) {
  api::CheckResult outside;
  outside.passed = result.passed;
  outside.verdict = same<api::Verdict>(result.verdict);
  outside.sentence = result.sentence;
  outside.measured = numbers_of(result.measured);
  outside.limit = numbers_of(result.limit);
  if (const auto& worst = result.worst)
    outside.worst = api::WorstPlace{worst->step,   worst->quantity, worst->index, worst->expected,
                                    worst->actual, worst->metric,   worst->value, worst->limit};
  for (const Json& row : result.tensors)
    outside.tensors.push_back(outer_tensor(row));
  for (const Json& row : result.bounds)
    outside.bounds.push_back(outer_bound(row));
  outside.coverage = result.coverage.text();
  return outside;
}

}  // namespace parity::facade
