import CSQLite

/// Access to the module that requires all of Foundation. Programs can be linked without it.
enum FoundationModule {
  /// The services of this module; nil in a program without it. The linker resolves it.
  ///
  /// - Parameter type: The type on which both modules agree.
  static func services<Services>(_ type: Services.Type) -> Services? {
    var services: Services?
    let isThere = withUnsafeMutablePointer(to: &services) { tidemark_ask_foundation($0) }
    return isThere != 0 ? services : nil
  }
}
