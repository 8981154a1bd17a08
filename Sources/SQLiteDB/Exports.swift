// `import SQLiteDB` also imports SQLite's constants, so that programs can match error codes such as
// `SQLITE_CONSTRAINT`.
@_exported public import CSQLite
// The databases that a connection can use, and the types for observing queries. Not all of Tidemark: several of its
// types have the same names as types of this module.
@_exported public import class Tidemark.AnyDatabaseCancellable
@_exported public import struct Tidemark.Configuration
@_exported public import class Tidemark.Database
@_exported public import struct Tidemark.DatabaseError
@_exported public import class Tidemark.DatabasePool
@_exported public import class Tidemark.DatabaseQueue
@_exported public import protocol Tidemark.DatabaseReader
@_exported public import protocol Tidemark.DatabaseWriter
@_exported public import struct Tidemark.ValueObservation
