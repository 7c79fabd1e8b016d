// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/channels.hpp"

namespace parity::reference {
namespace {

/// Adds rows for every collective over every group, although a run uses few of them.
void add_comm_channels(std::vector<ChannelRow>& table) {
  for (const char* group :
       {"world", "trainer", "pp", "stage", "copies", "dp_replicate", "dp_shard", "cp", "tp", "batch", "fsdp",
        "loss", "ep", "expert_shard", "generator", "muon", "adafactor"})
    for (const char* collective :
         {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send", "receive"}) {
      const std::string words =
          std::string(collective) + " over the group " + group + " during the update by the rank with ";
      for (const auto& [what, doc] :
           {std::pair("calls", "Calls of "), std::pair("bytes", "Bytes given to ")}) {
        table.push_back(
            {comm_channel(group, collective, what), doc + words + "most, in a run of several ranks.", false});
        table.push_back(
            {comm_channel(group, collective, what) + ".min", doc + words + "least, if ranks differ.", false});
      }
    }
}

/// Adds the bill of the gap between a policy's trainer and its generator.
void add_gap_channels(std::vector<ChannelRow>& table) {
  const std::string moved = "Mean change of a token's log probability [nats], without its sign, ";
  table.push_back({"gap", moved + "from trainer to generator, with rl.bill like all channels gap...", false});
  table.push_back({"gap_dtype", moved + "by the generator's dtype of weights.", false});
  table.push_back({"gap_weights",
                   moved + "by weights that the trainer's version rounded to that dtype does not have.",
                   false});
  table.push_back({"gap_arithmetic", moved + "by the generator's operators, on its own weights.", false});
  const auto add_part = [&](const std::string& part) {
    table.push_back({"gap." + part, moved + "by the weights of this part, a term of gap_weights.", false});
  };
  add_part("tok_embeddings");
  for (int64_t layer = 0; layer < most_billed_layers; ++layer)
    add_part("layers." + std::to_string(layer));
  add_part("norm");
  add_part("output");
}

}  // namespace

std::string comm_channel(const std::string& group, const std::string& collective, const std::string& what) {
  return "comm." + group + "." + collective + "." + what;
}

const std::vector<ChannelRow>& channels() {
  static const std::vector<ChannelRow> table = [] {
    std::vector<ChannelRow> rows = {
        {"loss", "Loss of the update, as it was differentiated."},
        {"mtp_loss",
         "Mean over depths of the losses of multi-token prediction, before loss.mtp_coef; not part of loss.",
         false},
        {"grad_norm", "L2 norm of all gradients before clipping; 0 for an update that loss.scale skipped."},
        {"eval_loss", "Loss of the data's first rows after the update, with train.evaluate.", false},
        {"max_attention_logit",
         "Largest logit of attention in the update, over blocks, heads, micro-batches and ranks, before "
         "clipping; with optimizer.qk_clip.",
         false},
        {"qk_clipped_heads", "Heads whose queries and keys optimizer.qk_clip scaled, over all blocks.",
         false},
        {"lr", "Learning rate that the update used."},
        {"muon_lr", "Learning rate of Muon's matrices, if optimizer.muon.lr sets one.", false},
        {"weight_decay", "Weight decay that the update used, if a schedule changes it.", false},
        {"loss_scale", "Scale that backward of the update started with, with loss.scale.", false},
        {"update_skipped",
         "1 if the optimizer skipped the update because a gradient was not finite, else 0; with loss.scale.",
         false},
        {"valid_tokens", "Labels of the update that count."},
        {"update_norm", "L2 norm of the change of all parameters, accumulated in float64."},
        {"batch_digest",
         "Digest of the update's tokens and labels; the same for any number of micro-batches."},
        {"mask_pairs", "Query-key pairs that attend, if the data has documents or the backend is not sdpa.",
         false},
        {"mask_digest", "Digest of those pairs; the same for any number of micro-batches.", false},
        {"position_digest", "Digest of the positions; recorded with mask_pairs.", false},
        {"routing_digest",
         "Digest of which token went to which expert of which block, if the model has experts; the same for "
         "any number of micro-batches and any layout.",
         false},
        {"expert_imbalance",
         "Tokens of the busiest expert over the mean, for the block where that is largest; recorded with "
         "routing_digest.",
         false},
        {"balance_loss",
         "Balance loss of all routers as it was differentiated, with moe.balance_loss; loss does not include "
         "it.",
         false},
        {"router_z_loss",
         "Z-loss of all routers as it was differentiated, with moe.z_loss_coeff; loss does not include it.",
         false},
        {"dropped_slots",
         "Experts of tokens that were at their capacity and dropped the token, over all blocks, with "
         "moe.capacity_factor.",
         false},
        {"ratio_mean",
         "Mean ratio of the policy's probabilities to the generator's, over tokens (grpo_sequence: "
         "completions), with data.source = rollouts, like all channels up to push_seconds.",
         false},
        {"ratio_clipped", "Share of the ratios that clipping moved by more than 1e-6.", false},
        {"logprob_diff_mean", "Mean of the trainer's log probabilities minus the generator's.", false},
        {"logprob_diff_max",
         "Largest absolute difference of the trainer's log probabilities from the generator's.", false},
        {"logprobs_different", "Share of tokens whose log probabilities differ by more than 1e-6.", false},
        {"logprobs_equal",
         "Share of tokens whose log probabilities have the same bits as float32 in trainer and generator.",
         false},
        {"entropy", "Mean entropy of the policy over the tokens of completions, in nats.", false},
        {"kl", "Mean divergence from the reference policy, if one is kept.", false},
        {"correction_mean", "Mean weight of the importance correction over tokens, with rl.correction.",
         false},
        {"correction_cut", "Share of tokens whose weight was truncated or masked, with rl.correction.",
         false},
        {"preference_margin",
         "Mean of dpo_beta times the log ratios of preferred minus other completions, with rl.loss = dpo.",
         false},
        {"preference_accuracy", "Share of pairs with a positive margin, with rl.loss = dpo.", false},
        {"rollouts_checked",
         "Share of imported tokens that were scored by the version that is said to have written them, with "
         "rl.largest_gap.",
         false},
        {"advantage_mean", "Mean advantage of the completions.", false},
        {"advantage_std", "Sample standard deviation of the completions' advantages.", false},
        {"reward_mean", "Mean reward of the completions.", false},
        {"reward_exact", "Share of the completions with the full reward.", false},
        {"response_length", "Mean tokens of a completion, including its end.", false},
        {"rollout_digest", "Digest of the update's prompts and completions.", false},
        {"version_lag", "Versions by which the oldest rollout's policy lags the trainer's.", false},
        {"generated_tokens_per_second",
         "Tokens of completions over the wall time of generating them; shown, "
         "never compared.",
         false},
        {"push_seconds",
         "Wall time of the push of weights to the generator after the update, 0 without a push; shown, never "
         "compared.",
         false},
        {"served_version",
         "Version of the policy that wrote the update's rollouts, with rl.generator.ranks: on ranks that "
         "generate the one of their weights, on ranks that train the latest stamp of a token.",
         false},
        {"served_tokens",
         "Tokens that a generator of rl.generator.ranks wrote for the update; the most of any rank.", false},
        {"served_tokens.min", "The same on the rank with the fewest; 0 on ranks that train.", false},
        {"recomputed_blocks", "Blocks that backward computed again, with activation checkpointing.", false},
        {"tokens_per_second", "Tokens of the update over its wall time; shown, never compared."},
        {"step_seconds", "Wall time of the update; shown, never compared."},
        {"device_memory_bytes", "Peak memory of tensors on the device so far; shown, never compared.", false},
    };
    add_gap_channels(rows);
    add_comm_channels(rows);
    return rows;
  }();
  return table;
}

}  // namespace parity::reference
