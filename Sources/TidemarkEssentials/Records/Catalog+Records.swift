// Schema information can be fetched like any other record.

extension ColumnInfo: FetchableRecord {}

extension ForeignKeyViolation: FetchableRecord {}
