// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_PROGRAM_H
#define PHOTONIC_RAILS_TRAINING_PROGRAM_H

#include <string>

namespace ns3
{

/**
 * @brief A program that simulates a training job: the whole of photonic-rails-training.
 *
 * A program of a user's that registers a variant, such as a PipelineSchedule, and calls this from
 * its main has all flags, tables and files of photonic-rails-training, and its flags know the
 * variant. The resolution of time becomes a picosecond: in nanoseconds the times of packets would
 * be rounded.
 * @param argc number of arguments
 * @param argv arguments, the name of the program first
 * @param file __FILE__ of the program, from which --help takes its name
 * @return its exit code
 */
int RunTrainingProgram(int argc, char* argv[], const std::string& file);

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_PROGRAM_H
