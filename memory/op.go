package memory

import "context"

// An operation is what one call of the API adds to the path that all calls take;
// [run] is that path. In is the request, Plan what can be made of it without a
// table, Out the response.
type operation[In, Plan, Out any] struct {
	// rules are the constraints of the service's model.
	rules rules[In]
	// plan checks all else that can be checked without a table: values,
	// expressions, what the operation itself demands.
	plan func(db *DB, in *In) (Plan, error)
	// table names the one table of the operation, which must exist.
	table func(in *In) *string
	// tables names several, in the order of the checks.
	tables func(in *In, p Plan) []string
	// find looks one of them up.
	find func(db *DB, ref string) (*table, error)
	// act does the rest: checks against key schemas, then reads or writes.
	act func(c *call[In, Plan]) (*Out, error)
	// writes says that success means that something is stored, and stays so.
	writes bool
}

// call is one call on its way: the request, the plan made of it, its tables.
type call[In, Plan any] struct {
	db     *DB
	in     *In
	found  violations // of the rules
	as     rendering  // of items in the response
	plan   Plan
	tables []*table
	only   [1]*table // where tables begin, to spare an allocation
	strike *strike   // nil unless a fault is injected
}

// table is the table of a call that has only one.
func (c *call[In, Plan]) table() *table { return c.tables[0] }

// run takes a call through its stations. What is wrong with the request itself
// is reported before any table is looked at, and nothing is locked until act.
func run[In, Plan, Out any](ctx context.Context, db *DB, op *operation[In, Plan, Out], in *In) (*Out, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in == nil {
		in = new(In)
	}
	c := &call[In, Plan]{db: db, in: in, found: violations{older: db.words.older}, as: renderingFor(ctx)}
	err := op.rules.check(in, &c.found)
	if err != nil {
		return nil, err
	}
	if op.plan != nil {
		if c.plan, err = op.plan(db, in); err != nil {
			return nil, err
		}
	}
	if err := op.findTables(c); err != nil {
		return nil, err
	}
	if c.strike = db.faults.strike(in, c.tables); c.strike != nil {
		if err := c.strike.before(ctx, db.settings.power.sleep); err != nil {
			return nil, err
		}
	}
	out, err := op.act(c)
	if err == nil && op.writes {
		err = db.ledger.wait(ctx)
	}
	if c.strike != nil && c.strike.after != nil {
		return nil, c.strike.after
	}
	if err != nil {
		return nil, public(err)
	}
	return out, nil
}

// findTables finds the tables of a call.
func (op *operation[In, Plan, Out]) findTables(c *call[In, Plan]) (err error) {
	switch {
	case op.table != nil:
		c.tables = c.only[:]
		c.only[0], err = op.find(c.db, *op.table(c.in))
	case op.tables != nil:
		for _, ref := range op.tables(c.in, c.plan) {
			t, err := op.find(c.db, ref)
			if err != nil {
				return err
			}
			c.tables = append(c.tables, t)
		}
	}
	return err
}

// noPlan is the plan of operations with nothing to check but constraints.
type noPlan struct{}
