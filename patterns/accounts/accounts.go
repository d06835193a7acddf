package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed530093c6/ddb"
)

// MaxEmail is how many bytes an address may have.
const MaxEmail = 254

var (
	// ErrEmail: an address has not the form of one, or is longer than [MaxEmail].
	ErrEmail = errors.New("bad e-mail address")
	// ErrTaken: another account has the address. ddb.ErrUnique is wrapped with it.
	ErrTaken = errors.New("e-mail address is taken")
	// ErrChanged: the account has another address than the one expected.
	ErrChanged = errors.New("account has another e-mail address")
)

// byEmail is the index by which accounts are found.
const byEmail = "GSI1"

// Account is somebody with an e-mail address.
type Account struct {
	_ ddb.Entity `name:"Account" pk:"ACCOUNT#{ID}" sk:"ACCOUNT"`
	_ ddb.Index  `name:"GSI1" pk:"EMAIL#{Email:lower}" sk:"ACCOUNT#{ID}"`

	ID      string // random if it is not given
	Email   string `ddb:"unique=email,lower"`
	Name    string
	Created time.Time `ddb:"created"`
	Updated time.Time `ddb:"updated"`
}

// Accounts are the accounts of a table. It is safe for concurrent use.
type Accounts struct {
	accounts *ddb.Definition[Account]
	email    ddb.Attribute[Account, string]
}

// New defines accounts in a table, beside its other entities. A table that lists
// its indexes needs GSI1 among them. Faults are reported by the table's Err.
func New(table *ddb.Table) *Accounts {
	a := &Accounts{accounts: ddb.Define[Account](table)}
	a.email = ddb.Field(a.accounts, func(v *Account) *string { return &v.Email })
	return a
}

// SignUp stores a new account, after giving it an ID if it has none, all or nothing
// with further operations, such as a profile. The account itself is two of the 100
// operations of a transaction. If one of the caller's fails, so does SignUp, with
// the *ddb.TxError.
//
// It fails with [ErrEmail], with [ErrTaken], and with ddb.ErrExists if there is
// another account with the ID. The same account signed up again changes nothing.
func (a *Accounts) SignUp(ctx context.Context, account *Account, with ...ddb.Write) error {
	if err := checkEmail(account.Email); err != nil {
		return err
	}
	if account.ID == "" {
		account.ID = rand.Text()
	}
	err := ddb.Transact(a.accounts.Create(account)).And(with...).Run(ctx)
	failed, ok := errors.AsType[*ddb.TxError](err)
	if !ok || !errors.Is(failed.Reasons[0], ddb.ErrExists) {
		return asTaken(err)
	}
	stored, again := a.Get(ctx, account.ID)
	if again != nil {
		return again
	}
	if stored.Email != account.Email || stored.Name != account.Name {
		return err
	}
	*account = stored
	return nil
}

// ChangeEmail gives an account another address, provided that it has the address
// from. One that has the new address already is left as it is. It fails with
// [ErrEmail], [ErrTaken], with [ErrChanged] if the account has yet another address,
// and with ddb.ErrNotFound if there is no such account.
func (a *Accounts) ChangeEmail(ctx context.Context, id, from, to string) error {
	if err := checkEmail(to); err != nil {
		return err
	}
	err := ddb.Transact(a.accounts.Update(Account{ID: id}).Set(a.email.To(to)).If(a.email.Eq(from))).Run(ctx)
	if !errors.Is(err, ddb.ErrConditionFailed) || errors.Is(err, ddb.ErrNotFound) {
		return asTaken(err)
	}
	stored, again := a.Get(ctx, id)
	switch {
	case again != nil:
		return again
	case stored.Email != to:
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return nil
}

// Delete deletes an account and frees its address, all or nothing with up to 98
// further operations. It fails with ddb.ErrNotFound if there is no such account.
func (a *Accounts) Delete(ctx context.Context, id string, with ...ddb.Write) error {
	return ddb.Transact(a.accounts.Delete(Account{ID: id}).MustExist()).And(with...).Run(ctx)
}

// Get returns an account as it is now, or fails with ddb.ErrNotFound.
func (a *Accounts) Get(ctx context.Context, id string) (Account, error) {
	return a.accounts.Get(Account{ID: id}).Consistent().Run(ctx)
}

// ByEmail returns the account that has an address, in whatever letter case, or
// fails with ddb.ErrNotFound. What it returns has the address as it is asked; an
// address that is new takes a moment to be found. It fails with [ErrEmail].
func (a *Accounts) ByEmail(ctx context.Context, email string) (Account, error) {
	if err := checkEmail(email); err != nil {
		return Account{}, err
	}
	wanted := strings.ToLower(email) // as the key has it
	for listed, err := range a.accounts.Query(Account{Email: email}).Index(byEmail).All(ctx) {
		if err != nil {
			return Account{}, err
		}
		switch account, err := a.Get(ctx, listed.ID); {
		case errors.Is(err, ddb.ErrNotFound):
		case err != nil:
			return Account{}, err
		case strings.ToLower(account.Email) == wanted:
			return account, nil
		}
	}
	return Account{}, fmt.Errorf("account by e-mail address: %w", ddb.ErrNotFound)
}

// asTaken says what it means that the value of a unique field is another item's.
func asTaken(err error) error {
	if errors.Is(err, ddb.ErrUnique) {
		return fmt.Errorf("%w: %w", ErrTaken, err)
	}
	return err
}

// checkEmail refuses what cannot be an address. What can be one, only mail tells.
func checkEmail(email string) error {
	at := strings.LastIndexByte(email, '@')
	switch {
	case len(email) > MaxEmail:
		return fmt.Errorf("%w: it has more than %d bytes", ErrEmail, MaxEmail)
	case at < 1 || at == len(email)-1:
		return fmt.Errorf("%w: it needs an @ between a name and a domain", ErrEmail)
	case !utf8.ValidString(email):
		return fmt.Errorf("%w: it is not valid UTF-8", ErrEmail)
	case strings.ContainsFunc(email, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return fmt.Errorf("%w: it holds a space or control character", ErrEmail)
	}
	return nil
}
