// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PACKET_STREAM_H
#define PHOTONIC_RAILS_PACKET_STREAM_H

#include "differential-draw.h"
#include "differential-record.h"

#include "ns3/ethernet-port-net-device.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// IPv4 packets that a NIC port sends to another beside its queue pairs. Times are in picoseconds.
struct PacketStream
{
    uint32_t from{0};  //!< a NIC or GPU
    uint32_t to{0};    //!< another
    uint32_t port{0};  //!< of both
    uint32_t count{1}; //!< packets
    uint32_t bytes{0}; //!< payload of each
    uint32_t tos{0};   //!< type of service
    uint64_t at{0};    //!< when the first is sent
    uint64_t gap{0};   //!< time from one to the next
    bool echo{false};  //!< the receiver sends each packet back

    /**
     * @param draw source of random numbers
     * @param ends NICs or GPUs
     * @param ports of each
     * @param span longest time until the first packet, in ps
     * @return a few streams
     */
    static std::vector<PacketStream> Make(Draw& draw, uint32_t ends, uint32_t ports, uint64_t span);

    /// @return the stream in a few words
    std::string ToText() const;
};

/// Sends the packets of streams, and notes those that arrive or are dropped at a port.
class PacketTraffic
{
  public:
    /// An end of streams.
    struct End
    {
        Ptr<EthernetPortNetDevice> device;
        Ipv4Address address;
    };

    /// @param record gets the notes; outlives this object
    explicit PacketTraffic(Record& record)
        : m_record(record)
    {
    }

    /**
     * @brief Record the frames that a port receives and drops from now on.
     * @param node the number of the port's owner in the record
     * @param end the port
     */
    void Listen(uint32_t node, const End& end);

    /// Schedule the packets of a stream between two ports.
    void Start(const PacketStream& stream, const End& from, const End& to);

  private:
    /// The protocol numbers that RFC 3692 leaves to experiments.
    enum Protocol : uint8_t
    {
        ECHO = 253,
        PLAIN = 254
    };

    static void Send(End from, End to, uint32_t bytes, uint8_t tos, uint8_t protocol);
    bool Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from);

    Record& m_record;
    std::map<Ptr<NetDevice>, uint32_t> m_nodes;
    std::map<Ipv4Address, End> m_ends;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_PACKET_STREAM_H
