// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/terminal/progress.hpp"
#include "harness/bisect/commits/question.hpp"
#include "harness/bisect/search_record.hpp"
#include "harness/suite/goldens/git.hpp"

namespace parity::bisect {

/// Finds the commits between two revisions that change the numbers, largest change first.
///
/// The search checks out commits in its own work tree below the output folder, which it removes at the end.
/// It changes nothing else in the repository and stores every answer at once. One cause among n commits on
/// the line costs at most evaluation_bound(n) evaluations, not counting commits that cannot be judged. If the
/// cause is a merge, the merged branch is searched in the same way.
/// \param git  in the repository, or in a folder of its work tree
/// \throws UserError if a revision is unknown, the two have no line of history, or the good commit is bad or
///         cannot be judged; after Ctrl-C (exit 130); if another search uses the folder
SearchRecord search_commits(CommitQuestion question, const suite::Git& git, Progress& progress);

}  // namespace parity::bisect
