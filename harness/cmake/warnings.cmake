# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Target parity::options: language level, warnings and the floating-point rules of all our code. Every target links it
# privately, so that a project that uses ours keeps its own.

add_library(parity_options INTERFACE)
target_compile_features(parity_options INTERFACE cxx_std_20)
target_compile_options(parity_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  -Wno-restrict # GCC 12 reports std::string's operator+ falsely (GCC bug 105651)
  # No fused multiply-add behind our back: the same source must give the same bits.
  -ffp-contract=off
  # Libraries, programs and the CUDA plug-in alike, since they share precompiled headers.
  -fPIC)
option(PARITY_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
if(PARITY_WERROR)
  target_compile_options(parity_options INTERFACE -Werror)
endif()
target_include_directories(parity_options INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
add_library(parity::options ALIAS parity_options)
