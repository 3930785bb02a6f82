// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_VARIANT_H
#define PHOTONIC_RAILS_VARIANT_H

#include "ns3/fatal-error.h"
#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
 * All users of a variant share one object, so the methods of a variant are const and depend only
 * on their arguments.
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
     * @param name of a variant or of its TypeId
     * @return the variant, or nothing if there is none of that name
     */
    static std::optional<Variant> Find(const std::string& name)
    {
        const Base* object = Lookup(name);
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

    /// @return the object that all users of the variant share
    const Base* operator->() const
    {
        return m_object;
    }

    /// @return the same
    const Base& operator*() const
    {
        return *m_object;
    }

    /// @param other another variant @return whether it is the same
    bool operator==(const Variant& other) const
    {
        return m_object == other.m_object;
    }

    /// @param other another variant @return whether it is another one
    bool operator!=(const Variant& other) const
    {
        return m_object != other.m_object;
    }

    /// @param other another variant @return whether its name comes later in the alphabet
    bool operator<(const Variant& other) const
    {
        return m_object->GetName() < other.m_object->GetName();
    }

  private:
    explicit Variant(const Base* object)
        : m_object(object)
    {
    }

    /// @return all variants by name, including those registered since the last call
    static const std::map<std::string, Ptr<const Base>>& GetAll()
    {
        static std::map<std::string, Ptr<const Base>> all;
        static uint16_t known = 0; // number of TypeIds examined
        const TypeId family = Base::GetTypeId();
        for (; known < TypeId::GetRegisteredN(); ++known)
        {
            const TypeId type = TypeId::GetRegistered(known);
            if (!type.IsChildOf(family) || !type.HasConstructor())
            {
                continue;
            }
            ObjectFactory factory;
            factory.SetTypeId(type);
            Ptr<const Base> object = factory.Create<Base>();
            const auto [entry, isNew] = all.emplace(object->GetName(), object);
            if (!isNew)
            {
                NS_FATAL_ERROR(type.GetName()
                               << " and " << entry->second->GetInstanceTypeId().GetName()
                               << " are both named " << entry->first);
            }
        }
        return all;
    }

    /// @param name of a variant or of its TypeId @return its object, or nullptr
    static const Base* Lookup(const std::string& name)
    {
        const auto& all = GetAll();
        auto entry = all.find(name);
        if (entry == all.end())
        {
            entry = std::find_if(all.begin(), all.end(), [&name](const auto& other) {
                return other.second->GetInstanceTypeId().GetName() == name;
            });
        }
        return entry == all.end() ? nullptr : PeekPointer(entry->second);
    }

    const Base* m_object; //!< owned by the map of GetAll
};

} // namespace ns3

#endif // PHOTONIC_RAILS_VARIANT_H
