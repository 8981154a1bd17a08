import TidemarkEssentials

/// Implementation detail; do not call it. `TidemarkEssentials` finds the services of this module by this symbol.
@_cdecl("tidemark_foundation_services")
public func _foundationServices(_ destination: UnsafeMutableRawPointer) {
  destination.assumingMemoryBound(to: FoundationServices?.self).pointee = FoundationServices(
    functions: DatabaseFunction.localized, collations: DatabaseCollation.localized,
    observeSuspension: { SuspensionObserver($0) })
}
