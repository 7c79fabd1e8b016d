// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/runner/runner.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/operators/problem/narrowed.hpp"
#include "harness/operators/problem/values.hpp"

namespace parity::operators {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_file = 256 << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string needed_variable(const char* name) {
  const std::string value = variable(name);
  if (value.empty())
    throw UserError(
        fmt::format("cannot run without {} (parity sets it); start the case with parity run", name));
  return value;
}

RunnerTask task_from_environment(const std::string& folder) {
  RunnerTask task;
  task.config = read_json(read_file(needed_variable("PARITY_CONFIG"), largest_file));
  task.arm = task.config.value("operator", Json::object());
  task.problem = Problem::from_json(task.arm.value("problem", Json::object()));
  task.wide = variable("PARITY_DTYPE") == "float64";
  task.folder = folder;
  return task;
}

void beat(size_t point, const std::string& place) {
  const std::string path = variable("PARITY_HEARTBEAT");
  if (!path.empty())
    write_file(path, json_text({{"step", point + 1}, {"phase", "forward"}, {"place", place}}));
}

}  // namespace

int run_program(const std::string& name, int argc, char** argv,
                const std::function<void(const RunnerTask&)>& run) {
  try {
    run(task_from_environment(argc > 1 ? argv[1] : ""));
    return 0;
  } catch (const UserError& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return static_cast<int>(ExitCode::internal);
  }
}

void run_points(const RunnerTask& task, const Json& provenance,
                const std::function<void(trace::Recorder& recorder, size_t point)>& compute) {
  trace::Recorder::Options options;
  options.path = needed_variable("PARITY_TRACE");
  options.config = task.config;
  options.provenance = provenance;
  options.capture =
      trace::Capture::from_json(read_json(read_file(needed_variable("PARITY_CAPTURE"), largest_file)));
  trace::Recorder recorder(std::move(options));
  for (size_t point = 0; point < task.problem.points.size(); ++point) {
    const std::string place = task.problem.points[point].text();
    beat(point, place);
    recorder.begin_step(static_cast<int64_t>(point + 1));
    try {
      compute(recorder, point);
    } catch (const UserError& error) {
      throw UserError(fmt::format("{} (at {})", error.what(), place), error.code());
    } catch (const std::exception& error) {  // a library's own
      throw UserError(fmt::format("{} (at {})", error.what(), place));
    }
    recorder.end_step();
  }
  recorder.finish();
}

void record_inputs(trace::Recorder& recorder, const RunnerTask& task, size_t point) {
  const Point& place = task.problem.points[point];
  for (const Input& input : task.problem.inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item) {
      const TensorSpec& spec = input.tensors[item];
      const std::string name = input.list ? fmt::format("{}.{}", input.name, item) : input.name;
      if (!recorder.wants(trace::Phase::input, name))
        continue;
      const std::vector<double> values = input_values(place, input, item);
      const DType dtype =
          task.wide && is_floating(spec.dtype_at(place)) ? DType::float64 : spec.dtype_at(place);
      const std::vector<std::byte> bytes = narrowed(dtype, values);
      recorder.tensor(trace::Phase::input, name, {dtype, spec.shape_at(place), bytes.data()});
    }
}

double mark_of(const std::vector<double>& values) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i)
    sum += (static_cast<uint64_t>(i) * 2654435761U >> 16 & 1) != 0 ? values[i] : -values[i];
  return sum;
}

}  // namespace parity::operators
