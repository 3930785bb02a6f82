// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_EXPERIMENT_PROGRAMS_H
#define PHOTONIC_RAILS_EXPERIMENT_PROGRAMS_H

#include <string>

namespace ns3
{

/**
 * @file
 * Programs of examples/ as functions that a main calls, so that a program with variants of its own
 * (a CollectiveAlgorithm, a PipelineSchedule ...) has all their flags, tables and files: the flags
 * know every variant that is registered, and several in one program.
 *
 * Each takes the arguments of main and __FILE__ of the program, from which --help takes its name,
 * and returns the exit code. The resolution of time becomes a picosecond: in nanoseconds the times
 * of packets would be rounded.
 */

/// A training job: photonic-rails-training.
int RunTrainingProgram(int argc, char* argv[], const std::string& file);

/// A training job at many points: photonic-rails-sweep.
int RunSweepProgram(int argc, char* argv[], const std::string& file);

/// A collective in a range of sizes: photonic-rails-collectives.
int RunCollectivesProgram(int argc, char* argv[], const std::string& file);

/// The same traffic on several fabrics: photonic-rails-fabric-comparison.
int RunComparisonProgram(int argc, char* argv[], const std::string& file);

/// A training job on electrical and photonic networks, and the answer: photonic-rails-compare.
int RunCompareProgram(int argc, char* argv[], const std::string& file);

/// Several training jobs on one cluster: photonic-rails-jobs.
int RunJobsProgram(int argc, char* argv[], const std::string& file);

/**
 * @brief One of the programs above, which the first argument names: training, sweep, collectives,
 * comparison, compare or jobs. If the first argument is a flag, or if there is none, the program is
 * training.
 */
int RunNamedProgram(int argc, char* argv[], const std::string& file);

} // namespace ns3

#endif // PHOTONIC_RAILS_EXPERIMENT_PROGRAMS_H
