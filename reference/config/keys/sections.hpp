// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/config/keys.hpp"

// The sections of the table of keys, in the order of documentation. Each returns its keys in that order.

namespace parity::reference::rows {

/// The model, and changes of its dimensions: `model`, `architecture.*`.
std::vector<Key> model_keys();
/// Parts that some families of models have: further keys of `architecture.*`.
std::vector<Key> variant_keys();
/// Low-rank adapters: `lora.*`.
std::vector<Key> lora_keys();
/// Low-precision recipes of linear layers: `linear.*`.
std::vector<Key> linear_keys();
/// Mixtures of experts: `moe.*`.
std::vector<Key> moe_keys();
/// The run as a whole: steps, seed, first weights, dtype, device.
std::vector<Key> run_keys();
/// Tokens, documents and batches: `data.*`.
std::vector<Key> data_keys();
/// The task and the sampling of rollouts: `rl.digits` to `rl.temperature`.
std::vector<Key> rollout_keys();
/// Advantages and the loss of a policy: `rl.advantage` to `rl.unknown_logprobs`.
std::vector<Key> policy_loss_keys();
/// The controller between trainer and generator: `rl.controller_lr` to `rl.max_lag`.
std::vector<Key> controller_keys();
/// The generator: `rl.generator.*`.
std::vector<Key> generator_keys();
/// Which keys a query attends to, and by which backend: `attention.*`.
std::vector<Key> attention_keys();
/// How the loss is normalized and divided: `loss.*`.
std::vector<Key> loss_keys();
/// Optimizer and clipping: `optimizer.*`, `clip.*`.
std::vector<Key> optimizer_keys();
/// Muon: `optimizer.muon.*`.
std::vector<Key> muon_keys();
/// Adafactor: `optimizer.adafactor.*`.
std::vector<Key> adafactor_keys();
/// Learning-rate schedule: `lr.*`.
std::vector<Key> schedule_keys();
/// Variants of the step: `train.*`.
std::vector<Key> train_keys();
/// Mesh and gradient reduction: `parallel.dp_replicate` to `parallel.sync`.
std::vector<Key> parallel_keys();
/// Pipelines: `parallel.pp*`.
std::vector<Key> pipeline_keys();
/// What a rank keeps in memory: mixed precision and activation checkpointing.
std::vector<Key> memory_keys();
/// Restarts from a checkpoint: `checkpoint.*`.
std::vector<Key> checkpoint_keys();
/// Threads of an operator.
std::vector<Key> thread_keys();

}  // namespace parity::reference::rows
