// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/printed_digits.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "harness/logs/compare/compare_logs.hpp"
#include "tests/harness/logs/log_fixture.hpp"

namespace parity::logs {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Returns values that no short decimal has.
std::vector<double> losses() {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i)
    values.push_back(2 + 4 * std::exp(-i / 7.0));
  return values;
}

/// Returns the values as a printf format prints them.
std::vector<double> printed(const std::vector<double>& values, const char* format) {
  std::vector<double> all;
  for (const double value : values)
    all.push_back(std::strtod(fmt::vformat(format, fmt::make_format_args(value)).c_str(), nullptr));
  return all;
}

Log log_of_channels(const std::map<std::string, std::vector<double>>& channels) {
  Log log{"a.csv", "CSV", {}, {}};
  for (const auto& [name, values] : channels) {
    LogChannel& channel = log.channels[name];
    channel.values = values;
    for (size_t i = 0; i < values.size(); ++i)
      channel.steps.push_back(static_cast<int64_t>(i) + 1);
  }
  return log;
}

TEST(PrintedDigits, OfFormats) {
  EXPECT_EQ(printed_digits(printed(losses(), "{:.5f}"))->decimals, 5);
  EXPECT_EQ(printed_digits(printed(losses(), "{:.4g}"))->significant, 4);
  EXPECT_FALSE(printed_digits(losses()));
  EXPECT_FALSE(printed_digits(printed(losses(), "{:.1f}"))) << "two digits show too little";
  EXPECT_FALSE(printed_digits(std::vector<double>{1.25, 1.5})) << "two values are too few";
  EXPECT_FALSE(printed_digits(std::vector<double>{0.1F, 0.2F, 0.3F})) << "float32 has more than it prints";
}

TEST(PrintedDigits, HalfUnit_IsThatOfTheLastDigit) {
  const PrintedDigits fixed{7, 5}, general{4, 8};
  EXPECT_NEAR(fixed.half_unit(10.98765), 0.5e-5, 1e-12);
  EXPECT_NEAR(fixed.half_unit(0), 0.5e-5, 1e-12);
  EXPECT_NEAR(general.half_unit(4.167e-5), 0.5e-8, 1e-15);
  EXPECT_NEAR(general.half_unit(9.999), 0.5e-3, 1e-9);
}

TEST(PrintedDigits, RoundedLog_Agrees) {
  for (const char* format : {"{:.5f}", "{:.4g}", "{:.3e}"}) {
    const Log fine = log_of_channels({{"loss", losses()}});
    const Log coarse = log_of_channels({{"loss", printed(losses(), format)}});
    for (const LogDifference& found : {compare_logs(fine, coarse, {}), compare_logs(coarse, fine, {})}) {
      EXPECT_EQ(found.exit_code(), ExitCode::agree) << format;
      EXPECT_THAT(found.verdict(), HasSubstr("equal: 1 common channel agrees in every digit"));
      EXPECT_THAT(found.notes, Contains(HasSubstr("'loss' is compared to the ")));
    }
  }
}

TEST(PrintedDigits, ThreeDigits_ProveTooLittle) {
  const Log coarse = log_of_channels({{"loss", printed(losses(), "{:.2f}")}});
  LogFilter filter;
  const LogDifference found = compare_logs(log_of_channels({{"loss", losses()}}), coarse, filter);
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_THAT(found.verdict(), HasSubstr("'loss' was printed with 3 significant digits"));
  filter.partial = true;
  EXPECT_EQ(compare_logs(log_of_channels({{"loss", losses()}}), coarse, filter).exit_code(), ExitCode::agree);
}

TEST(PrintedDigits, FewDigitsOnBothSides_ProveTooLittle) {
  for (const char* format : {"{:.0f}", "{:.1f}", "{:.2f}"}) {
    const Log log = log_of_channels({{"loss", printed(losses(), format)}, {"lr", losses()}});
    const LogDifference found = compare_logs(log, log, {});
    EXPECT_EQ(found.exit_code(), ExitCode::missing) << format;
    EXPECT_THAT(found.verdict(), HasSubstr("'loss' was printed with ")) << format;
    LogFilter partial;
    partial.partial = true;
    EXPECT_EQ(compare_logs(log, log, partial).exit_code(), ExitCode::agree) << format;
  }
  const Log one = log_of_channels({{"loss", printed(losses(), "{:.1f}")}});
  const Log two = log_of_channels({{"loss", printed(losses(), "{:.2f}")}});
  EXPECT_NE(compare_logs(one, two, {}).exit_code(), ExitCode::agree);
}

TEST(PrintedDigits, OneResultOfEnoughDigits_Proves) {
  // Megatron prints the loss with 7 digits and the norm of the gradient with 3 decimals.
  const Log log =
      log_of_channels({{"loss", printed(losses(), "{:.3f}")}, {"grad_norm", printed(losses(), "{:.1f}")}});
  EXPECT_EQ(compare_logs(log, log, {}).exit_code(), ExitCode::agree);
}

TEST(PrintedDigits, OneUnitMore_Differs) {
  std::vector<double> other = printed(losses(), "{:.4f}");
  other[7] += 1e-4;
  const LogDifference found =
      compare_logs(log_of_channels({{"loss", losses()}}), log_of_channels({{"loss", other}}), {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.channels.at(0).difference.differing, 1U);
  EXPECT_EQ(found.channels.at(0).difference.first, 7U);
}

TEST(PrintedDigits, EqualFormats_AreComparedExactly) {
  std::vector<double> other = printed(losses(), "{:.4f}");
  const Log one = log_of_channels({{"loss", other}});
  other[7] += 1e-4;
  EXPECT_EQ(compare_logs(one, log_of_channels({{"loss", other}}), {}).channels.at(0).difference.differing,
            1U);
}

TEST(PrintedDigits, LossRoundedBesideANormOfAllDigits_Agrees) {
  // Hugging Face's Trainer rounds the loss to 4 decimals and prints the norm of the gradient with all digits.
  const Log trace = log_of_channels({{"loss", losses()}, {"grad_norm", losses()}});
  std::vector<double> rounded = printed(losses(), "{:.4f}");
  EXPECT_EQ(
      compare_logs(trace, log_of_channels({{"loss", rounded}, {"grad_norm", losses()}}), {}).exit_code(),
      ExitCode::agree);
  std::vector<double> norms = losses();
  norms[5] *= 1 + 1e-12;
  EXPECT_EQ(compare_logs(trace, log_of_channels({{"loss", rounded}, {"grad_norm", norms}}), {}).exit_code(),
            ExitCode::differ);
  rounded[7] += 1e-4;
  EXPECT_EQ(
      compare_logs(trace, log_of_channels({{"loss", rounded}, {"grad_norm", losses()}}), {}).exit_code(),
      ExitCode::differ);
}

TEST(PrintedDigits, ShortRateInALogOfAllDigits_IsExact) {
  // A schedule of short decimals is not a rounded one: 1e-4 against 1.0004e-4 is another rate.
  std::vector<double> rate, other;
  for (int i = 1; i <= 20; ++i)
    rate.push_back(i * 25 / 1e6), other.push_back(i * 25.0004 / 1e6);
  const Log one = log_of_channels({{"loss", losses()}, {"lr", rate}});
  const LogDifference found = compare_logs(one, log_of_channels({{"loss", losses()}, {"lr", other}}), {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
}

TEST(PrintedDigits, RateOfACoarseLog_HasItsDigits) {
  std::vector<double> rate, late;
  for (int i = 1; i <= 20; ++i)
    rate.push_back(3e-4 * i / 17), late.push_back(3e-4 * (i - 1) / 17);
  const Log fine = log_of_channels({{"loss", losses()}, {"lr", rate}});
  const auto coarse = [&](const std::vector<double>& lr) {
    return log_of_channels({{"loss", printed(losses(), "{:.4g}")}, {"lr", printed(lr, "{:.4g}")}});
  };
  EXPECT_EQ(compare_logs(fine, coarse(rate), {}).exit_code(), ExitCode::agree);
  EXPECT_EQ(compare_logs(fine, coarse(late), {}).exit_code(), ExitCode::differ);
}

TEST(PrintedDigits, OtherChannels_KeepTheDigitsTheyShow) {
  // The loss has 5 digits, tokens and lr have more.
  const auto logs_with = [](const std::string& name, const std::vector<double>& a,
                            const std::vector<double>& b) {
    return compare_logs(log_of_channels({{"loss", printed(losses(), "{:.4f}")}, {name, a}}),
                        log_of_channels({{"loss", losses()}, {name, b}}), {});
  };
  std::vector<double> tokens, fewer, rate, other, rounded;
  for (int i = 1; i <= 5; ++i) {
    tokens.push_back(1048576 * i), fewer.push_back(1048570 * i);
    rate.push_back(i * 0.000123456789), other.push_back(i * 0.000123456);
  }
  EXPECT_EQ(logs_with("tokens", tokens, fewer).exit_code(), ExitCode::differ);
  EXPECT_EQ(logs_with("lr", printed(rate, "{:.9g}"), other).exit_code(), ExitCode::differ);
  EXPECT_EQ(logs_with("tokens", tokens, tokens).exit_code(), ExitCode::agree);
  EXPECT_EQ(logs_with("lr", printed(rate, "{:.6g}"), rate).exit_code(), ExitCode::agree);
  EXPECT_EQ(logs_with("tokens", printed(tokens, "{:.5g}"), tokens).exit_code(), ExitCode::agree);
}

TEST(PrintedDigits, ShortWholeNumbers_AreExact) {
  std::vector<double> tokens, more;
  for (int i = 1; i <= 20; ++i)
    tokens.push_back(1e6 * i), more.push_back(1e6 * i + 3);
  const Log coarse = log_of_channels({{"loss", printed(losses(), "{:.4f}")}, {"tokens", tokens}});
  const Log fine = log_of_channels({{"loss", losses()}, {"tokens", more}});
  EXPECT_EQ(compare_logs(coarse, fine, {}).exit_code(), ExitCode::differ);
  EXPECT_EQ(compare_logs(fine, coarse, {}).exit_code(), ExitCode::differ);
}

TEST(PrintedDigits, Nan_AgreesWithNothing) {
  std::vector<double> other = printed(losses(), "{:.4f}"), fine = losses();
  other[3] = fine[3] = NAN;
  const LogDifference found =
      compare_logs(log_of_channels({{"loss", fine}}), log_of_channels({{"loss", other}}), {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
}

}  // namespace
}  // namespace parity::logs
