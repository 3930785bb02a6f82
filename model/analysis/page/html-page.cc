// SPDX-License-Identifier: GPL-2.0-only

#include "html-page.h"

#include "html-report.h"

#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

// The first and last line of each file make a C++ string of the file: no build has to find the file
// when a program runs.
const char* const PAGE_BEGIN =
#include "page-begin.html"
    ;
const char* const PAGE_END =
#include "page-end.html"
    ;

} // namespace

std::string
HtmlPage::Embed(const ReportValue& value)
{
    std::ostringstream text; // in ASCII
    value.WriteJson(text, -1);
    std::string embedded;
    for (const char c : text.str())
    {
        // JSON has these characters in strings only.
        embedded += c == '<'   ? "\\u003c"
                    : c == '>' ? "\\u003e"
                    : c == '&' ? "\\u0026"
                               : std::string(1, c);
    }
    return embedded;
}

void
HtmlPage::Write(std::ostream& os,
                const std::string& sections,
                const std::string& library,
                const ReportValue& data)
{
    const std::string begin = PAGE_BEGIN;
    std::size_t written = 0;
    for (const auto& [mark, text] :
         {std::pair<std::string, std::string>("@LIBRARY@", library), {"@DATA@", Embed(data)}})
    {
        const std::size_t at = begin.find(mark);
        os << begin.substr(written, at - written) << text;
        written = at + mark.size();
    }
    os << begin.substr(written) << sections << PAGE_END;
}

namespace
{

/// The sections of the page.
const char* const VERDICT_SECTIONS =
#include "verdict.html"
    ;

} // namespace

VerdictPage::VerdictPage(const JobVerdict& verdict, std::string library, std::string libraryRemark)
    : m_verdict(verdict),
      m_library(std::move(library)),
      m_libraryRemark(std::move(libraryRemark))
{
}

ReportValue
VerdictPage::MakeData() const
{
    return ReportValue::Object{
        {"limits",
         ReportValue::Object{{"rows", HtmlReport::MAX_ROWS}, {"lines", HtmlReport::MAX_LINES}}},
        {"library_remark", m_libraryRemark},
        {"verdict", m_verdict.MakeJson()}};
}

void
VerdictPage::Write(std::ostream& os) const
{
    HtmlPage::Write(os, VERDICT_SECTIONS, m_library, MakeData());
}

} // namespace ns3
