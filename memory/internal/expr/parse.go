package expr

import (
	"strconv"

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
	conditionKeywords = [...]string{string(OpAnd), string(OpOr), string(OpNot), string(OpBetween), string(OpIn)}
)

func (p *parser) startsPath() bool {
	t := p.tok()
	if t.kind != word {
		return t.kind == namePlaceholder
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
		if t := p.tok(); t.kind != word && t.kind != namePlaceholder {
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
	FuncAttributeExists:    asCondition,
	FuncAttributeNotExists: asCondition,
	FuncAttributeType:      asCondition,
	FuncBeginsWith:         asCondition,
	FuncContains:           asCondition,
	FuncSize:               asOperand,
	FuncIfNotExists:        asAssigned | asArgument,
	FuncListAppend:         asAssigned,
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
	if t := p.tok(); t.kind == valuePlaceholder {
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
