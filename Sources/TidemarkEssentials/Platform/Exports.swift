// `import Tidemark` includes the C functions of SQLite, so that types can read columns without another import.
@_exported public import CSQLite
