// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JSON_MUTATIONS_H
#define PHOTONIC_RAILS_JSON_MUTATIONS_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace ns3
{

/// A JSON text with a few random changes: other bytes, bytes that JSON knows, gaps and repetitions.
class JsonMutations
{
  public:
    /// @param text the text @param seed of the changes
    JsonMutations(std::string text, uint32_t seed)
        : m_text(std::move(text)),
          m_random(seed)
    {
    }

    /// @return the text with up to four changes, others each time
    std::string Next()
    {
        const std::string usual = "{}[]\":,0123456789.eE-+ \\nulltruefalse\n\t";
        std::string text = m_text;
        const uint32_t changes = 1 + m_random() % 4;
        for (uint32_t change = 0; change < changes; ++change)
        {
            const std::size_t place = m_random() % text.size();
            switch (m_random() % 4)
            {
            case 0:
                text[place] = static_cast<char>(m_random());
                break;
            case 1:
                text[place] = usual[m_random() % usual.size()];
                break;
            case 2:
                text.erase(place, 1 + m_random() % 20);
                break;
            default:
                text.insert(place, text.substr(m_random() % text.size(), m_random() % 60));
                break;
            }
        }
        return text;
    }

  private:
    std::string m_text;
    std::mt19937 m_random;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JSON_MUTATIONS_H
