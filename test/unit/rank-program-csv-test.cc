// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/rank-program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3;

TEST(RankProgramCsv, FieldsAreQuotedIfTheyMustBe)
{
    EXPECT_EQ(RankProgramCsv::Quote("forward 0"), "forward 0");
    EXPECT_EQ(RankProgramCsv::Quote("a,b"), "\"a,b\"");
    EXPECT_EQ(RankProgramCsv::Quote("a \"b\""), "\"a \"\"b\"\"\"");
    EXPECT_EQ(RankProgramCsv::Quote("a\nb"), "\"a\nb\"");
}

TEST(RankProgramCsv, ARowForEachOperation)
{
    const auto job = MakeTracedJob();
    const DeviceMesh mesh(job.parallelism);
    const auto program = Build(job)[0];
    std::ostringstream out;
    RankProgramCsv::Write(*program, mesh, 5, out);
    std::istringstream in(out.str());
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line,
              "index,stream,place,dimension,role,kind,ranks,peer,bytes,flops,duration_s,label,"
              "dependencies");
    const auto columns = std::count(line.begin(), line.end(), ',');
    uint32_t rows = 0;
    uint32_t sends = 0;
    while (std::getline(in, line))
    {
        EXPECT_EQ(line.rfind(std::to_string(rows++) + ",", 0), 0U) << line;
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns) << line;
        // Rank 13 is the same place of the second stage.
        sends += line.find(",send,scale-out,pp,pp-next,Send,2,13,67108864,,,send activation ") !=
                         std::string::npos
                     ? 1
                     : 0;
    }
    EXPECT_EQ(rows, program->GetSize());
    EXPECT_EQ(sends, 2U);
}
