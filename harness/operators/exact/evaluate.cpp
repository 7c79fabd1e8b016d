// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/exact/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/operators/problem/values.hpp"

namespace parity::operators {
namespace {

/// An input's tensors among the arguments: where the gradients of its leaves are.
struct Leaves {
  std::string name;  ///< "x", or "x.0" of a list
  Shape shape;
  size_t first = 0, count = 0;
};

/// The arguments of a formula at a point, with the leaves of its tape.
struct Bound {
  Arguments arguments;
  std::vector<Leaves> leaves;
  size_t leaf_count = 0;
};

void bind_tensors(Bound& bound, std::vector<Argument>& place, const Input& input, const Point& point) {
  for (size_t item = 0; item < input.tensors.size(); ++item) {
    const TensorSpec& spec = input.tensors[item];
    Argument argument;
    argument.is_tensor = true;
    argument.shape = spec.shape_at(point);
    argument.values = input_values(point, input, item);
    argument.grad = spec.grad;
    if (spec.grad) {
      argument.first_leaf = bound.leaf_count;
      bound.leaves.push_back({input.list ? fmt::format("{}.{}", input.name, item) : input.name,
                              argument.shape, bound.leaf_count, argument.values.size()});
      bound.leaf_count += argument.values.size();
    }
    place.push_back(std::move(argument));
  }
}

bool is_list_of_numbers(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& item) { return item.is_number(); });
}

Bound bind(const Problem& problem, const Point& point, const Json& arguments) {
  Bound bound;
  for (const auto& [parameter, value] : arguments.items()) {
    std::vector<Argument>& place = bound.arguments[parameter];
    const Input* input = value.is_string() ? problem.find(value.get<std::string>()) : nullptr;
    if (input != nullptr && !input->tensors.empty()) {
      bind_tensors(bound, place, *input, point);
      continue;
    }
    place.emplace_back();
    place.back().value = resolved_value(input != nullptr ? input->value : value, point);
    if (const Json& list = place.back().value; is_list_of_numbers(list)) {  // such as the ends of groups
      place.back().is_tensor = true;
      place.back().shape = {static_cast<int64_t>(list.size())};
      place.back().values = list.get<std::vector<double>>();
    }
  }
  for (const Input& input : problem.inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item) {
      const std::string name = input.list ? fmt::format("{}.{}", input.name, item) : input.name;
      if (input.tensors[item].grad &&
          std::ranges::find(bound.leaves, name, &Leaves::name) == bound.leaves.end())
        throw UserError(
            fmt::format("the exact formula does not read input {}, whose gradient the case asks for; "
                        "add it to exact_arguments",
                        name));
    }
  return bound;
}

/// What an output's gradient starts from: the problem's own, by the name of the output.
struct Seeds {
  const Problem& problem;
  const Point& point;
  size_t outputs;

  static std::vector<double> of(const void* context, size_t output, size_t count) {
    const Seeds& self = *static_cast<const Seeds*>(context);
    return cotangent_values(self.point, output_name(self.problem, output, self.outputs), self.point.dtype,
                            count);
  }
};

/// The results of a formula in one type of number.
template <class Base>
struct Results {
  std::vector<std::pair<Shape, std::vector<Base>>> outputs;
  std::vector<Base> gradients;  ///< of all leaves
};

template <class Base>
Results<Base> results_of(void (*values)(Work<Base, Base>&), void (*gradients)(Work<Traced<Base>, Base>&),
                         const Bound& bound, const Seeds& seeds) {
  Results<Base> results;
  const auto keep = [&](const auto& work) {
    for (const auto& output : work.outputs())
      results.outputs.emplace_back(output.shape, output.values);
  };
  if (bound.leaf_count == 0) {
    Work<Base, Base> work(bound.arguments, nullptr, &Seeds::of, &seeds);
    values(work);
    keep(work);
    return results;
  }
  Tape<Base> tape(bound.leaf_count);
  Tape<Base>::current() = &tape;
  Work<Traced<Base>, Base> work(bound.arguments, &tape, &Seeds::of, &seeds);
  gradients(work);
  tape.derive();
  keep(work);
  results.gradients = tape.gradients();
  return results;
}

template <class Base>
std::vector<double> rounded_to(DType dtype, const Base* values, size_t count) {
  std::vector<double> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = rounded(dtype, static_cast<double>(values[i]));
  return result;
}

void split(ExactTensor& tensor, const Quad* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    tensor.high.push_back(static_cast<double>(values[i]));
    const bool finite = std::isfinite(tensor.high.back());  // infinity has no rest
    tensor.low.push_back(finite ? static_cast<double>(values[i] - static_cast<Quad>(tensor.high.back())) : 0);
  }
}

template <class Base>
std::vector<ExactTensor> joined(const Results<Quad>& exact, const Results<Base>& plain, const Bound& bound,
                                const Seeds& seeds) {
  std::vector<ExactTensor> tensors;
  for (size_t i = 0; i < exact.outputs.size(); ++i) {
    const auto& [shape, values] = exact.outputs[i];
    ExactTensor tensor{output_name(seeds.problem, i, seeds.outputs), false, shape, {}, {}, {}};
    split(tensor, values.data(), values.size());
    tensor.plain = rounded_to(seeds.point.dtype, plain.outputs[i].second.data(), values.size());
    tensors.push_back(std::move(tensor));
  }
  for (const Leaves& leaves : bound.leaves) {
    ExactTensor tensor{leaves.name, true, leaves.shape, {}, {}, {}};
    split(tensor, exact.gradients.data() + leaves.first, leaves.count);
    tensor.plain = rounded_to(seeds.point.dtype, plain.gradients.data() + leaves.first, leaves.count);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace

std::vector<ExactTensor> evaluate(const Formula& formula, const Problem& problem, const Point& point,
                                  const Json& arguments) {
  const Bound bound = bind(problem, point, arguments);
  const Seeds seeds{problem, point, formula.outputs};
  const Results<Quad> exact = results_of<Quad>(formula.exact, formula.exact_gradients, bound, seeds);
  if (point.dtype == DType::float64)
    return joined(exact, results_of<double>(formula.plain64, formula.plain_gradients64, bound, seeds), bound,
                  seeds);
  return joined(exact, results_of<float>(formula.plain32, formula.plain_gradients32, bound, seeds), bound,
                seeds);
}

}  // namespace parity::operators
