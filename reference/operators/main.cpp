// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// parity-operator: the runner of operator arms that are not Python. Calls an operator of LibTorch, of a
// custom library, or a C function at each point of a sweep, and records what it returns.

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/version.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/operators/problem/values.hpp"
#include "harness/operators/problem/widened.hpp"
#include "harness/operators/runner/runner.hpp"
#include "reference/operators/inputs.hpp"
#include "reference/operators/operator_function.hpp"
#include "reference/operators/variants.hpp"

namespace parity::reference {
namespace {

namespace fs = std::filesystem;
using operators::RunnerTask;
using torch::Tensor;

/// Calls one function, and checks what it does to its inputs.
class Calls {
 public:
  Calls(const RunnerTask& task, OperatorFunction& function) : task_(task), function_(function) {}

  /// \throws UserError if the function changes an input, returns a view of one, or too few outputs
  Outputs outputs(OperatorInputs inputs, const operators::Point& point) {
    std::vector<std::pair<std::string, std::pair<Tensor, Tensor>>> before;
    for_each_tensor(inputs, [&](const std::string& name, Tensor& tensor) {
      before.push_back({name, {tensor, tensor.detach().clone()}});
    });
    std::vector<Tensor> returned = function_.call(inputs, point);
    const size_t wanted = task_.problem.outputs.size();
    if (returned.size() < std::max<size_t>(wanted, 1))
      throw UserError(fmt::format("the function returns {} tensors, and the case needs {}", returned.size(),
                                  std::max<size_t>(wanted, 1)));
    if (wanted > 0)
      returned.resize(wanted);
    Outputs named;
    for (size_t i = 0; i < returned.size(); ++i)
      named.emplace_back(operators::output_name(task_.problem, i, returned.size()), returned[i]);
    for (const auto& [name, pair] : before)
      check_input(name, pair.first, pair.second, named);
    return named;
  }

 private:
  static void check_input(const std::string& name, const Tensor& now, const Tensor& before,
                          const Outputs& outputs) {
    const Tensor own = now.detach();
    if (!((own == before) | (own.isnan() & before.isnan())).all().item<bool>())
      throw UserError(
          fmt::format("the function changes its input {} (an operator leaves its inputs as they are); "
                      "copy it first",
                      name));
    for (const auto& [output, tensor] : outputs)
      if (tensor.numel() > 0 && now.numel() > 0 && tensor.storage().data() == now.storage().data())
        throw UserError(fmt::format(
            "output {} is a view of input {} (it changes with the input); return a copy", output, name));
  }

  const RunnerTask& task_;
  OperatorFunction& function_;
};

void record(trace::Recorder& recorder, trace::Phase phase, const std::string& name, const Tensor& tensor,
            bool marked) {
  const Tensor whole = tensor.detach().contiguous();
  const TensorView view{dtype_of(whole), {whole.sizes().begin(), whole.sizes().end()}, whole.data_ptr()};
  recorder.tensor(phase, name, view);
  if (marked)
    recorder.channel(fmt::format("{} {}", name_of(phase), name),
                     operators::mark_of(operators::widened(view)));
}

/// Returns the names of the inputs whose gradients the case asks for.
std::vector<std::string> wanted_gradients(const operators::Problem& problem) {
  std::vector<std::string> wanted;
  for (const operators::Input& input : problem.inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item)
      if (input.tensors[item].grad)
        wanted.push_back(input.list ? fmt::format("{}.{}", input.name, item) : input.name);
  return wanted;
}

Outputs derived(OperatorInputs& inputs, const std::vector<std::string>& wanted, const Outputs& outputs,
                const Outputs& cotangents) {
  std::vector<Tensor> of, by, seeds;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].second.requires_grad()) {
      of.push_back(outputs[i].second);
      seeds.push_back(cotangents[i].second);
    }
  if (of.empty())
    throw UserError("no output depends on the inputs as autograd sees it, so there are no gradients");
  for (const std::string& name : wanted)
    for_each_tensor(inputs, [&](const std::string& own, Tensor& tensor) {
      if (own == name)
        by.push_back(tensor);
    });
  const auto found = torch::autograd::grad(of, by, seeds, false, false, /*allow_unused=*/true);
  Outputs gradients;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!found[i].defined())
      throw UserError(fmt::format("no gradient reaches input {}; remove its grad = true", wanted[i]));
    gradients.emplace_back(wanted[i], found[i]);
  }
  return gradients;
}

void record_gradients(OperatorFunction& function, trace::Recorder& recorder, OperatorInputs& inputs,
                      const std::vector<std::string>& wanted, const Outputs& outputs,
                      const operators::Point& point) {
  Outputs cotangents;
  for (const auto& [name, output] : outputs) {
    const Shape shape(output.sizes().begin(), output.sizes().end());
    const auto values =
        operators::cotangent_values(point, name, point.dtype, static_cast<size_t>(output.numel()));
    const DType dtype = is_floating(dtype_of(output)) ? dtype_of(output) : point.dtype;
    cotangents.emplace_back(name, tensor_of(values, shape, dtype));
    if (is_floating(dtype_of(output)))
      record(recorder, trace::Phase::backward, name, cotangents.back().second, false);
  }
  const Outputs gradients = function.has_autograd()
                                ? derived(inputs, wanted, outputs, cotangents)
                                : function.gradients(inputs, wanted, outputs, cotangents, point);
  for (const auto& [name, gradient] : gradients)
    record(recorder, trace::Phase::grad, name, gradient, true);
}

void run_point(const RunnerTask& task, OperatorFunction& function, trace::Recorder& recorder, size_t number) {
  const operators::Point& point = task.problem.points[number];
  record_inputs(recorder, task, number);
  const bool derives = task.arm.value("grad", true);
  const auto wanted = derives ? wanted_gradients(task.problem) : std::vector<std::string>();
  Calls calls(task, function);
  OperatorInputs inputs = inputs_at(task.problem, point, task.wide);
  for_each_tensor(inputs, [&](const std::string& name, Tensor& tensor) {
    if (function.has_autograd() && std::ranges::find(wanted, name) != wanted.end())
      tensor.requires_grad_(true);
  });
  const Outputs outputs = calls.outputs(inputs, point);
  for (const auto& [name, output] : outputs)
    record(recorder, trace::Phase::forward, name, output, true);
  if (!wanted.empty())
    record_gradients(function, recorder, inputs, wanted, outputs, point);
  if (task.wide)
    return;
  const torch::NoGradGuard no_gradients;
  for (const Json& axis : task.arm.value("variants", Json::array())) {
    const auto made = variants_of(
        axis.get<std::string>(), task.problem, point, inputs_at(task.problem, point, task.wide),
        [&](const OperatorInputs& given) { return calls.outputs(given, point); },
        [&] { return inputs_at(task.problem, point, task.wide, 1); });
    for (size_t i = 0; i < made.size(); ++i)
      for (const auto& [name, output] : made[i])
        record(recorder, trace::Phase::forward, fmt::format("{}@{}.{}", name, axis.get<std::string>(), i),
               output, false);
  }
}

void run(const RunnerTask& task) {
  at::set_num_threads(static_cast<int>(integer_or(task.config, "threads", 1)));
  const std::string named = text_or(task.arm, "library");
  const std::string library = named.empty() ? "" : (fs::path(task.folder) / named).string();
  const auto function = task.arm.contains("symbol") ? c_function(task.arm, library)
                                                    : torch_operator(text_or(task.arm, "name"), library,
                                                                     task.arm.value("arguments", Json()));
  const Json provenance = {{"trainer", "parity-operator"}, {"torch", TORCH_VERSION}};
  run_points(task, provenance,
             [&](trace::Recorder& recorder, size_t point) { run_point(task, *function, recorder, point); });
}

}  // namespace
}  // namespace parity::reference

int main(int argc, char** argv) {
  return parity::operators::run_program("parity-operator", argc, argv, parity::reference::run);
}
