// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FUZZ_READER_H
#define PHOTONIC_RAILS_FUZZ_READER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace fuzz
{

/// A reader of bytes from outside: gives the bytes to the module, and aborts if a promise of the
/// module does not hold for them.
struct Reader
{
    std::string name; //!< as in --reader=NAME, and of its folder in the corpus
    void (*read)(const std::string& bytes); //!< reads an input
};

/// @return the readers of what nodes send each other
std::vector<Reader> GetWireReaders();
/// @return the readers of files that describe something
std::vector<Reader> GetFileReaders();
/// @return the readers of what ranks do
std::vector<Reader> GetTraceReaders();
/// @return the readers of flags, and of files that hold flags
std::vector<Reader> GetFlagReaders();

/// Abort, with a message, unless a condition holds. @param promise what does not hold
void Require(bool holds, const std::string& promise);

/// Abort unless a text is empty or one line of printable characters. @param error of a reader
void RequireLine(const std::string& error);

/**
 * @brief Write an input into a file, in memory if the system has a folder there.
 * @param name of the file, in a folder of this process
 * @param bytes content of the file
 * @return the path of the file
 */
std::string WriteInput(const std::string& name, const std::string& bytes);

} // namespace fuzz
} // namespace ns3

#endif // PHOTONIC_RAILS_FUZZ_READER_H
