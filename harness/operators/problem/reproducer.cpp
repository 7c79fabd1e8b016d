// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/reproducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/operators/problem/narrowed.hpp"
#include "harness/operators/problem/values.hpp"
#include "harness/trace/write/recorder.hpp"

namespace parity::operators {
namespace {

std::string name_of_tensor(const Input& input, size_t item) {
  return input.list ? fmt::format("{}.{}", input.name, item) : input.name;
}

std::string tensor_line(const std::string& file, const Input& input, size_t item, const Point& point) {
  const TensorSpec& spec = input.tensors[item];
  return fmt::format("{{shape = [{}], from = \"{}:{}\"{}{}}}", fmt::join(spec.shape_at(point), ", "), file,
                     name_of_tensor(input, item), spec.grad ? ", grad = true" : "",
                     spec.dtype ? fmt::format(", dtype = \"{}\"", name_of(*spec.dtype)) : "");
}

}  // namespace

InputValues values_at(const Problem& problem, const Point& point) {
  InputValues values;
  for (const Input& input : problem.inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item)
      values[input.name].push_back(input_values(point, input, item));
  return values;
}

void write_reproducer(const std::filesystem::path& file, const Problem& problem, const Point& point,
                      const InputValues& values) {
  std::filesystem::create_directories(file.parent_path());
  trace::Recorder::Options options;
  options.path = file;
  options.config = {{"point", point.text()}};
  options.capture.tensors.push_back({});
  trace::Recorder recorder(std::move(options));
  recorder.begin_step(1);
  recorder.channel("points", int64_t{1});
  for (const Input& input : problem.inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item) {
      const TensorSpec& spec = input.tensors[item];
      const std::vector<std::byte> bytes = narrowed(spec.dtype_at(point), values.at(input.name).at(item));
      recorder.tensor(trace::Phase::input, name_of_tensor(input, item),
                      {spec.dtype_at(point), spec.shape_at(point), bytes.data()});
    }
  recorder.end_step();
  recorder.finish();
}

std::string reproducer_lines(const std::string& file, const Problem& problem, const Point& point) {
  std::string lines;
  for (const Input& input : problem.inputs) {
    if (input.tensors.empty())
      continue;
    std::string value = tensor_line(file, input, 0, point);
    if (input.list) {
      for (size_t item = 1; item < input.tensors.size(); ++item)
        value += ", " + tensor_line(file, input, item, point);
      value = "[" + value + "]";
    }
    lines += fmt::format("inputs.{} = {}\n", input.name, value);
  }
  return lines + fmt::format("dtype = \"{}\"\n", name_of(point.dtype));
}

}  // namespace parity::operators
