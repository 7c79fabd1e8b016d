# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The optimizer of a config by PyTorch's own classes, and Lion after its paper: witnesses of reference/optim.

torch.optim.Muon takes matrices, and always computes Newton-Schulz in bfloat16. A twin in float64, ns_dtype = "float32"
and coefficients that change from step to step therefore replace its function by one that is written here.
"""
import torch
from torch.optim import _muon

QUINTIC = [(4.0848, -6.8946, 2.9270), (3.9505, -6.3029, 2.6377), (3.7418, -5.5913, 2.3037), (2.8769, -3.1427, 1.2046),
           (2.8366, -3.0525, 1.2012)]
POLAR_EXPRESS = [(8.2051, -22.9019, 16.4607), (4.0664, -2.8612, 0.5184), (3.9096, -2.8234, 0.5250),
                 (3.2856, -2.4153, 0.4853), (2.2779, -1.6198, 0.3985), (1.8726, -1.2307, 0.3585),
                 (1.8564, -1.2132, 0.3568), (1.8750, -1.2500, 0.3750)]


def groups_of(parameters, config):
    """Groups by weight decay, as nanoGPT makes them."""
    decay, parameters = config["optimizer.weight_decay"], list(parameters)
    if config.get("optimizer.decay", "all") == "all":
        return [{"params": parameters, "weight_decay": decay}]
    groups = [{"params": [p for p in parameters if p.dim() >= 2], "weight_decay": decay},
              {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]


def adam(kind, parameters, config):
    form = config["optimizer.implementation"]
    return kind(groups_of(parameters, config), lr=config["lr.base"], eps=config["optimizer.eps"],
                betas=(config["optimizer.beta1"], config["optimizer.beta2"]),
                fused=form == "fused", foreach=form == "foreach")


def sgd(parameters, config):
    form = config["optimizer.implementation"]
    return torch.optim.SGD(groups_of(parameters, config), lr=config["lr.base"], momentum=config["optimizer.momentum"],
                           fused=form == "fused", foreach=form == "foreach")


class Lion(torch.optim.Optimizer):
    """arXiv:2302.06675, program 1."""

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2, lr = *group["betas"], group["lr"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                update = m.mul(b1).add(p.grad, alpha=1 - b1)
                p.mul_(1 - lr * group["weight_decay"])
                p.add_(update.sign(), alpha=-lr)
                m.mul_(b2).add_(p.grad, alpha=1 - b2)


def adafactor(parameters, config):
    """torch.optim.Adafactor, one tensor after another. It has no other places of eps1 and no fixed steps."""
    key = "optimizer.adafactor."
    if config[key + "eps1_place"] != "denominator" or not config[key + "relative_step"] \
            or not config[key + "scale_parameter"]:
        raise ValueError("torch.optim.Adafactor has no such setting")
    return torch.optim.Adafactor(groups_of(parameters, config), lr=config["lr.base"], d=config[key + "d"],
                                 beta2_decay=config[key + "beta2_decay"],
                                 eps=(config[key + "eps1"], config[key + "eps2"]), foreach=False)


def newton_schulz(config):
    """The replacement of torch's function, for what it cannot compute."""
    table = {"quintic": QUINTIC, "polar_express": POLAR_EXPRESS}.get(config["optimizer.muon.coefficients"])

    def orthogonalize(g, coefficients, steps, eps):
        wide = g.dtype == torch.float64 or config["optimizer.muon.ns_dtype"] == "float32"
        x = g if wide else g.bfloat16()
        if g.size(0) > g.size(1):
            x = x.T
        x = x / x.norm().clamp(min=eps)
        for a, b, c in (table[:steps] if table else [coefficients] * steps):
            gram = x @ x.T
            x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
        return x.T if g.size(0) > g.size(1) else x
    return orthogonalize


def is_matrix(name, p):
    return not name.startswith(("tok_embeddings.", "pos_embeddings.", "output.")) and (p.dim() == 2 or ".experts." in name)


class Muon(torch.optim.Optimizer):
    """torch.optim.Muon for the matrices of the blocks, each expert one of them, beside AdamW for everything else."""

    def __init__(self, model, config, is_plain):
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        self.matrices = [p for name, p in named if is_matrix(name, p)]
        # A slice shares its expert's memory, and gets the slice of its gradient before each step.
        self.parts = [[p] if p.dim() == 2 else [part.requires_grad_() for part in p.detach()] for p in self.matrices]
        scale = config["optimizer.muon.adjust_lr"]
        self.muon = torch.optim.Muon(
            [part for parts in self.parts for part in parts], lr=config["optimizer.muon.lr"] or config["lr.base"],
            weight_decay=config["optimizer.weight_decay"], momentum=config["optimizer.muon.momentum"],
            nesterov=config["optimizer.muon.nesterov"], eps=config["optimizer.muon.eps"],
            ns_coefficients=tuple(config[f"optimizer.muon.{c}"] for c in "abc"),
            ns_steps=config["optimizer.muon.ns_steps"], adjust_lr_fn=scale)
        self.adamw = adam(torch.optim.AdamW, [p for name, p in named if not is_matrix(name, p)], config)
        if not is_plain:
            _muon._zeropower_via_newtonschulz = newton_schulz(config)
        super().__init__(model.parameters(), {})
        self.param_groups = self.adamw.param_groups + self.muon.param_groups  # which a schedule changes

        self.zero_grad = model.zero_grad  # of whole experts, not of their slices

    def step(self):
        for p, parts in zip(self.matrices, self.parts):
            if p.dim() == 3:
                for part, grad in zip(parts, p.grad):
                    part.grad = grad
        self.muon.step()
        self.adamw.step()


def make_optimizer(model, config):
    name = config["optimizer.name"]
    trained = [p for p in model.parameters() if p.requires_grad]
    if name == "sgd":
        return sgd(trained, config)
    if name == "lion":
        return Lion(groups_of(trained, config),
                    {"lr": config["lr.base"], "betas": (config["optimizer.beta1"], config["optimizer.beta2"])})
    if name == "adafactor":
        return adafactor(trained, config)
    if name == "muon":
        is_plain = config["optimizer.muon.coefficients"] == "fixed" and torch.get_default_dtype() == torch.float32 \
            and config["optimizer.muon.ns_dtype"] == "bfloat16"
        return Muon(model, config, is_plain)
    return adam({"adamw": torch.optim.AdamW, "adam": torch.optim.Adam}[name], trained, config)
