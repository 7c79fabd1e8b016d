// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/validate.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/config/read.hpp"
#include "tests/reference/config/impossible.hpp"

namespace parity::reference {
namespace {

TEST_P(ImpossibleConfig, IsRefusedNamingKeyAndValue) {
  RunConfig config;
  read_toml(config, GetParam().toml, "run.toml");
  try {
    validate(config);
    FAIL() << "accepted " << GetParam().toml;
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith(GetParam().where + ("cannot use " + std::string(GetParam().named))));
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(" ("), testing::HasSubstr("); ")));
    EXPECT_EQ(error.code(), ExitCode::bad_input);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, ImpossibleConfig,
    testing::Values(
        Impossible{"WeightsWithoutASum",
                   "data.source = \"tokens\"\ndata.paths = [\"a\", \"b\"]\ndata.weights = [1e308, 1e308]",
                   "data.weights"},

        Impossible{"NoSteps", "steps = 0", "steps = 0"}, Impossible{"NegativeSeed", "seed = -1", "seed = -1"},
        Impossible{"NoThreads", "threads = 0", "threads = 0"},
        Impossible{"UnevenMicroBatches", "data.micro_batches = 3", "data.micro_batches = 3"},
        Impossible{"ResumedWithoutARestart", "checkpoint.resume_dp_shard = 1",
                   "checkpoint.resume_dp_shard = 1"},
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
        Impossible{"SdpaWithAWindow", "attention.sliding_window = 4", "attention.sliding_window = 4"},
        Impossible{"SdpaWithBlocks", "attention.fixed_block = 4", "attention.fixed_block = 4"},
        Impossible{"WindowBelowOne", "attention.sliding_window = -1\nattention.backend = \"flex\"",
                   "attention.sliding_window = -1"},
        Impossible{"BlockBelowOne", "attention.fixed_block = -4\nattention.backend = \"flex\"",
                   "attention.fixed_block = -4"},
        Impossible{"FormWithoutBlocks",
                   "attention.fixed_block_form = \"chunked\"\nattention.backend = \"flex\"",
                   "attention.fixed_block_form = \"chunked\""},
        Impossible{"NopeEveryMinusOne", "architecture.nope_every = -1", "architecture.nope_every = -1"},
        Impossible{"EosMaskWithoutEos", "attention.documents = [\"eos\"]\nattention.backend = \"flex\"",
                   "attention.documents = [\"eos\"]"},
        Impossible{"PositionMaskWithoutRestart",
                   "attention.documents = [\"position_zero\"]\nattention.backend = \"varlen\"",
                   "attention.documents = [\"position_zero\"]"},
        Impossible{"HeadsThatDoNotDivide", "architecture.n_heads = 3", "architecture.n_heads = 3"},
        Impossible{"OddHead", "architecture.n_heads = 256", "architecture.n_heads = 256"},
        Impossible{"UnevenGroups", "architecture.n_kv_heads = 5", "architecture.n_kv_heads = 5"},
        Impossible{"NegativeWidth", "architecture.dim = -1", "architecture.dim = -1"},
        Impossible{"NegativeLatent", "architecture.kv_lora_rank = -1", "architecture.kv_lora_rank = -1"},
        Impossible{"LatentOfQueriesAlone", "architecture.q_lora_rank = 8", "architecture.q_lora_rank = 8"},
        Impossible{"ValueWidthWithoutALatent", "architecture.v_head_dim = 8", "architecture.v_head_dim = 8"},
        Impossible{"LatentHeadsOfNoWidth", "architecture.kv_lora_rank = 8",
                   "architecture.qk_nope_head_dim = 0"},
        Impossible{"LatentHeadsThatDoNotTurn",
                   "architecture.kv_lora_rank = 8\narchitecture.qk_nope_head_dim = 4",
                   "architecture.qk_rope_head_dim = 0"},
        Impossible{"LatentHeadsWithoutValues",
                   "architecture.kv_lora_rank = 8\narchitecture.qk_nope_head_dim = "
                   "4\narchitecture.qk_rope_head_dim = 4",
                   "architecture.v_head_dim = 0"},
        Impossible{"HalfAPair", "model = \"deepseek_v3.debug\"\narchitecture.qk_rope_head_dim = 7",
                   "architecture.qk_rope_head_dim = 7"},
        Impossible{"PairsAtOddPlaces", "model = \"deepseek_v3.debug\"\narchitecture.qk_nope_head_dim = 7",
                   "architecture.qk_nope_head_dim = 7"},
        Impossible{"PairsAtOddPlacesOfTheLatent",
                   "model = \"deepseek_v3.debug\"\narchitecture.kv_lora_rank = 7",
                   "architecture.kv_lora_rank = 7"},
        Impossible{"LatentHeadsByAnotherKey", "model = \"deepseek_v3.debug\"\narchitecture.head_dim = 192",
                   "architecture.head_dim = 192"},
        Impossible{"LatentKeysOfFewHeads", "model = \"deepseek_v3.debug\"\narchitecture.n_kv_heads = 4",
                   "architecture.n_kv_heads = 4"},
        Impossible{"NormsOfLatentHeads", "model = \"deepseek_v3.debug\"\narchitecture.qk_norm = \"on\"",
                   "architecture.qk_norm = \"on\""},
        Impossible{"LatentHeadsInOneWeight", "model = \"deepseek_v3.debug\"\narchitecture.fused_qkv = true",
                   "architecture.fused_qkv = true"},
        Impossible{"LatentRowsInAnotherOrder",
                   "model = \"deepseek_v3.debug\"\narchitecture.rope_weights = \"permuted\"",
                   "architecture.rope_weights = \"permuted\""},
        Impossible{"NanLearningRate", "lr.base = nan", "lr.base ="},
        Impossible{"NanClip", "clip.max_norm = nan", "clip.max_norm ="},
        Impossible{"BetaOfOne", "optimizer.beta2 = 1", "optimizer.beta2 = 1.0"},
        Impossible{"MomentumOfAdam", "optimizer.momentum = 0.9", "optimizer.momentum = 0.9"},
        Impossible{"FusedLion", "optimizer.name = \"lion\"", "optimizer.implementation = \"fused\""},
        Impossible{"MomentumOfMuonByAnotherKey", "optimizer.name = \"muon\"\noptimizer.momentum = 0.9",
                   "optimizer.momentum = 0.9"},
        Impossible{"MuonOfAdam", "optimizer.muon.nesterov = false", "optimizer.muon.nesterov = false"},
        Impossible{"RateOfMuonBelowZero", "optimizer.name = \"muon\"\noptimizer.muon.lr = -1.0",
                   "optimizer.muon.lr = -1.0"},
        Impossible{"MomentumOfOne", "optimizer.name = \"muon\"\noptimizer.muon.momentum = 1.0",
                   "optimizer.muon.momentum = 1.0"},
        Impossible{"NoStepOfNewtonSchulz", "optimizer.name = \"muon\"\noptimizer.muon.ns_steps = 0",
                   "optimizer.muon.ns_steps = 0"},
        Impossible{"StepsBeyondTheTable",
                   "optimizer.name = \"muon\"\noptimizer.muon.coefficients = \"quintic\"\n"
                   "optimizer.muon.ns_steps = 6",
                   "optimizer.muon.ns_steps = 6"},
        Impossible{"CoefficientBesideATable",
                   "optimizer.name = \"muon\"\noptimizer.muon.coefficients = \"quintic\"\n"
                   "optimizer.muon.a = 1.5",
                   "optimizer.muon.a = 1.5"},
        Impossible{"NanCoefficient", "optimizer.name = \"muon\"\noptimizer.muon.b = nan",
                   "optimizer.muon.b ="},
        Impossible{"NoEpsOfMuon", "optimizer.name = \"muon\"\noptimizer.muon.eps = 0.0",
                   "optimizer.muon.eps = 0.0"},
        Impossible{"SplitOfSeparateMatrices", "optimizer.name = \"muon\"\noptimizer.muon.split_qkv = true",
                   "optimizer.muon.split_qkv = true"},
        Impossible{"ShardsOfWholeMatrices",
                   "optimizer.name = \"muon\"\noptimizer.muon.sharding = \"distributed\"",
                   "optimizer.muon.sharding = \"distributed\""},
        Impossible{"DecayRatioBeyondOne", "lr.decay_ratio = 1.5", "lr.decay_ratio = 1.5"},
        Impossible{"DecayRatioOfWarmupOnly", "lr.schedule = \"warmup_linear\"\nlr.decay_ratio = 0.5",
                   "lr.decay_ratio = 0.5"},
        Impossible{"MinFactorOfHuggingFace", "lr.schedule = \"hugging_face_linear\"\nlr.min_factor = 0.5",
                   "lr.min_factor = 0.5"},
        Impossible{"DecayShapeOfHuggingFace", "lr.schedule = \"hugging_face_linear\"\nlr.decay = \"sqrt\"",
                   "lr.decay = \"sqrt\""},
        Impossible{"InitFactorOfTitan", "lr.init_factor = 0.1", "lr.init_factor = 0.1"},
        Impossible{"InitFactorOfVerlConstant", "lr.schedule = \"verl_constant\"\nlr.init_factor = 0.1",
                   "lr.init_factor = 0.1"},
        Impossible{"InitFactorWithoutWarmup",
                   "lr.schedule = \"verl_cosine\"\nlr.init_factor = 0.1\nlr.warmup_steps = 0",
                   "lr.init_factor = 0.1"},
        Impossible{"InitFactorBeyondOne", "lr.schedule = \"verl_cosine\"\nlr.init_factor = 1.5",
                   "lr.init_factor = 1.5"},
        Impossible{"NoWaves", "lr.schedule = \"hugging_face_cosine\"\nlr.num_cycles = 0",
                   "lr.num_cycles = 0.0"},
        Impossible{"NanWaves", "lr.schedule = \"hugging_face_cosine\"\nlr.num_cycles = nan",
                   "lr.num_cycles ="},
        Impossible{"WavesOfTitan", "lr.num_cycles = 1", "lr.num_cycles = 1.0"},
        Impossible{"CurveLengthOfAConstant", "lr.schedule = \"verl_constant\"\nlr.total_steps = 50",
                   "lr.total_steps = 50"},
        Impossible{"WsdOfTitan", "lr.decay = \"wsd\"", "lr.decay = \"wsd\""},
        Impossible{"SqrtOfMegatron", "lr.schedule = \"megatron\"\nlr.decay = \"sqrt\"",
                   "lr.decay = \"sqrt\""},
        Impossible{"WsdWithoutLength", "lr.schedule = \"megatron\"\nlr.decay = \"wsd\"", "lr.wsd_steps = 0"},
        Impossible{"WsdLongerThanTheCurve",
                   "lr.schedule = \"megatron\"\nlr.decay = \"wsd\"\nlr.wsd_steps = 11", "lr.wsd_steps = 11"},
        Impossible{"WsdLengthOfLinear", "lr.schedule = \"megatron\"\nlr.wsd_steps = 5", "lr.wsd_steps = 5"},
        Impossible{"LowestOfAConstant",
                   "lr.schedule = \"megatron\"\nlr.decay = \"constant\"\nlr.min_factor = 0.1",
                   "lr.min_factor = 0.1"},
        Impossible{"WarmupOfMegatronAsLongAsTheCurve", "lr.schedule = \"megatron\"\nlr.warmup_steps = 10",
                   "lr.warmup_steps = 10"},
        Impossible{"LogWarmupOfMegatron", "lr.schedule = \"megatron\"\nlr.warmup = \"log\"",
                   "lr.warmup = \"log\""},
        Impossible{"DeepSpeedWithoutWarmup", "lr.schedule = \"deepspeed\"\nlr.warmup_steps = 0",
                   "lr.warmup_steps = 0"},
        Impossible{"InitFactorOfDeepSpeedsLinear", "lr.schedule = \"deepspeed\"\nlr.init_factor = 0.1",
                   "lr.init_factor = 0.1"},
        Impossible{"WeightDecayRampOfTitan", "optimizer.weight_decay_ramp = \"linear\"",
                   "optimizer.weight_decay_ramp = \"linear\""},
        Impossible{"RampThatFalls",
                   "lr.schedule = \"megatron\"\noptimizer.weight_decay_ramp = \"linear\"\n"
                   "optimizer.weight_decay_start = 0.5",
                   "optimizer.weight_decay_start = 0.5"},
        Impossible{"StartWithoutRamp", "lr.schedule = \"megatron\"\noptimizer.weight_decay_start = 0.05",
                   "optimizer.weight_decay_start = 0.05"},
        Impossible{"FirstIndexOfTitan", "lr.first_index = 0", "lr.first_index = 0"},
        Impossible{"StreamThatDividesTheLoss", "loss.accumulation = \"streamed\"",
                   "loss.accumulation = \"streamed\""},
        Impossible{"StreamFromOutside",
                   "loss.accumulation = \"streamed\"\nloss.normalization = \"gradient_scaling\"\n"
                   "train.update = \"halves\"",
                   "loss.accumulation = \"streamed\""},
        Impossible{"InvariantWithSdpa", "train.batch_invariant = true", "train.batch_invariant = true"},
        Impossible{
            "InvariantExperts",
            "train.batch_invariant = true\nattention.backend = \"tiled\"\nmodel = \"qwen3.debug_moe_8\"",
            "train.batch_invariant = true"},
        Impossible{"InvariantOverThreads",
                   "train.batch_invariant = true\nattention.backend = \"tiled\"\nthreads = 2",
                   "train.batch_invariant = true"},
        Impossible{"TilesOnADevice", "attention.backend = \"tiled\"\ndevice = \"cuda\"",
                   "attention.backend = \"tiled\""},
        Impossible{"TilesUnderAutocast", "attention.backend = \"tiled\"\ntrain.autocast = true",
                   "attention.backend = \"tiled\""},
        Impossible{"BalanceLossWithoutExperts", "moe.balance_loss = \"switch\"",
                   "moe.balance_loss = \"switch\""},
        Impossible{"BalanceLossOfBareSums",
                   "model = \"qwen3.debug_moe_8\"\nmoe.balance_loss = \"switch\"\n"
                   "loss.normalization = \"gradient_scaling\"",
                   "moe.balance_loss = \"switch\""},
        Impossible{"ScopeOfSequences",
                   "model = \"qwen3.debug_moe_8\"\nmoe.balance_loss = \"sequence\"\n"
                   "moe.balance_loss_scope = \"global_batch\"",
                   "moe.balance_loss_scope = \"global_batch\""},
        Impossible{"CoefficientWithoutALoss", "model = \"qwen3.debug_moe_8\"\nmoe.balance_loss_coeff = 0.5",
                   "moe.balance_loss_coeff = 0.5"},
        Impossible{"ResiduesOfReplayedRoutes",
                   "model = \"qwen3.debug_moe_8\"\nmoe.replay = \"a.h5\"\ndtype = \"exact\"",
                   "moe.replay = \"a.h5\""},
        Impossible{"NegativeCapacity", "model = \"qwen3.debug_moe_8\"\nmoe.capacity_factor = -1",
                   "moe.capacity_factor = -1.0"},
        Impossible{"DropsWithoutCapacity", "model = \"qwen3.debug_moe_8\"\nmoe.drop = \"score\"",
                   "moe.drop = \"score\""},
        Impossible{"ReplayInTurn",
                   "model = \"qwen3.debug_moe_8\"\nmoe.replay = \"a.h5\"\nmoe.force_balance = true",
                   "moe.force_balance = true"},
        Impossible{"NegativeChunks", "loss.chunks = -1", "loss.chunks = -1"},
        Impossible{"UnevenChunks", "data.seq_len = 9\ndata.micro_batches = 4\nloss.chunks = 4",
                   "loss.chunks = 4"},
        Impossible{"RestartAtTheEnd", "checkpoint.restart_after = 10", "checkpoint.restart_after = 10"},
        Impossible{"FormatOfText", "data.source = \"text\"\ndata.path = \"x\"\ndata.format = \"npy\"",
                   "data.format = \"npy\""},
        Impossible{"PathAndPaths",
                   "data.source = \"tokens\"\ndata.path = \"x\"\ndata.paths = [\"y\"]\ndata.weights = [1]",
                   "data.paths = [\"y\"]"},
        Impossible{"PathsOfSynthetic", "data.paths = [\"y\"]\ndata.weights = [1]", "data.paths = [\"y\"]"},
        Impossible{"PathTwice",
                   "data.source = \"tokens\"\ndata.paths = [\"y\", \"y\"]\ndata.weights = [1, 2]",
                   "data.paths = [\"y\",\"y\"]"},
        Impossible{"EmptyPath", "data.source = \"tokens\"\ndata.paths = [\"y\", \"\"]\ndata.weights = [1, 2]",
                   "data.paths = [\"y\",\"\"]"},
        Impossible{"MissingWeight",
                   "data.source = \"tokens\"\ndata.paths = [\"x\", \"y\"]\ndata.weights = [1]",
                   "data.weights = [1.0]"},
        Impossible{"ZeroWeight",
                   "data.source = \"tokens\"\ndata.paths = [\"x\", \"y\"]\ndata.weights = [1, 0]",
                   "data.weights = [1.0,0.0]"},
        Impossible{"WeightOfNan",
                   "data.source = \"tokens\"\ndata.paths = [\"x\", \"y\"]\ndata.weights = [1, nan]",
                   "data.weights = [1.0,null]"},
        Impossible{"WeightsAlone", "data.weights = [1]", "data.weights = [1.0]"},
        Impossible{"ShuffleOfSynthetic", "data.shuffle = true", "data.shuffle = true"},
        Impossible{
            "ShuffleOfOneDocument",
            "data.source = \"text\"\ndata.path = \"x\"\ndata.packing = \"stream\"\ndata.shuffle = true",
            "data.shuffle = true"},
        Impossible{"SeedBeyondNumpy",
                   "data.source = \"tokens\"\ndata.path = \"x\"\ndata.shuffle = true\ndata.seed = 4294967296",
                   "data.seed = 4294967296"},
        Impossible{"EosBeforeDocuments",
                   "data.source = \"tokens\"\ndata.path = \"x\"\ndata.format = \"llmc\"\n"
                   "data.packing = \"stream\"\ndata.eos_id = 0\nattention.backend = \"flex\"\n"
                   "attention.documents = [\"eos\"]",
                   "attention.documents = [\"eos\"]"},
        Impossible{"PartTwice", "checkpoint.exclude_from_loading = [\"data\", \"data\"]",
                   "checkpoint.exclude_from_loading = [\"data\",\"data\"]"}),
    name_of_rule);

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

/// Returns the message of validate() about a config; "" if it accepts the config.
std::string complaint(const std::string& toml) {
  RunConfig config;
  read_toml(config, toml, "run.toml");
  try {
    validate(config);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ValidateTest, ScheduleSettings_AreValidInTheirFamilies) {
  const std::vector<std::pair<std::string, std::string>> settings = {
      {"lr.total_steps = 50", "titan hugging_face_linear hugging_face_cosine verl_cosine megatron deepspeed"},
      {"lr.warmup = \"log\"", "deepspeed"},
      {"lr.init_factor = 0.5", "verl_cosine megatron"},
      {"lr.init_factor = 0.5\nlr.decay = \"cosine\"", "megatron deepspeed"},
      {"lr.decay = \"sqrt\"", "titan"},
      {"lr.decay = \"cosine\"", "titan megatron deepspeed"},
      {"lr.decay = \"constant\"", "megatron deepspeed"},
      {"lr.decay = \"inverse_square_root\"", "megatron"},
      {"lr.decay = \"wsd\"\nlr.wsd_steps = 5\nlr.wsd_decay = \"exponential\"", "megatron"},
      {"lr.decay_ratio = 0.5", "titan"},
      {"lr.min_factor = 0.5", "titan verl_cosine megatron deepspeed"},
      {"lr.num_cycles = 2", "hugging_face_cosine verl_cosine"},
      {"lr.first_index = 0", "warmup_linear"},
      {"optimizer.weight_decay_ramp = \"cosine\"\noptimizer.weight_decay_start = 0.05", "megatron"}};
  for (const auto& [toml, families] : settings)
    for (const std::string& family : names_of<ScheduleName>()) {
      const bool has = (" " + families + " ").find(" " + family + " ") != std::string::npos;
      const std::string said = complaint("lr.schedule = \"" + family + "\"\n" + toml);
      EXPECT_EQ(said.empty(), has) << family << ": " << toml << ": " << said;
    }
}

TEST(ValidateTest, SaysWhichFamiliesAndDecaysThereAre) {
  EXPECT_THAT(complaint("lr.num_cycles = 2"),
              testing::HasSubstr("titan does not use it); set lr.schedule = \"hugging_face_cosine\" or "
                                 "\"verl_cosine\", or leave it 0.5"));
  EXPECT_THAT(complaint("lr.decay = \"wsd\""), testing::EndsWith("choose linear, sqrt, cosine"));
}

}  // namespace
}  // namespace parity::reference
