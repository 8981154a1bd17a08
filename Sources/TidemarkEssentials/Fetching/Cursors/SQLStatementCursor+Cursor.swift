// A cursor of statements has all methods of cursors: `forEach`, `map`, and so on.

extension SQLStatementCursor: Cursor {}
