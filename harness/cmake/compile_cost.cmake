# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# What keeps the compile cheap. Most of a source's cost is its headers (nlohmann-json, fmt, LibTorch) and the
# templates it instantiates from them, so:
#   - three precompiled headers: `text` (harness, reports), `torch` (reference), and one each for their tests;
#   - unity batches: a folder's sources share their instantiations;
#   - -O1 for harness and reports, whose numbers are made in measure and tensor (NUMBERS: -O3). The trainer stays
#     at -O3: its cost is parsing LibTorch, not optimising. -O0 for tests' own code. Sanitizers watch what the tests
#     call, so that code has only those that must be everywhere.
# clang-tidy compiles every source by itself, so a forgotten #include does not stay hidden in a batch.

option(PARITY_UNITY "Compile sources in batches (OFF: one object a source)" ON)

add_library(parity_glue INTERFACE)
target_compile_options(parity_glue INTERFACE $<$<CONFIG:Release>:-O1>)
if(PARITY_SANITIZE STREQUAL "fuzz")
  target_compile_options(parity_glue INTERFACE -O0) # instrumented, a batch takes half the time to compile
endif()

add_library(parity_test_code INTERFACE)
target_compile_options(parity_test_code INTERFACE -O0)
if(PARITY_SANITIZE STREQUAL "address" OR PARITY_SANITIZE STREQUAL "fuzz")
  target_compile_options(parity_test_code INTERFACE -fno-sanitize=undefined)
endif()
if(PARITY_SANITIZE STREQUAL "fuzz")
  target_compile_options(parity_test_code INTERFACE -fno-sanitize=fuzzer-no-link)
endif()

add_library(parity_test_batches INTERFACE)
target_compile_options(parity_test_batches INTERFACE -Wno-shadow) # tests of a batch have short names in common

# parity_precompiled_header(NAME HEADERS <a> ... LINKS ...): target parity_NAME_pch, which owns the header.
function(parity_precompiled_header name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINKS" ${ARGN})
  set(source "${PROJECT_BINARY_DIR}/generated/${name}_pch.cpp")
  file(CONFIGURE OUTPUT "${source}"
    CONTENT "namespace parity { void ${name}_pch() {} } // exists so that the precompiled header has an owner\n")
  add_library(parity_${name}_pch STATIC "${source}")
  target_link_libraries(parity_${name}_pch PUBLIC parity::options ${arg_LINKS})
  target_precompile_headers(parity_${name}_pch PRIVATE ${arg_HEADERS})
  if(PARITY_PCH_LAUNCHER)
    set_target_properties(parity_${name}_pch PROPERTIES CXX_COMPILER_LAUNCHER "${PARITY_PCH_LAUNCHER}")
  endif()
endfunction()

set(_text_headers <algorithm> <filesystem> <functional> <map> <memory> <optional> <set> <string> <vector>
    <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
parity_precompiled_header(text HEADERS ${_text_headers}
  LINKS parity_glue parity::fmt nlohmann_json::nlohmann_json)
if(PARITY_BUILD_TESTS)
  parity_precompiled_header(text_tests HEADERS ${_text_headers} <gmock/gmock.h> <gtest/gtest.h>
    LINKS parity_test_code parity::fmt nlohmann_json::nlohmann_json GTest::gmock)
endif()

# Called after torch.cmake, which finds LibTorch.
function(parity_precompile_torch)
  set(headers <functional> <map> <memory> <string> <vector> <torch/types.h> <torch/autograd.h>)
  parity_precompiled_header(torch HEADERS ${headers} LINKS parity::torch)
  if(PARITY_BUILD_TESTS)
    parity_precompiled_header(torch_tests HEADERS ${headers} <gmock/gmock.h> <gtest/gtest.h>
      LINKS parity_test_code parity::torch GTest::gmock)
  endif()
endfunction()

# parity_compile_cheaply(TARGET [TORCH] [NUMBERS] [TESTS]): precompiled header, batches and optimisation.
function(parity_compile_cheaply target)
  cmake_parse_arguments(arg "TORCH;NUMBERS;TESTS" "" "" ${ARGN})
  set(header text)
  if(arg_TORCH)
    set(header torch)
  endif()
  if(arg_TESTS)
    string(APPEND header "_tests")
  endif()
  # Numbers keep the build type's -O3, with which GCC takes no header that was compiled for -O1.
  if(arg_NUMBERS AND NOT arg_TORCH)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM parity_${header}_pch)
  if(arg_TESTS)
    target_link_libraries(${target} PRIVATE parity_test_code)
  elseif(NOT arg_TORCH)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:parity_glue>)
  endif()
  if(NOT arg_NUMBERS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${PARITY_UNITY} UNITY_BUILD_BATCH_SIZE 12)
    # A source of a batch is no longer the main file, in whose anonymous namespaces GCC sees no danger.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    if(arg_TESTS)
      target_link_libraries(${target} PRIVATE parity_test_batches)
    endif()
  endif()
endfunction()
