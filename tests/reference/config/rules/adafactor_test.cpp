// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/config/impossible.hpp"

namespace parity::reference {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Adafactor, ImpossibleConfig,
    testing::Values(
        Impossible{"FusedAdafactor", "optimizer.name = \"adafactor\"",
                   "optimizer.implementation = \"fused\""},
        Impossible{"AdafactorOfAdam", "optimizer.adafactor.d = 2.0", "optimizer.adafactor.d = 2.0"},
        Impossible{"ClippingBelowOne",
                   "optimizer.name = \"adafactor\"\noptimizer.implementation = "
                   "\"plain\"\noptimizer.adafactor.d = 0.5",
                   "optimizer.adafactor.d = 0.5"},
        Impossible{"GrowingShare",
                   "optimizer.name = \"adafactor\"\noptimizer.implementation = "
                   "\"plain\"\noptimizer.adafactor.beta2_decay = 0.8",
                   "optimizer.adafactor.beta2_decay = 0.8"},
        Impossible{"NegativeEps",
                   "optimizer.name = \"adafactor\"\noptimizer.implementation = "
                   "\"plain\"\noptimizer.adafactor.eps1 = -1.0",
                   "optimizer.adafactor.eps1 = -1.0"},
        Impossible{"NanEps",
                   "optimizer.name = \"adafactor\"\noptimizer.implementation = "
                   "\"plain\"\noptimizer.adafactor.eps2 = nan",
                   "optimizer.adafactor.eps2 ="},
        Impossible{"InfiniteClipping",
                   "optimizer.name = \"adafactor\"\noptimizer.implementation = "
                   "\"plain\"\noptimizer.adafactor.d = inf",
                   "optimizer.adafactor.d ="},
        Impossible{"ExactAdafactor",
                   "optimizer.name = \"adafactor\"\noptimizer.implementation = \"plain\"\ndtype = \"exact\"",
                   "optimizer.name = \"adafactor\""}),
    name_of_rule);

}  // namespace
}  // namespace parity::reference
