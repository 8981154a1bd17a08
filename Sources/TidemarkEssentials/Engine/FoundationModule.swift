import CSQLite

/// The module that brings what takes all of Foundation. A program may do without.
enum FoundationModule {
  /// What it has to offer; nil in a program without it. The linker finds it.
  ///
  /// - parameter type: What both modules have agreed on.
  static func services<Services>(_ type: Services.Type) -> Services? {
    var services: Services?
    let isThere = withUnsafeMutablePointer(to: &services) { tidemark_ask_foundation($0) }
    return isThere != 0 ? services : nil
  }
}
