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
#include "harness/base/processes/end_process.hpp"
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

/// Returns the gradients with respect to the outputs.
Outputs cotangents_of(const Outputs& outputs, const operators::Point& point) {
  Outputs cotangents;
  for (const auto& [name, output] : outputs) {
    const Shape shape(output.sizes().begin(), output.sizes().end());
    const auto values =
        operators::cotangent_values(point, name, point.dtype, static_cast<size_t>(output.numel()));
    const DType dtype = is_floating(dtype_of(output)) ? dtype_of(output) : point.dtype;
    cotangents.emplace_back(name, tensor_of(values, shape, dtype));
  }
  return cotangents;
}

/// Calls a function and its backward pass at one point, and records both.
class PointRun {
 public:
  PointRun(const RunnerTask& task, OperatorFunction& function, trace::Recorder& recorder, size_t number)
      : task_(task),
        function_(function),
        recorder_(recorder),
        point_(task.problem.points[number]),
        wanted_(task.arm.value("grad", true) ? wanted_gradients(task.problem) : std::vector<std::string>()) {}

  void record_usual_call() {
    const OperatorInputs inputs = ready(inputs_at(task_.problem, point_, task_.wide));
    const Outputs outputs = Calls(task_, function_).outputs(inputs, point_);
    for (const auto& [name, output] : outputs)
      record(recorder_, trace::Phase::forward, name, output, true);
    if (wanted_.empty())
      return;
    cotangents_ = cotangents_of(outputs, point_);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (is_floating(dtype_of(outputs[i].second)))
        record(recorder_, trace::Phase::backward, outputs[i].first, cotangents_[i].second, false);
    for (const auto& [name, gradient] : gradients(inputs, outputs, cotangents_, point_))
      record(recorder_, trace::Phase::grad, name, gradient, true);
  }

  /// \param derives  whether the axis is asked of gradients too
  void record_variants(const std::string& axis, bool derives) {
    const auto made = variants_of(
        axis, task_.problem,
        {inputs_at(task_.problem, point_, task_.wide), derives ? cotangents_ : Outputs(), point_},
        [&](const Given& given) { return results(given); },
        [&] { return inputs_at(task_.problem, point_, task_.wide, 1); });
    for (size_t i = 0; i < made.size(); ++i)
      for (const auto& [phase, name, tensor] : made[i])
        record(recorder_, phase, fmt::format("{}@{}.{}", name, axis, i), tensor, false);
  }

 private:
  /// Returns inputs of which autograd derives those that are wanted.
  OperatorInputs ready(OperatorInputs inputs) const {
    for_each_tensor(inputs, [&](const std::string& name, Tensor& tensor) {
      if (function_.has_autograd() && std::ranges::find(wanted_, name) != wanted_.end())
        tensor = tensor.detach().requires_grad_(true);
    });
    return inputs;
  }

  Outputs gradients(OperatorInputs inputs, const Outputs& outputs, const Outputs& cotangents,
                    const operators::Point& point) const {
    return function_.has_autograd() ? derived(inputs, wanted_, outputs, cotangents)
                                    : function_.gradients(inputs, wanted_, outputs, cotangents, point);
  }

  CallResults results(const Given& given) const {
    const bool derives = !given.cotangents.empty();
    const OperatorInputs inputs = derives ? ready(given.inputs) : given.inputs;
    const Outputs outputs = Calls(task_, function_).outputs(inputs, given.point);
    CallResults made;
    for (const auto& [name, tensor] : outputs)
      made.push_back({trace::Phase::forward, name, tensor.detach()});
    if (derives)
      for (const auto& [name, tensor] : gradients(inputs, outputs, given.cotangents, given.point))
        made.push_back({trace::Phase::grad, name, tensor});
    return made;
  }

  const RunnerTask& task_;
  OperatorFunction& function_;
  trace::Recorder& recorder_;
  const operators::Point& point_;
  const std::vector<std::string> wanted_;  ///< inputs
  Outputs cotangents_ = {};                ///< of the usual call
};

void run_variants(const RunnerTask& task, PointRun& run) {
  const Json with_gradients = task.arm.value("grad_variants", Json::array());
  for (const Json& axis : task.arm.value("variants", Json::array()))
    run.record_variants(axis.get<std::string>(),
                        std::ranges::find(with_gradients, axis) != with_gradients.end());
}

void run_point(const RunnerTask& task, OperatorFunction& function, trace::Recorder& recorder, size_t number) {
  record_inputs(recorder, task, number);
  PointRun run(task, function, recorder, number);
  try {
    run.record_usual_call();
    if (!task.wide)
      run_variants(task, run);
  } catch (const c10::Error& error) {
    throw UserError(error.what_without_backtrace());
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
  parity::end_process(parity::operators::run_program("parity-operator", argc, argv, parity::reference::run));
}
