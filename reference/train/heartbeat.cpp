// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/heartbeat.hpp"

#include "harness/base/file.hpp"
#include "harness/base/json.hpp"

namespace parity::reference {

void Heartbeat::beat(int64_t step, std::string_view phase) const {
  if (!file_.empty())
    write_file(file_, Json{{"step", step}, {"phase", std::string(phase)}}.dump() + "\n");
}

}  // namespace parity::reference
