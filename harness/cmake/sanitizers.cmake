# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# PARITY_SANITIZE for everything compiled after this: address (with undefined behaviour), thread, or fuzz (clang:
# address, undefined behaviour and what libFuzzer follows).
# Off everywhere: null. Those checks are most of a build's cost (a batch of harness/trace: 97 CPU seconds with them, 38
# without), and AddressSanitizer stops at a null pointer anyway.

set(PARITY_SANITIZE "" CACHE STRING "Sanitizer: empty, address, thread or fuzz")
if(PARITY_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null
                      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(PARITY_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(PARITY_SANITIZE STREQUAL "fuzz")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang; configure with the preset asan-harness")
  endif()
  # vptr: needs the libraries instrumented too.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr,null
                      -fno-sanitize-recover=undefined -fno-omit-frame-pointer -Wno-unknown-warning-option)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr)
elseif(PARITY_SANITIZE)
  message(FATAL_ERROR "PARITY_SANITIZE=${PARITY_SANITIZE} is not known; use address, thread or fuzz")
endif()
if(PARITY_SANITIZE AND NOT PARITY_SANITIZE STREQUAL "fuzz")
  # GCC 12 finds such values inside <regex> and torch's headers once code is instrumented.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
