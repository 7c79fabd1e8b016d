# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The losses of policies by an ordinary PyTorch program, from their published formulas.

    pytorch_policy_loss.py IN OUT     IN, OUT: JSON

IN is a list; each of its objects has logprobs, generator, advantages [B][S], counts [B][S], perhaps reference, and loss, low, high, dual, kl_coef,
divisor, dtype; perhaps normalization, completions, pairs, max_new_tokens, dpo_beta, correction... as in the config. OUT has for each the loss and the gradient of the log probabilities, as numbers that read back to the same bits.
"""
import json
import sys

import torch
import torch.nn.functional as F


def token_loss(given, logp, old, advantage):
    ratio_of = lambda limit: torch.exp(torch.clamp(logp - old, -limit, limit))
    low, high = 1 - given["low"], 1 + given["high"]
    if given["loss"] in ("grpo", "dapo"):
        ratio = ratio_of(10.0)
        return -torch.minimum(ratio * advantage, ratio.clamp(low, high) * advantage)
    if given["loss"] == "ppo":
        ratio = ratio_of(20.0)
        worse = torch.maximum(-advantage * ratio, -advantage * ratio.clamp(low, high))
        return torch.where(advantage < 0, torch.minimum(-advantage * given["dual"], worse), worse)
    if given["loss"] == "importance_sampling":
        return -(torch.exp(logp - old) * advantage)
    if given["loss"] == "cispo":  # MiniMax-M1: the clipped ratio is a weight
        return -(ratio_of(20.0).clamp(low, high).detach() * advantage * logp)
    return -logp


def correction_weights(given, logp, old, mask):
    """min(trainer / generator, cap), or 0 out of floor to cap; of a token, or of the product over a completion."""
    gap = (logp.detach() - old) * mask
    if given["correction_level"] == "sequence":
        gap = gap.sum(1, keepdim=True).expand_as(mask)
    weights = torch.exp(torch.clamp(gap, -20.0, 20.0))
    if given["correction"] == "truncate":
        return torch.clamp(weights, max=given["correction_cap"])
    keep = (weights >= given["correction_floor"]) & (weights <= given["correction_cap"])
    return torch.where(keep, weights, torch.zeros_like(weights))


def normalized(given, terms, mask):
    """The terms of an update's tokens, summed and divided."""
    if "lengths" in given:  # each token by the tokens of its completion, or of its prompt
        return (terms / given["lengths"]).sum() / given["prompts" if given["normalization"] == "prompt_mean" else "completions"]
    if given.get("normalization") == "sequence_mean":  # GRPO: 1/G sum_i 1/|o_i| sum_t
        return (terms.sum(1) / mask.sum(1).clamp(min=1)).sum() / given["completions"]
    if given.get("normalization") == "constant":  # Dr. GRPO: a constant in place of |o_i|
        return terms.sum() / (given["completions"] * given["max_new_tokens"])
    return terms.sum() / given["divisor"]


def loss_of_tokens(given, logp, old, advantage, mask, reference):
    weights = None
    if given.get("correction", "none") != "none":
        weights, old = correction_weights(given, logp, old, mask), logp.detach()
    terms = token_loss(given, logp, old, advantage) * mask
    loss = normalized(given, terms if weights is None else terms * weights, mask)
    if reference is not None:
        gap = torch.clamp(reference - logp, -20.0, 20.0)
        k3 = torch.clamp(gap.exp() - gap - 1, -10.0, 10.0)
        loss = loss + given["kl_coef"] * normalized(given, k3 * mask, mask)
    return loss


def loss_of_completions(given, logp, advantage, mask, reference):
    """The mean over completions; with `completions` in `given` their sum divided by so many."""
    mean = lambda x: x.sum() / given["completions"] if "completions" in given else x.mean()
    means, kls, own = [], [], []
    for row in range(logp.shape[0]):
        gap = logp[row][mask[row]]
        if reference is not None:
            gap = gap - reference[row][mask[row]]
        means.append(gap.mean())
        if reference is not None:
            kls.append((gap.exp() - 1 - gap).mean())
        own.append(advantage[row][mask[row]][0])
    ratio, own = torch.stack(means).exp(), torch.stack(own)
    loss = mean(-torch.minimum(ratio * own, ratio.clamp(1 - given["low"], 1 + given["high"]) * own))
    return loss + given["kl_coef"] * mean(torch.stack(kls)) if kls else loss


def gspo_loss(given, logp, old, advantage, mask, reference):
    """Group sequence policy optimization (Zheng et al. 2025), equations 5 to 7."""
    length = mask.sum(1).clamp(min=1)
    ratio = torch.exp(((logp - old) * mask).sum(1) / length)
    own = torch.stack([row[keep][0] if keep.any() else row.new_zeros(()) for row, keep in zip(advantage, mask)])
    low, high = 1 - given["low"], 1 + given["high"]
    loss = -torch.minimum(ratio * own, ratio.clamp(low, high) * own).sum() / given["completions"]
    if reference is not None:
        gap = torch.clamp((reference - logp) * mask, -20.0, 20.0)
        k3 = torch.clamp(gap.exp() - gap - 1, -10.0, 10.0)
        loss = loss + given["kl_coef"] * ((k3.sum(1) / length).sum() / given["completions"])
    return loss


def dpo_loss(given, logp, advantage, mask, reference):
    """Direct preference optimization (Rafailov et al. 2023), equation 7: successive rows are a pair."""
    score = ((logp - reference) * mask).sum(1)
    losses = []
    for first in range(0, len(score), 2):
        sign = advantage[first][mask[first]][0]
        chosen, other = (first, first + 1) if sign > 0 else (first + 1, first)
        loss = -F.logsigmoid(given["dpo_beta"] * (score[chosen] - score[other]))
        losses.append(loss if sign != 0 else loss * 0)  # no preference
    return torch.stack(losses).sum() / given["pairs"]


def loss_of_config(config, logits, labels, numbers, divisor, completions, pairs, prompts):
    """The loss of one micro-batch of a run on rollouts, as its config says.

    numbers: generator_logprobs, advantages and perhaps reference_logprobs, lengths, [B, S]; the last four: of the whole update.
    """
    mask, index = labels != -100, labels.clamp(min=0)
    if config["rl.logprobs"] == "log_softmax":
        logp = F.log_softmax(logits, -1).gather(-1, index.unsqueeze(-1)).squeeze(-1)
    else:
        flat = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none", ignore_index=-100)
        logp = -flat.view(labels.shape)
    name = config["rl.loss"]
    low, high = {"dapo": (0.2, 0.28), "gspo": (3e-4, 4e-4), "cispo": (1, 0.2)}.get(name, (0.2, 0.2))
    given = {"loss": name, "low": config["rl.clip_low"] or low, "high": config["rl.clip_high"] or high,
             "divisor": divisor, "completions": completions, "pairs": pairs, "prompts": prompts}
    if "lengths" in numbers:
        given["lengths"] = numbers["lengths"]
    given |= {key: config["rl." + key] for key in ("normalization", "max_new_tokens", "kl_coef", "dpo_beta", "correction",
                                                   "correction_level", "correction_cap", "correction_floor")}
    given["dual"] = config["rl.dual_clip"]
    old, advantage, reference = (numbers[key].to(logp.dtype) if key in numbers else None
                                 for key in ("generator_logprobs", "advantages", "reference_logprobs"))
    if config["rl.normalization"] == "rank_mean":
        del given["completions"]
    return loss_of_given(given, logp, old, advantage, mask, reference)


def loss_of_given(given, logp, old, advantage, mask, reference):
    if given["loss"] == "grpo_sequence":
        return loss_of_completions(given, logp, advantage, mask, reference)
    if given["loss"] == "gspo":
        return gspo_loss(given, logp, old, advantage, mask, reference)
    if given["loss"] == "dpo":
        return dpo_loss(given, logp, advantage, mask, reference)
    return loss_of_tokens(given, logp, old, advantage, mask, reference)


def answer(given):
    tensor = lambda name: torch.tensor(given[name], dtype=getattr(torch, given["dtype"]))
    logp = tensor("logprobs").requires_grad_()
    mask = torch.tensor(given["counts"], dtype=torch.bool)
    if "lengths" in given:
        given["lengths"] = torch.tensor(given["lengths"])
    reference = tensor("reference") if given.get("reference") else None
    loss = loss_of_given(given, logp, tensor("generator"), tensor("advantages"), mask, reference)
    loss.backward()
    return {"loss": loss.item(), "gradient": logp.grad.double().tolist()}


if __name__ == "__main__":
    with open(sys.argv[1]) as given_file:
        answers = [answer(given) for given in json.load(given_file)]
    with open(sys.argv[2], "w") as file:
        json.dump(answers, file)
