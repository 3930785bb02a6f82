// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FLAG_H
#define PHOTONIC_RAILS_FLAG_H

#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <istream>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @file
 * Flags of the programs: what was given as text, and the value that Check makes of it. A flag is
 * read in full, and a wrong one is answered in one line that names it and what is allowed.
 */

/**
 * @param flag name of a flag, without dashes
 * @param value as it was given
 * @param allowed what would have been allowed
 * @return "--flag=value is not allowed: it must be ..."
 */
std::string RefuseFlag(const std::string& flag,
                       const std::string& value,
                       const std::string& allowed);

/**
 * @param flag name of a flag whose value is a file
 * @param file the file
 * @return an error if it cannot be written; an existing one is left as it is
 */
std::string CheckWritable(const std::string& flag, const std::string& file);

/// The text of a flag as it was given: of its own texts ns-3 keeps what is before the first blank.
struct FlagText
{
    std::string text;
};

/// Read all there is.
std::istream& operator>>(std::istream& is, FlagText& text);
/// Write it.
std::ostream& operator<<(std::ostream& os, const FlagText& text);

/**
 * @param settings flags and what was given
 * @param derived flags that were not given and what holds instead
 * @return flags and what holds
 */
std::vector<std::pair<std::string, std::string>> WithDerived(
    std::vector<std::pair<std::string, std::string>> settings,
    const std::vector<std::pair<std::string, std::string>>& derived);

/// What flags have in common; also one whose value is any text.
class Flag
{
  public:
    /**
     * @param name without dashes
     * @param initial the default, as text
     */
    Flag(std::string name, std::string initial);

    /**
     * @param cmd gets the flag; this object must stay where it is until it has been parsed
     * @param help what it is
     */
    void AddTo(CommandLine& cmd, const std::string& help);

    /// @return the name, without dashes
    const std::string& GetName() const;
    /// @return what was given, or the default
    const std::string& GetText() const;
    /// @param text as if it had been given
    void SetText(const std::string& text);

  protected:
    /// @return the line that refuses the text
    std::string Refuse(const std::string& allowed) const;

  private:
    std::string m_name;
    FlagText m_text;
};

/**
 * @param flag whose value is a file, or empty
 * @return an error if it cannot be written
 */
std::string CheckWritable(const Flag& flag);

/// A whole number.
class CountFlag : public Flag
{
  public:
    /**
     * @param name without dashes
     * @param initial the default
     * @param least smallest number allowed
     * @param most largest number allowed
     */
    CountFlag(const std::string& name,
              uint32_t initial,
              uint32_t least = 0,
              uint32_t most = std::numeric_limits<uint32_t>::max());

    /**
     * @brief A number that need not be given; the default is that it is not.
     * @param name without dashes
     * @param least smallest number allowed
     * @return the flag
     */
    static CountFlag Optional(const std::string& name, uint32_t least);

    /// @return an empty string, or what is wrong
    std::string Check();
    /// @return true if a number was given or is the default
    bool IsGiven() const;
    /// @return the number, after Check
    uint32_t Get() const;

  private:
    uint32_t m_value;
    uint32_t m_least;
    uint32_t m_most;
    bool m_optional{false}; //!< it may be left empty
};

/// A number that need not be whole.
class NumberFlag : public Flag
{
  public:
    /**
     * @param name without dashes
     * @param initial the default, as text; empty if there is none, and none may be given
     * @param least smallest number allowed
     * @param most largest number allowed
     */
    NumberFlag(const std::string& name, const std::string& initial, double least, double most);

    /// @return an empty string, or what is wrong
    std::string Check();
    /// @return true if a number was given or is the default
    bool IsGiven() const;
    /// @return the number, after Check
    double Get() const;

  private:
    double m_value{0};
    double m_least;
    double m_most;
    bool m_optional; //!< it may be left empty
};

/// A size in bytes: 4096, 64K, 1M or 1MiB; K, M and G count 1024 as in nccl-tests.
class BytesFlag : public Flag
{
  public:
    /**
     * @param name without dashes
     * @param initial the default, as text
     * @param least smallest size allowed
     */
    BytesFlag(const std::string& name, const std::string& initial, uint64_t least);

    /// @return an empty string, or what is wrong
    std::string Check();
    /// @return the size, after Check
    uint64_t Get() const;

  private:
    uint64_t m_value{0};
    uint64_t m_least;
};

/// A time from zero to a bound.
class TimeFlag : public Flag
{
  public:
    /**
     * @param name without dashes
     * @param initial the default, as text; empty if there is none, and none may be given
     * @param mostSeconds the bound
     * @param allowed what is said when it is wrong
     */
    TimeFlag(const std::string& name,
             const std::string& initial,
             double mostSeconds,
             const std::string& allowed);

    /// @return an empty string, or what is wrong
    std::string Check();
    /// @return true if a time was given or is the default
    bool IsGiven() const;
    /// @return the time, after Check
    Time Get() const;

  private:
    Time m_value;
    bool m_optional; //!< it may be left empty
    double m_mostSeconds;
    std::string m_allowed;
};

/// One of several names.
class ChoiceFlag : public Flag
{
  public:
    /**
     * @param name without dashes
     * @param initial the default; empty if there is none, and none may be given
     * @param choices what is allowed
     */
    ChoiceFlag(const std::string& name,
               const std::string& initial,
               std::vector<std::string> choices);

    /// @return an empty string, or what is wrong
    std::string Check() const;
    /// @return the choices in a row
    std::string GetChoices() const;

  private:
    std::vector<std::string> m_choices;
    bool m_optional; //!< it may be left empty
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FLAG_H
