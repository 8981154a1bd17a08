import Testing

@testable import TidemarkEssentials

/// The callbacks of connections, found by the pointers of the connections.
@Suite struct RowChangeRegistryTests {
  @Test func `a removed connection does not hide others whose slots collide with its own`() {
    let callbacks = ConnectionCallbacks()
    // The addresses of no connections. Every fifth slot is filled, so that more than a hundred of them collide.
    let connections = (1...800).compactMap { OpaquePointer(bitPattern: $0 * $0 * 16) }
    let (removed, kept) = (connections[..<400], connections[400...])
    defer { connections.forEach(RowChangeRegistry.remove) }
    #expect(connections.allSatisfy { RowChangeRegistry.add(callbacks, for: $0) })
    removed.forEach(RowChangeRegistry.remove)
    #expect(kept.allSatisfy { RowChangeRegistry.callbacks(of: $0) === callbacks })
    #expect(removed.allSatisfy { RowChangeRegistry.callbacks(of: $0) == nil })
  }
}
