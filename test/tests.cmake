# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of the standalone build; standalone.cmake includes this file.

# What a test may need to find: the programs under test and the sources.
set(test_definitions
    PHOTONIC_RAILS_EXAMPLES_DIR="${CMAKE_BINARY_DIR}/examples"
    PHOTONIC_RAILS_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
    NS_TEST_SOURCEDIR="${CMAKE_CURRENT_SOURCE_DIR}/test"
)

# Pure code: plain GoogleTest.
add_executable(photonic-rails-unit-tests ${photonic_rails_units})
target_link_libraries(
  photonic-rails-unit-tests PRIVATE ${photonic_rails_part_libraries} photonic-rails GTest::gtest_main
)

# What touches the simulator: ns-3 suites behind a GoogleTest main. They are
# sources of the executable, since their registration is a static object.
add_executable(
  photonic-rails-suites test/bridge/ns3-suites-main.cc ${photonic_rails_suites}
                        ${photonic_rails_tested_parts}
)
target_link_libraries(photonic-rails-suites PRIVATE photonic-rails GTest::gtest)

photonic_rails_group_files(${photonic_rails_units} ${photonic_rails_suites})
photonic_rails_unite(photonic-rails-unit-tests photonic-rails-suites)
foreach(program photonic-rails-unit-tests photonic-rails-suites)
  target_include_directories(${program} PRIVATE ${private_stub_root})
  target_compile_definitions(${program} PRIVATE ${test_definitions})
  target_compile_options(${program} PRIVATE ${cold_options})
endforeach()

# photonic_rails_find_folders(VARIABLE FILE): the folders of the module whose headers a test includes,
# also through headers of tests and of programs, and those that its comment names by a line
# `* Covers FOLDER`, since a test of flags includes none. With `ctest -L model/opus/scheduler` one runs
# what tests that folder.
foreach(header ${photonic_rails_headers})
  get_filename_component(name ${header} NAME)
  get_filename_component(folder_of_${name} ${header} DIRECTORY)
endforeach()
function(photonic_rails_find_folders variable file)
  get_filename_component(here ${file} DIRECTORY)
  set(files ${file})
  set(folders)
  while(files)
    list(POP_FRONT files next)
    list(APPEND seen ${next})
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${next} lines REGEX "^#include \"|^ [*] Covers [a-z/-]+$")
    foreach(line ${lines})
      if(line MATCHES "Covers (.*)")
        list(APPEND folders ${CMAKE_MATCH_1})
        continue()
      endif()
      string(REGEX REPLACE "^#include \"(ns3/)?([^\"]*)\".*" "\\2" name ${line})
      if(DEFINED folder_of_${name})
        list(APPEND folders ${folder_of_${name}})
      elseif(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${here}/${name} AND NOT ${here}/${name} IN_LIST seen)
        list(APPEND files ${here}/${name})
        string(REGEX MATCH "examples/[a-z-]+" program ${name})
        list(APPEND folders ${program})
      endif()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES folders)
  set(${variable} ${folders} PARENT_SCOPE)
endfunction()

# A process for all unit tests of a file: there are a thousand, and starting one takes longer than
# most of them.
foreach(file ${photonic_rails_units})
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${file} lines REGEX "^TEST(_F|_P)?\\(")
  if(NOT lines) # what tests compare with
    continue()
  endif()
  set(filter)
  foreach(line ${lines})
    string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9]+).*" "\\1" suite ${line})
    list(APPEND filter "${suite}.*" "*/${suite}.*")
  endforeach()
  list(REMOVE_DUPLICATES filter)
  foreach(suite ${filter})
    if(suite IN_LIST all_filters)
      message(FATAL_ERROR "${file}: another file has tests ${suite}, which would run twice")
    endif()
  endforeach()
  list(APPEND all_filters ${filter})
  list(JOIN filter ":" filter)
  string(REGEX REPLACE ".*/(.*)-test[.]cc$" "\\1-unit" name ${file})
  photonic_rails_find_folders(folders ${file})
  # Those with parameters go through thousands of cases: first, and in four processes.
  set(shards 1)
  set(cost 0)
  if(lines MATCHES "TEST_P")
    set(shards 4)
    set(cost 5)
  endif()
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    string(REGEX REPLACE "-1$" "" test "${name}-${shard}")
    add_test(NAME ${test} COMMAND photonic-rails-unit-tests --gtest_filter=${filter})
    set_tests_properties(
      ${test}
      PROPERTIES LABELS "unit;${folders}"
                 TIMEOUT 600
                 COST ${cost}
                 ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}"
                 FAIL_REGULAR_EXPRESSION "Running 0 tests"
    )
  endforeach()
endforeach()

# A process for each suite: ns-3 keeps some state from one simulation to the next.
foreach(file ${photonic_rails_suites})
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${file} lines REGEX "TestSuite\\(\"photonic-rails-")
  photonic_rails_find_folders(folders ${file})
  foreach(line ${lines})
    string(REGEX REPLACE ".*TestSuite\\(\"photonic-rails-([a-z0-9-]+)\".*" "\\1" suite ${line})
    string(REPLACE "-" "_" filter "Ns3.photonic_rails_${suite}")
    add_test(NAME ${suite}-suite COMMAND photonic-rails-suites --gtest_filter=${filter})
    set_tests_properties(
      ${suite}-suite PROPERTIES LABELS "suite;${folders}" TIMEOUT 1800 COST 2
                                FAIL_REGULAR_EXPRESSION "Running 0 tests"
    )
  endforeach()
endforeach()

# What looks at the programs from outside: scripts, exit code 0 is a pass, 77 that something is not
# installed.
file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/system/*-test.*)
foreach(script ${scripts})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME ${name} COMMAND ${script} ${CMAKE_BINARY_DIR}/examples)
  set_tests_properties(
    ${name} PROPERTIES LABELS system TIMEOUT 600 COST 10 SKIP_RETURN_CODE 77
  )
endforeach()

# With clang, on request: a libFuzzer target for each reader of bytes from outside, in one program. Each
# has a folder of inputs to begin with.
if(PHOTONIC_RAILS_FUZZ)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/*.cc)
  add_executable(photonic-rails-fuzz ${fuzz_sources})
  target_include_directories(photonic-rails-fuzz PRIVATE ${private_stub_root})
  target_compile_options(photonic-rails-fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(photonic-rails-fuzz PRIVATE -fsanitize=fuzzer)
  target_link_libraries(photonic-rails-fuzz PRIVATE photonic-rails)
  file(GLOB corpora CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/corpus/*)
  foreach(corpus ${corpora})
    get_filename_component(reader ${corpus} NAME)
    add_test(NAME fuzz-${reader} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/search ${reader}
                                         ${CMAKE_BINARY_DIR}
    )
    set_tests_properties(fuzz-${reader} PROPERTIES LABELS fuzz TIMEOUT 1200 COST 3)
  endforeach()
endif()
