// SPDX-License-Identifier: GPL-2.0-only

#include "popularity-file.h"

#include "ns3/flag-parser.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_FILE_BYTES = 1U << 20;
constexpr const char* FORM = "uniform, zipf:EXPONENT with an exponent from 0 to 10, or a file of "
                             "weights";
constexpr const char* FILE_FORM =
    "a file of at most 1 MiB of weights: numbers from 0 to 1e9, not all of them 0, between blanks "
    "or commas";

} // namespace

std::pair<ExpertPopularity, std::string>
ReadPopularity(const std::string& text)
{
    ExpertPopularity popularity;
    if (text == "uniform")
    {
        return {popularity, ""};
    }
    const std::string zipf = "zipf";
    if (text == zipf || text.compare(0, zipf.size() + 1, zipf + ":") == 0)
    {
        popularity.kind = ExpertPopularity::ZIPF;
        const auto exponent = text == zipf
                                  ? std::optional(1.0)
                                  : FlagParser::ParseFraction(text.substr(zipf.size() + 1));
        popularity.exponent = exponent.value_or(-1);
        return {popularity, popularity.exponent >= 0 && popularity.exponent <= 10 ? "" : FORM};
    }
    std::ifstream file(text);
    return file ? ReadPopularity(file) : std::pair(popularity, std::string(FORM));
}

std::pair<ExpertPopularity, std::string>
ReadPopularity(std::istream& file)
{
    ExpertPopularity popularity;
    popularity.kind = ExpertPopularity::LISTED;
    std::string text;
    for (std::array<char, 4096> part; file && text.size() <= MAX_FILE_BYTES;)
    {
        file.read(part.data(), part.size());
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    }
    bool isGood = text.size() <= MAX_FILE_BYTES;
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    double sum = 0;
    for (std::string word; isGood && words >> word;)
    {
        const auto weight = FlagParser::ParseFraction(word);
        isGood = weight && *weight <= 1e9;
        popularity.weights.push_back(weight.value_or(0));
        sum += popularity.weights.back();
    }
    return {popularity, isGood && sum > 0 ? "" : FILE_FORM};
}

} // namespace ns3
