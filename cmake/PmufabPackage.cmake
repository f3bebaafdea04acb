# SPDX-License-Identifier: Apache-2.0
# cpack: Debian packages of the command (pmufab) and of the libraries for other simulations (pmufab-dev). See
# docs/packaging.md. Include this last.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pmufab)
set(CPACK_PACKAGE_VENDOR "the pmufab authors")
set(CPACK_PACKAGE_CONTACT "the pmufab authors <pmufab@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME pmufab)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# pmufab driver fetch and driver build unpack archives and compile drivers with these.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "apt, ca-certificates, debian-archive-keyring, gcc, libc6-dev, xz-utils")
# pmufab shell runs these, valgrind records traces, and git, patch and python3 read the mails and diffs of driver build
# --patch.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "git, linux-perf, patch, pciutils, python3, valgrind")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "acpica-tools, bash-completion, device-tree-compiler, gawk, pmufab-dev")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Virtual platform for performance-monitoring hardware
 pmufab models PMU fabrics (NVIDIA Tegra410, Arm CMN, CXL) in SystemC, runs
 unmodified Linux PMU drivers on them, and checks every count the drivers
 report against an independent scoreboard.
 .
 The Linux drivers are not part of this package; pmufab driver fetch gets
 their sources from Debian and compiles them on your machine.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME pmufab-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "g++, libsystemc-dev, libboost-dev, libboost-program-options-dev, libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, make")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "pmufab")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Models, driver host and scoreboard of pmufab for other SystemC programs
 Static libraries, headers and a CMake package: find_package(pmufab).")

include(CPack)
