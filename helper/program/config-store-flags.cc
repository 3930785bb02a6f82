// SPDX-License-Identifier: GPL-2.0-only

#include "config-store-flags.h"

#ifdef PHOTONIC_RAILS_CONFIG_STORE
#include "option.h"

#include "ns3/config-store.h"
#include "ns3/string.h"

#include <fstream>
#include <memory>
#endif

namespace ns3
{

#ifdef PHOTONIC_RAILS_CONFIG_STORE

namespace
{

/// @return the store of this process, if there is something to load
std::unique_ptr<ConfigStore>&
GetStore()
{
    static std::unique_ptr<ConfigStore> store;
    return store;
}

/// @return what an attribute of a store to come is, as text
std::string
Ask(const std::string& name)
{
    TypeId::AttributeInformation attribute;
    ConfigStore::GetTypeId().LookupAttributeByName(name, &attribute);
    return attribute.initialValue->SerializeToString(attribute.checker);
}

} // namespace

std::string
ConfigStoreFlags::ApplyDefaults()
{
    const std::string what = Ask("Mode");
    const std::string file = Ask("Filename");
    if (what == "None")
    {
        return "";
    }
    if (what == "Save")
    {
        if (auto error = CheckWritable("ns3::ConfigStore::Filename", file); !error.empty())
        {
            return error;
        }
    }
    else if (!std::ifstream(file))
    {
        return RefuseFlag("ns3::ConfigStore::Filename", file, "a file that can be read");
    }
    GetStore() = std::make_unique<ConfigStore>();
    GetStore()->ConfigureDefaults();
    if (what == "Save")
    {
        GetStore().reset(); // it is written now
    }
    return "";
}

bool
ConfigStoreFlags::HasObjects()
{
    return GetStore() != nullptr;
}

void
ConfigStoreFlags::ApplyObjects()
{
    if (GetStore())
    {
        GetStore()->ConfigureAttributes();
        GetStore().reset();
    }
}

#else

std::string
ConfigStoreFlags::ApplyDefaults()
{
    return "";
}

bool
ConfigStoreFlags::HasObjects()
{
    return false;
}

void
ConfigStoreFlags::ApplyObjects()
{
}

#endif

} // namespace ns3
