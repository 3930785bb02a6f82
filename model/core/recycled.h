// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECYCLED_H
#define PHOTONIC_RAILS_RECYCLED_H

#include "ns3/assert.h"

#include <boost/pool/singleton_pool.hpp>
#include <cstddef>
#include <new>

namespace ns3
{

/**
 * @brief Base of a class whose objects are made and released often: a new object takes the memory
 * of the object that was released last, which is still in the cache.
 *
 * The memory of a class is never given back, so a class whose objects live as long as the
 * simulation gains nothing. malloc does the same for objects of up to 1 KiB. With assertions,
 * objects have memory of their own, so that sanitizers find a use after the release.
 *
 * @tparam T the class
 */
template <typename T>
class Recycled
{
  public:
    /// @param size of the object in bytes; a derived class may be larger than T
    /// @return the memory
    static void* operator new(std::size_t size)
    {
        if (size != sizeof(T) || !IS_ON)
        {
            return ::operator new(size);
        }
        void* const memory = Pool<sizeof(T)>::malloc();
        if (!memory)
        {
            throw std::bad_alloc();
        }
        return memory;
    }

    /// @param memory of operator new @param size as there
    static void operator delete(void* memory, std::size_t size)
    {
        size == sizeof(T) && IS_ON ? Pool<sizeof(T)>::free(memory) : ::operator delete(memory);
    }

  private:
#ifdef NS3_ASSERT_ENABLE
    static constexpr bool IS_ON = false;
#else
    static constexpr bool IS_ON = true;
#endif

    template <std::size_t SIZE>
    using Pool = boost::singleton_pool<Recycled,
                                       SIZE,
                                       boost::default_user_allocator_malloc_free,
                                       boost::details::pool::null_mutex>;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECYCLED_H
