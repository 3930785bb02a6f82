// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COMPAT_H
#define PHOTONIC_RAILS_COMPAT_H

#include "ns3/enum.h"

namespace ns3
{

/// What differs between the ns-3 releases that the module is built with (3.37 to 3.48).
namespace compat
{

/// From 3.41 on, EnumValue is a template and MakeEnumAccessor is told the type of the enum.
template <typename E, typename A>
auto
EnumAccessor(A member, int) -> decltype(MakeEnumAccessor<E, A>(member))
{
    return MakeEnumAccessor<E, A>(member);
}

/// Until 3.40 it finds out by itself.
template <typename E, typename A>
auto
EnumAccessor(A member, long) -> decltype(MakeEnumAccessor(member))
{
    return MakeEnumAccessor(member);
}

} // namespace compat

/**
 * @tparam E the enum
 * @param member pointer to the data member of that type
 * @return an accessor for an EnumValue attribute
 */
template <typename E, typename A>
Ptr<const AttributeAccessor>
MakeEnumAccessorCompat(A member)
{
    return compat::EnumAccessor<E>(member, 0);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_COMPAT_H
