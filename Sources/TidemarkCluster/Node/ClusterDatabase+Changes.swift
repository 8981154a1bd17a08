public import Tidemark

extension ClusterDatabase {
  /// Returns the transactions that change some regions in the file of this node, from now on.
  ///
  /// ```swift
  /// let changes = try await database.changes(in: Table("player"))
  /// for try await transaction in changes {
  ///   for change in try transaction.changes(of: Player.self) {
  ///     print(change.operation, change.newRecord?.name ?? "")
  ///   }
  /// }
  /// ```
  ///
  /// Each entry of the log appears once, and in order, but one element may stand for several entries that the node has
  /// applied together. A snapshot that the node installs appears as an incomplete transaction.
  ///
  /// - Parameters:
  ///   - regions: The regions: tables, requests, or others. Without regions, all changes.
  ///   - limits: The limits of the stream.
  /// - Returns: The transactions that are committed after this method has returned, and perhaps some that were
  ///   committed immediately before.
  /// - Throws: The errors of `read`, and an error if a region cannot be resolved.
  public func changes(
    in regions: any DatabaseRegionConvertible..., limits: ChangeStream.Limits = ChangeStream.Limits()
  ) async throws -> ChangeStream {
    try await changes(in: regions, limits: limits)
  }

  /// Returns the transactions that change the regions of a list in the file of this node, from now on.
  ///
  /// - Parameters:
  ///   - regions: The regions. If the list is empty, all changes.
  ///   - limits: The limits of the stream.
  /// - Returns: The transactions that are committed after this method has returned, and perhaps some that were
  ///   committed immediately before.
  /// - Throws: The errors of `read`, and an error if a region cannot be resolved.
  public func changes(
    in regions: [any DatabaseRegionConvertible], limits: ChangeStream.Limits = ChangeStream.Limits()
  ) async throws -> ChangeStream {
    try await node.pool.changes(in: regions, limits: limits)
  }
}
