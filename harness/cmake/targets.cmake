# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# The three functions every folder uses to declare a target. compile_cost.cmake says how targets are compiled.

# parity_library(NAME SOURCES a.cpp ... LINKS parity::base ... [TORCH] [NUMBERS])
# Static library parity_NAME with alias parity::NAME. Its users get its headers, but not its warnings.
#   TORCH    links LibTorch
#   NUMBERS  computes with tensors in loops of its own: keeps -O3, one object a source
function(parity_library name)
  cmake_parse_arguments(arg "TORCH;NUMBERS" "" "SOURCES;LINKS" ${ARGN})
  add_library(parity_${name} STATIC ${arg_SOURCES})
  add_library(parity::${name} ALIAS parity_${name})
  target_link_libraries(parity_${name} PRIVATE parity::options PUBLIC ${arg_LINKS})
  target_compile_features(parity_${name} PUBLIC cxx_std_20)
  target_include_directories(parity_${name} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
  if(arg_TORCH)
    target_link_libraries(parity_${name} PUBLIC parity::torch)
  endif()
  parity_compile_cheaply(parity_${name} ${ARGN})
endfunction()

# parity_program(NAME SOURCES main.cpp LINKS ... [TORCH] [NUMBERS]): an executable in <build>/bin.
function(parity_program name)
  cmake_parse_arguments(arg "TORCH;NUMBERS" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE parity::options ${arg_LINKS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(arg_TORCH)
    target_link_libraries(${name} PRIVATE parity::torch)
  endif()
  parity_compile_cheaply(${name} ${ARGN})
endfunction()

# parity_test(NAME SOURCES a_test.cpp ... LINKS ... [TORCH] [LABELS slow ...] [TIMEOUT 1800] [SHARDS 2] [COST 60]
#             [SLOW_TESTS Pattern.* ...])
# A GoogleTest program and one CTest entry a shard: loading LibTorch for each test would take longer than most tests.
#   TIMEOUT  of a shard [seconds]
#   SHARDS   processes that share its tests, for programs that keep one core busy while the other one waits
#   COST     about how long a shard takes [seconds]; CTest starts the dearest first
#   SLOW_TESTS  patterns of GoogleTest's filter: tests of over 15 seconds, which get an entry NAME.slow with the label
#               slow. The entry NAME.slow_patterns fails if a pattern matches no test
# Every test is listed in <build>/junit. Tests find the tree, the build and Python through tests/support/places.hpp.
function(parity_test name)
  cmake_parse_arguments(arg "TORCH" "TIMEOUT;SHARDS;COST" "SOURCES;LINKS;LABELS;SLOW_TESTS" ${ARGN})
  foreach(pair IN ITEMS "TIMEOUT 1800" "SHARDS 1" "COST 0")
    separate_arguments(pair)
    list(GET pair 0 key)
    if(NOT arg_${key})
      list(GET pair 1 arg_${key})
    endif()
  endforeach()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE parity::options ${arg_LINKS} parity_test_places GTest::gmock
    GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(arg_TORCH)
    target_link_libraries(${name} PRIVATE parity::torch)
  endif()
  parity_compile_cheaply(${name} TESTS ${ARGN})
  set(others "")
  list(JOIN arg_SLOW_TESTS ":" slow)
  if(slow)
    set(others "--gtest_filter=-${slow}")
    _parity_test_entry(${name}.slow ${name} "slow;${arg_LABELS}" "--gtest_filter=${slow}" ${arg_TIMEOUT} 0 "")
    add_test(NAME ${name}.slow_patterns
      COMMAND "${PARITY_VENV}/bin/python" "${PROJECT_SOURCE_DIR}/tests/support/slow_patterns.py" $<TARGET_FILE:${name}>
              ${arg_SLOW_TESTS})
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(entry ${name})
    if(arg_SHARDS GREATER 1)
      set(entry ${name}.${shard})
    endif()
    _parity_test_entry(${entry} ${name} "${arg_LABELS}" "${others}" ${arg_TIMEOUT} ${arg_COST}
      "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# One thread a test: several run side by side.
function(_parity_test_entry entry program labels filter timeout cost environment)
  add_test(NAME ${entry} COMMAND ${program} --gtest_brief=1 ${filter}
    "--gtest_output=xml:${PROJECT_BINARY_DIR}/junit/${entry}.xml")
  set_tests_properties(${entry} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}" COST ${cost}
    ENVIRONMENT "OMP_NUM_THREADS=1;${environment}")
endfunction()
