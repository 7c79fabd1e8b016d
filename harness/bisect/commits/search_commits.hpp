// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/progress.hpp"
#include "harness/bisect/commits/question.hpp"
#include "harness/bisect/search_record.hpp"
#include "harness/suite/goldens/git.hpp"

namespace parity {

/// The commits between two that move the numbers, biggest first.
///
/// Commits are checked out in a work tree of the search's own, below the output folder, which is removed at
/// the end; nothing else of the repository changes. Every answer is kept as soon as it is there. At most
/// evaluation_bound(n) commits are asked for one culprit among n on the line, those that cannot be judged not
/// counted; a merge that is the culprit is searched in the same way.
/// \param git  in the repository, or in a folder of its work tree
/// \throws UserError if a revision is unknown, the two have no line of history, the good side is bad already
/// or
///         cannot be judged; after Ctrl-C (exit 130); if another search uses the folder
SearchRecord search_commits(CommitQuestion question, const Git& git, Progress& progress);

}  // namespace parity
