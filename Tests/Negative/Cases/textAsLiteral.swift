// A text known at run time is no SQL literal: it could carry what somebody typed. Interpolation makes it an argument.
// refused: cannot convert value of type 'String' to .*'SQL'

import Tidemark

func execute(_ db: Database, condition: String) throws {
  try db.execute(literal: condition)
}
