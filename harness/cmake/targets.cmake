# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# The two functions every folder uses.

# parity_library(NAME SOURCES a.cpp ... LINKS parity::base ... [TORCH])
# Static library parity_NAME with alias parity::NAME. TORCH: uses the precompiled torch header.
function(parity_library name)
  cmake_parse_arguments(arg "TORCH" "" "SOURCES;LINKS" ${ARGN})
  add_library(parity_${name} STATIC ${arg_SOURCES})
  add_library(parity::${name} ALIAS parity_${name})
  target_link_libraries(parity_${name} PUBLIC parity::options ${arg_LINKS})
  if(arg_TORCH)
    parity_use_torch(parity_${name})
  endif()
endfunction()

# parity_program(NAME SOURCES main.cpp LINKS ... [TORCH]): an executable in <build>/bin.
function(parity_program name)
  cmake_parse_arguments(arg "TORCH" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE parity::options ${arg_LINKS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  if(arg_TORCH)
    parity_use_torch(${name})
  endif()
endfunction()

# parity_test(NAME SOURCES a_test.cpp ... LINKS ... [TORCH] [LABELS fast ...] [TIMEOUT 120])
# A GoogleTest program; each of its tests is one CTest entry.
# Tests find the tree, the build and Python through tests/support/places.hpp.
function(parity_test name)
  cmake_parse_arguments(arg "TORCH" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE parity::options ${arg_LINKS} parity_test_places GTest::gmock
    GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  if(arg_TORCH)
    parity_use_torch(${name})
  endif()
  # One thread a test: several run side by side.
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES ENVIRONMENT OMP_NUM_THREADS=1 TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
