// `import SQLiteDB` brings the constants of SQLite: programs match on `SQLITE_CONSTRAINT` and its siblings.
@_exported public import CSQLite
// What a connection can be made over, and what its queries can be observed with. Not the whole of Tidemark, whose
// tables, rows and statements have the names of ours.
@_exported public import class Tidemark.AnyDatabaseCancellable
@_exported public import struct Tidemark.Configuration
@_exported public import class Tidemark.Database
@_exported public import struct Tidemark.DatabaseError
@_exported public import class Tidemark.DatabasePool
@_exported public import class Tidemark.DatabaseQueue
@_exported public import protocol Tidemark.DatabaseReader
@_exported public import protocol Tidemark.DatabaseWriter
@_exported public import struct Tidemark.ValueObservation
