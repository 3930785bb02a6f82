// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CALIBRATION_H
#define PHOTONIC_RAILS_CALIBRATION_H

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Finds the numbers of a model with which its predictions come closest to measurements.
 *
 * Least squares of ln(predicted / measured), over the logarithms of the numbers, by the method of
 * Levenberg and Marquardt with difference quotients (Marquardt, SIAM J. Appl. Math. 11, 1963). A
 * number that would leave its limits stays at the limit.
 *
 * It also reports how well the measurements determine a number: the column of a number is the
 * change of each prediction if the number rises by one per cent.
 */
class Calibration
{
  public:
    /// A number of the model.
    struct Parameter
    {
        std::string name; //!< for people
        double low;       //!< above 0
        double high;      //!< above low
        double value;     //!< where the search begins; then the result
        /// Per cent by which the prediction changes that changes most with one per cent.
        double effect{0};
        /// The part of its column that no combination of the columns of the others has, 0 to 1.
        double distinct{0};
        /// Standard error of its logarithm, from the residuals of the measurements; infinite if
        /// there are no more measurements than numbers.
        double error{0};

        /// @return true if the measurements depend on the number
        bool Matters() const
        {
            return effect >= LEAST_EFFECT;
        }

        /// @return true if its effect differs from all combinations of those of the others
        bool IsDistinct() const
        {
            return distinct >= LEAST_DISTINCT;
        }

        /// @return true if the search would have left the limits
        bool IsAtLimit() const
        {
            return value <= low || value >= high;
        }

        /// @return the value less a standard error, or more if negative, inside the limits
        double Less(double errors) const;
    };

    /// Predictions of all measurements, each above 0, for values of the numbers.
    using Predict = std::function<std::vector<double>(const std::vector<double>&)>;

    /**
     * @param parameters the numbers, at least one
     * @param measured the measurements, each above 0, at least one
     * @param predict the model; a result of another size ends the search
     */
    Calibration(std::vector<Parameter> parameters, std::vector<double> measured, Predict predict);

    /// @return false if the model failed: the other functions then have no results
    bool Fit();

    /// @return the numbers, after Fit
    const std::vector<Parameter>& GetParameters() const
    {
        return m_parameters;
    }

    /// @return the predictions with these numbers, after Fit
    const std::vector<double>& GetPredicted() const
    {
        return m_predicted;
    }

    /// Below this a number has no effect, in per cent for each per cent.
    static constexpr double LEAST_EFFECT = 0.02;
    /// Below this a number cannot be told apart: errors of it are five times those of a number
    /// alone.
    static constexpr double LEAST_DISTINCT = 0.2;

  private:
    using Vector = std::vector<double>;
    using Matrix = std::vector<Vector>;

    /// @return ln(predicted / measured)
    Vector GetResiduals(const Vector& predicted) const;
    /// @return the change of each residual with the logarithm of each number, or nothing
    Matrix MakeColumns();
    /// @return the values of the numbers, moved by steps of their logarithms inside their limits
    Vector Move(const Vector& steps) const;
    /// Set effect and error of each number, from the columns and the sum of squared residuals.
    void Judge(const Matrix& columns, double sum);

    std::vector<Parameter> m_parameters;
    Vector m_measured;
    Predict m_predict;
    Vector m_predicted;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CALIBRATION_H
