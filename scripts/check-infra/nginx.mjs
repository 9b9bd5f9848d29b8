import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool, run } from './tools.mjs';

/** Runs `nginx -t` on the files that compose mounts, with the HTTPS example in its place. */
export async function checkNginx(root, leaveOut) {
  const nginx = await findTool('nginx', 'nginx-light', leaveOut);
  if (nginx === null) return [];
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-nginx-'));
  try {
    cpSync(join(root, 'infra/nginx'), folder, { recursive: true });
    rmSync(join(folder, 'sites'), { recursive: true });
    const https = readFileSync(join(root, 'infra/nginx/tls.example.conf'), 'utf8');
    mkdirSync(join(folder, 'sites'));
    writeFileSync(join(folder, 'sites/tls.conf'), https.replaceAll(' /certificates/', ` ${folder}/certificates/`));
    if (!makeCertificate(folder, leaveOut)) renameSync(join(folder, 'sites'), join(folder, 'without-sites'));
    makeLocal(join(folder, 'nginx.conf'));
    const { ok, output } = run(nginx, ['-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf')]);
    return ok ? [] : [output.replaceAll(folder, 'infra/nginx')];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeCertificate(folder, leaveOut) {
  const certificates = join(folder, 'certificates');
  cpSync(join(folder, 'sites'), certificates, { recursive: true });
  const files = ['-keyout', join(certificates, 'privkey.pem'), '-out', join(certificates, 'fullchain.pem')];
  const { ok } = run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=x',
    ...files,
  ]);
  if (!ok) leaveOut('the example for HTTPS: openssl made no certificate');
  return ok;
}

/** The host names of compose do not resolve here. */
function makeLocal(file) {
  const text = readFileSync(file, 'utf8').replaceAll(/server api-\d:8080/g, 'server 127.0.0.1:8080');
  // nginx may fail to open this process's standard output as a file.
  writeFileSync(file, text.replace('access_log /dev/stdout', 'access_log access.log'));
}
