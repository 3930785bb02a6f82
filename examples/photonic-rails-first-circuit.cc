// SPDX-License-Identifier: GPL-2.0-only

// Two servers of one GPU each, joined by an optical circuit switch. One circuit, one message.

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"
using namespace ns3;

void
Received(uint32_t /* immediate */, uint64_t bytes)
{
    std::cout << bytes << " bytes received at " << Simulator::Now().As(Time::MS) << "\n";
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // a 4 KiB packet at 400 Gbit/s lasts 84 ns
    std::string pcap;
    CommandLine cmd(__FILE__);
    cmd.AddValue("pcap", "prefix of packet captures to write", pcap);
    cmd.Parse(argc, argv);

    RailClusterHelper helper;
    helper.SetDomains(2, 1);
    helper.SetNic(1, DataRate("400Gbps"));
    helper.SetOcs("polatis");
    RailCluster cluster = helper.InstallPhotonic();

    auto [sender, receiver] = RdmaHelper::Connect(cluster.GetNic(0), {0}, cluster.GetNic(1), {0});
    receiver->SetReceivedCallback(MakeCallback(&Received));
    if (!pcap.empty())
    {
        helper.EnablePcap(pcap, cluster.GetNicPorts());
    }
    sender->Post(64 << 20, 1);                    // waits: the ports are dark
    cluster.GetOcs(0)->Reconfigure({}, {{0, 1}}); // light after 25 ms
    Simulator::Run();
    Simulator::Destroy();
}
