// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// parity-exact: the exact reference of an operator case. Records, for each point of the sweep, the outputs
// and gradients of a formula in 106 bits (a float64 and what it lacks), and those of the plain
// implementation.

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/operators/exact/evaluate.hpp"
#include "harness/operators/problem/exact_names.hpp"
#include "harness/operators/runner/runner.hpp"

namespace parity::operators {
namespace {

TensorView view_of(const Shape& shape, const std::vector<double>& values) {
  return {DType::float64, shape, values.data()};
}

void record(trace::Recorder& recorder, const ExactTensor& tensor) {
  const trace::Phase phase = tensor.gradient ? trace::Phase::grad : trace::Phase::forward;
  recorder.tensor(phase, tensor.name, view_of(tensor.shape, tensor.high));
  recorder.tensor(phase, tensor.name + low_suffix, view_of(tensor.shape, tensor.low));
  recorder.tensor(phase, tensor.name + plain_suffix, view_of(tensor.shape, tensor.plain));
  recorder.channel(fmt::format("{} {}", name_of(phase), tensor.name), mark_of(tensor.high));
}

void run(const RunnerTask& task) {
  const Formula& formula = formula_of(text_or(task.arm, "exact"));
  const Json arguments = task.arm.value("arguments", Json::object());
  run_points(task, {{"trainer", "parity-exact"}}, [&](trace::Recorder& recorder, size_t point) {
    record_inputs(recorder, task, point);
    for (const ExactTensor& tensor : evaluate(formula, task.problem, task.problem.points[point], arguments))
      record(recorder, tensor);
  });
}

}  // namespace
}  // namespace parity::operators

int main(int argc, char** argv) {
  return parity::operators::run_program("parity-exact", argc, argv, parity::operators::run);
}
