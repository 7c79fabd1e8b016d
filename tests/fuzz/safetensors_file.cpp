// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/files/llm_c.hpp"
#include "harness/checkpoints/files/safetensors.hpp"
#include "harness/measure/tensor/digest.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {

void read_safetensors_file(std::string_view bytes) {
  const MemoryFile memory(bytes);
  try {
    const std::unique_ptr<checkpoints::TensorFile> file =
        checkpoints::has_llm_c_head(bytes)
            ? std::unique_ptr<checkpoints::TensorFile>(std::make_unique<checkpoints::LlmcFile>(memory.path()))
            : std::make_unique<checkpoints::SafetensorsFile>(memory.path());
    size_t total = 0;
    for (const auto& [name, tensor] : file->tensors()) {
      static_cast<void>(measure::digest_of(tensor));
      total += tensor.bytes();
    }
    require(total < bytes.size(), "more tensors than bytes");
  } catch (const UserError& error) {
    require(is_utf8(error.what()), "a message that is no UTF-8");
  }
}

}  // namespace parity::fuzz
