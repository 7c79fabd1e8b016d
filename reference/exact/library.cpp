// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The exact twin as operators torch.ops.parity_exact.*, for programs in Python.
#include <ATen/ATen.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include "harness/base/error.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/shadow.hpp"
#include "reference/exact/strict.hpp"

namespace parity::reference::exact {
namespace {

Constants constants_named(const std::string& name) {
  if (name == "binary")
    return Constants::binary;
  if (name == "decimal")
    return Constants::decimal;
  if (name == "fraction")
    return Constants::fraction;
  throw UserError("constants = \"" + name + "\" is not known; give binary, decimal or fraction");
}

void begin_twin(int64_t key, int64_t levels, const std::string& constants, bool strict) {
  begin(Tower(static_cast<uint64_t>(key), levels, constants_named(constants)));
  refuse_strictly(strict);
}

void end_twin() {
  refuse_strictly(false);
  end();
}

/// Gives a parameter or an input residues. \param lifts  of a parameter, which an optimizer will change
void draw_part(const at::Tensor& x, const std::string& name, const at::Tensor& places, bool lifts) {
  draw(x.detach(), name, places);
  if (lifts)
    lift_always(x);
}

/// Returns a copy of the values, of a tensor that may have no residues.
at::Tensor copied(const at::Tensor& x) {
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  return x.detach().clone();
}

at::Tensor renewed_input(const at::Tensor& x, double eps, bool centered) {
  return renewed(x, eps, centered);
}

}  // namespace

TORCH_LIBRARY(parity_exact, library) {
  library.def("begin(int key, int levels, str constants, bool strict) -> ()", begin_twin);
  library.def("end() -> ()", end_twin);
  library.def("draw(Tensor x, str name, Tensor places, bool lifts) -> ()", draw_part);
  library.def("copied(Tensor x) -> Tensor", copied);
  library.def("constant(Tensor x) -> ()", [](const at::Tensor& x) { mark_constant(x); });
  library.def("residues(Tensor x) -> Tensor", residues_of);
  library.def("known(Tensor x) -> int",
              [](const at::Tensor& x) { return static_cast<int64_t>(known_of(x)); });
  library.def("renewed(Tensor x, float eps, bool centered) -> Tensor", renewed_input);
}

}  // namespace parity::reference::exact
