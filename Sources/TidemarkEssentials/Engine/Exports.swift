// `import Tidemark` brings the C functions of SQLite: a type that reads columns by itself needs no other import.
@_exported public import CSQLite
