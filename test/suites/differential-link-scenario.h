// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_LINK_SCENARIO_H
#define PHOTONIC_RAILS_DIFFERENTIAL_LINK_SCENARIO_H

#include "differential-record.h"
#include "packet-stream.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief Two or three NICs, fibers or an OCS between them, messages, and disturbances.
 *
 * Times are in picoseconds, from when the messages begin.
 */
struct LinkScenario
{
    static constexpr const char* NAME = "link"; //!< of the family

    /// A fiber between two NICs, or a circuit that leads from one to the other at first.
    struct Link
    {
        uint32_t a;    //!< a NIC
        uint32_t b;    //!< another
        uint32_t port; //!< of both
    };

    /// The settings of a flow on its two NICs; an array has a value for each end.
    struct Flow
    {
        uint32_t a{0};                  //!< the NIC at end 0
        uint32_t b{1};                  //!< the NIC at end 1
        std::vector<uint32_t> ports{0}; //!< of both; several are a connection
        bool connection{false};         //!< posts go to a connection, not to a queue pair
        uint64_t createdAt{0};          //!< when
        uint32_t mtu{4096};             //!< bytes
        std::array<uint32_t, 2> window{{1 << 20, 1 << 20}};
        std::array<uint32_t, 2> ackInterval{{32, 32}};
        std::array<uint32_t, 2> firstPsn{{0, 0}};
        std::array<uint32_t, 2> tos{{106, 106}};
        bool selective{false};               //!< repeats single packets
        std::string control;                 //!< TypeId of the congestion control, or none
        uint64_t initialTimeout{4000000000}; //!< ps
        uint64_t minTimeout{500000000};      //!< ps
        uint64_t baseRoundTrip{0};           //!< ps
        uint32_t retryLimit{7};              //!< time-outs
    };

    /// The event at which a message is posted.
    enum Trigger
    {
        AT,            //!< a time
        AFTER_SENT,    //!< another message is acknowledged: posted at the same end or NIC
        AFTER_ARRIVED, //!< another message has arrived: posted by who has received it
        OUTSIDE,       //!< a time, but between two calls of Simulator::Run
    };

    struct Message
    {
        uint32_t flow{0};
        uint32_t end{0};
        uint64_t bytes{0};
        Trigger trigger{AT};
        uint64_t at{0};    //!< time
        uint32_t after{0}; //!< the other message
        bool signaled{true};
    };

    /// Kinds of disturbances.
    enum Kind
    {
        PAUSE,        //!< a flow's end, until `value` later, or if that is 0 until it is drained
        TEAR,         //!< a link: circuit dropped and made again by one command
        CUT,          //!< a link: circuit dropped, and made again `value` later
        DIVERT,       //!< a link: the circuit leads to the third NIC, and back `value` later
        ERROR_RATE,   //!< a port loses `value` of 1000 frames that arrive, for `extra`
        ERROR_LIST,   //!< a port loses frames that arrive, by number, from now on: bits of `value`
        WINDOW,       //!< a flow's end gets another Window
        ACK_INTERVAL, //!< a flow's end gets another AckInterval
        MIN_TIMEOUT,  //!< a flow's end gets another MinTimeout
        PORT_RATE,    //!< a port gets another rate
        CONTROL, //!< both ends of a flow get a congestion control (0: none, 1: DCQCN, 2: Swift)
        READ,    //!< counts are read
        READ_OUTSIDE, //!< counts are read between two calls of Simulator::Run
        TRACE,        //!< frames that a port sends and receives are traced, for `value`
        CAPTURE,      //!< frames that a port sends and receives are written to a file
        PFC,          //!< a port pauses priority `extra` of its link partner for `value`
        KICK,         //!< a port is kicked for no reason
        KINDS
    };

    struct Action
    {
        Kind kind{READ};
        uint64_t at{0};       //!< time
        uint32_t boundary{0}; //!< not at a time but when so many full packets could have left
        uint32_t index{0};    //!< of the flow, link or NIC
        uint32_t place{0};    //!< the flow's end, or the port
        uint64_t value{0};
        uint64_t extra{0};
    };

    uint64_t seed{0};
    uint32_t nics{2};
    uint32_t ports{1};
    bool ocs{false};
    bool simplex{false};     //!< circuits of one direction each
    bool wholeSwitch{false}; //!< every command darkens all circuits
    uint64_t reconfiguration{0};
    uint64_t lock{0};
    uint64_t insertion{0};
    std::vector<uint64_t> rates;  //!< bit/s, of each NIC
    std::vector<uint64_t> fibers; //!< ps, of each NIC's to the OCS, or the first of all
    std::vector<Link> links;
    std::vector<Flow> flows;
    std::vector<Message> messages;
    std::vector<Action> actions;
    std::vector<PacketStream> packets; //!< of IP stacks on the same ports
    bool readInCallbacks{false};       //!< counts are read whenever somebody is told something
    uint64_t stopAt{0};                //!< when the simulation ends, 0: when nothing is left to do
    bool repeatsTraced{false};         //!< what queue pairs trace when they repeat packets is seen
    bool traced{false};                //!< all ports are traced from the start
    bool writesTraced{true};           //!< that Writes are finished is traced
    uint64_t writesTracedAt{0};        //!< from when on

    /**
     * @param seed any number
     * @return the scenario of that seed
     */
    static LinkScenario Make(uint64_t seed);
    /// @return all of it, in a line
    std::string ToText() const;
    /// @return scenarios with less in them
    std::vector<LinkScenario> Simplify() const;
    /// @return the record of the run
    Record Run(const RunMode& mode) const;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_LINK_SCENARIO_H
