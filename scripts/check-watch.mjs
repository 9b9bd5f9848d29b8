import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createMetrics } from '../packages/runtime/src/metrics.ts';

// node scripts/check-watch.mjs: checks that dashboards, alert rules and runbooks name only existing metrics (those in
// docs/operations/metrics.md, which a system test compares with real processes), that each of these is looked at somewhere,
// and that every alert has a runbook and tests.

const ROOT = join(import.meta.dirname, '..');
const DASHBOARDS = 'infra/grafana/dashboards';
const ALERTS = 'infra/prometheus/alerts';
const ALERT_TESTS = 'infra/prometheus/alert-tests';
const DATASOURCES = 'infra/grafana/provisioning/datasources';
const METRICS = 'docs/operations/metrics.md';
const HANDBOOK = 'docs/operations';
const RUNBOOKS = 'docs/operations/runbooks';
const PARTS = ['Meaning', 'Who is hurt', 'Look at', 'Do', 'Over when'];
const SEVERITIES = ['critical', 'warning', 'info'];
/** Labels that Prometheus itself sets. */
const TARGET_LABELS = ['job', 'instance', 'le'];

/** Returns all faults, one sentence each. */
export function watchFaults(root = ROOT) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const filesIn = (folder, ending) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map(({ name }) => ({ path: `${folder}/${name}`, text: read(`${folder}/${name}`) }));
  const ours = documentedMetrics(read(METRICS));
  const metrics = new Map([...ours, ...nodeMetrics()]);
  const runbooks = new Map(filesIn(RUNBOOKS, '.md').map(({ path, text }) => [path, text]));
  const rules = filesIn(ALERTS, '.yml').flatMap(rulesIn);
  const dashboards = filesIn(DASHBOARDS, '.json').map(({ path, text }) => ({ path, dashboard: JSON.parse(text) }));
  const tests = filesIn(ALERT_TESTS, '.yml').flatMap(({ text }) => parse(text).tests);
  const sources = filesIn(DATASOURCES, '.yml').flatMap(({ text }) => parse(text).datasources.map(({ uid }) => uid));
  return [
    ...rules.flatMap((rule) => faultsOfExpression(metrics, rule.expr, `alert ${rule.alert}`)),
    ...dashboards.flatMap(({ path, dashboard }) => faultsOfDashboard(metrics, sources, dashboard, path)),
    ...rules.flatMap((rule) => faultsOfAlert(rule, runbooks, tests)),
    ...[...runbooks].flatMap(([path, text]) => faultsOfRunbook(metrics, path, text)),
    ...leftoverRunbooks(runbooks, rules),
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

/** The process metrics of prom-client, and Prometheus's own `up`. */
function nodeMetrics() {
  const { registry } = createMetrics({ processMetrics: true });
  const own = registry.getMetricsAsArray().map(({ name, type, labelNames }) => [name, { type, labels: labelNames }]);
  return [...own, ['up', { type: 'gauge', labels: [] }]];
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

function faultsOfDashboard(metrics, sources, dashboard, path) {
  const faults = [];
  const ids = new Set();
  for (const panel of dashboard.panels) {
    const where = `${path}, panel "${panel.title}"`;
    if (ids.has(panel.id)) faults.push(`${where}: its id ${panel.id} is taken`);
    ids.add(panel.id);
    for (const target of panel.targets ?? []) {
      if (!sources.includes(target.datasource?.uid)) faults.push(`${where}: no datasource ${target.datasource?.uid}`);
      if (target.expr !== undefined) faults.push(...faultsOfExpression(metrics, target.expr, where));
    }
  }
  if (!dashboard.description) faults.push(`${path}: has no description`);
  return faults;
}

function faultsOfAlert(rule, runbooks, tests) {
  const faults = [];
  const say = (fault) => faults.push(`alert ${rule.alert}: ${fault}`);
  const runbook = runbookOf(rule);
  if (!runbooks.has(runbook)) say(`has no runbook ${runbook}`);
  if (rule.annotations?.runbook_url !== runbook) say(`its runbook_url is not ${runbook}`);
  if (!rule.annotations?.summary) say('has no summary');
  if (!SEVERITIES.includes(rule.labels?.severity)) say(`its severity is none of ${SEVERITIES.join(', ')}`);
  const cases = tests.flatMap((test) =>
    test.alert_rule_test
      .filter(({ alertname }) => alertname === rule.alert)
      .map(({ exp_alerts: expected }) => ({
        fires: (expected ?? []).length > 0,
        series: test.input_series.length > 0,
      })),
  );
  if (!cases.some(({ fires }) => fires)) say('has no test that it fires');
  if (!cases.some(({ fires, series }) => !fires && series)) say('has no test that it is silent when all is well');
  if (!cases.some(({ series }) => !series)) say('has no test of what it does without any series');
  return faults;
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

function leftoverRunbooks(runbooks, rules) {
  const known = new Set(rules.map(runbookOf));
  return [...runbooks.keys()].filter((path) => !known.has(path)).map((path) => `${path}: no alert has this name`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = watchFaults();
  process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
