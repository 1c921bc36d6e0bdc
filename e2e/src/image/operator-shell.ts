import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from './checkout';

/** Stands for Docker: notes its arguments and environment. */
const DOCKER = `#!/bin/sh
echo "$@" >> docker.args
env > docker.env
`;

/** A shell of an operator, in a folder with what `npm run compose:env` and Docker Compose need. */
export class OperatorShell {
  readonly folder = mkdtempSync(join(tmpdir(), 'penstock-compose-'));

  constructor() {
    for (const name of ['package.json', 'scripts', 'docker-compose.yml'])
      cpSync(join(ROOT, name), join(this.folder, name), { recursive: true });
    mkdirSync(join(this.folder, 'bin'));
    writeFileSync(join(this.folder, 'bin', 'docker'), DOCKER, { mode: 0o755 });
  }

  /** Runs commands, until one fails. */
  run(script: string, variables: Readonly<Record<string, string>> = {}) {
    const { PENSTOCK_CONNECTORS: _, ...env } = process.env;
    const path = `${join(this.folder, 'bin')}${delimiter}${String(process.env['PATH'])}`;
    return spawnSync('sh', ['-e', '-c', script], {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...env, ...variables, PATH: path },
      timeout: 300_000,
    });
  }

  /** Text of a file of the folder. */
  text(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
