package expr

// Kind says which parameter of a request an expression comes from.
type Kind uint8

// The five kinds, in the order in which the service looks at those of one
// request.
const (
	Update Kind = iota
	Condition
	KeyCondition
	Filter
	Projection
)

var kindNames = [...]string{
	"UpdateExpression", "ConditionExpression", "KeyConditionExpression", "FilterExpression", "ProjectionExpression",
}

// String returns the name of the request parameter.
func (k Kind) String() string { return kindNames[k] }

// Tree is a parsed expression. It never changes once parsed.
type Tree struct {
	Kind Kind
	// Cond is the root of a condition, filter or key condition.
	Cond Cond
	// Sections are the parts of an update as written, each verb at most once.
	Sections []Section
	// Paths are the members of a projection as written.
	Paths []*Path
}

// Every node keeps in At the byte offset of the token that makes it what it is:
// the operator of a comparison, the first element of a path.

// Cond is a node that is true or false: [*Logical], [*Not], [*Compare],
// [*Between], [*In] or [*Call].
type Cond interface{ cond() }

// Operand is a node that stands for a value: [*Path], [*Value], [*Call] or, on
// the right of a SET, [*Arithmetic].
type Operand interface{ operand() }

// Op is an operator, written as in messages.
type Op string

// The operators.
const (
	OpOr      Op = "OR"
	OpAnd     Op = "AND"
	OpNot     Op = "NOT"
	OpEq      Op = "="
	OpNe      Op = "<>"
	OpLt      Op = "<"
	OpLe      Op = "<="
	OpGt      Op = ">"
	OpGe      Op = ">="
	OpBetween Op = "BETWEEN"
	OpIn      Op = "IN"
	OpPlus    Op = "+"
	OpMinus   Op = "-"
)

// The functions.
// Expressions.OperatorsAndFunctions.html#Expressions.OperatorsAndFunctions.Functions,
// Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.SET.
const (
	FuncAttributeExists    = "attribute_exists"
	FuncAttributeNotExists = "attribute_not_exists"
	FuncAttributeType      = "attribute_type"
	FuncBeginsWith         = "begins_with"
	FuncContains           = "contains"
	FuncSize               = "size"
	FuncIfNotExists        = "if_not_exists"
	FuncListAppend         = "list_append"
)

// Logical is Left AND Right, or Left OR Right.
type Logical struct {
	At          int
	Op          Op
	Left, Right Cond
}

// Not is NOT Cond.
type Not struct {
	At   int
	Cond Cond
}

// Compare is one of the six comparisons.
type Compare struct {
	At          int
	Op          Op
	Left, Right Operand
}

// Between is Operand BETWEEN Low AND High.
type Between struct {
	At        int
	Operand   Operand
	Low, High Operand
}

// In is Operand IN (List…). The list is not empty.
type In struct {
	At      int
	Operand Operand
	List    []Operand
}

// Call is a function with its arguments, of which there is at least one. The
// function exists and may stand where it does.
type Call struct {
	At       int
	Function string
	Args     []Operand
}

// Path is a document path. Its first element is a name.
type Path struct {
	At       int
	Elements []Element
}

// Element is one element of a path.
type Element struct {
	At int
	// Name is a bare name, or a placeholder with its #; "" for a list index.
	Name string
	// Index is the position in a list, -1 for a name.
	Index int
}

// Placeholder reports whether the element is a name to be substituted.
func (e Element) Placeholder() bool { return e.Name != "" && e.Name[0] == '#' }

// Value is a placeholder of a value.
type Value struct {
	At int
	// Name has its colon.
	Name string
}

// Arithmetic is Left + Right or Left - Right.
type Arithmetic struct {
	At          int
	Op          Op
	Left, Right Operand
}

func (*Logical) cond() {}
func (*Not) cond()     {}
func (*Compare) cond() {}
func (*Between) cond() {}
func (*In) cond()      {}
func (*Call) cond()    {}

func (*Path) operand()       {}
func (*Value) operand()      {}
func (*Call) operand()       {}
func (*Arithmetic) operand() {}

// Verb begins a section of an update.
type Verb string

// The verbs.
const (
	Set    Verb = "SET"
	Remove Verb = "REMOVE"
	Add    Verb = "ADD"
	Delete Verb = "DELETE"
)

// Section is one verb of an update with what it does. There is at least one
// action.
type Section struct {
	At      int
	Verb    Verb
	Actions []Action
}

// Action is one member of a section.
type Action struct {
	Target *Path
	// Value is what SET assigns; for ADD and DELETE it is a [*Value], for
	// REMOVE nil.
	Value Operand
}
