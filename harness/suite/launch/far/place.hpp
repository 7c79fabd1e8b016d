// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parity::suite {

/// Where ranks of other machines reach parity, in a word of their command line: "node-a:41234/KEY".
struct FarPlace {
  std::string address;
  int port = 0;
  std::string key;  ///< that a process must know, 32 hexadecimal digits

  std::string text() const;
};

/// Returns the place of a text(). \throws UserError if it is not one
FarPlace parse_far_place(const std::string& text);

/// Returns whether a host's name stands for an address.
bool has_address(const std::string& host);

/// Returns the address at which other machines reach this one: PARITY_ADDRESS, else this host's name.
/// \throws UserError if no address belongs to the name
std::string own_address();

}  // namespace parity::suite
