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
template <typename E, typename A>
auto
EnumAccessor(A member, int) -> decltype(MakeEnumAccessor<E, A>(member))
{
    return MakeEnumAccessor<E, A>(member);
}

/// Until 3.40, MakeEnumAccessor deduces the type of the enum.
template <typename E, typename A>
auto
EnumAccessor(A member, long) -> decltype(MakeEnumAccessor(member))
{
    return MakeEnumAccessor(member);
}

/// @copydoc EnumAccessor(A,int)
template <typename E, typename S, typename G>
auto
EnumAccessor(S setter, G getter, int) -> decltype(MakeEnumAccessor<E, S, G>(setter, getter))
{
    return MakeEnumAccessor<E, S, G>(setter, getter);
}

/// @copydoc EnumAccessor(A,long)
template <typename E, typename S, typename G>
auto
EnumAccessor(S setter, G getter, long) -> decltype(MakeEnumAccessor(setter, getter))
{
    return MakeEnumAccessor(setter, getter);
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

/**
 * @tparam E the enum
 * @param setter member function that takes a value
 * @param getter const member function that returns it
 * @return an accessor for an EnumValue attribute
 */
template <typename E, typename S, typename G>
Ptr<const AttributeAccessor>
MakeEnumAccessorCompat(S setter, G getter)
{
    return compat::EnumAccessor<E>(setter, getter, 0);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_COMPAT_H
