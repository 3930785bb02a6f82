// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LAMBDA_CALL_H
#define PHOTONIC_RAILS_LAMBDA_CALL_H

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <functional>
#include <memory>
#include <utility>

/**
 * @file
 * Lambdas as callbacks and as events, for releases that take neither (ns-3.35).
 */

namespace ns3
{
namespace test
{

/// @copydoc ToCallback
template <typename... Args>
void
CallAction(std::shared_ptr<std::function<void(Args...)>> action, Args... args)
{
    (*action)(args...);
}

/// The type of a parameter from which template arguments are not deduced.
template <typename T>
struct NotDeduced
{
    using Type = T; //!< the type itself
};

/**
 * @brief A lambda as a Callback.
 * @tparam Args types of its arguments
 * @param action the lambda
 * @return the callback
 */
template <typename... Args>
Callback<void, Args...>
ToCallback(typename NotDeduced<std::function<void(Args...)>>::Type action)
{
    return MakeBoundCallback(&CallAction<Args...>,
                             std::make_shared<std::function<void(Args...)>>(std::move(action)));
}

/// @copydoc ScheduleCall
inline void
CallScheduled(std::function<void()> action)
{
    action();
}

/**
 * @brief Schedule a lambda.
 * @param delay time from now
 * @param action the lambda
 */
inline void
ScheduleCall(Time delay, std::function<void()> action)
{
    Simulator::Schedule(delay, &CallScheduled, std::move(action));
}

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_LAMBDA_CALL_H
