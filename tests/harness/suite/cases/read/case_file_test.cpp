// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/suite/cases/read/file.hpp"

namespace parity::suite {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string head =
    "[base]\n"
    "steps = 10\n"
    "[arms.zulu]\n"
    "lr.first_index = 1\n"
    "[arms.alpha]\n"
    "lr.first_index = 0\n";
const std::string check =
    "[[checks]]\n"
    "channel = \"lr\"\n"
    "relation = \"identical\"\n"
    "because = \"why not\"\n";

const std::string bounded =
    "[[checks]]\n"
    "channel = \"lr\"\n"
    "relation = \"bounded\"\n"
    "because = \"why not\"\n";

const std::string equivalent =
    "[[checks]]\n"
    "channel = \"lr\"\n"
    "relation = \"equivalent\"\n"
    "because = \"why not\"\n";

const std::string lawful =
    "[[checks]]\n"
    "arms = [\"zulu\"]\n"
    "relation = \"lawful\"\n"
    "because = \"why not\"\n";

const std::string repeats =
    "[[checks]]\n"
    "arms = [\"zulu\"]\n"
    "relation = \"repeats\"\n"
    "because = \"why not\"\n";

Case parse(const std::string& text) {
  return parse_case(text, "cases/topic/name.toml");
}

std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(CaseFileTest, Arms_KeepFileOrderFirstIsReference) {
  const Case item = parse(head + check);
  ASSERT_EQ(item.arms.size(), 2U);
  EXPECT_EQ(item.arms[0].name, "zulu");
  EXPECT_EQ(item.arms[1].name, "alpha");
  EXPECT_EQ(item.reference, "zulu");
  EXPECT_THAT(item.checks.at(0).arms, ElementsAre("zulu", "alpha"));
}

TEST(CaseFileTest, ABoundHasAToleranceAndTheGoldenAsTheOtherSide) {
  const compare::Check plain = parse(head + bounded).checks.at(0);
  EXPECT_FALSE(plain.tolerance);
  EXPECT_EQ(plain.against, compare::Against::arm);
  const compare::Check full =
      parse(head + bounded +
            "tolerance = 1e-5\ntolerance_because = \"published\"\nagainst = \"golden\"\n"
            "arms = [\"zulu\"]")
          .checks.at(0);
  EXPECT_EQ(full.tolerance, 1e-5);
  EXPECT_EQ(full.tolerance_because, "published");
  EXPECT_EQ(full.against, compare::Against::golden);
  EXPECT_THAT(full.arms, ElementsAre("zulu"));
}

TEST(CaseFileTest, AnEquivalentCheckMayStateAPrecision) {
  const compare::Check plain = parse(head + equivalent).checks.at(0);
  EXPECT_FALSE(plain.precision);
  EXPECT_FALSE(plain.imprecision);
  EXPECT_EQ(parse(head + equivalent + "precision = \"bfloat16\"").checks.at(0).precision, DType::bfloat16);
  const compare::Check full =
      parse(head + equivalent + "imprecision = 64\nimprecision_because = \"a sum that cancels\"")
          .checks.at(0);
  EXPECT_EQ(full.imprecision, 64);
  EXPECT_EQ(full.imprecision_because, "a sum that cancels");
}

TEST(CaseFileTest, ALawfulCheckNamesLawsAndNoQuantity) {
  const compare::Check plain = parse(head + lawful).checks.at(0);
  EXPECT_EQ(plain.quantity(), "run");
  EXPECT_EQ(plain.steps.kind, compare::StepWindow::Kind::range);
  EXPECT_EQ(plain.steps.first, 1);
  EXPECT_EQ(plain.steps.last, 3);
  const compare::Check full =
      parse(head + lawful + "laws = [\"clip\"]\ndeparts = [\"schedule\"]\nsteps = \"last\"").checks.at(0);
  EXPECT_THAT(full.laws, ElementsAre("clip"));
  EXPECT_THAT(full.departs, ElementsAre("schedule"));
  EXPECT_EQ(full.steps.kind, compare::StepWindow::Kind::last);
  const compare::Check continued = parse(head + lawful + "before = \"alpha\"").checks.at(0);
  EXPECT_EQ(continued.before, "alpha");
  EXPECT_THAT(continued.laws, ElementsAre("restart"));
  EXPECT_THAT(continued.all_arms(), ElementsAre("zulu", "alpha"));
}

TEST(CaseFileTest, RepeatsUnderConditions_IsACheckEach) {
  const std::vector<compare::Check> plain = parse(head + repeats).checks;
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].times, 3);
  EXPECT_EQ(plain[0].under, compare::Condition::none);
  const Case item = parse(head + repeats + "times = 5\nunder = [\"load\", \"other_cores\"]");
  ASSERT_EQ(item.checks.size(), 3U);
  EXPECT_EQ(item.check_places.size(), 3U);
  EXPECT_EQ(item.checks[1].under, compare::Condition::load);
  EXPECT_EQ(item.checks[2].quantity(), "run under other_cores");
  EXPECT_EQ(item.checks[2].times, 5);
}

TEST(CaseFileTest, ACheckOfExactTwins_HasTheFirstTwoUpdates) {
  const std::string function = "[[checks]]\nrelation = \"same_function\"\nbecause = \"why not\"\n";
  const compare::Check check = parse(head + function).checks.at(0);
  EXPECT_EQ(check.quantity(), "function");
  EXPECT_EQ(check.steps.first, 1);
  EXPECT_EQ(check.steps.last, 2);
  EXPECT_EQ(parse(head + function + "steps = [3, 4]").checks.at(0).steps.first, 3);
  EXPECT_THAT(complaint(head + function + "tensor = \"w\""), HasSubstr("remove 'tensor'"));
}

TEST(CaseFileTest, ArmsWrittenAsDottedKeysKeepTheirOrderToo) {
  const Case item = parse("arms.zulu.lr.base = 1.0\narms.alpha.lr.base = 2.0\n" + check);
  EXPECT_EQ(item.arms.at(0).name, "zulu");
  EXPECT_EQ(item.arms.at(1).config.at("lr.base").value, 2.0);
  EXPECT_EQ(item.arms.at(1).config.at("lr.base").place.line, 2U);
}

TEST(CaseFileTest, TheNameComesFromThePathBelowCases) {
  const Case item = parse_case(head + check, "/somewhere/cases/lr/deep/warmup.toml");
  EXPECT_EQ(item.name, "lr/deep/warmup");
  EXPECT_EQ(item.golden_file, "/somewhere/golden/lr/deep/warmup.h5");
  EXPECT_EQ(parse_case(head + check, "/somewhere/mine.toml").golden_file, "/somewhere/golden/mine.h5");
}

TEST(CaseFileTest, WindowsAreNamesOrTwoEnds) {
  EXPECT_EQ(parse(head + check).checks[0].steps.kind, compare::StepWindow::Kind::all);
  EXPECT_EQ(parse(head + check + "steps = \"after_warmup\"").checks[0].steps.kind,
            compare::StepWindow::Kind::after_warmup);
  const compare::StepWindow window = parse(head + check + "steps = [2, 5]").checks[0].steps;
  EXPECT_EQ(window.kind, compare::StepWindow::Kind::range);
  EXPECT_EQ(window.first, 2);
  EXPECT_EQ(window.last, 5);
}

TEST(CaseFileTest, CommandArm_KeepsItsWordsAndTwinFlag) {
  const Case item = parse(
      "[arms.a]\ncommand = [\"train\", \"--dtype={dtype}\"]\ninputs = [\"x\"]\nranks = 2\n"
      "[arms.b]\ncommand = [\"train\"]\n" +
      check);
  EXPECT_THAT(item.arms[0].command, ElementsAre("train", "--dtype={dtype}"));
  EXPECT_TRUE(item.arms[0].float64);
  EXPECT_EQ(item.arms[0].ranks, 2);
  EXPECT_FALSE(item.arms[1].float64);
}

TEST(CaseFileTest, PythonTable_NamesItsInterpreter) {
  const std::string arms = "[arms.a]\ncommand = [\"{python}\", \"t.py\"]\n[arms.b]\ncommand = [\"x\"]\n";
  const Case item =
      parse_case("[python]\nvenv = \"../env\"\nmake = \"make env\"\n" + arms + check, "/some/cases/a.toml");
  EXPECT_EQ(item.python.interpreter, "/some/env/bin/python");
  EXPECT_EQ(item.python.make, "make env");
  EXPECT_TRUE(parse(head + check).python.interpreter.empty());
}

TEST(CaseFileTest, GoldensHoldEveryArmUnlessTold) {
  EXPECT_THAT(parse(head + check).golden.arms, ElementsAre("zulu", "alpha"));
  EXPECT_THAT(parse(head + "[golden]\narms = []\n" + check).golden.arms, ElementsAre());
}

/// A mistake and what the message must say about it.
struct Mistake {
  const char* name;
  std::string text;
  std::vector<std::string> said;
};

class CaseFileMistakeTest : public testing::TestWithParam<Mistake> {};

TEST_P(CaseFileMistakeTest, IsToldWithItsPlaceAndWhatIsKnown) {
  const std::string said = complaint(GetParam().text);
  for (const std::string& part : GetParam().said)
    EXPECT_THAT(said, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    All, CaseFileMistakeTest,
    testing::Values(
        Mistake{"UnknownKey", "titel = \"x\"\n" + head + check, {"name.toml:1:1", "'titel'", "'title'"}},
        Mistake{
            "UnknownCheckKey", head + check + "stpes = \"all\"", {"name.toml:11:1", "'stpes'", "'steps'"}},
        Mistake{"PythonWithoutItsTable",
                "[arms.zulu]\ncommand = [\"{python}\", \"t.py\"]\n" + check,
                {"'zulu' uses {python}", "add [python] with venv"}},
        Mistake{"UnknownKeyOfPython", "[python]\nvenf = \"x\"\n" + head + check, {"'venf'", "'venv'"}},
        Mistake{"VariableOfParity",
                "[arms.zulu]\nenvironment = { RANK = \"1\" }\n" + check,
                {"name.toml:2:17", "cannot set RANK"}},
        Mistake{"VariableOfParityByPrefix",
                "[arms.zulu]\nenvironment = { PARITY_TRACE = \"x\" }\n" + check,
                {"cannot set PARITY_TRACE"}},
        Mistake{"VariableWithoutName", "[arms.zulu]\nenvironment = { \"a=b\" = \"x\" }\n" + check, {"'a=b'"}},
        Mistake{"VariableOfAnotherType", "[arms.zulu]\nenvironment = { X = 1 }\n" + check, {"'X'", "string"}},
        Mistake{"ProgramThatIsNotThere",
                "[arms.zulu]\nprogram = \"no/such\"\n" + check,
                {"name.toml:2:1", "no program at ", "no/such"}},
        Mistake{"KeyNearOneOfACommand",
                "[arms.zulu]\ncommand = [\"x\"]\nrank = 2\n" + check,
                {"name.toml:3:1", "unknown key 'rank' in arm 'zulu'", "'ranks'", "options.rank"}},
        Mistake{"TableNearOneOfACommand",
                "[arms.zulu]\ncommand = [\"x\"]\nenviroment.X = \"1\"\n" + check,
                {"unknown key 'enviroment'", "'environment'"}},
        Mistake{"UnknownLauncher",
                "[arms.zulu]\nlauncher = \"torchrum\"\n" + check,
                {"name.toml:2:1", "unknown launcher 'torchrum'", "'torchrun'"}},
        Mistake{"NodesWithoutALauncher",
                "[arms.zulu]\nnodes = 2\n" + check,
                {"name.toml:2:1", "'nodes' needs a launcher", "options.nodes"}},
        Mistake{"NodesOfAnotherType", "[arms.zulu]\nnodes = \"2\"\n" + check, {"'nodes'", "an integer"}},
        Mistake{"NoNodes",
                "[arms.zulu]\nlauncher = \"srun\"\nnodes = 0\n" + check,
                {"name.toml:3:1", "'nodes' must be an integer from 1 to 1024, not 0"}},
        Mistake{"LauncherOptionThatCounts",
                "[arms.zulu]\nlauncher = \"mpirun\"\nlauncher_options = [\"-np\", \"2\"]\n" + check,
                {"name.toml:3:1", "cannot give mpirun the option '-np'", "'ranks_per_node'"}},
        Mistake{"ExternalLauncherWithoutWords",
                "[arms.zulu]\nlauncher = \"external\"\n" + check,
                {"name.toml:2:1", "needs 'launcher_options'"}},
        Mistake{"RemoteLauncherWithoutHosts",
                "[arms.zulu]\nlauncher = \"remote\"\nlauncher_options = [\"ssh\", \"{host}\"]\n" + check,
                {"name.toml:3:1", "needs 'hosts'"}},
        Mistake{"RemoteLauncherWithoutAShell",
                "[arms.zulu]\nlauncher = \"remote\"\nhosts = [\"a\"]\n" + check,
                {"name.toml:3:1", "needs 'launcher_options' with {host}"}},
        Mistake{"HostsOfAnotherLauncher",
                "[arms.zulu]\nlauncher = \"srun\"\nhosts = [\"a\"]\n" + check,
                {"name.toml:3:1", "'hosts' needs launcher = \"remote\""}},
        Mistake{"HostsOfAnotherNumber",
                "[arms.zulu]\nlauncher = \"remote\"\nnodes = 3\nhosts = [\"a\", \"b\"]\n"
                "launcher_options = [\"ssh\", \"{host}\"]\n" +
                    check,
                {"cannot start 3 nodes on 2 hosts"}},
        Mistake{"KeyNearALaunchKeyOfACommand",
                "[arms.zulu]\ncommand = [\"x\"]\nrank_per_node = 2\n" + check,
                {"unknown key 'rank_per_node' in arm 'zulu'", "'ranks_per_node'"}},
        Mistake{"LocalTracesWithoutAPath",
                "[arms.zulu]\nlocal_traces = \"tmp\"\n" + check,
                {"name.toml:2:1", "'local_traces' must be the absolute path", "not \"tmp\""}},
        Mistake{"LocalTracesNobodyCollects",
                "[arms.zulu]\ncommand = [\"x\"]\nranks = 2\nnodes = 2\nlauncher = \"external\"\n"
                "local_traces = \"/tmp\"\n" +
                    check,
                {"name.toml:6:1", "cannot collect 'local_traces'", "let a launcher start the ranks"}},
        Mistake{"FarRanksWithoutAFolder",
                "[arms.zulu]\nlauncher = \"srun\"\nshared_folder = false\n" + check,
                {"name.toml:3:1", "'shared_folder = false' needs 'local_traces'"}},
        Mistake{"FarRanksOfParity",
                "[arms.zulu]\nlocal_traces = \"/tmp\"\nshared_folder = false\n" + check,
                {"name.toml:3:1", "'shared_folder' needs a launcher"}},
        Mistake{
            "FarRanksOfACommand",
            "[arms.zulu]\ncommand = [\"x\"]\nranks = 2\nlauncher = \"external\"\nlocal_traces = \"/tmp\"\n"
            "shared_folder = false\n" +
                check,
            {"name.toml:6:1", "cannot serve the folder of a run", "let a launcher start the ranks"}},
        Mistake{"SharedFolderOfAnotherType",
                "[arms.zulu]\nlauncher = \"srun\"\nshared_folder = \"no\"\n" + check,
                {"name.toml:3:1", "shared_folder", "true or false"}},
        Mistake{"LauncherInBase",
                "[base]\nlauncher = \"srun\"\n[arms.zulu]\n" + check,
                {"name.toml:2:1", "'launcher' belongs to an arm"}},
        Mistake{"UnknownPlaceholder",
                "[arms.zulu]\ncommand = [\"x\", \"--config={confg}\"]\n" + check,
                {"name.toml:2:1", "unknown placeholder {confg}", "{config}"}},
        Mistake{"CaptureWithoutSteps",
                "[arms.zulu]\n[capture]\nphases = [\"input\"]\n" + check,
                {"name.toml:3:1", "no tensor would be recorded", "steps = [1]"}},
        Mistake{"CommandInBase",
                "[base]\ncommand = [\"x\"]\n[arms.zulu]\n" + check,
                {"name.toml:2:1", "'command' belongs to an arm"}},
        Mistake{"ProgramOfACommand",
                "[arms.zulu]\ncommand = [\"x\"]\nprogram = \"y\"\n" + check,
                {"'program' is for arms that parity-train runs"}},
        Mistake{"UnknownArm", head + check + "arms = [\"zulu\", \"alfa\"]", {":11:1", "'alfa'", "'alpha'"}},
        Mistake{"UnknownReference", "reference = \"zuul\"\n" + head + check, {":1:1", "'zuul'", "'zulu'"}},
        Mistake{"UnknownRelation",
                head + "[[checks]]\nchannel = \"lr\"\nbecause = \"x\"\nrelation = \"identicl\"",
                {":10:1", "relation 'identicl'", "'identical'"}},
        Mistake{"UnknownPhase",
                head + "[[checks]]\ntensor = \"*\"\nphase = \"grads\"\nrelation = \"identical\"\n"
                       "because = \"x\"",
                {":9:1", "'grads'", "'grad'"}},
        Mistake{"UnknownWindow", head + check + "steps = \"warm\"", {":11:1", "steps 'warm'", "warmup"}},
        Mistake{"BackwardWindow", head + check + "steps = [5, 2]", {":11:1", "first <= last"}},
        Mistake{"UnknownProfile", "profile = \"fast\"\n" + head + check, {":1:1", "portable, native"}},
        Mistake{
            "NoReason", head + "[[checks]]\nchannel = \"lr\"\nrelation = \"identical\"", {":7:", "because"}},
        Mistake{"NoQuantity", head + "[[checks]]\nrelation = \"identical\"\nbecause = \"x\"", {"neither"}},
        Mistake{"BothQuantities", head + check + "tensor = \"*\"", {"both"}},
        Mistake{"OneArmTooMany",
                head + "[[checks]]\nchannel = \"lr\"\nrelation = \"unchanged\"\nbecause = \"x\"\n"
                       "arms = [\"zulu\", \"alpha\"]",
                {":11:1", "one arm"}},
        Mistake{"TheSameArmTwice", head + check + "arms = [\"zulu\", \"zulu\"]", {"two different arms"}},
        Mistake{"LagElsewhere", head + check + "lag = 2", {":11:1", "lagged"}},
        Mistake{"ToleranceElsewhere", head + check + "tolerance = 1e-6", {":11:1", "relation bounded"}},
        Mistake{"NoTolerance", head + bounded + "tolerance = 0", {":11:1", "more than 0"}},
        Mistake{"ReasonWithoutTolerance",
                head + bounded + "tolerance_because = \"x\"",
                {":11:1", "needs a 'tolerance'"}},
        Mistake{"PrecisionElsewhere",
                head + bounded + "precision = \"bfloat16\"",
                {":11:1", "relation equivalent"}},
        Mistake{"ImprecisionElsewhere", head + bounded + "imprecision = 2", {":11:1", "relation equivalent"}},
        Mistake{"PrecisionOfFloat32", head + equivalent + "precision = \"float32\"", {":11:1", "bfloat16"}},
        Mistake{"PrecisionUnknown", head + equivalent + "precision = \"bf16\"", {":11:1", "bfloat16"}},
        Mistake{"ImprecisionWithoutReason", head + equivalent + "imprecision = 2", {":11:1", "because"}},
        Mistake{"ReasonWithoutImprecision",
                head + equivalent + "imprecision_because = \"x\"",
                {":11:1", "need each other"}},
        Mistake{"ImprecisionOfOne",
                head + equivalent + "imprecision = 1\nimprecision_because = \"x\"",
                {":11:1", "more than 1"}},
        Mistake{"TimesElsewhere", head + check + "times = 3", {":11:1", "no_farther and repeats"}},
        Mistake{"UnderElsewhere", head + check + "under = [\"load\"]", {":11:1", "relation repeats"}},
        Mistake{"TimesOfOne", head + repeats + "times = 1", {":11:1", "2 to 100"}},
        Mistake{"TimesOfTooMany", head + repeats + "times = 101", {":11:1", "parity repeat"}},
        Mistake{"UnderWhat", head + repeats + "under = [\"lod\"]", {":11:1", "'lod'", "'load'"}},
        Mistake{"UnderNone", head + repeats + "under = [\"none\"]", {":11:1", "without 'under'"}},
        Mistake{"RepeatsOfAChannel", head + repeats + "channel = \"lr\"", {":11:1", "remove 'channel'"}},
        Mistake{"LawsElsewhere", head + check + "laws = [\"clip\"]", {":11:1", "relation lawful"}},
        Mistake{"DepartsElsewhere", head + check + "departs = [\"clip\"]", {":11:1", "relation lawful"}},
        Mistake{"UnknownLaw", head + lawful + "laws = [\"clop\"]", {":11:1", "unknown law 'clop'", "'clip'"}},
        Mistake{"UnknownDeparture", head + lawful + "departs = [\"schedul\"]", {":11:1", "'schedule'"}},
        Mistake{"BeforeElsewhere", head + check + "before = \"b\"", {":11:1", "relation lawful"}},
        Mistake{"BeforeUnknown", head + lawful + "before = \"bb\"", {":11:1", "unknown arm 'bb'"}},
        Mistake{"BeforeItself", head + lawful + "before = \"zulu\"", {":11:1", "the arm itself"}},
        Mistake{"NoLaw", head + lawful + "laws = []", {":11:1", "'laws' names no law"}},
        Mistake{"LawsOfAChannel", head + lawful + "channel = \"lr\"", {":11:1", "remove 'channel'"}},
        Mistake{"LawsOfATensor", head + lawful + "tensor = \"*\"", {":11:1", "remove 'tensor'"}},
        Mistake{"AgainstElsewhere", head + check + "against = \"golden\"", {":11:1", "compared bit for bit"}},
        Mistake{"AgainstWhat", head + bounded + "against = \"goldn\"", {":11:1", "'goldn'", "'golden'"}},
        Mistake{"AgainstGoldenOfTwo",
                head + bounded + "against = \"golden\"",
                {"against the golden needs one arm"}},
        Mistake{"AgainstGoldenInAWindow",
                head + bounded + "against = \"golden\"\narms = [\"zulu\"]\nsteps = \"last\"",
                {":13:1", "remove 'steps'"}},
        Mistake{"AgainstAGoldenThatIsNotKept",
                "[golden]\narms = [\"alpha\"]\n" + head + bounded + "against = \"golden\"\narms = [\"zulu\"]",
                {"unknown arm 'zulu'"}},
        Mistake{"WrongType", "tags = 3\n" + head + check, {":1:1", "'tags'", "list of strings"}},
        Mistake{"NoArms", "title = \"x\"\n" + check, {"no arms"}},
        Mistake{"NoChecks", head, {"has no checks"}},
        Mistake{"NotToml", "title = \n", {"name.toml:1:", "not TOML"}},
        Mistake{"NoClosingQuote", "title = \"x\n" + head, {"name.toml:1:", "closing quote missing?"}},
        Mistake{"NanInConfig",
                "[base]\nclip.max_norm = nan\n" + head.substr(17) + check,
                {":2:6", "'clip.max_norm' must be a finite number"}},
        Mistake{
            "InfInConfig", "[arms.a]\nx = [1]\ny = -inf\n" + check, {":3:1", "'y' must be a finite number"}},
        Mistake{"EmptyCommand", "[arms.a]\ncommand = []\n" + check, {":2:1", "empty"}},
        Mistake{"InputsWithoutCommand", "[arms.a]\ninputs = [\"x\"]\n" + check, {":2:1", "command"}},
        Mistake{"BadRegex",
                "[arms.a]\ncommand = [\"x\"]\n[arms.a.names]\n\"(\" = \"y\"\n" + check,
                {":4:1", "regular"}},
        Mistake{"ArmNameThatIsAPath", "[arms.\"../x\"]\nsteps = 1\n" + check, {":1:", "cannot be called"}},
        Mistake{
            "DateInAList", "[base]\nseeds = [1, 1979-05-27]\n" + head.substr(17) + check, {":2:1", "date"}},
        Mistake{
            "TableInAList", "[base]\nseeds = [1, {a = 1}]\n" + head.substr(17) + check, {":2:1", "table"}},
        Mistake{"NanInAList", "[base]\nlrs = [0.1, nan]\n" + head.substr(17) + check, {":2:1", "finite"}},
        Mistake{"DateInConfig", "[base]\nseed = 1979-05-27\n" + head.substr(17) + check, {":2:1", "date"}}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace parity::suite
