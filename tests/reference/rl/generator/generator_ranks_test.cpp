// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/reference/rl/generator/written_generator.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class GeneratorRanksTest : public RanksTest {
 protected:
  /// A vocabulary and a width that 2 does not divide.
  static ModelDimensions uneven() {
    RunConfig config = tiny_config();
    config.architecture.vocab_size = 43;
    config.architecture.ffn_hidden = 25;
    return dimensions_of(config);
  }
};

TEST_F(GeneratorRanksTest, TwoRanksWriteWhatOneWritesInPassesOfOddLength) {
  EXPECT_THAT(
      run_ranks(2,
                [](Group& world) {
                  for (const int64_t tokens : {7, 64}) {
                    GeneratorOptions options{.dtype = torch::kFloat64, .max_tokens = tokens};
                    const auto alone = written_generator(uneven(), options)->generate(seven_requests());
                    options.tensor = held(world);
                    const auto both = written_generator(uneven(), options)->generate(seven_requests());
                    for (size_t i = 0; i < alone.size(); ++i) {
                      require(both[i].tokens == alone[i].tokens, "other tokens");
                      for (size_t t = 0; t < alone[i].logprobs.size(); ++t)
                        require(std::abs(both[i].logprobs[t] - alone[i].logprobs[t]) <= 1e-12,
                                "another log probability");
                    }
                  }
                }),
      Each(""));
}

TEST_F(GeneratorRanksTest, TwoRanks_AreBatchInvariantWithEqualBits) {
  EXPECT_THAT(
      run_ranks(2,
                [](Group& world) {
                  GeneratorOptions options{.tensor = held(world), .batch_invariant = true};
                  const auto expected = written_generator(uneven(), options)->generate(seven_requests());
                  for (const int64_t tokens : {1, 7}) {
                    options.max_tokens = tokens;
                    options.cache = tokens > 1;
                    const auto other = written_generator(uneven(), options)->generate(seven_requests());
                    for (size_t i = 0; i < expected.size(); ++i) {
                      require(other[i].tokens == expected[i].tokens, "other tokens");
                      require(other[i].logprobs == expected[i].logprobs, "other bits");
                      const torch::Tensor own = torch::tensor(expected[i].logprobs, torch::kFloat64);
                      const torch::Tensor first = own.clone();
                      world.broadcast(first, 0);
                      require(first.equal(own), "other bits on another rank");
                    }
                  }
                }),
      Each(""));
}

TEST_F(GeneratorRanksTest, FourRanksCannotBeBatchInvariant) {
  EXPECT_THAT(run_ranks(4,
                        [](Group& world) {
                          std::string said;
                          try {
                            Generator(tiny_dimensions(), {.tensor = held(world), .batch_invariant = true});
                          } catch (const UserError& error) {
                            said = error.what();
                          }
                          world.barrier();  // a rank that ends early would disconnect those that still meet
                          require(said.starts_with("cannot run a batch-invariant generator over 4 ranks ("),
                                  "said: " + said);
                        }),
              Each(""));
}

}  // namespace
}  // namespace parity::reference
