// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Random pairs of trainings: what is the same function has the same residues, and no planted fault has.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "harness/base/error.hpp"
#include "reference/config/keys.hpp"
#include "reference/exact/exact.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/numerics/exact_twin.hpp"
#include "reference/train/run/halves.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/exact/random_pairs.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

constexpr const char* difference = "another function: ";

/// What a campaign found.
struct Score {
  int64_t pairs = 0, same = 0, different = 0;
  std::vector<std::string> errors;
  double cpu_seconds = 0;
};

int64_t number_from(const char* variable, int64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

double cpu_seconds_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Changes an element of the first parameter that has one.
void apply(Touch touch, const Trainer& trainer) {
  const auto& parameters = trainer.parameters();
  const auto found = std::ranges::find_if(
      parameters, [](const Parameter& parameter) { return parameter.value.numel() > 0; });
  if (touch == Touch::none || found == parameters.end())
    return;
  const torch::Tensor weight = found->value.detach();
  if (touch == Touch::residue)
    return exact::draw(weight.view(-1).narrow(0, 0, 1), "touched");
  exact::follow_change(weight, [&] {
    auto& value = *weight.mutable_data_ptr<float>();
    value = std::nextafter(value, 1e30F);
  });
}

using Residues = std::map<std::string, torch::Tensor>;

/// Trains and returns the whole residues of every gradient, parameter and moment of this rank's stage.
Residues residues_after(Trainer& trainer) {
  const RunConfig& config = trainer.config();
  Residues result;
  for (int64_t step = 1; step <= config.steps; ++step) {
    config.train.update == UpdateCall::step ? trainer.step() : update_by_halves(trainer, config.train.update);
    const std::string place = " of step " + std::to_string(step);
    const auto keep = [&](const std::string& name, const torch::Tensor& x, const TensorLayout& layout) {
      result[name + place] = logical_tensor(recorded(x.detach(), name), layout, *trainer.parallel().stage);
    };
    for (const Parameter& each : trainer.parameters()) {
      keep("grad/" + each.name, each.value.grad(), each.layout);
      keep("param/" + each.name, each.value, each.layout);
    }
    for (const Optimizer::State& state : trainer.optimizer().state())
      if (state.value.dim() > 0)
        keep("optim/" + state.name, state.value, state.layout);
  }
  return result;
}

/// Returns the names of tensors whose residues differ.
std::string differences(const Residues& found, const Residues& expected) {
  std::string names;
  int64_t count = 0;
  for (const auto& [name, residues] : found) {
    const auto other = expected.find(name);
    require(other != expected.end(), name + " has no counterpart");
    if (!torch::equal(residues, other->second) && ++count <= 3)
      names += name + ", ";
  }
  return count == 0 ? "" : std::to_string(count) + " of " + std::to_string(found.size()) + ": " + names;
}

class ExactCampaignTest : public RanksTest {
 protected:
  /// Trains both sides in each process.
  /// \return "", or the differences or the error of a rank
  std::string compare(const RandomPair& pair) {
    const std::vector<std::string> complaints = run_ranks(pair.other.parallel.ranks(), [&](Group& world) {
      begin_exact_twin(pair.one, 1);
      Trainer whole(pair.one), parts(pair.other, held(world));
      apply(pair.touch, parts);
      const Residues expected = residues_after(whole), found = residues_after(parts);
      require(!found.empty(), "nothing to compare");
      require(pair.other.parallel.pp > 1 || found.size() == expected.size(), "tensors are missing");
      world.barrier();  // the other ranks need this one until here
      if (const std::string names = differences(found, expected); !names.empty())
        throw UserError(difference + names);
    });
    for (const std::string& each : complaints)
      if (!each.empty() && !each.starts_with(difference))
        return each;
    return *std::ranges::max_element(complaints, {}, &std::string::size);
  }

  bool is_right(const RandomPair& pair, const std::string& result) {
    return pair.fault.empty() ? result.empty() : result.starts_with(difference);
  }

  /// Gives the other side as many settings of the first one as leave the result wrong.
  RandomPair shrunk(RandomPair pair) {
    for (const Key& key : keys()) {
      RandomPair smaller = pair;
      key.set(smaller.other, key.get(pair.one));
      if (key.get(pair.other) != key.get(pair.one) && is_valid(smaller.other) &&
          !is_right(smaller, compare(smaller)))
        pair = smaller;
    }
    return pair;
  }

  template <class Draw>
  Score campaign(int64_t count, uint64_t seed, const Draw& draw) {
    Score score;
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t own = seed * 1'000'000 + static_cast<uint64_t>(i + number_from("PARITY_EXACT_FIRST", 0));
      Draws draws(own);
      const RandomPair pair = draw(draws);
      const double before = cpu_seconds_of_children();
      const std::string result = compare(pair);
      score.cpu_seconds += cpu_seconds_of_children() - before;
      ++score.pairs;
      score.same += result.empty();
      score.different += result.starts_with(difference);
      if (!is_right(pair, result)) {
        score.errors.push_back(result);
        std::printf("draw %llu: %s\n  %s\n  shrunk to %s\n", static_cast<unsigned long long>(own),
                    result.empty() ? "the fault was missed" : result.c_str(), to_text(pair).c_str(),
                    to_text(shrunk(pair)).c_str());
        std::fflush(stdout);
      }
    }
    std::printf(
        "%lld pairs, %lld the same, %lld different, %zu wrong or refused; %.2f s of processor time each\n",
        static_cast<long long>(score.pairs), static_cast<long long>(score.same),
        static_cast<long long>(score.different), score.errors.size(),
        score.cpu_seconds / static_cast<double>(std::max<int64_t>(1, score.pairs)));
    return score;
  }

  void expect_same(int64_t count, uint64_t seed) {
    const Score score = campaign(count, seed, draw_equal_pair);
    EXPECT_THAT(score.errors, testing::IsEmpty());
    EXPECT_EQ(score.same, score.pairs);
  }
  void expect_different(int64_t count, uint64_t seed) {
    const Score score = campaign(count, seed, draw_faulty_pair);
    EXPECT_THAT(score.errors, testing::IsEmpty());
    EXPECT_EQ(score.different, score.pairs);
  }
};

uint64_t seed() {
  return static_cast<uint64_t>(number_from("PARITY_EXACT_SEED", 1));
}

TEST_F(ExactCampaignTest, FewEqualPairs_AreTheSame) {
  expect_same(4, 1);
}

TEST_F(ExactCampaignTest, FewFaults_AreDifferent) {
  expect_different(4, 1);
}

// The large campaign, half an hour of processor time. Label slow.

TEST_F(ExactCampaignTest, ThousandEqualPairs_AreTheSame) {
  expect_same(number_from("PARITY_EXACT_PAIRS", 1000), seed());
}

TEST_F(ExactCampaignTest, HundredsOfFaults_AreDifferent) {
  expect_different(number_from("PARITY_EXACT_FAULTS", 300), seed());
}

}  // namespace
}  // namespace parity::reference
