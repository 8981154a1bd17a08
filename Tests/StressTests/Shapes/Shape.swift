/// A construct of SQL that a query has, or a kind of change that a transaction makes.
///
/// The distribution of a run counts the pairs of a query and a transaction for each shape.
enum Shape: String, CaseIterable, Sendable {
  // Tables and other sources of rows.
  case view, fullTextTable, rTree, withoutRowID, generatedColumn, temporaryTable, attachedTable, jsonEach, rowID
  case strictTable, customCollationOfColumn, schemaTable, pragmaTable, lateralTable, internalTable, otherCase
  case externalContent, contentlessTable, fullTextVocabulary, fullTextFunction, formerFullTextTable
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

  // Requests of the query interface.
  case request, requestCount, association, prefetchedAssociation, associationAggregate, requestWithCommonTable

  // Observations.
  case constantRegion, givenRegion, sharedObservation, twoQueries, differences, incrementalResult

  // Consumers of changes: see `ShapeFollower`.
  case changeStream, changeFeed, rowsOfExternalCommit

  // Statements that change rows.
  case insert, update, delete, deleteAll, insertFromSelect, upsert, updateFrom, returning, updateOfKey,
    changeWithCommonTable, rowValueUpdate, defaultValues, conditionalUpsert, rebuild, temporaryTrigger
  case orReplace, orIgnore, orFail, orAbort, orRollback
  case trigger, recursiveTriggers, insteadOfTrigger, foreignKeyAction, writeToFullTextTable, writeToRTree,
    writeToTemporaryTable
  case writeToAttachedTable, blobWrite, manyRows

  // Transactions and databases.
  case utf16
  case autocommit, explicitTransaction, savepoint, rollbackToSavepoint, rawHandle, schemaChange, vacuum
  case unfinishedStatement, analyze, userVersion, changedPragma, restore, attachedAgain
  case otherConnection, connectionWithoutLibrary, otherFeedWriter
}

extension Shape {
  /// The shapes that databases of a kind cannot have.
  static func missing(in kind: ShapeDatabase.Kind) -> Set<Shape> {
    switch kind {
    case .memory: [.otherConnection, .connectionWithoutLibrary, .otherFeedWriter, .rowsOfExternalCommit]
    case .queue: []
    // Readers see neither the temporary tables of the writer, nor the databases that only the writer attaches.
    case .pool: [.temporaryTable, .writeToTemporaryTable, .temporaryTrigger, .attachedAgain]
    }
  }
}
