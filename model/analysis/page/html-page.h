// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HTML_PAGE_H
#define PHOTONIC_RAILS_HTML_PAGE_H

#include "ns3/job-verdict.h"
#include "ns3/report-value.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @brief One HTML file that needs no network and no other file.
 *
 * All pages have the template page-begin.html, page-end.html in common; the sections of a kind of
 * page stand between the two. The template has two insertions: one JSON object, from which scripts
 * make tables and charts, and the text of Chart.js.
 */
struct HtmlPage
{
    /**
     * @brief Write a page.
     * @param os receives the page
     * @param sections script of the sections of the page
     * @param library text of Chart.js, or an empty string
     * @param data the object that the page is drawn from
     */
    static void Write(std::ostream& os,
                      const std::string& sections,
                      const std::string& library,
                      const ReportValue& data);

    /**
     * @param value of JSON
     * @return the same value as text that cannot end the script element in which the text stands
     */
    static std::string Embed(const ReportValue& value);
};

/// A page about a job on several networks: an HtmlPage with the sections of verdict.html.
class VerdictPage
{
  public:
    /**
     * @param verdict the results; must outlive the page
     * @param library text of Chart.js, or an empty string
     * @param libraryRemark why there is no library
     */
    VerdictPage(const JobVerdict& verdict, std::string library, std::string libraryRemark);

    /// @return the data of the page as an object: the verdict in the form of --json, and limits
    ReportValue MakeData() const;

    /// @param os receives the page
    void Write(std::ostream& os) const;

  private:
    const JobVerdict& m_verdict;
    std::string m_library;
    std::string m_libraryRemark;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HTML_PAGE_H
