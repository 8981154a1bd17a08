import Foundation
import Testing
import Tidemark

/// All kinds of values in all formats.
@Suite struct DumpValueTests {
  private func dump(_ format: some DumpFormat) throws -> String {
    try inDumpedValues { db in try db.dumpedSQL("SELECT n, t, b, i, r FROM val", format) }
  }

  @Test func debug() throws {
    try #expect(
      dump(.debug()) == """
        |café|abc|9223372036854775807|1.5
        ||X'FF00'|-1|1e+100
        a|tab\tx||0|3.0
        |sl/ash \\ "dq"|00112233-4455-6677-8899-AABBCCDDEEFF|1|inf
        |x|\0\0|1|-0.0
        |x|0123456789abcdef|1|0.1

        """)
    try #expect(
      dump(.debug(header: true, separator: " ; ", nullValue: "∅")).hasPrefix(
        """
        n ; t ; b ; i ; r
        ∅ ; café ; abc ; 9223372036854775807 ; 1.5
        ∅ ;  ; X'FF00' ; -1 ; 1e+100

        """))
  }

  @Test func list() throws {
    try #expect(
      dump(.list()) == """
        |café|abc|9223372036854775807|1.5
        ||\u{FFFD}|-1|1e+100
        a|tab\tx||0|3.0
        |sl/ash \\ "dq"||1|inf
        |x||1|-0.0
        |x|0123456789abcdef|1|0.1

        """)
  }

  @Test func quote() throws {
    try #expect(
      dump(.quote()) == """
        NULL,'café',X'616263',9223372036854775807,1.5
        NULL,'',X'FF00',-1,1.0e+100
        'a','tab\tx',X'',0,3.0
        NULL,'sl/ash \\ "dq"',X'00112233445566778899AABBCCDDEEFF',1,Inf
        NULL,'x',X'0000',1,0.0
        NULL,'x',X'30313233343536373839616263646566',1,0.1

        """)
  }

  @Test func json() throws {
    try #expect(
      dump(.json()) == """
        [{"n":null,"t":"café","b":"YWJj","i":9223372036854775807,"r":1.5},
        {"n":null,"t":"","b":"/wA=","i":-1,"r":1e+100},
        {"n":"a","t":"tab\\tx","b":"","i":0,"r":3},
        {"n":null,"t":"sl/ash \\\\ \\"dq\\"","b":"ABEiM0RVZneImaq7zN3u/w==","i":1,"r":"inf"},
        {"n":null,"t":"x","b":"AAA=","i":1,"r":-0},
        {"n":null,"t":"x","b":"MDEyMzQ1Njc4OWFiY2RlZg==","i":1,"r":0.1}]

        """)
  }

  @Test func line() throws {
    try inDumpedValues { db in
      try #expect(
        db.dumpedSQL("SELECT n, b, r FROM val WHERE i < 1", .line(nullValue: "nil")) == """
          n = nil
          b = \u{FFFD}
          r = 1e+100

          n = a
          b = 
          r = 3.0

          """)
    }
  }

  @Test func `text is written as it is, except as SQL or JSON`() throws {
    try inDumpedShelves { db in
      let sql: SQL = "SELECT id, label FROM shelf"
      try #expect(db.dumpedSQL(sql) == "1|two\nlines\n2|it's\n")
      try #expect(db.dumpedSQL(sql, .list()) == "1|two\nlines\n2|it's\n")
      try #expect(db.dumpedSQL(sql, .quote()) == "1,'two\nlines'\n2,'it''s'\n")
      try #expect(db.dumpedSQL(sql, .json()) == #"[{"id":1,"label":"two\nlines"},\#n{"id":2,"label":"it's"}]\#n"#)
      try #expect(db.dumpedSQL(sql, .line()) == "   id = 1\nlabel = two\nlines\n\n   id = 2\nlabel = it's\n")
    }
  }

  @Test func `a quote before an accent is doubled in a literal`() throws {
    try inMemory { db in
      // For Swift, the quote and the accent are one character.
      let text = "it'\u{301}s"
      let literal = try db.dumpedSQL("SELECT \(text)", .quote())
      #expect(Array(literal.utf8) == Array("'it''\u{301}s'\n".utf8))
      try #expect(String.fetchOne(db, sql: "SELECT \(literal)") == text)
    }
  }

  @Test func `texts with NUL characters are complete`() throws {
    try inMemory { db in
      let sql: SQL = "SELECT \("a\0'b")"
      try #expect(db.dumpedSQL(sql) == "a\0'b\n")
      try #expect(db.dumpedSQL(sql, .list()) == "a\0'b\n")
      try #expect(db.dumpedSQL(sql, .quote()) == "CAST(X'61002762' AS TEXT)\n")
      try #expect(db.dumpedSQL(sql, .json()).contains(#":"a\u0000'b"}"#))
    }
  }

  @Test func `texts that are not UTF-8 are repaired, even if the configuration refuses them`() throws {
    var configuration = Configuration()
    configuration.invalidTextPolicy = .refuse
    try inMemory(configuration) { db in
      try #expect(db.dumpedSQL("SELECT CAST(x'61ff' AS TEXT) AS a, 1", .debug()) == "a\u{FFFD}|1\n")
    }
  }

  @Test func `the encoder defines JSON values`() throws {
    try inMemory { db in
      let sql: SQL = "SELECT 'a/b' AS \"k/v\", x'01' AS b"
      try #expect(db.dumpedSQL(sql, .json()) == #"[{"k/v":"a/b","b":"AQ=="}]\#n"#)
      try #expect(db.dumpedSQL(sql, .json(JSONEncoder())) == #"[{"k\/v":"a\/b","b":"AQ=="}]\#n"#)
      let encoder = JSONDumpFormat.defaultEncoder
      encoder.outputFormatting = .sortedKeys
      encoder.dataEncodingStrategy = .custom { data, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(data.count)
      }
      try #expect(db.dumpedSQL("SELECT 2 AS b, x'0102' AS a", .json(encoder)) == #"[{"b":2,"a":2}]\#n"#)
    }
  }

  @Test func `an error of the encoder is thrown after the text before the value`() throws {
    try inMemory { db in
      let stream = DumpedText()
      #expect(throws: EncodingError.self) {
        try db.dumpSQL("SELECT 9e999 AS s", format: .json(JSONEncoder()), to: stream)
      }
      #expect(stream.text == #"[{"s":"#)
    }
  }

  @Test func `reading the default encoder returns a new one`() {
    #expect(JSONDumpFormat.defaultEncoder !== JSONDumpFormat.defaultEncoder)
    #expect(JSONDumpFormat().encoder.outputFormatting == .withoutEscapingSlashes)
  }
}
