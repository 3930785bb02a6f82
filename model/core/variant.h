// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_VARIANT_H
#define PHOTONIC_RAILS_VARIANT_H

#include "ns3/fatal-error.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief One of the registered variants of a base class, chosen by its name.
 *
 * A variant is a class that derives from Base, overrides `std::string Base::GetName() const` and
 * has a TypeId with the base class as parent and a constructor. Variants are registered with
 * NS_OBJECT_ENSURE_REGISTERED, in the module or in a user's program; there is no other list. The
 * full name of the TypeId also identifies a variant.
 *
 * A Variant is an object of its class, made when the name is looked up, with the attributes that
 * hold then: those of flags, if the flags have been parsed. Copies share the object, so the methods
 * of a variant are const and depend only on their arguments and on attributes.
 *
 * @tparam Base an ns3::Object with `virtual std::string GetName() const`
 */
template <class Base>
class Variant
{
  public:
    /**
     * @brief Select a variant. Ends the program with a one-line error if no variant has that name.
     * @param name name of the variant or of its TypeId
     */
    Variant(const char* name)
        : Variant(std::string(name))
    {
    }

    /// @copydoc Variant(const char*)
    Variant(const std::string& name)
        : m_object(Lookup(name))
    {
        if (!m_object)
        {
            NS_FATAL_ERROR(name << ": " << Base::GetTypeId().GetName() << " has no such variant");
        }
    }

    /**
     * @brief A variant without registration, such as one that a file describes.
     * @param object the variant, with a name that no registered variant has
     */
    explicit Variant(Ptr<const Base> object)
        : m_object(object)
    {
    }

    /**
     * @param name of a variant or of its TypeId
     * @return the variant, or nothing if there is none of that name
     */
    static std::optional<Variant> Find(const std::string& name)
    {
        const Ptr<const Base> object = Lookup(name);
        return object ? std::optional<Variant>(Variant(object)) : std::nullopt;
    }

    /// @return the names of all variants, sorted
    static std::vector<std::string> GetNames()
    {
        std::vector<std::string> names;
        for (const auto& entry : GetAll())
        {
            names.push_back(entry.first);
        }
        return names;
    }

    /// @return the object
    const Base* operator->() const
    {
        return PeekPointer(m_object);
    }

    /// @return the same
    const Base& operator*() const
    {
        return *m_object;
    }

    /// @param other another variant @return true if both have the same class and name
    bool operator==(const Variant& other) const
    {
        return m_object->GetInstanceTypeId() == other.m_object->GetInstanceTypeId() &&
               m_object->GetName() == other.m_object->GetName();
    }

    /// @param other another variant @return true if it has another class or name
    bool operator!=(const Variant& other) const
    {
        return !(*this == other);
    }

    /// @param other another variant @return true if its name comes later in the alphabet
    bool operator<(const Variant& other) const
    {
        return m_object->GetName() < other.m_object->GetName();
    }

  private:
    /// @return a new object of a class, or nullptr if it is no Base
    static Ptr<const Base> Make(TypeId type)
    {
        ObjectFactory factory;
        factory.SetTypeId(type);
        return DynamicCast<const Base>(factory.Create<Object>());
    }

    /// @return the classes of all variants by name, including those registered since the last call
    static const std::map<std::string, TypeId>& GetAll()
    {
        static std::map<std::string, TypeId> all;
        static uint16_t known = 0; // number of TypeIds examined
        for (; known < TypeId::GetRegisteredN(); ++known)
        {
            const TypeId type = TypeId::GetRegistered(known);
            if (!type.IsChildOf(Base::GetTypeId()))
            {
                continue;
            }
            const Ptr<const Base> object = type.HasConstructor() ? Make(type) : nullptr;
            if (!object && (type.HasConstructor() || !IsParent(type)))
            {
                NS_FATAL_ERROR(type.GetName()
                               << " cannot be a variant of " << Base::GetTypeId().GetName()
                               << (type.HasConstructor() ? ": it is not derived from this class"
                                                         : ": its TypeId needs AddConstructor"));
            }
            if (!object)
            {
                continue;
            }
            const auto [entry, isNew] = all.emplace(object->GetName(), type);
            if (!isNew)
            {
                NS_FATAL_ERROR(type.GetName() << " and " << entry->second.GetName()
                                              << " are both named " << entry->first);
            }
        }
        return all;
    }

    /// @return true if a registered class is derived from a class
    static bool IsParent(TypeId type)
    {
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const TypeId other = TypeId::GetRegistered(i);
            if (other != type && other.GetParent() == type)
            {
                return true;
            }
        }
        return false;
    }

    /// @param name of a variant or of its TypeId @return an object of it, or nullptr
    static Ptr<const Base> Lookup(const std::string& name)
    {
        const auto& all = GetAll();
        auto entry = all.find(name);
        if (entry == all.end())
        {
            entry = std::find_if(all.begin(), all.end(), [&name](const auto& other) {
                return other.second.GetName() == name;
            });
        }
        return entry == all.end() ? nullptr : Make(entry->second);
    }

    Ptr<const Base> m_object; //!< shared by copies
};

/// Checks an attribute that is a text and names something.
class NameChecker : public StringChecker
{
  public:
    /// Whether a name is known.
    using Known = bool (*)(const std::string&);

    /**
     * @param known whether a name is known
     * @param allowed names that are known, for messages
     */
    NameChecker(Known known, std::string allowed)
        : m_known(known),
          m_allowed(std::move(allowed))
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        const auto* text = dynamic_cast<const StringValue*>(&value);
        return text && m_known(text->Get());
    }

    std::string GetValueTypeName() const override
    {
        return "ns3::StringValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return m_allowed;
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<StringValue>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const StringValue*>(&source);
        auto* to = dynamic_cast<StringValue*>(&destination);
        if (from && to)
        {
            *to = *from;
        }
        return from && to;
    }

  private:
    Known m_known;
    std::string m_allowed;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_VARIANT_H
