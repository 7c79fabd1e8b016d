// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/causality.hpp"

#include <cmath>
#include <limits>

#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// Invented results of two layers of attention, in which each token has the sum of what it sees.
class CausalityTest : public LawTest {
 protected:
  static constexpr int64_t rows = 2, length = 12, width = 3;
  using Sees = std::function<bool(int64_t query, int64_t key)>;

  static bool causal(int64_t query, int64_t key) { return key <= query; }
  /// Documents begin at positions 0, 4 and 9.
  static int64_t document(int64_t position) { return position < 4 ? 0 : position < 9 ? 1 : 2; }
  static bool in_document(int64_t query, int64_t key) {
    return causal(query, key) && document(query) == document(key);
  }
  static Sees windowed(int64_t window) {
    return [window](int64_t query, int64_t key) { return causal(query, key) && query - key < window; };
  }
  static constexpr TokenPlace place = {0, 4};

  static std::vector<double> attended(const std::vector<double>& values, const Sees& sees) {
    std::vector<double> result(values.size());
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t q = 0; q < length; ++q)
        for (int64_t k = 0; k < length; ++k)
          if (sees(q, k))
            result[static_cast<size_t>(row * length + q)] += values[static_cast<size_t>(row * length + k)];
    return result;
  }
  static std::vector<double> widened(const std::vector<double>& values) {
    std::vector<double> wide;
    for (const double value : values)
      for (int64_t i = 0; i < width; ++i)
        wide.push_back(value * static_cast<double>(i + 1));
    return wide;
  }
  /// Of a model whose attention passes from one document to the next.
  static Json one_text() { return {{"attention", {{"documents", Json::array()}}}}; }
  /// The run, or its probe, in which the token at `place` is another.
  static PlantedRun trained(const Sees& sees, bool is_probe, const Json& config = one_text()) {
    PlantedRun run;
    run.config = config;
    run.channels = {{"loss", std::vector<double>{1}}};
    std::vector<double> tokens, positions;
    for (int64_t i = 0; i < rows * length; ++i) {
      tokens.push_back(static_cast<double>(i % 7 + 1));
      const int64_t position = i % length;
      positions.push_back(static_cast<double>(position - (position < 4 ? 0 : position < 9 ? 4 : 9)));
    }
    if (is_probe)
      tokens[static_cast<size_t>(place.row * length + place.position)] += 1;
    const Shape shape = {rows, length};
    run.tensors.push_back({{1, Phase::input, "tokens"}, tokens, shape});
    run.tensors.push_back({{1, Phase::input, "positions"}, positions, shape});
    const std::vector<double> first = attended(tokens, sees), second = attended(first, sees);
    const Shape wide = {rows, length, width};
    run.tensors.push_back({{1, Phase::forward, "layers.0.attention"}, widened(first), wide});
    run.tensors.push_back({{1, Phase::forward, "layers.1.attention"}, widened(second), wide});
    run.tensors.push_back({{1, Phase::forward, "output"}, widened(second), wide});
    return run;
  }
  Finding judge(const PlantedRun& run, const PlantedRun& probe) {
    return judge_causality(RecordedRun(*write("run", run)), RecordedRun(*write("probe", probe)));
  }
  Finding judge(const Sees& sees, const Json& config = one_text()) {
    return judge(trained(sees, false, config), trained(sees, true, config));
  }
  static Json by_positions() { return {{"attention", {{"documents", {"position_zero"}}}}}; }
  static Json by_window(int64_t window) {
    return {{"attention", {{"sliding_window", window}, {"documents", Json::array()}}}};
  }
};

TEST_F(CausalityTest, CausalMask_Holds) {
  const Finding finding = judge(causal);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding) << finding.why;
  EXPECT_EQ(finding.checked, 3 * (4 + 12));
  EXPECT_THAT(notes(finding), HasSubstr("nothing separates documents"));
}

TEST_F(CausalityTest, LaterToken_IsNamed) {
  const Finding finding = judge([](int64_t query, int64_t key) { return key <= query + 1; });
  EXPECT_EQ(finding.departures.size(), 1U);
  EXPECT_EQ(
      sentence(finding),
      "layers.0.attention depends on the token at position 4 of row 0: position 3 of row 0 moved, which "
      "comes before it, so a later token is seen; 2 modules after it moved there too");
}

TEST_F(CausalityTest, OtherRow_IsNamed) {
  PlantedRun probe = trained(causal, true);
  for (PlantedTensor& each : probe.tensors)
    if (each.key.name == "output")
      std::get<std::vector<double>>(each.values)[(1 * length + 7) * width] += 1e-9;
  EXPECT_EQ(
      sentence(judge(trained(causal, false), probe)),
      "output depends on the token at position 4 of row 0: position 7 of row 1 moved, which is in another "
      "row");
}

TEST_F(CausalityTest, PackedDocuments_Hold) {
  const Finding finding = judge(in_document, by_positions());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 3 * (4 + 3 + 12));
  EXPECT_THAT(notes(finding), HasSubstr("rule position_zero of the config separates documents"));
}

TEST_F(CausalityTest, LeakBetweenDocuments_IsNamed) {
  EXPECT_EQ(
      sentence(judge(causal, by_positions())),
      "layers.0.attention depends on the token at position 4 of row 0: 3 positions between 9 and 11 of row "
      "0 moved, which are in another document, so documents are not kept apart; 2 modules after it moved "
      "there too");
}

TEST_F(CausalityTest, DocumentsByTheirEnds_AreTold) {
  Json config = {{"attention", {{"documents", {"eos"}}}},
                 {"data", {{"eos_id", 7}}}};  // at position 6 of row 0
  const Finding finding = judge(causal, config);
  EXPECT_THAT(sentence(finding), HasSubstr("5 positions between 7 and 11 of row 0 moved"));
}

/// The recorder of another trainer states no rule. Its positions do.
TEST_F(CausalityTest, PositionsThatRestart_TellDocumentsApart) {
  const Finding lawful = judge(in_document, Json::object());
  EXPECT_EQ(lawful.answer(), Answer::holds) << sentence(lawful);
  EXPECT_THAT(notes(lawful), HasSubstr("positions, which restart at 0, separate documents"));
  EXPECT_THAT(sentence(judge(causal, Json::object())),
              HasSubstr("3 positions between 9 and 11 of row 0 moved, which "
                        "are in another document"));
}

/// As with an EOS mask on documents that are packed without their EOS.
TEST_F(CausalityTest, RuleThatSeesNoDocuments_ContradictsPositions) {
  const Json config = {{"attention", {{"documents", {"eos"}}}}, {"data", {{"eos_id", 99}}}};
  EXPECT_EQ(sentence(judge(causal, config)),
            "positions restart 4 times inside of a document by rule eos, first at position 4 of row 0, so "
            "the mask does "
            "not keep apart what the positions do");
}

TEST_F(CausalityTest, ProbeThatCannotShowALeak_SaysSo) {
  EXPECT_THAT(notes(judge(in_document, by_positions())), HasSubstr("is not the last of its document"));
  const auto probe_at = [&](size_t changed) {
    PlantedRun run = trained(in_document, false, by_positions()), probe = run;
    for (PlantedTensor& each : probe.tensors)
      if (each.key.name == "tokens")
        std::get<std::vector<double>>(each.values)[changed] += 1;
    return notes(judge(run, probe));
  };
  EXPECT_THAT(probe_at(10), HasSubstr("no document follows the changed token"));
  EXPECT_THAT(probe_at(8), testing::Not(HasSubstr("the changed token")));
}

TEST_F(CausalityTest, TokenAtTheEndOfADocument_IsChanged) {
  const auto changed = token_to_change(RecordedRun(*write("run", trained(causal, false))));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->row, 0);
  EXPECT_EQ(changed->position, 8);
}

TEST_F(CausalityTest, RecordedDocuments_AreTold) {
  const auto with_documents = [](bool is_probe) {
    PlantedRun run = trained(causal, is_probe);
    std::vector<double> documents;
    for (int64_t i = 0; i < rows * length; ++i)
      documents.push_back(static_cast<double>(document(i % length)));
    run.tensors.push_back({{1, Phase::input, "document_ids"}, documents, {rows, length}});
    return run;
  };
  EXPECT_THAT(sentence(judge(with_documents(false), with_documents(true))), HasSubstr("in another document"));
  const auto with_one = [&](bool is_probe) {
    PlantedRun run = with_documents(is_probe);
    std::get<std::vector<double>>(run.tensors.back().values).assign(rows * length, 0);
    return run;
  };
  EXPECT_THAT(notes(judge(with_one(false), with_one(true))), HasSubstr("each row is one document"));
}

TEST_F(CausalityTest, Window_Holds) {
  EXPECT_EQ(judge(windowed(3), by_window(3)).answer(), Answer::holds);
  EXPECT_EQ(judge(windowed(2), by_window(3)).answer(), Answer::holds) << "a narrower mask leaks nothing";
}

TEST_F(CausalityTest, WindowTooWideByOne_IsNamed) {
  EXPECT_EQ(
      sentence(judge(windowed(4), by_window(3))),
      "layers.0.attention depends on the token at position 4 of row 0: position 7 of row 0 moved, which "
      "is 3 tokens after it, where attention.sliding_window = 3 allows 2; 1 module after it moved there "
      "too");
}

TEST_F(CausalityTest, LayersWithoutAWindow_AreLeftOut) {
  Json config = by_window(3);
  config["architecture"] = {{"nope_every", 4}};
  EXPECT_EQ(judge(causal, config).answer(), Answer::holds);
}

TEST_F(CausalityTest, FixedBlocks_AreTold) {
  const auto blocked = [](int64_t query, int64_t key) { return causal(query, key) && query / 6 == key / 6; };
  const Json config = {
      {"attention", {{"fixed_block", 6}, {"fixed_block_form", "corrected"}, {"documents", Json::array()}}}};
  EXPECT_EQ(judge(blocked, config).answer(), Answer::holds);
  EXPECT_THAT(sentence(judge(causal, config)), HasSubstr("another block of attention.fixed_block tokens"));
}

TEST_F(CausalityTest, NotANumber_Departs) {
  const auto with_nan = [](bool is_probe) {
    PlantedRun run = trained(causal, is_probe);
    for (PlantedTensor& each : run.tensors)
      if (each.key.name == "output")
        std::get<std::vector<double>>(each.values)[0] = std::numeric_limits<double>::quiet_NaN();
    return run;
  };
  EXPECT_THAT(sentence(judge(with_nan(false), with_nan(true))), HasSubstr("position 0 of row 0"));
}

TEST_F(CausalityTest, Experts_MayRound) {
  const auto with_experts = [](bool is_probe, double movement) {
    PlantedRun run = trained(causal, is_probe);
    const Shape wide = {rows, length, width};
    std::vector<double> result(rows * length * width, 1.0);
    result[place.position * width] += is_probe ? 1 : 0;
    result[0] += is_probe ? movement : 0;
    run.tensors.push_back({{1, Phase::forward, "layers.1.moe"}, result, wide});
    return run;
  };
  const Finding rounding = judge(with_experts(false, 0), with_experts(true, 1e-15));
  EXPECT_EQ(rounding.answer(), Answer::holds) << sentence(rounding);
  EXPECT_THAT(notes(rounding), HasSubstr("below half of the digits count as rounding"));
  EXPECT_THAT(sentence(judge(with_experts(false, 0), with_experts(true, 1e-6))), HasSubstr("layers.1.moe"));
}

TEST_F(CausalityTest, OtherProbes_AreNotAsked) {
  const PlantedRun run = trained(causal, false);
  EXPECT_EQ(judge(run, run).why, "the first updates of the runs differ in 0 tokens, not in one");
  PlantedRun probe = trained(causal, true);
  std::get<std::vector<double>>(probe.tensors.front().values)[0] += 1;
  EXPECT_EQ(judge(run, probe).why, "the first updates of the runs differ in 2 tokens, not in one");
  probe = trained(causal, true);
  std::get<std::vector<double>>(probe.tensors.at(1).values)[5] = 0;
  EXPECT_THAT(judge(run, probe).why, HasSubstr("also changed the positions"));
  probe = trained(causal, true);
  drop(probe, Phase::input);
  EXPECT_THAT(judge(run, probe).why, HasSubstr("no tokens of the same shape"));
}

TEST_F(CausalityTest, NothingToCompare_IsNotAsked) {
  PlantedRun run = trained(causal, false), probe = trained(causal, true);
  drop(run, Phase::forward);
  EXPECT_THAT(judge(run, probe).why, HasSubstr("no result of a module was recorded"));
  const auto nothing = [](int64_t, int64_t) { return false; };
  EXPECT_THAT(judge(nothing).why, HasSubstr("the changed token moved nothing"));
}

TEST_F(CausalityTest, OtherParameters_AreNotAsked) {
  PlantedRun run = trained(causal, false), probe = trained(causal, true);
  run.tensors.push_back({{0, Phase::param, "w"}, std::vector<double>{1}});
  probe.tensors.push_back({{0, Phase::param, "w"}, std::vector<double>{2}});
  EXPECT_EQ(judge(run, probe).why, "the runs begin with other parameters");
}

TEST_F(CausalityTest, TokenToChange_IsNoMark) {
  PlantedRun run = trained(causal, false);
  std::erase_if(run.tensors, [](const PlantedTensor& each) { return each.key.name == "positions"; });
  EXPECT_EQ(token_to_change(RecordedRun(*write("run", run)))->position, 4);
  run.config = {{"data", {{"eos_id", 5}}}};  // the token at position 4
  EXPECT_EQ(token_to_change(RecordedRun(*write("marked", run)))->position, 5);
  drop(run, Phase::input);
  EXPECT_FALSE(token_to_change(RecordedRun(*write("none", run))));
}

TEST_F(CausalityTest, Audit_HasOneRow) {
  const Audit found =
      audit_causality(*write("run", trained(causal, false)), *write("probe", trained(causal, true)));
  EXPECT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.to_json().dump(1);
  PlantedRun failed = trained(causal, true);
  failed.failure = {{"kind", "non_finite"}};
  EXPECT_EQ(audit_causality(*write("run", trained(causal, false)), *write("failed", failed)).exit_code(),
            ExitCode::crashed);
}

}  // namespace
}  // namespace parity::laws
