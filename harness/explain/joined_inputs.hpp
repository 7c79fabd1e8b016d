// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/explain/recipe.hpp"

// What updates read, of runs that cut their batches otherwise. A rank records its own rows as "tokens#1", and
// a micro-batch of another length as "tokens.pass.1": pieces of the input "tokens".

namespace parity::explain {

/// The pieces of an update's inputs: name, without rank and pass -> (rank, pass) -> row of the piece. The
/// rank is -1 for an input that all ranks share.
using Inputs = std::map<std::string, std::map<std::pair<int64_t, int64_t>, const trace::SketchRow*>>;

/// Takes a number after a mark off the end of a name: "tokens#12" with "#" becomes "tokens".
/// \return the number; -1 if the name has none
int64_t take_number(std::string& name, std::string_view mark);

/// Returns the inputs of each update, without what a run loaded or computed inside of its model.
std::map<int64_t, Inputs> inputs_of(const Recipe& recipe);

/// Returns whether inputs of two runs have the same pieces of the same shapes, so that they are comparable
/// piece by piece.
bool are_cut_alike(const Inputs& first, const Inputs& second, const std::set<std::string>& names);

/// Returns an identity of the pieces of some inputs, bit by bit and in order.
std::string identity_of(const Inputs& inputs, const std::set<std::string>& names);

/// Returns whether the pieces of inputs join along their rows, and give rows of one dtype and shape in both
/// runs. Shares of sequences do not.
bool do_rows_join(const Inputs& first, const Inputs& second, const std::set<std::string>& names);

/// Returns an identity of the rows of some inputs, whatever rank or micro-batch read them, and in any order.
/// Inputs that are cut alike are joined row by row: a row of tokens has its labels. Pieces that are equal,
/// each as often, count once: ranks that cut the model read the same rows. Nothing if the pieces do not join
/// or have no values.
std::optional<std::string> identity_of_rows(const Recipe& recipe, const Inputs& inputs,
                                            const std::set<std::string>& names);

}  // namespace parity::explain
