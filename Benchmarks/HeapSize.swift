import Foundation

/// The bytes of the heap that are in use, as glibc counts them; zero where the system does not report it.
///
/// C: `malloc_info`, which Foundation does not offer. Its output ends with the sums of all arenas.
func usedMemory() -> Int {
  typealias MallocInfo = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
  guard let function = dlsym(dlopen(nil, RTLD_NOW), "malloc_info") else { return 0 }
  var (text, length): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
  guard let file = open_memstream(&text, &length) else { return 0 }
  _ = unsafeBitCast(function, to: MallocInfo.self)(0, file)
  fclose(file)
  defer { free(text) }
  guard let text, let end = String(cString: text).components(separatedBy: "</heap>").last else { return 0 }
  /// The size of the element of a type.
  func size(_ element: String) -> Int {
    guard let line = end.split(separator: "\n").first(where: { $0.hasPrefix("<" + element) }) else { return 0 }
    return line.components(separatedBy: "size=\"").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
  }
  let unused = size("total type=\"fast\"") + size("total type=\"rest\"")
  return size("system type=\"current\"") - unused + size("total type=\"mmap\"")
}
