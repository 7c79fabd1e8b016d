// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t rows = 4, length = 3, words = 5, width = 4;

/// A linear layer over invented inputs, and gradients of its weight by finite differences of the loss.
class HeadGradientTest : public LawTest {
 protected:
  using Weight = std::array<std::array<double, width>, words>;

  static double input(int64_t row, int64_t place, int64_t d) {
    return static_cast<double>(noise(7, static_cast<size_t>(row), static_cast<size_t>(length * d + place)));
  }
  static int64_t label(int64_t row, int64_t place) { return place == 2 ? -100 : (2 * row + place) % words; }
  static Weight weight(int64_t step) {
    Weight made{};
    for (size_t v = 0; v < words; ++v)
      for (size_t d = 0; d < width; ++d)
        made[v][d] = static_cast<double>(noise(step, v, d));
    return made;
  }
  static double logit(const Weight& w, int64_t row, int64_t place, size_t v) {
    double sum = 0;
    for (int64_t d = 0; d < width; ++d)
      sum += w[v][static_cast<size_t>(d)] * input(row, place, d);
    return sum;
  }
  static double loss(const Weight& w) {
    double total = 0;
    int64_t valid = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t place = 0; place < length; ++place) {
        if (label(row, place) < 0)
          continue;
        double sum = 0;
        for (size_t v = 0; v < words; ++v)
          sum += std::exp(logit(w, row, place, v));
        total += std::log(sum) - logit(w, row, place, static_cast<size_t>(label(row, place)));
        ++valid;
      }
    return total / static_cast<double>(valid);
  }
  static std::vector<float> gradient(const Weight& at, double factor) {
    constexpr double h = 1e-5;
    std::vector<float> found;
    for (size_t v = 0; v < words; ++v)
      for (size_t d = 0; d < width; ++d) {
        Weight more = at, less = at;
        more[v][d] += h;
        less[v][d] -= h;
        found.push_back(static_cast<float>(factor * (loss(more) - loss(less)) / (2 * h)));
      }
    return found;
  }

  /// \param factor  of the recorded gradient  \param other  is added to each element of it
  Finding asked(double factor, float other = 0, bool with_input = true) const {
    trace::Recorder::Options options{
        folder / "head" / "trace.h5", Json::object(), {{"recipe", {{"micro_batches", 2}}}}, {}};
    options.capture.tensors.push_back({});
    trace::Recorder recorder(std::move(options));
    for (int64_t step = 1; step <= 2; ++step) {
      const Weight w = weight(step);
      std::vector<float> inputs, logits, gradients = gradient(w, factor);
      std::vector<int64_t> labels;
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t place = 0; place < length; ++place) {
          labels.push_back(label(row, place));
          for (int64_t d = 0; d < width; ++d)
            inputs.push_back(static_cast<float>(input(row, place, d)));
          for (size_t v = 0; v < words; ++v)
            logits.push_back(static_cast<float>(logit(w, row, place, v)));
        }
      for (float& each : gradients)
        each += other;
      const std::vector<float> table(words * width, 0.25F);  // of an embedding of the same shape
      recorder.begin_step(step);
      if (with_input)
        recorder.tensor(Phase::forward, "norm", {DType::float32, {rows, length, width}, inputs.data()});
      recorder.tensor(Phase::forward, "lm_head", {DType::float32, {rows, length, words}, logits.data()});
      recorder.tensor(Phase::input, "labels", {DType::int64, {rows, length}, labels.data()});
      recorder.tensor(Phase::grad, "embedding.weight", {DType::float32, {words, width}, table.data()});
      recorder.tensor(Phase::grad, "lm_head.weight", {DType::float32, {words, width}, gradients.data()});
      recorder.channel("loss", loss(w));
      recorder.end_step();
    }
    recorder.finish();
    const trace::Trace trace = trace::Trace::open(folder / "head");
    return ask_loss(RecordedRun(trace));
  }
};

TEST_F(HeadGradientTest, GradientOfTheLoss_Holds) {
  const Finding found = asked(1);
  EXPECT_EQ(found.answer(), Answer::holds);
  EXPECT_EQ(found.checked, 4) << "two losses, two gradients";
  EXPECT_THAT(found.notes, Contains("the gradient of lm_head.weight is that of the loss"));
}

TEST_F(HeadGradientTest, KnownDivisions_AreNamed) {
  for (const auto& [factor, words] :
       {std::pair{2.0, "the gradients of 2 micro-batches are added up, not averaged"},
        {0.5, "it is divided once too often by 2, the number of micro-batches"},
        {8.0, "it is that of the sum over 8 tokens"}}) {
    const Finding found = asked(factor);
    ASSERT_EQ(found.departures.size(), 1) << factor;
    EXPECT_THAT(found.departures.front().sentence, HasSubstr(words));
    EXPECT_EQ(found.departures.front().tensor, "lm_head.weight");
    EXPECT_EQ(found.departures.front().factor, factor);
  }
}

TEST_F(HeadGradientTest, AnotherFactor_IsANote) {
  const Finding found = asked(1.5);
  EXPECT_THAT(found.departures, IsEmpty());
  EXPECT_THAT(found.notes,
              Contains("the gradient of lm_head.weight is 1.5 times that of the loss at update 1"));
}

TEST_F(HeadGradientTest, AnotherDirectionOrNoInput_IsNotAsked) {
  for (const Finding& found : {asked(2, 0.2F), asked(2, 0, false), asked(2, std::nanf(""))}) {
    EXPECT_THAT(found.departures, IsEmpty());
    EXPECT_EQ(found.checked, 2);
    EXPECT_THAT(found.notes, Not(Contains(HasSubstr("lm_head.weight"))));
  }
}

}  // namespace
}  // namespace parity::laws
