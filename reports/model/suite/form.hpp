// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/files/file.hpp"
#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// One form of the results while it is written. The summary of all cases is known from the beginning. Each
/// case arrives complete, once, and is not kept.
class Form {
 public:
  Form() = default;
  virtual ~Form() = default;
  Form(const Form&) = delete;
  Form& operator=(const Form&) = delete;

  virtual void add(const Case& item) = 0;
  /// Call it after the last case.
  virtual void end() = 0;
};

}  // namespace parity::reports
