# SPDX-License-Identifier: Apache-2.0
# ctest runs this: see CMakeLists.txt. Everything happens below WORK_DIR, from nothing each time.
set(prefix ${WORK_DIR}/prefix)
set(elsewhere ${WORK_DIR}/elsewhere)
set(pmufab ${prefix}/bin/pmufab)
file(REMOVE_RECURSE ${prefix} ${elsewhere} ${WORK_DIR}/cache ${WORK_DIR}/models ${WORK_DIR}/own_soc
  ${WORK_DIR}/own_fabric)
file(MAKE_DIRECTORY ${elsewhere})
# The installation's user has an own cache and nothing of the build.
set(ENV{XDG_CACHE_HOME} ${WORK_DIR}/cache)
unset(ENV{PMUFAB_DRIVERS})

# expect(STATUS WHAT COMMAND...): runs COMMAND, which must end with STATUS. Its output is left in `output`.
function(expect expected what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${elsewhere}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL expected)
    message(FATAL_ERROR "${what}: exit code ${status}, not ${expected}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(run what)
  expect(0 "${what}" ${ARGN})
  set(output "${output}" PARENT_SCOPE)
endfunction()
# must_print(WHAT TEXT): the output of the last command contains TEXT.
function(must_print what text)
  string(FIND "${output}" "${text}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${what} does not print '${text}':\n${output}")
  endif()
endfunction()

run("cmake --install" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
foreach(file share/man/man1/pmufab.1 share/man/man1/pmufab-driver-fetch.1 share/bash-completion/completions/pmufab
    share/doc/pmufab/LICENSE)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
file(GLOB_RECURSE drivers ${prefix}/pmufab_drivers.so ${prefix}/arm_cspmu.c)
if(drivers)
  message(FATAL_ERROR "Linux drivers are installed: ${drivers}")
endif()

# Without drivers the command recommends what to do, and that works.
expect(2 "pmufab list without drivers" ${pmufab} list)
must_print("pmufab list without drivers" "pmufab driver fetch")
file(GLOB kernels ${LINUX_SOURCES}/[0-9]*)
list(SORT kernels COMPARE NATURAL)
list(POP_BACK kernels kernel)
run("pmufab driver fetch" ${pmufab} driver fetch --from ${kernel})
must_print("pmufab driver fetch" "Driver sets in ${WORK_DIR}/cache/pmufab/drivers")
run("pmufab list" ${pmufab} list)
must_print("pmufab list" "nvidia_ucf_pmu_0/slc_access_rd/")

# An installed scenario, by name.
run("pmufab run NAME" ${pmufab} run cmem-one-controller)
must_print("pmufab run NAME" "PASSED: cmem-one-controller")
expect(2 "pmufab run with an unknown name" ${pmufab} run cmem-one-controler)
must_print("pmufab run with an unknown name" "did you mean 'cmem-one-controller'?")

# A script for silicon finds its module.
run("pmufab serve" ${pmufab} serve tegra410-1s-small -- python3 -c
  "from arm_ds.debugger_v1 import Debugger, DebugException\nprint('served', Debugger().readMemoryValue(0x10000400))")
must_print("pmufab serve" "served 0")

# A user's own driver, compiled with the installed files.
file(COPY ${kernel}/drivers/perf/arm_cspmu/nvidia_cspmu.c DESTINATION ${elsewhere}/my)
run("pmufab driver build" ${pmufab} driver build my/nvidia_cspmu.c)
run("pmufab list with one's own driver" ${pmufab} list --driver my/nvidia_cspmu.so)
must_print("pmufab list with one's own driver" "nvidia_ucf_pmu_0/slc_access_rd/")

# The commands of the ready-made jobs for CI services, once if both have the same. What they fetch is there already.
set(ENV{PATH} "${prefix}/bin:$ENV{PATH}")
set(ran)
foreach(job github-actions gitlab-ci)
  file(STRINGS ${prefix}/share/doc/pmufab/examples/ci/${job}.yml commands REGEX "^ *(- |run: )pmufab ")
  list(TRANSFORM commands REPLACE "^ *(- |run: )" "")
  list(TRANSFORM commands REPLACE " .. status=.*" "")
  # Below, with a driver that takes less time.
  list(FILTER commands EXCLUDE REGEX "^pmufab review my/nvidia_cspmu.c --markdown review.md$")
  list(LENGTH commands count)
  if(count LESS 3)
    message(FATAL_ERROR "${job}.yml has ${count} commands of pmufab")
  endif()
  if("${commands}" STREQUAL "${ran}")
    continue()
  endif()
  set(ran "${commands}")
  file(REMOVE_RECURSE ${elsewhere}/results.xml ${elsewhere}/results ${elsewhere}/my/nvidia_cspmu.so)
  foreach(command IN LISTS commands)
    run("${job}: ${command}" sh -c "${command}")
  endforeach()
  file(READ ${elsewhere}/results.xml output)
  must_print("${job}'s report" "<testsuite")
endforeach()

file(COPY ${kernel}/drivers/perf/dwc_pcie_pmu.c DESTINATION ${elsewhere}/my)
run("pmufab review" ${pmufab} review my/dwc_pcie_pmu.c --for 1s --markdown review.md)
must_print("pmufab review" "SAME: same")

# The command finds the installed library that it preloads.
run("perf on the installed command" ${pmufab} shell -- perf stat -a -e nvidia_ucf_pmu_0/cycles/ sleep 0.01)

# The guest is prepared with the kernel sources that are there. A stand-in for the script prints what it is told.
set(script ${prefix}/share/pmufab/tools/guest/prepare)
file(RENAME ${script} ${script}.kept)
file(WRITE ${script} "#!/bin/sh\necho \"prepare $*\"\n")
file(CHMOD ${script} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
run("pmufab guest prepare" ${pmufab} guest prepare)
set(cache ${WORK_DIR}/cache/pmufab)
must_print("pmufab guest prepare" "prepare --sources ${cache}/linux-sources ${cache}/guest")
run("pmufab guest prepare --guest" ${pmufab} guest prepare --guest here --refresh)
must_print("pmufab guest prepare --guest" "prepare --refresh --sources ${cache}/linux-sources here")
set(ENV{PMUFAB_GUEST} ${WORK_DIR}/shared)
run("pmufab guest prepare with PMUFAB_GUEST" ${pmufab} guest prepare)
must_print("pmufab guest prepare with PMUFAB_GUEST" "linux-sources ${WORK_DIR}/shared")
unset(ENV{PMUFAB_GUEST})
file(RENAME ${script}.kept ${script})

# The steps of an integrator: find_package(pmufab) from a separate project, build, run.
foreach(example models own_soc own_fabric)
  set(build ${WORK_DIR}/${example})
  run("configuring ${example}" ${CMAKE_COMMAND} -S ${prefix}/share/doc/pmufab/examples/${example} -B ${build} -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_PREFIX_PATH=${prefix})
  run("building ${example}" ${CMAKE_COMMAND} --build ${build})
  # It must have seen only the installed package.
  file(READ ${build}/CMakeCache.txt cache)
  string(REGEX MATCH "pmufab_DIR:PATH=([^\n]*)" found "${cache}")
  string(FIND "${CMAKE_MATCH_1}" "${prefix}/" position)
  if(NOT position EQUAL 0)
    message(FATAL_ERROR "${example} found pmufab in '${CMAKE_MATCH_1}', not in ${prefix}")
  endif()
endforeach()
foreach(program own_pmu own_platform)
  run("running ${program}" ${WORK_DIR}/models/${program})
endforeach()
set(sets ${WORK_DIR}/cache/pmufab/drivers)
run("running own_soc" ${WORK_DIR}/own_soc/own_soc ${sets})
must_print("own_soc" ": exact")
expect(1 "running own_soc with a broken PMU" ${WORK_DIR}/own_soc/own_soc ${sets} --broken)
must_print("own_soc with a broken PMU" ": WRONG")
# With a driver of its user, as the example's page says.
file(READ ${prefix}/share/doc/pmufab/examples/own_soc/README.md page)
foreach(command "touch my_driver.c" "mkdir -p my/7.3" "pmufab driver build my_driver.c -o my/7.3/pmufab_drivers.so")
  string(FIND "${page}" "$ ${command}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "own_soc/README.md does not say: ${command}")
  endif()
  run("own_soc: ${command}" sh -c "${command}")
endforeach()
run("own_soc with an own driver" ${WORK_DIR}/own_soc/own_soc my)
must_print("own_soc with an own driver" ": exact")

# Plug-ins, with the installed command: the commands of their page.
set(plugins ${WORK_DIR}/own_fabric)
run("pmufab list with a plug-in" ${pmufab} list --sources ${plugins}/own_fabric.so)
must_print("pmufab list with a plug-in" "own.request")
run("pmufab run with a plug-in" ${pmufab} run ${plugins}/fabric.yaml)
must_print("pmufab run with a plug-in" "4 counters, none wrong")
expect(1 "pmufab run with a plug-in that loses events" ${pmufab} run ${plugins}/fabric.yaml
  --set platform.plugin_parameters.loses_every=100)
must_print("pmufab run with a plug-in that loses events" "4 of 4 counters wrong")
run("pmufab stat with a plug-in" ${pmufab} stat --platform ${plugins}/own_fabric.so
  -e arm_cspmu_acpi_OWNF0001_0/event=1,filter=0x2/)
must_print("pmufab stat with a plug-in" "1 counter, none wrong")
run("pmufab regs with a foreign target" ${pmufab} regs ${plugins}/timer-soc.yaml own_timer)
must_print("pmufab regs with a foreign target" "own_timer.registers at 0x28000000")
string(CONCAT script "from arm_ds.debugger_v1 import Debugger\nd = Debugger()\n"
  "d.writeMemoryValue(0x28000008, 7)\nprint('compare', d.readMemoryValue(0x28000008))")
run("pmufab serve with a foreign target" ${pmufab} serve ${plugins}/timer-soc.yaml -- python3 -c "${script}")
must_print("pmufab serve with a foreign target" "compare 7")
