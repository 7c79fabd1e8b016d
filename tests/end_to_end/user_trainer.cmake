# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Versions of user_trainer.cpp that differ from it by one patched line. patched_trainer_test.cpp states where each
# of them shows.

# user_trainer(VERSION [BEFORE AFTER]): the program user_trainer_VERSION, with AFTER in place of BEFORE.
function(user_trainer version)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/user_trainer.cpp")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  if(ARGC GREATER 1)
    file(READ "${source}" text)
    string(FIND "${text}" "${ARGV1}" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "user_trainer.cpp has no line with '${ARGV1}'")
    endif()
    string(REPLACE "${ARGV1}" "${ARGV2}" text "${text}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/user_trainer_${version}.cpp")
    file(GENERATE OUTPUT "${source}" CONTENT "${text}")
  endif()
  add_executable(user_trainer_${version} "${source}")
  target_link_libraries(user_trainer_${version} PRIVATE parity::options parity::recorder_c)
  set_target_properties(user_trainer_${version} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_dependencies(patched_trainer_test user_trainer_${version})
endfunction()

user_trainer(whole)
user_trainer(other_batch "step % 4" "step == 5 ? 0 : step % 4")
user_trainer(other_seed "40 + static_cast<uint32_t>(layer)" "40 + static_cast<uint32_t>(layer == 1 ? 9 : layer)")
user_trainer(shared_weight "forward(model.x[layer], model.weight[layer])"
             "forward(model.x[layer], model.weight[step == 2 ? 0 : layer])")
user_trainer(mean_over_rows "dx[i] = 2 * gap / (rows * width)" "dx[i] = 2 * gap / rows")
user_trainer(transposed "slope * weight[o * width + i]" "slope * weight[i * width + o]")
user_trainer(lost_row "+= slope * x[b * width + i]" "+= layer == 2 && b == 7 ? 0 : slope * x[b * width + i]")
user_trainer(faster_momentum "momentum[layer][i] = 0.9F" "momentum[layer][i] = (step == 8 && layer == 1 ? 0.8F : 0.9F)")
user_trainer(late_rate "step <= 6" "step <= 7")
user_trainer(short_norm "for (const Matrix& gradient : model.gradient)"
             "for (const Matrix& gradient : {model.gradient[0], model.gradient[2]})")
user_trainer(half_norm "i = 0; i < gradient.size()" "i = &gradient == &model.gradient[1] ? 18 : 0; i < gradient.size()")
user_trainer(other_norm "return std::sqrt(square)" "return std::sqrt(square) * (1 + 0x1p-40)")
