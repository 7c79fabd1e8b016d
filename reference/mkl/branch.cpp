// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/mkl/branch.hpp"

#include <cstdlib>
#include <map>
#include <string_view>

#include <dlfcn.h>

#include "harness/base/error.hpp"

namespace parity::reference {

std::string mkl_branch() {
  constexpr int all = -1;  // MKL_CBWR_ALL: the branch and its flags
  constexpr int strict = 0x10000;
  using Get = int (*)(int);
  const auto get = reinterpret_cast<Get>(::dlsym(RTLD_DEFAULT, "mkl_serv_cbwr_get"));
  if (get == nullptr)
    return "none";
  static const std::map<int, std::string> names = {
      {1, "OFF"},     {2, "AUTO"},           {3, "COMPATIBLE"}, {4, "SSE2"},  {6, "SSSE3"},
      {7, "SSE4_1"},  {8, "SSE4_2"},         {9, "AVX"},        {10, "AVX2"}, {11, "AVX512_MIC"},
      {12, "AVX512"}, {13, "AVX512_MIC_E1"}, {14, "AVX512_E1"}};
  const int answer = get(all);
  const auto found = names.find(answer & ~strict);
  const std::string name = found == names.end() ? std::to_string(answer & ~strict) : found->second;
  return (answer & strict) != 0 ? name + ",STRICT" : name;
}

void require_mkl_branch() {
  const char* asked = std::getenv("MKL_CBWR");
  const std::string taken = mkl_branch();
  if (asked == nullptr || taken == "none" || taken == asked || std::string_view(asked).starts_with("AUTO"))
    return;
  throw UserError("MKL uses its branch " + taken + ", but MKL_CBWR asks for " + asked +
                  " (this CPU lacks its instructions, or MKL does not know the name); set profile = "
                  "\"native\", which uses what the CPU has and gives bits of this machine only");
}

}  // namespace parity::reference
