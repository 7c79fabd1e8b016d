// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "harness/laws/audit.hpp"
#include "harness/suite/runs/running_run.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/end_to_end/ranks/small_run.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity {

using laws::Answer;
using laws::Audit;
using trace::Phase;

/// Trains small runs and asks laws about them, or about a copy of a trace that was changed.
class LawfulRunTest : public FolderTest {
 protected:
  static suite::PlannedRun run_of(int ranks = 1) {
    suite::PlannedRun run = small_run(ranks, 1, 6);
    run.config["clip.max_norm"] = 0.05;
    run.config["architecture.n_kv_heads"] = 2;
    run.config["data.micro_batches"] = 2;
    run.config["data.ignore_fraction"] = 0.2;
    run.capture.tensors.push_back(
        {{},
         {Phase::input, Phase::grad_local, Phase::grad, Phase::grad_clipped, Phase::optim, Phase::param},
         {}});
    run.capture.tensors.push_back({{}, {Phase::forward}, {"output"}});
    return run;
  }

  trace::Trace train(const suite::PlannedRun& run) const {
    const suite::RunStore store(folder / "out");
    suite::RunningRun running(run, store, places::build + "/bin/parity-train");
    while (!running.poll())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(running.result().complete()) << running.result().stderr_tail;
    return trace::Trace::open(running.result().folder);
  }
  static trace::Fault fault(trace::FaultKind kind, Phase phase, const std::string& name, int64_t step,
                            double size) {
    trace::Fault fault;
    fault.kind = kind;
    fault.phase = phase;
    fault.name = name;
    fault.steps = {step};
    fault.size = size;
    return fault;
  }
  static const laws::Finding& finding(const Audit& audit, const std::string& law) {
    for (const Audit::Row& row : audit.rows)
      if (row.law->name == law)
        return row.finding;
    throw std::logic_error("no law " + law);
  }
  static std::string sentence(const Audit& audit, const std::string& law) {
    const laws::Finding& found = finding(audit, law);
    return found.departures.empty() ? "" : found.departures.front().sentence;
  }
  static void expect_lawful(const trace::Trace& trace) {
    const Audit audit = laws::audit(trace);
    EXPECT_EQ(audit.exit_code(), ExitCode::agree) << audit.to_json().dump(1);
    for (const char* law : {"grad_norm", "clip", "update", "schedule", "loss", "data"})
      EXPECT_EQ(finding(audit, law).answer(), Answer::holds) << law << ": " << finding(audit, law).why;
  }

  using Channels = std::map<std::string, std::vector<double>>;
  /// Copies a trace with other channels, or with keys of the config that say something else.
  trace::Trace copy(const trace::Trace& source, const std::function<void(Channels&)>& change,
                    const Json& config = Json::object(), const char* name = "copy") const {
    Channels channels;
    for (const auto& [name, channel] : source.channels())
      channels[name] = channel.as_double();
    change(channels);
    Json other = source.config();
    other.merge_patch(config);
    trace::Recorder::Options options{folder / name / "trace.h5", other, source.provenance(), {}};
    options.capture.tensors.push_back({});
    trace::Recorder recorder(std::move(options));
    for (int64_t step = 0; step <= source.last_step(); ++step) {
      recorder.begin_step(step);
      for (const trace::TensorKey& key : source.tensors())
        if (key.step == step)
          recorder.tensor(key.phase, key.name, source.tensor(key));
      for (const auto& [name, values] : channels)
        if (step > 0)
          recorder.channel(name, values.at(static_cast<size_t>(step - 1)));
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(folder / name);
  }
};

}  // namespace parity
