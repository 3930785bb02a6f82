# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of the standalone build; ../CMakeLists.txt includes this file.

include(GoogleTest)

# What a test may need to find: the programs under test and the sources.
set(test_definitions
    PHOTONIC_RAILS_EXAMPLES_DIR="${CMAKE_BINARY_DIR}/examples"
    PHOTONIC_RAILS_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
    NS_TEST_SOURCEDIR="${CMAKE_CURRENT_SOURCE_DIR}/test"
)

# Pure code: plain GoogleTest.
if(photonic_rails_units)
  add_executable(photonic-rails-unit-tests ${photonic_rails_units})
  target_compile_definitions(photonic-rails-unit-tests PRIVATE ${test_definitions})
  target_link_libraries(photonic-rails-unit-tests PRIVATE photonic-rails GTest::gtest_main)
  gtest_discover_tests(photonic-rails-unit-tests DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit)
endif()

# What touches the simulator: ns-3 suites behind a GoogleTest main. They are
# sources of the executable, since their registration is a static object.
if(photonic_rails_suites)
  add_executable(photonic-rails-suites test/bridge/ns3-suites-main.cc ${photonic_rails_suites})
  target_compile_definitions(photonic-rails-suites PRIVATE ${test_definitions})
  target_link_libraries(photonic-rails-suites PRIVATE photonic-rails GTest::gtest)
  gtest_discover_tests(
    photonic-rails-suites DISCOVERY_MODE PRE_TEST PROPERTIES LABELS suite TIMEOUT 600
  )
endif()

# The differential tests have to see when bursts are cut at a wrong place: once more with the source
# that says where, in place of the right one, compiled with a wrong rule.
set(burst_rule)
file(GLOB burst_sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${CMAKE_CURRENT_SOURCE_DIR}/model/rdma/rdma-burst-*.cc
)
foreach(source ${burst_sources})
  file(STRINGS ${source} mutations REGEX "PHOTONIC_RAILS_MUTATE_SPLIT")
  if(mutations)
    set(burst_rule ${source})
  endif()
endforeach()
if(photonic_rails_suites AND burst_rule)
  add_executable(
    photonic-rails-mutated
    ${burst_rule}
    "$<FILTER:$<TARGET_OBJECTS:photonic-rails>,EXCLUDE,/${burst_rule}>"
    "$<FILTER:$<TARGET_OBJECTS:photonic-rails-suites>,INCLUDE,/(ns3-suites-main|differential-[^/]*)[.]cc>"
  )
  target_compile_definitions(photonic-rails-mutated PRIVATE PHOTONIC_RAILS_MUTATE_SPLIT)
  target_include_directories(photonic-rails-mutated PRIVATE ${stub_root})
  target_link_libraries(photonic-rails-mutated PRIVATE ${ns3_modules} GTest::gtest)
  add_test(NAME differential-mutation
           COMMAND photonic-rails-mutated --gtest_filter=*differential_link_1
  )
  # Not any failure will do.
  set_tests_properties(
    differential-mutation
    PROPERTIES LABELS mutation TIMEOUT 600 PASS_REGULAR_EXPRESSION "the runs differ"
  )
endif()

# The random test of Opus has to see when a rule of the lease protocol is broken: once more with the
# sources that state these rules, compiled so that they break the one that is named.
set(opus_rules light recall order ranks limit grant sends suspend report room)
# Rules of recovery, which few scenarios depend on.
set(opus_recovery_rules twice log fence needed)
file(GLOB opus_files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${CMAKE_CURRENT_SOURCE_DIR}/model/opus/*/*.cc
)
set(opus_sources)
foreach(source ${opus_files})
  file(STRINGS ${source} rules REGEX "KeepsRule")
  if(rules)
    list(APPEND opus_sources ${source})
  endif()
endforeach()
list(JOIN opus_sources "|" opus_objects)
if(photonic_rails_suites)
  add_executable(
    photonic-rails-opus-mutated
    ${opus_sources}
    "$<FILTER:$<TARGET_OBJECTS:photonic-rails>,EXCLUDE,/(${opus_objects})[.]o>"
    "$<FILTER:$<TARGET_OBJECTS:photonic-rails-suites>,INCLUDE,/(ns3-suites-main|opus-random-[^/]*)[.]cc>"
  )
  target_compile_definitions(photonic-rails-opus-mutated PRIVATE PHOTONIC_RAILS_MUTATE_OPUS)
  target_include_directories(photonic-rails-opus-mutated PRIVATE ${stub_root})
  target_link_libraries(photonic-rails-opus-mutated PRIVATE ${ns3_modules} GTest::gtest)
  foreach(rule ${opus_rules} ${opus_recovery_rules})
    set(seeds 1-400)
    if(rule IN_LIST opus_recovery_rules)
      set(seeds 1-600)
    endif()
    add_test(NAME opus-mutation-${rule}
             COMMAND photonic-rails-opus-mutated --gtest_filter=*opus_random_1
    )
    set_tests_properties(
      opus-mutation-${rule}
      PROPERTIES LABELS mutation
                 TIMEOUT 600
                 ENVIRONMENT "PHOTONIC_RAILS_MUTATION=${rule};PHOTONIC_RAILS_DIFFERENTIAL=opus:${seeds}"
                 PASS_REGULAR_EXPRESSION "a rule is broken"
    )
  endforeach()
endif()

# What looks at the programs from outside: scripts, exit code 0 is a pass, 77 that something is not
# installed.
file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/system/*-test.*)
foreach(script ${scripts})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME ${name} COMMAND ${script} ${CMAKE_BINARY_DIR}/examples)
  set_tests_properties(
    ${name} PROPERTIES LABELS system TIMEOUT 600 SKIP_RETURN_CODE 77
  )
endforeach()
