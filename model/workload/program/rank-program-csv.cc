// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program-csv.h"

#include <cstdio>

namespace ns3
{

namespace
{

/// @return the number with 15 significant digits
std::string
FlopsToText(double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.15g", value);
    return text;
}

} // namespace

std::string
RankProgramCsv::Quote(const std::string& field)
{
    if (field.find_first_of(",\"\r\n") == std::string::npos)
    {
        return field;
    }
    std::string quoted = "\"";
    for (const char character : field)
    {
        quoted += character;
        if (character == '"')
        {
            quoted += character;
        }
    }
    return quoted + "\"";
}

void
RankProgramCsv::Write(const RankProgram& program,
                      const DeviceMesh& mesh,
                      uint32_t rank,
                      std::ostream& out)
{
    const RankBinding binding(mesh, rank);
    out << "index,stream,place,dimension,role,kind,ranks,peer,bytes,flops,duration_s,label,"
           "dependencies\n";
    for (uint32_t index = 0; index < program.GetSize(); ++index)
    {
        const RankOperation& operation = program.GetOperations()[index];
        out << index << ',' << ToString(operation.stream) << ',' << ToString(operation.place) << ','
            << ToString(operation.dimension) << ',';
        if (operation.place == RankOperation::GPU)
        {
            out << ",,,,," << FlopsToText(operation.flops) << ',';
        }
        else
        {
            const CollectiveCall call = binding.Bind(operation);
            out << ToString(operation.role) << ',' << ToString(operation.kind) << ','
                << mesh.GetGroup(rank, operation.role).GetSize() << ',';
            if (call.IsPointToPoint())
            {
                out << call.peer;
            }
            out << ',' << operation.bytes << ",,";
        }
        if (operation.place != RankOperation::SCALE_OUT)
        {
            out << FlopsToText(operation.duration.GetSeconds());
        }
        out << ',' << Quote(operation.label) << ',';
        const char* separator = "";
        for (const uint32_t dependency : operation.dependencies)
        {
            out << separator << dependency;
            separator = " ";
        }
        out << '\n';
    }
}

} // namespace ns3
