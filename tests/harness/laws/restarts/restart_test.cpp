// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "harness/laws/audit.hpp"
#include "harness/laws/laws.hpp"
#include "harness/tensor/conversions.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A run that was interrupted after update 2, in one trace or in two.
class RestartLawTest : public LawTest {
 protected:
  static constexpr int64_t saved = 2;

  static PlantedRun resumed() {
    PlantedRun run = trained();
    run.tensors.push_back({{0, Phase::param, "layers.1.moe.expert_bias"}, std::vector<float>(8, 0.0F)});
    for (int64_t step = 1; step <= 4; ++step)
      run.tensors.push_back({{step, Phase::param, "layers.1.moe.expert_bias"},
                             std::vector<float>(8, static_cast<float>(step))});
    const std::vector<PlantedTensor> all = run.tensors;
    for (const PlantedTensor& each : all)
      if (each.key.step == saved && (each.key.phase == Phase::param || each.key.phase == Phase::optim))
        run.tensors.push_back(
            {{saved + 1, Phase::input, fmt::format("loaded/{}/{}", name_of(each.key.phase), each.key.name)},
             each.values});
    add_parts(run, saved, "saved/");
    add_parts(run, saved + 1, "loaded/");
    return run;
  }
  static void add_parts(PlantedRun& run, int64_t step, const std::string& prefix) {
    run.tensors.push_back({{step, Phase::input, prefix + "generator"}, std::vector<float>(16, 7)});
    run.tensors.push_back({{step, Phase::input, prefix + "data_position"}, std::vector<float>{16}});
    run.tensors.push_back({{step, Phase::input, prefix + "schedule_position"}, std::vector<float>{2}});
    run.tensors.push_back({{step, Phase::input, prefix + "optimizer_steps"}, std::vector<float>{2, 2}});
    run.tensors.push_back({{step, Phase::input, prefix + "loss_scale"}, std::vector<float>{1024}});
    run.tensors.push_back({{step, Phase::input, prefix + "loss_scale_streak"}, std::vector<float>{2}});
  }
  static std::vector<float>& loaded(PlantedRun& run, const std::string& name) {
    return tensor(run, saved + 1, Phase::input, "loaded/" + name);
  }
  static void drop_loaded(PlantedRun& run, const std::string& prefix) {
    std::erase_if(run.tensors, [&](const PlantedTensor& each) {
      return each.key.phase == Phase::input && each.key.name.starts_with("loaded/" + prefix);
    });
  }
  /// The sentence of the law about a run in which `change` was done to what was loaded.
  std::string sentence_after(const std::function<void(PlantedRun&)>& change) {
    PlantedRun run = resumed();
    change(run);
    const Finding finding = ask(ask_restart, run);
    EXPECT_EQ(finding.departures.size(), 1U) << finding.why;
    return sentence(finding);
  }

  /// The updates after the restart as a run of its own, which counts from 1.
  static PlantedRun second_half() {
    const PlantedRun whole = trained();
    PlantedRun run;
    run.config = whole.config;
    for (const auto& [name, column] : whole.channels) {
      const auto& values = std::get<std::vector<double>>(column);
      run.channels[name] = std::vector<double>(values.begin() + saved, values.end());
    }
    for (PlantedTensor each : whole.tensors)
      if (each.key.step > saved ||
          (each.key.step == saved && (each.key.phase == Phase::param || each.key.phase == Phase::optim))) {
        each.key.step -= saved;
        run.tensors.push_back(std::move(each));
      }
    return run;
  }
  static PlantedRun first_half(int64_t last = saved) {
    PlantedRun run = trained();
    for (auto& [name, column] : run.channels)
      std::get<std::vector<double>>(column).resize(static_cast<size_t>(last));
    std::erase_if(run.tensors, [&](const PlantedTensor& each) { return each.key.step > last; });
    return run;
  }
  Finding ask_two(const PlantedRun& before, const PlantedRun& after) {
    return audit(*write("after", after), {"restart"}, write("before", before)).rows.at(0).finding;
  }
};

TEST_F(RestartLawTest, RestoredState_Holds) {
  const Finding finding = ask(ask_restart, resumed());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding) << finding.why;
  EXPECT_EQ(finding.checked, 5 * 3 + 1 + 6);
  EXPECT_THAT(finding.notes, IsEmpty());
}

TEST_F(RestartLawTest, LostMoments_AreNamed) {
  EXPECT_EQ(sentence_after([](PlantedRun& run) {
              for (const std::string& name : names())
                for (const char* kind : {"optim/exp_avg/", "optim/exp_avg_sq/"})
                  scale(loaded(run, kind + name), 0);
            }),
            "exp_avg and exp_avg_sq of every tensor: not restored after update 2: starts from zero");
}

TEST_F(RestartLawTest, OneMoment_IsNamed) {
  EXPECT_THAT(sentence_after([](PlantedRun& run) { loaded(run, "optim/exp_avg/norm.weight")[3] *= 1.5F; }),
              HasSubstr("exp_avg of norm.weight: not restored after update 2: differs by "));
}

TEST_F(RestartLawTest, OlderCheckpoint_IsNamed) {
  EXPECT_EQ(sentence_after([](PlantedRun& run) {
              loaded(run, "param/norm.weight") = tensor(run, 1, Phase::param, "norm.weight");
            }),
            "parameter of norm.weight: not restored after update 2: has the values of update 1");
  EXPECT_EQ(sentence_after([](PlantedRun& run) {
              loaded(run, "param/norm.weight") = tensor(run, 0, Phase::param, "norm.weight");
            }),
            "parameter of norm.weight: not restored after update 2: starts from its initial values");
}

TEST_F(RestartLawTest, RoundedCheckpoint_IsNamed) {
  EXPECT_EQ(sentence_after([](PlantedRun& run) {
              for (float& value : loaded(run, "param/norm.weight"))
                value = bfloat16_to_float(float_to_bfloat16(value));
            }),
            "parameter of norm.weight: not restored after update 2: was rounded to bfloat16");
}

TEST_F(RestartLawTest, OtherTensorsValues_AreNamed) {
  EXPECT_EQ(sentence_after([](PlantedRun& run) {
              loaded(run, "optim/exp_avg/layers.0.wq.weight") =
                  tensor(run, saved, Phase::optim, "exp_avg/layers.1.wq.weight");
            }),
            "exp_avg of layers.0.wq.weight: not restored after update 2: has the values of "
            "exp_avg/layers.1.wq.weight");
}

TEST_F(RestartLawTest, LostParts_AreNamed) {
  EXPECT_EQ(sentence_after([](PlantedRun& run) { loaded(run, "schedule_position")[0] = 0; }),
            "schedule_position: not restored after update 2: is 0 in place of 2");
  EXPECT_EQ(sentence_after([](PlantedRun& run) { loaded(run, "data_position")[0] = 0; }),
            "data_position: not restored after update 2: is 0 in place of 16");
  EXPECT_EQ(sentence_after([](PlantedRun& run) { loaded(run, "optimizer_steps")[0] = 0; }),
            "optimizer_steps: not restored after update 2: is 0 to 2 in place of 2");
  EXPECT_THAT(sentence_after([](PlantedRun& run) { loaded(run, "generator")[5] = 0; }),
              HasSubstr("generator: not restored after update 2: "));
  EXPECT_EQ(sentence_after([](PlantedRun& run) { scale(loaded(run, "param/layers.1.moe.expert_bias"), 0); }),
            "router bias of layers.1.moe.expert_bias: not restored after update 2: starts from zero");
}

TEST_F(RestartLawTest, AForgottenLossScale_IsNamed) {
  EXPECT_EQ(sentence_after([](PlantedRun& run) { loaded(run, "loss_scale")[0] = 65536; }),
            "loss_scale: not restored after update 2: is 65536 in place of 1024");
  EXPECT_EQ(sentence_after([](PlantedRun& run) { loaded(run, "loss_scale_streak")[0] = 0; }),
            "loss_scale_streak: not restored after update 2: is 0 in place of 2");
  EXPECT_EQ(sentence_after([](PlantedRun& run) { drop_loaded(run, "loss_scale"); }),
            "loss_scale and loss_scale_streak: not restored after update 2: the resumed run begins without "
            "it");
}

TEST_F(RestartLawTest, NaN_Departs) {
  EXPECT_THAT(sentence_after([](PlantedRun& run) { loaded(run, "param/norm.weight")[0] = NAN; }),
              HasSubstr("parameter of norm.weight: not restored"));
  EXPECT_THAT(sentence_after([](PlantedRun& run) { loaded(run, "param/norm.weight").assign(64, NAN); }),
              HasSubstr("parameter of norm.weight: not restored"));
}

TEST_F(RestartLawTest, StatisticsAlone_AreEnough) {
  PlantedRun run = resumed();
  run.whole = false;
  EXPECT_EQ(ask(ask_restart, run).answer(), Answer::holds);
  loaded(run, "param/norm.weight")[0] += 1;
  EXPECT_EQ(sentence(ask(ask_restart, run)),
            "parameter of norm.weight: not restored after update 2: has other values");
}

TEST_F(RestartLawTest, UnrecordedMoments_AreNotAgreement) {
  PlantedRun run = resumed();
  drop_loaded(run, "optim/");
  const Finding finding = ask(ask_restart, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_EQ(
      finding.why,
      "the resumed run has no state of the optimizer before update 3: it was not restored, or not recorded");
}

TEST_F(RestartLawTest, AMomentThatTheResumedRunBeginsWithout_IsNamed) {
  PlantedRun run = resumed();
  drop_loaded(run, "optim/exp_avg/norm.weight");
  EXPECT_EQ(sentence(ask(ask_restart, run)),
            "exp_avg of norm.weight: not restored after update 2: the resumed run begins without it, and has "
            "it later");
  PlantedRun half = second_half();
  std::erase_if(half.tensors, [](const PlantedTensor& each) {
    return each.key.step == 0 && each.key.phase == Phase::param && each.key.name == "norm.weight";
  });
  EXPECT_THAT(sentence(ask_two(first_half(), half)), HasSubstr("parameter of norm.weight: not restored"));
}

TEST_F(RestartLawTest, UnrecordedParts_AreNoted) {
  PlantedRun run = resumed();
  drop_loaded(run, "generator");
  EXPECT_THAT(notes(ask(ask_restart, run)), HasSubstr("not recorded after the restart: generator"));
  std::erase_if(run.tensors, [](const PlantedTensor& each) {
    return each.key.name.starts_with("saved/") || each.key.name.ends_with("_position") ||
           each.key.name.ends_with("_steps");
  });
  EXPECT_THAT(notes(ask(ask_restart, run)), HasSubstr("generator, schedule position and data position"));
}

TEST_F(RestartLawTest, NoRestart_IsNotAsked) {
  EXPECT_EQ(ask(ask_restart, trained()).why, "the trace shows no restart");
  PlantedRun run = resumed();
  drop(run, Phase::param);
  drop_loaded(run, "param/");
  EXPECT_EQ(ask(ask_restart, run).why,
            "no parameter was recorded on both sides of the restart after update 2");
}

TEST_F(RestartLawTest, TwoTraces_Hold) {
  const Finding finding = ask_two(first_half(), second_half());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding) << finding.why;
  EXPECT_EQ(finding.checked, 5 * 3);
}

TEST_F(RestartLawTest, TwoTracesOlderUpdate_IsNoted) {
  const Finding finding = ask_two(first_half(3), second_half());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("the run continues from update 2 of 3"));
}

TEST_F(RestartLawTest, TwoTracesLostMoment_IsNamed) {
  PlantedRun after = second_half();
  scale(tensor(after, 0, Phase::optim, "exp_avg_sq/norm.weight"), 0);
  EXPECT_EQ(sentence(ask_two(first_half(), after)),
            "exp_avg_sq of norm.weight: not restored after update 2: starts from zero");
}

TEST_F(RestartLawTest, TwoTracesWithNewCounters_Depart) {
  const auto with_counters = [](PlantedRun run, float at_first) {
    for (int64_t step = 1; step <= 2; ++step)
      for (const std::string& name : names())
        run.tensors.push_back({{step, Phase::optim, "step/" + name},
                               std::vector<float>{at_first + static_cast<float>(step - 1)}});
    return run;
  };
  PlantedRun after = second_half();
  std::erase_if(after.tensors, [](const PlantedTensor& each) {
    return each.key.step == 0 && each.key.phase == Phase::optim;
  });
  const PlantedRun before = with_counters(first_half(), 1);
  EXPECT_EQ(
      sentence(ask_two(before, with_counters(after, 1))),
      "exp_avg, exp_avg_sq and step of every tensor: not restored after update 2: they start from zero: the "
      "step counter of layers.0.wq.weight is 1 after update 1, in place of 3");
  EXPECT_EQ(ask_two(before, with_counters(after, 3)).answer(), Answer::not_asked);  // restored, not recorded
}

TEST_F(RestartLawTest, TwoTracesWithAScheduleThatStartsAgain_Depart) {
  PlantedRun before = first_half(4), after = second_half();
  after.channels["lr"] = std::vector<double>{0.004, 0.008};
  channel(before, "lr") = {0.004, 0.008, 0.01, 0.01};
  for (const PlantedTensor& each : first_half(4).tensors)  // resumed after update 4
    if (each.key.step == 4 && (each.key.phase == Phase::param || each.key.phase == Phase::optim))
      tensor(after, 0, each.key.phase, each.key.name) = std::get<std::vector<float>>(each.values);
  EXPECT_EQ(sentence(ask_two(before, after)),
            "the schedule starts again: lr is 0.008 at update 2, as at update 2 of the run before, which had "
            "come to "
            "0.01");
  after.channels["lr"] = std::vector<double>{0.01, 0.009};
  EXPECT_EQ(ask_two(before, after).answer(), Answer::holds);
}

TEST_F(RestartLawTest, TwoTracesThatReadABatchAgain_AreNoted) {
  PlantedRun before = first_half(), after = second_half();
  before.channels["batch_digest"] = std::vector<double>{11, 12};
  after.channels["batch_digest"] = std::vector<double>{13, 14};
  EXPECT_THAT(notes(ask_two(before, after)), Not(HasSubstr("reads the batch")));
  after.channels["batch_digest"] = std::vector<double>{12, 13};
  const Finding finding = ask_two(before, after);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("update 1 reads the batch of update 2 of the run before again"));
}

TEST_F(RestartLawTest, ALawThatWasNamed_HasToBeAsked) {
  PlantedRun after = second_half();
  drop(after, Phase::optim);
  drop(after, Phase::param);
  const Audit found = audit(*write("after", after), {}, write("before", first_half()));
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_THAT(found.verdict(), HasSubstr("undecided: law restart could not be asked"));
  EXPECT_EQ(audit(*write("alone", after)).exit_code(), ExitCode::agree);
  EXPECT_EQ(audit(*write("alone", after), {"clip", "restart"}).exit_code(), ExitCode::missing);
}

TEST_F(RestartLawTest, TwoTracesOfOtherRuns_Depart) {
  PlantedRun after = second_half();
  for (const std::string& name : names())
    scale(tensor(after, 0, Phase::param, name), 1.5F);
  EXPECT_THAT(sentence(ask_two(first_half(), after)), HasSubstr("parameter of every tensor: not restored"));
}

TEST_F(RestartLawTest, TwoTracesWithoutState_AreNotAsked) {
  PlantedRun after = second_half();
  std::erase_if(after.tensors, [](const PlantedTensor& each) { return each.key.step == 0; });
  EXPECT_EQ(ask_two(first_half(), after).why, "the trace has no state before its first update");
  after = second_half();
  std::erase_if(after.tensors, [](const PlantedTensor& each) {
    return each.key.step == 0 && each.key.phase == Phase::optim;
  });
  EXPECT_THAT(ask_two(first_half(), after).why, HasSubstr("no state of the optimizer before update 1"));
}

}  // namespace
}  // namespace parity::laws
