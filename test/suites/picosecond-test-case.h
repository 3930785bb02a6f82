// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TEST_PICOSECOND_TEST_CASE_H
#define PHOTONIC_RAILS_TEST_PICOSECOND_TEST_CASE_H

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <functional>
#include <memory>
#include <utility>

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
 * @brief A lambda as a Callback, also in releases that cannot make one from it.
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

/// A case that counts in picoseconds and leaves a clean simulator behind.
class PicosecondTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    void DoSetup() override
    {
        if (Time::GetResolution() != Time::PS) // once per process is all that ns-3 bears
        {
            Time::SetResolution(Time::PS);
        }
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_TEST_PICOSECOND_TEST_CASE_H
