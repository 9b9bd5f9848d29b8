import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from '@swc/core';
import { table } from './table.mjs';

const SOURCES = ['apps/{api,worker}/src/**/*.ts', 'packages/{runtime,database,redis,telegram,domain}/src/**/*.ts'];
/** The functions that register a metric, with the type that each registers. */
const TYPES = {
  counter: 'counter',
  quickCounter: 'counter',
  histogram: 'histogram',
  quickHistogram: 'histogram',
  gauge: 'gauge',
  readGauge: 'gauge',
  answersMetric: 'gauge',
};

/** Reads the source, so that no store needs to run; a system test compares the tables with real processes. */
export function metricTables(root) {
  const byName = new Map();
  for (const path of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()) {
    if (path.endsWith('.test.ts')) continue;
    const source = readFileSync(join(root, path), 'utf8');
    if (!source.includes("'flotilla_")) continue;
    for (const metric of metricsIn(source, path)) byName.set(metric.name, merged(byName.get(metric.name), metric));
  }
  const of = (group) => [...byName.values()].filter((metric) => metric.group === group);
  return {
    'metrics of every process': metricTable(of('every')),
    'metrics of the api': metricTable(of('api')),
    'metrics of workers': metricTable(of('worker')),
    'metrics of the fleet': metricTable(of('fleet')),
  };
}

function metricTable(metrics) {
  const byName = metrics.sort((one, other) => (one.name < other.name ? -1 : 1));
  const rows = byName.map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join(', '), help]);
  return table(['Metric', 'Type', 'Labels', 'Meaning'], rows);
}

function metricsIn(source, path) {
  const found = [];
  const visit = (node, calls) => {
    if (Array.isArray(node)) for (const one of node) visit(one, calls);
    else if (node?.type === 'ObjectExpression') {
      const metric = metricOf(node, calls, path);
      if (metric !== null) found.push(metric);
      visit(node.properties, null);
    } else if (node?.type === 'CallExpression') {
      visit(node.callee, calls);
      for (const { expression } of node.arguments) visit(expression, calleeOf(node));
    } else if (node !== null && typeof node === 'object') {
      for (const child of Object.values(node)) if (typeof child === 'object') visit(child, null);
    }
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'esnext' }).body, null);
  return found;
}

function calleeOf({ callee }) {
  return callee.type === 'MemberExpression' ? callee.property.value : callee.value;
}

/** Reads a metric from an object with a help text and a flotilla_ name; objects in a list are gauges. */
function metricOf({ properties }, callee, path) {
  const values = Object.fromEntries(properties.map(({ key, value }) => [key?.value, value]));
  const name = values.name?.value;
  if (values.help === undefined || typeof name !== 'string' || !name.startsWith('flotilla_')) return null;
  const help = values.help.value;
  const type = callee === null ? 'gauge' : TYPES[callee];
  if (typeof help !== 'string' || type === undefined) throw new Error(`${path}: ${name} is not registered readably`);
  const labels = (values.labelNames?.elements ?? []).map(({ expression }) => expression.value);
  return { name, type, labels, help, group: groupOf(path) };
}

function groupOf(path) {
  if (basename(path) === 'fleet-metrics.ts') return 'fleet';
  return /^apps\/(api|worker)\//.exec(path)?.[1] ?? 'every';
}

/** A metric of both api and worker appears twice in the source. */
function merged(known, metric) {
  if (known === undefined) return metric;
  const told = ({ type, labels, help }) => JSON.stringify([type, labels, help]);
  if (told(known) !== told(metric)) throw new Error(`${metric.name} is registered in two ways`);
  return known.group === metric.group ? known : { ...known, group: 'every' };
}
