// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/validate.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/config/read.hpp"

namespace parity::reference {
namespace {

struct Impossible {
  const char* name;
  const char* toml;
  const char* begins;  // key and value, as the message begins
};

class ImpossibleConfig : public testing::TestWithParam<Impossible> {};

TEST_P(ImpossibleConfig, IsRefusedNamingKeyAndValue) {
  RunConfig config;
  read_toml(config, GetParam().toml, "run.toml");
  try {
    validate(config);
    FAIL() << "accepted " << GetParam().toml;
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(GetParam().begins));
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(" cannot be ("), testing::HasSubstr("); ")));
    EXPECT_EQ(error.code(), ExitCode::bad_input);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, ImpossibleConfig,
    testing::Values(
        Impossible{"NoSteps", "steps = 0", "steps = 0"}, Impossible{"NegativeSeed", "seed = -1", "seed = -1"},
        Impossible{"NoThreads", "threads = 0", "threads = 0"},
        Impossible{"UnevenMicroBatches", "data.micro_batches = 3", "data.micro_batches = 3"},
        Impossible{"NoSequence", "data.seq_len = 0", "data.seq_len = 0"},
        Impossible{"LongSequence", "data.seq_len = 4096", "data.seq_len = 4096"},
        Impossible{"AllIgnored", "data.ignore_fraction = 0.9", "data.ignore_fraction = 0.9"},
        Impossible{"TextWithoutFile", "data.source = \"text\"", "data.path = \"\""},
        Impossible{"FileWithoutText", "data.path = \"x\"", "data.path = \"x\""},
        Impossible{"SmallVocabularyForText",
                   "data.source = \"text\"\ndata.path = \"x\"\narchitecture.vocab_size = 100",
                   "architecture.vocab_size = 100"},
        Impossible{"TokensWithoutFile", "data.source = \"tokens\"", "data.path = \"\""},
        Impossible{"EosOutsideTheVocabulary",
                   "data.source = \"tokens\"\ndata.path = \"x\"\ndata.eos_id = 2048", "data.eos_id = 2048"},
        Impossible{"EosOfText", "data.source = \"text\"\ndata.path = \"x\"\ndata.eos_id = 3",
                   "data.eos_id = 3"},
        Impossible{"EosWithoutDocuments", "data.eos_id = 3", "data.eos_id = 3"},
        Impossible{"NewlineOutsideTheVocabulary", "data.newline_id = 2048", "data.newline_id = 2048"},
        Impossible{"NewlineWithoutEos",
                   "data.packing = \"stream\"\ndata.document_tokens = 9\ndata.newline_id = 3",
                   "data.newline_id = 3"},
        Impossible{
            "NewlineThatIsTheEos",
            "data.packing = \"stream\"\ndata.document_tokens = 9\ndata.newline_id = 3\ndata.eos_id = 3",
            "data.newline_id = 3"},
        Impossible{"PackingWithoutLength", "data.packing = \"stream\"", "data.document_tokens = 0"},
        Impossible{"LengthWithoutPacking", "data.document_tokens = 9", "data.document_tokens = 9"},
        Impossible{"DocumentsThatDoNotFit",
                   "data.packing = \"first_fit\"\ndata.document_tokens = 200\ndata.seq_len = 256",
                   "data.document_tokens = 200"},
        Impossible{"PositionsWithoutDocuments", "data.positions = \"document\"",
                   "data.positions = \"document\""},
        Impossible{"ContextWithoutDocuments", "data.context_length = 9", "data.context_length = 9"},
        Impossible{"TwoMarksOfDocuments", "attention.documents = [\"eos\", \"position_zero\"]",
                   "attention.documents = [\"eos\",\"position_zero\"]"},
        Impossible{"SdpaWithDocuments", "attention.documents = [\"eos\"]", "attention.documents = [\"eos\"]"},
        Impossible{"EosMaskWithoutEos", "attention.documents = [\"eos\"]\nattention.backend = \"flex\"",
                   "attention.documents = [\"eos\"]"},
        Impossible{"PositionMaskWithoutRestart",
                   "attention.documents = [\"position_zero\"]\nattention.backend = \"varlen\"",
                   "attention.documents = [\"position_zero\"]"},
        Impossible{"HeadsThatDoNotDivide", "architecture.n_heads = 3", "architecture.n_heads = 3"},
        Impossible{"OddHead", "architecture.n_heads = 256", "architecture.n_heads = 256"},
        Impossible{"UnevenGroups", "architecture.n_kv_heads = 5", "architecture.n_kv_heads = 5"},
        Impossible{"NegativeWidth", "architecture.dim = -1", "architecture.dim = -1"},
        Impossible{"NanLearningRate", "lr.base = nan", "lr.base ="},
        Impossible{"NanClip", "clip.max_norm = nan", "clip.max_norm ="},
        Impossible{"BetaOfOne", "optimizer.beta2 = 1", "optimizer.beta2 = 1.0"},
        Impossible{"MomentumOfAdam", "optimizer.momentum = 0.9", "optimizer.momentum = 0.9"},
        Impossible{"PlainAdam", "optimizer.implementation = \"plain\"",
                   "optimizer.implementation = \"plain\""},
        Impossible{"DecayRatioBeyondOne", "lr.decay_ratio = 1.5", "lr.decay_ratio = 1.5"},
        Impossible{"DecayRatioOfWarmupOnly", "lr.schedule = \"warmup_linear\"\nlr.decay_ratio = 0.5",
                   "lr.decay_ratio = 0.5"},
        Impossible{"MinFactorOfHuggingFace", "lr.schedule = \"hugging_face_linear\"\nlr.min_factor = 0.5",
                   "lr.min_factor = 0.5"},
        Impossible{"DecayShapeOfHuggingFace", "lr.schedule = \"hugging_face_linear\"\nlr.decay = \"sqrt\"",
                   "lr.decay = \"sqrt\""},
        Impossible{"FirstIndexOfTitan", "lr.first_index = 0", "lr.first_index = 0"},
        Impossible{"StreamThatDividesTheLoss", "loss.accumulation = \"streamed\"",
                   "loss.accumulation = \"streamed\""},
        Impossible{"StreamFromOutside",
                   "loss.accumulation = \"streamed\"\nloss.normalization = \"gradient_scaling\"\n"
                   "train.update = \"halves\"",
                   "loss.accumulation = \"streamed\""},
        Impossible{"NegativeChunks", "loss.chunks = -1", "loss.chunks = -1"},
        Impossible{"UnevenChunks", "data.seq_len = 9\ndata.micro_batches = 4\nloss.chunks = 4",
                   "loss.chunks = 4"},
        Impossible{"RestartAtTheEnd", "checkpoint.restart_after = 10", "checkpoint.restart_after = 10"},
        Impossible{"PartTwice", "checkpoint.exclude_from_loading = [\"data\", \"data\"]",
                   "checkpoint.exclude_from_loading = [\"data\",\"data\"]"}),
    [](const auto& instance) { return instance.param.name; });

TEST(ValidateTest, AcceptsTheEdges) {
  RunConfig config;
  config.data.seq_len = 2048;
  config.data.micro_batches = 4;
  config.data.ignore_fraction = 0.5;
  config.checkpoint.restart_after = 9;
  config.lr.decay_ratio = 1;
  config.lr.min_factor = 1;
  config.clip.max_norm = 0;
  EXPECT_NO_THROW(validate(config));
}

}  // namespace
}  // namespace parity::reference
