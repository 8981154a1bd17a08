import Foundation

/// Prints a line at once, also when the output is a pipe.
func log(_ line: String) {
  print(line)
  fflush(nil)
}
