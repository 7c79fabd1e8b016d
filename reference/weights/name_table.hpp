// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/tensor/shape.hpp"

namespace parity::reference {

// "Own" are names and forms of the model's parameters, "saved" those of a file. Letters: D model width, F
// feed-forward width, E experts, H and K query and key heads, d head width.

/// How own tensors are converted to saved ones.
enum class Conversion {
  as_is,
  transposed,  ///< [E, D, F] to [E, F, D]
  unstacked,   ///< [E, F, D] to E of [F, D]
  gate_up,     ///< two of [E, F, D] to one of [E, D, 2 F], gate first
  qkv,         ///< q [H d, D], k and v [K d, D], on either side also as one of [(H + 2 K) d, D]: for each
               ///< key head its query heads, it, its value head
  joined,      ///< q, k and v to one of [(H + 2 K) d, D], all queries first; or their biases to one
  joined_transposed,  ///< the same to [D, (H + 2 K) d]
};

/// Which elements of a head RoPE rotates together, if own and saved rows differ in it.
enum class RowOrder {
  same,
  saved_halves,  ///< saved: element i with i + d / 2; own: 2 i with 2 i + 1
  saved_pairs,   ///< saved: element 2 i with 2 i + 1; own: i with i + d / 2
};

/// Own tensors and the saved tensors that they are converted to.
struct NameRule {
  std::vector<std::string> own;
  std::vector<std::string> saved;
  Conversion conversion = Conversion::as_is;
  RowOrder rows = RowOrder::same;  ///< of own[0]; of q and k if the rule joins q, k and v
};

/// A parameter or buffer of a model.
struct OwnWeight {
  std::string name;
  Shape shape;
};

struct NameTable {
  std::vector<NameRule> rules;
  /// Own names that have no place in such files: they keep their values. Adapters, and biases of routers.
  std::vector<std::string> unsaved;
  std::vector<std::string> unnamed;  ///< own names of weights that such files cannot hold
  std::string tied_output;           ///< saved name that may repeat the embedding of a tied model; else empty
  /// Saved names that such files may have and the model lacks: tables of RoPE in old files, and the vision
  /// weights of Llama 4. A name that ends in a dot is a prefix.
  std::vector<std::string> forgotten;

  bool forgets(std::string_view name) const;
};

}  // namespace parity::reference
