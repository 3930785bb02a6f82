# SPDX-License-Identifier: GPL-2.0-only
#
# The build against an installed ns-3, without a tree: examples/run and test/run
# use it. ../CMakeLists.txt includes this file.

include(CheckCXXCompilerFlag)

option(PHOTONIC_RAILS_WERROR "Treat warnings as errors" ON)
option(PHOTONIC_RAILS_SANITIZE "AddressSanitizer, UBSan and assertions" OFF)
option(PHOTONIC_RAILS_COVERAGE "Count the executed lines and branches, with clang" OFF)
option(PHOTONIC_RAILS_FUZZ "libFuzzer targets of all readers, with clang" OFF)
option(PHOTONIC_RAILS_TESTS "Build the tests, if GoogleTest is installed" ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, ..." FORCE)
endif()
# CMake's -O3 takes a tenth longer to compile, and what it compiles is no faster here.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
# A program is not linked again because the code of a shared library has changed.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
find_program(PHOTONIC_RAILS_CCACHE ccache)
if(PHOTONIC_RAILS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PHOTONIC_RAILS_CCACHE})
endif()

photonic_rails_find_header(PHOTONIC_RAILS_BOOST_DIR boost/version.hpp libboost-dev)
photonic_rails_find_header(PHOTONIC_RAILS_JSON_DIR nlohmann/json.hpp nlohmann-json3-dev)

# No version is asked for: some releases compare it wrongly.
find_package(ns3 CONFIG REQUIRED)

# The exported targets name what was on the machine that built ns-3 (libxml2,
# Python, GSL, SQLite). Without that software here they would stop the build
# although nothing in this module needs it.
get_property(imported_targets DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${imported_targets})
  if(NOT target MATCHES "^ns3::")
    continue()
  endif()
  foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_LINK_LIBRARIES)
    get_target_property(entries ${target} ${property})
    if(NOT entries)
      continue()
    endif()
    set(present)
    foreach(entry ${entries})
      if(NOT IS_ABSOLUTE "${entry}" OR EXISTS "${entry}")
        list(APPEND present ${entry})
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES ${property} "${present}")
  endforeach()
endforeach()

# Targets are ns3::libcore up to 3.42 and ns3::core from 3.43.
set(ns3_modules)
foreach(module core network internet point-to-point)
  if(TARGET ns3::${module})
    list(APPEND ns3_modules ns3::${module})
  elseif(TARGET ns3::lib${module})
    list(APPEND ns3_modules ns3::lib${module})
  else()
    message(FATAL_ERROR "The installed ns-3 ${ns3_VERSION} has no module ${module}")
  endif()
endforeach()

# Programs may use every module that is installed, not only those of the library.
set(installed_modules)
foreach(target ${imported_targets})
  get_target_property(type ${target} TYPE)
  get_target_property(configuration ${target} IMPORTED_CONFIGURATIONS)
  if(target MATCHES "^ns3::" AND type STREQUAL "SHARED_LIBRARY" AND configuration)
    list(GET configuration 0 configuration)
    get_target_property(location ${target} IMPORTED_LOCATION_${configuration})
    if(EXISTS "${location}")
      list(APPEND installed_modules ${target})
    endif()
  endif()
endforeach()

# The headers of each release ask for the standard that it was built with.
if(ns3_VERSION VERSION_LESS 3.41)
  set(CMAKE_CXX_STANDARD 17)
elseif(ns3_VERSION VERSION_LESS 3.46)
  set(CMAKE_CXX_STANDARD 20)
else()
  set(CMAKE_CXX_STANDARD 23)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_compile_options(-Wall -Wpedantic)
# Units are long: without these limits, GCC spends a tenth of its time on looking for memory it could
# use again. It takes half a gigabyte instead.
set(garbage_limits --param=ggc-min-expand=200 --param=ggc-min-heapsize=500000)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(${garbage_limits})
endif()
# Debian's libraries are built with logging, which changes the size of classes.
# They are built without assertions, which change nothing but function bodies.
add_compile_definitions(NS3_LOG_ENABLE)
if(PHOTONIC_RAILS_SANITIZE)
  # GCC's flow warnings are unreliable in instrumented code: no -Werror here.
  add_compile_definitions(NS3_ASSERT_ENABLE)
  # AddressSanitizer finds the use of a null pointer, too: UBSan's question at each use is a sixth of the
  # time to compile.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=all
                      -fno-omit-frame-pointer
  )
  add_link_options(-fsanitize=address,undefined)
elseif(PHOTONIC_RAILS_WERROR)
  add_compile_options(-Werror)
endif()
if(PHOTONIC_RAILS_COVERAGE)
  string(APPEND CMAKE_CXX_FLAGS_DEBUG " -fprofile-instr-generate -fcoverage-mapping")
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(NS3_ASSERT_ENABLE)
endif()

# Sources say "ns3/NAME.h" for headers of this module too, as in a tree. Programs find the public
# headers only.
set(stub_root ${CMAKE_BINARY_DIR}/include)
set(private_stub_root ${CMAKE_BINARY_DIR}/include-private)
set(stubs)
# photonic_rails_write_stubs(FOLDER HEADER...): write a header into FOLDER/ns3 that includes HEADER, for
# each, and remove those of earlier times.
function(photonic_rails_write_stubs folder)
  set(written photonic-rails-module.h)
  foreach(header ${ARGN})
    get_filename_component(name ${header} NAME)
    if(name IN_LIST stubs)
      message(FATAL_ERROR "Two headers are named ${name}: ns-3 installs all in one folder")
    endif()
    list(APPEND stubs ${name})
    list(APPEND written ${name})
    file(GENERATE OUTPUT ${folder}/ns3/${name}
         CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n"
    )
  endforeach()
  file(GLOB old_stubs RELATIVE ${folder}/ns3 ${folder}/ns3/*.h)
  foreach(name ${old_stubs})
    if(NOT name IN_LIST written)
      file(REMOVE ${folder}/ns3/${name})
    endif()
  endforeach()
  set(stubs ${stubs} PARENT_SCOPE)
endfunction()
photonic_rails_write_stubs(${stub_root} ${photonic_rails_public_headers})
photonic_rails_write_stubs(${private_stub_root} ${photonic_rails_private_headers})
list(TRANSFORM photonic_rails_public REPLACE "(.+)" "#include \"\\1.h\"\n" OUTPUT_VARIABLE module_header)
list(JOIN module_header "" module_header)
file(GENERATE OUTPUT ${stub_root}/ns3/photonic-rails-module.h CONTENT "#pragma once\n${module_header}")

# Code that runs once in a simulation or once for a report is compiled for speed of compilation.
# Where code is instrumented, only what handles packets is worth an optimization.
set(cold_folders "^helper/|^model/analysis/")
set(cold_options $<$<CONFIG:Release>:-O1>)
set(hot_options)
if(PHOTONIC_RAILS_SANITIZE OR PHOTONIC_RAILS_COVERAGE)
  set(cold_folders "${cold_folders}|^model/workload/")
  set(hot_options $<$<CONFIG:Debug>:-O1>)
endif()
set(cold_sources ${photonic_rails_sources})
list(FILTER cold_sources INCLUDE REGEX "${cold_folders}")
set(hot_sources ${photonic_rails_sources})
list(REMOVE_ITEM hot_sources ${cold_sources})
add_library(photonic-rails-cold OBJECT ${cold_sources})
# Shared, or the linker would drop what nothing but a static registration names.
add_library(photonic-rails SHARED ${hot_sources} $<TARGET_OBJECTS:photonic-rails-cold>)
photonic_rails_group_files(${photonic_rails_sources})
# Nobody replaces its functions when it is loaded, so that they may be expanded where they are called.
check_cxx_compiler_flag(-fno-semantic-interposition PHOTONIC_RAILS_NO_INTERPOSITION)
foreach(target photonic-rails photonic-rails-cold)
  photonic_rails_unite(${target})
  target_include_directories(${target} PUBLIC ${stub_root} PRIVATE ${private_stub_root})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(PHOTONIC_RAILS_NO_INTERPOSITION)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endforeach()
target_compile_options(photonic-rails PRIVATE ${hot_options})
target_compile_options(photonic-rails-cold PRIVATE ${cold_options})
# What guides libFuzzer: counters in all code that reads bytes from outside, and not in the code that
# handles packets, which all other tests would wait for.
if(PHOTONIC_RAILS_FUZZ)
  target_compile_options(photonic-rails-cold PRIVATE -fsanitize=fuzzer-no-link)
  set(hot_readers ${hot_sources})
  list(FILTER hot_readers INCLUDE
       REGEX "/(roce-header|priority-flow-control|fabric-file|csv-row|json-reader|pip-plan|field-archive|\
opus-message|management-channel)[.]cc$"
  )
  set_source_files_properties(${hot_readers} PROPERTIES COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
endif()
# Optional.
set(photonic_rails_store)
foreach(target ns3::config-store ns3::libconfig-store)
  if(TARGET ${target})
    set(photonic_rails_store ${target})
  endif()
endforeach()
if(photonic_rails_store)
  list(APPEND ns3_modules ${photonic_rails_store})
  photonic_rails_define_for(PHOTONIC_RAILS_CONFIG_STORE attribute-flags.cc)
else()
  message(STATUS "photonic-rails: without config-store, set-ups cannot be saved and loaded")
endif()
set(photonic_rails_stats)
find_path(PHOTONIC_RAILS_SQLITE_DIR ns3/sqlite-output.h)
find_path(PHOTONIC_RAILS_SQLITE3_DIR sqlite3.h)
foreach(target ns3::stats ns3::libstats)
  if(TARGET ${target} AND PHOTONIC_RAILS_SQLITE_DIR AND PHOTONIC_RAILS_SQLITE3_DIR)
    set(photonic_rails_stats ${target})
  endif()
endforeach()
if(photonic_rails_stats)
  list(APPEND ns3_modules ${photonic_rails_stats})
  photonic_rails_use_sqlite()
else()
  message(STATUS "photonic-rails: without SQLite, records are comma-separated values")
endif()
photonic_rails_find_protobuf()
target_link_libraries(photonic-rails-cold PRIVATE ${ns3_modules} ${photonic_rails_protobuf})
target_link_libraries(photonic-rails PUBLIC ${ns3_modules} PRIVATE ${photonic_rails_protobuf})

add_custom_target(photonic-rails-examples)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
photonic_rails_find_solver()
photonic_rails_group_files(${photonic_rails_parts})
set(photonic_rails_part_libraries) # parts are compiled once for their program and its tests
foreach(source ${photonic_rails_examples})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  photonic_rails_find_parts(parts ${source})
  if(parts)
    add_library(${name}-parts OBJECT ${parts})
    photonic_rails_unite(${name}-parts)
    target_compile_options(${name}-parts PRIVATE ${cold_options})
    target_link_libraries(${name}-parts PUBLIC photonic-rails)
    target_include_directories(${name}-parts PUBLIC ${private_stub_root})
    target_link_libraries(${name} PRIVATE ${name}-parts)
    list(APPEND photonic_rails_part_libraries ${name}-parts)
  endif()
  target_link_libraries(${name} PRIVATE photonic-rails ${installed_modules})
  target_link_options(${name} PRIVATE LINKER:--as-needed) # loads what the program names only
  add_dependencies(photonic-rails-examples ${name})
endforeach()
if(TARGET photonic-rails-pip-switch-parts)
  target_link_libraries(photonic-rails-pip-switch-parts PUBLIC ${photonic_rails_solver})
endif()
# Programs of one's own, as in the folder scratch of an ns-3 tree. Built on request only, and warnings
# are no errors there.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/scratch)
file(GLOB scratch_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/scratch/*.cc)
foreach(source ${scratch_programs})
  get_filename_component(name ${source} NAME_WE)
  if(TARGET ${name})
    message(FATAL_ERROR "scratch/${name}.cc: ${name} is the name of something else, choose another")
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE photonic-rails ${installed_modules})
  target_compile_options(${name} PRIVATE -Wno-error)
endforeach()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)

if(PHOTONIC_RAILS_TESTS)
  find_package(GTest QUIET)
  if(GTest_FOUND)
    enable_testing()
    include(test/tests.cmake)
  else()
    message(STATUS "GoogleTest is not installed: tests are not built")
  endif()
endif()
