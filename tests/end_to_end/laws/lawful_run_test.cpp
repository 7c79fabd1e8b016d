// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Laws over runs of parity-train: an unmodified run is lawful in every layout, a fault in the trainer or a
// wrong number in a copy of its trace is named.
#include <cmath>

#include "tests/end_to_end/laws/lawful_fixture.hpp"

namespace parity {
namespace {
using testing::HasSubstr;

TEST_F(LawfulRunTest, OneProcess_IsLawful) {
  const trace::Trace trace = train(run_of());
  expect_lawful(trace);
  expect_lawful(copy(trace, [](Channels&) {}));
}

TEST_F(LawfulRunTest, Layouts_AreLawful) {
  int number = 0;
  for (const char* dimension : {"parallel.dp_replicate", "parallel.dp_shard", "parallel.tp"}) {
    suite::PlannedRun run = run_of(2);
    run.id = "0123456789abcde" + std::to_string(number++);
    run.config["parallel.dp_replicate"] = 1;
    run.config[dimension] = 2;
    const trace::Trace trace = train(run);
    expect_lawful(trace);
    EXPECT_EQ(finding(laws::audit(trace), "replicas").answer(), Answer::holds) << dimension;
    const bool reduces = dimension == std::string("parallel.dp_replicate");
    EXPECT_EQ(finding(laws::audit(trace), "reduction").answer(), reduces ? Answer::holds : Answer::not_asked);
  }
}

TEST_F(LawfulRunTest, Sgd_IsLawful) {
  suite::PlannedRun run = run_of();
  run.config["optimizer.name"] = "sgd";
  run.config["optimizer.momentum"] = 0.9;
  expect_lawful(train(run));
}

TEST_F(LawfulRunTest, HeldMask_IsNamed) {
  suite::PlannedRun run = run_of(2);
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, Json>>{{"architecture.n_layers", 2},
                                                           {"parallel.dp_replicate", 1},
                                                           {"parallel.pp", 2},
                                                           {"parallel.pp_microbatches", 2},
                                                           {"attention.backend", "flex"},
                                                           {"attention.documents", {"position_zero"}},
                                                           {"data.packing", "concat_then_split"},
                                                           {"data.positions", "document"},
                                                           {"data.document_tokens", 6}})
    run.config[key] = value;
  EXPECT_EQ(sentence(laws::audit(train(run)), "data"), "");
  run.config["parallel.pp_masks"] = "held";
  run.id.back() = 'e';
  EXPECT_THAT(sentence(laws::audit(train(run)), "data"),
              HasSubstr("the model attends under another mask than the update's rows have"));
}

TEST_F(LawfulRunTest, WrongNorm_IsNamed) {
  const trace::Trace source = train(run_of());
  const trace::Trace wrong = copy(source, [&](Channels& channels) {
    for (int64_t step = 1; step <= 6; ++step) {
      double square = 0;
      for (const trace::SketchRow& row : source.sketches())
        if (row.key.step == step && row.key.phase == Phase::grad && row.key.name != "output.weight")
          square += row.norm * row.norm;
      channels["grad_norm"][static_cast<size_t>(step - 1)] = std::sqrt(square);
    }
  });
  const Audit audit = laws::audit(wrong);
  EXPECT_EQ(audit.exit_code(), ExitCode::differ);
  EXPECT_THAT(sentence(audit, "grad_norm"),
              HasSubstr("it equals the norm without output.weight; 6 updates depart"));
}

TEST_F(LawfulRunTest, OtherClipFactor_IsNamed) {
  suite::PlannedRun run = run_of();
  run.capture.faults = {fault(trace::FaultKind::scale, Phase::grad_clipped, "*.wv.weight", 3, 0.5)};
  const Audit audit = laws::audit(train(run));
  EXPECT_THAT(sentence(audit, "clip"), HasSubstr("layers.0.attention.wv.weight: scaled by"));
  EXPECT_NEAR(finding(audit, "clip").departures.at(0).factor.value(), 1.5, 1e-5);
  EXPECT_EQ(finding(audit, "update").answer(), Answer::holds) << "the optimizer used the recorded gradient";
}

TEST_F(LawfulRunTest, ChangedParameter_IsNamed) {
  suite::PlannedRun run = run_of();
  run.capture.faults = {fault(trace::FaultKind::scale, Phase::param, "norm.weight", 4, 1e-5)};
  const Audit audit = laws::audit(train(run));
  EXPECT_THAT(sentence(audit, "update"), HasSubstr("norm.weight: "));
  EXPECT_EQ(finding(audit, "update").departures.at(0).step, 4);
  EXPECT_EQ(finding(audit, "clip").answer(), Answer::holds);
}

TEST_F(LawfulRunTest, StaleParameter_IsLeftOut) {
  suite::PlannedRun run = run_of();
  run.capture.faults = {fault(trace::FaultKind::stale, Phase::param, "layers.0.attention.wq.weight", 3, 0)};
  EXPECT_EQ(sentence(laws::audit(train(run)), "update"),
            "layers.0.attention.wq.weight: left out: the optimizer's state changed, the parameter did not");
}

TEST_F(LawfulRunTest, WrongSchedule_IsNamed) {
  const trace::Trace source = train(run_of());
  const Audit audit = laws::audit(copy(source, [](Channels& channels) {
    std::vector<double>& lr = channels["lr"];
    lr.insert(lr.begin(), 0.0);
    lr.pop_back();
  }));
  EXPECT_THAT(sentence(audit, "schedule"),
              HasSubstr("lr is 0 at update 1, where the config's schedule (titan"));
  EXPECT_THAT(sentence(audit, "schedule"), HasSubstr("0-indexed"));
  EXPECT_EQ(finding(audit, "update").answer(), Answer::departs) << "the optimizer used other rates";
}

TEST_F(LawfulRunTest, ReplicaOfOneRank_IsNamed) {
  suite::PlannedRun run = run_of(2);
  trace::Fault planted = fault(trace::FaultKind::dropped_reduction, Phase::grad, "norm.weight", 2, 0);
  planted.rank = 1;
  run.capture.faults = {planted};
  const Audit audit = laws::audit(train(run));
  EXPECT_THAT(sentence(audit, "replicas"),
              HasSubstr("grad of norm.weight differs between rank 0 and rank 1 at step 2"));
  EXPECT_EQ(sentence(audit, "reduction"),
            "norm.weight: the reduced gradient on rank 1 is not the sum: it is rank 1's own, not reduced");
}

}  // namespace
}  // namespace parity
