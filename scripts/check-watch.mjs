import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createMetrics } from '../packages/runtime/src/metrics.ts';

// node scripts/check-watch.mjs: checks that dashboards, alert rules and runbooks name only existing metrics (those in
// docs/operations/metrics.md, which a system test compares with real processes), that each of these is looked at somewhere,
// that every alert has a runbook, tests and a row in alert-drills.md, and that no installation hides another one in the same Prometheus.

const ROOT = join(import.meta.dirname, '..');
const DASHBOARDS = 'infra/grafana/dashboards';
const ALERTS = 'infra/prometheus/alerts';
const ALERT_TESTS = 'infra/prometheus/alert-tests';
const ALERTMANAGER = 'infra/prometheus/alertmanager.example.yml';
const METRICS = 'docs/operations/metrics.md';
const HANDBOOK = 'docs/operations';
const RUNBOOKS = 'docs/operations/runbooks';
const DRILLS = 'docs/operations/alert-drills.md';
const PARTS = ['Meaning', 'Who is hurt', 'Look at', 'Do', 'Over when'];
const SEVERITIES = ['critical', 'warning', 'info'];
/** Where the alerts say that their runbooks are. */
const RUNBOOK_URL = 'https://github.com/your-organisation/flotilla/blob/main/docs/operations/runbooks';
/** Labels that Prometheus itself and its scrape configuration set. */
const TARGET_LABELS = ['job', 'instance', 'le', 'installation'];
/** The metrics of other exporters: the blackbox exporter, the node exporter, and the kubelet. */
const FOREIGN_METRICS = {
  up: [],
  probe_success: [],
  probe_ssl_earliest_cert_expiry: [],
  node_filesystem_avail_bytes: ['device', 'fstype', 'mountpoint'],
  node_filesystem_size_bytes: ['device', 'fstype', 'mountpoint'],
  kubelet_volume_stats_available_bytes: ['namespace', 'persistentvolumeclaim'],
  kubelet_volume_stats_capacity_bytes: ['namespace', 'persistentvolumeclaim'],
};

/** Returns all faults, one sentence each. */
export function watchFaults(root = ROOT) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const filesIn = (folder, ending) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map(({ name }) => ({ path: `${folder}/${name}`, text: read(`${folder}/${name}`) }));
  const ours = documentedMetrics(read(METRICS));
  const recorded = filesIn(ALERTS, '.yml').flatMap(rulesIn);
  const rules = recorded.filter(({ alert }) => alert !== undefined);
  const metrics = new Map([...ours, ...otherMetrics(), ...recordedMetrics(recorded)]);
  const runbooks = new Map(filesIn(RUNBOOKS, '.md').map(({ path, text }) => [path, text]));
  const dashboards = filesIn(DASHBOARDS, '.json').map(({ path, text }) => ({ path, dashboard: JSON.parse(text) }));
  const tests = filesIn(ALERT_TESTS, '.yml').flatMap(({ text }) => parse(text).tests);
  return [
    ...rules.flatMap((rule) => faultsOfExpression(metrics, rule.expr, `alert ${rule.alert}`)),
    ...dashboards.flatMap(({ path, dashboard }) => faultsOfDashboard(metrics, dashboard, path)),
    ...rules.flatMap((rule) => [...faultsOfAlert(rule, runbooks), ...faultsOfTests(rule, tests), ...mixing(rule)]),
    ...unknownAlerts(read(ALERTMANAGER), rules),
    ...[...runbooks].flatMap(([path, text]) => faultsOfRunbook(metrics, path, text)),
    ...leftoverRunbooks(runbooks, rules),
    ...undrilled(read(DRILLS), rules),
    ...unusedMetrics(
      ours,
      [DASHBOARDS, ALERTS, RUNBOOKS, HANDBOOK].flatMap((folder) => filesIn(folder, '')),
    ),
  ];
}

/** A metric that no panel, alert, runbook or page of the handbook names is measured for nobody. */
function unusedMetrics(ours, files) {
  const used = files.filter(({ path }) => path !== METRICS).map(({ text }) => text);
  return ours
    .filter(([name]) => !used.some((text) => text.includes(name)))
    .map(([name]) => `${METRICS}: no panel, alert or page has a use for ${name}`);
}

function rulesIn({ text }) {
  return parse(text).groups.flatMap((group) => group.rules);
}

/** Maps name → {type, labels}, from the tables of the documentation. */
function documentedMetrics(docs) {
  const rows = docs.matchAll(/^\| `(flotilla_\w+)` \| (\w+) \|([^|]*)\|/gm);
  return [...rows].map(([, name, type, labels]) => {
    const names = labels
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean);
    return [name, { type, labels: names }];
  });
}

/** The process metrics of prom-client, and those of other exporters. */
function otherMetrics() {
  const { registry } = createMetrics({ processMetrics: true });
  const own = registry.getMetricsAsArray().map(({ name, type, labelNames }) => [name, { type, labels: labelNames }]);
  return [...own, ...Object.entries(FOREIGN_METRICS).map(([name, labels]) => [name, { type: 'gauge', labels }])];
}

function recordedMetrics(rules) {
  return rules.flatMap(({ record }) => (record === undefined ? [] : [[record, { type: 'gauge', labels: [] }]]));
}

const WORDS = ['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'bool', 'offset'];

function faultsOfExpression(metrics, expression, where) {
  const faults = [];
  const used = new Set();
  const bare = expression.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/"[^"]*"/g, '""');
  const outside = bare.replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '').replaceAll(/\{[^}]*\}/g, '');
  for (const [, name] of outside.matchAll(/(?<![\w.$])([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])/g)) {
    if (WORDS.includes(name)) continue;
    const known = metricOf(metrics, name);
    if (known === null) faults.push(`${where}: there is no metric ${name}`);
    else used.add(known);
  }
  if (used.size === 0) faults.push(`${where}: names no metric`);
  for (const [, name, selector] of bare.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)) {
    const known = metricOf(metrics, name);
    const labels = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label);
    if (known !== null) faults.push(...unknownLabels([known], labels, `${where}: ${name}`));
  }
  for (const [, list] of bare.matchAll(/\bby\s*\(([^)]*)\)/g)) {
    const labels = list.split(',').map((label) => label.trim());
    faults.push(...unknownLabels([...used], labels, where));
  }
  return faults;
}

function unknownLabels(used, labels, where) {
  return labels
    .filter((label) => !TARGET_LABELS.includes(label) && !used.some((metric) => metric.labels.includes(label)))
    .map((label) => `${where} has no label ${label}`);
}

/** A histogram is queried by its three series, any other metric by its name. */
function metricOf(metrics, name) {
  const plain = metrics.get(name);
  if (plain !== undefined) return plain.type === 'histogram' ? null : plain;
  const histogram = metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
  return histogram?.type === 'histogram' ? histogram : null;
}

function faultsOfDashboard(metrics, dashboard, path) {
  const variables = dashboard.templating.list.filter(({ type }) => type === 'datasource');
  const sources = variables.map(({ name }) => `\${${name}}`);
  const faults = [];
  const ids = new Set();
  for (const panel of dashboard.panels) {
    const where = `${path}, panel "${panel.title}"`;
    if (ids.has(panel.id)) faults.push(`${where}: its id ${panel.id} is taken`);
    ids.add(panel.id);
    for (const target of panel.targets ?? []) {
      if (!sources.includes(target.datasource?.uid)) faults.push(`${where}: no variable ${target.datasource?.uid}`);
      if (target.expr === undefined) continue;
      faults.push(...faultsOfExpression(metrics, target.expr, where), ...unbound(metrics, target.expr, where));
    }
  }
  if (!dashboard.description) faults.push(`${path}: has no description`);
  return faults;
}

/** Series that the dashboard's choice of an installation leaves out. */
function unbound(metrics, expression, where) {
  return [...expression.matchAll(/([a-zA-Z_:][\w:]*)(\{[^}]*\})?/g)]
    .filter(([, name, selector]) => metricOf(metrics, name) !== null && !selector?.includes('="$installation"'))
    .map(([, name]) => `${where}: ${name} is not of the chosen installation`);
}

/** Aggregations that lose the label by which installations are told apart. */
function mixing({ alert, expr }) {
  const lists = expr.matchAll(/\b(sum|min|max|avg|count|group)\s*(?:by\s*\(([^)]*)\))?\s*\(/g);
  const merged = [...lists].some(([, , labels = '']) => !labels.includes('installation'));
  const blind = /\babsent\w*\s*\(/.test(expr);
  return merged || blind ? [`alert ${alert}: one installation hides another`] : [];
}

function unknownAlerts(alertmanager, rules) {
  const named = new Set([...alertmanager.matchAll(/\bFlotilla[A-Z]\w+/g)].map(([name]) => name));
  const unknown = [...named].filter((name) => !rules.some(({ alert }) => alert === name));
  return unknown.map((name) => `${ALERTMANAGER}: there is no alert ${name}`);
}

function faultsOfAlert(rule, runbooks) {
  const faults = [];
  const say = (fault) => faults.push(`alert ${rule.alert}: ${fault}`);
  const runbook = runbookOf(rule);
  if (!runbooks.has(runbook)) say(`has no runbook ${runbook}`);
  const url = `${RUNBOOK_URL}/${rule.alert}.md`;
  if (rule.annotations?.runbook_url !== url) say(`its runbook_url is not ${url}`);
  if (!rule.annotations?.summary) say('has no summary');
  if (!SEVERITIES.includes(rule.labels?.severity)) say(`its severity is none of ${SEVERITIES.join(', ')}`);
  return faults;
}

function faultsOfTests({ alert }, tests) {
  const cases = tests.map(({ input_series: series, alert_rule_test: steps }) => ({
    series,
    fired: steps.filter(({ alertname }) => alertname === alert).map(({ exp_alerts: expected }) => expected),
  }));
  const faults = [];
  if (!cases.some(endsWithItsFault))
    faults.push('has no test that it begins and ends with a fault of one of two installations');
  if (!cases.some(({ series, fired }) => series.length === 0 && fired.length > 0))
    faults.push('has no test of what it does without any series');
  return faults.map((fault) => `alert ${alert}: ${fault}`);
}

function endsWithItsFault({ series, fired }) {
  const firing = fired.findIndex((expected) => expected.length > 0);
  if (firing < 1 || fired.at(-1).length > 0 || fired[0].length > 0) return false;
  const beside = ['one', 'two'].every((name) => series.some((one) => one.series.includes(`installation="${name}"`)));
  return beside && fired[firing].every(({ exp_labels: labels }) => labels.installation === 'one');
}

function runbookOf({ alert }) {
  return `${RUNBOOKS}/${alert}.md`;
}

function faultsOfRunbook(metrics, path, text) {
  const missing = PARTS.filter((part) => !text.includes(`\n**${part}.**`)).map((part) => `${path}: lacks "${part}."`);
  const named = new Set([...text.matchAll(/\bflotilla_\w+/g)].map(([name]) => name));
  const unknown = [...named].filter((name) => !metrics.has(name) && metricOf(metrics, name) === null);
  return [...missing, ...unknown.map((name) => `${path}: there is no metric ${name}`)];
}

/** Alerts that nobody knows how to fire, and rows of alerts that are gone. */
function undrilled(drills, rules) {
  const drilled = new Set(drills.match(/^\| Flotilla[^|]*/gm)?.flatMap((names) => names.match(/Flotilla\w+/g)));
  const known = new Set(rules.map(({ alert }) => alert));
  return [...known.symmetricDifference(drilled)].map((alert) => `${DRILLS}: alert and row differ: ${alert}`);
}

function leftoverRunbooks(runbooks, rules) {
  const known = new Set(rules.map(runbookOf));
  return [...runbooks.keys()].filter((path) => !known.has(path)).map((path) => `${path}: no alert has this name`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = watchFaults();
  process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
