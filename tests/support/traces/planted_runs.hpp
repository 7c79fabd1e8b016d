// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/compare/judge.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/support/scratch.hpp"

namespace parity {

using Column = std::variant<std::vector<double>, std::vector<int64_t>>;

/// A tensor of float32, float64 or residues to be recorded.
struct PlantedTensor {
  using Values = std::variant<std::vector<float>, std::vector<double>, std::vector<uint64_t>>;
  trace::TensorKey key;
  Values values;
  Shape shape;

  PlantedTensor(trace::TensorKey name, Values list, Shape sizes = {-1})
      : key(std::move(name)), values(std::move(list)), shape(std::move(sizes)) {}

  bool operator==(const PlantedTensor&) const = default;
};

/// The data of an invented run. Steps count from 1, one for each value of a channel.
struct PlantedRun {
  std::map<std::string, Column> channels = {};
  std::vector<PlantedTensor> tensors = {};
  std::set<std::string> timing = {};  ///< names of channels that are not numeric
  bool whole = true;                  ///< keep tensors whole; else their sketches only
  Json config = Json::object();
  Json provenance = Json::object();
  Json failure = nullptr;  ///< the run ends here if not null

  bool operator==(const PlantedRun&) const = default;
};

/// Writes planted runs as traces and judges checks of them.
class PlantedTest : public FolderTest {
 protected:
  std::map<std::string, compare::ArmEvidence> arms;

  const trace::Trace* write(const std::string& file, const PlantedRun& run) {
    trace::Recorder::Options options{folder / (file + ".h5"), run.config, run.provenance, {}, 0};
    (run.whole ? options.capture.tensors : options.capture.sketches).push_back({});
    auto path = options.path;
    trace::Recorder recorder(std::move(options));
    for (int64_t step = 0; step <= last_step(run); ++step) {
      recorder.begin_step(step);
      if (step > 0)
        write_channels(recorder, run, step);
      for (const PlantedTensor& tensor : run.tensors)
        if (tensor.key.step == step)
          write_tensor(recorder, tensor);
      recorder.end_step();
    }
    if (!run.failure.is_null()) {
      recorder.failure(run.failure);
      path += ".partial";
    }
    recorder.finish();
    traces_.push_back(std::make_unique<trace::Trace>(trace::Trace::open(path)));
    return traces_.back().get();
  }

  /// Returns the trace of a run. It reuses the previous one for the same run, because most mutations damage
  /// one of several.
  const trace::Trace* written(const std::string& file, const PlantedRun& run) {
    auto& [last, trace] = written_[file];
    if (!trace || !(last == run)) {
      trace = write(file, run);
      last = run;
    }
    return trace;
  }

  void add_arm(const std::string& name, const PlantedRun& run, int64_t warmup_steps = 0) {
    arms[name].trace = write(name, run);
    arms[name].warmup_steps = warmup_steps;
  }
  void add_twin(const std::string& name, const PlantedRun& run) {
    arms[name].twin = write(name + ".twin", run);
  }

  /// A check of arms a and b, or of a alone.
  static compare::Check check_of(compare::Relation relation, std::vector<std::string> channels) {
    compare::Check check;
    check.relation = relation;
    check.channels = std::move(channels);
    check.arms = {"a", "b"};
    if (row_of(relation).arms == 1)
      check.arms = {"a"};
    return check;
  }
  static compare::Check tensor_check_of(compare::Relation relation, const std::string& glob,
                                        trace::Phase phase = trace::Phase::param) {
    compare::Check check = check_of(relation, {});
    check.tensor = glob;
    check.phase = phase;
    return check;
  }
  static compare::StepWindow range(int64_t first, int64_t last) {
    return {compare::StepWindow::Kind::range, first, last};
  }
  static compare::StepWindow window(compare::StepWindow::Kind kind) { return {kind, 0, 0}; }

 private:
  static int64_t last_step(const PlantedRun& run) {
    size_t steps = 0;
    for (const auto& [name, column] : run.channels)
      steps = std::visit([](const auto& values) { return values.size(); }, column);
    return static_cast<int64_t>(steps);
  }
  static void write_channels(trace::Recorder& recorder, const PlantedRun& run, int64_t step) {
    for (const auto& [name, column] : run.channels)
      std::visit(
          [&, &label = name](const auto& values) {
            recorder.channel(
                label, values.at(static_cast<size_t>(step - 1)),
                run.timing.contains(label) ? trace::ChannelKind::timing : trace::ChannelKind::numeric);
          },
          column);
  }
  static void write_tensor(trace::Recorder& recorder, const PlantedTensor& tensor) {
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          const DType dtype = std::is_integral_v<T> ? DType::residue64
                              : sizeof(T) == 4      ? DType::float32
                                                    : DType::float64;
          recorder.tensor(tensor.key.phase, tensor.key.name, view_of(dtype, values, tensor.shape));
        },
        tensor.values);
  }

  std::vector<std::unique_ptr<trace::Trace>> traces_;
  std::map<std::string, std::pair<PlantedRun, const trace::Trace*>> written_;
};

/// `count` values of a smooth curve that falls from 8 to near 7, as float32 would hold it.
inline std::vector<double> falling_curve(size_t count = 10) {
  std::vector<double> values;
  for (size_t s = 0; s < count; ++s)
    values.push_back(static_cast<float>(7 + std::exp(-0.3 * static_cast<double>(s))));
  return values;
}

/// Each value changed by a function of its position: planted defects.
inline std::vector<double> changed(std::vector<double> values,
                                   const std::function<double(size_t, double)>& change) {
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = change(i, values[i]);
  return values;
}

/// Returns the next larger float32.
inline double one_ulp_up(double value) {
  return std::nextafter(static_cast<float>(value), 1e30F);
}

/// Returns noise that looks random and is the same everywhere: within +-`size`, different for each seed.
inline double noise(size_t i, double size, uint64_t seed = 0) {
  const uint64_t mixed = (i + 1 + 977 * seed) * 0x9E3779B97F4A7C15U;
  return size * (static_cast<double>(mixed >> 11) * 0x1p-52 - 1);
}

}  // namespace parity
