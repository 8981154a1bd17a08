// The declarations that the examples in the documentation comments of SQLiteDB use. `CommentExampleTests`
// compiles the examples with this file.

import Foundation
import SQLiteDB

let id = SQLExpression<Int64>("id")
let email = SQLExpression<String>("email")
let name = SQLExpression<String?>("name")
let nick = SQLExpression<String?>("nick")
let age = SQLExpression<Int?>("age")
let balance = SQLExpression<Double>("balance")
let limit = SQLExpression<Double>("limit")
let bonus = SQLExpression<Double?>("bonus")
let verified = SQLExpression<Bool>("verified")
let admin = SQLExpression<Bool>("admin")
let active = SQLExpression<Bool?>("active")
let trusted = SQLExpression<Bool?>("trusted")
let logins = SQLExpression<Int>("logins")
let flags = SQLExpression<Int64>("flags")
let mask = SQLExpression<Int64>("mask")
let extra = SQLExpression<Int64?>("extra")
let avatar = SQLExpression<Data>("avatar")
let managerId = SQLExpression<Int64?>("manager_id")
let userId = SQLExpression<Int64>("user_id")
let authorId = SQLExpression<Int64>("author_id")
let title = SQLExpression<String>("title")
let subject = SQLExpression<String>("subject")
let body = SQLExpression<String>("body")
let date = SQLExpression<Date>("date")
let publishedAt = SQLExpression<Date>("published_at")
let score = SQLExpression<Int>("score")
let UTI = SQLExpression<String>("UTI")

let users = Table("users")
let posts = Table("posts")
let attachments = Table("attachments")
let emails = VirtualTable("emails")
let alice = users.filter(id == 1)
let betty = users.filter(id == 2)

let amount = 10.0
let path = "db.sqlite3"

struct User: Codable, Sendable {
  var id: Int64 = 1
  var email = "alice@mac.com"
  var name: String?
}

// Nothing runs, so these have no values.
var db: Connection { fatalError() }
var target: Connection { fatalError() }
var pool: DatabasePool { fatalError() }
var schemaChanger: SchemaChanger { fatalError() }
var statement: Statement { fatalError() }
var row: Row { fatalError() }

func conforms(_ type: String, _ other: String) -> Bool { fatalError() }
