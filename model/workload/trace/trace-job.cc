// SPDX-License-Identifier: GPL-2.0-only

#include "trace-job.h"

#include "operations-file.h"
#include "trace-graph.h"
#include "trace-order.h"
#include "trace-reader.h"
#include "traffic-file.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ns3
{

namespace
{

/// @return the file of a name, possibly compressed; nothing if there is none
std::optional<std::string>
FindFile(const std::string& name)
{
    for (const std::string& file : {name, name + ".gz"})
    {
        std::error_code error;
        if (std::filesystem::is_regular_file(file, error))
        {
            return file;
        }
    }
    return std::nullopt;
}

/// @return the lowest rank above some that has a file, or nothing
std::optional<uint32_t>
FindRankAbove(const std::string& prefix, uint32_t rank)
{
    const std::filesystem::path path(prefix);
    const std::string name = path.filename().string() + ".";
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    std::optional<uint32_t> lowest;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    {
        const std::string file = entry.path().filename().string();
        if (file.compare(0, name.size(), name) != 0)
        {
            continue;
        }
        const std::string rest = file.substr(name.size());
        const std::size_t digits = rest.find_first_not_of("0123456789");
        if (digits == 0 || digits > 9 ||
            (rest.substr(digits) != ".et" && rest.substr(digits) != ".et.gz"))
        {
            continue;
        }
        const auto number = static_cast<uint32_t>(std::stoul(rest.substr(0, digits)));
        if (number > rank && (!lowest || number < *lowest))
        {
            lowest = number;
        }
    }
    return lowest;
}

/// Finds and reads the files of a TraceSource, and makes the ranks of them: see TraceJob.
class TraceJobReader
{
  public:
    /// @param source files and settings
    explicit TraceJobReader(const TraceSource& source)
        : m_source(source),
          m_scaleUp(source.gpu)
    {
    }

    /// @return the ranks
    JobRanks Read()
    {
        FindFiles();
        ReadFiles();
        return MakeRanks();
    }

  private:
    /// Find the files of the ranks.
    void FindFiles()
    {
        const std::string& prefix = m_source.prefix;
        if (OperationsFile::IsName(prefix))
        {
            if (m_source.replicas > 0)
            {
                throw TraceError(prefix + ": has all ranks; --traceRanks is for one trace");
            }
            if (TrafficFile::IsTraffic(prefix))
            {
                m_traffic.emplace(prefix);
            }
            const uint32_t ranks = m_traffic ? m_traffic->CountRanks(m_source.gpusPerDomain)
                                             : OperationsFile(prefix).CountRanks();
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                m_files.push_back(OperationsFile::Describe(prefix, rank));
            }
            return;
        }
        if (m_source.replicas > 0)
        {
            for (const std::string& name : {prefix, prefix + ".et", prefix + ".0.et"})
            {
                if (const auto file = FindFile(name))
                {
                    m_files.assign(m_source.replicas, *file);
                    return;
                }
            }
            throw TraceError(prefix + ", " + prefix + ".et, " + prefix +
                             ".0.et: there is no such file");
        }
        while (const auto file = FindFile(prefix + "." + std::to_string(m_files.size()) + ".et"))
        {
            m_files.push_back(*file);
        }
        const auto count = static_cast<uint32_t>(m_files.size());
        if (m_files.empty() && FindFile(prefix))
        {
            throw TraceError(prefix + ": is one file. There must be a trace for each rank, "
                                      "PREFIX.RANK.et, of which --trace has the PREFIX; or a table "
                                      "FILE.csv; or --traceRanks, for one trace on several ranks");
        }
        if (const auto above = FindRankAbove(prefix, count); m_files.empty() || above)
        {
            throw TraceError(prefix + "." + std::to_string(count) + ".et: there is no such file" +
                             (above ? ", and there is one of rank " + std::to_string(*above) : ""));
        }
    }

    /// Read the files.
    void ReadFiles()
    {
        const auto worldSize = static_cast<uint32_t>(m_files.size());
        m_groups = std::make_unique<TraceGroups>(worldSize, m_source.replicas > 0);
        if (OperationsFile::IsName(m_source.prefix))
        {
            const auto take = [this](TraceRank&& trace, TraceGraph&& graph) {
                AddRank(std::move(trace), std::move(graph));
            };
            if (m_traffic)
            {
                m_traffic->Read(*m_groups, take);
            }
            else
            {
                OperationsFile(m_source.prefix).Read(*m_groups, take);
            }
            return;
        }
        const std::string names = m_source.prefix + ".json";
        if (m_source.replicas == 0 && FindFile(names) == names)
        {
            m_groups->Read(names);
        }
        TraceReader reader(ComputeModel(m_source.gpu, m_source.efficiency), *m_groups);
        for (uint32_t rank = 0; rank < worldSize; ++rank)
        {
            if (rank > 0 && m_source.replicas > 0)
            {
                m_ranks.push_back(m_ranks.front());
                continue;
            }
            TraceRank trace;
            TraceGraph graph = reader.Read(m_files[rank], rank, trace);
            AddRank(std::move(trace), std::move(graph));
        }
        if (m_source.replicas > 0 && std::any_of(m_graphs[0].nodes.begin(),
                                                 m_graphs[0].nodes.end(),
                                                 [](const TraceNode& node) {
                                                     return node.kind == TraceNode::SEND ||
                                                            node.kind == TraceNode::RECV;
                                                 }))
        {
            throw TraceError(m_files[0] +
                             ": has messages to other ranks, so one trace cannot stand for "
                             "several ranks");
        }
    }

    /// Add the next rank, with a graph of an earlier rank if there is an equal one.
    void AddRank(TraceRank&& trace, TraceGraph&& graph)
    {
        trace.graph = static_cast<uint32_t>(m_graphs.size());
        const std::size_t hash = graph.GetHash();
        const auto [begin, end] = m_graphOf.equal_range(hash);
        for (auto one = begin; one != end; ++one)
        {
            if (m_graphs[one->second].IsLike(graph))
            {
                trace.graph = one->second;
            }
        }
        if (trace.graph == m_graphs.size())
        {
            m_nodes += graph.nodes.size();
            if (m_nodes > TraceJob::MAX_NODES)
            {
                throw TraceError(m_files[m_ranks.size()] +
                                 ": the traces that differ from others have "
                                 "more than " +
                                 std::to_string(TraceJob::MAX_NODES) + " nodes");
            }
            m_graphOf.emplace(hash, trace.graph);
            m_graphs.push_back(std::move(graph));
        }
        m_ranks.push_back(std::move(trace));
    }

    /// @return the ranks
    JobRanks MakeRanks()
    {
        TraceOrder order(m_graphs, m_ranks, m_groups->GetGroups());
        auto orders =
            order.Find([this](uint32_t rank, uint32_t node) { return GetName(rank, node); });
        m_uneven = order.GetUneven();
        const RankLayout layout = MakeLayout();
        // Ranks share a program if they have the same graph, order, kinds of groups, and sizes.
        using GroupKind = std::tuple<uint16_t, uint32_t, bool>;
        using Sizes = std::vector<const AllToAllSizes*>;
        using Key = std::tuple<uint32_t, std::vector<GroupKind>, Sizes, Sequences>;
        std::map<Key, uint32_t> known;
        std::vector<uint32_t> classes;
        JobRanks::Programs programs;
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            std::vector<GroupKind> kinds;
            for (uint32_t i = 0; i < m_ranks[rank].groups.size(); ++i)
            {
                const ProcessGroup& group = layout.GetGroups()[m_ranks[rank].groups[i]];
                kinds.emplace_back(static_cast<uint16_t>(m_roles[rank].at(i)),
                                   group.GetSize(),
                                   layout.GetReach(group) == RankLayout::SCALE_UP);
            }
            Sizes sizes;
            for (auto one = m_uneven.lower_bound({rank, 0});
                 one != m_uneven.end() && one->first.first == rank;
                 ++one)
            {
                sizes.push_back(PeekPointer(one->second));
            }
            Key key(m_ranks[rank].graph,
                    std::move(kinds),
                    std::move(sizes),
                    FindSequences(rank, orders[rank]));
            const auto [place, isNew] =
                known.emplace(std::move(key), static_cast<uint32_t>(programs.size()));
            if (isNew)
            {
                programs.push_back(MakeProgram(rank, std::get<3>(place->first), layout));
            }
            classes.push_back(place->second);
        }
        return JobRanks(layout, std::move(classes), std::move(programs), m_source.algorithms);
    }

    /// @return domains and groups of the ranks
    RankLayout MakeLayout()
    {
        const auto worldSize = static_cast<uint32_t>(m_ranks.size());
        std::vector<RankLayout::Role> roles;
        std::map<std::string, uint32_t> numbers; // of roles by name
        m_roles.resize(worldSize);
        const std::vector<ProcessGroup> groups = m_groups->Take();
        std::vector<uint32_t> alone(worldSize);
        for (const ProcessGroup& group : groups)
        {
            if (group.GetSize() == 1)
            {
                alone[group.ranks[0]] = group.id;
            }
        }
        for (uint32_t rank = 0; rank < worldSize; ++rank)
        {
            const auto& names = m_graphs[m_ranks[rank].graph].roles;
            std::set<std::string> used; // a file may have one name for several groups of a rank
            for (uint32_t i = 0; i < names.size(); ++i)
            {
                const std::string base =
                    names[i].empty() ? "group " + std::to_string(i + 1) : names[i];
                std::string name = base;
                for (uint32_t number = 2; !used.insert(name).second; ++number)
                {
                    name = base + " " + std::to_string(number);
                }
                const auto [place, isNew] =
                    numbers.emplace(name, static_cast<uint32_t>(roles.size()));
                if (isNew)
                {
                    roles.push_back({name, alone});
                }
                roles[place->second].groups[rank] = m_ranks[rank].groups[i];
                m_roles[rank][i] = static_cast<GroupRole>(place->second);
            }
        }
        RankLayout layout(worldSize, m_source.gpusPerDomain);
        layout.SetGroups(groups, std::move(roles));
        std::vector<uint32_t> pipelineRanks;
        for (const TraceRank& rank : m_ranks)
        {
            pipelineRanks.push_back(rank.pipelineRank);
        }
        std::vector<uint32_t> stages = pipelineRanks;
        std::sort(stages.begin(), stages.end());
        stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
        if (stages.size() > 1 && stages.back() + 1 == stages.size())
        {
            layout.SetPipelineRanks(std::move(pipelineRanks));
        }
        return layout;
    }

    /// Calls and the next ones on their streams, or the next like ones of their groups; sorted.
    using Sequences = std::vector<std::pair<uint32_t, uint32_t>>;

    /// @return the parts of the order of a rank's calls that its program depends on
    Sequences FindSequences(uint32_t rank, const std::vector<uint32_t>& order) const
    {
        const std::vector<uint16_t> streams = FindStreams(rank);
        std::unordered_map<uint16_t, uint32_t> onStream;
        std::map<std::pair<uint32_t, TraceNode::Kind>, uint32_t> ofGroup;
        Sequences sequences;
        for (const uint32_t call : order)
        {
            if (streams[call] == RankOperation::INSTANT)
            {
                continue;
            }
            const auto follow = [&sequences, call](auto& last, const auto& key) {
                const auto [place, isFirst] = last.emplace(key, call);
                if (!isFirst)
                {
                    sequences.emplace_back(place->second, call);
                    place->second = call;
                }
            };
            follow(onStream, streams[call]);
            const TraceNode& node = m_graphs[m_ranks[rank].graph].nodes[call];
            if (HasData(rank, call))
            {
                follow(ofGroup, std::pair(m_ranks[rank].groups[node.role], node.kind));
            }
        }
        std::sort(sequences.begin(), sequences.end());
        sequences.erase(std::unique(sequences.begin(), sequences.end()), sequences.end());
        return sequences;
    }

    /// @return the program of a rank, whose calls have an order on which all ranks agree
    std::shared_ptr<const RankProgram> MakeProgram(uint32_t rank,
                                                   const Sequences& sequences,
                                                   const RankLayout& layout) const
    {
        constexpr uint32_t NONE = UINT32_MAX;
        const TraceGraph& graph = m_graphs[m_ranks[rank].graph];
        const auto streams = FindStreams(rank);
        const auto size = static_cast<uint32_t>(graph.nodes.size());
        std::vector<uint32_t> offsets;
        std::vector<uint32_t> successors;
        graph.FindSuccessors(offsets, successors);
        std::vector<uint32_t> waiting = graph.CountDependencies();
        for (const auto& [call, next] : sequences)
        {
            ++waiting[next];
        }
        std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
        for (uint32_t i = 0; i < size; ++i)
        {
            if (waiting[i] == 0)
            {
                ready.push(i);
            }
        }
        std::vector<uint32_t> places(size, NONE);       // indices of operations
        std::unordered_map<uint32_t, uint32_t> ofGroup; // call before a call in its group, if the
                                                        // streams of both differ
        std::vector<RankOperation> operations;
        operations.reserve(size);
        while (!ready.empty())
        {
            const uint32_t node = ready.top();
            ready.pop();
            places[node] = static_cast<uint32_t>(operations.size());
            operations.push_back(MakeOperation(rank, node, layout));
            operations.back().stream = static_cast<RankOperation::Stream>(streams[node]);
            for (uint32_t i = graph.offsets[node]; i < graph.offsets[node + 1]; ++i)
            {
                operations.back().dependencies.push_back(places[graph.dependencies[i]]);
            }
            if (const auto before = ofGroup.find(node); before != ofGroup.end())
            {
                operations.back().dependencies.push_back(places[before->second]);
            }
            std::sort(operations.back().dependencies.begin(), operations.back().dependencies.end());
            const auto release = [&](uint32_t successor) {
                if (--waiting[successor] == 0)
                {
                    ready.push(successor);
                }
            };
            for (uint32_t i = offsets[node]; i < offsets[node + 1]; ++i)
            {
                release(successors[i]);
            }
            for (auto pair = std::lower_bound(sequences.begin(),
                                              sequences.end(),
                                              std::pair<uint32_t, uint32_t>(node, 0));
                 pair != sequences.end() && pair->first == node;
                 ++pair)
            {
                if (streams[pair->second] != streams[node])
                {
                    ofGroup.emplace(pair->second, node);
                }
                release(pair->second);
            }
        }
        return std::make_shared<const RankProgram>(std::move(operations));
    }

    /// @return the operation of a node, without dependencies
    RankOperation MakeOperation(uint32_t rank, uint32_t index, const RankLayout& layout) const
    {
        const TraceGraph& graph = m_graphs[m_ranks[rank].graph];
        const TraceNode& node = graph.nodes[index];
        RankOperation operation;
        operation.label = graph.texts[node.label];
        operation.flops = node.flops;
        if (!HasData(rank, index))
        {
            operation.place =
                node.kind == TraceNode::HOST ? RankOperation::HOST : RankOperation::GPU;
            operation.duration = PicoSeconds(std::max<int64_t>(0, node.picoseconds));
            return operation;
        }
        operation.place = RankOperation::SCALE_OUT;
        operation.dimension = node.dimension;
        operation.kind = node.collective;
        operation.role = m_roles[rank].at(node.role);
        operation.bytes = node.bytes;
        operation.root = node.root;
        operation.sizes = FindSizes(rank, index);
        const ProcessGroup& group = layout.GetGroups()[m_ranks[rank].groups[node.role]];
        if (layout.GetReach(group) == RankLayout::SCALE_UP)
        {
            operation.place = RankOperation::SCALE_UP;
            operation.duration =
                node.picoseconds >= 0 ? PicoSeconds(node.picoseconds)
                : operation.sizes     ? m_scaleUp.GetTime(*operation.sizes)
                                  : m_scaleUp.GetTime(operation.kind, group.GetSize(), node.bytes);
        }
        return operation;
    }

    /// @return the sizes of an AllToAll whose parts differ, or null
    Ptr<const AllToAllSizes> FindSizes(uint32_t rank, uint32_t node) const
    {
        const auto& known = m_graphs[m_ranks[rank].graph].sizes;
        if (const auto sizes = known.find(node); sizes != known.end())
        {
            return sizes->second;
        }
        const auto uneven = m_uneven.find({rank, node});
        return uneven == m_uneven.end() ? nullptr : uneven->second;
    }

    /// @return true if a node is a call for which some rank of its group has data
    bool HasData(uint32_t rank, uint32_t node) const
    {
        const TraceNode& call = m_graphs[m_ranks[rank].graph].nodes[node];
        return call.IsCall() && (call.bytes > 0 || FindSizes(rank, node));
    }

    /// @return the streams of the nodes of a rank
    std::vector<uint16_t> FindStreams(uint32_t rank) const
    {
        const TraceGraph& graph = m_graphs[m_ranks[rank].graph];
        std::map<std::pair<uint32_t, TraceNode::Kind>, uint16_t> numbers; // by group and kind
        std::vector<uint16_t> streams;
        for (uint32_t index = 0; index < graph.nodes.size(); ++index)
        {
            const TraceNode& node = graph.nodes[index];
            streams.push_back(node.stream != TraceNode::NO_STREAM ? node.stream
                              : node.kind == TraceNode::GPU       ? RankOperation::GPU_QUEUE
                              : node.kind == TraceNode::HOST      ? RankOperation::HOST_QUEUE
                                                                  : RankOperation::INSTANT);
            if (node.stream == TraceNode::NO_STREAM && HasData(rank, index))
            {
                const uint32_t group = m_ranks[rank].groups[node.role];
                const auto next =
                    static_cast<uint16_t>(RankOperation::CALL_STREAMS + numbers.size());
                streams.back() = numbers.emplace(std::pair(group, node.kind), next).first->second;
            }
        }
        return streams;
    }

    /// @return file and name of a node
    std::string GetName(uint32_t rank, uint32_t node) const
    {
        const TraceGraph& graph = m_graphs[m_ranks[rank].graph];
        if (node >= graph.nodes.size())
        {
            return m_files[rank] + ": ";
        }
        return TraceBuilder::Describe(m_files[rank],
                                      graph.nodes[node].id,
                                      graph.texts[graph.nodes[node].label]);
    }

    const TraceSource& m_source;
    ScaleUpModel m_scaleUp;
    std::vector<std::string> m_files;     //!< by rank; of a table its rows
    std::optional<TrafficFile> m_traffic; //!< the messages of a table of traffic
    std::unique_ptr<TraceGroups> m_groups;
    std::vector<TraceGraph> m_graphs;
    std::unordered_multimap<std::size_t, uint32_t> m_graphOf; //!< graphs by their hashes
    uint64_t m_nodes{0};                                      //!< of all graphs
    std::vector<TraceRank> m_ranks;
    std::vector<std::map<uint32_t, GroupRole>> m_roles; //!< roles of the layout, by rank and role
    TraceOrder::Uneven m_uneven; //!< sizes of an AllToAll of which the traces have only sums
};

} // namespace

JobRanks
TraceJob::Read(const TraceSource& source)
{
    return TraceJobReader(source).Read();
}

} // namespace ns3
