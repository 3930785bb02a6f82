// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTION_GROUP_H
#define PHOTONIC_RAILS_OPTION_GROUP_H

#include "option.h"

#include "ns3/string.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A table of options, in the order of their declaration.
 *
 * Options are members of a class that derives from this one, and so are groups inside the group.
 * Both add themselves when they are constructed:
 * @code
 * struct NicSettings : OptionGroup
 * {
 *     using OptionGroup::OptionGroup;
 *     OptionHeading heading{this, "fabric"};
 *     CountOption nicPorts{this, "nicPorts", 2, CountLimits::OneOf({1, 2, 4}), "ports of a NIC"};
 * };
 * @endcode
 */
class OptionGroup
{
  public:
    /// Names of options and their values, as text.
    using Settings = std::vector<std::pair<std::string, std::string>>;

    /// @param parent the group that has this one as a member, if there is one
    explicit OptionGroup(OptionGroup* parent = nullptr);
    virtual ~OptionGroup() = default;
    OptionGroup(const OptionGroup&) = delete;
    OptionGroup& operator=(const OptionGroup&) = delete;

    /// @param option that is a member of this group
    void Add(Option* option);

    /// @param heading of the options that follow
    void SetHeading(const std::string& heading)
    {
        m_heading = heading;
    }

    /// @return the heading of the options that follow
    const std::string& GetHeading() const
    {
        return m_heading;
    }

    /// @return all options, including options of groups inside this one
    const std::vector<Option*>& GetOptions() const
    {
        return m_options;
    }

    /// @param name of a flag @return the option, or nullptr
    Option* Find(const std::string& name) const;

    /// @param cmd receives a flag for each option; this object must not move until the flags have
    /// been parsed
    void AddFlags(CommandLine& cmd) const;

    /// @return the first error that an option finds in its own value
    std::string CheckOptions() const;
    /// @return an error if an option was given that has no effect beside others
    std::string CheckNeeds() const;
    /// @return an error if the user has set an attribute that the program sets from an option
    std::string CheckAttributes() const;

    /**
     * @brief Set the attributes of a class that options are the values of (see OptionHelp::Sets).
     * @param type the class, "ns3::Class"
     * @param helper that makes objects of the class
     * @param set method of the helper that sets an attribute of these objects
     */
    template <class Helper, class Setter>
    void SetAttributes(const std::string& type, Helper& helper, Setter set) const
    {
        for (const auto* option : m_options)
        {
            for (const auto& [name, value] : option->GetAttributes(type))
            {
                (helper.*set)(name, StringValue(value));
            }
        }
    }

    /// @return the files that exist and that the program reads because of an option: their paths
    /// behind all links. Of the traces of many ranks, the groups and those of rank 0.
    std::vector<std::string> GetReadFiles() const;
    /// @return an error if a file cannot be written, if two options write the same one, or if
    /// another option reads the file
    std::string CheckFiles() const;

    /// @return the options that affect results, with the given text or the default, then the
    /// attributes that the flags of this process have set, and seeds that are not the default
    Settings GetList() const;
    /// @return the seeds of random numbers (RngSeed, RngRun) that are not the default, 1
    static Settings GetSeeds();
    /// @return the options that are empty, with the value in force, after Check
    Settings GetDerived() const;
    /// @return the options that affect results, with the value in force, after Check
    Settings GetInForce() const;
    /// @param settings options with the given texts @param derived values in force of the options
    /// that are empty
    /// @return the options with the values in force
    static Settings WithDerived(Settings settings, const Settings& derived);
    /// @return options that a file of flags may give, with their defaults
    Settings GetJobSettings() const;

    /**
     * @param arguments of a program, its name first
     * @param part a group inside this one
     * @return the name, the flags of that group, and flags that are no options
     */
    std::vector<std::string> SelectArguments(const std::vector<std::string>& arguments,
                                             const OptionGroup& part) const;

    /// Remove the flags of these options; the options keep their values.
    void Fix();
    /// Remove these options from flags and settings.
    void Omit();
    /// @param names of options that take several values in turn
    void Vary(const std::vector<std::string>& names);
    /// @return the headings, in the order of the options
    std::vector<std::string> GetHeadings() const;
    /**
     * @brief Write help.
     * @param os receives the help
     * @param program name of the program
     * @param page empty for the options that matter most, a heading, or all
     * @return false if there is no such page
     */
    bool WriteHelp(std::ostream& os, const std::string& program, const std::string& page) const;

    /**
     * @brief Write all flags as JSON, for programs that draw some: an array of objects with name,
     * heading, default, help, one_run (whether the flag is about the results of one run), kind,
     * least, most and choices (see OptionDomain).
     * @param os receives the JSON
     */
    void WriteJson(std::ostream& os) const;

  private:
    OptionGroup* m_parent;
    std::string m_heading{"program"};
    std::vector<Option*> m_options;
};

/// Options of a group that are declared after this member stand under a heading of help.
struct OptionHeading
{
    /**
     * @param group that has this as a member
     * @param heading one word
     */
    OptionHeading(OptionGroup* group, const std::string& heading);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPTION_GROUP_H
