# SPDX-License-Identifier: Apache-2.0
# Run by ctest: see CMakeLists.txt. Everything happens below WORK_DIR, from nothing each time.
set(prefix ${WORK_DIR}/prefix)
set(consumer_build ${WORK_DIR}/consumer-build)
file(REMOVE_RECURSE ${prefix} ${consumer_build})

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
endfunction()

run("cmake --install" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run("configuring the consumer" ${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${consumer_build} -G ${GENERATOR}
  -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_PREFIX_PATH=${prefix})
run("building the consumer" ${CMAKE_COMMAND} --build ${consumer_build})

# The consumer must have seen nothing but the installed package.
file(READ ${consumer_build}/CMakeCache.txt cache)
string(REGEX MATCH "pmufab_DIR:PATH=([^\n]*)" found "${cache}")
string(FIND "${CMAKE_MATCH_1}" "${prefix}/" position)
if(NOT position EQUAL 0)
  message(FATAL_ERROR "the consumer found pmufab in '${CMAKE_MATCH_1}', not in ${prefix}")
endif()

# The command finds the library it preloads where it was installed.
run("perf on the installed command" ${prefix}/bin/pmufab shell --driver-dir ${DRIVERS_DIR} --
  perf stat -a -e nvidia_ucf_pmu_0/cycles/ sleep 0.01)

foreach(program own_pmu own_platform)
  run("running ${program}" ${consumer_build}/${program})
endforeach()
