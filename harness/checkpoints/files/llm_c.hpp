// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "harness/checkpoints/files/tensor_file.hpp"

namespace parity::checkpoints {

// 256 int32, of which 8 are used; then 16 arrays, those of the layers stacked: float32 (version 3) or
// bfloat16 (version 5). Source: https://github.com/karpathy/llm.c, train_gpt2.py, write_model.

/// A file of GPT-2 weights as llm.c writes it (model_*.bin, gpt2_124M.bin). The tensors have nanoGPT's names
/// and shapes. Rows that pad the vocabulary are left out if they are zero, else they are the tensor
/// `transformer.wte.padding`. The metadata has `format` and `head_size`.
class LlmcFile : public TensorFile {
 public:
  /// \throws UserError if the file is missing (exit 3), has another version, sizes that are not possible, or
  /// more or fewer bytes than its header says
  explicit LlmcFile(const std::filesystem::path& path);
};

/// Returns whether a file that begins with these bytes is such a file, of whatever version.
bool has_llm_c_head(std::string_view head);

}  // namespace parity::checkpoints
