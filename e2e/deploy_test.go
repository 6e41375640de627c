package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

const chart = "../deploy/helm/recoup"

// expression is one of the dashboard's or of a rule of alerts.
type expression struct{ where, text string }

// alertRules are the rules of alerts.yaml.
type alertRules struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr string
			Annotations map[string]string
		}
	}
}

func readAlerts(t testing.TB) (rules alertRules) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(chart, "files", "alerts.yaml"))
	noError(t, err)
	noError(t, yaml.Unmarshal(text, &rules))
	return rules
}

// expressions are all of the dashboard and of the rules.
func expressions(t testing.TB) (list []expression) {
	t.Helper()
	for _, g := range readAlerts(t).Groups {
		for _, r := range g.Rules {
			list = append(list, expression{"alert " + r.Alert, r.Expr})
		}
	}
	alerts := len(list)
	text, err := os.ReadFile(filepath.Join(chart, "files", "dashboard.json"))
	noError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	noError(t, json.Unmarshal(text, &dashboard))
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			text := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(target.Expr)
			list = append(list, expression{"panel " + p.Title, text})
		}
	}
	if alerts < 15 || len(list) < alerts+30 {
		t.Fatalf("%d rules and %d expressions of the dashboard", alerts, len(list)-alerts)
	}
	return list
}

// exported is what a service says of itself: the values of each label of each metric.
type exported map[string]map[string]map[string]bool

// added are the labels that Prometheus adds to what it asks for, and up what it makes itself.
var added = []string{"job", "instance"}

var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$`)
var labelPair = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"`)

func readExported(t testing.TB, text string) exported {
	t.Helper()
	all := exported{"up": {}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%q is no sample", line)
		}
		if all[m[1]] == nil {
			all[m[1]] = make(map[string]map[string]bool)
		}
		for _, pair := range labelPair.FindAllStringSubmatch(m[2], -1) {
			if all[m[1]][pair[1]] == nil {
				all[m[1]][pair[1]] = make(map[string]bool)
			}
			all[m[1]][pair[1]][pair[2]] = true
		}
	}
	return all
}

// asked is what an expression asks for: metrics with their matchers, and labels that it
// groups by.
type asked struct {
	metrics []selector
	labels  []string
}

type selector struct {
	name     string
	matchers [][3]string // label, operator, value
}

// token is a part of an expression.
var token = regexp.MustCompile(`^(?:\s+|[a-zA-Z_:][a-zA-Z0-9_:]*|[0-9]+(?:\.[0-9]+)?|"(?:[^"\\]|\\.)*"|\[[0-9]+[smhd]\]|=~|!~|!=|==|>=|<=|[-+*/(){},=<>])`)

// What an expression may be made of. Anything else is taken for a mistake.
var (
	functions  = []string{"rate", "delta", "histogram_quantile", "time", "absent"}
	aggregates = []string{"sum", "max", "min"}
	operators  = []string{"or", "and", "unless"}
)

// readExpression finds what an expression of PromQL asks for. It reads no more of the language
// than the files use, and refuses the rest, so that it cannot pass over a name: the real parser
// would bring a hundred modules for that.
func readExpression(text string) (a asked, err error) {
	var tokens []string
	for rest := text; rest != ""; {
		t := token.FindString(rest)
		if t == "" {
			return a, fmt.Errorf("cannot read %q", rest)
		}
		if rest = rest[len(t):]; strings.TrimSpace(t) != "" {
			tokens = append(tokens, t)
		}
	}
	depth := 0
	at := func(i int) string {
		if i < len(tokens) {
			return tokens[i]
		}
		return ""
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t == "(":
			depth++
		case t == ")":
			depth--
		case t[0] < 'A' || slices.Contains(operators, t):
		case slices.Contains(aggregates, t) && at(i+1) == "by":
			if at(i+2) != "(" {
				return a, fmt.Errorf("by: expected labels after %s", t)
			}
			for i += 3; at(i) != ")"; i++ {
				if i >= len(tokens) {
					return a, fmt.Errorf("the labels of by do not end")
				}
				if at(i) != "," {
					a.labels = append(a.labels, at(i))
				}
			}
			if at(i+1) != "(" {
				return a, fmt.Errorf("expected an expression after by")
			}
		case slices.Contains(functions, t) || slices.Contains(aggregates, t):
			if at(i+1) != "(" {
				return a, fmt.Errorf("%s: expected (", t)
			}
		case t[0] == '[' || t[0] == '{' || t[0] == '}':
			if t[0] != '[' {
				return a, fmt.Errorf("matchers of nothing")
			}
		default:
			s := selector{name: t}
			if at(i+1) == "{" {
				for i += 2; at(i) != "}"; i++ {
					if i+2 >= len(tokens) || len(at(i+2)) < 2 || at(i + 2)[0] != '"' {
						return a, fmt.Errorf("%s: matchers that do not end", t)
					}
					s.matchers = append(s.matchers, [3]string{at(i), at(i + 1), strings.Trim(at(i+2), `"`)})
					if i += 2; at(i+1) == "," {
						i++
					}
				}
			}
			a.metrics = append(a.metrics, s)
		}
	}
	if depth != 0 || len(a.metrics) == 0 {
		return a, fmt.Errorf("parentheses that do not agree, or no metric")
	}
	return a, nil
}

// missing is what an expression asks for and nobody exports.
func (all exported) missing(e expression) (list []string) {
	a, err := readExpression(e.text)
	if err != nil {
		return []string{err.Error()}
	}
	for _, s := range a.metrics {
		labels, there := all[s.name]
		if !there {
			list = append(list, "no metric "+s.name)
			continue
		}
		for _, label := range a.labels {
			if labels[label] == nil && !slices.Contains(added, label) {
				list = append(list, s.name+" has no label "+label)
			}
		}
		for _, m := range s.matchers {
			switch values := labels[m[0]]; {
			case slices.Contains(added, m[0]):
			case values == nil:
				list = append(list, s.name+" has no label "+m[0])
			case m[1] == "=" && !values[m[2]]:
				list = append(list, fmt.Sprintf("%s: %s is never %q", s.name, m[0], m[2]))
			case m[1] == "=~" || m[1] == "!~":
				if _, err := regexp.Compile(m[2]); err != nil {
					list = append(list, err.Error())
				}
			}
		}
	}
	return list
}

// Whatever the dashboard and the rules of alerts ask for a service exports, after some traffic
// of each kind and a verification.
func TestDashboardAndAlertsAskForWhatThereIs(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "data")
	before := serve(t, db)
	before.traffic(t)
	before.stop(t)
	verified(t, db)
	s := serve(t, db)
	s.traffic(t)
	var all exported
	for end := time.Now().Add(patience); ; {
		response, err := http.Get(s.url + "/metrics")
		noError(t, err)
		text, err := io.ReadAll(response.Body)
		noError(t, err)
		response.Body.Close()
		all = readExported(t, string(text))
		if all["recoup_verified_timestamp_seconds"] != nil || time.Now().After(end) {
			break
		}
	}
	for _, e := range expressions(t) {
		for _, m := range all.missing(e) {
			t.Errorf("%s: %s: %s", e.where, e.text, m)
		}
	}
	// The check itself sees what is wrong.
	for _, wrong := range []string{
		"recoup_nothing > 0", `recoup_queue_events{kind="a"}`, "sum by (kind) (recoup_queue_events)", `recoup_accounts_set_aside{reason="tired"}`,
		"median(recoup_queue_events)", "sum(recoup_queue_events", `recoup_queue_events{instance="a"`, "1 + 2", "recoup_queue_events @ 5", `recoup_events_total{outcome=~"("}`,
	} {
		if all.missing(expression{"", wrong}) == nil {
			t.Errorf("%s passes", wrong)
		}
	}
}

// traffic has a service count something of each kind.
func (s *service) traffic(t testing.TB) {
	t.Helper()
	c := s.client(t)
	lines := []string{
		`{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"a","data":{"transaction":"t1","amount":100000,"currency":"USD"}}`,
		`{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"a","data":{"transaction":"t1","amount":1,"currency":"USD"}}`,
		`{"specversion":"1.0","id":"e2","source":"core","type":"refund.posted","time":"2026-01-06T10:00:00Z","subject":"a","data":{"refund":"r1","amount":5,"currency":"USD","transaction":"unknown"}}`,
		`{"specversion":"1.0"}`,
	}
	_, _, err := c.ask("POST", "/v1/events", "application/x-ndjson", nil, []byte(strings.Join(lines, "\n")))
	noError(t, err)
}

// Every alert leads to what to do, which is written down.
func TestAlertsHaveRunbooks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/runbooks.md")
	noError(t, err)
	headings := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if name, is := strings.CutPrefix(line, "## "); is {
			headings[strings.ToLower(strings.TrimSpace(name))] = false
		}
	}
	for _, g := range readAlerts(t).Groups {
		for _, r := range g.Rules {
			anchor, ok := strings.CutPrefix(r.Annotations["runbook_url"], "docs/runbooks.md#")
			if _, there := headings[anchor]; !ok || !there || anchor != strings.ToLower(r.Alert) {
				t.Errorf("%s leads to %q", r.Alert, r.Annotations["runbook_url"])
			}
			headings[anchor] = true
			if r.Annotations["summary"] == "" {
				t.Errorf("%s says nothing", r.Alert)
			}
		}
	}
	for heading, used := range headings {
		if !used {
			t.Errorf("nothing leads to %q", heading)
		}
	}
}

// What deployments start the service with are flags of it.
func TestDeploymentsUseFlagsThatThereAre(t *testing.T) {
	t.Parallel()
	help := command(t, "serve", "--help")
	known := make(map[string]bool)
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(help.stdout, -1) {
		known[m[1]] = true
	}
	flags := regexp.MustCompile(`(?m)(?:^\s*- |serve .*?|ARGS=|\s)--([a-z][a-z-]*)`)
	for file, only := range map[string]string{
		"../deploy/compose.yaml": "  recoup:\n", chart + "/templates/_helpers.tpl": "args:", "../deploy/recoup.service": "ExecStart=",
	} {
		text, err := os.ReadFile(file)
		noError(t, err)
		_, part, found := strings.Cut(string(text), only)
		if !found {
			t.Fatalf("%s has no %q", file, only)
		}
		part, _, _ = strings.Cut(part, "\n\n")
		used := 0
		for _, m := range flags.FindAllStringSubmatch(part, -1) {
			used++
			if !known[m[1]] {
				t.Errorf("%s: recoup serve has no --%s", file, m[1])
			}
		}
		if used < 2 {
			t.Errorf("%s: %d flags", file, used)
		}
	}
}

// The chart is well-formed for either store, has secrets by reference alone, and what it
// starts runs with as little as it needs.
func TestTheChart(t *testing.T) {
	t.Parallel()
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("helm is not here")
	}
	help := command(t, "serve", "--help").stdout
	for store, more := range map[string][]string{
		"folder": {"--set", "networkPolicy.enabled=false"},
		"postgres": {"--set", "store=postgres,secretsKey.secret=s1,feed.keys.secret=s2,sources.configMap=c1,tls.secret=s3,postgres.rootCertificate=s4,postgres.pooler=true",
			"--set", "ingress.enabled=true,ingress.tls.secret=s5,metrics.rules=true,metrics.serviceMonitor=true", "--set", "feed.origins={https://app.example}"},
	} {
		t.Run(store, func(t *testing.T) {
			if said, err := exec.Command(helm, append([]string{"lint", "--strict", chart}, more...)...).CombinedOutput(); err != nil {
				t.Fatalf("helm lint: %v %s", err, said)
			}
			rendered, err := exec.Command(helm, append([]string{"template", "r", chart, "--kube-version", "1.31.0"}, more...)...).Output()
			if err != nil {
				t.Fatalf("helm template: %v %s", err, stderrOf(err))
			}
			kinds := make(map[string]bool)
			for documents := yaml.NewDecoder(strings.NewReader(string(rendered))); ; {
				var d struct {
					Kind string
					Spec struct {
						Template struct {
							Spec struct {
								AutomountServiceAccountToken *bool          `yaml:"automountServiceAccountToken"`
								SecurityContext              map[string]any `yaml:"securityContext"`
								Containers                   []map[string]any
							}
						}
					}
				}
				if err := documents.Decode(&d); err == io.EOF {
					break
				} else {
					noError(t, err)
				}
				kinds[d.Kind] = true
				pod := d.Spec.Template.Spec
				if len(pod.Containers) == 0 {
					continue
				}
				c := pod.Containers[0]
				own := c["securityContext"].(map[string]any)
				if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken || pod.SecurityContext["runAsNonRoot"] != true || own["readOnlyRootFilesystem"] != true || own["allowPrivilegeEscalation"] != false {
					t.Errorf("the pod may do more than it needs: %v %v", pod, own)
				}
				for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
					if c[probe] == nil {
						t.Errorf("there is no %s", probe)
					}
				}
				for _, arg := range c["args"].([]any)[1:] {
					name, _, _ := strings.Cut(arg.(string), "=")
					if !strings.Contains(help, name+" ") {
						t.Errorf("recoup serve has no %s", name)
					}
				}
			}
			want := []string{"ConfigMap", "Service", "StatefulSet"}
			if store == "postgres" {
				want = []string{"ConfigMap", "Deployment", "Ingress", "NetworkPolicy", "PodDisruptionBudget", "PrometheusRule", "Service", "ServiceMonitor"}
			}
			if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, want) {
				t.Errorf("it makes %v, want %v", got, want)
			}
			if regexp.MustCompile(`(?m)^kind: Secret$`).Match(rendered) {
				t.Error("it makes secrets")
			}
		})
	}
}

// The unit is one that systemd takes, and what it allows is little.
func TestTheUnitOfSystemd(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not here")
	}
	text, err := os.ReadFile("../deploy/recoup.service")
	noError(t, err)
	unit := filepath.Join(t.TempDir(), "recoup.service")
	noError(t, os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/recoup", recoup(t))), 0o600))
	if said, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("systemd-analyze verify: %v %s", err, said)
	}
	if said, err := exec.Command(analyze, "security", "--offline=true", "--threshold=15", unit).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze security: more than 1.5 is exposed: %v %s", err, said)
	}
}

// What is in /etc/recoup.env wins over what a drop-in sets (systemd.exec): no page tells to set
// a variable in both, which would drop the secrets.
func TestNoVariableIsInTheFileAndTheDropIn(t *testing.T) {
	t.Parallel()
	inFile := map[string]bool{}
	var dropIns []string
	for _, name := range []string{"../docs/deploy.md", "../deploy/recoup.service"} {
		text, err := os.ReadFile(name)
		noError(t, err)
		for _, m := range regexp.MustCompile(`echo '(\w+)=.*> /etc/recoup\.env`).FindAllStringSubmatch(string(text), -1) {
			inFile[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`(?m)^[ #]*Environment="?(\w+)=`).FindAllStringSubmatch(string(text), -1) {
			dropIns = append(dropIns, m[1])
		}
	}
	if len(inFile) == 0 || len(dropIns) < 3 {
		t.Fatalf("found %v in the file, %v in drop-ins", inFile, dropIns)
	}
	for _, name := range dropIns {
		if inFile[name] {
			t.Errorf("%s is set in /etc/recoup.env, which wins over the drop-in", name)
		}
	}
}

// TestTheAlertsFire: Prometheus' own tool plays figures of everything that is wrong, and of
// nothing that is, to the rules: each alert fires with what it says, and none without cause.
// That each is among what is played is checked without the tool.
func TestTheAlertsFire(t *testing.T) {
	t.Parallel()
	const file = "../deploy/prometheus/alerts_test.yaml"
	text, err := os.ReadFile(file)
	noError(t, err)
	var played struct {
		Tests []struct {
			Rules []struct {
				Alert string      `yaml:"alertname"`
				Fires []yaml.Node `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	noError(t, yaml.Unmarshal(text, &played))
	fires := make(map[string]bool)
	for _, test := range played.Tests {
		for _, rule := range test.Rules {
			fires[rule.Alert] = fires[rule.Alert] || len(rule.Fires) > 0
		}
	}
	for _, group := range readAlerts(t).Groups {
		for _, rule := range group.Rules {
			if !fires[rule.Alert] {
				t.Errorf("%s never fires in %s", rule.Alert, file)
			}
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not here, which Debian has in the package prometheus")
	}
	if out, err := exec.Command(promtool, "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}
