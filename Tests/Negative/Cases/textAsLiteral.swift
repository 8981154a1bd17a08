// A string from run time is not an SQL literal: it could contain user input. Interpolation makes it an argument.
// refused: cannot convert value of type 'String' to .*'SQL'

import Tidemark

func execute(_ db: Database, condition: String) throws {
  try db.execute(literal: condition)
}
