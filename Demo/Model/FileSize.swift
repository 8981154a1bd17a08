import Foundation

/// The size of a file in bytes; nil if it does not exist. The file is not opened: closing it would drop SQLite's locks.
func fileSize(_ path: String) -> Int? {
  var facts = stat()
  return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
}
