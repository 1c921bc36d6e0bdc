import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

/** Seconds of each spec file in the last whole run. */
const TIMES = join(ROOT, '.cache', 'test-times.json');
const BAR = 30;
const MINUTE_MS = 60_000;

/** A line that a spec file or a check prints when it ends. */
const ENDED = /^(?:passed|failed) +[\d.]+ s {2}(\S+)$/u;

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/**
 * Prints lines, and how far the run is: on a terminal as a bar below them, elsewhere once a minute. How long it will take
 * is estimated from the last run.
 */
export class Progress {
  constructor() {
    this.times = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {};
    this.ended = new Set();
    this.began = performance.now();
    this.isTerminal = process.stdout.isTTY === true;
    this.timer = setInterval(() => {
      if (!this.isTerminal) process.stdout.write(`${this.state()}\n`);
    }, MINUTE_MS);
    this.timer.unref();
  }

  print(line) {
    const [, path] = ENDED.exec(line) ?? [];
    if (path !== undefined) this.ended.add(path);
    if (!this.isTerminal) {
      process.stdout.write(`${line}\n`);
      return;
    }
    process.stdout.write(`\r\u001b[K${line}\n${this.state()}`);
  }

  /** Removes the bar. */
  end() {
    clearInterval(this.timer);
    if (this.isTerminal) process.stdout.write('\r\u001b[K');
  }

  /** Keeps the times for the next run. */
  remember(suites) {
    writeFileSync(
      TIMES,
      JSON.stringify(Object.fromEntries(suites.map((s) => [s.path, s.seconds]))),
    );
  }

  state() {
    const paths = Object.keys(this.times);
    const minutes = (performance.now() - this.began) / MINUTE_MS;
    if (paths.length === 0)
      return `${String(this.ended.size)} spec files and checks in ${minutes.toFixed(0)} min`;
    const left = sum(paths.filter((path) => !this.ended.has(path)).map((path) => this.times[path]));
    const share = 1 - left / Math.max(1, sum(Object.values(this.times)));
    const filled = Math.round(share * BAR);
    const bar = '#'.repeat(filled).padEnd(BAR, '.');
    const rest = share > 0 ? (minutes / share) * (1 - share) : 0;
    return `[${bar}] ${String(this.ended.size)} of ${String(paths.length)}, about ${rest.toFixed(0)} min left`;
  }
}
