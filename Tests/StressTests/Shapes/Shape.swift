/// A construct of SQL that a query has, or a kind of change that a transaction makes.
///
/// The distribution of a run counts the pairs of a query and a transaction for each shape.
enum Shape: String, CaseIterable, Sendable {
  // Tables and other sources of rows.
  case view, fullTextTable, rTree, withoutRowID, generatedColumn, temporaryTable, attachedTable, jsonEach, rowID
  case strictTable, customCollationOfColumn, schemaTable, pragmaTable, lateralTable
  case subqueryInFrom, commonTable, recursiveCommonTable, values

  // Joins.
  case innerJoin, leftJoin, rightJoin, fullJoin, crossJoin, commaJoin, usingJoin, nestedJoin
  case naturalJoin, naturalLeftJoin, naturalRightJoin, naturalFullJoin

  // Conditions and expressions.
  case equality, inequality, columnEquality, inList, between, isNull, isOperator, like, glob, match, rowValue, or, not
  case exists, notExists, inSubquery, notInSubquery, scalarSubquery, correlatedSubquery
  case customFunction, customCollation
  case arithmetic, function, caseExpression, cast, collation, parameter

  // Results.
  case allColumns, distinct, aggregate, filteredAggregate, groupBy, having, window, union, unionAll, except, intersect
  case orderBy, limit, offset

  // Observations.
  case constantRegion, givenRegion, sharedObservation, twoQueries

  // Statements that change rows.
  case insert, update, delete, deleteAll, insertFromSelect, upsert, updateFrom, returning, updateOfKey,
    changeWithCommonTable
  case orReplace, orIgnore, orFail, orAbort, orRollback
  case trigger, recursiveTriggers, insteadOfTrigger, foreignKeyAction, writeToFullTextTable, writeToRTree,
    writeToTemporaryTable
  case writeToAttachedTable, blobWrite, manyRows

  // Transactions and databases.
  case utf16
  case autocommit, explicitTransaction, savepoint, rollbackToSavepoint, rawHandle, schemaChange, vacuum, otherConnection
}

extension Shape {
  /// The shapes that databases of a kind cannot have.
  static func missing(in kind: ShapeDatabase.Kind) -> Set<Shape> {
    switch kind {
    case .memory: [.otherConnection]
    case .queue: []
    // Readers do not see the temporary tables of the writer.
    case .pool: [.temporaryTable, .writeToTemporaryTable]
    }
  }
}
