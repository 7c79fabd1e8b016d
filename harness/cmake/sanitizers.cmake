# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# PARITY_SANITIZE=address (with undefined behaviour) or thread, for everything compiled after this.

set(PARITY_SANITIZE "" CACHE STRING "Sanitizer: empty, address or thread")
if(PARITY_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(PARITY_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(PARITY_SANITIZE)
  message(FATAL_ERROR "PARITY_SANITIZE=${PARITY_SANITIZE} is not known; use address or thread")
endif()
if(PARITY_SANITIZE)
  # GCC 12 finds such values inside <regex> and torch's headers once code is instrumented.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
