import SQLiteDB

// Long expressions of SQLiteDB. `run.sh` makes the compiler report those that take long. Those with a comment
// took seconds, or were rejected, with eight overloads for each operator.

let id = SQLExpression<Int64>("id"), age = SQLExpression<Int?>("age"), number = SQLExpression<Int>("number")
let balance = SQLExpression<Double>("balance"), bonus = SQLExpression<Double?>("bonus")
let email = SQLExpression<String>("email"), name = SQLExpression<String?>("name")
let verified = SQLExpression<Bool>("verified"), admin = SQLExpression<Bool?>("admin")
let users = Table("users"), posts = Table("posts")

func check(_ query: some QueryType) {}

// At the first use of an operator, the compiler loads all its overloads: that is not part of the measurement.
func operators() {
  _ = id + 1
  _ = id - 1
  _ = id * 2
  _ = id / 2
  _ = id % 2
  _ = id == 1
  _ = id != 1
  _ = id > 1
  _ = id < 1
  _ = verified && verified
  _ = verified || verified
}

func conditions() {
  check(users.filter(id == 1 && name == "x" && balance > 2 && age != nil && verified && email.like("%a%")))
  check(users.filter(id == 1 && email == "x" && balance > 2 && age < 3 && number != 4))
  check(users.filter(id > 1 && id < 2 && number >= 3 && number <= 4 && balance == 5))
  check(users.filter(name == "x" && email != "y" && verified == true && age == nil && bonus >= 2.5 || admin == false))
  check(users.filter(balance * 2 + 1 - balance / 3 > 10 && id % 2 == 0))  // 360 ms
  check(users.filter((id * 2 + 1) * (id - 3) / 4 + 5 > 7))  // 1.6 s
  check(users.filter((id * 2 + 1) * (id - 3) / 4 + 5 - id * 6 > 7))  // refused after 7 s
  check(users.filter((number * 2 + 1) * (number - 3) / 4 + 5 - number * 6 > 7))
  check(users.filter((balance * 2 + 1) * (balance - 3) / 4 + 5 - balance * 6 > 7))  // refused after 7 s
  check(users.filter((age * 2 + 1) * (age - 3) / 4 + 5 - age * 6 > 7))
  check(users.filter((bonus + balance) * 2 - 1 < 3 && 1...5 ~= id || !(admin == true)))
  check(users.filter(name == nil && age == nil && admin != nil || bonus != nil && verified))
  check(users.join(posts, on: posts[id] == users[id] && posts[name] == "x").order(id.desc).limit(3))
}

func computed() {
  let sum = (id * 2 + 1) * (id - 3) / 4 + 5 - id * 6
  let text = "a" + email + "b" + email + "c"
  let sentence = name + " is " + cast(age) as SQLExpression<String?> + " years old!"
  let bits = (number & 1) | (number << 2) ^ ~number
  check(users.select(sum, text, sentence, bits))
}

func setters() -> [Setter] { [id <- 3, name <- nil, balance += 2.5, number++, age |= 4] }
