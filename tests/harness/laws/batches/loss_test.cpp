// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// Invented logits of 4 sequences of 6 tokens over 5 words, of which more labels count in later sequences.
class LossLawTest : public LawTest {
 protected:
  struct Row {
    double sum = 0;
    int64_t valid = 0;
  };

  static float logit(int64_t step, int64_t row, int64_t t, int64_t v) {
    return 3 * noise(step, static_cast<size_t>(row), static_cast<size_t>(5 * t + v));
  }
  static int64_t label(int64_t row, int64_t t) { return t > row + 1 ? -100 : (row + t) % 5; }
  static Row entropy_of_row(int64_t step, int64_t row) {
    Row found;
    for (int64_t t = 0; t < 6; ++t) {
      if (label(row, t) == -100)
        continue;
      double sum = 0;
      for (int64_t v = 0; v < 5; ++v)
        sum += std::exp(static_cast<double>(logit(step, row, t, v)));
      found.sum += std::log(sum) - logit(step, row, t, label(row, t));
      ++found.valid;
    }
    return found;
  }
  /// Returns sum and count of rows [first, end).
  static Row entropy(int64_t step, int64_t first, int64_t end) {
    Row all;
    for (int64_t row = first; row < end; ++row) {
      const Row one = entropy_of_row(step, row);
      all.sum += one.sum;
      all.valid += one.valid;
    }
    return all;
  }
  static double mean(int64_t step, int64_t first = 0, int64_t end = 4) {
    const Row all = entropy(step, first, end);
    return all.sum / static_cast<double>(all.valid);
  }

  /// \param tokens  whether the model's input_ids are recorded too, which are the labels
  Finding ask_losses(const std::function<double(int64_t step)>& loss, const std::string& rule,
                     const Json& other = Json::object(), const Json& provenance = {},
                     bool tokens = false) const {
    Json config = {{"data", {{"micro_batches", 2}}}};
    if (!rule.empty())
      config["loss"] = {{"normalization", rule}};
    config.merge_patch(other);
    trace::Recorder::Options options{folder / "loss" / "trace.h5", config, provenance, {}};
    options.capture.tensors.push_back({});
    trace::Recorder recorder(std::move(options));
    for (int64_t step = 1; step <= 3; ++step) {
      std::vector<float> logits;
      std::vector<int64_t> labels;
      for (int64_t row = 0; row < 4; ++row)
        for (int64_t t = 0; t < 6; ++t) {
          labels.push_back(label(row, t));
          for (int64_t v = 0; v < 5; ++v)
            logits.push_back(logit(step, row, t, v));
        }
      recorder.begin_step(step);
      recorder.tensor(Phase::forward, "output", {DType::float32, {4, 6, 5}, logits.data()});
      recorder.tensor(Phase::input, "labels", {DType::int64, {4, 6}, labels.data()});
      if (tokens)
        recorder.tensor(Phase::input, "input_ids", {DType::int64, {4, 6}, labels.data()});
      recorder.channel("loss", loss(step));
      recorder.end_step();
    }
    recorder.finish();
    const trace::Trace trace = trace::Trace::open(folder / "loss");
    return ask_loss(RecordedRun(trace));
  }
  /// The mean if the logits of each place predict the label of the next one.
  static double shifted_mean(int64_t step) {
    Row all;
    for (int64_t row = 0; row < 4; ++row)
      for (int64_t t = 0; t + 1 < 6; ++t) {
        if (label(row, t + 1) == -100)
          continue;
        double sum = 0;
        for (int64_t v = 0; v < 5; ++v)
          sum += std::exp(static_cast<double>(logit(step, row, t, v)));
        all.sum += std::log(sum) - logit(step, row, t, label(row, t + 1));
        ++all.valid;
      }
    return all.sum / static_cast<double>(all.valid);
  }
  static double token_mean(int64_t step) { return mean(step); }
  static double mean_of_means(int64_t step) { return (mean(step, 0, 2) + mean(step, 2, 4)) / 2; }
};

TEST_F(LossLawTest, PromisedDivision_Holds) {
  for (const char* rule : {"global_tokens", "gradient_scaling"}) {
    const Finding finding = ask_losses(token_mean, rule);
    EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
    EXPECT_EQ(finding.checked, 3);
  }
  EXPECT_EQ(ask_losses(mean_of_means, "microbatch_mean").answer(), Answer::holds);
}

TEST_F(LossLawTest, WithoutConfig_IsNoted) {
  EXPECT_THAT(notes(ask_losses(token_mean, "")), HasSubstr("loss is the mean over all tokens that count"));
  EXPECT_THAT(notes(ask_losses(mean_of_means, "")),
              HasSubstr("loss is the mean of the micro-batches' means"));
  EXPECT_THAT(notes(ask_losses(mean_of_means, "")), HasSubstr("of the mean over all tokens at update 1"));
}

TEST_F(LossLawTest, CountedMicroBatches_DecideWithoutConfig) {
  const Json none = {{"data", nullptr}}, counted = {{"recipe", {{"micro_batches", 2}}}};
  EXPECT_EQ(ask_losses(mean_of_means, "", none).answer(), Answer::not_asked);
  EXPECT_THAT(notes(ask_losses(mean_of_means, "", none, counted)),
              HasSubstr("the mean of the micro-batches' means, "));
  EXPECT_THAT(notes(ask_losses(token_mean, "", none, counted)),
              testing::Not(HasSubstr("micro-batches' means")));
}

TEST_F(LossLawTest, OtherDivision_IsNamed) {
  const Finding finding = ask_losses(mean_of_means, "global_tokens");
  EXPECT_THAT(sentence(finding), HasSubstr("not the mean over all tokens that count: it is the mean of the "
                                           "micro-batches' means"));
  EXPECT_EQ(finding.departures.front().step, 1);
}

TEST_F(LossLawTest, Factor_IsNamed) {
  const Finding finding = ask_losses([](int64_t step) { return 2 * mean(step); }, "");
  ASSERT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding), HasSubstr("it is 2 (the number of micro-batches) times the mean"));
  EXPECT_DOUBLE_EQ(std::round(*finding.departures.front().factor * 1e4), 2e4);
}

TEST_F(LossLawTest, ADivisionTooMany_IsNamed) {
  const Finding finding = ask_losses([](int64_t step) { return mean(step) / 2; }, "");
  ASSERT_EQ(finding.answer(), Answer::departs);
  EXPECT_THAT(sentence(finding), HasSubstr("it is the mean divided by 2 (the number of micro-batches)"));
  EXPECT_EQ(finding.departures.front().factor, 0.5);
}

TEST_F(LossLawTest, AnyFactor_IsNamed) {
  const Finding finding = ask_losses([](int64_t step) { return 0.37 * mean(step); }, "");
  EXPECT_EQ(sentence(finding), "loss is 0.37 times the mean over all tokens at every update");
}

TEST_F(LossLawTest, LastMicroBatchAlone_IsNamed) {
  EXPECT_THAT(sentence(ask_losses([](int64_t step) { return mean(step, 2, 4); }, "global_tokens")),
              HasSubstr("it is the mean of micro-batch 1 alone"));
}

TEST_F(LossLawTest, IgnoredTokensInTheCount_AreNamed) {
  EXPECT_THAT(
      sentence(ask_losses([](int64_t step) { return entropy(step, 0, 4).sum / 24; }, "global_tokens")),
      HasSubstr("the ignored ones included"));
}

TEST_F(LossLawTest, OtherTerms_AreNotAsked) {
  for (const auto& [part, key] : {std::pair("loss", "z_coef"), std::pair("architecture", "logit_softcap")}) {
    const Finding finding = ask_losses(token_mean, "global_tokens", {{part, {{key, 0.5}}}});
    EXPECT_EQ(finding.answer(), Answer::not_asked);
    EXPECT_THAT(finding.why, HasSubstr(key));
  }
}

TEST_F(LossLawTest, AnUnknownTerm_DepartsOnlyFromAPromise) {
  const auto with_penalty = [](int64_t step) { return mean(step) + 0.0123; };
  EXPECT_EQ(ask_losses(with_penalty, "").answer(), Answer::not_asked);
  EXPECT_EQ(ask_losses(with_penalty, "global_tokens").answer(), Answer::departs);
}

TEST_F(LossLawTest, TokensAsLabels_HaveToBeShifted) {
  const auto ask_own = [&](const std::function<double(int64_t)>& loss) {
    return ask_losses(loss, "", {}, {}, true);
  };
  const Finding itself = ask_own(token_mean);
  EXPECT_THAT(sentence(itself), HasSubstr("the loss compares each token with itself"));
  const Finding shifted = ask_own(shifted_mean);
  EXPECT_EQ(shifted.answer(), Answer::holds) << sentence(shifted);
  EXPECT_THAT(notes(shifted), HasSubstr("loss is the mean over all tokens that count"));
  EXPECT_EQ(ask_own([](int64_t step) { return mean(step) + 0.0123; }).answer(), Answer::not_asked);
  EXPECT_EQ(ask_losses(shifted_mean, "").answer(), Answer::not_asked);  // labels alone do not show it
}

TEST_F(LossLawTest, NotANumber_Departs) {
  EXPECT_EQ(ask_losses([](int64_t step) { return step == 2 ? NAN : mean(step); }, "global_tokens").answer(),
            Answer::departs);
}

TEST_F(LossLawTest, NoLogits_IsNotAsked) {
  const Finding finding = ask(ask_loss, trained());
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_THAT(finding.record, HasSubstr("logits"));
}

}  // namespace
}  // namespace parity::laws
