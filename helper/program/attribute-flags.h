// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ATTRIBUTE_FLAGS_H
#define PHOTONIC_RAILS_ATTRIBUTE_FLAGS_H

#include "ns3/attribute.h"
#include "ns3/type-id.h"

#include <map>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief Checks flags that set attributes and global values, before ns-3 reads them.
 *
 * ns-3's parsers abort on some wrong values, end in a segmentation fault on others, and pass over
 * text after a number. AttributeFlags reads booleans, numbers, times and rates in full. Values of
 * other types, for which only ns-3 has a parser, are tried in a child process first.
 */
class AttributeFlags
{
  public:
    /**
     * @param name of a flag with colons: CLASS::ATTRIBUTE
     * @param value of the flag
     * @return an empty string, or one line that says why the attribute cannot have the value
     */
    static std::string CheckAttribute(const std::string& name, const std::string& value);

    /**
     * @param name of a flag
     * @param value of the flag
     * @return an empty string, also if there is no global value of this name, or one line that says
     * why the global value cannot have the value
     */
    static std::string CheckGlobalValue(const std::string& name, const std::string& value);

    /**
     * @brief Check the values that global values have now, also those from the environment
     * (NS_GLOBAL_VALUE) or a file.
     * @return an empty string, or the line of CheckGlobalValue
     */
    static std::string CheckGlobalValues();

    /**
     * @brief Check and record the attributes that the environment sets (NS_ATTRIBUTE_DEFAULT). ns-3
     * gives them to each object that is created, whatever flags and defaults are, and passes over
     * wrong values in silence.
     * @return an empty string, or one line with the error
     */
    static std::string RecordEnvironment();

    /// A value that a flag or the environment has set for an attribute.
    struct Given
    {
        std::string text;              //!< the value
        bool isFromFile{false};        //!< the flag stands in a file of flags
        bool isFromEnvironment{false}; //!< no flag
    };

    /// @return the attributes that flags and the environment have set, by name
    static const std::map<std::string, Given>& GetGiven()
    {
        return GetRecord();
    }

    /// Forget the flags recorded before.
    static void Clear()
    {
        GetRecord().clear();
    }

    /// Record a flag, of several with one name the last. @param name its name @param given its
    /// value
    static void Record(const std::string& name, const Given& given)
    {
        GetRecord()[name] = given;
    }

    /**
     * @param value of an attribute
     * @param checker of the attribute
     * @return the value as a flag has it, with all digits
     */
    static std::string ToText(const AttributeValue& value, Ptr<const AttributeChecker> checker);

    /**
     * @param name of an attribute: "ns3::Class::Name"
     * @param info the attribute's entry in ns-3
     * @return the value given by a flag, or the value of new objects if it is not the attribute's
     * own default: set by flags, the environment, a file of ns-3 or Config::SetDefault
     */
    static std::optional<std::string> FindChange(const std::string& name,
                                                 const TypeId::AttributeInformation& info);

    /// @return the changes of the attributes of all classes, by name
    static std::map<std::string, std::string> ListChanges();

  private:
    static std::map<std::string, Given>& GetRecord();
};

/**
 * @brief Saves and loads a whole set-up by ns3::ConfigStore, as its flags say
 * (--ns3::ConfigStore::Filename, Mode and FileFormat).
 *
 * The defaults of all attributes and global values are saved. Attributes of objects are not saved:
 * ns-3 writes times with six digits, so that those of delays that this module has made unequal
 * by a picosecond would be rounded. A loaded file may have lines for objects, by their paths.
 *
 * It is there if ns-3's module config-store was found when this module was configured; otherwise
 * nothing happens, and the flags are refused as those of an unknown class.
 */
class ConfigStoreFlags
{
  public:
    /**
     * @brief Save or load the defaults of all attributes, and global values. To be called after the
     * flags have been parsed; loaded values take precedence over them.
     * @return an empty string, or one line with the error in the flags
     */
    static std::string ApplyDefaults();

    /// @return true if a file has been loaded, which may have lines for objects
    static bool HasObjects();

    /// Load attributes of objects by their paths; to be called when they have been built.
    static void ApplyObjects();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ATTRIBUTE_FLAGS_H
