// Many transactions under many live queries, of which none may miss its last value. It is a program of its own to be
// built with optimization: then a million takes minutes.
//
//     StressLive [SEEDS [ROUNDS [QUERIES]]]
//
// A round is a thousand transactions. It prints a line for each seed, as the stress tests do, and fails if one was found
// at fault. `TIDEMARK_SEED=…` replays one.

import Foundation
import StressSupport

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let (seedCount, rounds, queryCount) = (
  numbers.first ?? 10, numbers.dropFirst().first ?? 100, numbers.dropFirst(2).first ?? 200
)

var hasProblem = false
for seed in Scale.seeds(daily: seedCount, full: seedCount) {
  let run = Run("live-final", seed: seed, limit: 3600)
  try await LiveWorld.checkFinalValues(run, rounds: rounds, queryCount: queryCount)
  run.report()
  if !run.allProblems.isEmpty { hasProblem = true }
}
exit(hasProblem ? 1 : 0)
