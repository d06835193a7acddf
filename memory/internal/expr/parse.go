package expr

import (
	"strconv"
	"strings"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// Parse returns the tree of an expression. It fails with a [*SyntaxError].
func Parse(k Kind, text string) (*Tree, error) {
	p := parser{kind: k, text: text}
	if len(text) > limits.ExpressionBytes {
		return nil, p.sizeFault()
	}
	p.tokens = lex(text)
	if len(p.tokens) == 1 {
		return nil, p.fault(0, "The expression can not be empty;")
	}
	t := &Tree{Kind: k}
	if err := p.fill(t); err != nil {
		return nil, err
	}
	if p.tok().kind != endOfText {
		return nil, p.unexpected()
	}
	if p.operators > limits.ExpressionOperators {
		p.note(operatorCount, 0, "The expression contains too many operators; operator count: %d", p.operators)
	}
	if f := p.faults.first(k); f != nil {
		return nil, f
	}
	return t, nil
}

// fill parses the whole text into the member of t that its kind uses.
func (p *parser) fill(t *Tree) (err error) {
	switch p.kind {
	case Update:
		t.Sections, err = p.sections()
	case Projection:
		t.Paths, err = p.paths()
	default:
		t.Cond, err = p.condition(p.or)
	}
	return err
}

// parser descends through the grammar, one method per rule. A method leaves
// the parser behind what it took; an error is always one of syntax and ends
// parsing, all other faults are noted and parsing goes on.
type parser struct {
	kind      Kind
	text      string
	tokens    []token
	next      int // index of the current token
	operators int
	faults    faults
}

func (p *parser) tok() token { return p.tokens[p.next] }

// take returns the current token and moves on. It is not called at the end.
func (p *parser) take() token {
	t := p.tokens[p.next]
	p.next++
	return t
}

// accept takes the symbol s if it is next.
func (p *parser) accept(s string) bool {
	if !p.tok().is(s) {
		return false
	}
	p.next++
	return true
}

func (p *parser) expect(s string) error {
	if !p.accept(s) {
		return p.unexpected()
	}
	return nil
}

// acceptOp takes the operator op, a keyword, if it is next.
func (p *parser) acceptOp(op Op) (at int, ok bool) {
	t := p.tok()
	if !t.keyword(string(op)) {
		return 0, false
	}
	p.next++
	return t.at, true
}

// keywords are the words that cannot begin a path, since the grammar of their
// kind of expression needs them elsewhere.
func (k Kind) keywords() []string {
	switch k {
	case Update:
		return updateKeywords[:]
	case Projection:
		return nil
	}
	return conditionKeywords[:]
}

var (
	updateKeywords    = [...]string{string(Set), string(Remove), string(Add), string(Delete)}
	conditionKeywords = [...]string{string(And), string(Or), string(OpNot), string(OpBetween), string(OpIn)}
)

func (p *parser) startsPath() bool {
	t := p.tok()
	if t.kind != word {
		return t.kind == nameHolder
	}
	for _, w := range p.kind.keywords() {
		if t.keyword(w) {
			return false
		}
	}
	return true
}

func (p *parser) paths() ([]*Path, error) {
	var paths []*Path
	for {
		path, err := p.path()
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
		if !p.accept(",") {
			return paths, nil
		}
	}
}

func (p *parser) path() (*Path, error) {
	if !p.startsPath() {
		return nil, p.unexpected()
	}
	path := &Path{At: p.tok().at, Elements: []Element{p.name()}}
	return path, p.extend(path)
}

// extend adds the elements that follow to a path.
func (p *parser) extend(path *Path) error {
	for {
		e, err := p.element()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		path.Elements = append(path.Elements, *e)
	}
	if n := len(path.Elements); n > limits.PathElements {
		p.note(pathDepth, path.At, "The document path has too many nesting levels; nesting levels: %d", n)
	}
	return nil
}

// element takes one .name or [index], or returns nil if neither is next.
func (p *parser) element() (*Element, error) {
	switch {
	case p.accept("."):
		if t := p.tok(); t.kind != word && t.kind != nameHolder {
			return nil, p.unexpected()
		}
		e := p.name()
		return &e, nil
	case p.accept("["):
		if p.tok().kind != number {
			return nil, p.unexpected()
		}
		e := p.index()
		return &e, p.expect("]")
	}
	return nil, nil
}

// name takes a name or a placeholder of one.
func (p *parser) name() Element {
	t := p.take()
	if t.kind == word && Reserved(t.text) {
		p.note(reservedName, t.at, "Attribute name is a reserved keyword; reserved keyword: %s", t.text)
	}
	return Element{At: t.at, Name: t.text, Index: -1}
}

func (p *parser) index() Element {
	t := p.take()
	i, err := strconv.ParseInt(t.text, 10, 32)
	if err != nil {
		p.note(listIndex, t.at, "List index is not within the allowable range; index: [%s]", t.text)
	}
	return Element{At: t.at, Index: int(i)}
}

// role is a place where a function can stand.
type role uint8

const (
	asCondition role = 1 << iota // in place of a comparison
	asOperand                    // as an operand or argument in a condition
	asAssigned                   // on the right of a SET
	asArgument                   // as an argument in an update
)

// functions lists where each function can stand. That list_append can be no
// argument was observed.
var functions = map[string]role{
	AttributeExists:    asCondition,
	AttributeNotExists: asCondition,
	AttributeType:      asCondition,
	BeginsWith:         asCondition,
	Contains:           asCondition,
	Size:               asOperand,
	IfNotExists:        asAssigned | asArgument,
	ListAppend:         asAssigned,
}

// use notes a function that exists but cannot stand in a role.
func (p *parser) use(o Operand, r role) {
	call, ok := o.(*Call)
	if !ok {
		return
	}
	if roles, known := functions[call.Function]; known && roles&r == 0 {
		p.note(misusedFunction, call.At,
			"The function is not allowed to be used this way in an expression; function: %s", call.Function)
	}
}

// atom takes a path, a value or a function.
func (p *parser) atom() (Operand, error) {
	if t := p.tok(); t.kind == valueHolder {
		p.next++
		return &Value{At: t.at, Name: t.text}, nil
	}
	if p.startsPath() && p.tok().kind == word && p.tokens[p.next+1].is("(") {
		return p.call()
	}
	return p.path()
}

func (p *parser) call() (Operand, error) {
	t := p.take()
	if _, known := functions[t.text]; !known {
		p.note(unknownFunction, t.at, "Invalid function name; function: %s", t.text)
	}
	p.next++ // the parenthesis
	args, err := p.operands(p.argumentRole())
	if err != nil {
		return nil, err
	}
	return &Call{At: t.at, Function: t.text, Args: args}, nil
}

func (p *parser) argumentRole() role {
	if p.kind == Update {
		return asArgument
	}
	return asOperand
}

// operands takes a list of operands and the parenthesis behind it.
func (p *parser) operands(r role) ([]Operand, error) {
	var list []Operand
	for {
		o, err := p.operand(r)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
		if !p.accept(",") {
			return list, p.expect(")")
		}
	}
}

// operand takes an operand, in parentheses or not.
func (p *parser) operand(r role) (Operand, error) {
	o, _, err := p.wrapped()
	if err != nil {
		return nil, err
	}
	p.use(o, r)
	return o, nil
}

// wrapped takes an operand and tells whether it stood in parentheses.
func (p *parser) wrapped() (o Operand, inside bool, err error) {
	at := p.tok().at
	if !p.accept("(") {
		o, err = p.atom()
		return o, false, err
	}
	o, again, err := p.wrapped()
	if err != nil {
		return nil, false, err
	}
	if err := p.expect(")"); err != nil {
		return nil, false, err
	}
	if again {
		p.redundant(at)
	}
	return p.continued(o)
}

func (p *parser) redundant(at int) {
	p.note(redundantParentheses, at, "The expression has redundant parentheses;")
}

// continued lets elements of a path follow the parentheses around its
// beginning, as conditions allow: (a.b)[0] is a.b[0].
func (p *parser) continued(o Operand) (Operand, bool, error) {
	path, ok := o.(*Path)
	if !ok || p.kind == Update {
		return o, true, nil
	}
	n := len(path.Elements)
	err := p.extend(path)
	return path, len(path.Elements) == n, err
}

// term is what an opening parenthesis can stand before: a condition, or an
// operand of a comparison that only the next token decides on.
type term struct {
	cond    Cond
	operand Operand
	inside  bool // it stood in parentheses
}

// condition takes what rule takes and requires it to be a condition.
func (p *parser) condition(rule func() (term, error)) (Cond, error) {
	t, err := rule()
	if err != nil {
		return nil, err
	}
	return p.decided(t)
}

// decided returns a term as a condition. A path or value is none: the operator
// it lacks should have been the current token.
func (p *parser) decided(t term) (Cond, error) {
	if t.cond != nil {
		return t.cond, nil
	}
	call, ok := t.operand.(*Call)
	if !ok {
		return nil, p.unexpected()
	}
	p.use(call, asCondition)
	return call, nil
}

func (p *parser) or() (term, error) { return p.chain(Or, p.and) }

func (p *parser) and() (term, error) { return p.chain(And, p.not) }

// chain takes members joined by a logical operator, which groups to the left.
func (p *parser) chain(op Op, member func() (term, error)) (term, error) {
	left, err := member()
	if err != nil {
		return term{}, err
	}
	for p.tok().keyword(string(op)) {
		l, err := p.decided(left)
		if err != nil {
			return term{}, err
		}
		at := p.take().at
		p.operators++
		r, err := p.condition(member)
		if err != nil {
			return term{}, err
		}
		left = term{cond: &Logical{At: at, Op: op, Left: l, Right: r}}
	}
	return left, nil
}

func (p *parser) not() (term, error) {
	at, ok := p.acceptOp(OpNot)
	if !ok {
		return p.comparison()
	}
	p.operators++
	c, err := p.condition(p.not)
	return term{cond: &Not{At: at, Cond: c}}, err
}

// comparison takes a comparison, a condition in parentheses, or an operand
// alone if no operator follows it.
func (p *parser) comparison() (term, error) {
	t, err := p.primary()
	if err != nil || t.cond != nil {
		return t, err
	}
	if at, ok := p.acceptOp(OpBetween); ok {
		c, err := p.between(at, t.operand)
		return term{cond: c}, err
	}
	if at, ok := p.acceptOp(OpIn); ok {
		c, err := p.in(at, t.operand)
		return term{cond: c}, err
	}
	op, ok := comparator(p.tok())
	if !ok {
		return t, nil
	}
	at := p.take().at
	p.operators++
	p.use(t.operand, asOperand)
	right, err := p.operand(asOperand)
	return term{cond: &Compare{At: at, Op: op, Left: t.operand, Right: right}}, err
}

// comparator returns the comparison operator that a token is.
func comparator(t token) (Op, bool) {
	switch op := Op(t.text); op {
	case Eq, Ne, Lt, Le, Gt, Ge:
		return op, true
	}
	return "", false
}

func (p *parser) between(at int, o Operand) (Cond, error) {
	p.operators++
	p.use(o, asOperand)
	low, err := p.operand(asOperand)
	if err != nil {
		return nil, err
	}
	if _, ok := p.acceptOp(And); !ok {
		return nil, p.unexpected()
	}
	high, err := p.operand(asOperand)
	if err != nil {
		return nil, err
	}
	return &Between{At: at, Operand: o, Low: low, High: high}, nil
}

func (p *parser) in(at int, o Operand) (Cond, error) {
	p.operators++
	p.use(o, asOperand)
	if err := p.expect("("); err != nil {
		return nil, err
	}
	list, err := p.operands(asOperand)
	if err != nil {
		return nil, err
	}
	return &In{At: at, Operand: o, List: list}, nil
}

func (p *parser) primary() (term, error) {
	at := p.tok().at
	if !p.accept("(") {
		o, err := p.atom()
		return term{operand: o}, err
	}
	t, err := p.or()
	if err != nil {
		return term{}, err
	}
	if err := p.expect(")"); err != nil {
		return term{}, err
	}
	if t.inside {
		p.redundant(at)
	}
	t.inside = true
	if t.operand != nil {
		t.operand, t.inside, err = p.continued(t.operand)
	}
	return t, err
}

func (p *parser) sections() ([]Section, error) {
	var sections []Section
	seen := map[Verb]bool{}
	for p.tok().kind != endOfText {
		t := p.tok()
		verb := Verb(strings.ToUpper(t.text))
		rule, ok := p.actionOf(verb)
		if !ok || t.kind != word {
			return nil, p.unexpected()
		}
		if seen[verb] {
			p.note(repeatedSection, t.at, `The "%s" section can only be used once in an update expression;`, verb)
		}
		seen[verb] = true
		p.next++
		actions, err := p.actions(rule)
		if err != nil {
			return nil, err
		}
		sections = append(sections, Section{At: t.at, Verb: verb, Actions: actions})
	}
	return sections, nil
}

// actionOf returns the rule for the members of a verb's section.
func (p *parser) actionOf(v Verb) (rule func() (Operand, error), ok bool) {
	switch v {
	case Set:
		return p.assigned, true
	case Remove:
		return func() (Operand, error) { return nil, nil }, true
	case Add, Delete:
		return p.member, true
	}
	return nil, false
}

func (p *parser) actions(rule func() (Operand, error)) ([]Action, error) {
	var actions []Action
	for {
		target, err := p.path()
		if err != nil {
			return nil, err
		}
		v, err := rule()
		if err != nil {
			return nil, err
		}
		actions = append(actions, Action{Target: target, Value: v})
		if !p.accept(",") {
			return actions, nil
		}
	}
}

// member takes what ADD and DELETE allow behind the path.
func (p *parser) member() (Operand, error) {
	t := p.tok()
	if t.kind != valueHolder {
		return nil, p.unexpected()
	}
	p.next++
	return &Value{At: t.at, Name: t.text}, nil
}

// assigned takes an equals sign and the value behind it.
func (p *parser) assigned() (Operand, error) {
	if err := p.expect("="); err != nil {
		return nil, err
	}
	o, _, err := p.sum()
	return o, err
}

// sum takes one operand, or two joined by plus or minus. Parentheses may stand
// around each and around the whole.
func (p *parser) sum() (o Operand, inside bool, err error) {
	left, inside, err := p.addend()
	if err != nil {
		return nil, false, err
	}
	op, ok := p.arithmetic()
	if !ok {
		return left, inside, nil
	}
	if _, nested := left.(*Arithmetic); nested {
		return nil, false, p.unexpected()
	}
	at := p.take().at
	p.operators++
	right, err := p.operand(asAssigned)
	if err != nil {
		return nil, false, err
	}
	return &Arithmetic{At: at, Op: op, Left: left, Right: right}, false, nil
}

func (p *parser) arithmetic() (Op, bool) {
	switch {
	case p.tok().is(string(Plus)):
		return Plus, true
	case p.tok().is(string(Minus)):
		return Minus, true
	}
	return "", false
}

// addend takes the beginning of a sum, which may be a whole sum in
// parentheses.
func (p *parser) addend() (o Operand, inside bool, err error) {
	at := p.tok().at
	if !p.accept("(") {
		o, err = p.atom()
		p.use(o, asAssigned)
		return o, false, err
	}
	o, again, err := p.sum()
	if err != nil {
		return nil, false, err
	}
	if again {
		p.redundant(at)
	}
	return o, true, p.expect(")")
}
