package memory

import "time"

// Option sets one property of a [DB] when it is made. A nil option sets none.
type Option func(*settings)

// settings are the properties of a DB. They do not change once it is made.
type settings struct {
	clock      func() time.Time
	region     string
	account    string
	partitions int
	seed       uint64
	transition time.Duration
	journal    Journal // nil for none
	power      powerSettings
}

func defaults() settings {
	return settings{
		clock:      time.Now,
		region:     "us-east-1",
		account:    "000000000000",
		partitions: 16,
		seed:       1,
		power:      powerSettings{sleep: sleep},
	}
}

// Clock sets where the engine takes the time from, [time.Now] by default. The
// engine never waits, but see [Sleeper]: states that pass with time are computed
// from the clock when somebody asks.
func Clock(now func() time.Time) Option {
	return func(s *settings) {
		if now != nil {
			s.clock = now
		}
	}
}

// Region sets the region in ARNs and endpoints, "us-east-1" by default. In
// "eu-south-2" and "me-central-1" errors of PutItem, UpdateItem, DeleteItem and of
// batches have the words that they had everywhere until 2026.
func Region(name string) Option {
	return func(s *settings) { s.region = name }
}

// Account sets the twelve digits in ARNs, all zero by default.
func Account(id string) Option {
	return func(s *settings) { s.account = id }
}

// Partitions sets into how many partitions the hash space of each table and
// index is cut, 16 by default. It changes how much can run in parallel, how many
// open shards the stream of a table has, and nothing else that a caller sees,
// unless [Throttling] makes each partition serve so much and no more. A new
// on-demand table of the service has the throughput of four. Less than one counts
// as one.
func Partitions(n int) Option {
	return func(s *settings) { s.partitions = max(1, n) }
}

// Seed sets where the engine's random identifiers begin. Equal seeds and equal
// calls give equal identifiers.
func Seed(n uint64) Option {
	return func(s *settings) { s.seed = n }
}

// TransitionTime sets how long a table stays CREATING, UPDATING or DELETING, and
// an index CREATING or DELETING, by the [Clock]. By default every change is done
// when the call returns.
func TransitionTime(d time.Duration) Option {
	return func(s *settings) { s.transition = d }
}
