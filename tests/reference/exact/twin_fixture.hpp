// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// A test in an exact twin.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/torch.h>

#include "harness/base/error.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/exact.hpp"

namespace parity::reference::exact {

class TwinFixture : public testing::Test {
 protected:
  TwinFixture() { begin(Tower(5, 3)); }
  ~TwinFixture() override { c10::impl::tls_set_dispatch_key_included(dispatch_key, false); }

  static at::Tensor variable(const std::string& name, at::IntArrayRef shape) {
    torch::manual_seed(1);
    at::Tensor x = torch::randn(shape);
    draw(x, name);
    return x.requires_grad_();
  }
  static bool same(const at::Tensor& a, const at::Tensor& b) {
    return !residues_of(a).lt(0).any().item<bool>() && at::equal(residues_of(a), residues_of(b));
  }
  template <class Function>
  static std::string complaint(const Function& function) {
    try {
      function();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

}  // namespace parity::reference::exact
