package shards

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Place is where a schema is: the URL of a database, and the schema's name there.
type Place struct {
	URL    string `json:"url"`
	Schema string `json:"schema"`
}

// String names a place for people: without its password.
func (p Place) String() string { return p.Schema + " at " + hidden(p.URL) }

// hidden is a URL without what must not be shown.
func hidden(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "a URL that cannot be read"
	}
	query := u.Query()
	for _, secret := range []string{"password", "sslpassword"} {
		query.Del(secret)
	}
	u.RawQuery = query.Encode()
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	return u.String()
}

// maxSchema is how long a name may be in PostgreSQL.
const maxSchema = 63

// check refuses what is no place. What it says has no password in it.
func (p Place) check() error {
	if !strings.HasPrefix(p.URL, "postgres://") && !strings.HasPrefix(p.URL, "postgresql://") {
		return fmt.Errorf("expected a URL such as postgres://USER:PASSWORD@HOST/NAME")
	}
	config, err := pgx.ParseConfig(p.URL)
	if err != nil {
		return fmt.Errorf("the URL %s cannot be read", hidden(p.URL))
	}
	if _, is := config.RuntimeParams["search_path"]; is {
		return fmt.Errorf("the URL %s has a search_path: name the schema beside the URL instead", hidden(p.URL))
	}
	if p.Schema == "" || len(p.Schema) > maxSchema || strings.ContainsRune(p.Schema, 0) {
		return fmt.Errorf("expected the name of a schema of 1 to %d bytes", maxSchema)
	}
	return nil
}

// server is what two URLs of the same database have in common: hosts and ports, and the
// database's name.
func (p Place) server() string {
	config, err := pgx.ParseConfig(p.URL)
	if err != nil {
		return p.URL
	}
	hosts := []string{fmt.Sprintf("%s:%d", config.Host, config.Port)}
	for _, other := range config.Fallbacks {
		hosts = append(hosts, fmt.Sprintf("%s:%d", other.Host, other.Port))
	}
	slices.Sort(hosts)
	return strings.Join(slices.Compact(hosts), ",") + "/" + config.Database
}

// same reports whether two places are one.
func (p Place) same(o Place) bool { return p.Schema == o.Schema && p.server() == o.server() }
