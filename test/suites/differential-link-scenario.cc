// SPDX-License-Identifier: GPL-2.0-only

#include "differential-link-scenario.h"

#include "differential-draw.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace test
{

namespace
{

/// Draws the parts of a scenario one after the other.
class Maker
{
  public:
    explicit Maker(uint64_t seed)
        : m_draw(seed)
    {
        m_scenario.seed = seed;
    }

    LinkScenario Make()
    {
        m_simple = m_draw.Chance(45);
        MakeTopology();
        MakeFlows();
        MakeMessages();
        MakeActions();
        m_scenario.stopAt = m_draw.Chance(4) ? m_draw.Between(0, m_span) : 0;
        m_scenario.repeatsTraced = m_draw.Chance(40);
        if (!m_simple)
        {
            m_scenario.readInCallbacks = m_draw.Chance(8);
            m_scenario.traced = m_draw.Chance(4);
        }
        MakeSignals();
        if (m_draw.Chance(25))
        {
            m_scenario.packets =
                PacketStream::Make(m_draw, m_scenario.nics, m_scenario.ports, m_span);
        }
        return m_scenario;
    }

  private:
    uint64_t DrawRate()
    {
        if (m_draw.Chance(60))
        {
            return m_draw.Pick<uint64_t>({10, 25, 40, 50, 100, 200, 400, 800}) * GBPS;
        }
        return m_draw.Chance(20) ? 123456789000 : m_draw.Between(10 * GBPS, 800 * GBPS);
    }

    uint64_t DrawDelay()
    {
        switch (m_draw.Index(6))
        {
        case 0:
            return m_draw.Pick<uint64_t>({0, 0, 1, 20});
        case 1:
        case 2:
            return 100 * NS;
        case 3:
            return m_draw.Scaled(1, 50 * US);
        default:
            return m_draw.Between(1, 2 * US);
        }
    }

    void MakeTopology()
    {
        auto& s = m_scenario;
        s.ocs = m_draw.Chance(50);
        s.ports = m_simple || m_draw.Chance(50) ? 1 : m_draw.Pick<uint32_t>({2, 2, 4});
        s.nics = m_simple || m_draw.Chance(65) ? 2 : 3;
        s.rates.assign(s.nics, DrawRate());
        s.fibers.assign(s.nics, DrawDelay());
        if (m_draw.Chance(15))
        {
            s.rates[1] = DrawRate();
        }
        if (m_draw.Chance(30))
        {
            s.fibers[1] = DrawDelay();
        }
        for (uint32_t port = 0; port < s.ports; ++port)
        {
            // The third NIC has a link to each other one, if there are enough ports.
            const uint32_t turn = s.nics == 2 ? 0 : port % 3;
            s.links.push_back({turn == 1 ? 1u : 0u, turn == 0 ? 1u : 2u, port});
        }
        if (s.ocs)
        {
            s.reconfiguration = m_draw.Pick<uint64_t>({0, 10 * NS, US, 10 * US, 25000 * US});
            if (m_draw.Chance(30))
            {
                s.reconfiguration = m_draw.Scaled(1, 100 * US);
            }
            s.lock = m_draw.Chance(20) ? m_draw.Between(1, 10 * US) : 0;
            s.insertion = m_draw.Chance(30) ? m_draw.Between(1, 50 * NS) : 0;
            s.simplex = !m_simple && m_draw.Chance(6);
            s.wholeSwitch = !m_simple && m_draw.Chance(6);
        }
    }

    uint32_t DrawMtu()
    {
        return m_draw.Chance(75) ? m_draw.Pick<uint32_t>({256, 1024, 4096, 4096, 8192})
                                 : static_cast<uint32_t>(m_draw.Between(256, 8192));
    }

    void MakeFlows()
    {
        const auto links = m_scenario.links; // a copy: flows do not add any
        const uint32_t count = m_simple || m_draw.Chance(55) ? 1 : m_draw.Pick<uint32_t>({2, 2, 3});
        for (uint32_t i = 0; i < count; ++i)
        {
            MakeFlow(m_draw.Pick(links), i > 0);
        }
    }

    void MakeFlow(const LinkScenario::Link& link, bool further)
    {
        LinkScenario::Flow flow;
        flow.a = link.a;
        flow.b = link.b;
        flow.ports = {link.port};
        if (m_scenario.nics == 3 && m_scenario.ocs && m_draw.Chance(25))
        {
            flow.b = link.a == 0 && link.b == 1 ? 2 : link.b; // a way that there may be later
        }
        else if (m_draw.Chance(70))
        {
            flow.ports.clear();
            for (const auto& other : m_scenario.links)
            {
                if (other.a == link.a && other.b == link.b)
                {
                    flow.ports.push_back(other.port);
                }
            }
        }
        flow.connection = flow.ports.size() > 1 || m_draw.Chance(20);
        flow.createdAt = further && m_draw.Chance(20) ? m_draw.Scaled(NS, 100 * US) : 0;
        flow.mtu = DrawMtu();
        for (uint32_t end = 0; end < 2; ++end)
        {
            if (m_draw.Chance(75))
            {
                flow.window[end] = static_cast<uint32_t>(m_draw.Scaled(flow.mtu, 4 << 20));
            }
            if (m_draw.Chance(3))
            {
                flow.window[end] = 1;
            }
            if (m_draw.Chance(60))
            {
                flow.ackInterval[end] = static_cast<uint32_t>(m_draw.Scaled(1, 1024));
            }
            if (m_draw.Chance(30))
            {
                flow.firstPsn[end] = static_cast<uint32_t>(m_draw.Between(0xfffc00, 0xffffff));
            }
        }
        flow.selective = m_draw.Chance(25);
        MakeTimes(flow);
        if (!m_simple)
        {
            flow.control = m_draw.Chance(12) ? m_draw.Pick<std::string>({"Dcqcn", "Swift"}) : "";
            if (m_draw.Chance(5))
            {
                flow.tos[0] = flow.tos[1] = 194; // the priority of acknowledgements
            }
        }
        m_scenario.flows.push_back(flow);
    }

    void MakeTimes(LinkScenario::Flow& flow)
    {
        if (m_draw.Chance(5))
        {
            // In a hurry: time-outs although nothing is lost, and failures.
            flow.initialTimeout = m_draw.Scaled(NS, 5 * US);
            flow.minTimeout = m_draw.Scaled(NS, 5 * US);
            flow.baseRoundTrip = 1;
            flow.retryLimit = m_draw.Pick<uint32_t>({1, 2, 7});
            return;
        }
        if (m_draw.Chance(20))
        {
            flow.initialTimeout = m_draw.Scaled(NS, 100 * US);
        }
        if (m_draw.Chance(25))
        {
            flow.minTimeout = m_draw.Scaled(NS, 50 * US);
        }
        if (m_draw.Chance(10))
        {
            flow.baseRoundTrip = m_draw.Scaled(1, 100 * US);
        }
        if (m_draw.Chance(10))
        {
            flow.retryLimit = m_draw.Pick<uint32_t>({1, 2, 20});
        }
    }

    uint64_t DrawBytes(const LinkScenario::Flow& flow, uint64_t packets)
    {
        switch (m_draw.Index(8))
        {
        case 0:
            return m_draw.Pick<uint64_t>({0, 1, 2, 3, 4, 5});
        case 1:
            return flow.mtu + m_draw.Between(0, 2) - 1;
        case 2: {
            const uint64_t many = m_draw.Scaled(1, packets);
            return flow.mtu * many + m_draw.Between(0, 2) - 1;
        }
        case 3:
            return std::min<uint64_t>(flow.window[0], packets * flow.mtu) + m_draw.Between(0, 2) -
                   1;
        case 4:
            return flow.mtu * m_draw.Scaled(1, packets);
        default:
            return m_draw.Scaled(flow.mtu, packets * flow.mtu);
        }
    }

    /// @return when a message is posted, if at a time
    uint64_t DrawTime()
    {
        return m_draw.Chance(50) ? 0 : m_draw.Scaled(1, 50 * US);
    }

    void MakeMessages()
    {
        auto& s = m_scenario;
        uint64_t budget = m_draw.Scaled(10, m_draw.Chance(92) ? 40000 : 300000); // packets
        auto count = static_cast<uint32_t>(m_draw.Scaled(1, m_simple ? 8 : 16));
        if (m_draw.Chance(30))
        {
            count = m_draw.Chance(85) ? 1 : static_cast<uint32_t>(m_draw.Between(50, 250));
        }
        const uint64_t share = count > 16 ? budget / count + 1 : budget; // of each message
        for (uint32_t i = 0; i < count; ++i)
        {
            LinkScenario::Message message;
            message.flow = m_draw.Index(s.flows.size());
            message.end = m_draw.Chance(60) ? 0 : 1;
            const auto& flow = s.flows[message.flow];
            message.bytes = DrawBytes(flow, std::max<uint64_t>(1, std::min(budget, share)));
            budget -= std::min(budget, message.bytes / flow.mtu);
            message.at = DrawTime();
            if (i > 0 && m_draw.Chance(35))
            {
                message.at = s.messages[m_draw.Index(i)].at; // several at once
            }
            if (i > 0 && m_draw.Chance(30))
            {
                message.trigger =
                    m_draw.Chance(50) ? LinkScenario::AFTER_SENT : LinkScenario::AFTER_ARRIVED;
                message.after = m_draw.Index(i);
                Place(message);
            }
            else if (!m_simple && m_draw.Chance(6))
            {
                message.trigger = LinkScenario::OUTSIDE;
            }
            s.messages.push_back(message);
            m_span = std::max(m_span, message.at);
            m_work += message.bytes * 8 * 1000 / (s.rates[0] / GBPS) + US;
        }
        m_span += m_work + 2 * (s.fibers[0] + s.fibers[1]);
    }

    /// Draw which messages are signaled, and whether Writes are traced.
    void MakeSignals()
    {
        auto& s = m_scenario;
        s.writesTraced = m_draw.Chance(50);
        s.writesTracedAt = m_draw.Chance(80) ? 0 : m_draw.Between(1, m_span);
        const uint32_t percent = m_draw.Pick<uint32_t>({0, 50, 90, 100});
        for (auto& message : s.messages)
        {
            message.signaled = !m_draw.Chance(percent);
        }
    }

    /// A message that follows another one is posted by the NIC that is told of that one.
    void Place(LinkScenario::Message& message)
    {
        const auto& s = m_scenario;
        const auto& before = s.messages[message.after];
        const uint32_t end =
            message.trigger == LinkScenario::AFTER_SENT ? before.end : 1 - before.end;
        const auto& flow = s.flows[before.flow];
        const uint32_t nic = end == 0 ? flow.a : flow.b;
        const auto& wanted = s.flows[message.flow];
        if (wanted.a == nic || wanted.b == nic)
        {
            message.end = wanted.a == nic ? 0 : 1;
            return;
        }
        message.flow = before.flow;
        message.end = end;
    }

    void MakeActions()
    {
        const auto few = static_cast<uint32_t>(m_draw.Chance(55) ? 0 : 1);
        const auto count = m_simple ? few : static_cast<uint32_t>(m_draw.Between(0, 5));
        for (uint32_t i = 0; i < count; ++i)
        {
            MakeAction();
        }
    }

    void MakeAction()
    {
        auto& s = m_scenario;
        LinkScenario::Action action;
        action.kind = static_cast<LinkScenario::Kind>(m_draw.Index(LinkScenario::KINDS));
        if (m_draw.Chance(50))
        {
            // Actions that lose or stop frames are more likely than the rest.
            action.kind = m_draw.Pick<LinkScenario::Kind>({LinkScenario::PAUSE,
                                                           LinkScenario::TEAR,
                                                           LinkScenario::CUT,
                                                           LinkScenario::DIVERT,
                                                           LinkScenario::ERROR_RATE,
                                                           LinkScenario::ERROR_LIST});
        }
        action.at = m_draw.Chance(90) ? m_draw.Between(0, m_span) : 0;
        action.boundary = m_draw.Chance(10) ? static_cast<uint32_t>(m_draw.Scaled(1, 1000)) : 0;
        if (action.kind == LinkScenario::READ_OUTSIDE)
        {
            action.boundary = 0; // how much of an instant has passed when Run returns is open
        }
        action.index = m_draw.Index(s.flows.size());
        action.place = m_draw.Index(2);
        switch (action.kind)
        {
        case LinkScenario::PAUSE:
            action.value = m_draw.Chance(40) ? 0 : m_draw.Scaled(1, 100 * US);
            break;
        case LinkScenario::TEAR:
        case LinkScenario::CUT:
        case LinkScenario::DIVERT:
            if (!s.ocs || (action.kind == LinkScenario::DIVERT && s.nics < 3))
            {
                return;
            }
            action.index = m_draw.Index(s.links.size());
            action.value = m_draw.Scaled(NS, 100 * US);
            break;
        case LinkScenario::WINDOW:
            action.value = m_draw.Scaled(1, 4 << 20);
            break;
        case LinkScenario::ACK_INTERVAL:
            action.value = m_draw.Scaled(1, 1024);
            break;
        case LinkScenario::MIN_TIMEOUT:
            action.value = m_draw.Scaled(NS, 1000 * US);
            break;
        case LinkScenario::CONTROL:
            action.value = m_draw.Between(0, 2);
            break;
        default:
            MakePortAction(action);
            break;
        }
        s.actions.push_back(action);
    }

    void MakePortAction(LinkScenario::Action& action)
    {
        action.index = m_draw.Index(m_scenario.nics);
        action.place = m_draw.Index(m_scenario.ports);
        action.value = m_draw.Scaled(NS, 100 * US);
        if (action.kind == LinkScenario::ERROR_RATE)
        {
            action.value = m_draw.Pick<uint64_t>({0, 1, 5, 20, 200});
            action.extra = m_draw.Chance(50) ? 0 : m_draw.Scaled(NS, 100 * US);
        }
        else if (action.kind == LinkScenario::ERROR_LIST)
        {
            action.value = m_draw.Between(1, 0xffffff);
            action.extra = m_draw.Scaled(1, 1000);
            if (m_draw.Chance(60))
            {
                action.value = uint64_t{1} << m_draw.Between(0, 60);
            }
        }
        else if (action.kind == LinkScenario::PORT_RATE)
        {
            action.value = DrawRate();
        }
        else if (action.kind == LinkScenario::PFC)
        {
            action.extra = m_draw.Pick<uint64_t>({3, 3, 3, 6, 0});
        }
    }

    Draw m_draw;
    LinkScenario m_scenario;
    bool m_simple{false}; //!< little gets in the way: there will be bursts
    uint64_t m_work{0};   //!< ps that the messages take at least, if nothing else is sent
    uint64_t m_span{0};   //!< ps in which things may happen
};

template <typename T>
std::string
Join(const T& values)
{
    std::ostringstream text;
    std::string separator;
    for (const auto& value : values)
    {
        text << separator << value;
        separator = ",";
    }
    return text.str();
}

std::string
PrintLink(const LinkScenario::Flow& flow)
{
    std::ostringstream text;
    text << "{" << flow.a << "-" << flow.b << " ports=" << Join(flow.ports)
         << (flow.connection ? " connection" : "") << " mtu=" << flow.mtu
         << " window=" << Join(flow.window) << " ack=" << Join(flow.ackInterval)
         << " psn=" << Join(flow.firstPsn) << (flow.selective ? " selective" : "");
    text << " timeout=" << flow.initialTimeout << "/" << flow.minTimeout << "x" << flow.retryLimit;
    if (flow.createdAt > 0)
    {
        text << " createdAt=" << flow.createdAt;
    }
    if (flow.tos[0] != 106)
    {
        text << " tos=" << flow.tos[0];
    }
    if (!flow.control.empty())
    {
        text << " control=" << flow.control;
    }
    if (flow.baseRoundTrip > 0)
    {
        text << " roundTrip=" << flow.baseRoundTrip;
    }
    text << "}";
    return text.str();
}

std::string
PrintLink(const LinkScenario::Message& message)
{
    static const std::vector<std::string> TRIGGERS{"at", "after sent", "after arrived", "outside"};
    std::ostringstream text;
    const bool timed =
        message.trigger == LinkScenario::AT || message.trigger == LinkScenario::OUTSIDE;
    text << "{f" << message.flow << "." << message.end << " bytes=" << message.bytes << " "
         << TRIGGERS[message.trigger] << " " << (timed ? message.at : message.after) << "}";
    return text.str();
}

std::string
PrintLink(const LinkScenario::Action& action)
{
    static const std::vector<std::string> KINDS{"pause",
                                                "tear",
                                                "cut",
                                                "divert",
                                                "errorRate",
                                                "errorList",
                                                "window",
                                                "ackInterval",
                                                "minTimeout",
                                                "portRate",
                                                "control",
                                                "read",
                                                "readOutside",
                                                "trace",
                                                "capture",
                                                "pfc",
                                                "kick"};
    std::ostringstream text;
    text << "{" << KINDS[action.kind] << " at=";
    if (action.boundary > 0)
    {
        text << "packet " << action.boundary;
    }
    else
    {
        text << action.at;
    }
    text << " " << action.index << "." << action.place << " " << action.value << " " << action.extra
         << "}";
    return text.str();
}

/// Leave out a message, and let those that follow it be posted at once.
LinkScenario
WithoutMessage(LinkScenario scenario, uint32_t index)
{
    scenario.messages.erase(scenario.messages.begin() + index);
    for (auto& message : scenario.messages)
    {
        const bool follows = message.trigger == LinkScenario::AFTER_SENT ||
                             message.trigger == LinkScenario::AFTER_ARRIVED;
        if (follows && message.after == index)
        {
            message.trigger = LinkScenario::AT;
        }
        else if (follows && message.after > index)
        {
            --message.after;
        }
    }
    return scenario;
}

/// Leave out a flow that has no messages.
LinkScenario
WithoutFlow(LinkScenario scenario, uint32_t index)
{
    const auto isOfFlow = [](const LinkScenario::Action& action) {
        return action.kind == LinkScenario::PAUSE || action.kind == LinkScenario::WINDOW ||
               action.kind == LinkScenario::ACK_INTERVAL ||
               action.kind == LinkScenario::MIN_TIMEOUT || action.kind == LinkScenario::CONTROL;
    };
    scenario.flows.erase(scenario.flows.begin() + index);
    auto& actions = scenario.actions;
    actions.erase(std::remove_if(actions.begin(),
                                 actions.end(),
                                 [&](const auto& action) {
                                     return isOfFlow(action) && action.index == index;
                                 }),
                  actions.end());
    for (auto& action : actions)
    {
        action.index -= isOfFlow(action) && action.index > index ? 1 : 0;
    }
    for (auto& message : scenario.messages)
    {
        message.flow -= message.flow > index ? 1 : 0;
    }
    return scenario;
}

} // namespace

LinkScenario
LinkScenario::Make(uint64_t seed)
{
    return Maker(seed).Make();
}

std::string
LinkScenario::ToText() const
{
    std::ostringstream text;
    text << "seed " << seed << ": " << nics << " NICs of " << ports << " ports, rates "
         << Join(rates) << ", fibers " << Join(fibers);
    if (ocs)
    {
        text << ", OCS " << reconfiguration << "+" << lock << " insertion " << insertion
             << (simplex ? " simplex" : "") << (wholeSwitch ? " whole" : "");
    }
    text << (readInCallbacks ? ", read in callbacks" : "") << (traced ? ", traced" : "")
         << (repeatsTraced ? ", repeats traced" : "");
    if (stopAt > 0)
    {
        text << ", stopped at " << stopAt;
    }
    if (writesTraced)
    {
        text << ", writes traced from " << writesTracedAt;
    }
    for (const auto& flow : flows)
    {
        text << " flow " << PrintLink(flow);
    }
    for (const auto& message : messages)
    {
        text << " message " << PrintLink(message) << (message.signaled ? "" : " unsignaled");
    }
    for (const auto& action : actions)
    {
        text << " action " << PrintLink(action);
    }
    for (const auto& stream : packets)
    {
        text << " packets " << stream.ToText();
    }
    return text.str();
}

std::vector<LinkScenario>
LinkScenario::Simplify() const
{
    std::vector<LinkScenario> simpler;
    for (uint32_t i = 0; i < actions.size(); ++i)
    {
        simpler.push_back(*this);
        simpler.back().actions.erase(simpler.back().actions.begin() + i);
    }
    for (uint32_t i = 0; i < packets.size(); ++i)
    {
        simpler.push_back(*this);
        simpler.back().packets.erase(simpler.back().packets.begin() + i);
        simpler.push_back(*this);
        simpler.back().packets[i].count = (packets[i].count + 1) / 2;
    }
    if (writesTraced)
    {
        simpler.push_back(*this);
        simpler.back().writesTraced = false;
    }
    if (messages.size() > 4)
    {
        simpler.push_back(*this);
        while (simpler.back().messages.size() > messages.size() / 2)
        {
            simpler.back().messages.pop_back();
        }
    }
    for (uint32_t i = 0; i < messages.size() && messages.size() > 1; ++i)
    {
        simpler.push_back(WithoutMessage(*this, i));
    }
    for (uint32_t i = 0; i < flows.size(); ++i)
    {
        const bool used = std::any_of(messages.begin(), messages.end(), [i](const auto& message) {
            return message.flow == i;
        });
        if (!used)
        {
            simpler.push_back(WithoutFlow(*this, i));
        }
    }
    for (uint32_t i = 0; i < messages.size(); ++i)
    {
        const auto& message = messages[i];
        const uint64_t mtu = flows[message.flow].mtu;
        for (const uint64_t bytes : {message.bytes / 2,
                                     message.bytes - message.bytes % mtu,
                                     message.bytes > 4 * mtu ? message.bytes - mtu : 0})
        {
            if (bytes > 0 && bytes < message.bytes)
            {
                simpler.push_back(*this);
                simpler.back().messages[i].bytes = bytes;
            }
        }
        if (message.trigger == AT && message.at > 0)
        {
            simpler.push_back(*this);
            simpler.back().messages[i].at = 0;
        }
    }
    const auto change = [&](auto&& edit) {
        LinkScenario one = *this;
        edit(one);
        if (one.ToText() != ToText())
        {
            simpler.push_back(one);
        }
    };
    change([](auto& s) { s.readInCallbacks = false; });
    change([](auto& s) { s.traced = false; });
    change([](auto& s) { s.repeatsTraced = false; });
    change([](auto& s) { s.stopAt = 0; });
    change([](auto& s) { s.rates.assign(s.nics, 400 * GBPS); });
    change([](auto& s) { s.fibers.assign(s.nics, 100 * NS); });
    for (uint32_t i = 0; i < flows.size(); ++i)
    {
        const Flow plain;
        change([&](auto& s) { s.flows[i].mtu = plain.mtu; });
        change([&](auto& s) { s.flows[i].window = plain.window; });
        change([&](auto& s) { s.flows[i].ackInterval = plain.ackInterval; });
        change([&](auto& s) { s.flows[i].firstPsn = plain.firstPsn; });
        change([&](auto& s) { s.flows[i].selective = false; });
        change([&](auto& s) { s.flows[i].control.clear(); });
        change([&](auto& s) { s.flows[i].initialTimeout = plain.initialTimeout; });
        change([&](auto& s) { s.flows[i].minTimeout = plain.minTimeout; });
        change([&](auto& s) { s.flows[i].baseRoundTrip = 0; });
        change([&](auto& s) { s.flows[i].retryLimit = plain.retryLimit; });
        change([&](auto& s) { s.flows[i].createdAt = 0; });
        change([&](auto& s) { s.flows[i].tos = plain.tos; });
        change([&](auto& s) {
            s.flows[i].connection = s.flows[i].connection && s.flows[i].ports.size() > 1;
        });
    }
    return simpler;
}

} // namespace test
} // namespace ns3
