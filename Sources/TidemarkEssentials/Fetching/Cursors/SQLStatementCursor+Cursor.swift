// The statements of a text are a cursor like any other: `forEach`, `map`, and so on.

extension SQLStatementCursor: Cursor {}
