// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIFO_H
#define PHOTONIC_RAILS_FIFO_H

#include "ns3/assert.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A queue in one block of memory, which grows by doubling. A queue that has never been used
 * has no block.
 *
 * An empty std::deque takes more than half a kibibyte. A cluster of thousands of GPUs has a few
 * queues per port and queue pair, and most of them are empty most of the time.
 *
 * @tparam T default-constructible; a popped element is reset to T{} if it may own something
 * @tparam INLINE a power of two: so many elements fit into the queue itself, without a block
 */
template <typename T, std::size_t INLINE = 0>
class Fifo
{
  public:
    Fifo() = default;
    ~Fifo() = default;

    // A queue from which another one was moved may be assigned or destroyed, and nothing else.
    Fifo(Fifo&&) = default;
    Fifo& operator=(Fifo&&) = default;

    /// Copy the queued elements alone: a block may be much larger.
    Fifo(const Fifo& other)
    {
        *this = other;
    }

    /// @copydoc Fifo(const Fifo&)
    Fifo& operator=(const Fifo& other)
    {
        if (this != &other)
        {
            if constexpr (!std::is_trivially_destructible_v<T>)
            {
                clear(); // what is not replaced may own something
            }
            m_block.resize(std::max(m_block.size(), other.m_size > 0 ? other.m_block.size() : 0));
            m_head = 0;
            m_size = other.m_size;
            for (std::size_t i = 0; i < m_size; ++i)
            {
                m_block[i] = other[i];
            }
        }
        return *this;
    }

    /// @return true if nothing is queued
    bool empty() const
    {
        return m_size == 0;
    }

    /// @return elements queued
    std::size_t size() const
    {
        return m_size;
    }

    /**
     * @param index 0 for the oldest element, below size()
     * @return the element
     */
    T& operator[](std::size_t index)
    {
        NS_ASSERT(index < m_size);
        return m_block[(m_head + index) & (m_block.size() - 1)];
    }

    /// @copydoc operator[](std::size_t)
    const T& operator[](std::size_t index) const
    {
        NS_ASSERT(index < m_size);
        return m_block[(m_head + index) & (m_block.size() - 1)];
    }

    /// @return the oldest element
    T& front()
    {
        return (*this)[0];
    }

    /// @copydoc front()
    const T& front() const
    {
        return (*this)[0];
    }

    /// @return the newest element
    T& back()
    {
        return (*this)[m_size - 1];
    }

    /// @copydoc back()
    const T& back() const
    {
        return (*this)[m_size - 1];
    }

    /// @param value becomes the newest element; not an element of this queue
    void push_back(const T& value)
    {
        if (m_size == m_block.size())
        {
            Grow();
        }
        ++m_size;
        back() = value;
    }

    /// @param value becomes the newest element
    void push_back(T&& value)
    {
        if (m_size == m_block.size())
        {
            Grow();
        }
        ++m_size;
        back() = std::move(value);
    }

    /// Remove the oldest element.
    void pop_front()
    {
        if constexpr (!std::is_trivially_destructible_v<T>)
        {
            front() = T{};
        }
        --m_size;
        // An empty queue begins anew with the memory that is in the cache.
        m_head = m_size == 0 ? 0 : static_cast<uint32_t>((m_head + 1) & (m_block.size() - 1));
    }

    /**
     * @brief Insert an element; the time is linear in the number of elements behind it.
     * @param index index of the new element, at most size()
     * @param value the element
     */
    void insert(std::size_t index, T value)
    {
        push_back(std::move(value));
        for (std::size_t i = m_size - 1; i > index; --i)
        {
            std::swap((*this)[i], (*this)[i - 1]);
        }
    }

    /**
     * @brief Remove an element; the time is linear in the number of elements behind it.
     * @param index index of the element, below size()
     */
    void erase(std::size_t index)
    {
        for (std::size_t i = index; i + 1 < m_size; ++i)
        {
            std::swap((*this)[i], (*this)[i + 1]);
        }
        back() = T{};
        --m_size;
    }

    /// Remove all elements and release the memory.
    void clear()
    {
        m_block = {};
        m_head = 0;
        m_size = 0;
    }

  private:
    using Block =
        std::conditional_t<INLINE == 0, std::vector<T>, boost::container::small_vector<T, INLINE>>;

    /// Double the block; its size is a power of two.
    void Grow()
    {
        Block larger(m_block.empty() ? (INLINE > 0 ? INLINE : 4) : 2 * m_block.size());
        for (std::size_t i = 0; i < m_size; ++i)
        {
            larger[i] = std::move((*this)[i]);
        }
        m_block = std::move(larger);
        m_head = 0;
    }

    uint32_t m_head{0};
    uint32_t m_size{0};
    Block m_block; // last, as its elements may be inside
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIFO_H
