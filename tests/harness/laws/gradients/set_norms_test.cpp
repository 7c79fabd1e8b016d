// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The laws "grad_norm" and "clip" of runs whose clipping takes a norm of another order, or has a call for
// each set of gradients.
#include <functional>
#include <limits>

#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

class SetNormsTest : public LawTest {
 protected:
  struct Call {
    std::vector<std::string> names;
    double max_norm = 0.5, order = 2;
  };

  static double norm_of(PlantedRun& run, int64_t step, const std::vector<std::string>& some, double order) {
    double sum = 0, largest = 0;
    for (const std::string& name : some)
      for (const float value : tensor(run, step, Phase::grad, name)) {
        sum += std::pow(std::abs(static_cast<double>(value)), std::isinf(order) ? 1 : order);
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
    return std::isinf(order) ? largest : std::pow(sum, 1 / order);
  }

  /// A run whose clipping is these calls, with the recipe that the recorder of Python writes of them.
  static PlantedRun clipped(const std::vector<Call>& calls) {
    PlantedRun run = trained();
    run.config.erase("clip");
    run.channels.erase("grad_norm");
    for (size_t k = 0; k < calls.size(); ++k) {
      const Call& call = calls[k];
      std::vector<double> norms;
      for (int64_t s = 1; s <= 4; ++s) {
        norms.push_back(norm_of(run, s, call.names, call.order));
        for (const std::string& name : call.names) {
          std::vector<float>& after = tensor(run, s, Phase::grad_clipped, name);
          after = tensor(run, s, Phase::grad, name);
          scale(after, static_cast<float>(std::min(1.0, call.max_norm / (norms.back() + 1e-6))));
        }
      }
      run.channels[k == 0 ? "grad_norm" : "grad_norm." + std::to_string(k)] = norms;
    }
    write_recipe(run, calls);
    return run;
  }
  static void write_recipe(PlantedRun& run, const std::vector<Call>& calls) {
    Json clip = {{"max_norm", calls[0].max_norm}, {"norm_type", json_order(calls[0].order)}};
    for (const Call& call : calls)
      if (calls.size() > 1)
        clip["calls"].push_back(
            {{"names", call.names}, {"max_norm", call.max_norm}, {"norm_type", json_order(call.order)}});
    run.provenance["recipe"] = {{"clip", clip}, {"parameters", {{"count", 5}}}};
  }
  static Json json_order(double order) { return std::isinf(order) ? Json("inf") : Json(order); }
  static std::vector<std::string> matrices() { return {names().begin(), names().end() - 1}; }
  static PlantedRun two_sets() { return clipped({{matrices(), 0.5}, {{"norm.weight"}, 0.05}}); }
};

TEST_F(SetNormsTest, OtherOrders_Hold) {
  for (const double order : {1.0, infinity}) {
    const PlantedRun run = clipped({{names(), 0.05, order}});
    for (const auto law : {ask_grad_norm, ask_clip}) {
      const Finding finding = ask(law, run);
      EXPECT_EQ(finding.answer(), Answer::holds) << order << sentence(finding) << finding.why;
    }
    EXPECT_THAT(notes(ask(ask_clip, run)), HasSubstr("active at 4 updates"));
  }
}

TEST_F(SetNormsTest, WrongNormOfOtherOrder_Departs) {
  for (const double order : {1.0, infinity})
    for (const double factor : {1.001, 0.999}) {
      PlantedRun run = clipped({{names(), 0.05, order}});
      channel(run, "grad_norm")[2] *= factor;
      const Finding finding = ask(ask_grad_norm, run);
      EXPECT_EQ(finding.answer(), Answer::departs) << order;
      EXPECT_THAT(sentence(finding),
                  HasSubstr(order == 1 ? "the norm of order 1 of" : "the largest element of"));
      EXPECT_EQ(finding.departures.front().step, 3);
      EXPECT_EQ(ask(ask_clip, run).answer(), Answer::holds) << "the factor is that of the gradients' norm";
    }
}

TEST_F(SetNormsTest, MissingGradientsOfOtherOrder_AreNoDeparture) {
  PlantedRun run = clipped({{names(), 0.05, infinity}});
  std::erase_if(run.tensors, [](const PlantedTensor& each) { return each.key.name == "norm.weight"; });
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked) << sentence(finding);
  EXPECT_THAT(finding.why, HasSubstr("others may be missing"));
  run = clipped({{names(), 0.05, 1}});
  run.whole = false;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::not_asked) << "statistics do not have this norm";
  EXPECT_EQ(ask(ask_grad_norm, clipped({{names(), 0.05, 3}})).answer(), Answer::not_asked);
}

/// A trainer may log the L2 norm, whatever it clips by.
TEST_F(SetNormsTest, L2NormOfAllBesideOtherOrder_Holds) {
  PlantedRun run = clipped({{names(), 0.05, infinity}});
  for (int64_t s = 1; s <= 4; ++s)
    channel(run, "grad_norm")[static_cast<size_t>(s - 1)] = norm_of(run, s, names(), 2);
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("4 recorded norms are the L2 norm of all gradients"));
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::holds) << sentence(ask(ask_clip, run));
  scale(tensor(run, 2, Phase::grad_clipped, "norm.weight"), 1.5F);
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::departs);
}

TEST_F(SetNormsTest, WrongFactorOfOtherOrder_Departs) {
  PlantedRun run = clipped({{names(), 0.05, infinity}});
  for (const std::string& name : names())
    scale(tensor(run, 3, Phase::grad_clipped, name), 1.01F);
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("it is as if max_norm were 0.0504"));
}

TEST_F(SetNormsTest, SetsWithACallEach_Hold) {
  const Finding clip = ask(ask_clip, two_sets()), norm = ask(ask_grad_norm, two_sets());
  EXPECT_EQ(clip.answer(), Answer::holds) << sentence(clip);
  EXPECT_THAT(notes(clip), HasSubstr("active at 8 clippings, by max_norm / (grad_norm + 1e-6)"));
  EXPECT_EQ(norm.answer(), Answer::holds) << sentence(norm);
  EXPECT_EQ(norm.checked, 8);
}

TEST_F(SetNormsTest, DefectsOfOneSet_Depart) {
  PlantedRun run = two_sets();
  scale(tensor(run, 2, Phase::grad_clipped, "norm.weight"), 10);
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("as if max_norm were 0.5 (norm.weight)"));
  EXPECT_EQ(ask(ask_clip, run).departures.front().step, 2);
  run = two_sets();
  scale(tensor(run, 4, Phase::grad_clipped, "layers.0.wv.weight"), 0.5F);
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("layers.0.wv.weight: scaled by"));
  run = two_sets();
  tensor(run, 1, Phase::grad_clipped, "norm.weight") = tensor(run, 1, Phase::grad, "norm.weight");
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("not clipped although"));
  run = two_sets();
  channel(run, "grad_norm.1")[3] *= 1.001;
  EXPECT_THAT(sentence(ask(ask_grad_norm, run)), HasSubstr("grad_norm.1 is 1.001 times the norm"));
  run = two_sets();
  channel(run, "grad_norm")[0] = NAN;
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::departs);
}

/// As trainers do that compute one norm and clip each group by it.
TEST_F(SetNormsTest, OneNormForAllSets_Holds) {
  PlantedRun run = two_sets();
  for (int64_t s = 1; s <= 4; ++s) {
    const double total = norm_of(run, s, names(), 2);
    channel(run, "grad_norm")[static_cast<size_t>(s - 1)] = total;
    channel(run, "grad_norm.1")[static_cast<size_t>(s - 1)] = total;
    for (const std::string& name : names()) {
      std::vector<float>& after = tensor(run, s, Phase::grad_clipped, name);
      after = tensor(run, s, Phase::grad, name);
      scale(after, static_cast<float>((name == "norm.weight" ? 0.05 : 0.5) / (total + 1e-6)));
    }
  }
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::holds) << sentence(ask(ask_grad_norm, run));
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::holds) << sentence(ask(ask_clip, run));
}

TEST_F(SetNormsTest, ParametersThatTrainLater_AreNoDeparture) {
  PlantedRun run = two_sets();
  std::erase_if(run.tensors, [](const PlantedTensor& each) {
    return each.key.step == 1 && each.key.name == "layers.1.wv.weight" && each.key.phase != Phase::param;
  });
  const Finding finding = ask(ask_grad_norm, run);
  EXPECT_NE(finding.answer(), Answer::departs) << sentence(finding);
}

/// As trainers do that clip to a percentile of the norms before.
TEST_F(SetNormsTest, LimitThatChanges_IsThatOfTheUpdate) {
  for (const bool has_sets : {false, true}) {
    PlantedRun run = has_sets ? two_sets() : clipped({{names(), 0.5}});
    Json later = run.provenance["recipe"]["clip"];
    if (has_sets)
      later["calls"][0]["max_norm"] = 0.25;
    else
      later["max_norm"] = 0.25;
    run.provenance["recipe"]["clip_changes"] = {{{"step", 3}, {"clip", later}}};
    EXPECT_EQ(ask(ask_clip, run).answer(), Answer::departs);
    EXPECT_EQ(ask(ask_clip, run).departures.front().step, 3);
    for (int64_t s = 3; s <= 4; ++s)
      for (const std::string& name : names())
        if (!has_sets || name != "norm.weight")
          scale(tensor(run, s, Phase::grad_clipped, name), 0.5F);
    for (const auto law : {ask_grad_norm, ask_clip})
      EXPECT_EQ(ask(law, run).answer(), Answer::holds) << sentence(ask(law, run));
    run.provenance["recipe"].erase("clip_changes");
    EXPECT_EQ(ask(ask_clip, run).departures.front().step, 3);
  }
}

TEST_F(SetNormsTest, SameSetTwice_IsOneFactor) {
  PlantedRun run = clipped({{names(), 0.5}});
  write_recipe(run, {{names(), 0.5}, {names(), 0.25}});
  EXPECT_THAT(sentence(ask(ask_clip, run)), HasSubstr("gradients are scaled by"));
  for (int64_t s = 1; s <= 4; ++s)
    for (const std::string& name : names())
      scale(tensor(run, s, Phase::grad_clipped, name), static_cast<float>(0.25 / (0.5 + 1e-6)));
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::holds) << sentence(ask(ask_clip, run));
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::holds);
}

TEST_F(SetNormsTest, UnclearSets_AreNotAsked) {
  PlantedRun run = two_sets();
  run.provenance["recipe"]["clip"].erase("calls");
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::not_asked);
  EXPECT_EQ(ask(ask_grad_norm, run).answer(), Answer::holds) << "the root of both norms' squares";
  run = two_sets();
  run.provenance["recipe"]["clip"]["calls"][1]["names"].push_back("layers.0.wv.weight");
  for (const auto law : {ask_grad_norm, ask_clip}) {
    EXPECT_EQ(ask(law, run).answer(), Answer::not_asked) << "sets overlap";
    EXPECT_THAT(ask(law, run).why, HasSubstr("again by another norm"));
  }
  run.provenance["recipe"]["clip"]["calls"] = {1, "x"};
  EXPECT_EQ(ask(ask_clip, run).answer(), Answer::not_asked);
}

}  // namespace
}  // namespace parity::laws
