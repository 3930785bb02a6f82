// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_VERDICT_PAGE_H
#define PHOTONIC_RAILS_VERDICT_PAGE_H

#include "ns3/job-verdict.h"
#include "ns3/report-value.h"

#include <ostream>
#include <string>

namespace ns3
{

/// A page about a job on several networks: an HtmlPage with the sections of verdict.html.
class VerdictPage
{
  public:
    /**
     * @param verdict what the page is made from; it must outlive the page
     * @param library text of Chart.js, or an empty string
     * @param libraryRemark why there is no library
     */
    VerdictPage(const JobVerdict& verdict, std::string library, std::string libraryRemark);

    /// @return the object that the page is drawn from: the verdict as --json writes it, and limits
    ReportValue MakeData() const;

    /// @param os receives the page
    void Write(std::ostream& os) const;

  private:
    const JobVerdict& m_verdict;
    std::string m_library;
    std::string m_libraryRemark;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_VERDICT_PAGE_H
