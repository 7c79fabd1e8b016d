# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The losses of policies by an ordinary PyTorch program, from their published formulas.

    pytorch_policy_loss.py IN OUT     IN, OUT: JSON

IN is a list; each of its objects has logprobs, generator, advantages [B][S], counts [B][S], perhaps reference, and loss, low, high, dual, kl_coef,
divisor, dtype. OUT has for each the loss and the gradient of the log probabilities, as numbers that read back to the same bits.
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
    return -logp


def loss_of_tokens(given, logp, old, advantage, mask, reference):
    loss = (token_loss(given, logp, old, advantage) * mask).sum() / given["divisor"]
    if reference is not None:
        gap = torch.clamp(reference - logp, -20.0, 20.0)
        k3 = torch.clamp(gap.exp() - gap - 1, -10.0, 10.0)
        loss = loss + given["kl_coef"] * ((k3 * mask).sum() / given["divisor"])
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


def loss_of_config(config, logits, labels, numbers, divisor, completions):
    """The loss of one micro-batch of a run on rollouts, as its config says.

    numbers: generator_logprobs, advantages and perhaps reference_logprobs, [B, S]; the last two: of the whole update.
    """
    mask, index = labels != -100, labels.clamp(min=0)
    if config["rl.logprobs"] == "log_softmax":
        logp = F.log_softmax(logits, -1).gather(-1, index.unsqueeze(-1)).squeeze(-1)
    else:
        flat = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none", ignore_index=-100)
        logp = -flat.view(labels.shape)
    name = config["rl.loss"]
    given = {"loss": name, "low": config["rl.clip_low"] or 0.2, "dual": config["rl.dual_clip"], "divisor": divisor,
             "high": config["rl.clip_high"] or (0.28 if name == "dapo" else 0.2), "kl_coef": config["rl.kl_coef"]}
    old, advantage, reference = (numbers[key].to(logp.dtype) if key in numbers else None
                                 for key in ("generator_logprobs", "advantages", "reference_logprobs"))
    if name != "grpo_sequence":
        return loss_of_tokens(given, logp, old, advantage, mask, reference)
    if config["rl.normalization"] == "global":
        given["completions"] = completions
    return loss_of_completions(given, logp, advantage, mask, reference)


def answer(given):
    tensor = lambda name: torch.tensor(given[name], dtype=getattr(torch, given["dtype"]))
    logp = tensor("logprobs").requires_grad_()
    mask = torch.tensor(given["counts"], dtype=torch.bool)
    reference = tensor("reference") if given.get("reference") else None
    if given["loss"] == "grpo_sequence":
        loss = loss_of_completions(given, logp, tensor("advantages"), mask, reference)
    else:
        loss = loss_of_tokens(given, logp, tensor("generator"), tensor("advantages"), mask, reference)
    loss.backward()
    return {"loss": loss.item(), "gradient": logp.grad.double().tolist()}


if __name__ == "__main__":
    with open(sys.argv[1]) as given_file:
        answers = [answer(given) for given in json.load(given_file)]
    with open(sys.argv[2], "w") as file:
        json.dump(answers, file)
