package ddb

import (
	"context"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// scan is a [ScanOp], whatever its entity's Go type. What needs no type is here,
// so that it is compiled once.
type scan struct {
	entity  *entity
	index   string
	pattern string
	selection
	reader   reader
	segments segments
	edits    edits[dynamodb.ScanInput]
}

func newScan(e *entity, first, last, of int) scan {
	return scan{entity: e, segments: segments{first, last, of}}
}

// segments are the parts of a table that a scan reads, from First up to before
// Last of so many.
type segments struct{ First, Last, Of int }

const maxSegments = 1_000_000

func (s scan) site() site {
	return s.entity.known().site("Scan").at(s.index).named(s.pattern)
}

// first returns the input of the first call.
func (s scan) first() (*dynamodb.ScanInput, error) {
	r, in, err := s.plan()
	if err != nil {
		return nil, err
	}
	in = s.segments.cut(in, s.segments.First)
	in.Limit = r.size()
	return s.edits.apply(in), nil
}

func (s scan) compile() (*reading, error) {
	r, in, err := s.plan()
	if err != nil {
		return nil, err
	}
	s.over(r, in)
	return r, nil
}

// over gives the reading its sources, the segments.
func (s scan) over(r *reading, in *dynamodb.ScanInput) {
	for i := s.segments.First; i < s.segments.Last; i++ {
		r.over(scanSource(r.site, s.segments.cut(in, i), s.edits))
	}
}

// cut returns the input for one segment.
func (s segments) cut(in *dynamodb.ScanInput, segment int) *dynamodb.ScanInput {
	part := *in
	if s.Of > 1 {
		part.Segment, part.TotalSegments = aws.Int32(int32(segment)), aws.Int32(int32(s.Of))
	}
	return &part
}

// plan returns a reading without its sources, and the input of all of them.
func (s scan) plan() (*reading, *dynamodb.ScanInput, error) {
	e := s.entity.known()
	if err := e.table.ready(); err != nil {
		return nil, nil, err
	}
	r, in, err := s.build(e)
	if err != nil {
		return nil, nil, s.site().fail(err)
	}
	return r, in, nil
}

func (s scan) build(e *entity) (*reading, *dynamodb.ScanInput, error) {
	spec := e.spec(s.index)
	switch parts := s.segments; {
	case spec == nil:
		return nil, nil, because(ErrIndex, "%s is not in it; add a ddb.Index field to %s", e.name, e.plan.typ)
	case parts.Of < 1 || parts.Of > maxSegments || parts.First < 0 || parts.Last > parts.Of:
		return nil, nil, because(ErrRange, "there are 1 to 1,000,000 segments, counted from 0")
	}
	r, err := s.reader.of(e, spec, s.site(), s.selection)
	if err != nil {
		return nil, nil, err
	}
	r.order = nil
	if spec.thin {
		r.pick(e.owns)
	}
	in := &dynamodb.ScanInput{TableName: aws.String(e.table.name), ReturnConsumedCapacity: s.reader.capacity}
	in.IndexName = optional(s.index)
	if s.reader.strong {
		in.ConsistentRead = aws.Bool(true)
	}
	here, _ := s.selection.split(s.reader.hydrate)
	err = here.bareFirst(e, spec, !spec.thin, func(x selected, bare bool) {
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = filled(x.names), filled(x.values)
		in.FilterExpression, in.ProjectionExpression = optional(x.filter), optional(x.projection)
		r.skips = r.skips || x.filter != ""
		if bare {
			r.shape = here.shape(func() shape { return shapeOfScan(in, s.segments) })
		}
	})
	return r, in, err
}

// filled returns nil for an empty map, which the service refuses.
func filled[V any](m map[string]V) map[string]V {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}

// count counts the items over all pages.
func (s scan) count(ctx context.Context) (int, error) {
	s.selection, s.reader = s.selection.counted(s.reader)
	r, in, err := s.plan()
	if err != nil {
		return 0, err
	}
	if !r.picky {
		in.Select = types.SelectCount
	}
	s.over(r, in)
	return r.count(ctx)
}
