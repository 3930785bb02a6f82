// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTION_H
#define PHOTONIC_RAILS_OPTION_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"
#include "ns3/variant.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class CommandLine;
class Option;
class OptionGroup;

/**
 * @file
 * Options of the programs. Each is declared once, as a member of an OptionGroup, with its name,
 * default, limits and help; flags, files, help and JSON read that declaration. Values are read in
 * full. The answer to a wrong value is one line that names the flag and the allowed values.
 */

/**
 * @param flag name of a flag, without dashes
 * @param value the text given
 * @param allowed the allowed values
 * @return "--flag=value is not allowed: it must be ..."
 */
std::string RefuseFlag(const std::string& flag,
                       const std::string& value,
                       const std::string& allowed);

/**
 * @param flag name of a flag whose value is a file
 * @param file the file
 * @return an error if the file cannot be written; an existing file keeps its content
 */
std::string CheckWritable(const std::string& flag, const std::string& file);

/**
 * @param checks functions that return an empty string or an error
 * @return the first error, after which no check is called; an empty string if there is none
 */
template <typename... Checks>
std::string
FindError(const Checks&... checks)
{
    std::string error;
    static_cast<void>(((error = checks(), error.empty()) && ...));
    return error;
}

/// A condition, and the error if it holds.
using Objection = std::pair<bool, std::string>;
/// @param objections in the order of their weight
/// @return the error of the first condition that holds; an empty string if there is none
std::string FindObjection(const std::vector<Objection>& objections);

/// The properties of an option besides its value, for readers of help and for programs.
struct OptionHelp
{
    /// @param help one line; {} in it stands for the choices
    OptionHelp(const char* help)
        : text(help)
    {
    }

    /// @param help one line; {} in it stands for the choices
    OptionHelp(std::string help)
        : text(std::move(help))
    {
    }

    /// The option is on the first page of help.
    OptionHelp& First()
    {
        isFirst = true;
        return *this;
    }

    /// The option is not in the list of settings: results show it elsewhere, or not at all.
    OptionHelp& Unlisted()
    {
        isListed = false;
        return *this;
    }

    /// The option concerns the output of one run and is no setting of a job.
    OptionHelp& ForOneRun()
    {
        isForOneRun = true;
        return Unlisted();
    }

    /// The value is a file of further flags, see JobFile.
    OptionHelp& HoldsFlags()
    {
        holdsFlags = true;
        return Reads().Unlisted();
    }

    /**
     * @brief The program reads files that the value names, so that no other option may write them.
     * @param endings of these files after the value
     * @param own ending of the value itself, without which the value names no file
     */
    OptionHelp& Reads(std::vector<std::string> endings = {""}, std::string own = "")
    {
        readEndings = std::move(endings);
        ownEnding = std::move(own);
        return *this;
    }

    /// The option is the value of an attribute, see OptionGroup::SetAttributes.
    /// @param attribute "ns3::Class::Name"
    OptionHelp& Sets(const std::string& attribute)
    {
        attributes.push_back({attribute, true, true});
        return *this;
    }

    /// As Sets, for an option with an empty default: the default, a time or a rate, is that of the
    /// attribute. @param attribute name of the attribute
    OptionHelp& SetsWithDefault(const std::string& attribute);

    /// As Sets, but an option at its default does not set the attribute. @param attribute its name
    OptionHelp& SetsIfGiven(const std::string& attribute)
    {
        attributes.push_back({attribute, true, false});
        return *this;
    }

    /// The program computes an attribute from the option and others. @param attribute its name
    OptionHelp& Decides(const std::string& attribute)
    {
        attributes.push_back({attribute, false, true});
        return *this;
    }

    /// An attribute that the user must not set beside the option.
    struct Attribute
    {
        std::string name; //!< "ns3::Class::Name"
        bool isValue;     //!< the option is its value
        bool isAlways;    //!< it is set even if the option is not given
    };

    std::string text;                     //!< description
    bool isFirst{false};                  //!< on the first page
    bool isListed{true};                  //!< in the list of settings
    bool isForOneRun{false};              //!< no setting of a job
    bool holdsFlags{false};               //!< names a file of flags
    std::vector<std::string> readEndings; //!< see Reads
    std::string ownEnding;                //!< see Reads
    std::string initial;                  //!< the default of an attribute
    std::vector<Attribute> attributes;    //!< see Sets and Decides
};

/// A condition on another option, without which an option has no effect.
struct OptionNeed
{
    const Option* other;         //!< the option that decides
    std::function<bool()> holds; //!< whether the condition holds
    std::string allowed;         //!< how to make it hold; empty: by giving the other option
};

/// The values of an option, for programs that draw some.
struct OptionDomain
{
    std::string kind;    //!< text, file, flag, choice, count, number, bytes, time, rate
    std::string least{}; //!< smallest value, if there is one
    std::string most{};  //!< largest value, if there is one
    std::vector<std::string> choices{}; //!< all values, or some outside of the limits
};

/// The text of an option. CommandLine cuts values of type std::string at the first blank.
struct OptionText
{
    std::string text;    //!< the value given, or the default
    bool isGiven{false}; //!< the user has given it
};

/// Read the rest of a stream.
std::istream& operator>>(std::istream& is, OptionText& text);
/// Write the text.
std::ostream& operator<<(std::ostream& os, const OptionText& text);

/// Base class of all options.
class Option
{
  public:
    /**
     * @param group that has this option as a member
     * @param name of the flag, without dashes
     * @param initial the default, as text; empty: the option may be empty
     * @param help description
     * @param domain the values that the option takes, without regard to other options
     */
    Option(OptionGroup* group,
           std::string name,
           std::string initial,
           OptionHelp help,
           OptionDomain domain = {"text"});
    virtual ~Option() = default;
    Option(const Option&) = delete;
    Option& operator=(const Option&) = delete;

    /// @param cmd receives the flag; this object must not move until the flags have been parsed
    void AddTo(CommandLine& cmd);

    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();
    /// @return an error if the user has given an option that has no effect
    virtual std::string CheckNeeds() const;
    /// @return an error if the user has set an attribute that the program sets from this option
    std::string CheckAttributes() const;

    /// @return the value that the user has given to an attribute that the program sets from this
    /// option, or an empty string
    std::string GetAttributeChange() const;

    /// @param type a class, "ns3::Class" @return the attributes of the class that this option sets,
    /// and their values
    std::map<std::string, std::string> GetAttributes(const std::string& type) const;

    /// @return the name, without dashes
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @return the value given, or the default
    const std::string& GetText() const
    {
        return m_text.text;
    }

    /// @return the value as text of an attribute of ns-3
    virtual std::string GetAttributeText() const
    {
        return GetText();
    }

    /// @return the value in force: given, default, or derived from other options
    std::string GetInForce() const
    {
        return IsSet() ? GetText() : m_derived.value_or("");
    }

    /// @return the value in force while the option is empty, if the value is known
    const std::optional<std::string>& GetDerived() const
    {
        return m_derived;
    }

    /// @return the line of help, in which the choices of a ChoiceOption replace {}
    std::string GetHelp() const;

    /// @return the values that the option takes, without regard to other options
    const OptionDomain& GetDomain() const
    {
        return m_domain;
    }

    /// @return the properties in the declaration
    const OptionHelp& GetTraits() const
    {
        return m_help;
    }

    /// @return the heading under which help shows the option
    const std::string& GetHeading() const
    {
        return m_heading;
    }

    /// @return the group that has the option as a member
    const OptionGroup& GetGroup() const
    {
        return *m_group;
    }

    /// @return true if there is a text
    bool IsSet() const
    {
        return !m_text.text.empty();
    }

    /// @return true if the text stands for something, which false, 0 and none do not
    bool IsOn() const;

    /// @return true if the user has given the option
    bool IsGiven() const
    {
        return m_text.isGiven;
    }

    /// @return true if the user has given it, and it does not only stand with its default in a
    /// file, which may be the list of settings of a run with all defaults in it
    bool IsChosen() const
    {
        return IsGiven() && !(m_isFromFile && GetText() == m_initial);
    }

    /// @return true if there is a flag for it
    bool IsFlag() const
    {
        return m_presence == Presence::FLAG;
    }

    /// @return true if it belongs to the settings of this program
    bool IsPresent() const
    {
        return m_presence != Presence::OMITTED;
    }

    /// @param text as if it had been given
    void SetText(const std::string& text)
    {
        m_text.text = text;
    }

    /// @param text the default of this program
    void SetInitial(const std::string& text)
    {
        m_initial = text;
        m_text.text = text;
    }

    /// @param text the value in force while the option is empty
    void SetDerived(const std::string& text)
    {
        m_derived = text;
    }

    /// The program sets the option: there is no flag.
    void Fix()
    {
        m_presence = Presence::FIXED;
    }

    /// The program has no use for the option: no flag, no setting.
    void Omit()
    {
        m_presence = Presence::OMITTED;
    }

    /// The option takes several values in turn: CheckNeeds of other options ignores this option.
    void Vary()
    {
        m_isVaried = true;
    }

    /// The value comes from a file of flags; a flag on the command line replaces the value.
    void SetFromFile()
    {
        m_isFromFile = true;
    }

    /// @param needs conditions; the option has an effect if one condition of each call of Needs
    /// holds
    void Needs(std::vector<OptionNeed> needs)
    {
        m_needs.push_back(std::move(needs));
    }

    /// @param values of this option @return the condition that it has one of them
    OptionNeed Is(const std::vector<std::string>& values) const;

    /// @return the condition that it is on
    OptionNeed IsUsed() const
    {
        return Fits([this] { return IsOn(); }, "");
    }

    /// @param holds a condition @param allowed how to make it hold @return the condition
    OptionNeed Fits(std::function<bool()> holds, const std::string& allowed) const
    {
        return {this, std::move(holds), allowed};
    }

    /// @param allowed the allowed values @return the line that refuses the text
    std::string Refuse(const std::string& allowed) const
    {
        return RefuseFlag(m_name, m_text.text, allowed);
    }

  protected:
    /**
     * @tparam Base class of the variants that the option chooses from
     * @param name of the chosen one, which need not be a variant
     * @return an error if the user has set an attribute of another variant
     */
    template <class Base>
    std::string CheckVariants(const std::string& name) const
    {
        const auto chosen = Variant<Base>::Find(name);
        return CheckVariants(Base::GetTypeId(),
                             chosen ? std::optional((*chosen)->GetInstanceTypeId()) : std::nullopt);
    }

    /// @param base class of variants @param chosen class of the chosen variant, if there is one
    /// @return an error if the user has set an attribute of another variant
    std::string CheckVariants(TypeId base, std::optional<TypeId> chosen) const;

    /// @param text to be read; by default any text is allowed
    /// @return an empty string, or the allowed values
    virtual std::string Read([[maybe_unused]] const std::string& text)
    {
        return "";
    }

    /// @return the default, as text
    const std::string& GetInitial() const
    {
        return m_initial;
    }

  private:
    /// The use of the option in a program.
    enum class Presence
    {
        FLAG,
        FIXED,
        OMITTED,
    };

    const OptionGroup* m_group;
    std::string m_heading;
    std::string m_name;
    std::string m_initial;
    OptionHelp m_help;
    OptionDomain m_domain;
    OptionText m_text;
    std::optional<std::string> m_derived;
    std::vector<std::vector<OptionNeed>> m_needs; //!< one of each
    Presence m_presence{Presence::FLAG};
    bool m_isVaried{false};
    bool m_isFromFile{false};
};

using TextOption = Option; //!< any text

/// A file that the program writes, or the prefix of several; empty for none.
class FileOption : public Option
{
  public:
    /**
     * @param group that has this option as a member
     * @param name of the flag, without dashes
     * @param help description
     * @param endings after a prefix, of files that must be writable
     */
    FileOption(OptionGroup* group,
               std::string name,
               OptionHelp help,
               std::vector<std::string> endings = {""});

    /// @return an error if a file cannot be written; to be called when all else is right
    std::string CheckFile() const;

    /// @return the files that must be writable; none without a name
    std::vector<std::string> GetFiles() const;

  private:
    std::vector<std::string> m_endings;
};

/// One of several names.
class ChoiceOption : public Option
{
  public:
    /**
     * @param group that has this option as a member
     * @param name of the flag, without dashes
     * @param initial the default; an empty one may be left empty
     * @param choices the allowed names
     * @param help description
     */
    ChoiceOption(OptionGroup* group,
                 std::string name,
                 std::string initial,
                 std::vector<std::string> choices,
                 OptionHelp help);

    /// @return go-back-n as GoBackN, as ns-3 writes values of enumerations
    std::string GetAttributeText() const override;

  protected:
    std::string Read(const std::string& text) override;
};

/**
 * @brief The name of a variant; see Variant. An attribute of another variant has no effect.
 * @tparam Base class of the variants
 */
template <class Base>
class VariantOption : public ChoiceOption
{
  public:
    /**
     * @param group that has this option as a member
     * @param name of the flag, without dashes
     * @param initial the default; an empty one may be left empty
     * @param help description
     * @param others names that are allowed besides those of variants; they come first
     */
    VariantOption(OptionGroup* group,
                  std::string name,
                  std::string initial,
                  OptionHelp help,
                  std::vector<std::string> others = {})
        : ChoiceOption(group,
                       std::move(name),
                       std::move(initial),
                       AddNames(std::move(others)),
                       std::move(help))
    {
    }

    std::string CheckNeeds() const override
    {
        const std::string change = IsChosen() ? "" : GetAttributeChange();
        return FindError([this] { return ChoiceOption::CheckNeeds(); },
                         [&] { return CheckVariants<Base>(change.empty() ? GetText() : change); });
    }

    /// @return the name of the class, or the text if it is that of no variant
    std::string GetAttributeText() const override
    {
        const auto chosen = Variant<Base>::Find(GetText());
        return chosen ? (*chosen)->GetInstanceTypeId().GetName() : GetText();
    }

  private:
    static std::vector<std::string> AddNames(std::vector<std::string> names)
    {
        const auto variants = Variant<Base>::GetNames();
        names.insert(names.end(), variants.begin(), variants.end());
        return names;
    }
};

/**
 * @brief An option with a value of some type.
 * @tparam Limits read the value: Read returns an empty string, or the allowed values;
 * GetDomain, if there is one, describes the values
 */
template <typename Limits>
class ValueOption : public Option
{
  public:
    /**
     * @param group that has this option as a member
     * @param name of the flag, without dashes
     * @param initial the default, as text; an empty one may be left empty
     * @param limits the allowed values
     * @param help description
     */
    ValueOption(OptionGroup* group,
                std::string name,
                std::string initial,
                Limits limits,
                OptionHelp help)
        : Option(group,
                 std::move(name),
                 std::move(initial),
                 std::move(help),
                 FindDomain(limits, 0)),
          m_limits(std::move(limits))
    {
    }

    /// @return the value, after Check
    typename Limits::Value Get() const
    {
        return IsSet() || !m_other ? m_value : m_other->Get();
    }

    /// @param text an allowed value, which holds if the option is not given; after Check
    void Derive(const std::string& text)
    {
        SetDerived(text);
        if (!IsSet())
        {
            Read(text);
        }
    }

    /// @param other an option whose value holds if this one is not given, after Check
    void DeriveFrom(const ValueOption& other)
    {
        m_other = &other;
        SetDerived(other.GetInForce());
    }

  protected:
    std::string Read(const std::string& text) override
    {
        return m_limits.Read(text, m_value);
    }

  private:
    /// @return the values that the limits describe
    template <typename L>
    static auto FindDomain(const L& limits, int) -> decltype(limits.GetDomain())
    {
        return limits.GetDomain();
    }

    /// @return a text: the limits have no description
    template <typename L>
    static OptionDomain FindDomain(const L& /* limits */, long)
    {
        return {"text"};
    }

    Limits m_limits;
    typename Limits::Value m_value{};
    const ValueOption* m_other{nullptr};
};

/// Limits of a whole number.
struct CountLimits
{
    using Value = uint32_t;

    uint32_t least{0};                                   //!< smallest number allowed
    uint32_t most{std::numeric_limits<uint32_t>::max()}; //!< largest number allowed
    std::vector<uint32_t> choices{};                     //!< the numbers allowed; empty: all

    /// @param choices the numbers allowed @return the limits
    static CountLimits OneOf(std::vector<uint32_t> choices)
    {
        return {0, std::numeric_limits<uint32_t>::max(), std::move(choices)};
    }

    /// @param text to be read @param value receives it @return an empty string, or the limits
    std::string Read(const std::string& text, uint32_t& value) const;
    /// @return the values allowed
    OptionDomain GetDomain() const;
};

/// Limits of a number that need not be whole.
struct NumberLimits
{
    using Value = double;

    double least; //!< smallest number allowed
    double most;  //!< largest number allowed

    /// @param text to be read @param value receives it @return an empty string, or the limits
    std::string Read(const std::string& text, double& value) const;
    /// @return the values allowed
    OptionDomain GetDomain() const;
};

/// Limits of a size in bytes: 4096, 64K, 1M or 1MiB; K, M and G count 1024 as in nccl-tests.
struct BytesLimits
{
    using Value = uint64_t;

    uint64_t least{0}; //!< smallest size allowed

    /// @param text to be read @param value receives it @return an empty string, or the limits
    std::string Read(const std::string& text, uint64_t& value) const;
    /// @return the values allowed
    OptionDomain GetDomain() const;
};

/// Limits of a time, as text. A time has a unit; 0 needs none.
struct TimeLimits
{
    using Value = Time;

    const char* least;     //!< shortest time allowed
    const char* most;      //!< longest time allowed
    const char* example;   //!< that the error names; null for none
    bool mayBeZero{false}; //!< 0 is also allowed

    /// @param text to be read @param value receives it @return an empty string, or the limits
    std::string Read(const std::string& text, Time& value) const;
    /// @return the values allowed
    OptionDomain GetDomain() const;
};

/// Limits of a line rate: from 1 Gbit/s to 100 Tbit/s.
struct RateLimits
{
    using Value = DataRate;

    std::string none{}; //!< the word for a rate of 0, if that is allowed

    /// @param text to be read @param value receives it @return an empty string, or the limits
    std::string Read(const std::string& text, DataRate& value) const;
    /// @return the values allowed
    OptionDomain GetDomain() const;
};

/// A whole number.
class CountOption : public ValueOption<CountLimits>
{
  public:
    using ValueOption::ValueOption;

    /**
     * @param group that has this option as a member
     * @param name of the flag, without dashes
     * @param initial the default
     * @param limits the allowed values
     * @param help description
     */
    CountOption(OptionGroup* group,
                std::string name,
                uint32_t initial,
                CountLimits limits,
                OptionHelp help)
        : ValueOption(group, std::move(name), std::to_string(initial), limits, std::move(help))
    {
    }
};

using NumberOption = ValueOption<NumberLimits>; //!< a number that need not be whole
using BytesOption = ValueOption<BytesLimits>;   //!< a size
using TimeOption = ValueOption<TimeLimits>;     //!< a time
using RateOption = ValueOption<RateLimits>;     //!< a line rate

/// True or false. A flag without a value is the opposite of the default, as in ns-3.
class BoolOption : public Option
{
  public:
    /**
     * @param group that has this option as a member
     * @param name of the flag, without dashes
     * @param initial the default
     * @param help description
     */
    BoolOption(OptionGroup* group, std::string name, bool initial, OptionHelp help)
        : Option(group,
                 std::move(name),
                 initial ? "true" : "false",
                 std::move(help),
                 {"flag", "", "", {"true", "false"}})
    {
    }

    /// @return true if it is true, after Check
    bool Get() const
    {
        return GetText() == "true";
    }

  protected:
    std::string Read(const std::string& text) override;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPTION_H
