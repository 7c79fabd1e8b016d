// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/config/impossible.hpp"

namespace parity::reference {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Layouts, ImpossibleConfig,
    testing::Values(
        Impossible{"NextTokensOfPartsAfterARestart",
                   "architecture.mtp_depth = 1\nparallel.dp_shard = 2\ncheckpoint.restart_after = 2\n"
                   "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_tp = 2",
                   "parallel.tp = 2", resumed},
        Impossible{"AdaptersOfStagesAfterARestart",
                   "lora.rank = 2\nparallel.dp_shard = 2\ncheckpoint.restart_after = 2\n"
                   "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_pp = 2",
                   "lora.rank = 2", resumed},
        Impossible{
            "ChunksAfterARestart",
            "loss.chunks = 1024\nparallel.dp_replicate = 1\nparallel.tp = 2\ncheckpoint.restart_after = 2\n"
            "checkpoint.resume_tp = 1\ncheckpoint.resume_dp_replicate = 2",
            "loss.chunks = 1024", resumed},

        Impossible{"NoTensorParallel", "parallel.tp = 0", "parallel.tp = 0"},
        Impossible{"HeadsInPieces", "architecture.n_heads = 4\narchitecture.n_kv_heads = 2\nparallel.tp = 4",
                   "parallel.tp = 4"},
        Impossible{"ARankWithoutWords", "architecture.vocab_size = 9\nparallel.tp = 4",
                   "architecture.vocab_size = 9"},
        Impossible{"ARankWithoutColumns", "architecture.ffn_hidden = 9\nparallel.tp = 4",
                   "architecture.ffn_hidden = 9"},
        Impossible{"SequenceParallelAlone", "parallel.sequence_parallel = true",
                   "parallel.sequence_parallel = true"},
        Impossible{"LossParallelAlone", "parallel.loss_parallel = true", "parallel.loss_parallel = true"},
        Impossible{"RowsThatRanksDoNotDivide", "parallel.dp_replicate = 3", "parallel.dp_replicate = 3"},
        Impossible{"RowsThatShardsDoNotDivide", "parallel.dp_replicate = 2\nparallel.dp_shard = 4",
                   "parallel.dp_shard = 4"},
        Impossible{"NoShard", "parallel.dp_shard = 0", "parallel.dp_shard = 0"},
        Impossible{"ReplicasOfShards", "parallel.dp_shard = 2\nparallel.replicate_with = \"hsdp\"",
                   "parallel.replicate_with = \"hsdp\""},
        Impossible{"NothingToReshard", "parallel.reshard_after_forward = \"never\"",
                   "parallel.reshard_after_forward = \"never\""},
        Impossible{"NoContextParallel", "parallel.cp = 0", "parallel.cp = 0"},
        Impossible{"SequencesThatChunksDoNotFill",
                   "attention.backend = \"flex\"\nparallel.cp = 2\ndata.seq_len = 30", "parallel.cp = 2"},
        Impossible{"WholeRowsOverContextRanks", "parallel.cp = 2", "parallel.cp = 2"},
        Impossible{"AveragedTermsOfASequence",
                   "attention.backend = \"flex\"\nparallel.cp = 2\nparallel.gradient_reduction = \"average\"",
                   "parallel.gradient_reduction = \"average\""},
        Impossible{"NoPipeline", "parallel.pp = 0", "parallel.pp = 0"},
        Impossible{"PiecesWithoutAPipeline", "parallel.pp_microbatches = 2", "parallel.pp_microbatches = 2"},
        Impossible{"MoreStagesThanBlocks", "architecture.n_layers = 2\nparallel.pp = 4", "parallel.pp = 4"},
        Impossible{"StagesThatAScheduleDoesNotKnow", "parallel.pp = 2\nparallel.pp_stages = 2",
                   "parallel.pp_stages = 2"},
        Impossible{"InterleavedOverOneStage", "parallel.pp = 2\nparallel.pp_schedule = \"interleaved\"",
                   "parallel.pp_stages = 1"},
        Impossible{"PiecesThatRowsDoNotFillEvenly", "parallel.pp = 2\nparallel.pp_microbatches = 3",
                   "parallel.pp_microbatches = 3"},
        Impossible{"RoundsOfUnequalLength",
                   "data.global_batch = 5\nparallel.pp = 2\nparallel.pp_schedule = \"interleaved\"\n"
                   "parallel.pp_stages = 2\nparallel.pp_microbatches = 5",
                   "parallel.pp_microbatches = 5"},
        Impossible{"StagesThatReduceEachTime", "parallel.pp = 2\nparallel.sync = \"each\"",
                   "parallel.sync = \"each\""},
        Impossible{"MasksThatNobodyHolds", "parallel.pp = 2\nparallel.pp_masks = \"held\"",
                   "parallel.pp_masks = \"held\""},
        Impossible{"ResumedByOtherRanks",
                   "parallel.dp_shard = 2\ncheckpoint.restart_after = 2\ncheckpoint.resume_dp_shard = 4",
                   "checkpoint.resume_dp_shard = 4"},
        Impossible{"ResumedWithMoreStagesThanBlocks",
                   "architecture.n_layers = 2\nparallel.dp_shard = 4\ncheckpoint.restart_after = 2\n"
                   "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_pp = 4",
                   "parallel.pp = 4", resumed},
        Impossible{"ResumedWithHeadsThatRanksDoNotDivide",
                   "architecture.n_kv_heads = 2\nparallel.dp_shard = 4\ncheckpoint.restart_after = 2\n"
                   "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_tp = 4",
                   "parallel.tp = 4", resumed},
        Impossible{"ResumedOverContextRanksOfWholeRows",
                   "parallel.dp_shard = 2\ncheckpoint.restart_after = 2\ncheckpoint.resume_dp_shard = 1\n"
                   "checkpoint.resume_cp = 2",
                   "parallel.cp = 2", resumed},
        Impossible{"ResumedWithRowsThatRanksDoNotDivide",
                   "data.global_batch = 2\nparallel.pp = 4\ncheckpoint.restart_after = 2\n"
                   "checkpoint.resume_dp_shard = 4\ncheckpoint.resume_pp = 1",
                   "parallel.dp_shard = 4", resumed},
        Impossible{"BlocksWithinHeads",
                   "optimizer.name = \"muon\"\narchitecture.fused_qkv = true\nparallel.dp_shard = 2\n"
                   "optimizer.muon.split_qkv = true\noptimizer.muon.sharding = \"blockwise\"",
                   "optimizer.muon.split_qkv = true"},
        Impossible{"InvariantOverFourRanks",
                   "train.batch_invariant = true\nattention.backend = \"tiled\"\nparallel.tp = 4",
                   "train.batch_invariant = true"},
        Impossible{"TreeOfABatch", "parallel.tp_sum_pieces = 4", "parallel.tp_sum_pieces = 4"},
        Impossible{"TreeOfTriples",
                   "train.batch_invariant = true\nattention.backend = \"tiled\"\nparallel.tp_sum_pieces = 3",
                   "parallel.tp_sum_pieces = 3"},
        Impossible{"TreeSmallerThanItsRanks",
                   "train.batch_invariant = true\nattention.backend = \"tiled\"\nparallel.tp = 4\n"
                   "parallel.tp_sum_pieces = 2",
                   "parallel.tp_sum_pieces = 2"},
        Impossible{"TreeOfUnevenPieces",
                   "train.batch_invariant = true\nattention.backend = \"tiled\"\n"
                   "architecture.ffn_hidden = 100\nparallel.tp_sum_pieces = 8",
                   "parallel.tp_sum_pieces = 8"},
        Impossible{"InvariantResumedOverFourRanks",
                   "train.batch_invariant = true\nattention.backend = \"tiled\"\nparallel.dp_shard = 4\n"
                   "checkpoint.restart_after = 2\ncheckpoint.resume_dp_shard = 1\ncheckpoint.resume_tp = 4",
                   "train.batch_invariant = true", resumed},
        Impossible{"CapacityOfCutSequences",
                   "model = \"qwen3.debug_moe_8\"\nmoe.capacity_factor = 1\nparallel.cp = 2\n"
                   "attention.backend = \"flex\"",
                   "moe.capacity_factor = 1.0"}),
    name_of_rule);

}  // namespace
}  // namespace parity::reference
