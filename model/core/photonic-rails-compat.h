// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMPAT_H
#define PHOTONIC_RAILS_COMPAT_H

#include "ns3/enum.h"

namespace ns3
{

/// Differences between the supported ns-3 releases (3.37 to 3.48).
namespace compat
{

/// From 3.41 on, EnumValue is a template and MakeEnumAccessor needs the type of the enum.
template <typename E, typename... A>
auto
EnumAccessor(int, A... members) -> decltype(MakeEnumAccessor<E, A...>(members...))
{
    return MakeEnumAccessor<E, A...>(members...);
}

/// Until 3.40, MakeEnumAccessor deduces the type of the enum.
template <typename E, typename... A>
auto
EnumAccessor(long, A... members) -> decltype(MakeEnumAccessor(members...))
{
    return MakeEnumAccessor(members...);
}

} // namespace compat

/**
 * @tparam E the enum
 * @param members pointer to the data member of that type; or a member function that takes a value,
 * and a const member function that returns it
 * @return an accessor for an EnumValue attribute
 */
template <typename E, typename... A>
Ptr<const AttributeAccessor>
MakeEnumAccessorCompat(A... members)
{
    return compat::EnumAccessor<E>(0, members...);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_COMPAT_H
