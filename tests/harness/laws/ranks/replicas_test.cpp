// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

class ReplicasLawTest : public LawTest {
 protected:
  /// Two ranks that hold the same parameters, except where rank 1's is changed.
  Finding ask_ranks(int64_t bad_step, float change) const {
    for (const int64_t rank : {1, 0}) {
      trace::Recorder::Options options{folder / "run" / "trace.h5", {}, {}, {}};
      options.capture.tensors.push_back({});
      options.rank = rank;
      options.ranks = 2;
      trace::Recorder recorder(std::move(options));
      for (int64_t step = 0; step <= 3; ++step) {
        recorder.begin_step(step);
        for (const std::string& name : names()) {
          std::vector<float> values(8, static_cast<float>(step + 1));
          if (rank == 1 && step >= bad_step && name == "norm.weight")
            values[5] += change;
          recorder.tensor(Phase::param, name, view_of(DType::float32, values));
        }
        if (step > 0)
          recorder.channel("loss", 1.0);
        recorder.end_step();
      }
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "run");
    return ask_replicas(RecordedRun(trace));
  }
};

TEST_F(ReplicasLawTest, EqualRanks_Hold) {
  const Finding finding = ask_ranks(9, 1);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 4 * 5 + 1);
}

TEST_F(ReplicasLawTest, SettingsAlone_AreNotAsked) {
  for (const int64_t rank : {1, 0}) {
    trace::Recorder::Options options{folder / "run" / "trace.h5", {}, {}, {}};
    options.rank = rank;
    options.ranks = 2;
    trace::Recorder recorder(std::move(options));
    recorder.begin_step(1);
    recorder.channel("lr", 0.1);
    recorder.end_step();
    recorder.finish();
  }
  const trace::Trace trace = trace::Trace::open(folder / "run");
  const Finding finding = ask_replicas(RecordedRun(trace));
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_THAT(finding.why, HasSubstr("no tensor or result was recorded on several ranks"));
}

TEST_F(ReplicasLawTest, OtherInitialState_IsNamed) {
  const Finding finding = ask_ranks(0, 0.5F);
  ASSERT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding),
              HasSubstr("param of norm.weight differs between rank 0 and rank 1 at step 0: 1 and "
                        "1.5 at the first element"));
  EXPECT_THAT(sentence(finding), HasSubstr("the norms are 2.8284271 and"));
  EXPECT_EQ(finding.departures.front().rank, 1);
  EXPECT_EQ(finding.departures.front().step, 0);
}

TEST_F(ReplicasLawTest, LaterStep_IsNamed) {
  EXPECT_EQ(ask_ranks(2, 1e-6F).departures.at(0).step, 2);
}

TEST_F(ReplicasLawTest, OneRank_IsNotAsked) {
  const Finding finding = ask(ask_replicas, trained());
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_EQ(finding.why, "the trace has one rank");
}

}  // namespace
}  // namespace parity::laws
