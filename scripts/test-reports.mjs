import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

/** Results of the present run, a file for each target of Nx, which keeps copies of them in its cache. */
export const REPORTS = join(ROOT, '.cache', 'test-reports');

/** @param report of one target: its title, the numbers of its tests, its spec files and what they have found. */
export const writeReport = (name, report) => {
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(join(REPORTS, `${name}.json`), JSON.stringify(report));
};

export const readReports = () =>
  existsSync(REPORTS)
    ? readdirSync(REPORTS).map((name) => JSON.parse(readFileSync(join(REPORTS, name), 'utf8')))
    : [];
