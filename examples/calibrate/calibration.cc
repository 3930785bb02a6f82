// SPDX-License-Identifier: GPL-2.0-only

#include "calibration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

constexpr int MOST_ROUNDS = 12;        //!< of the search
constexpr double DIFFERENCE = 0.02;    //!< of a logarithm, for quotients
constexpr double SMALLEST_GAIN = 1e-4; //!< of the sum of squares, as a part of it

double
Dot(const std::vector<double>& one, const std::vector<double>& other)
{
    return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

/**
 * Solve a system of linear equations by elimination with pivots.
 * @param matrix symmetric and positive, or zero in the rows of unknowns that have no effect
 * @param right the right side
 * @return the unknowns; 0 for those without effect
 */
std::vector<double>
Solve(std::vector<std::vector<double>> matrix, std::vector<double> right)
{
    const std::size_t size = right.size();
    for (std::size_t k = 0; k < size; ++k)
    {
        for (std::size_t row = k + 1; row < size; ++row)
        {
            if (std::abs(matrix[row][k]) > std::abs(matrix[k][k]))
            {
                std::swap(matrix[row], matrix[k]);
                std::swap(right[row], right[k]);
            }
        }
        for (std::size_t row = k + 1; row < size && matrix[k][k] != 0; ++row)
        {
            const double factor = matrix[row][k] / matrix[k][k];
            for (std::size_t column = k; column < size; ++column)
            {
                matrix[row][column] -= factor * matrix[k][column];
            }
            right[row] -= factor * right[k];
        }
    }
    std::vector<double> unknowns(size, 0);
    for (std::size_t k = size; k-- > 0;)
    {
        double rest = right[k];
        for (std::size_t column = k + 1; column < size; ++column)
        {
            rest -= matrix[k][column] * unknowns[column];
        }
        unknowns[k] = std::abs(matrix[k][k]) < 1e-12 ? 0 : rest / matrix[k][k];
    }
    return unknowns;
}

} // namespace

Calibration::Calibration(std::vector<Parameter> parameters,
                         std::vector<double> measured,
                         Predict predict)
    : m_parameters(std::move(parameters)),
      m_measured(std::move(measured)),
      m_predict(std::move(predict))
{
}

Calibration::Vector
Calibration::GetResiduals(const Vector& predicted) const
{
    Vector residuals;
    for (std::size_t i = 0; i < m_measured.size(); ++i)
    {
        residuals.push_back(std::log(predicted[i] / m_measured[i]));
    }
    return residuals;
}

Calibration::Vector
Calibration::Move(const Vector& steps) const
{
    Vector values;
    for (std::size_t k = 0; k < m_parameters.size(); ++k)
    {
        const Parameter& own = m_parameters[k];
        values.push_back(std::clamp(own.value * std::exp(steps[k]), own.low, own.high));
    }
    return values;
}

Calibration::Matrix
Calibration::MakeColumns()
{
    const Vector here = GetResiduals(m_predicted);
    Matrix columns;
    for (std::size_t k = 0; k < m_parameters.size(); ++k)
    {
        // To the side on which there is room.
        const Parameter& own = m_parameters[k];
        Vector steps(m_parameters.size(), 0);
        steps[k] = own.value * std::exp(DIFFERENCE) > own.high ? -DIFFERENCE : DIFFERENCE;
        const Vector predicted = m_predict(Move(steps));
        if (predicted.size() != m_measured.size())
        {
            return {};
        }
        Vector column = GetResiduals(predicted);
        for (std::size_t i = 0; i < column.size(); ++i)
        {
            column[i] = (column[i] - here[i]) / steps[k];
        }
        columns.push_back(column);
    }
    return columns;
}

bool
Calibration::Fit()
{
    const std::size_t count = m_parameters.size();
    m_predicted = m_predict(Move(Vector(count, 0)));
    if (m_predicted.size() != m_measured.size())
    {
        return false;
    }
    double damping = 1e-3;
    Matrix columns;
    for (int step = 0; step < MOST_ROUNDS; ++step)
    {
        const Vector residuals = GetResiduals(m_predicted);
        const double sum = Dot(residuals, residuals);
        if (columns.empty()) // at the first step, and after a move
        {
            columns = MakeColumns();
            if (columns.empty())
            {
                return false;
            }
            Judge(columns, sum);
        }
        Matrix normal(count, Vector(count));
        Vector right(count);
        for (std::size_t k = 0; k < count; ++k)
        {
            right[k] = -Dot(columns[k], residuals);
            for (std::size_t other = 0; other < count; ++other)
            {
                normal[k][other] = Dot(columns[k], columns[other]);
            }
            normal[k][k] *= 1 + damping;
        }
        const Vector values = Move(Solve(normal, right));
        const Vector predicted = m_predict(values);
        if (predicted.size() != m_measured.size())
        {
            return false;
        }
        const Vector moved = GetResiduals(predicted);
        const double gain = sum - Dot(moved, moved);
        if (gain <= 0)
        {
            damping *= 100;
            if (damping > 1e6)
            {
                break;
            }
            continue;
        }
        damping /= 10;
        columns.clear();
        for (std::size_t k = 0; k < count; ++k)
        {
            m_parameters[k].value = values[k];
        }
        m_predicted = predicted;
        if (gain < SMALLEST_GAIN * sum)
        {
            break;
        }
    }
    return true;
}

double
Calibration::Parameter::Less(double errors) const
{
    return std::clamp(value * std::exp(-errors * error), low, high);
}

void
Calibration::Judge(const Matrix& columns, double sum)
{
    const std::size_t spare = std::max(m_measured.size(), columns.size()) - columns.size();
    const double deviation = spare > 0 ? std::sqrt(sum / static_cast<double>(spare))
                                       : std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < columns.size(); ++k)
    {
        Parameter& own = m_parameters[k];
        own.effect = 0;
        for (const double change : columns[k])
        {
            own.effect = std::max(own.effect, std::abs(change));
        }
        // The residual of the column after regression on the other columns.
        Matrix normal;
        Vector right;
        std::vector<std::size_t> others;
        for (std::size_t other = 0; other < columns.size(); ++other)
        {
            if (other != k && Dot(columns[other], columns[other]) > 0)
            {
                others.push_back(other);
            }
        }
        for (const std::size_t one : others)
        {
            right.push_back(Dot(columns[one], columns[k]));
            normal.emplace_back();
            for (const std::size_t other : others)
            {
                normal.back().push_back(Dot(columns[one], columns[other]));
            }
        }
        const Vector shares = Solve(normal, right);
        Vector rest = columns[k];
        for (std::size_t i = 0; i < rest.size(); ++i)
        {
            for (std::size_t j = 0; j < others.size(); ++j)
            {
                rest[i] -= shares[j] * columns[others[j]][i];
            }
        }
        const double length = std::sqrt(Dot(columns[k], columns[k]));
        const double left = std::sqrt(Dot(rest, rest));
        own.distinct = length > 0 ? std::min(1.0, left / length) : 0;
        own.error = left > 0 ? deviation / left : std::numeric_limits<double>::infinity();
    }
}

} // namespace ns3
