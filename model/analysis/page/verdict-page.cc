// SPDX-License-Identifier: GPL-2.0-only

#include "verdict-page.h"

#include "html-page.h"
#include "html-report.h"

#include <utility>

namespace ns3
{

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
