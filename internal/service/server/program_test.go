package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/server"
	"recoup/internal/store/durable"
)

// previews answers previews of the program everyday with the size of the sample.
func previews(o *server.Options) {
	o.Preview = func(_ context.Context, id string, draft []byte, transactions int) (any, bool, error) {
		if strings.Contains(string(draft), "nonsense") {
			return nil, true, &durable.ProgramError{Code: durable.ProgramInvalid, Err: errors.New("program.yaml:1: nonsense")}
		}
		return map[string]int{"sample": transactions}, id == "everyday", nil
	}
}

func TestAProgramHasVersions(t *testing.T) {
	f := newService(t)
	put := func(query, body string) *answer {
		return f.call("admin", "PUT", "/v1/programs/everyday"+query, "application/yaml", body)
	}
	f.get("/v1/programs/everyday").status200().has("program", `"everyday"`, "version", "1", "in_force", "true", "effective", "null", "actor", `"test"`)
	next := strings.Replace(everyday, "rate: 5%", "rate: 6%", 1)
	put("?effective=2026-03-01T00:00:00Z", next).is(201).has("version", "2", "effective", `"2026-03-01T00:00:00Z"`, "in_force", "false", "actor", `"admin"`)
	put("", next).is(200).has("version", "2") // the same again
	f.get("/v1/programs/everyday").status200().has("version", "2", "in_force", "false")
	f.get("/v1/programs/everyday/versions/1").status200().has("in_force", "true")
	f.clock.pass(60 * 24 * time.Hour)
	f.get("/v1/programs/everyday/versions/1").status200().has("in_force", "false")
	var list struct {
		Versions []struct {
			Version int
			InForce bool `json:"in_force"`
		}
	}
	f.get("/v1/programs/everyday/versions").status200().read(&list)
	if len(list.Versions) != 2 || list.Versions[0].InForce || !list.Versions[1].InForce {
		t.Errorf("versions %+v", list.Versions)
	}
	f.call("admin", "PUT", "/v1/programs/gold", "application/json", `{"id":"gold","currency":"EUR","rules":[{"id":"base","rate":"2%"}]}`).is(201)
	var all struct{ Programs []struct{ Program string } }
	f.get("/v1/programs").status200().read(&all)
	if len(all.Programs) != 2 || all.Programs[1].Program != "gold" {
		t.Errorf("programs %+v", all.Programs)
	}
}

func TestProgramsThatAreRefused(t *testing.T) {
	f := newService(t)
	put := func(path, body string) *answer {
		return f.call("admin", "PUT", "/v1/programs/"+path, "application/yaml", body)
	}
	a := put("everyday", "id: everyday\nrate: 5%\n").fails(422, "program_invalid")
	if !strings.Contains(a.body, "program.yaml:2") {
		t.Errorf("the line is not named: %s", a.body)
	}
	put("everyday", "").fails(400, "malformed")
	put("other", everyday).fails(422, "program_id_mismatch")
	put("everyday", strings.Replace(everyday, "USD", "EUR", 1)).fails(409, "currency_changed")
	put("everyday?effective=2026-03-02T00:00:00Z", everyday+"maturity_days: 3\n").fails(422, "effective_invalid")
	put("everyday?effective=soon", everyday+"maturity_days: 3\n").fails(422, "invalid_request")
	put("everyday", everyday+strings.Repeat("# more\n", 200_000)).fails(413, "body_too_large")
	for _, path := range []string{"/v1/programs/none", "/v1/programs/none/versions", "/v1/programs/none/versions/1", "/v1/programs/everyday/versions/2"} {
		f.get(path).fails(404, "program_not_found")
	}
	f.get("/v1/programs/everyday/versions/x").fails(422, "invalid_request")
}

func TestADraftIsPreviewed(t *testing.T) {
	f := newService(t, previews)
	preview := func(path, body string) *answer {
		return f.call("read", "POST", "/v1/programs/"+path, "application/yaml", body)
	}
	preview("everyday/preview", everyday).status200().has("sample", "1000")
	preview("everyday/preview?transactions=50", everyday).status200().has("sample", "50")
	preview("everyday/preview?transactions=10001", everyday).fails(422, "invalid_request")
	preview("everyday/preview", "nonsense").fails(422, "program_invalid")
	preview("none/preview", everyday).fails(404, "program_not_found")
}
