package memory

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// How streams, shards and records look to those who read them.

// describe returns the description of the stream without its shards.
func (s *stream) describe(transition time.Duration) *streamtypes.StreamDescription {
	d := &streamtypes.StreamDescription{
		StreamArn:               aws.String(s.arn),
		StreamLabel:             aws.String(s.label()),
		StreamStatus:            s.status(transition),
		StreamViewType:          streamtypes.StreamViewType(s.viewType),
		CreationRequestDateTime: aws.Time(s.created),
		TableName:               aws.String(s.table),
	}
	for _, e := range s.key.elements() {
		d.KeySchema = append(d.KeySchema, streamtypes.KeySchemaElement{
			AttributeName: e.AttributeName, KeyType: streamtypes.KeyType(e.KeyType),
		})
	}
	return d
}

func (s *stream) status(transition time.Duration) streamtypes.StreamStatus {
	now := s.clock()
	ended, over := s.isOver()
	switch {
	case over && now.Before(ended.Add(transition)):
		return streamtypes.StreamStatusDisabling
	case over:
		return streamtypes.StreamStatusDisabled
	case now.Before(s.created.Add(transition)):
		return streamtypes.StreamStatusEnabling
	}
	return streamtypes.StreamStatusEnabled
}

// describeShards returns all shards, or if a filter asks for them the children of
// one.
func (s *stream) describeShards(filter *streamtypes.ShardFilter, now sequenceNumber) ([]streamtypes.Shard, error) {
	s.logs[0].mu.Lock() // holds the end of the stream
	defer s.logs[0].mu.Unlock()
	out := []streamtypes.Shard{}
	known := filter == nil
	for _, sh := range s.shards(now) {
		if filter != nil {
			known = known || sh.id() == *filter.ShardId
			if parent, ok := sh.parent(); !ok || parent.id() != *filter.ShardId {
				continue
			}
			known = true
		}
		out = append(out, sh.describe(now))
	}
	if !known {
		return nil, errShardNotFound()
	}
	return out, nil
}

func (sh shard) describe(now sequenceNumber) streamtypes.Shard {
	d := streamtypes.Shard{
		ShardId:             aws.String(sh.id()),
		SequenceNumberRange: &streamtypes.SequenceNumberRange{StartingSequenceNumber: aws.String(sh.start().String())},
	}
	if end, closed := sh.closing(now); closed {
		d.SequenceNumberRange.EndingSequenceNumber = aws.String(end.String())
	}
	if parent, ok := sh.parent(); ok {
		d.ParentShardId = aws.String(parent.id())
	}
	return d
}

// shardNamed returns the shard with a name among those that readers see.
func (s *stream) shardNamed(id string, now sequenceNumber) (shard, bool) {
	s.logs[0].mu.Lock() // holds the end of the stream
	defer s.logs[0].mu.Unlock()
	for _, sh := range s.shards(now) {
		if sh.id() == id {
			return sh, true
		}
	}
	return shard{}, false
}

// position returns where an iterator begins.
func (sh shard) position(in *shardIteratorIn, now sequenceNumber) (sequenceNumber, error) {
	l := &sh.stream.logs[sh.log]
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trimLocked(now)
	switch in.ShardIteratorType {
	case streamtypes.ShardIteratorTypeLatest:
		return now, nil
	case streamtypes.ShardIteratorTypeAtSequenceNumber:
		return sh.at(*in.SequenceNumber, false, now)
	case streamtypes.ShardIteratorTypeAfterSequenceNumber:
		return sh.at(*in.SequenceNumber, true, now)
	case streamtypes.ShardIteratorTypeAtTimestamp:
		return sh.since(*in.Timestamp, now)
	default: // TRIM_HORIZON
		return sh.oldest(), nil
	}
}

// iterator is a shard iterator: a position in a shard, and since when it is
// valid. It is all there is to one; the engine keeps none.
type iterator struct {
	shard    shard
	position sequenceNumber
	issued   time.Time
}

// advance reads up to so many records, moves the iterator behind them, and
// reports whether nothing will ever follow.
func (it *iterator) advance(limit int) (found []captured, closed bool, err error) {
	s := it.shard.stream
	l := &s.logs[it.shard.log]
	l.mu.Lock()
	defer l.mu.Unlock()
	now := s.observe()
	l.trimLocked(now)
	found, it.position, closed, err = it.shard.read(it.position, limit, now)
	return found, closed, err
}

const iteratorSeparator = "|1|"

// String returns the iterator as readers hold it: the ARN of the stream, and a
// text that means nothing to them.
func (it *iterator) String() string {
	s := it.shard.stream
	b := binary.BigEndian.AppendUint64(nil, uint64(it.position))
	b = binary.BigEndian.AppendUint64(b, uint64(it.issued.UnixMilli()))
	b = binary.BigEndian.AppendUint32(b, uint32(it.shard.log))
	b = binary.BigEndian.AppendUint32(b, uint32(it.shard.generation))
	b = binary.BigEndian.AppendUint32(b, checksum(s.arn, b))
	return s.arn + iteratorSeparator + base64.StdEncoding.EncodeToString(b)
}

// iteratorBytes is how many bytes an iterator has without the ARN.
const iteratorBytes = 8 + 8 + 4 + 4 + 4

func checksum(arn string, b []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(arn)), crc32.IEEETable, b)
}

// parseIterator returns the iterator with a text.
func (db *DB) parseIterator(text string) (iterator, error) {
	arn, rest, _ := strings.Cut(text, iteratorSeparator)
	b, err := base64.StdEncoding.DecodeString(rest)
	if err != nil || len(b) != iteratorBytes || checksum(arn, b[:iteratorBytes-4]) != binary.BigEndian.Uint32(b[iteratorBytes-4:]) {
		return iterator{}, invalid(textShardIterator)
	}
	s, err := db.stream(arn)
	if err != nil {
		return iterator{}, err
	}
	it := iterator{
		shard:    shard{s, int(binary.BigEndian.Uint32(b[16:])), int(binary.BigEndian.Uint32(b[20:]))},
		position: sequenceNumber(binary.BigEndian.Uint64(b)),
		issued:   time.UnixMilli(int64(binary.BigEndian.Uint64(b[8:]))),
	}
	if it.shard.log >= len(s.logs) {
		return iterator{}, invalid(textShardIterator)
	}
	return it, nil
}

// Members that are the same in all records.
// API_streams_Record.html
const (
	eventVersion = "1.1"
	eventSource  = "aws:dynamodb"
)

var (
	eventNames = [...]streamtypes.OperationType{
		RecordInsert: streamtypes.OperationTypeInsert,
		RecordModify: streamtypes.OperationTypeModify,
		RecordRemove: streamtypes.OperationTypeRemove,
	}
	// serviceIdentity marks what expired.
	// time-to-live-ttl-streams.html
	serviceIdentity = streamtypes.Identity{PrincipalId: aws.String("dynamodb.amazonaws.com"), Type: aws.String("Service")}
)

// record returns a record as readers see it. It shares no memory with the log.
func (s *stream) record(c *captured, region string) streamtypes.Record {
	number := c.at.String()
	id := md5.Sum([]byte(s.arn + number))
	r := streamtypes.Record{
		AwsRegion: aws.String(region), EventID: aws.String(hex.EncodeToString(id[:])), EventName: eventNames[c.kind],
		EventSource: aws.String(eventSource), EventVersion: aws.String(eventVersion),
		Dynamodb: &streamtypes.StreamRecord{
			ApproximateCreationDateTime: aws.Time(c.at.time().Truncate(time.Second).UTC()),
			Keys:                        c.keys.StreamSDK(),
			SequenceNumber:              aws.String(number),
			SizeBytes:                   aws.Int64(int64(c.size())),
			StreamViewType:              streamtypes.StreamViewType(s.viewType),
		},
	}
	if c.old != nil {
		r.Dynamodb.OldImage = c.old.item.StreamSDK()
	}
	if c.new != nil {
		r.Dynamodb.NewImage = c.new.item.StreamSDK()
	}
	if c.expired {
		r.UserIdentity = &streamtypes.Identity{PrincipalId: aws.String(*serviceIdentity.PrincipalId), Type: aws.String(*serviceIdentity.Type)}
	}
	return r
}
