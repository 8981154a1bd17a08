/// The services that require the complete Foundation, whose loading time dominates the run time of a short program.
///
/// The module `Tidemark` provides them. Programs that use only this module do not load Foundation.
package struct FoundationServices: Sendable {
  /// The functions that are added to all connections, in addition to the standard functions.
  package var functions: [DatabaseFunction]
  package var collations: [DatabaseCollation]

  /// Observes the suspension of the process, until the returned object is released.
  package var observeSuspension: @Sendable (Suspending) -> any AnyObject & Sendable

  /// The closures called before the process is suspended, and after it is resumed.
  package struct Suspending: Sendable {
    package var suspend: @Sendable () -> Void
    package var resume: @Sendable () -> Void
  }

  package init(
    functions: [DatabaseFunction], collations: [DatabaseCollation],
    observeSuspension: @escaping @Sendable (Suspending) -> any AnyObject & Sendable
  ) {
    self.functions = functions
    self.collations = collations
    self.observeSuspension = observeSuspension
  }

  /// The services of the program; nil without the module `Tidemark`.
  package static let current = FoundationModule.services(FoundationServices.self)
}
