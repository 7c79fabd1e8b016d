// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

TensorView TraceContent::view(const TensorPlace& place) const {
  return {place.dtype, place.shape, place.offset ? mapped->at(*place.offset) : place.bytes.data()};
}

}  // namespace parity::trace
