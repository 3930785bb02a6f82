// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NAME_CHECKER_H
#define PHOTONIC_RAILS_NAME_CHECKER_H

#include "ns3/string.h"

#include <string>
#include <utility>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_NAME_CHECKER_H
