import Tidemark

// The values that the examples about changesets use. See `Values.swift`.

var changes: Changeset { fatalError() }
var history: ChangeHistory { fatalError() }
